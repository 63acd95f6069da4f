"""Features of items: a label over a set of positions, in one or more intervals.

The templates of spans (`features.span`) are taken of each interval, as many as the grammar's fan-out allows,
and say which of them it is. The whole item has its label, the sentence's length, how many positions it
covers, how many there are from its first to its last, and a class of those it covers: with the templates of
the 2018 paper, that paper's eight families. Conjoined, all that looks at one end of an interval is there once
more together with the label: what looks at both would take a table of its own for every label.

Scores add up over intervals, so that a sentence needs a table for each component of a label, and an item as
many look-ups as it has components.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.span import Columns, SpanFeatures, text_key
from secateur.grammar.lcfrs.binarize import unmarked
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kernels.cky.features import ON_BOTH, Templates
from secateur.kernels.lcfrs import features as kernel
from secateur.kernels.lcfrs.gate import Gate, gate_of
from secateur.kernels.lcfrs.rules import Rules
from secateur.search.core import Rows

Ints = npt.NDArray[np.int64]
Index = npt.NDArray[np.uint32]
Positions = npt.NDArray[np.uint64]  # [R, 2] p is bit p % 64 of word p // 64
Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]

PAPER = (
    "word[i]",
    "word[k-1]",
    "word[i-1] word[i]",
    "word[k-1] word[k]",
    "word[i] word[k-1]",
    "word[i-1] word[k]",
    "shape[i-1] shape[i]",
    "shape[k-1] shape[k]",
    "shape[i] shape[k-1]",
    "shape[i-1] shape[k]",
)
TEMPLATES = ("bias", "width", "word[i-1]", "word[k]", *PAPER)


@dataclass(frozen=True)
class ItemFeatures:
    """Templates over intervals, and what kinds of items there are: those of one label and fan-out."""

    spans: SpanFeatures
    labels: tuple[str, ...]  # [N] of a grammar's symbols
    fanout: tuple[int, ...]  # [N]
    conjoined: bool = True
    labelled: bool = True  # else items of one fan-out are one kind

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.fanout) or not self.labels:
            raise InputError(f"{len(self.labels)} labels, {len(self.fanout)} fan-outs", fix="give as many")

    @classmethod
    def of_grammar(
        cls, grammar: PLCFRS, spans: SpanFeatures, *, conjoined: bool = True, labelled: bool = True
    ) -> ItemFeatures:
        """With the labels that trees show, those of made symbols apart."""
        shown = zip(grammar.symbols, grammar.plain, grammar.made.tolist(), strict=True)
        labels = tuple(f"{plain}|" if made else unmarked(plain) for _, plain, made in shown)
        return cls(spans, labels, tuple(grammar.fanout.tolist()), conjoined, labelled)

    @property
    def dim(self) -> int:
        return self.spans.dim

    def columns(self, words: Sequence[str]) -> Columns:
        """What is to be known of a sentence."""
        return self.spans.columns(words)

    @cached_property
    def _templates(self) -> Templates:
        compiled: Templates = self.spans.compiled._replace(mask=kernel.ALL)
        return compiled

    @cached_property
    def kinds(self) -> Kinds:
        return Kinds.of(self.labels if self.labelled else ("",) * len(self.labels), self.fanout)

    def kind_of(self, symbol: Ints, parts: Ints) -> Ints:
        """[R] the kinds of items of these symbols (-1 where none is said), of so many components."""
        kinds = self.kinds
        if not self.labelled:
            return kinds.by_fanout[parts]
        if (symbol < 0).any():
            raise ValueError("items without a symbol, but features of labels")
        return kinds.of_symbol[symbol]

    def gate(self, columns: Columns, weights: Weights, rules: Rules) -> Gate:
        """What a linear policy keeps."""
        kinds, mask, n = self.kinds, self.dim - 1, columns.shape[1] - 2
        interval = kernel.interval_scores(self._templates, columns, kinds.shared, weights, mask, True)
        interval = interval[kinds.part]
        if self.conjoined:
            interval += kernel.interval_scores(self._templates, columns, kinds.own, weights, mask, False)
        size, length = kernel.item_scores(n, np.zeros(1, np.uint32), weights, mask, False)
        own = kernel.item_scores(n, kinds.salt, weights, mask, not self.conjoined)
        of_symbol = kinds.of_symbol
        return gate_of(
            rules,
            kinds.first[of_symbol].astype(np.uint32),
            interval,
            (size + own[0])[of_symbol],
            (length + own[1])[of_symbol],
        )

    def rows(self, columns: Columns, symbol: Ints, positions: Positions) -> Rows:
        """The features of items [R]; -1 for no symbol in particular. Bucket 0, worth 0, stands for components
        that are not there."""
        kinds = self.kinds
        bound, parts = kernel.bounds_of(positions)
        kind = self.kind_of(symbol, parts)
        hashes = kernel.interval_hashes(self._templates, columns)
        found = kernel.item_rows(
            hashes,
            self._ends,
            bound,
            parts,
            kinds.shared,
            kinds.own,
            kinds.first[kind],
            kinds.salt[kind],
            self.dim - 1,
            self.conjoined,
        )
        if (parts == len(kinds.shared)).all():
            return Rows(found)
        return Rows(found, (found != 0).astype(np.float32))

    @cached_property
    def _ends(self) -> Ints:
        """The templates that look at one end of an interval, or at its width."""
        return np.flatnonzero(self._templates.depends != ON_BOTH)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the columns of `rows` are, for people."""
        parts, templates = range(1, len(self.kinds.shared) + 1), self.spans.templates
        spans = [f"{template} of component {part}" for part in parts for template in templates]
        whole = ("bias", "length of the sentence", "positions covered", "from first to last", "width class")
        shared, own = (*spans, *whole), "with the label"
        if not self.conjoined:
            return (*shared, f"bias, {own}")
        ends = (f"{templates[t]} of component {part}, {own}" for part in parts for t in self._ends)
        return (*spans, *ends, *whole, *(f"{name}, {own}" for name in whole))

    @cached_property
    def bias(self) -> int:
        """The bucket of the feature that every item has."""
        return int(kernel.bias_bucket(self.dim - 1))


@dataclass(frozen=True)
class Kinds:
    """Kinds of items, each with a salt, and a slot with a salt for each of its components."""

    of_symbol: Ints  # [N]
    by_fanout: Ints  # [F+1] some kind of that fan-out, -1 for none
    salt: Index  # [K]
    first: Ints  # [K] the slot of its first component
    own: Index  # [slots] salts
    part: Ints  # [slots] which component it is
    shared: Index  # [F] salts of components, whatever the kind

    @classmethod
    def of(cls, labels: Sequence[str], fanout: Sequence[int]) -> Kinds:
        names = sorted(set(zip(labels, fanout, strict=True)))
        number = {name: k for k, name in enumerate(names)}
        sizes = np.array([size for _, size in names])
        most = int(sizes.max())
        by_fanout = np.full(most + 1, -1)
        by_fanout[sizes] = np.arange(len(names))
        parts = [(f"{label}\n{size}", part) for label, size in names for part in range(size)]
        return cls(
            np.array([number[name] for name in zip(labels, fanout, strict=True)]),
            by_fanout,
            np.array([text_key(f"{label}\n{size}") for label, size in names], np.uint32),
            np.cumsum(sizes) - sizes,
            np.array([text_key(f"{name}\n{part}") for name, part in parts], np.uint32),
            np.array([part for _, part in parts]),
            np.array([text_key(f"\n{part}") for part in range(most)], np.uint32),
        )
