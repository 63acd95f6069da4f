"""Run as plain Python outside scores are the same: this file is the test and the script it runs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.outside import estimate
from secateur.kernels.cky.rules import NO_ANCHORS
from without_jit import GRAMMAR, assert_same_without_compilation, needs_compiled, random_mask, random_words


def results() -> list[Any]:
    """Of short sentences and longer ones, with all spans and with few."""
    grammar = PCFG.from_text(GRAMMAR)
    rng = np.random.default_rng(4)
    found = []
    for n, density in ((1, 1.0), (5, 0.5), (11, 1.0), (70, 0.05)):
        words = random_words(grammar, rng, n)
        mask = random_mask(rng, n, density)
        best, outside, complete = estimate(grammar.rules, words, mask, NO_ANCHORS, n > 5, 1 << 30)
        assert complete
        found.append([np.where(np.isfinite(part), part, 1.0).tolist() for part in (best, outside)])
    return found


@needs_compiled
def test_same_results_without_compilation() -> None:
    assert_same_without_compilation(__file__, results())


if __name__ == "__main__":
    print(json.dumps(results()))
