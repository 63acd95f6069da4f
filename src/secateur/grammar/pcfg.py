"""PCFG: symbols, binary and unary rules, a lexicon; scores are natural logs.

Rule ids are positions in the sorted order (left, right, parent) of symbol names, so that the same rules
give the same ids, and hence the same parses, wherever they come from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.lexicon import Lexicon

if TYPE_CHECKING:
    from secateur.kernels.cky.rules import Rules
    from secateur.kernels.cky.unfold import Labels

Ids = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]

# Sums of rounded probabilities may pass 1 by this much before they are called improper.
TOLERANCE = 1e-3


class Binary(NamedTuple):
    """Rules parent -> left right, sorted by (left, right, parent)."""

    left: Ids  # [R]
    right: Ids  # [R]
    parent: Ids  # [R]
    weight: Floats  # [R]


class Unary(NamedTuple):
    """Rules parent -> child, sorted by (child, parent); path: labels passed over on the way, top first."""

    child: Ids  # [U]
    parent: Ids  # [U]
    weight: Floats  # [U]
    path: tuple[tuple[str, ...], ...]  # [U]


def is_intermediate(label: str) -> bool:
    """Whether binarization made this symbol: @X, or X|<A-B>."""
    return (label.startswith("@") and len(label) > 1) or "|<" in label


def plain_label(label: str) -> str:
    """The treebank's own label: without binarization marks and parent annotation (NP^<S> -> NP)."""
    if is_intermediate(label):
        label = label.removeprefix("@").partition("|<")[0]
    return label.partition("^<")[0]


