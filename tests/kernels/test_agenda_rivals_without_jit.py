"""Run as plain Python choices among rivals are the same: this file is the test and the script it runs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.priorities import NO_LIMITS, How, uniform_cost
from secateur.kernels.agenda.rivals import Turns, choose_all, rows_of
from secateur.kernels.agenda.snapshot import futures
from secateur.kernels.agenda.state import POPPED, name_of
from secateur.kernels.cky.rules import NO_ANCHORS
from without_jit import needs_compiled, plain_results

GRAMMAR = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""


def results() -> list[Any]:
    """Runs of a few sentences, drawn and led, and what else could have come of them."""
    grammar = PCFG.from_text(GRAMMAR)
    rng, found = np.random.default_rng(5), []
    for n, how, temperature, rate, heads in (
        (1, How(), 0.0, 0.0, 2),
        (7, How(3.0), 1.0, 0.3, 2),
        (8, How(), 0.0, 0.5, 99),
    ):
        words = grammar.lexicon.encode(["ab"[w] for w in rng.integers(0, 2, n)])
        order = uniform_cost(n, len(grammar.symbols))
        order = order._replace(span=rng.normal(size=order.span.shape))
        names = np.sort(np.array([name_of(i, i + 1, 1, 0) for i in range(n)], np.uint64))
        turns = Turns(names, rate, 0.0, True, temperature, heads, 2, 3, -1, 0)
        mask = np.ones((n + 1, n + 1), np.bool_)
        given = (
            grammar.rules,
            joins_of(grammar.rules),
            words,
            mask,
            NO_ANCHORS,
            order,
            how,
            NO_LIMITS,
            turns,
        )
        run = choose_all(*given)
        pops, choices = int(run.state.tally[POPPED]), run.choices
        rows = rows_of(run.state.name[choices.item[: choices.ptr[pops]]]).tolist()
        found.append([rows, choices.ptr[: pops + 1].tolist(), choices.action[:pops].tolist()])
        step = np.arange(pops, dtype=np.int64)[:20]
        found.append([array.tolist() for array in futures(*given, step, np.zeros(len(step), np.int64))])
    return found


@needs_compiled
def test_same_results_without_compilation() -> None:
    assert plain_results(__file__) == json.loads(json.dumps(results()))


if __name__ == "__main__":
    print(json.dumps(results()))
