"""Expected recall: over the list of all derivations, and in log space for sentences too long to list them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from naive.cky import UNARY, Mask, Step, allowed, entries_of
from naive.enumerate import Derivation
from secateur.grammar.pcfg import PCFG

Floats = npt.NDArray[np.float64]
Node = tuple[int, int, int]  # i, k, symbol


def nodes_of(steps: tuple[Step, ...]) -> Iterator[Node]:
    """The nodes of a derivation; one with a unary rule has the label above it."""
    below = False
    for kind, x, i, k, _ in steps:
        if not below:
            yield i, k, x
        below = kind == UNARY


def flip(mask: Mask, i: int, k: int) -> Mask:
    """The same mask but for one span."""
    flipped = mask.copy()
    flipped[i, k] = not mask[i, k]
    return flipped


def expected_recall(
    derivations: list[Derivation], n: int, mask: Mask, nodes: set[Node], gold_nodes: int
) -> float:
    """Of those derivations of n words, out of all, whose spans the mask keeps."""
    kept = [d for d in derivations if all(allowed(mask, i, k, n) for i, k, _ in nodes_of(d.steps))]
    if not kept or not gold_nodes:
        return 1.0 if kept else 0.0
    highest = max(d.log for d in kept)
    weights = [math.exp(d.log - highest) for d in kept]
    found = [len(nodes & set(nodes_of(d.steps))) for d in kept]
    recalled = math.fsum(w * f for w, f in zip(weights, found, strict=True))
    return recalled / math.fsum(weights) / gold_nodes


def _mixed(labels: int, to: npt.NDArray[np.uint32], logs: Floats, means: Floats) -> tuple[Floats, Floats]:
    """Log totals and means of weighted terms, gathered by label."""
    highest = np.full(labels, -np.inf)
    np.maximum.at(highest, to, logs)
    there = np.isfinite(logs)
    to, logs, means = to[there], logs[there], means[there]
    weights = np.exp(logs - highest[to])
    total, weighted = np.zeros(labels), np.zeros(labels)
    np.add.at(total, to, weights)
    np.add.at(weighted, to, weights * means)
    some = total > 0.0
    total[~some] = 1.0
    return np.where(some, np.log(total) + highest, -np.inf), weighted / total


def long_expected_recall(
    grammar: PCFG, words: npt.NDArray[np.uint32], mask: Mask, nodes: set[Node], gold_nodes: int
) -> float:
    """By the log of the total weight of each (i, k, x) and the expected number of gold nodes within it."""
    n, labels = len(words), len(grammar.symbols)
    left, right, parent, weight = grammar.binary
    child, over, unary_weight = grammar.unary[:3]
    log = np.full((n + 1, n + 1, labels), -np.inf)
    mean = np.zeros((n + 1, n + 1, labels))

    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            if not allowed(mask, i, k, n):
                continue
            if width == 1:
                base, gained = np.full(labels, -np.inf), np.zeros(labels)
                word = int(words[i])
                for e, (x, _) in enumerate(entries_of(grammar, word), int(grammar.lexicon.ptr[word])):
                    base[x] = grammar.lexicon.weight[e]
            else:
                # [splits, rules]
                inner = log[i, i + 1 : k][:, left] + log[i + 1 : k, k][:, right] + weight
                below = mean[i, i + 1 : k][:, left] + mean[i + 1 : k, k][:, right]
                parents = np.tile(parent, width - 1)
                base, gained = _mixed(labels, parents, inner.ravel(), below.ravel())
            to = np.append(np.arange(labels, dtype=np.uint32), over)
            logs = np.concatenate((base, base[child] + unary_weight))
            log[i, k], mean[i, k] = _mixed(labels, to, logs, np.concatenate((gained, gained[child])))
            for x in range(labels):
                mean[i, k, x] += (i, k, x) in nodes
    start = grammar.symbols.index(grammar.start)
    if log[0, n, start] == -np.inf or not gold_nodes:
        return float(log[0, n, start] > -np.inf)
    return float(mean[0, n, start]) / gold_nodes
