"""Split grammars over whole charts, sub-symbol by sub-symbol, written from the recurrences.

Scores of an item (i, k, x) are a vector over the sub-symbols of x: its base (lexical or binary) and its node
(base, or one unary over a base). `viterbi` is in float32, as the kernel is; `posteriors` are in log space.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from naive.cky import BINARY, LEXICAL, UNARY, Mask, Step, allowed, span_anchor, tag_anchor
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split.tree_em import Blocks

Ids = npt.NDArray[np.uint32]
Logs = npt.NDArray[np.float64]
Span = tuple[int, int]
Item = tuple[int, int, int]  # i, k, symbol
Place = tuple[int, int]  # symbol and sub-symbol


class Split(NamedTuple):
    """Logs of the rules' blocks; impossible ones too."""

    binary: list[tuple[int, int, int, Logs]]  # parent, left, right, [K_x, K_y, K_z]
    unary: list[tuple[int, int, Logs]]  # parent, child, [K_x, K_y]
    lexical: list[list[tuple[int, Logs]]]  # of each word: tag, [K_t]


def split_of(grammar: PCFG, blocks: Blocks) -> Split:
    k = blocks.splits.tolist()

    def logs(ptr: npt.NDArray[np.uint64], flat: Logs, rule: int, *symbols: int) -> Logs:
        with np.errstate(divide="ignore"):
            block: Logs = np.log(flat[int(ptr[rule]) : int(ptr[rule + 1])])
        return block.reshape([k[x] for x in symbols])

    left, right, parent, _ = (column.tolist() for column in grammar.binary)
    child, over, _ = (column.tolist() for column in grammar.unary[:3])
    ptr, tag = grammar.lexicon.ptr.tolist(), grammar.lexicon.tag.tolist()
    return Split(
        [
            (x, y, z, logs(blocks.binary_ptr, blocks.binary, r, x, y, z))
            for r, (x, y, z) in enumerate(zip(parent, left, right, strict=True))
        ],
        [
            (x, y, logs(blocks.unary_ptr, blocks.unary, u, x, y))
            for u, (x, y) in enumerate(zip(over, child, strict=True))
        ],
        [
            [(tag[e], logs(blocks.lexical_ptr, blocks.lexical, e, tag[e])) for e in range(ptr[w], ptr[w + 1])]
            for w in range(len(ptr) - 1)
        ],
    )


class Winner(NamedTuple):
    score: np.float32
    kind: int
    rule: int
    below: tuple[int, ...]  # sub-symbols of the children
    split: int


class Result(NamedTuple):
    score: np.float32
    steps: list[Step]  # parents first, left to right; empty where there is no parse
    subs: list[int]
    pushes: int
    items: int


def possible(block: Logs) -> int:
    return int((block > -np.inf).sum())


def sums(*scores: np.float32) -> np.float32:
    """Rounded after each."""
    total = scores[0]
    for score in scores[1:]:
        total = np.float32(total + score)
    return total


def viterbi(
    grammar: PCFG, blocks: Blocks, words: Ids, mask: Mask | None = None, anchors: Anchors = NO_ANCHORS
) -> Result:
    n, split = len(words), split_of(grammar, blocks)
    base: dict[Span, dict[Place, Winner]] = defaultdict(dict)
    node: dict[Span, dict[Place, Winner]] = defaultdict(dict)
    pushes = 0

    def offer(winners: dict[Place, Winner], place: Place, winner: Winner) -> None:
        """What came first stays on ties."""
        if winner.score > -np.inf and (place not in winners or winner.score > winners[place].score):
            winners[place] = winner

    def holds(winners: dict[Place, Winner], x: int) -> bool:
        return any(symbol == x for symbol, _ in winners)

    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            if not allowed(mask, i, k, n):
                continue
            here = base[i, k]
            if width == 1:
                for x, block in split.lexical[int(words[i])]:
                    pushes += possible(block)
                    for a, weight in enumerate(block.astype(np.float32)):
                        score = sums(weight, tag_anchor(anchors, i, x))
                        offer(here, (x, a), Winner(score, LEXICAL, -1, (), 0))
            for r, (x, y, z, block) in enumerate(split.binary):
                splits = [j for j in range(i + 1, k) if holds(node[i, j], y) and holds(node[j, k], z)]
                pushes += possible(block) * len(splits)
                for b, c in product(*map(range, block.shape[1:])):
                    ways = [
                        (sums(node[i, j][y, b].score, node[j, k][z, c].score), -j)
                        for j in splits
                        if (y, b) in node[i, j] and (z, c) in node[j, k]
                    ]
                    for a, weight in enumerate(block[:, b, c].astype(np.float32)):
                        if ways:
                            inner, j = max(ways)
                            score = sums(inner, weight, span_anchor(anchors, i, k, x))
                            offer(here, (x, a), Winner(score, BINARY, r, (b, c), -j))
            whole = node[i, k] = dict(here)
            for u, (x, y, block) in enumerate(split.unary):
                if holds(here, y):
                    pushes += possible(block)
                for (a, b), weight in np.ndenumerate(block.astype(np.float32)):
                    if (y, b) in here:
                        score = sums(here[y, b].score, weight, span_anchor(anchors, i, k, x))
                        # By order of a, then b: what came first for an a has the smaller b.
                        offer(whole, (x, a), Winner(score, UNARY, u, (b,), 0))
    items = sum(len({x for x, _ in winners}) for winners in node.values())
    start = grammar.symbols.index(grammar.start)
    if (start, 0) not in node[0, n]:
        return Result(np.float32(-np.inf), [], [], pushes, items)

    def unfold(i: int, k: int, x: int, a: int, winner: Winner) -> list[tuple[Step, int]]:
        found: list[tuple[Step, int]] = [((winner.kind, x, i, k, winner.rule), a)]
        if winner.kind == UNARY:
            y, (b,) = split.unary[winner.rule][1], winner.below
            found += unfold(i, k, y, b, base[i, k][y, b])
        elif winner.kind == BINARY:
            _, y, z, _ = split.binary[winner.rule]
            (b, c), j = winner.below, winner.split
            found += unfold(i, j, y, b, node[i, j][y, b]) + unfold(j, k, z, c, node[j, k][z, c])
        return found

    top = node[0, n][start, 0]
    steps = unfold(0, n, start, 0, top)
    return Result(top.score, [step for step, _ in steps], [a for _, a in steps], pushes, items)


