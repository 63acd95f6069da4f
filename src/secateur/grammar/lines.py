"""What files of rules have in common: fields, weights, counts, and that they appear whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from secateur.errors import InputError
from secateur.grammar.pcfg import TOLERANCE

_K = TypeVar("_K")
_V = TypeVar("_V")

FIELD = re.compile(r"[^ \t\r\n\f\v]+")  # words may hold other blanks
LEAST = 1e30  # no probability is so small that its log is below the negative of this
_DIGITS = 18  # of a count, at most
CUT_OFF = "is it cut off? copy it again"


def notes_of(line: str) -> dict[str, str]:
    """The fields `name=value` of a first line."""
    return dict(field.split("=", 1) for field in FIELD.findall(line) if "=" in field)


class Header:
    """The first line of a file: fields `name=value`."""

    def __init__(self, line: str, name: str) -> None:
        self.notes = notes_of(line)
        self.where = f"{name}:1"

    @staticmethod
    def written(notes: Mapping[str, str]) -> str:
        """The line that says these things."""
        return " ".join(f"{key}={value}" for key, value in notes.items())

    def __getitem__(self, field: str) -> str:
        return self.notes[field]

    def get(self, field: str) -> str:
        """What a field says, nothing if it is not there."""
        return self.notes.get(field, "")

    def check_counts(self, counts: Mapping[str, int]) -> None:
        """Refuse a file that has not as much of something as the field of that name promises."""
        for field, found in counts.items():
            promised = self.get(field)
            if promised.isdecimal() and (len(promised) > _DIGITS or int(promised) != found):
                raise InputError(
                    f"the first line says {field}={promised[:_DIGITS]}, the file has {found}",
                    where=self.where,
                    fix=f"{CUT_OFF}, or mend the first line",
                )


def check_names(names: Iterable[str]) -> None:
    """Refuse what would not be one field when it is read again."""
    for name in names:
        if not FIELD.fullmatch(name):
            raise InputError(
                f"{name!r} cannot be written: it is empty or holds white space",
                fix="rename it in the treebank",
            )


def write_lines(lines: Iterable[str], path: str | os.PathLike[str]) -> None:
    """Write a file, gzipped where the name ends in .gz."""
    target = Path(path)
    content = "".join(f"{line}\n" for line in lines).encode()
    if target.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # no time stamp: the same grammar gives the same bytes
    partial = target.with_name(target.name + ".partial")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    except OSError as problem:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise InputError(
            f"cannot write: {problem.strerror}", where=str(target), fix="free space or another place"
        ) from problem


@contextlib.contextmanager
def placed(where: str) -> Iterator[None]:
    """Faults found in here are faults of the file."""
    try:
        yield
    except InputError as error:
        raise InputError(error.what, where=where, fix=error.fix) from None


def log_weight(text: str, where: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        raise InputError(f"{text!r} is no weight", where=where, fix="a natural log, such as -2.3") from None
    if not (weight == -math.inf or -LEAST <= weight <= TOLERANCE):
        raise InputError(
            f"the weight {text} is not the log of a probability",
            where=where,
            fix="weights are natural logs: at most 0, and never NaN",
        )
    return weight


def put(rules: dict[_K, _V], key: _K, value: _V, line: str, where: str) -> None:
    if key in rules:
        raise InputError(
            f"duplicate rule: {line.strip()[:60]}",
            where=where,
            fix="keep one of them, or add their probabilities",
        )
    rules[key] = value
