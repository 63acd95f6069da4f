"""Run as plain Python, questions and what masks leave out are the same: this file is test and script."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda import dear
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.outside import estimate
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, uniform_cost
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split.left_out import left_out
from without_jit import needs_compiled, plain_results

GRAMMAR = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""


def results() -> list[Any]:
    """A few sentences, by score and with estimates, one question at a time and more; and some masks."""
    grammar = PCFG.from_text(GRAMMAR)
    rules, rng, found = grammar.rules, np.random.default_rng(3), []
    joins, label = joins_of(rules), np.arange(len(grammar.symbols), dtype=np.uint32)
    for n, together, bounded in ((1, 1, False), (6, 1, True), (8, 3, False), (12, 1, True)):
        words = grammar.lexicon.encode(["ab"[w] for w in rng.integers(0, 2, n)])
        every = np.ones((n + 1, n + 1), np.bool_)
        order = uniform_cost(n, len(label))
        if bounded:
            outside = estimate(rules, words, every, NO_ANCHORS, True, 1 << 30)[1]
            order = order._replace(outside=outside, seen=label)
        said = -rng.exponential(2.0, (n + 1, n + 1, len(label))).astype(np.float32)
        anchors = NO_ANCHORS._replace(span=np.zeros((n * (n + 1) // 2, len(label)), np.float32))
        talk = dear.talk_of(n, label, together)
        asked = []
        for count in dear.asking(rules, joins, words, every, anchors, order, EXACT, NO_LIMITS, talk):
            asked += talk.asked[:count].tolist()
            talk.said[:count] = said[tuple(talk.asked[:count].T)]
        steps = talk.steps[: talk.counts[dear.STEPS]].tolist()
        found.append([asked, talk.counts.tolist(), float(talk.score[0]), steps])
        mask, floor = rng.random((n + 1, n + 1)) < 0.7, np.float32(-1e30)
        found.append(float(left_out(rules, rules, words, mask, NO_ANCHORS, 1 << 30, floor)))
    return found


@needs_compiled
def test_same_results_without_compilation() -> None:
    assert plain_results(__file__) == json.loads(json.dumps(results()))


if __name__ == "__main__":
    print(json.dumps(results()))
