"""Run as plain Python outside scores are the same: this file is the test and the script it runs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.outside import estimate
from secateur.kernels.cky.rules import NO_ANCHORS
from without_jit import needs_compiled, plain_results

GRAMMAR = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""


def results() -> list[Any]:
    """Of short sentences and longer ones, with all spans and with few."""
    grammar = PCFG.from_text(GRAMMAR)
    rng = np.random.default_rng(4)
    found = []
    for n, density in ((1, 1.0), (5, 0.5), (11, 1.0), (70, 0.05)):
        words = grammar.lexicon.encode([("a", "b")[w] for w in rng.integers(0, 2, n)])
        mask = rng.random((n + 1, n + 1)) < density
        mask[0] = mask[:, n] = True
        best, outside, complete = estimate(grammar.rules, words, mask, NO_ANCHORS, n > 5, 1 << 30)
        assert complete
        found.append([np.where(np.isfinite(part), part, 1.0).tolist() for part in (best, outside)])
    return found


@needs_compiled
def test_same_results_without_compilation() -> None:
    assert plain_results(__file__) == json.loads(json.dumps(results()))


if __name__ == "__main__":
    print(json.dumps(results()))
