"""Features of dependency arcs: patterns in words, made ready for the kernel.

A pattern is a text of atoms. `tag[h]` is the view `tag` of the head, `tag[m]` that of the modifier; their
neighbours are h-1, h+1, m-1, m+1. In the second order s is the child of h next to m on the side of h.
`tag[b]` stands for each word between the two ends (h and m; s and m in the second order), `coarse{b}` for
the set of their coarse tags, `verbs` and `points` for how many of them are verbs or punctuation; `bias` is
there always. Each pattern gives two templates: itself, and itself with the direction and length of the arc.
A view is a function from a token to a text:

    features = ArcFeatures(views={"shape": lambda token: shape(token.word)},
                           patterns=(*first_order(), "shape[h] shape[m]"))
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

import numpy as np

from secateur.errors import InputError
from secateur.features.arc_templates import first_order, second_order
from secateur.features.patterns import key_of
from secateur.features.tokens import AROUND, Token, TokenRows, normal_form, text_keys
from secateur.kernels.arcs import features as kernel

View = Callable[[Token], str]
_Atoms = tuple[tuple[int, int], ...]  # view and offset of each

VERB, POINT = 1, 2  # the flags of a token, behind its keys
_PREFIX, _SUFFIX = 5, 3
_ATOM = re.compile(r"(\w+)\[([hmsb])([+-]1)?\]")
_SUMMARIES = {"coarse{b}": kernel.TAG_SET, "verbs": kernel.VERBS, "points": kernel.POINTS}
_PARTS = {"h": kernel.HEAD, "m": kernel.MODIFIER, "s": kernel.SIBLING, "b": kernel.BETWEEN}
_VERBS = ("VERB", "AUX", "VB", "V", "MD")
_POINTS = ("PUNCT", ".", ",", ":", "``", "''", "-L", "-R", "-LRB-", "-RRB-")


def _word(token: Token) -> str:
    return normal_form(token.word)


def _prefix(token: Token) -> str:
    return normal_form(token.word)[:_PREFIX]


def _suffix(token: Token) -> str:
    return normal_form(token.word)[-_SUFFIX:]


# Functions with names: features are sent to other processes.
VIEWS: dict[str, View] = {
    "word": _word,
    "prefix": _prefix,
    "suffix": _suffix,
    "tag": attrgetter("tag"),
    "coarse": attrgetter("coarse"),
}


@dataclass(frozen=True)
class ArcFeatures:
    """Patterns over arcs, first order before second."""

    patterns: tuple[str, ...] = field(default_factory=first_order)
    siblings: tuple[str, ...] = field(default_factory=second_order)
    views: Mapping[str, View] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for texts, siblings in ((self.patterns, False), (self.siblings, True)):
            for text in texts:
                _check_pattern(text, siblings=siblings)

    @cached_property
    def view_names(self) -> tuple[str, ...]:
        """The views that patterns use, the coarse tag first."""
        used = [name for text in (*self.patterns, *self.siblings) for name, *_ in _ATOM.findall(text)]
        names = tuple(dict.fromkeys(["coarse", *used]))
        for name in names:
            if name not in VIEWS and name not in self.views:
                raise InputError(
                    f"a pattern uses the view {name!r}, which is not there",
                    fix=f'give views={{"{name}": function from a token to a text}}',
                )
        return names

    @cached_property
    def _used(self) -> tuple[View, ...]:
        """By name, in the same order; one's own before those there are."""
        return tuple(self.views.get(name) or VIEWS[name] for name in self.view_names)

    @cached_property
    def compiled(self) -> kernel.Patterns:
        """The patterns as the kernel has them, those of siblings after the others."""
        parsed = [self._atoms(text) for text in (*self.patterns, *self.siblings)]
        seeds = [*map(key_of, self.patterns), *(key_of(f"siblings: {text}") for text in self.siblings)]
        # What a pattern takes in a role, as texts, is a set that others may have too; the first is empty.
        sets: dict[tuple[int, _Atoms], int] = {(-1, ()): 0}
        shares = np.zeros((len(parsed), 4), np.uint32)
        for number, (atoms, _) in enumerate(parsed):
            for role in range(4):
                own = tuple(sorted((view, offset) for part, view, offset in atoms if part == role))
                if own:
                    shares[number, role] = sets.setdefault((role, own), len(sets))
        flat = [atom for _, atoms in sets for atom in atoms]
        return kernel.Patterns(
            np.array(seeds, np.uint64),
            shares,
            np.array([between for _, between in parsed], np.uint32),
            np.array([key_of(f"role {role}, {self._names(atoms)}") for role, atoms in sets], np.uint64),
            np.cumsum([0, *(len(atoms) for _, atoms in sets)]).astype(np.uint32),
            np.array([view for view, _ in flat], np.uint32),
            np.array([offset for _, offset in flat], np.int64),
        )

    def _names(self, atoms: _Atoms) -> str:
        """Atoms as a text that does not depend on what other patterns there are."""
        return " ".join(f"{self.view_names[view]}{offset:+}" for view, offset in atoms)

    @property
    def templates(self) -> tuple[str, ...]:
        """All templates by name: two for each pattern, in the order of their numbers."""
        return tuple(f"{text}{far}" for text in (*self.patterns, *self.siblings) for far in ("", " distance"))

    @property
    def first(self) -> int:
        """How many templates are of the first order."""
        return 2 * len(self.patterns)

    def group(self, templates: Iterable[int]) -> kernel.Group:
        """Templates to be computed together, both of one pattern at once."""
        wanted: dict[int, int] = {}
        for number in templates:
            pattern, far = divmod(number, 2)
            wanted[pattern] = wanted.get(pattern, 0) | (kernel.FAR if far else kernel.BARE)
        return kernel.Group(np.array(list(wanted), np.uint32), np.array(list(wanted.values()), np.uint32))

    def sentence(self, words: Sequence[str], tags: Sequence[str], coarse: Sequence[str]) -> kernel.Sentence:
        """A sentence as the kernel has it."""
        rows = self.rows.of([(words, tags, coarse)])
        flags = rows[1:-2, -1]
        return kernel.Sentence(
            np.ascontiguousarray(rows[:, :-1].T),
            (flags & VERB).astype(np.bool_),
            (flags & POINT).astype(np.bool_),
        )

    @cached_property
    def rows(self) -> TokenRows:
        """The keys of tokens under each view, and their flags."""
        return TokenRows(self._row)

    def _atoms(self, text: str) -> tuple[list[tuple[int, int, int]], int]:
        """(part, view, offset) of each atom, by part; and what is looked at between."""
        atoms: list[tuple[int, int, int]] = []
        between = kernel.NOTHING
        for word in text.split():
            found = _ATOM.fullmatch(word)
            if found:
                atoms.append((_PARTS[found[2]], self.view_names.index(found[1]), int(found[3] or 0)))
                between = kernel.EACH if found[2] == "b" else between
            else:
                between = _SUMMARIES.get(word, between)
        return sorted(atoms), between

    def _row(self, given: tuple[str, str, str]) -> bytes:
        token = Token(*given)
        if token in AROUND:
            texts = [token.word] * len(self.view_names)
        else:
            texts = [view(token) for view in self._used]
        flags = VERB * (token.coarse in _VERBS) | POINT * (token.coarse in _POINTS)
        return text_keys.joined(texts) + flags.to_bytes(8, sys.byteorder)


_FIX = "write view[h], view[m], view[s] or their neighbours as in view[h-1], view[b], " + ", ".join(
    [*_SUMMARIES, "bias"]
)


def _check_pattern(text: str, *, siblings: bool) -> None:
    """Refuse what is no pattern, whatever views there are."""
    words = text.split()
    if not words:
        raise InputError("a pattern without atoms", fix="leave it out, or write bias")
    between = 0
    for word in words:
        found = _ATOM.fullmatch(word)
        part = found[2] if found else ""
        if (not found and word not in (*_SUMMARIES, "bias")) or (part == "s" and not siblings):
            raise InputError(f"{word!r} in the pattern {text!r} is no atom", fix=_FIX)
        if found and part == "b" and found[3]:
            raise InputError(f"{word!r} in the pattern {text!r} is no atom", fix=_FIX)
        between += part == "b" or word in _SUMMARIES
    if between > 1:
        raise InputError(f"the pattern {text!r} looks twice at what is between", fix="do so once")
