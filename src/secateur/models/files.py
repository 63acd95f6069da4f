"""The directory of a model, whatever its kind: written whole, checked when it is read.

    model.toml        format, kind, what made it, and its settings
    policies/*.npz    the weights of its policies that are not 0
    frontier.json     its points
    log.json          the rounds of training
    card.md           all that for people
    checksums.json    of every file but the card, and of none that the model has not

The files of its parts are those of its kind.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from os import PathLike
from pathlib import Path

from secateur.errors import InputError
from secateur.models.dial import Point
from secateur.models.forms import formed, parse_json
from secateur.models.storage import (
    AGAIN,
    Content,
    Packed,
    Store,
    damaged,
    is_own,
    read_bytes,
    unpack_weights,
    weights_file,
)
from secateur.search.core import Policy

FORMAT = 2
SPAN_PRUNING, ARC_LOCKING = "span-pruning", "arc-locking"  # kinds
ABOUT, CHECKSUMS, CARD = "model.toml", "checksums.json", "card.md"
POINTS, LOG, POLICIES = "frontier.json", "log.json", "policies"

_SHORT = 1 << 22  # bytes of model.toml or of the checksums, at most
_PARTIAL = "partial-"


# Reading ----------------------------------------------------------------------------------------------------


def read_about(path: str | PathLike[str]) -> dict[str, object]:
    """What model.toml says: format and kind; in a model of this format also settings and `made by`."""
    folder = Path(path)
    try:
        text = read_bytes(folder, ABOUT, most=_SHORT).decode()
        about = formed(tomllib.loads(text), dict[str, object])
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            "not a model: there is no model.toml in it", where=str(path), fix="name a model directory"
        ) from None
    except OSError as problem:
        raise damaged(folder / ABOUT, problem.strerror) from None
    except InputError:
        raise
    except (ValueError, RecursionError) as problem:
        raise damaged(folder / ABOUT, problem) from None
    fields = {"format": int, "kind": str}
    if about.get("format") == FORMAT:
        fields |= {"made by": str, "settings": dict}
    for name, form in fields.items():
        if type(about.get(name)) is not form:
            raise damaged(folder / ABOUT, f"it does not say its {name}")
    return about


def open_model(path: str | PathLike[str], about: Mapping[str, object], kinds: Collection[str]) -> Store:
    """The files of a model of one of these kinds; one of another format or kind is refused."""
    folder = Path(path)
    if about["format"] != FORMAT or about["kind"] not in kinds:
        raise InputError(
            f"a model of format {about['format']}, kind {about['kind']!r}; "
            f"this version reads {FORMAT}, {' or '.join(map(repr, kinds))}",
            where=str(folder),
            fix="train it again, or install the version that made it",
        )
    try:
        digests = _promised(folder)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"damaged: no readable {CHECKSUMS} ({_what(problem)})", where=str(folder), fix=AGAIN
        ) from None
    store = Store(folder, digests)
    store.text(ABOUT)  # that it is the one that was saved
    return store


def settings_of(about: Mapping[str, object]) -> dict[str, object]:
    """How the model was made."""
    settings = about["settings"]
    assert isinstance(settings, dict)
    return settings


class Policies(Mapping[str, Policy]):
    """Policies by name. Their weights are mostly 0: they are made long when a policy is asked for."""

    def __init__(self, packed: Mapping[str, Packed]) -> None:
        self._packed = packed
        self._made: dict[str, Policy] = {}

    def __getitem__(self, name: str) -> Policy:
        if name not in self._made:
            self._made[name] = Policy(unpack_weights(self._packed[name]))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    def __contains__(self, name: object) -> bool:
        return name in self._packed


def read_policies(store: Store, fits: Callable[[int], bool]) -> Policies:
    """By name; `fits` says whether the model has a use for policies of so many features."""
    packed = {name: store.packed(f"{POLICIES}/{name}.npz") for name in store.names(POLICIES, ".npz")}
    for name, own in packed.items():
        if not fits(int(own[0, 0])):
            raise damaged(
                store.folder / POLICIES / f"{name}.npz",
                f"a policy of {int(own[0, 0]):,} features, which do not fit the model's",
            )
    return Policies(packed)


def read_points(store: Store) -> list[Point]:
    """One or more, each with a name of its own."""
    points = store.json(POINTS, list[Point])
    if not points or len({point.name for point in points}) < len(points):
        raise damaged(store.folder / POINTS, "no points, or two of one name")
    return points


def read_log(store: Store) -> list[dict[str, object]]:
    return store.json(LOG, list[dict[str, object]])


# Writing ----------------------------------------------------------------------------------------------------


def about_text(kind: str, settings: Mapping[str, object]) -> str:
    """model.toml."""
    made = f'"made by" = "secateur {version("secateur")}"'
    lines = (f"format = {FORMAT}", f'kind = "{kind}"', made, "", "[settings]")
    rows = (f"{json.dumps(key)} = {json.dumps(value)}" for key, value in settings.items())
    return "".join(f"{line}\n" for line in (*lines, *rows))


def save(
    path: str | PathLike[str],
    files: Mapping[str, Content],
    policies: Mapping[str, Policy],
    points: Sequence[Point],
    log: Sequence[Mapping[str, object]],
) -> None:
    """Write a directory. What an older model has there and this one has not is deleted."""
    folder = Path(path)
    everything: dict[str, Content] = {
        **files,
        **{f"{POLICIES}/{name}.npz": weights_file(policy.weights) for name, policy in policies.items()},
        POINTS: json.dumps([asdict(point) for point in points], indent=1),
        LOG: json.dumps(list(log), indent=1),
    }
    for name in everything:
        if not is_own(name):
            raise InputError(f"{name!r} is no name for a file", fix="use letters, digits and . + -")
    try:
        (folder / POLICIES).mkdir(parents=True, exist_ok=True)
        for old in _left_there(folder, everything):
            old.unlink(missing_ok=True)
        for name, content in everything.items():
            _write(folder / name, content)
        checksums = {name: _digest(folder / name) for name in everything if name != CARD}
        _write(folder / CHECKSUMS, json.dumps(checksums, indent=1))
    except OSError as problem:
        raise InputError(
            f"cannot write the model: {problem.strerror}",
            where=str(folder),
            fix="free space or another place",
        ) from problem


def _left_there(folder: Path, files: Collection[str]) -> list[Path]:
    """Files of an older model that this one has not, and what an interrupted save left."""
    try:
        older = [folder / name for name in _promised(folder) if name not in files]
    except (OSError, ValueError):
        older = []
    return [*older, *folder.glob(f"{_PARTIAL}*"), *(folder / POLICIES).glob(f"{_PARTIAL}*")]


def _promised(folder: Path) -> dict[str, str]:
    """The digest of every file of the model; OSError or ValueError where that cannot be read."""
    promised = formed(parse_json(read_bytes(folder, CHECKSUMS, most=_SHORT).decode()), dict[str, str])
    for name in promised:
        if not is_own(name) or name in (CHECKSUMS, CARD):
            raise ValueError(f"it lists {name[:60]!a}")
    return promised


def _what(problem: OSError | ValueError) -> object:
    return (problem.strerror if isinstance(problem, OSError) else problem) or problem


def _write(path: Path, content: Content) -> None:
    """All or nothing."""
    partial = path.with_name(_PARTIAL + path.name)  # with its ending, which says whether to compress
    if callable(content):
        content(partial)
    else:
        partial.write_bytes(content if isinstance(content, bytes) else content.encode())
    partial.replace(path)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