class Sums(NamedTuple):
    """Logs of the sentence's probability, and of the posteriors of items that have any."""

    total: float
    base: dict[Item, float]
    node: dict[Item, float]


def add(table: dict[Item, Logs], item: Item, scores: Logs) -> None:
    table[item] = np.logaddexp(table[item], scores) if item in table else scores


def log_sum(scores: Logs, *axes: int) -> Logs:
    found: Logs = np.logaddexp.reduce(scores, axis=axes) if len(axes) == 1 else log_sum(
        np.logaddexp.reduce(scores, axis=axes[0]), *axes[1:]
    )  # fmt: skip
    return found


def posteriors(
    grammar: PCFG, blocks: Blocks, words: Ids, mask: Mask | None = None, anchors: Anchors = NO_ANCHORS
) -> Sums:
    n, split = len(words), split_of(grammar, blocks)
    spans = [(i, i + width) for width in range(1, n + 1) for i in range(n - width + 1)]
    spans = [span for span in spans if allowed(mask, *span, n)]
    base: dict[Item, Logs] = {}
    node: dict[Item, Logs] = {}

    def bonus(i: int, k: int, x: int) -> float:
        return float(span_anchor(anchors, i, k, x))

    def binaries(i: int, k: int) -> list[tuple[int, int, int, int, Logs]]:
        """Rules and splits that have both children: parent, left, right, split, block with the anchor."""
        return [
            (x, y, z, j, block + bonus(i, k, x))
            for x, y, z, block in split.binary
            for j in range(i + 1, k)
            if (i, j, y) in node and (j, k, z) in node
        ]

    for i, k in spans:
        if k == i + 1:
            for x, block in split.lexical[int(words[i])]:
                add(base, (i, k, x), block + float(tag_anchor(anchors, i, x)))
        for x, y, z, j, block in binaries(i, k):
            ways = block + node[i, j, y][None, :, None] + node[j, k, z][None, None, :]
            add(base, (i, k, x), log_sum(ways, 2, 1))
        for x in range(len(grammar.symbols)):
            if (i, k, x) in base:
                add(node, (i, k, x), base[i, k, x])
        for x, y, block in split.unary:
            if (i, k, y) in base:
                add(node, (i, k, x), log_sum(block + bonus(i, k, x) + base[i, k, y][None, :], 1))
    top = (0, n, grammar.symbols.index(grammar.start))
    total = float(node[top][0]) if top in node else -np.inf
    if total == -np.inf:
        return Sums(total, {}, {})
    out_base: dict[Item, Logs] = {}
    out_node: dict[Item, Logs] = {top: np.zeros(1)}
    for i, k in reversed(spans):
        for x, y, block in split.unary:
            if (i, k, x) in out_node and (i, k, y) in base:
                ways = block + bonus(i, k, x) + out_node[i, k, x][:, None]
                add(out_base, (i, k, y), log_sum(ways, 0))
        for x in range(len(grammar.symbols)):
            if (i, k, x) in out_node and (i, k, x) in base:
                add(out_base, (i, k, x), out_node[i, k, x])
        for x, y, z, j, block in binaries(i, k):
            if (i, k, x) in out_base:
                ways = block + out_base[i, k, x][:, None, None]
                add(out_node, (i, j, y), log_sum(ways + node[j, k, z][None, None, :], 2, 0))
                add(out_node, (j, k, z), log_sum(ways + node[i, j, y][None, :, None], 1, 0))

    def products(inside: dict[Item, Logs], outside: dict[Item, Logs]) -> dict[Item, float]:
        found = {
            item: float(log_sum(scores + outside[item], 0)) - total
            for item, scores in inside.items()
            if item in outside
        }
        return {item: log for item, log in found.items() if log > -np.inf}

    return Sums(total, products(base, out_base), products(node, out_node))
