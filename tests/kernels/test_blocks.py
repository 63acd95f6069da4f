"""The block kernels against their twins, and against the grammar of sub-symbols taken as it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive import blocks as naive
from naive.cky import cell_of
from naive.inside import log_inside
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.padded import padded_of
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split import (
    inside as block_inside,
)
from secateur.kernels.split import (
    posteriors as block_posteriors,
)
from secateur.kernels.split import (
    viterbi as block_viterbi,
)
from secateur.kernels.split.tree_em import Blocks
from secateur.testing.strategies import UNKNOWN_WORD, anchors, grammars, masks, sentences

LIMIT = 1 << 30
QUARTERS = np.exp([-0.25, -0.5, -1.0, -2.0])


class Case(NamedTuple):
    grammar: PCFG
    blocks: Blocks
    words: npt.NDArray[np.uint32]
    mask: npt.NDArray[np.bool_]
    anchors: Anchors


@st.composite
def splits(draw: st.DrawFn, grammar: PCFG, *, exact: bool) -> Blocks:
    """Up to eleven sub-symbols a symbol, some of them impossible everywhere; whole rules may be, too."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    zeros, empty = draw(st.sampled_from((0.0, 0.3, 0.9))), draw(st.sampled_from((0.0, 0.2)))
    k = rng.choice([1, 2, 3, 8, 9, 11], len(grammar.symbols)).astype(np.uint32)
    k[grammar.number[grammar.start]] = 1
    dead = [rng.random(size) < 0.1 for size in k.tolist()]
    dead[grammar.number[grammar.start]][:] = False
    parts: list[npt.NDArray[np.generic]] = []
    binary, unary = grammar.binary, grammar.unary
    for columns in (
        (binary.parent, binary.left, binary.right),
        (unary.parent, unary.child),
        (grammar.lexicon.tag,),
    ):
        found, sizes = [], []
        for symbols in zip(*(column.tolist() for column in columns), strict=True):
            shape = [int(k[x]) for x in symbols]
            p = (
                rng.choice(QUARTERS, shape)
                if exact
                else rng.random(shape) * 10.0 ** -rng.integers(0, 7, shape)
            )
            p[rng.random(shape) < zeros] = 0.0
            p[dead[symbols[0]]] = 0.0
            if rng.random() < empty:
                p[:] = 0.0
            found.append(p.ravel())
            sizes.append(p.size)
        parts += [np.append(0, np.cumsum(sizes)).astype(np.uint64), np.concatenate([np.zeros(0), *found])]
    return Blocks(k, *parts)


@st.composite
def cases(draw: st.DrawFn, *, exact: bool, longest: int = 5) -> Case:
    grammar = draw(grammars(rules=8))
    words = draw(sentences(longest=longest))
    n = len(words)
    mask = draw(st.just(np.ones((n + 1, n + 1), np.bool_)) | masks(n))
    scores = draw(st.just(NO_ANCHORS) | anchors(grammar, n, exact=exact))
    return Case(grammar, draw(splits(grammar, exact=exact)), grammar.lexicon.encode(words), mask, scores)


any_cases = st.booleans().flatmap(lambda exact: cases(exact=exact))


def run(case: Case) -> naive.Result:
    padded = padded_of(case.grammar, case.blocks)
    steps, subs, score, pushes, items, complete = block_viterbi.viterbi(
        padded, case.words, case.mask, case.anchors, LIMIT
    )
    assert complete
    return naive.Result(
        np.float32(score), list(map(tuple, steps.tolist())), subs.tolist(), int(pushes), int(items)
    )


@settings(max_examples=200)
@given(any_cases)
def test_viterbi_equals_twin(case: Case) -> None:
    assert run(case) == naive.viterbi(*case)


def is_expanded(case: Case) -> bool:
    """Whether the start symbol has a rule: without, there is no flat grammar."""
    binary, unary, lexicon = case.grammar.binary, case.grammar.unary, case.grammar.lexicon
    start = case.grammar.number[case.grammar.start]
    return any(
        bool(np.any(flat[int(ptr[r]) : int(ptr[r + 1])] > 0.0))
        for ptr, flat, parent in (
            (case.blocks.binary_ptr, case.blocks.binary, binary.parent),
            (case.blocks.unary_ptr, case.blocks.unary, unary.parent),
            (case.blocks.lexical_ptr, case.blocks.lexical, lexicon.tag),
        )
        for r in np.flatnonzero(parent == start).tolist()
    )


def flat_of(case: Case) -> PCFG:
    """The grammar of sub-symbols."""
    return SplitPCFG(case.grammar, case.blocks, np.zeros((0, 0)), ()).flat()


