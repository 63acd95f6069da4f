"""PLCFRS: like a PCFG, but a symbol may cover several runs of words; scores are natural logs.

A symbol has one fan-out, the number of runs (components) of each of its items. Rule ids are positions in the
order of symbol names: binary rules by (left, right, parent, pattern), unary ones by (child, parent), long
ones by (children, parent, segments). So the same rules give the same ids wherever they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.grammar.lcfrs.patterns import Components, decode, from_segments
from secateur.grammar.lexicon import Lexicon
from secateur.grammar.pcfg import TOLERANCE, Floats, Ids, Unary

if TYPE_CHECKING:
    from secateur.kernels.lcfrs.rules import Rules

__all__ = ["PLCFRS", "Binary", "Long", "Rule", "Unary"]


class Rule(NamedTuple):
    """parent -> children by names; components: which child each segment of the parent is of."""

    parent: str
    children: tuple[str, ...]
    components: Components
    weight: float
    path: tuple[str, ...] = ()  # labels a unary rule passes over, top first


class Binary(NamedTuple):
    """Rules parent -> left right, sorted by (left, right, parent, pattern)."""

    left: Ids  # [R]
    right: Ids  # [R]
    parent: Ids  # [R]
    weight: Floats  # [R]
    pattern: npt.NDArray[np.uint64]  # [R] see secateur.grammar.lcfrs.patterns


class Long(NamedTuple):
    """Rules with three children or more, sorted by (children, parent, segments)."""

    parent: Ids  # [L]
    weight: Floats  # [L]
    ptr: Ids  # [L+1] children of rule r: child[ptr[r]:ptr[r+1]]
    child: Ids  # by first position
    segment_ptr: Ids  # [L+1]
    segment: Ids  # 2 * child + whether a gap follows, in reading order


@dataclass(frozen=True, eq=False)
class PLCFRS:
    """A simple, ordered probabilistic linear context-free rewriting system without empty components."""

    symbols: tuple[str, ...]
    plain: tuple[str, ...]  # [N] the label shown in trees
    made: npt.NDArray[np.bool_]  # [N] whether binarization made it: then it dissolves in trees
    fanout: Ids  # [N]
    start: str
    binary: Binary
    unary: Unary
    long: Long
    lexicon: Lexicon
    notes: dict[str, str]  # how it was made
    chains: bool  # whether unary rules may follow each other on one item; else there is at most one

    def __repr__(self) -> str:
        symbols = f"{len(self.symbols):,} symbols of fan-out {self.fanout.max()} at most from {self.start}"
        counts = [len(rules.weight) for rules in (self.binary, self.unary, self.long)]
        rules = "{:,} binary, {:,} unary and {:,} longer rules".format(*counts)
        return f"<PLCFRS: {symbols}, {rules}, {len(self.lexicon.words):,} words>"

    @classmethod
    def build(
        cls,
        start: str,
        rules: Iterable[Rule],
        lexical: Iterable[tuple[str, str, float]],
        *,
        plain: Mapping[str, str] | None = None,
        made: Iterable[str] = (),
        chains: bool = False,
        notes: Mapping[str, str] | None = None,
    ) -> PLCFRS:
        """From rules and entries (tag, word, weight); symbols are shown by their names but for `plain`."""
        from secateur.grammar.lcfrs.draft import Draft

        draft = Draft()
        for rule in rules:
            draft.rule(rule)
        for tag, word, weight in lexical:
            draft.word(tag, word, weight)
        return draft.grammar(start, plain=plain, made=made, chains=chains, notes=notes)

    @classmethod
    def from_text(cls, text: str, *, start: str | None = None) -> PLCFRS:
        """From hand-written rules with probabilities; see secateur.grammar.lcfrs.handwritten."""
        from secateur.grammar.lcfrs.handwritten import read

        return read(text, start=start)

    def binarized(self) -> PLCFRS:
        """The same derivations with one or two children each; see secateur.grammar.lcfrs.binarized."""
        from secateur.grammar.lcfrs.binarized import binarized

        return binarized(self)

    @cached_property
    def number(self) -> dict[str, int]:
        """Symbol ids by name."""
        return {name: s for s, name in enumerate(self.symbols)}

    @cached_property
    def tags(self) -> npt.NDArray[np.bool_]:
        """[N] whether a symbol has lexical entries."""
        return self.lexicon.tagged(len(self.symbols))

    @cached_property
    def rules(self) -> Rules:
        """The grammar as the kernels see it; longer rules must have been made binary."""
        from secateur.kernels.lcfrs.rules import build_rules

        left, right, parent, weight, pattern = self.binary
        lexicon = self.lexicon
        return build_rules(
            self.number[self.start],
            self.chains,
            self.fanout,
            (left, right, parent, pattern, weight),
            self.unary[:3],
            (lexicon.ptr, lexicon.tag, lexicon.weight),
        )

    def named(self) -> Iterator[Rule]:
        """The rules by names: binary, unary, long; each by rule id."""
        names, fanout = self.symbols, self.fanout.tolist()
        for y, z, x, w, code in zip(*(column.tolist() for column in self.binary), strict=True):
            yield Rule(names[x], (names[y], names[z]), decode(code), w)
        columns = (column.tolist() for column in self.unary[:3])
        for y, x, w, path in zip(*columns, self.unary.path, strict=True):
            yield Rule(names[x], (names[y],), ((0,),) * fanout[y], w, path)
        long = self.long
        child, segment = long.child.tolist(), long.segment.tolist()
        spans = zip(pairwise(long.ptr.tolist()), pairwise(long.segment_ptr.tolist()), strict=True)
        rules = zip(long.parent.tolist(), long.weight.tolist(), spans, strict=True)
        for x, w, ((first, last), (begin, end)) in rules:
            children = tuple(names[y] for y in child[first:last])
            yield Rule(names[x], children, from_segments(segment[begin:end]), w)

    def entries(self) -> Iterator[tuple[str, str, float]]:
        """The lexicon as (tag, word, weight), by words and then by tags."""
        lexicon = self.lexicon
        ptr, tag, weight = lexicon.ptr.tolist(), lexicon.tag.tolist(), lexicon.weight.tolist()
        for w, word in enumerate(lexicon.words):
            for entry in range(ptr[w], ptr[w + 1]):
                yield self.symbols[tag[entry]], word, weight[entry]

    def mass(self) -> Floats:
        """[N] the total probability of each symbol's rules; 1 where the grammar is proper."""
        total = np.zeros(len(self.symbols))
        for rules in (self.binary, self.unary, self.long):
            np.add.at(total, rules.parent, np.exp(rules.weight))
        np.add.at(total, self.lexicon.tag, np.exp(self.lexicon.weight))
        return total

    def improper(self) -> list[tuple[str, float]]:
        """Symbols whose rules sum to more than 1, with the sum."""
        return [(self.symbols[s], float(m)) for s, m in enumerate(self.mass()) if m > 1 + TOLERANCE]
