"""The k best trees by max-rule against the list of all derivations."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

import naive.forest as naive
from forest_cases import Case, cases, run
from secateur.kernels.split import forest_scores
from secateur.kinds.pcfg.forest import rule_forest


@settings(max_examples=100)
@given(cases())
def test_all_derivations_in_order(case: Case) -> None:
    """Each once, with the product of its rules' posteriors; the first is the max-rule derivation."""
    made = case.build()
    log, found = run(made, case.blocks, case.anchors)
    said = naive.posteriors(case.weighted) if log > -math.inf else None
    every = {} if said is None else {steps: naive.product_of(said, steps) for steps, _ in case.weighted}
    expected = sorted((p for p in every.values() if p > 0.0), reverse=True)
    if made.top < 0 or said is None:
        return
    ours = list(rule_forest(made, found).kbest(len(every) + 1))
    assert [math.exp(score) for _, score in ours] == pytest.approx(expected, rel=1e-6)
    kept = [tuple(map(tuple, steps.tolist())) for steps, _ in ours]
    assert len(set(kept)) == len(kept)
    for steps, (_, score) in zip(kept, ours, strict=True):
        # A lexical step's rule is not numbered: -1 in both.
        assert every[steps] == pytest.approx(math.exp(score), rel=1e-6)
    best, score = forest_scores.max_rule(made, found)
    assert (tuple(map(tuple, best.tolist())), score) == (kept[0], pytest.approx(ours[0][1]))
