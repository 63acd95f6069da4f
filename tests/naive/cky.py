"""Viterbi CKY by dictionaries and loops, written from the definition of a derivation.

A derivation of (i, k, x) is lexical, binary, or one unary rule over a lexical or binary one. `viterbi`
keeps one winner for each; `dense_viterbi` is the same recurrence for long sentences: numpy takes the maximum
over the splits, and only the score and the work are found.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors

LEXICAL, UNARY, BINARY = 0, 1, 2
NEVER = np.float32(-np.inf)

Mask = npt.NDArray[np.bool_]
Step = tuple[int, int, int, int, int]  # kind, symbol, i, k, rule id (-1: lexical)


class Winner(NamedTuple):
    """The best derivation of one kind of a labelled span."""

    score: np.float32
    kind: int
    rule: int
    split: int


class Result(NamedTuple):
    score: np.float32
    steps: list[Step]  # parents first, left to right; empty where there is no parse
    pushes: int
    items: int


def rules_of(
    grammar: PCFG,
) -> tuple[list[tuple[int, int, int, np.float32]], list[tuple[int, int, np.float32]]]:
    """Binary rules (parent, left, right, weight) and unary rules (parent, child, weight), by id."""
    left, right, parent, weight = grammar.binary
    binary = [
        (int(x), int(y), int(z), np.float32(w))
        for x, y, z, w in zip(parent, left, right, weight, strict=True)
    ]
    child, over, weight = grammar.unary[:3]
    unary = [(int(x), int(y), np.float32(w)) for x, y, w in zip(over, child, weight, strict=True)]
    return binary, unary


def entries_of(grammar: PCFG, word: int) -> list[tuple[int, np.float32]]:
    """The tags of a word with their weights."""
    lexicon = grammar.lexicon
    chosen = range(int(lexicon.ptr[word]), int(lexicon.ptr[word + 1]))
    return [(int(lexicon.tag[e]), np.float32(lexicon.weight[e])) for e in chosen]


def cell_of(i: int, k: int) -> int:
    """Spans in order of their end, then of their start: (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    return sum(range(k)) + i


def tag_anchor(anchors: Anchors, i: int, x: int) -> np.float32:
    return np.float32(anchors.tag[i, x]) if anchors.tag.size else np.float32(0.0)


def span_anchor(anchors: Anchors, i: int, k: int, x: int) -> np.float32:
    return np.float32(anchors.span[cell_of(i, k), x]) if anchors.span.size else np.float32(0.0)


def allowed(mask: Mask | None, i: int, k: int, n: int) -> bool:
    return mask is None or k - i == 1 or k - i == n or bool(mask[i, k])


def viterbi(
    grammar: PCFG, words: npt.NDArray[np.uint32], mask: Mask | None = None, anchors: Anchors = NO_ANCHORS
) -> Result:
    n = len(words)
    binary, unary = rules_of(grammar)
    base: dict[tuple[int, int], dict[int, Winner]] = defaultdict(dict)  # lexical and binary derivations
    node: dict[tuple[int, int], dict[int, Winner]] = defaultdict(dict)
    pushes = 0
    spans = [(i, i + width) for width in range(1, n + 1) for i in range(n - width + 1)]
    for i, k in spans:
        if not allowed(mask, i, k, n):
            continue
        here = base[i, k]
        if k == i + 1:
            for x, weight in entries_of(grammar, int(words[i])):
                pushes += 1
                score = np.float32(weight + tag_anchor(anchors, i, x))
                if score > NEVER:
                    here[x] = Winner(score, LEXICAL, -1, 0)
        for r, (x, y, z, weight) in enumerate(binary):
            best_inner, best_split = NEVER, 0
            for j in range(i + 1, k):
                if y in node[i, j] and z in node[j, k]:
                    pushes += 1
                    inner = np.float32(node[i, j][y].score + node[j, k][z].score)
                    if inner > best_inner:  # the smaller split stays on ties
                        best_inner, best_split = inner, j
            score = np.float32(np.float32(best_inner + weight) + span_anchor(anchors, i, k, x))
            if score > NEVER and (x not in here or score > here[x].score):  # the smaller rule id stays
                here[x] = Winner(score, BINARY, r, best_split)
        whole = dict(here)
        for u, (x, y, weight) in enumerate(unary):
            if y in here:
                pushes += 1
                score = np.float32(np.float32(here[y].score + weight) + span_anchor(anchors, i, k, x))
                # What is no unary stays on ties, and so does the smaller unary id.
                if score > NEVER and (x not in whole or score > whole[x].score):
                    whole[x] = Winner(score, UNARY, u, 0)
        node[i, k] = whole
    items = sum(map(len, node.values()))
    start = grammar.symbols.index(grammar.start)
    if start not in node[0, n]:
        return Result(NEVER, [], pushes, items)

    def unfold(i: int, k: int, x: int, winner: Winner) -> list[Step]:
        steps: list[Step] = [(winner.kind, x, i, k, winner.rule)]
        if winner.kind == UNARY:
            y = unary[winner.rule][1]
            steps += unfold(i, k, y, base[i, k][y])
        elif winner.kind == BINARY:
            _, y, z, _ = binary[winner.rule]
            j = winner.split
            steps += unfold(i, j, y, node[i, j][y]) + unfold(j, k, z, node[j, k][z])
        return steps

    top = node[0, n][start]
    return Result(top.score, unfold(0, n, start, top), pushes, items)


def dense_viterbi(
    grammar: PCFG, words: npt.NDArray[np.uint32], mask: Mask | None = None
) -> tuple[np.float32, int, int]:
    """Score, pushes and items."""
    n = len(words)
    binary, unary = rules_of(grammar)
    node = np.full((n + 1, n + 1, len(grammar.symbols)), NEVER, np.float32)
    pushes = 0
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            if not allowed(mask, i, k, n):
                continue
            base = np.full(len(grammar.symbols), NEVER, np.float32)
            if width == 1:
                for x, weight in entries_of(grammar, int(words[i])):
                    base[x] = weight
                    pushes += 1
            for x, y, z, weight in binary if width > 1 else ():
                inner = node[i, i + 1 : k, y] + node[i + 1 : k, k, z]
                pushes += int(np.count_nonzero(inner > NEVER))
                base[x] = max(base[x], inner.max() + weight)
            best = base.copy()
            for x, y, weight in unary:
                if base[y] > NEVER:
                    pushes += 1
                    best[x] = max(best[x], base[y] + weight)
            node[i, k] = best
    start = grammar.symbols.index(grammar.start)
    return node[0, n, start], pushes, int(np.count_nonzero(node > NEVER))
