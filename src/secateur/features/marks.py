"""Patterns of punctuation within a span, and those that tell most about whether it is a constituent.

The pattern of a span is what is left when every run of words without punctuation becomes one `word`, each
mark staying what it is: `word , word`. A logistic regression is fitted to all spans of a treebank but single
words and whole sentences, from their patterns alone (so did Liang, Daume III and Klein, 2008, among much
else); constituents are the nodes of binarized trees, as these are what a parser has to build.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from secateur.grammar.binarize import Binarization
from secateur.grammar.unaries import chains
from secateur.search.core import Rows
from secateur.search.linear import REGULARIZER, Matrix, logistic_regression
from secateur.treebanks.punctuation import is_punctuation
from secateur.treebanks.tree import Tree

Pattern = tuple[str, ...]
Places = npt.NDArray[np.int64]  # [M, 5] pattern; where the spans that have it begin, from and to; and end

RUN = "word"
LONGEST = 7  # patterns of more signs than that are too rare to learn from
_BRACKETS = frozenset(("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"))


def is_mark(word: str) -> bool:
    """Whether a word is punctuation, by itself: nobody has tags yet."""
    return word in _BRACKETS or is_punctuation("", word)


def runs_of(words: Sequence[str]) -> tuple[list[str], list[int]]:
    """The pattern of a whole sentence, and where each of its signs begins, with the sentence's end."""
    signs: list[str] = []
    begins: list[int] = []
    for position, word in enumerate(words):
        sign = word if is_mark(word) else RUN
        if sign != RUN or signs[-1:] != [RUN]:
            signs.append(sign)
            begins.append(position)
    return signs, [*begins, len(words)]


def places_of(patterns: Sequence[Pattern], words: Sequence[str]) -> Places:
    """The spans of a sentence that have one of the patterns, as rectangles of first and last positions.

    Where first and last word are in one run, spans that end before they begin are among them: there are none.
    """
    signs, begins = runs_of(words)
    found = [
        (number, begins[p], begins[p + 1], begins[q] + 1, begins[q + 1] + 1)
        for number, pattern in enumerate(patterns)
        for p, q in ((p, p + len(pattern) - 1) for p in range(len(signs) - len(pattern) + 1))
        if tuple(signs[p : q + 1]) == pattern
    ]
    return np.array(found, np.int64).reshape(-1, 5)


def strongest(
    trees: Iterable[Tree], binarization: Binarization, *, positive: int, negative: int
) -> tuple[Pattern, ...]:
    """So many patterns that speak most for a constituent, then so many that speak most against one."""
    weights = pattern_weights(trees, binarization)
    ranked = sorted(weights, key=lambda pattern: (-weights[pattern], pattern))
    above = [pattern for pattern in ranked if weights[pattern] > 0.0][:positive]
    below = [pattern for pattern in ranked[::-1] if weights[pattern] < 0.0][:negative]
    return (*above, *below)


def pattern_weights(trees: Iterable[Tree], binarization: Binarization) -> dict[Pattern, float]:
    """What each pattern adds to the log odds of a constituent."""
    spans: Counter[Pattern] = Counter()
    right: Counter[Pattern] = Counter()
    for tree in trees:
        words = tree.words()
        signs, begins = runs_of(words)
        _count(signs, begins, spans)
        run_of = [p for p in range(len(signs)) for _ in range(begins[p], begins[p + 1])]
        for i, k in {(i, k) for _, i, k in chains(binarization(tree)) if 1 < k - i < len(words)}:
            pattern = tuple(signs[run_of[i] : run_of[k - 1] + 1])
            if len(pattern) <= LONGEST:
                right[pattern] += 1
    return _fitted(spans, right)


def _count(signs: Sequence[str], begins: Sequence[int], spans: Counter[Pattern]) -> None:
    """Add the patterns of all spans of a sentence but single words and the whole."""
    n = begins[-1]
    for p in range(len(signs)):
        first = begins[p + 1] - begins[p]
        if first > 1:
            spans[signs[p],] += first * (first - 1) // 2
        for q in range(p + 1, min(p + LONGEST, len(signs))):
            spans[tuple(signs[p : q + 1])] += first * (begins[q + 1] - begins[q])
    if n > 1 and len(signs) <= LONGEST:
        spans[tuple(signs)] -= 1


def _fitted(spans: Counter[Pattern], right: Counter[Pattern]) -> dict[Pattern, float]:
    """By logistic regression; every span weighs the same, and the usual odds are not regularized away."""
    patterns = sorted(pattern for pattern, count in spans.items() if count > 0)
    size = len(patterns)
    bucket = np.zeros((2 * size, 2), np.uint32)  # column 0 is what all spans share
    bucket[:, 1] = np.tile(np.arange(1, size + 1), 2)
    good = np.array([right[pattern] for pattern in patterns], np.float64)
    every = np.array([spans[pattern] for pattern in patterns], np.float64)
    matrix = Matrix.build(Rows(bucket), np.ones(size + 1, np.bool_))
    found = logistic_regression(
        matrix, np.concatenate((good, good - every)), regularizer=REGULARIZER, iterations=1000
    )
    return dict(zip(patterns, found[1:].tolist(), strict=True))
