"""All derivations of a sentence, one by one, with what every sum and maximum over them can be checked by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from naive.cky import (
    BINARY,
    LEXICAL,
    NEVER,
    UNARY,
    Mask,
    Step,
    allowed,
    entries_of,
    rules_of,
    span_anchor,
    tag_anchor,
)
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors


class Derivation(NamedTuple):
    key: tuple[Any, ...]  # sorts in the total order, the best first
    score: np.float32  # added up as the kernels do
    log: float  # the same in float64, from the grammar's float64 weights
    steps: tuple[Step, ...]  # parents first, left to right


class Forest:
    """The derivations of a sentence, and how many there are (known before they are listed)."""

    def __init__(
        self,
        grammar: PCFG,
        words: npt.NDArray[np.uint32],
        mask: Mask | None = None,
        anchors: Anchors = NO_ANCHORS,
    ) -> None:
        self.grammar, self.words, self.mask, self.anchors = grammar, words, mask, anchors
        self.binary, self.unary = rules_of(grammar)
        self.nodes = cache(self._nodes)
        self.bases = cache(self._bases)
        self.count = cache(self._count)

    def derivations(self) -> list[Derivation]:
        """Of the whole sentence, best first."""
        start = self.grammar.symbols.index(self.grammar.start)
        return sorted(self.nodes(0, len(self.words), start))

    def size(self) -> int:
        """An upper bound of their number."""
        return int(self.count(0, len(self.words), self.grammar.symbols.index(self.grammar.start), True))

    def _nodes(self, i: int, k: int, x: int) -> list[Derivation]:
        found = []
        for below in self.bases(i, k, x):
            found.append(below._replace(key=(-below.score, 0, -1, below.key)))
        for u, (parent, child, weight) in enumerate(self.unary):
            if parent == x:
                anchor = span_anchor(self.anchors, i, k, x)
                exact = float(self.grammar.unary.weight[u]) + float(anchor)
                for below in self.bases(i, k, child):
                    score = np.float32(np.float32(below.score + weight) + anchor)
                    steps = ((UNARY, x, i, k, u), *below.steps)
                    found.append(Derivation((-score, 1, u, below.key), score, below.log + exact, steps))
        return [d for d in found if d.score > NEVER]

    def _bases(self, i: int, k: int, x: int) -> list[Derivation]:
        if not allowed(self.mask, i, k, len(self.words)):
            return []
        found = list(self._lexical(i, x)) if k == i + 1 else list(self._binaries(i, k, x))
        return [d for d in found if d.score > NEVER]

    def _lexical(self, i: int, x: int) -> Iterator[Derivation]:
        word = int(self.words[i])
        lexicon = self.grammar.lexicon
        for e, (tag, weight) in enumerate(entries_of(self.grammar, word), int(lexicon.ptr[word])):
            if tag == x:
                anchor = tag_anchor(self.anchors, i, x)
                exact = float(lexicon.weight[e]) + float(anchor)
                yield Derivation((), np.float32(weight + anchor), exact, ((LEXICAL, x, i, i + 1, -1),))

    def _binaries(self, i: int, k: int, x: int) -> Iterator[Derivation]:
        anchor = span_anchor(self.anchors, i, k, x)
        for r, (parent, y, z, weight) in enumerate(self.binary):
            if parent != x:
                continue
            exact = float(self.grammar.binary.weight[r]) + float(anchor)
            for j in range(i + 1, k):
                for left in self.nodes(i, j, y):
                    for right in self.nodes(j, k, z):
                        inner = np.float32(left.score + right.score)
                        score = np.float32(np.float32(inner + weight) + anchor)
                        key = (-score, r, -inner, j, left.key, right.key)
                        steps = ((BINARY, x, i, k, r), *left.steps, *right.steps)
                        yield Derivation(key, score, left.log + right.log + exact, steps)

    def _count(self, i: int, k: int, x: int, whole: bool) -> int:
        if whole:
            below = [child for parent, child, _ in self.unary if parent == x]
            return sum(self.count(i, k, y, False) for y in (x, *below))
        if k == i + 1:
            return len(list(self._lexical(i, x)))
        return sum(
            self.count(i, j, y, True) * self.count(j, k, z, True)
            for parent, y, z, _ in self.binary
            if parent == x
            for j in range(i + 1, k)
        )


def log_total(derivations: list[Derivation]) -> float:
    """log of the sum of all probabilities."""
    highest = max(d.log for d in derivations)
    return highest + math.log(math.fsum(math.exp(d.log - highest) for d in derivations))


def is_made(label: str) -> bool:
    """@X (but not the tag @) and X|<A-B> are names that binarization gives."""
    return (label.startswith("@") and label != "@") or "|<" in label


def treebank_label(label: str) -> str:
    """NP^<S> is an NP."""
    return label.split("^<")[0]


def nodes_of(grammar: PCFG, steps: tuple[Step, ...]) -> Counter[tuple[str | None, int, int]]:
    """The nodes of a derivation as (label, i, k); a made symbol's label is None."""
    tags = {int(t) for t in grammar.lexicon.tag}
    found: Counter[tuple[str | None, int, int]] = Counter()
    for kind, x, i, k, rule in steps:
        name = grammar.symbols[x]
        label = name if x in tags else None if is_made(name) else treebank_label(name)
        found[label, i, k] += 1
        for passed in grammar.unary.path[rule] if kind == UNARY else ():
            if not is_made(passed):
                found[treebank_label(passed), i, k] += 1
    return found


def expected_nodes(grammar: PCFG, derivations: list[Derivation]) -> dict[tuple[str | None, int, int], float]:
    """How often each node occurs in a derivation drawn with its probability."""
    total = log_total(derivations)
    found: Counter[tuple[str | None, int, int]] = Counter()
    for d in derivations:
        for node, times in nodes_of(grammar, d.steps).items():
            found[node] += times * math.exp(d.log - total)  # type: ignore[assignment]
    return dict(found)