@dataclass(frozen=True, eq=False)
class PCFG:
    """A binarized probabilistic context-free grammar with at most one unary rule per node."""

    symbols: tuple[str, ...]
    start: str
    binary: Binary
    unary: Unary
    lexicon: Lexicon
    notes: dict[str, str]  # how it was made: the fields of the text format's first line

    def __repr__(self) -> str:
        symbols = f"{len(self.symbols):,} symbols from {self.start}"
        rules = f"{len(self.binary.weight):,} binary and {len(self.unary.weight):,} unary rules"
        return f"<PCFG: {symbols}, {rules}, {len(self.lexicon.words):,} words>"

    @classmethod
    def build(
        cls,
        start: str,
        binary: Iterable[tuple[str, str, str, float]],
        unary: Iterable[tuple[str, str, float, tuple[str, ...]]],
        lexical: Iterable[tuple[str, str, float]],
        notes: dict[str, str] | None = None,
    ) -> PCFG:
        """From rules (parent, left, right, weight), (parent, child, weight, path), (tag, word, weight)."""
        binaries, unaries, entries = list(binary), list(unary), list(lexical)
        names = {start}
        for parent, left, right, _ in binaries:
            names.update((parent, left, right))
        for parent, child, _, _ in unaries:
            names.update((parent, child))
        names.update(tag for tag, _, _ in entries)
        symbols = tuple(sorted(names))
        number = {name: s for s, name in enumerate(symbols)}
        _check_start(
            start, {rule[0] for rule in binaries} | {r[0] for r in unaries} | {e[0] for e in entries}
        )
        three = sorted((number[y], number[z], number[x], w) for x, y, z, w in binaries)
        two = sorted((number[y], number[x], w, path) for x, y, w, path in unaries)
        _check_distinct([rule[:3] for rule in three], symbols)
        _check_distinct([rule[:2] for rule in two], symbols)
        _check_distinct(sorted((number[t], w) for t, w, _ in entries), symbols)
        _check_weights(w for *_, w in binaries)
        _check_weights(w for _, _, w, _ in unaries)
        _check_weights(w for _, _, w in entries)
        return cls(
            symbols,
            start,
            Binary(*_columns(three, 3)),
            _unary(two),
            Lexicon.build((word, number[tag], weight) for tag, word, weight in entries),
            dict(notes or {}),
        )

    @cached_property
    def number(self) -> dict[str, int]:
        """Symbol ids by name."""
        return {name: s for s, name in enumerate(self.symbols)}

    @cached_property
    def intermediate(self) -> npt.NDArray[np.bool_]:
        """[N] whether a symbol was made by binarization; tags never are, whatever their names."""
        return np.array([is_intermediate(name) for name in self.symbols], bool) & ~self.tags

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """[N] the treebank's label of each symbol."""
        names = zip(self.unsplit, self.tags, strict=True)
        return tuple(name if tag else plain_label(name) for name, tag in names)

    @cached_property
    def unsplit(self) -> tuple[str, ...]:
        """[N] each symbol, or that which it is a sub-symbol of: NP of NP~3."""
        if "split" not in self.notes:
            return self.symbols
        return tuple(name.rpartition("~")[0] or name for name in self.symbols)

    @cached_property
    def plain_paths(self) -> tuple[tuple[str, ...], ...]:
        """[U] the treebank's labels on the way of each composed unary, top first; made ones dissolve."""
        return tuple(
            tuple(plain_label(label) for label in path if not is_intermediate(label))
            for path in self.unary.path
        )

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """The treebank's labels, which `labels` numbers."""
        made = self.intermediate.tolist()
        names = {name for name, skip in zip(self.plain, made, strict=True) if not skip}
        return tuple(sorted(names.union(*self.plain_paths)))

    @cached_property
    def labels(self) -> Labels:
        """The treebank's labels as the kernels have them."""
        from secateur.kernels.cky.unfold import Labels

        made = len(self.label_names)
        number = {name: c for c, name in enumerate(self.label_names)}
        of = np.array([number.get(name, made) for name in self.plain], np.uint32)
        of[self.intermediate] = made
        sizes = [len(path) for path in self.plain_paths]
        path = [number[label] for path in self.plain_paths for label in path]
        ptr = np.concatenate(([0], np.cumsum(sizes)))
        return Labels(made, of, ptr.astype(np.uint32), np.array(path, np.uint32))

    @cached_property
    def tags(self) -> npt.NDArray[np.bool_]:
        """[N] whether a symbol has lexical entries."""
        return self.lexicon.tagged(len(self.symbols))

    @cached_property
    def rules(self) -> Rules:
        """The grammar as the kernels see it."""
        from secateur.kernels.cky.rules import build_rules

        lexicon = self.lexicon
        return build_rules(
            len(self.symbols),
            self.number[self.start],
            self.binary,
            self.unary[:3],
            (lexicon.ptr, lexicon.tag, lexicon.weight),
        )

    def mass(self) -> Floats:
        """[N] the total probability of each symbol's rules; 1 where the grammar is proper."""
        total = np.zeros(len(self.symbols))
        for parents, weights in (
            (self.binary.parent, self.binary.weight),
            (self.unary.parent, self.unary.weight),
            (self.lexicon.tag, self.lexicon.weight),
        ):
            np.add.at(total, parents, np.exp(weights))
        return total

    def improper(self) -> list[tuple[str, float]]:
        """Symbols whose rules sum to more than 1, with the sum; composed unaries may cause it."""
        return [(self.symbols[s], float(m)) for s, m in enumerate(self.mass()) if m > 1 + TOLERANCE]

    @classmethod
    def from_text(cls, text: str, *, start: str | None = None) -> PCFG:
        """From hand-written rules with probabilities; see secateur.grammar.handwritten."""
        from secateur.grammar.handwritten import read

        return read(text, start=start)


def _columns(rows: Sequence[tuple[float, ...]], ids: int) -> list[Any]:
    """Rows of ids and a weight as arrays, one a column."""
    columns = list(zip(*rows, strict=True)) or [()] * (ids + 1)
    return [np.array(c, np.uint32) for c in columns[:ids]] + [np.array(columns[ids], np.float64)]


def _unary(rows: list[tuple[int, int, float, tuple[str, ...]]]) -> Unary:
    child, parent, weight = _columns([row[:3] for row in rows], 2)
    return Unary(child, parent, weight, tuple(row[3] for row in rows))


def _check_start(start: str, parents: set[str]) -> None:
    if start not in parents:
        raise InputError(
            f"unknown start symbol {start!r}: no rule expands it",
            fix="name a symbol that has rules, for example " + ", ".join(sorted(parents)[:3]),
        )


def _check_distinct(keys: Sequence[tuple[int | str, ...]], symbols: tuple[str, ...]) -> None:
    for before, after in pairwise(keys):
        if before == after:
            names = " ".join(symbols[k] if isinstance(k, int) else k for k in after)
            raise InputError(f"duplicate rule: {names}", fix="keep one of them, or add their probabilities")


def _check_weights(weights: Iterable[float]) -> None:
    for weight in weights:
        if math.isnan(weight) or weight > TOLERANCE:
            raise InputError(
                f"a rule's log weight is {weight}",
                fix="weights are natural logs of probabilities: at most 0, and never NaN",
            )
