"""SplitPCFG: a PCFG whose symbols have sub-symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.latent.padded import padded_of
from secateur.grammar.latent.splitmerge import Level, SplitMerge, branches, mixing
from secateur.grammar.latent.words import Table, WordSmoothing, emissions
from secateur.grammar.lexicon import Lexicon
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.split.tree_em import Blocks

if TYPE_CHECKING:
    from secateur.grammar.latent.ladder import Ladder
    from secateur.kernels.split.blocks import Padded

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SplitPCFG:
    """Rules of `coarse`, whose symbols are not split, each with a block of probabilities for sub-symbols.

    With `others`, a tree's rules are judged by the product of what all of them say (Petrov 2010).
    """

    coarse: PCFG  # the same with all sub-symbols taken together, by how often they are used
    blocks: Blocks
    mass: Floats  # [N, K] how often each sub-symbol is used
    ancestry: tuple[tuple[Ids, ...], ...]  # for each level: which of the level before a sub-symbol comes from
    others: tuple[Blocks, ...] = ()  # of the same rules, split otherwise

    def __repr__(self) -> str:
        sizes = [int(blocks.splits.sum()) for blocks in (self.blocks, *self.others)]
        return f"<SplitPCFG: {' and '.join(f'{size:,}' for size in sizes)} sub-symbols of {self.coarse!r}>"

    # What parsers share: a dial has many ways to parse with one grammar.

    @cached_property
    def alone(self) -> SplitPCFG:
        """Without others."""
        return self.first(1)

    def first(self, count: int) -> SplitPCFG:
        """The product of so many of them."""
        if count > len(self.others):
            return self
        if count not in self._firsts:
            self._firsts[count] = replace(self, others=self.others[: count - 1])
        return self._firsts[count]

    @cached_property
    def _firsts(self) -> dict[int, SplitPCFG]:
        return {}

    @cached_property
    def ladder(self) -> Ladder:
        """The usual one."""
        from secateur.grammar.latent.ladder import ladder

        return ladder(self)

    @cached_property
    def views(self) -> dict[int, SplitPCFG]:
        """Those levels of the hierarchy that were asked for."""
        return {}

    @cached_property
    def padded(self) -> Padded:
        """The grammar as the block kernels see it; a product has none."""
        self.check_single()
        return padded_of(self.coarse, self.blocks)

    def check_single(self) -> None:
        """Refuse a product of grammars."""
        if self.others:
            raise InputError("a product of grammars is no single PCFG", fix="take one of them")

    def flat(self) -> PCFG:
        """The same as a PCFG whose symbols are the sub-symbols, `NP~3`; a product has none."""
        self.check_single()
        coarse, blocks = self.coarse, self.blocks
        names = [
            [f"{name}~{a}" for a in range(k)]
            for name, k in zip(coarse.symbols, blocks.splits.tolist(), strict=True)
        ]
        number = coarse.number
        names[number[coarse.start]] = [coarse.start]
        binary, unary, lexicon = coarse.binary, coarse.unary, coarse.lexicon
        binaries = [
            (names[x][a], names[y][b], names[z][c], float(w))
            for x, y, z, ptr in zip(
                binary.parent.tolist(), binary.left.tolist(), binary.right.tolist(),
                pairwise(blocks.binary_ptr.tolist()), strict=True,
            )
            for (a, b, c), w in _logs(blocks.binary[slice(*ptr)], names, x, y, z)
        ]  # fmt: skip
        unaries = [
            (names[x][a], names[y][b], float(w), path)
            for x, y, path, ptr in zip(
                unary.parent.tolist(), unary.child.tolist(), unary.path,
                pairwise(blocks.unary_ptr.tolist()), strict=True,
            )
            for (a, b), w in _logs(blocks.unary[slice(*ptr)], names, x, y)
        ]  # fmt: skip
        words = _word_of(lexicon)
        lexical = [
            (names[t][a], lexicon.words[w], float(weight))
            for t, w, ptr in zip(
                lexicon.tag.tolist(), words.tolist(), pairwise(blocks.lexical_ptr.tolist()), strict=True
            )
            for (a,), weight in _logs(blocks.lexical[slice(*ptr)], names, t)
        ]
        return PCFG.build(coarse.start, binaries, unaries, lexical, {**coarse.notes, "split": "yes"})


def product(grammars: Sequence[SplitPCFG]) -> SplitPCFG:
    """The product of grammars of the same trees, split from different seeds."""
    first, *rest = grammars
    for other in rest:
        if not _same_rules(first.coarse, other.coarse):
            raise InputError(
                "a product of grammars with different rules", fix="split them from the same trees"
            )
    return replace(
        first, others=tuple(blocks for one in grammars for blocks in (one.blocks, *one.others))[1:]
    )


def _same_rules(a: PCFG, b: PCFG) -> bool:
    same = a.symbols == b.symbols and a.start == b.start and a.lexicon.words == b.lexicon.words
    pairs = zip(
        (*a.binary[:3], *a.unary[:2], a.lexicon.tag, a.lexicon.ptr),
        (*b.binary[:3], *b.unary[:2], b.lexicon.tag, b.lexicon.ptr),
        strict=True,
    )
    return same and a.unary.path == b.unary.path and all(np.array_equal(x, y) for x, y in pairs)


def _logs(flat: Floats, names: Sequence[Sequence[str]], *symbols: int) -> list[tuple[tuple[int, ...], float]]:
    block = flat.reshape([len(names[x]) for x in symbols])
    return [(tuple(where), float(np.log(block[tuple(where)]))) for where in np.argwhere(block > 0).tolist()]


def finish(
    trainer: SplitMerge, levels: Sequence[Level], *, smoothing: WordSmoothing | None = None
) -> SplitPCFG:
    """A grammar to parse with, from the levels up to one: words it has not seen find their class."""
    level, grammar = levels[-1], trainer.grammar
    counts, _, _ = trainer.expect(level.blocks)
    ancestry = tuple(one.origin for one in levels[1:])
    vectors = [counts.lexical[slice(*ptr)] for ptr in pairwise(counts.lexical_ptr.tolist())]
    mass = {name: level.mass[x, : level.blocks.splits[x]] for name, x in grammar.number.items()}
    table = emissions(trainer.corpus.entries, vectors, mass, smoothing or WordSmoothing())
    for tag in sorted({tag for tag, _ in table}) if ancestry else ():
        mix = mixing(branches(ancestry, grammar.number[tag]), trainer.schedule.smooth_words)
        table |= {key: mix @ p for key, p in table.items() if key[0] == tag}
    coarse = _with_words(grammar, table, level)
    lexicon = coarse.lexicon
    parts = [
        table[coarse.symbols[t], lexicon.words[w]]
        for t, w in zip(lexicon.tag.tolist(), _word_of(lexicon).tolist(), strict=True)
    ]
    ptr = np.concatenate(([0], np.cumsum([len(p) for p in parts]))).astype(np.uint64)
    blocks = level.blocks._replace(lexical_ptr=ptr, lexical=np.concatenate(parts))
    return SplitPCFG(coarse, blocks, level.mass, ancestry)


def _with_words(grammar: PCFG, table: Table, level: Level) -> PCFG:
    """The unsplit grammar with the words of a split one, sub-tags weighed by their use."""
    names, binary, unary = grammar.symbols, grammar.binary, grammar.unary
    lexical = []
    for (tag, word), p in table.items():
        used = level.mass[grammar.number[tag], : len(p)]
        lexical.append((tag, word, float(np.log(used @ p / used.sum()))))
    return PCFG.build(
        grammar.start,
        (
            (names[x], names[y], names[z], w)
            for y, z, x, w in zip(*(column.tolist() for column in binary), strict=True)
        ),
        (
            (names[x], names[y], w, path)
            for y, x, w, path in zip(*(c.tolist() for c in unary[:3]), unary.path, strict=True)
        ),
        lexical,
        grammar.notes,
    )


def _word_of(lexicon: Lexicon) -> npt.NDArray[np.int64]:
    """[L] the word of each entry."""
    return np.repeat(np.arange(len(lexicon.words)), np.diff(lexicon.ptr)[: len(lexicon.words)])
