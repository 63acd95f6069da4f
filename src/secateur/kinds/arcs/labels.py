"""Labeller: labels for the arcs of a tree, each by itself, by an averaged perceptron.

What a label is chosen by are patterns, see `features/patterns.py`. The places are h (the head), m (the
modifier), s and n (the children of h before and after m), l and r (the outermost children of m). Values are
the `side` on which m is, the `distance` (side and length), the set of coarse tags `between`, and how many
`children` m has on either side.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain
from typing import ClassVar, NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.features import patterns as rows_of
from secateur.features.patterns import Array, compiled
from secateur.features.tokens import AROUND, ROOT, Token, TokenRows, normal_form, text_keys
from secateur.kernels.perceptron import labeller as kernel
from secateur.kernels.rows import Rows
from secateur.kinds.arcs.rows import ROWS, check_names
from secateur.models.storage import Schema, Spec, check_arrays, formed
from secateur.treebanks.dependency_tree import NO_LABEL, DependencyTree, find_fault

EPOCHS = 8
MARGIN = 48  # by which the true label must be ahead
OFTEN = 10  # a pair of coarse tags seen so often has only the labels it was seen with

VIEWS: dict[str, Callable[[Token], str]] = {
    "coarse": lambda token: token.coarse,
    "tag": lambda token: token.tag,
    "word": lambda token: normal_form(token.word).lower(),
    "prefix": lambda token: normal_form(token.word)[:4].lower(),
    "suffix": lambda token: normal_form(token.word)[-3:].lower(),
}
_PLACES = "hmsnlr"
_VALUES = ("side", "distance", "between", "children")

PATTERNS = (
    "tag[m] side",
    "tag[h] side",
    "word[m] side",
    "word[h] side",
    "word[m] tag[m]",
    "suffix[m] side",
    "prefix[m] side",
    "suffix[h] side",
    "tag[h] tag[m] side",
    "coarse[h] coarse[m] distance",
    "tag[h] tag[m] distance",
    "word[h] coarse[m] side",
    "word[h] tag[m] side",
    "coarse[h] word[m] side",
    "tag[h] word[m] side",
    "word[h] word[m] side",
    "suffix[h] tag[m] side",
    "tag[h] suffix[m] side",
    # Neighbours.
    "tag[h] tag[m] tag[m-1] side",
    "tag[h] tag[m] tag[m+1] side",
    "tag[h] tag[m] tag[h-1] side",
    "tag[h] tag[m] tag[h+1] side",
    "tag[m-1] tag[m] tag[m+1]",
    "word[m-1] tag[m] side",
    "word[m+1] tag[m] side",
    "coarse[h] coarse[m] between side",
    "coarse[m] between side",
    # Children of the modifier.
    "coarse[h] coarse[m] children side",
    "coarse[h] tag[m] tag[l] side",
    "coarse[h] tag[m] tag[r] side",
    "coarse[h] coarse[m] word[l] side",
    "coarse[h] coarse[m] word[r] side",
    "tag[m] tag[l] tag[r] side",
    # Other children of the head.
    "coarse[h] coarse[m] coarse[s] side",
    "coarse[h] coarse[m] coarse[n] side",
    "tag[h] tag[m] coarse[s] coarse[n] side",
    "word[h] coarse[m] coarse[s] coarse[n] side",
    "coarse[h] coarse[m] word[s] side",
    "coarse[h] coarse[m] word[n] side",
)
_COMPILED = compiled(PATTERNS, views=tuple(VIEWS), places=_PLACES, values=_VALUES)


class LabellerSettings(NamedTuple):
    """All of a labeller but its arrays."""

    labels: tuple[str, ...]
    coarse: tuple[str, ...]
    mistakes: tuple[int, ...]


@dataclass(frozen=True)
class Labeller:
    """A trained labeller."""

    form: ClassVar[type[LabellerSettings]] = LabellerSettings
    labels: tuple[str, ...]
    coarse: tuple[str, ...]  # the coarse tags, those of what is no word first; one more stands for all others
    allowed: Array = field(repr=False)  # [coarse + 1, coarse + 1, labels] bool, by head and modifier
    rows: Rows = field(repr=False)
    mistakes: tuple[int, ...] = ()  # in each epoch of training
    schema: ClassVar[Schema] = {"allowed": Spec("?", ("tags+1", "tags+1", "classes")), **ROWS}

    @classmethod
    def train(
        cls,
        trees: Sequence[DependencyTree],
        *,
        seed: int = 0,
        often: int = OFTEN,
        margin: int = MARGIN,
        epochs: int = EPOCHS,
    ) -> Labeller:
        """A labeller that has learned the labels of these trees."""
        _check(trees)
        labels = tuple(sorted(set(chain.from_iterable(tree.labels for tree in trees))))
        if not set(labels) - {NO_LABEL}:
            raise InputError("no labels to learn", fix="give trees with labels, or train without a labeller")
        seen = set(chain.from_iterable(tree.coarse for tree in trees))
        coarse = (*(token.coarse for token in AROUND), *sorted(seen))
        number = {label: c for c, label in enumerate(labels)}
        allowed = _allowed(trees, number, {tag: c for c, tag in enumerate(coarse)}, often)
        table, clock, mistakes = rows_of.empty_table(), 0, []
        untrained = cls(labels, coarse, allowed, rows_of.averaged(table, clock))
        given = untrained._trees(trees, [tree.heads for tree in trees])
        gold = np.zeros(len(given.words), np.int64)
        for a, tree in zip(given.start.tolist(), trees, strict=False):
            first = a + kernel.ROOT + 1
            gold[first : first + len(tree)] = [number[label] for label in tree.labels]
        rng = np.random.default_rng(seed)
        for _ in range(epochs):
            order = rng.permutation(len(trees))
            table, clock, wrong = kernel.train_epoch(
                _COMPILED, table, allowed, given, gold, order, margin, clock
            )
            mistakes.append(int(wrong))
        return cls(labels, coarse, allowed, rows_of.averaged(table, clock), tuple(mistakes))

    def label(self, trees: Sequence[DependencyTree]) -> list[tuple[str, ...]]:
        """A label for every word of each tree."""
        _check(trees)
        return self.label_found(trees, [tree.heads for tree in trees])

    def label_found(
        self, sentences: Sequence[DependencyTree], heads: Sequence[Sequence[int]]
    ) -> list[tuple[str, ...]]:
        """The same where heads were found for sentences, which are trees for certain."""
        if self._by_root is not None:
            top, other = self._by_root
            return [tuple([other if head else top for head in own]) for own in heads]
        given = self._trees(sentences, heads)
        found = np.zeros(len(given.words), np.int64)
        kernel.label(_COMPILED, self.rows, self.allowed, given, found)
        by_place, labels = found.tolist(), self.labels
        starts = [a + kernel.ROOT + 1 for a in given.start.tolist()]
        return [
            tuple([labels[c] for c in by_place[a : a + len(own)]])
            for a, own in zip(starts, heads, strict=False)
        ]

    def settings(self) -> dict[str, object]:
        """All but the arrays, in terms of JSON."""
        return {"labels": list(self.labels), "coarse": list(self.coarse), "mistakes": list(self.mistakes)}

    def arrays(self) -> dict[str, Array]:
        """The arrays to store with the settings."""
        return {"allowed": self.allowed, **rows_of.to_arrays(self.rows)}

    @classmethod
    def sizes(cls, given: LabellerSettings) -> dict[str, int]:
        """What the schema has to know; ValueError where these are no settings of a labeller."""
        check_names(given.labels)
        if given.coarse[: len(AROUND)] != tuple(token.coarse for token in AROUND):
            raise ValueError("no tags of what is no word")
        return {"classes": len(given.labels), "tags": len(given.coarse)}

    @classmethod
    def made(cls, arrays: Mapping[str, Array], given: LabellerSettings) -> Labeller:
        """From arrays as the schema has them."""
        if not arrays["allowed"].any(axis=2).all():
            raise ValueError("a pair of tags without any label")
        rows = rows_of.from_arrays(arrays)
        return cls(given.labels, given.coarse, arrays["allowed"], rows, given.mistakes)

    @classmethod
    def from_arrays(cls, stored: Mapping[str, Array], settings: Mapping[str, object]) -> Labeller:
        """The labeller that was stored; ValueError where the parts do not fit each other."""
        given = formed(settings, cls.form)
        return cls.made(check_arrays(stored, cls.schema, cls.sizes(given)), given)

    def _trees(self, sentences: Sequence[DependencyTree], heads: Sequence[Sequence[int]]) -> kernel.Trees:
        """Sentences with these heads as the kernel has them; every place has keys of its own."""
        rows = self._rows.of([(s.words, s.tags, s.coarse) for s in sentences])
        by_place: list[int] = []
        for own in heads:
            by_place += (0, 0, *own, 0, 0)
        return kernel.Trees(
            np.array([0, *accumulate([len(own) + kernel.AROUND for own in heads])], np.int64),
            np.arange(len(rows), dtype=np.uint32),
            np.array(by_place, np.int64),
            np.ascontiguousarray(rows[:, :-1]),
            rows[:, -1].astype(np.uint32),
        )

    @cached_property
    def _by_root(self) -> tuple[str, str] | None:
        """Labels below the root and elsewhere, where nothing else makes a difference."""
        root = self._coarse[ROOT.coarse]
        others = np.delete(self.allowed, root, axis=0).reshape(-1, len(self.labels))
        groups = [np.unique(rows, axis=0) for rows in (self.allowed[root], others)]
        if any(len(rows) != 1 or rows.sum() != 1 for rows in groups):
            return None
        top, other = (self.labels[int(rows.argmax())] for rows in groups)
        return top, other

    @cached_property
    def _rows(self) -> TokenRows:
        """The keys of tokens under each view, and the numbers of their coarse tags."""
        return TokenRows(self._row)

    @cached_property
    def _coarse(self) -> dict[str, int]:
        return {tag: c for c, tag in enumerate(self.coarse)}

    def _row(self, given: tuple[str, str, str]) -> bytes:
        token = Token(*given)
        texts = [token.word if token in AROUND else view(token) for view in VIEWS.values()]
        coarse = self._coarse.get(token.coarse, len(self.coarse))
        return text_keys.joined(texts) + coarse.to_bytes(8, sys.byteorder)


def _check(trees: Sequence[DependencyTree]) -> None:
    for tree in trees:
        if not tree.is_parsed:
            raise InputError("a sentence without heads has no arcs to label", fix="parse it first")
        fault = find_fault(tree.heads, several_roots=True)
        if fault is not None:
            raise InputError(fault.what, fix=fault.fix)


def _allowed(
    trees: Sequence[DependencyTree], labels: Mapping[str, int], coarse: Mapping[str, int], often: int
) -> Array:
    """Which labels an arc may have, by the coarse tags of head and modifier; all where they are rare.

    Where all arcs from the root have one label, and all others one, rare ones have no choice either.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    root = ROOT.coarse
    for tree in trees:
        above = [tree.coarse[head - 1] if head else root for head in tree.heads]
        counts.update(zip(above, tree.coarse, tree.labels, strict=True))
    size = len(coarse) + 1
    table = np.zeros((size, size, len(labels)), np.int64)
    for (head, modifier, label), count in counts.items():
        table[coarse[head], coarse[modifier], labels[label]] = count
    top, other = table[coarse[root]].any(axis=0), np.delete(table, coarse[root], axis=0).any(axis=(0, 1))
    allowed: Array
    if top.sum() == 1 and other.sum() == 1:
        allowed = np.broadcast_to(other, table.shape).copy()
        allowed[coarse[root]] = top
    else:
        allowed = (table > 0) | (table.sum(axis=2, keepdims=True) < often)
    return allowed
