"""Run as plain Python the kernels of staged parsing give the same: this file is the test and the script."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from locking_cases import BITS, FEATURES, random_case
from secateur.features.stages import stages_of
from secateur.kernels.arcs import ranking
from secateur.kernels.arcs.stages import ALWAYS, Rules
from secateur.kernels.perceptron.mira import parse_corpus
from secateur.kinds.arcs.ranking import rank
from secateur.kinds.arcs.weights import staged_weights
from secateur.tasks.arc_locking.corpus import corpus_of
from secateur.treebanks import garden
from without_jit import needs_compiled, plain_results

GROUPS = ((0, 2, 4, 8, 9), (1, 3, 6, 7, 10, 12), (16, 17, 20, 21))


def parsed() -> list[Any]:
    found: list[Any] = []
    for seed in range(24):
        case = random_case(seed, longest=6)
        episode = case.task.roll_in(case.x, case.policy, case.force, gold=case.gold, seed=seed)
        outcome, trace = episode.outcome, episode.trace
        if outcome.parts is not None:
            found.append([outcome.parts.heads.tolist(), outcome.parts.stage, outcome.parts.fell_back])
        found.append([outcome.work.features, case.task.full_cost(case.x)])
        found += [trace.site.tolist(), trace.state.tolist(), trace.action.tolist()]
        found.append(case.task.features(case.x, trace.site, trace.state).bucket.tolist())
    return found


def trained() -> list[Any]:
    trees = [sample.dependencies for sample in garden.garden(40)]
    corpus = corpus_of(FEATURES, [tree for tree in trees if len(tree) <= 7][:4])
    weights = staged_weights(FEATURES, corpus, GROUPS, epochs=2, bits=BITS)
    heads = np.full_like(corpus.heads, -1)
    stages, rules = stages_of(FEATURES, GROUPS), Rules(True, ALWAYS, 2)
    failed = [
        parse_corpus(FEATURES.compiled, stages, stage, rules, weights, corpus, heads) for stage in range(3)
    ]
    rows = np.flatnonzero(weights)
    ranked = [rank(FEATURES, weights, corpus, siblings=siblings) for siblings in (False, True)]
    return [
        failed,
        heads.tolist(),
        ranking.count_parts(corpus, True).tolist(),
        [[list(one.templates), list(one.accuracy)] for one in ranked],
        rows.tolist(),
        weights[rows].tolist(),
    ]


def results() -> dict[str, list[Any]]:
    with np.errstate(over="ignore"):  # hashes are meant to
        return {"parsed": parsed(), "trained": trained()}


@needs_compiled
def test_same_results_without_compilation() -> None:
    plain, compiled = plain_results(__file__), results()
    assert plain["parsed"] == compiled["parsed"]
    # Sums in float32 may be rounded otherwise.
    np.testing.assert_allclose(plain["trained"].pop(), compiled["trained"][-1], rtol=0, atol=1e-6)
    assert plain["trained"] == compiled["trained"][:-1]
    assert len(compiled["trained"][-1]) > 50


if __name__ == "__main__":
    print(json.dumps(results()))
