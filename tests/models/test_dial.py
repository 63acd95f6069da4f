"""The dial: settings, the points they pick, and those that make no sense."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from models.points import FIGURES, POINTS, point
from secateur.errors import InputError
from secateur.models import dial
from secateur.models.dial import choose
from secateur.models.point import pareto


def test_the_dial() -> None:
    kept = pareto(POINTS)
    assert [p.name for p in kept] == ["fast", "middle", "slow"]
    assert dial.most_accurate(kept).point.name == "slow"
    assert dial.fastest(kept).point.name == "fast"
    assert dial.within_budget(kept, "9,000wps").point.name == "middle"
    assert dial.within_budget(kept, "0.3ms/sent").point.name == "fast"
    beyond = dial.within_budget(kept, "1000000wps")
    assert beyond.point.name == "fast"
    assert "beyond" in beyond.remark
    assert dial.at_least(kept, 65, FIGURES).point.name == "middle"
    assert "beyond" in dial.at_least(kept, 99, FIGURES).remark
    assert dial.within_loss(kept, 1.0, FIGURES).point.name == "middle"
    assert dial.within_loss(kept, 0.0, FIGURES).point.name == "slow"
    assert dial.for_tradeoff(kept, 0.0, FIGURES).point.name == "slow"
    assert dial.for_tradeoff(kept, 10.0, FIGURES).point.name == "middle"
    assert dial.for_tradeoff(kept, 1000.0, FIGURES).point.name == "fast"


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ({}, "slow"),
        ({"most_accurate": True}, "slow"),
        ({"fastest": True}, "fast"),
        ({"fastest": False}, "slow"),
        ({"budget": "9000wps"}, "middle"),
        ({"budget": None, "accuracy": 65}, "middle"),
        ({"max_loss": 1}, "middle"),
        ({"tradeoff": 1000.0}, "fast"),
        ({"point": "bad"}, "bad"),
    ],
)
def test_settings(setting: dict[str, Any], name: str) -> None:
    assert choose(POINTS, FIGURES, setting).point.name == name  # type: ignore[arg-type]


@pytest.mark.parametrize("tradeoff", [-1.0, math.nan, math.inf])
def test_tradeoffs_that_make_no_sense(tradeoff: float) -> None:
    with pytest.raises(InputError, match="tradeoff"):
        dial.for_tradeoff(POINTS, tradeoff, FIGURES)


@pytest.mark.parametrize("budget", ["fast", "10", "-5wps", "0wps", "1.2.3wps", ",wps"])
def test_budgets_that_make_no_sense(budget: str) -> None:
    with pytest.raises(InputError, match="budget"):
        dial.within_budget(POINTS, budget)


@pytest.mark.parametrize(
    ("setting", "complaint", "says"),
    [
        ({"budgett": 1}, InputError, "no setting 'budgett'; choose from budget, accuracy"),
        ({"budget": 50000}, TypeError, 'a budget is a text such as "20000wps" or "2ms/sent", not 50000'),
        ({"accuracy": 0.62}, InputError, "an accuracy of 0.62; give F1 in percent"),
        ({"accuracy": "62"}, TypeError, "accuracy is a number, not '62'"),
        ({"max_loss": True}, TypeError, "max_loss is a number, not True"),
        ({"max_loss": -1}, InputError, "a loss of -1.0 F1 points"),
        ({"max_loss": math.nan}, InputError, "a loss of nan"),
        ({"point": "best"}, InputError, "no operating point 'best'; choose from slow, middle"),
        ({"point": 3}, InputError, "no operating point 3"),
        ({"point": ["slow"]}, InputError, r"no operating point \['slow'\]"),
        ({"fastest": True, "accuracy": 60}, InputError, "more than one setting of the dial"),
    ],
)
def test_settings_that_make_no_sense(setting: dict[str, Any], complaint: type[Exception], says: str) -> None:
    with pytest.raises(complaint, match=says):
        choose(POINTS, FIGURES, setting)  # type: ignore[arg-type]


def test_a_loss_goes_by_time() -> None:
    """Of two points with little work, the one that takes less time."""
    static = replace(point("static", 88.2, 0.0030), seconds_per_sentence=0.0003)
    slower = replace(point("dagger", 88.0, 0.0029), seconds_per_sentence=0.0004)
    full = replace(point("full", 89.3, 0.0160), seconds_per_sentence=0.0008)
    assert choose([full, slower, static], FIGURES, {"max_loss": 1.2}).point.name == "static"
