"""Run as plain Python the block kernels give the same: this file is the test and the script it runs."""

from __future__ import annotations

import json

import numpy as np
from numba import njit

from secateur.grammar.latent.padded import padded_of
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split import (
    inside as block_inside,
)
from secateur.kernels.split import (
    parse as block_parse,
)
from secateur.kernels.split import (
    posteriors as block_posteriors,
)
from secateur.kernels.split import (
    vectors,
)
from secateur.kernels.split import (
    viterbi as block_viterbi,
)
from without_jit import GRAMMAR, needs_compiled, plain_results, random_blocks, random_words


@njit(cache=False)
def every_operation(a, b):
    """Of two arrays of sixteen: vectors from the middle, and numbers."""
    left, right = vectors.load(a, 3), vectors.load(b, 5)
    made = np.zeros(48, a.dtype)
    vectors.store(made, 1, vectors.add(left, right))
    vectors.store(made, 9, vectors.multiply(left, right))
    vectors.store(made, 17, vectors.larger(left, right))
    vectors.store(made, 25, vectors.multiply_add(left, vectors.spread(a[0]), right))
    made[40] = vectors.highest(left)
    made[41] = vectors.total(right)
    return made


@njit(cache=False)
def powers(numbers):
    """Powers of two and back."""
    found = np.zeros((numbers.shape[0], 2))
    for m in range(numbers.shape[0]):
        found[m, 0] = vectors.two_to(numbers[m])
        if found[m, 0] > 0.0:
            found[m, 1] = vectors.exponent(found[m, 0] * 1.75)
    return found


SPLITS = {"S": 1, "A": 2, "B": 9}


def results() -> dict[str, list[list[float]]]:
    """Best derivations and posteriors, with and without anchors and a mask."""
    grammar = PCFG.from_text(GRAMMAR)
    rng = np.random.default_rng(4)
    exact, rounded = [], []
    for kind in (np.float32, np.float64):
        a, b = rng.normal(size=(2, 16)).astype(kind)
        rounded.append(every_operation(a, b))
    exact.append(powers(np.array([-1100, -1023, -1022, -5, 0, 1, 1023])))
    for n, zeros in ((1, 0.0), (4, 0.2), (5, 0.1), (4, 1.0)):
        words = random_words(grammar, rng, n)
        span, tag = (
            rng.normal(size=(size, len(grammar.symbols))).astype(np.float32) for size in (n * (n + 1) // 2, n)
        )
        padded = padded_of(grammar, random_blocks(grammar, rng, zeros, SPLITS))
        for mask, anchors in (
            (np.ones((n + 1, n + 1), bool), NO_ANCHORS),
            (rng.random((n + 1, n + 1)) < 0.8, Anchors(span, tag)),
        ):
            exact += [np.asarray(x) for x in block_viterbi.viterbi(padded, words, mask, anchors, 1 << 20)[:2]]
            rounded += [
                np.asarray(x) for x in block_viterbi.viterbi(padded, words, mask, anchors, 1 << 20)[3:]
            ]
            scores = block_inside.inside(padded, words, mask, anchors, 1 << 20)
            rounded += [*block_posteriors.outside(padded, scores, anchors)]
            whole = padded, grammar.labels, words, mask, anchors, 1 << 20
            exact.append(np.asarray(block_parse.masked(*whole)[0]))
            rounded += [np.asarray(x) for x in block_posteriors.marginals(*whole) if np.all(np.isfinite(x))]
    return {
        "exact": [part.ravel().tolist() for part in exact],
        "rounded": [part.astype(float).ravel().tolist() for part in rounded],
    }


@needs_compiled
def test_same_results_without_compilation() -> None:
    plain, compiled = plain_results(__file__), results()
    assert plain["exact"] == compiled["exact"]
    assert sum(map(sum, compiled["rounded"])) > 10.0
    for a, b in zip(plain["rounded"][:1], compiled["rounded"][:1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    for a, b in zip(plain["rounded"][1:], compiled["rounded"][1:], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-15)


if __name__ == "__main__":
    print(json.dumps(results()))
