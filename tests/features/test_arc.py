"""Features of arcs: the templates, and the kernel against texts made one at a time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.arc_features import features as naive_features
from secateur.errors import InputError
from secateur.features.arc import ArcFeatures, Token
from secateur.features.arc_templates import first_order, second_order
from secateur.features.stages import check_groups
from secateur.kernels.arcs import features as kernel
from secateur.kernels.arcs.parts import arc_parts, sibling_parts, siblings_in

FEATURES = ArcFeatures()
MANY = 1 << 32  # so many weights that hardly two features of a test share one
TOKENS = st.tuples(
    st.sampled_from(["ash", "birch", "birches", "grow", "1990", "1880", "slowly", ","]),
    st.sampled_from(["NN", "NNS", "VBZ", "VBD", "RB", ",", "CD"]),
).map(lambda t: (*t, t[1][:2]))


def sentence_of(tokens, features=FEATURES):
    return features.sentence(*zip(*tokens, strict=True))


def rows_of(features, group, sentence, parts, count):
    shares = kernel.no_shares(features.compiled, sentence)
    return kernel.part_rows(features.compiled, group, sentence, shares, parts, count)


def everything(n):
    return np.ones((n + 1, n + 1), bool)


def test_there_are_268_and_112_templates():
    assert len(FEATURES.templates) == 268 + 112
    assert len(set(first_order())) == 134
    assert len(set(second_order())) == 56
    assert FEATURES.first == 268


def check_same(features, group, sentence, parts, expected):
    """Features are one to one between the texts and the rows, part by part."""
    ptr, rows = rows_of(features, group, sentence, parts, MANY)
    text_of: dict[int, tuple] = {}
    row_of: dict[tuple, int] = {}
    shared: set[int] = set()  # by chance: once in a hundred runs or so
    for r, texts in enumerate(expected):
        own = rows[ptr[r] : ptr[r + 1]].tolist()
        assert len(own) == len(texts)
        for row, text in zip(own, texts, strict=True):
            assert row_of.setdefault(text, row) == row
            if text_of.setdefault(row, text) != text:
                shared.add(row)
    assert len(shared) <= 16  # a line


@settings(max_examples=25, deadline=None)
@given(st.lists(TOKENS, min_size=1, max_size=8))
def test_first_order_features_are_those_described(tokens):
    parts = arc_parts(everything(len(tokens)))
    expected = [
        [f for pattern in FEATURES.patterns for f in naive_features(pattern, tokens, int(h), int(m))]
        for h, m in zip(parts.head, parts.modifier, strict=True)
    ]
    check_same(FEATURES, FEATURES.group(range(268)), sentence_of(tokens), parts, expected)


@settings(max_examples=15, deadline=None)
@given(st.lists(TOKENS, min_size=1, max_size=7))
def test_second_order_features_are_those_described(tokens):
    n = len(tokens)
    parts = sibling_parts(everything(n))
    expected = [
        [
            f
            for pattern in FEATURES.siblings
            for f in naive_features(pattern, tokens, int(h), int(m), None if s > n else int(s), True)
        ]
        for h, m, s in zip(parts.head, parts.modifier, parts.sibling, strict=True)
    ]
    check_same(FEATURES, FEATURES.group(range(268, 380)), sentence_of(tokens), parts, expected)


@settings(max_examples=25, deadline=None)
@given(st.lists(TOKENS, min_size=1, max_size=8), st.sets(st.integers(0, 379), min_size=1), st.integers(0, 9))
def test_scores_are_sums_of_the_weights_of_the_features(tokens, chosen, seed):
    weights = np.random.default_rng(seed).integers(-8, 8, 1 << 12).astype(np.float32)
    sentence = sentence_of(tokens)
    for siblings in (False, True):
        group = FEATURES.group(t for t in sorted(chosen) if (t >= 268) == siblings)
        parts = (sibling_parts if siblings else arc_parts)(everything(len(tokens)))
        scores = np.zeros(len(parts.head), np.float32)
        shares = kernel.no_shares(FEATURES.compiled, sentence)
        kernel.score_parts(FEATURES.compiled, group, sentence, shares, parts, weights, scores)
        ptr, rows = rows_of(FEATURES, group, sentence, parts, len(weights))
        sums = [weights[rows[a:b]].sum() for a, b in pairwise(ptr)]
        np.testing.assert_array_equal(scores, np.array(sums, np.float32))


def test_the_two_templates_of_a_pattern_share_a_line():
    sentence = sentence_of([("ash", "NN", "NN")] * 20)
    parts = arc_parts(everything(20))
    plain = [2 * q for q in range(134) if FEATURES.compiled.between[q] == kernel.NOTHING]
    _, bare = rows_of(FEATURES, FEATURES.group(plain), sentence, parts, 1 << 24)
    _, far = rows_of(FEATURES, FEATURES.group(t + 1 for t in plain), sentence, parts, 1 << 24)
    np.testing.assert_array_equal(bare // 16, far // 16)
    assert (bare != far).all()


def test_only_allowed_arcs_are_parts():
    allowed = np.zeros((4, 4), bool)
    allowed[1, 0] = allowed[2, 1] = allowed[3, 1] = True
    arcs = arc_parts(allowed)
    assert list(zip(arcs.modifier, arcs.head, strict=True)) == [(1, 0), (2, 1), (3, 1)]
    siblings = sibling_parts(allowed)
    found = list(zip(siblings.modifier, siblings.head, siblings.sibling, strict=True))
    assert found == [(1, 0, 4), (2, 1, 4), (3, 1, 4), (3, 1, 2)]


def test_siblings_in_a_tree():
    #       0 -> 3;  3 -> 1, 2, 5;  5 -> 4
    heads = np.array([-1, 3, 3, 0, 5, 3], np.int32)
    siblings = np.zeros(6, np.uint32)
    siblings_in(heads, siblings)
    assert siblings[1:].tolist() == [2, 6, 6, 6, 6]


def test_a_user_adds_a_pattern_and_a_view():
    def length(token: Token) -> str:
        return str(len(token.word))

    own = ArcFeatures(patterns=(*first_order(), "length[h] length[m+1]"), views={"length": length})
    assert own.first == 270
    sentence = sentence_of([("elm", "NN", "NN"), ("oak", "NN", "NN"), ("beech", "NN", "NN")], own)
    parts = arc_parts(everything(3))
    _, rows = rows_of(own, own.group([268]), sentence, parts, MANY)
    by_arc = dict(
        zip(zip(parts.head.tolist(), parts.modifier.tolist(), strict=True), rows.tolist(), strict=True)
    )
    assert by_arc[2, 1] != by_arc[1, 2]  # 3 letters, 3; 3 letters, 5
    assert by_arc[1, 2] != by_arc[1, 3]  # nothing behind
    assert by_arc[3, 1] != by_arc[2, 1]


@pytest.mark.parametrize(
    ("pattern", "part"),
    [("colour[h]", "colour"), ("tag[x]", "tag[x]"), ("tag[b+1]", "tag[b+1]"), ("tag[b] verbs", "twice")],
)
def test_wrong_patterns_are_named(pattern, part):
    with pytest.raises(InputError) as error:
        _ = ArcFeatures(patterns=(pattern,)).compiled
    assert part in str(error.value)


def test_a_sibling_needs_the_second_order():
    with pytest.raises(InputError):
        _ = ArcFeatures(patterns=("tag[s] tag[m]",)).compiled


@pytest.mark.parametrize("pattern", ["", "  ", "tag[h] tag", "tag[b+1]", "verbs points", "tag[s]"])
def test_wrong_patterns_are_refused_before_they_are_used(pattern):
    with pytest.raises(InputError):
        ArcFeatures(patterns=(pattern,))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ((), "without templates"),
        (((0,), ()), "without templates"),
        (((0, 0),), "twice"),
        (((-1,),), "not there"),
        (((0,), (8,)), "not there"),
        (((0, 4),), "of arcs and of siblings"),
        (((4,), (0,)), "siblings before arcs"),
        (((4,),), "siblings before arcs"),
    ],
)
def test_groups_that_are_none(groups, message):
    features = ArcFeatures(patterns=("tag[h]", "tag[m]"), siblings=("tag[s]", "tag[h] tag[s]"))
    check_groups(features, ((0, 3), (2,), (5,)))
    with pytest.raises(InputError, match=message):
        check_groups(features, groups)
