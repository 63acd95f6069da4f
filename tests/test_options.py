"""Options: fields of dataclasses that commands offer, resolved without what takes long to import."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, fields
from typing import Any, Literal

import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.options import (
    check_choice,
    check_counts,
    check_least,
    check_number,
    check_whole,
    made,
    number_of,
    offers,
    option,
)

HEAVY = {"numba", "llvmlite", "scipy", "sklearn", "joblib", "matplotlib", "rich", "distributed", "ray"}


def loaded_after(code: str) -> set[str]:
    """What of the heavy libraries a new interpreter has loaded."""
    told = f"{code}\nimport sys\nprint(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return HEAVY & {name.partition(".")[0] for name in found.stdout.splitlines()[-1].split()}


EVERY = """
from secateur.metrics.scores import SCORING
from secateur.models.table import kinds
from secateur.options import offers
from secateur.treebanks.reading import ANNOTATIONS

every = [*SCORING.values(), *(one.reading for one in ANNOTATIONS.values())]
every += [options for kind in kinds() for options in (kind.settings, kind.using, kind.looking)]
found = [offer for options in every for offer in offers(options)]
assert len(found) > 10
for offer in found:
    assert offer.type.__name__ in ("int", "float", "bool", "str", "Path"), offer
for options in every:
    options()
"""


def test_offers_need_nothing_heavy() -> None:
    """A command knows its options before it knows what to do."""
    assert loaded_after(EVERY) == set()


@pytest.mark.parametrize(
    "code", ["import secateur", "import secateur; secateur.Settings(); secateur.ArcSettings()"]
)
def test_the_package_is_light(code: str) -> None:
    assert loaded_after(code) == set()


def test_a_bare_import_has_not_even_numpy() -> None:
    told = "import secateur, sys; print('numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


@pytest.mark.parametrize("code", ["import secateur.cli", "from secateur.models.table import kinds; kinds()"])
def test_commands_are_light(code: str) -> None:
    assert loaded_after(code) <= {"rich"}  # the terminal's


# Offers -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Some:
    """Options of every shape."""

    count: int = option(3, "How many.", low=1, high=9)
    share: float | None = option(None, "How much.", low=0.0)
    way: Literal["up", "down"] = option("up", "Where to.")
    steps: tuple[str, ...] = option((), "Which.")
    flag: bool = option(False, "Whether.")
    thing: str | Nowhere = option("x", "What.", type=str)  # type: ignore[name-defined]  # noqa: F821
    hidden: Nowhere = 0  # type: ignore[name-defined]  # noqa: F821


def test_what_is_offered() -> None:
    found = {offer.name: offer for offer in offers(Some)}
    assert list(found) == ["count", "share", "way", "steps", "flag", "thing"]
    count = found["count"]
    assert count[1:4] == (int, False, ())
    assert (count.help, count.low, count.high, count.default) == ("How many.", 1, 9, 3)
    assert found["share"][1:4] == (float, False, ())
    assert found["way"][1:4] == (str, False, ("up", "down"))
    assert found["steps"][1:4] == (str, True, ())
    assert found["flag"][1:4] == (bool, False, ())
    assert found["thing"][1:4] == (str, False, ())


def test_made_refuses_what_there_is_not() -> None:
    assert made(Some, {"count": 4}, "some") == Some(4)
    with pytest.raises(InputError, match="some has no option 'cuont'; choose from count, flag, hidden"):
        made(Some, {"cuont": 4}, "some")


@pytest.mark.parametrize("settings", [sec.Settings, sec.ArcSettings])
def test_least_values_are_those_that_settings_refuse(settings: Any) -> None:
    """What a command calls the least is the least that Python takes."""
    for offer in offers(settings):
        if offer.low is not None and offer.type is int:
            settings(**{offer.name: int(offer.low)})
            with pytest.raises(InputError):
                settings(**{offer.name: int(offer.low) - 1})
        for choice in offer.choices:
            settings(**{offer.name: choice})
    assert {"points", "iterations"} <= {offer.name for offer in offers(settings)}
    assert {one.name for one in fields(settings)} > {offer.name for offer in offers(settings)}


# Checks -----------------------------------------------------------------------------------------------------


def test_checks() -> None:
    check_choice("colour", "red", ("red", "blue"))
    with pytest.raises(InputError, match="unknown colour 'green'; choose red or blue"):
        check_choice("colour", "green", ("red", "blue"))
    check_least({"trees": (1, 1), "rounds": (5, 0)})
    with pytest.raises(InputError, match="0 trees; ask for 1 or more"):
        check_least({"trees": (0, 1)})
    assert check_number("share", 1) == 1.0
    for wrong in (True, "1", None, 1j):
        with pytest.raises(TypeError, match="share is a number, not"):
            check_number("share", wrong)
    assert check_whole("trees", 3) == 3
    for wrong in (True, "1", None, 1.0):
        with pytest.raises(TypeError, match="trees: give a whole number, not"):
            check_whole("trees", wrong)


@dataclass(frozen=True, slots=True)
class Counted:
    offered: int | None = option(None, "How many.", low=3, counts="operating points")
    hidden: int = number_of("timing runs", 3, low=1)
    whatever: int = 0


def test_counts_are_checked_by_their_fields() -> None:
    check_counts(Counted())
    check_counts(Counted(3, 1, -5))
    with pytest.raises(InputError, match="2 operating points; ask for 3 or more"):
        check_counts(Counted(2))
    with pytest.raises(InputError, match="0 timing runs; ask for 1 or more"):
        check_counts(Counted(hidden=0))
    with pytest.raises(TypeError, match="timing runs: give a whole number, not None"):
        check_counts(Counted(hidden=None))  # type: ignore[arg-type]
    assert [offer.name for offer in offers(Counted)] == ["offered"]
