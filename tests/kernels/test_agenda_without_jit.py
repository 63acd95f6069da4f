"""Run as plain Python an agenda gives the same results: this file is the test and the script it runs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.derivation import pops_of
from secateur.kernels.agenda.halting import AFTER, BEFORE, Looks, halted
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.parse import first_parse
from secateur.kernels.agenda.priorities import NO_LIMITS, How, uniform_cost
from secateur.kernels.agenda.run import advance, begin
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from without_jit import GRAMMAR, assert_same_without_compilation, needs_compiled, random_mask


def results() -> list[Any]:
    """Parses of a few sentences: pruned, masked, anchored, in slices, and one without a parse."""
    grammar = PCFG.from_text(GRAMMAR)
    rules, rng, found = grammar.rules, np.random.default_rng(3), []
    joins, symbols = joins_of(rules), len(grammar.symbols)
    for n, how, density, unknown in (
        (1, How(), 1.0, False),
        (6, How(1.0, 0, 2.0), 0.9, False),
        (7, How(np.inf, 1, 1.0), 1.0, False),
        (8, How(2.0, 2, 1.5), 0.9, True),
        (40, How(0.5, 2, 1.5), 0.2, False),
    ):
        words = grammar.lexicon.encode(["ab"[w] for w in rng.integers(0, 2, n)] + ["z"] * unknown)
        n = len(words)
        mask = random_mask(rng, n, density)
        tag, span = rng.normal(size=(n, symbols)), rng.normal(size=(n * (n + 1) // 2, symbols))
        anchors = Anchors(span.astype(np.float32), tag.astype(np.float32)) if n == 7 else NO_ANCHORS
        order = uniform_cost(n, symbols)
        order = order._replace(span=rng.normal(size=order.span.shape))
        if n > 6:
            order = order._replace(dynamic=rng.normal(size=4))
        steps, score, *work = first_parse(rules, joins, words, mask, anchors, order, how, NO_LIMITS)
        found.append([steps.tolist(), float(score), [int(w) for w in work]])
        weights = np.repeat((1.0, -1.0), (BEFORE, AFTER))
        given = (rules, joins, words, mask, anchors, order, how, NO_LIMITS, Looks(first=2.0), weights)
        steps, score, *work = halted(*given)
        found.append([steps.tolist(), float(score), [int(w) for w in work]])
        state = begin(rules, words, mask, anchors, order, how, log=True)
        for _ in range(3):
            status, state = advance(rules, joins, anchors, order, how, NO_LIMITS, state, 20)
            found.append([status, pops_of(state).tolist()])
    return found


@needs_compiled
def test_same_results_without_compilation() -> None:
    assert_same_without_compilation(__file__, results())


if __name__ == "__main__":
    print(json.dumps(results()))
