"""Parameters: what EVALB counts, ignores and holds equal; built in (COLLINS) or read from a .prm file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from secateur.errors import InputError

# The usual tags of punctuation; whether they are ignored is part of every protocol line.
PUNCTUATION = frozenset({",", ":", "``", "''", "."})


@dataclass(frozen=True, slots=True)
class Parameters:
    """The settings of one EVALB run, in the words of its parameter files."""

    name: str = "no parameter file"  # as the protocol line shall call them
    delete_labels: frozenset[str] = frozenset()  # tags whose words, and phrases whose brackets, do not count
    delete_for_length: frozenset[str] = frozenset()  # tags whose words do not add to the length
    equal_labels: frozenset[tuple[str, str]] = frozenset()  # pairs, read both ways, not transitive
    equal_words: frozenset[tuple[str, str]] = frozenset()  # pairs, read both ways, not transitive
    quote_labels: frozenset[str] = frozenset()  # tags of quotes that one side may have deleted by mistake
    labelled: bool = True
    cutoff: int = 40  # the second summary is of sentences up to this length
    max_error: int = 10  # the plain program gives up beyond this many errors
    by_gold_tags: bool = False  # which words do not count the gold tree's tags say for both trees
    root: bool = True  # an outer bracket named "", ROOT, VROOT or S1 is taken for TOP; the plain program: off

    def protocol(self, lengths: str = "all lengths") -> str:
        """One line that says how a number was computed."""
        ignored = PUNCTUATION & self.delete_labels
        some = "" if ignored in (PUNCTUATION, frozenset()) else "partly "
        gold_tags = " by gold tags" if self.by_gold_tags and ignored else ""
        parts = [
            f"EVALB {self.name}",
            "labelled" if self.labelled else "unlabelled",
            f"punctuation {some}{'ignored' if ignored else 'counted'}{gold_tags}",
            "outer ROOT, VROOT, S1 or no label as TOP" if self.root else "outer labels as they are",
            lengths,
        ]
        return ", ".join(parts)


COLLINS = Parameters(
    name="COLLINS.prm",
    delete_labels=frozenset({"TOP", "-NONE-", ",", ":", "``", "''", "."}),
    delete_for_length=frozenset({"-NONE-"}),
    equal_labels=frozenset({("ADVP", "PRT")}),
)


def read_parameters(source: str | PathLike[str] | Iterable[str], *, name: str = "") -> Parameters:
    """Parameters from a .prm file, or from its lines; `name` is what to call them (the file's name)."""
    if isinstance(source, (str, PathLike)):
        path = Path(source)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the parameter file cannot be read: {error}", where=str(path)) from None
        return _read(text.splitlines(), str(path), name or path.name)
    return _read(source, "", name or "given parameters")


def _read(lines: Iterable[str], place: str, name: str) -> Parameters:
    found = Parameters(name=name)
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        # A "#" opens a comment only at the start of a line: it is a tag of the Penn Treebank, too.
        if not fields or line.lstrip().startswith("#"):
            continue
        keyword, *values = fields
        try:
            found = _set(found, keyword, values)
        except InputError as error:
            where = f"{place}:{number}" if place else f"line {number}"
            raise InputError(error.what, where=where, fix=error.fix) from None
    return found


def _set(found: Parameters, keyword: str, values: list[str]) -> Parameters:
    setter = _KEYWORDS.get(keyword)
    if setter is None:
        raise InputError(f'unknown keyword "{keyword}"', fix=f"known are {', '.join(_KEYWORDS)}")
    wanted = 2 if keyword.startswith("EQ_") else 1
    if len(values) != wanted:
        raise InputError(f"{keyword} has {len(values)} values", fix=f"give it {wanted}")
    return setter(found, values)


def _number(values: list[str]) -> int:
    try:
        return int(values[0])
    except ValueError:
        raise InputError(f'"{values[0]}" is not a whole number') from None


def _debug(found: Parameters, values: list[str]) -> Parameters:
    _number(values)  # how much the plain program prints: of no consequence here, but still a number
    return found


def _discontinuous_only(found: Parameters, values: list[str]) -> Parameters:
    if _number(values):
        raise InputError("DISC_ONLY asks for discontinuous brackets only", fix="EVALB has none: set it to 0")
    return found


def _pair(values: list[str]) -> frozenset[tuple[str, str]]:
    return frozenset({(values[0], values[1])})


_KEYWORDS: dict[str, Callable[[Parameters, list[str]], Parameters]] = {
    "DEBUG": _debug,
    "MAX_ERROR": lambda p, v: replace(p, max_error=_number(v)),
    "CUTOFF_LEN": lambda p, v: replace(p, cutoff=_number(v)),
    "LABELED": lambda p, v: replace(p, labelled=_number(v) != 0),
    "DISC_ONLY": _discontinuous_only,
    "DELETE_LABEL": lambda p, v: replace(p, delete_labels=p.delete_labels | {v[0]}),
    "DELETE_LABEL_FOR_LENGTH": lambda p, v: replace(p, delete_for_length=p.delete_for_length | {v[0]}),
    "QUOTE_LABEL": lambda p, v: replace(p, quote_labels=p.quote_labels | {v[0]}),
    "EQ_LABEL": lambda p, v: replace(p, equal_labels=p.equal_labels | _pair(v)),
    "EQ_WORD": lambda p, v: replace(p, equal_words=p.equal_words | _pair(v)),
}
