"""Run as plain Python forests give the same results: this file is the test and the script it runs."""

from __future__ import annotations

import json

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split import forest, forest_scores
from without_jit import GRAMMAR, needs_compiled, plain_results, random_blocks, random_words

SPLITS = {"S": 1, "A": 2, "B": 3}


def results() -> dict[str, list[list[float]]]:
    """Forests as they are and restricted, with scores, posteriors and best derivations."""
    grammar = PCFG.from_text(GRAMMAR)
    rng = np.random.default_rng(4)
    exact, rounded = [], []
    for n, density, zeros in ((1, 1.0, 0.0), (4, 1.0, 0.2), (7, 0.9, 0.1), (5, 0.0, 0.0), (5, 1.0, 1.0)):
        words = random_words(grammar, rng, n)
        chart = cky.fill(grammar.rules, words, np.ones((n + 1, n + 1), bool), NO_ANCHORS, 1 << 20)
        base, node = rng.random((2, len(chart.label))) < density
        made = forest.build(grammar.rules, chart, words, base, node)
        blocks = random_blocks(grammar, rng, zeros, SPLITS)
        span, tag = (
            rng.normal(size=(size, len(grammar.symbols))).astype(np.float32) for size in (n * (n + 1) // 2, n)
        )
        for least, anchors in ((0.01, NO_ANCHORS), (0.0, Anchors(span, tag))):
            scores = forest_scores.inside(made, blocks, anchors)
            found = forest_scores.outside(made, blocks, scores, anchors)
            steps, _ = forest_scores.max_rule(made, found)
            exact += [np.asarray(part) for part in (*made, *scores[2:], steps)]
            rounded += [*scores[:2], *found]
            made = forest.restrict(made, found, least)
    return {
        "exact": [part.ravel().tolist() for part in exact],
        "rounded": [part.ravel().tolist() for part in rounded],
    }


@needs_compiled
def test_same_results_without_compilation() -> None:
    plain, compiled = plain_results(__file__), results()
    assert plain["exact"] == compiled["exact"]
    assert sum(map(sum, compiled["rounded"])) > 10.0
    for a, b in zip(plain["rounded"], compiled["rounded"], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)


if __name__ == "__main__":
    print(json.dumps(results()))
