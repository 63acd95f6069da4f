"""Long sentences: the sets of ends and starts are kept 64 to a machine word."""

from __future__ import annotations

import numpy as np
import pytest

from naive.cky import dense_viterbi
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS

GRAMMAR = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""


@pytest.mark.parametrize("n", [62, 63, 64, 65, 128, 130, 200])
@pytest.mark.parametrize("density", [0.7, 1.0])
def test_score_and_work(n: int, density: float) -> None:
    grammar = PCFG.from_text(GRAMMAR)
    rng = np.random.default_rng(n)
    words = grammar.lexicon.encode([("a", "b")[w] for w in rng.integers(0, 2, n)])
    mask = rng.random((n + 1, n + 1)) < density
    steps, score, pushes, items, complete = cky.viterbi(grammar.rules, words, mask, NO_ANCHORS, 1 << 30)
    assert complete
    assert (score, pushes, items) == dense_viterbi(grammar, words, mask)
    assert score > -np.inf
    check_steps(grammar, steps.tolist(), n)


def check_steps(grammar: PCFG, steps: list[list[int]], n: int) -> None:
    """The steps are a derivation: read from the first on, each opens the span that is next."""
    expected = [(grammar.number[grammar.start], 0, n)]
    binary, unary = grammar.binary, grammar.unary
    for at, (kind, x, i, k, rule) in enumerate(steps):
        assert (x, i, k) == expected.pop()
        if kind == cky.LEXICAL:
            assert k == i + 1
        elif kind == cky.UNARY:
            assert unary.parent[rule] == x
            expected.append((int(unary.child[rule]), i, k))
        else:
            assert binary.parent[rule] == x
            j = steps[at + 1][3]  # the left child comes next
            expected += [(int(binary.right[rule]), j, k), (int(binary.left[rule]), i, j)]
    assert not expected
