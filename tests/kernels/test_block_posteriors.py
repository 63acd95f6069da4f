"""Posteriors of a split grammar from whole charts, against all derivations and choices of sub-symbols."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_cases import Case, case_of, cases, exact, log_of, possible, times
from naive import forest as naive
from naive.cky import cell_of
from secateur.grammar.latent.padded import padded_of
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split import (
    inside as block_inside,
)
from secateur.kernels.split import (
    posteriors as block_posteriors,
)
from secateur.kernels.split import (
    viterbi as block_viterbi,
)
from secateur.kernels.split.posteriors import Expected
from secateur.kernels.split.tree_em import Blocks
from secateur.testing.strategies import anchors, blocks, grammars, masks, sentences

LIMIT = 1 << 30


def by_name(p: npt.NDArray[np.float64]) -> dict[tuple[int, int, int], float]:
    """(symbol or rule, i, k) -> posterior, of [cells, symbols or rules]."""
    n = math.isqrt(2 * len(p))
    return {
        (x, i, k): float(p[cell_of(i, k), x])
        for k in range(1, n + 1)
        for i in range(k)
        for x in range(p.shape[1])
    }


def check(case: Case) -> None:
    n = len(case.words)
    padded, mask = padded_of(case.grammar, case.blocks), np.ones((n + 1, n + 1), np.bool_)
    scores = block_inside.inside(padded, case.words, mask, case.anchors, LIMIT)
    found = block_posteriors.outside(padded, scores, case.anchors)
    expected = naive.posteriors(case.weighted)
    assert scores.log_total == pytest.approx(log_of(expected.total), rel=1e-9, abs=1e-9)
    for p, sums in (
        (found.base, expected.base),
        (found.node, expected.node),
        (found.unary, expected.unary),
    ):
        ours = by_name(p)
        assert sums.keys() <= ours.keys()
        assert ours == pytest.approx(dict.fromkeys(ours, 0.0) | sums, rel=1e-9, abs=1e-290)


@settings(max_examples=100)
@given(cases())
def test_posteriors_equal_enumeration(case: Case) -> None:
    check(case)


@settings(max_examples=60)
@given(grammars(rules=9), sentences(longest=4, unknown=False), st.sampled_from((30.0, 2000.0)), st.data())
def test_anchors_far_apart(grammar: PCFG, words: list[str], far: float, data: st.DataObject) -> None:
    scores = times(data.draw(anchors(grammar, len(words))), far)
    split = possible(data.draw(blocks(grammar)))
    case = case_of(grammar, words, exact(split), 2000, scores)
    check(replace(case, blocks=split))


@settings(max_examples=60)
@given(grammars(rules=9), sentences(longest=6), st.data())
def test_work(grammar: PCFG, words: list[str], data: st.DataObject) -> None:
    """Under masks, as block_viterbi.py counts it."""
    n = len(words)
    mask = data.draw(masks(n))
    scores = data.draw(st.just(NO_ANCHORS) | anchors(grammar, n))
    padded, ids = padded_of(grammar, data.draw(blocks(grammar, most=9))), grammar.lexicon.encode(words)
    inside = block_inside.inside(padded, ids, mask, scores, LIMIT)
    whole = Expected(*block_posteriors.marginals(padded, grammar.labels, ids, mask, scores, LIMIT))
    *_, pushes, items, complete = block_viterbi.viterbi(padded, ids, mask, scores, LIMIT)
    assert (int(whole.pushes), whole.items, whole.complete) == (int(pushes), items, complete)
    assert whole.log_total == inside.log_total


def test_memory_limit() -> None:
    """The tables count as well."""
    grammar = PCFG.from_text("S -> A B 1.0 \n A -> 'a' 1.0 \n B -> 'b' 0.5 | A 0.5")
    splits = np.ones(len(grammar.symbols), np.uint32)
    sizes = (len(grammar.binary.parent), len(grammar.unary.parent), len(grammar.lexicon.tag))
    parts: list[npt.NDArray[np.generic]] = []
    for size in sizes:
        parts += [np.arange(size + 1, dtype=np.uint64), np.full(size, 0.5)]
    padded = padded_of(grammar, Blocks(splits, *parts))
    ids, mask = grammar.lexicon.encode(["a", "b"]), np.ones((3, 3), np.bool_)
    lanes, symbols = 8 * 3, 3
    least = 40 * 3 * (lanes + symbols) + 16 * 3 * symbols + 8 * 3 * (1 + 3 + 1)
    for limit in (least, least - 1):
        found = Expected(*block_posteriors.marginals(padded, grammar.labels, ids, mask, NO_ANCHORS, limit))
        assert found.complete == (limit == least)
        assert len(found.table) == (3 if found.complete else 0)
        assert found.log_total == (pytest.approx(np.log(0.5**3)) if found.complete else -np.inf)