def flat_case(case: Case, flat: PCFG) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_], Anchors]:
    """Words, mask and anchors, which are the same for all sub-symbols of a symbol."""
    known = (*case.grammar.lexicon.words, UNKNOWN_WORD)
    of = [case.grammar.number[name.rpartition("~")[0] or name] for name in flat.symbols]
    scores = Anchors(*(np.ascontiguousarray(part[:, of]) if part.size else part for part in case.anchors))
    return flat.lexicon.encode([known[w] for w in case.words.tolist()]), case.mask, scores


@settings(max_examples=100)
@given(cases(exact=False, longest=7))
def test_viterbi_equals_that_of_the_flat_grammar(case: Case) -> None:
    """Bit for bit; and so does the derivation, whose score is hardly ever that of another."""
    assume(is_expanded(case))
    found, flat, coarse = run(case), flat_of(case), case.grammar
    steps, score, pushes, _, _ = cky.viterbi(flat.rules, *flat_case(case, flat), LIMIT)
    assert np.float32(score) == found.score
    assert int(pushes) <= found.pushes
    names = [
        coarse.start if coarse.symbols[x] == coarse.start else f"{coarse.symbols[x]}~{a}"
        for (_, x, *_), a in zip(found.steps, found.subs, strict=True)
    ]
    assert names == [flat.symbols[x] for _, x, *_ in steps.tolist()]
    assert [step[2:4] for step in found.steps] == [tuple(step[2:4]) for step in steps.tolist()]


def named(case: Case, found: npt.NDArray[np.float64]) -> dict[naive.Item, float]:
    """Posteriors that are not 0, as logs."""
    n = len(case.words)
    return {
        (i, k, int(x)): float(np.log(found[cell_of(i, k), x]))
        for k in range(1, n + 1)
        for i in range(k)
        for x in np.flatnonzero(found[cell_of(i, k)])
    }


def check_posteriors(case: Case, *, least: float = -np.inf) -> None:
    """Those of the twin, as far as their logs are above the least."""
    padded = padded_of(case.grammar, case.blocks)
    scores = block_inside.inside(padded, case.words, case.mask, case.anchors, LIMIT)
    found = block_posteriors.outside(padded, scores, case.anchors)
    assert scores.complete
    expected = naive.posteriors(*case)
    assert scores.log_total == pytest.approx(expected.total, rel=1e-12, abs=1e-12)
    for mine, theirs in zip(found[:2], expected[1:], strict=True):
        logs = {item: log for item, log in named(case, mine).items() if log > least}
        assert logs == pytest.approx(
            {item: log for item, log in theirs.items() if log > least}, rel=1e-9, abs=1e-9
        )


@settings(max_examples=200)
@given(any_cases)
def test_posteriors_equal_twin(case: Case) -> None:
    check_posteriors(case)


def test_as_a_node_or_under_a_unary() -> None:
    """A word with a tag, and a unary over it half of the time."""
    grammar = PCFG.build(
        "S", [("S", "A", "A", 0.0), ("S", "A", "t", 0.0)], [("A", "t", 0.0, ())], [("t", "a", 0.0)]
    )
    k = np.array([{"S": 1, "A": 2, "t": 9}[name] for name in grammar.symbols], np.uint32)
    lexical = np.zeros(9)
    lexical[8] = 0.5
    unary = np.zeros((2, 9))
    unary[1, 8] = 1.0
    pair, single = np.zeros((1, 2, 2)), np.zeros((1, 2, 9))
    pair[0, 1, 1], single[0, 1, 8] = 0.25, 0.75
    blocks = Blocks(
        k,
        np.array([0, 4, 22], np.uint64),
        np.concatenate((pair.ravel(), single.ravel())),
        np.array([0, 18], np.uint64),
        unary.ravel(),
        np.array([0, 9], np.uint64),
        lexical,
    )
    words = grammar.lexicon.encode(["a", "a"])
    case = Case(grammar, blocks, words, np.ones((3, 3), np.bool_), NO_ANCHORS)
    padded = padded_of(grammar, blocks)
    scores = block_inside.inside(padded, words, case.mask, NO_ANCHORS, LIMIT)
    found = block_posteriors.outside(padded, scores, NO_ANCHORS)
    assert scores.log_total == pytest.approx(np.log(0.25))
    a, s, t = (grammar.number[name] for name in "AS" + "t")
    last = cell_of(1, 2)
    assert found.node[last, [a, s, t]].tolist() == pytest.approx([0.25, 0.0, 0.75])
    assert found.base[last, [a, s, t]].tolist() == pytest.approx([0.0, 0.0, 1.0])
    result = run(case)
    assert result.score == np.float32(np.log(0.25 * 0.75))
    assert (result.subs, [step[0] for step in result.steps]) == ([0, 1, 8, 8], [2, 1, 0, 0])


