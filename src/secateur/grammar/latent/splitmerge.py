"""Split, estimate, merge, smooth: sub-symbols learned from trees that do not show them.

Each level splits every symbol but the start in two, lets EM tell the halves apart, makes those one again that
gain least, and draws each towards its relatives, so that the rare ones stay sober.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.latent.corpus import Corpus
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.split import tree_em
from secateur.kernels.split.tree_em import Blocks

Floats = npt.NDArray[np.float64]

PORTIONS = 8  # of the trees, each counted by itself: sums are the same for any number of cores


@dataclass(frozen=True, slots=True)
class Schedule:
    """How much of what is done at each level."""

    split_rounds: int = 50  # of EM, after a split,
    merge_rounds: int = 20  # after the merge,
    smooth_rounds: int = 10  # and with smoothing
    merged: float = 0.5  # share of the pairs that become one again
    noise: float = 0.01  # by which two halves differ at first
    smooth_rules: float = 0.03  # what a sub-symbol takes from its relatives ...
    smooth_words: float = 0.1  # ... for its words

    def __post_init__(self) -> None:
        shares = (self.merged, self.noise, self.smooth_rules, self.smooth_words)
        if not all(0.0 <= share < 1.0 for share in shares) or self.noise == 0.0:
            raise InputError(f"shares {shares}", fix="each is from 0 to below 1, and noise above 0")
        if min(self.split_rounds, self.merge_rounds, self.smooth_rounds) < 0:
            raise InputError("a negative number of rounds", fix="give 0 or more")


@dataclass(frozen=True)
class Level:
    """The grammar after a level. `origin[x][a]`: which sub-symbol of the level before x's a-th comes from."""

    blocks: Blocks  # probabilities
    mass: Floats  # [N, K] how often each sub-symbol was expected
    origin: tuple[Ids, ...]
    likelihood: float  # log, of all trees


class Round(NamedTuple):
    """A round of EM, for whoever watches."""

    step: str  # split, merge or smooth
    number: int
    likelihood: float


