"""Run as plain Python a drawn agenda gives the same results: this file is the test and the script it runs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.gradient import Earning, Learned, learned
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.priorities import NO_LIMITS, How, uniform_cost
from secateur.kernels.agenda.sample import Lead
from secateur.kernels.agenda.state import name_of
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.cky.sparse import cell_of
from without_jit import GRAMMAR, assert_same_without_compilation, needs_compiled, random_words


def results() -> list[Any]:
    """Runs of a few sentences, led and not; sums to nine digits, as logarithms may differ in the last."""
    grammar = PCFG.from_text(GRAMMAR)
    rules, rng, found = grammar.rules, np.random.default_rng(3), []
    joins, symbols = joins_of(rules), len(grammar.symbols)
    for n, how, rate, look in (
        (1, How(), 0.0, False),
        (7, How(2.0, 0, 1.0), 0.4, False),
        (9, How(), 0.0, True),
    ):
        words = random_words(grammar, rng, n)
        order = uniform_cost(n, symbols)
        order = order._replace(span=rng.normal(size=order.span.shape), dynamic=rng.normal(size=4))
        items = [(i, i + 1, symbol, 0) for i in range(n) for symbol in (1, 2)]
        names = np.sort(np.array([name_of(*item) for item in items], np.uint64))
        keys = np.sort(np.array([2 * (symbols * cell_of(i, k) + x) for i, k, x, _ in items], np.uint64))
        by = Earning(keys, np.arange(symbols, dtype=np.uint32), symbols, True, True, 0.01, 0.5)
        lead = Lead(names, rate, look, 11)
        mask = np.ones((n + 1, n + 1), np.bool_)
        run = Learned(*learned(rules, joins, words, mask, NO_ANCHORS, order, how, NO_LIMITS, lead, by))
        sums = [[float(f"{number:.9g}") for number in np.round(table, 12).ravel()] for table in run.sums]
        numbers = [float(f"{number:.9g}") for number in (run.score, run.reward, run.credit)]
        found.append([sums, run.steps.tolist(), numbers, [int(count) for count in run[3:8]]])
    return found


@needs_compiled
def test_same_results_without_compilation() -> None:
    assert_same_without_compilation(__file__, results())


if __name__ == "__main__":
    print(json.dumps(results()))