def tiny(rng: np.random.Generator) -> tuple[PCFG, Blocks]:
    """Much ambiguity; of the nine sub-symbols of A some are far less likely than others."""
    grammar = PCFG.from_text("""
        S -> A A 0.5 | S A 0.5
        A -> A B 0.2 | B 0.2 | 'a' 0.6
        B -> B A 0.1 | 'b' 0.9
    """)
    k = np.array([{"S": 1, "A": 9, "B": 3}[name] for name in grammar.symbols], np.uint32)
    parts: list[npt.NDArray[np.generic]] = []
    for symbols in (
        (grammar.binary.parent, grammar.binary.left, grammar.binary.right),
        (grammar.unary.parent, grammar.unary.child),
        (grammar.lexicon.tag,),
    ):
        sizes = np.prod([k[column] for column in symbols], axis=0).astype(np.int64)
        parts += [np.append(0, np.cumsum(sizes)).astype(np.uint64), rng.random(int(sizes.sum())) ** 6 / 40]
    return grammar, Blocks(k, *parts)


def long_case(n: int) -> Case:
    rng = np.random.default_rng(n)
    grammar, blocks = tiny(rng)
    words = grammar.lexicon.encode([("a", "b")[w] for w in rng.integers(0, 2, n)])
    return Case(grammar, blocks, words, np.ones((n + 1, n + 1), np.bool_), NO_ANCHORS)


@pytest.mark.parametrize("n", [63, 64, 65, 130])
def test_more_splits_than_a_word_has_bits(n: int) -> None:
    case = long_case(n)
    flat = flat_of(case)
    steps, score, *_ = cky.viterbi(flat.rules, *flat_case(case, flat), LIMIT)
    found = run(case)
    assert found.score == np.float32(score) > -np.inf
    assert [step[2:4] for step in found.steps] == [tuple(step[2:4]) for step in steps.tolist()]
    if n <= 65:
        padded = padded_of(case.grammar, case.blocks)
        scores = block_inside.inside(padded, case.words, case.mask, NO_ANCHORS, LIMIT)
        assert scores.log_total == pytest.approx(log_inside(flat, flat_case(case, flat)[0]), rel=1e-12)


def test_posteriors_of_200_words() -> None:
    """Whose probability is far below the least number."""
    n = 200
    case = long_case(n)
    padded = padded_of(case.grammar, case.blocks)
    scores = block_inside.inside(padded, case.words, case.mask, NO_ANCHORS, LIMIT)
    found = block_posteriors.outside(padded, scores, NO_ANCHORS)
    assert -np.inf < scores.log_total < -1000.0
    assert np.isfinite(found.base).all()
    assert np.isfinite(found.node).all()
    assert found.node[cell_of(0, n), case.grammar.number["S"]] == pytest.approx(1.0)
    # Every word is under one tag, and n words make n - 1 binary nodes.
    single = [cell_of(i, i + 1) for i in range(n)]
    np.testing.assert_allclose(found.base[single].sum(axis=1), 1.0, rtol=1e-9)
    assert found.base.sum() == pytest.approx(2 * n - 1)


@pytest.mark.parametrize("far", [0.0, 40.0, -1000.0, 3000.0])
def test_anchors_far_apart(far: float) -> None:
    """Items of one span may be as far apart as they like: posteriors are those of the items alone."""
    rng = np.random.default_rng(7)
    grammar, blocks = tiny(rng)
    n = 7
    words = grammar.lexicon.encode([("a", "b")[w] for w in rng.integers(0, 2, n)])
    span = rng.normal(0.0, 1.0, (n * (n + 1) // 2, len(grammar.symbols))).astype(np.float32)
    span[cell_of(1, 4)] += np.float32(far)
    span[:, grammar.number["B"]] -= np.float32(2 * far)
    tag = rng.normal(0.0, 1.0, (n, len(grammar.symbols))).astype(np.float32)
    tag[2] -= np.float32(far)
    case = Case(grammar, blocks, words, np.ones((n + 1, n + 1), np.bool_), Anchors(span, tag))
    check_posteriors(case, least=-600.0)


def test_memory_limit() -> None:
    grammar, blocks = tiny(np.random.default_rng(0))
    words, mask = grammar.lexicon.encode(["a"] * 9), np.ones((10, 10), np.bool_)
    padded = padded_of(grammar, blocks)
    steps, subs, score, _, items, complete = block_viterbi.viterbi(padded, words, mask, NO_ANCHORS, 1000)
    assert (len(steps), len(subs), score, items, complete) == (0, 0, -np.inf, 0, False)
    scores = block_inside.inside(padded, words, mask, NO_ANCHORS, 1000)
    assert not scores.complete
    found = block_posteriors.outside(padded, scores, NO_ANCHORS)
    assert not found.base.any()
    assert found.base.shape == found.node.shape == (45, 3)