class SplitMerge:
    """The training trees, and what is done with them."""

    def __init__(
        self,
        corpus: Corpus,
        grammar: PCFG,
        *,
        schedule: Schedule | None = None,
        seed: int = 0,
        jobs: int = 1,
        tell: Callable[[Round], None] = lambda _: None,
    ) -> None:
        self.corpus = corpus
        self.grammar = grammar
        self.schedule = schedule or Schedule()
        self.seed = seed
        self.jobs = jobs
        self.tell = tell
        self._portions: list[Blocks] = []
        number = grammar.number
        self.parents = (
            grammar.binary.parent,
            grammar.unary.parent,
            np.array([number[tag] for tag, _, _ in corpus.entries], np.uint32),
        )

    def pack(self, level: Level) -> dict[str, npt.NDArray[Any]]:
        """A level as arrays, to be kept in a file."""
        origin = np.concatenate([*level.origin, np.zeros(0, np.uint32)])
        numbers = dict(zip(("binary", "unary", "lexical"), level.blocks[2::2], strict=True))
        likelihood = np.array(level.likelihood)
        return {
            "splits": level.blocks.splits,
            **numbers,
            "mass": level.mass,
            "origin": origin,
            "likelihood": likelihood,
        }

    def unpack(self, stored: Mapping[str, npt.NDArray[Any]]) -> Level:
        """The level that `pack` packed."""
        blocks = self._blank(stored["splits"])
        for part, numbers in zip(blocks[2::2], ("binary", "unary", "lexical"), strict=True):
            part[:] = stored[numbers]
        parts = np.split(stored["origin"], np.cumsum(stored["splits"])[:-1])
        origin = tuple(parts) if len(stored["origin"]) else ()
        return Level(blocks, stored["mass"], origin, float(stored["likelihood"]))

    def start(self) -> Level:
        """One sub-symbol each: relative frequencies."""
        splits = np.ones(len(self.grammar.symbols), np.uint32)
        blocks = self._blank(splits)
        for part in (blocks.binary, blocks.unary, blocks.lexical):
            part[:] = 1.0
        # The first round counts, the second tells the likelihood of what was counted.
        return self._estimate(Level(blocks, np.zeros((len(splits), 1)), (), -np.inf), 2)

    def next(self, levels: Sequence[Level]) -> Level:
        """The level after these."""
        schedule = self.schedule
        rng = np.random.default_rng((self.seed, len(levels)))
        level = self._estimate(self._split(levels[-1], rng), schedule.split_rounds, step="split")
        level = self._estimate(self._merge(level), schedule.merge_rounds, step="merge")
        ancestry = [*(before.origin for before in levels[1:]), level.origin]
        return self._estimate(level, schedule.smooth_rounds, step="smooth", ancestry=ancestry)

    def _estimate(
        self,
        level: Level,
        rounds: int,
        *,
        step: str = "start",
        ancestry: Sequence[tuple[Ids, ...]] = (),
    ) -> Level:
        """EM, smoothed where `ancestry` is given. The likelihood is that of the last round's beginning."""
        blocks, mass, likelihood = level.blocks, level.mass, level.likelihood
        for number in range(rounds):
            counts, likelihood, _ = self.expect(blocks)
            blocks = self._blank(blocks.splits)
            mass = tree_em.normalize(counts, *self.parents, blocks)
            if ancestry:
                self._smooth(blocks, ancestry)
            self.tell(Round(step, number, likelihood))
        return Level(blocks, mass, level.origin, likelihood)

    def expect(self, blocks: Blocks, mass: Floats | None = None) -> tuple[Blocks, float, Floats]:
        """Expected counts, log-likelihood, and the losses of merging where `mass` is given.

        The counts are good until this is called again.
        """
        pairs = 0 if mass is None else int(blocks.splits.max()) // 2
        symbols = len(blocks.splits)
        room = self._room(blocks.splits)

        def portion(number: int) -> tuple[Blocks, float, Floats]:
            counts = room[number]
            losses = np.zeros((symbols if pairs else 0, pairs))
            trees = np.arange(number, self.corpus.trees, PORTIONS, dtype=np.uint32)
            used = np.zeros((0, 0)) if mass is None else mass
            # A tree that lies beyond the range of numbers teaches nothing.
            total, _ = tree_em.expect(self.corpus.nodes, trees, blocks, counts, used, losses)
            return counts, total, losses

        with ThreadPoolExecutor(self.jobs) as pool:
            parts = list(pool.map(portion, range(PORTIONS)))
        counts, likelihood, losses = parts[0]
        for more, total, costs in parts[1:]:
            for sum_, part in zip(counts[2::2], more[2::2], strict=True):
                sum_ += part
            likelihood += total
            losses += costs
        return counts, likelihood, losses

    def _room(self, splits: Ids) -> list[Blocks]:
        """Zeros for the counts of each portion, in memory that is kept: to ask for it anew takes time."""
        if not self._portions or not np.array_equal(self._portions[0].splits, splits):
            self._portions = [self._blank(splits) for _ in range(PORTIONS)]
        else:
            for counts in self._portions:
                for part in counts[2::2]:
                    part.fill(0.0)
        return self._portions

    def _blank(self, splits: Ids) -> Blocks:
        """Zeros for all rules."""
        binary, unary = self.grammar.binary, self.grammar.unary
        k = splits.astype(np.uint64)
        sizes = (
            k[binary.parent] * k[binary.left] * k[binary.right],
            k[unary.parent] * k[unary.child],
            k[self.parents[2]],
        )
        parts = []
        for size in sizes:
            ptr = np.concatenate(([0], np.cumsum(size))).astype(np.uint64)
            parts += [ptr, np.zeros(int(ptr[-1]))]
        return Blocks(splits, *parts)

    def _split(self, level: Level, rng: np.random.Generator) -> Level:
        """Every sub-symbol but the start's becomes two, which differ by noise alone."""
        start = self.grammar.number[self.grammar.start]
        two = np.full(len(level.blocks.splits), 2, np.uint32)
        two[start] = 1
        blocks = self._blank(level.blocks.splits * two)
        for old, new in zip(self._views(level.blocks), self._views(blocks), strict=True):
            for (symbols, before), (_, after) in zip(old, new, strict=True):
                whole = before
                for axis, x in enumerate(symbols):
                    whole = np.repeat(whole, two[x], axis)
                    # What a parent gave to one child it now gives to two.
                    whole = whole / (two[x] if axis else 1)
                after[...] = whole * (1.0 + self.schedule.noise * (rng.random(whole.shape) - 0.5))
        origin = tuple(
            np.repeat(np.arange(k, dtype=np.uint32), by)
            for k, by in zip(level.blocks.splits.tolist(), two.tolist(), strict=True)
        )
        mass = np.zeros((len(two), int(blocks.splits.max())))
        for x, before in enumerate(origin):
            mass[x, : len(before)] = level.mass[x, before] / two[x]
        return Level(blocks, mass, origin, level.likelihood)

    def _merge(self, level: Level) -> Level:
        """The pairs whose loss is in the lower part become one again."""
        counts, likelihood, losses = self.expect(level.blocks, level.mass)
        splits = level.blocks.splits
        pairs = [(x, p) for x, k in enumerate(splits.tolist()) for p in range(k // 2)]
        order = sorted(pairs, key=lambda pair: (float(losses[pair]), pair))
        gone = set(order[: int(self.schedule.merged * len(order))])
        # Where each group of sub-symbols begins: at every one, but for the second of a merged pair.
        begins = [
            np.array([a for a in range(k) if not (a % 2 and (x, a // 2) in gone)])
            for x, k in enumerate(splits.tolist())
        ]
        summed = self._blank(np.array([len(b) for b in begins], np.uint32))
        for old, new in zip(self._views(counts), self._views(summed), strict=True):
            for (symbols, before), (_, after) in zip(old, new, strict=True):
                for axis, x in enumerate(symbols):
                    before = np.add.reduceat(before, begins[x], axis)
                after[...] = before
        blocks = self._blank(summed.splits)
        mass = tree_em.normalize(summed, *self.parents, blocks)
        origin = tuple(o[b] for o, b in zip(level.origin, begins, strict=True))
        return Level(blocks, mass, origin, likelihood)

    def _smooth(self, blocks: Blocks, ancestry: Sequence[tuple[Ids, ...]]) -> None:
        """Each parent's probabilities with a little of its relatives', those of the same half at level 1."""
        mixes: dict[tuple[int, bool], Floats] = {}
        for kind, views in enumerate(self._views(blocks)):
            words = kind == 2
            for (x, *_), block in views:
                if (x, words) not in mixes:
                    share = self.schedule.smooth_words if words else self.schedule.smooth_rules
                    mixes[x, words] = mixing(branches(ancestry, x), share)
                block[...] = np.tensordot(mixes[x, words], block, 1)
        # What a relative has more of in rules than in words, or has nothing of, is not taken in equal parts.
        tree_em.normalize(blocks, *self.parents, blocks)

    def _views(self, blocks: Blocks) -> Iterator[list[tuple[tuple[int, ...], Floats]]]:
        """Binary rules, unary rules, entries: the symbols of each, parent first, and its block."""
        binary, unary = self.grammar.binary, self.grammar.unary
        k = blocks.splits.tolist()
        for symbols, ptr, flat in (
            ((binary.parent, binary.left, binary.right), blocks.binary_ptr, blocks.binary),
            ((unary.parent, unary.child), blocks.unary_ptr, blocks.unary),
            ((self.parents[2],), blocks.lexical_ptr, blocks.lexical),
        ):
            rows = zip(*(column.tolist() for column in symbols), strict=True)
            yield [
                (row, flat[begin:end].reshape([k[x] for x in row]))
                for row, (begin, end) in zip(rows, pairwise(ptr.tolist()), strict=True)
            ]


def branches(ancestry: Sequence[tuple[Ids, ...]], x: int) -> Ids:
    """For each sub-symbol of x at the last level, which one of level 1 it comes from."""
    found = np.arange(len(ancestry[-1][x]), dtype=np.uint32)
    for origin in reversed(ancestry[1:]):
        found = origin[x][found]
    return found


def mixing(branch: Ids, share: float) -> Floats:
    """[K, K] what each takes from whom: 1 - share from itself, the rest evenly from others of its branch."""
    same = branch[:, None] == branch[None, :]
    others = same.sum(1) - 1
    mix = np.where(same, share / np.maximum(others, 1)[:, None], 0.0)
    np.fill_diagonal(mix, np.where(others > 0, 1.0 - share, 1.0))
    return mix
