"""Scores that are small, large or far apart: nothing leaves the range of numbers that should not."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_cases import (
    Case,
    case_of,
    chart_of,
    check,
    check_sums,
    even_blocks,
    exact,
    items_of,
    possible,
    run,
    times,
)
from naive import forest as naive
from naive import tree_em
from secateur.grammar.pcfg import PCFG
from secateur.kernels.split import forest_scores
from secateur.kernels.split.tree_em import Blocks
from secateur.testing.strategies import anchors, blocks, grammars, sentences


@pytest.mark.parametrize(("most", "decades"), [(1, 300), (3, 30)])
@settings(max_examples=50)
@given(data=st.data())
def test_unlikely_rules(most: int, decades: int, data: st.DataObject) -> None:
    """Symbols may be as far apart as rules can put them, their sub-symbols as far as training can."""
    grammar = data.draw(grammars(rules=9))
    split = data.draw(blocks(grammar, most=most, decades=decades))
    case = case_of(grammar, data.draw(sentences(longest=4, unknown=False)), exact(split), 2000)
    made = case.build()
    check(replace(case, blocks=split), made, case.weighted)


@settings(max_examples=80)
@given(grammars(rules=9), sentences(longest=4, unknown=False), st.sampled_from((30.0, 2000.0)), st.data())
def test_anchors_far_apart(grammar: PCFG, words: list[str], far: float, data: st.DataObject) -> None:
    """By thousands of nats, or forbidden: what is left of the rest is what it should be."""
    scores = times(data.draw(anchors(grammar, len(words))), far)
    split = possible(data.draw(blocks(grammar)))
    case = case_of(grammar, words, exact(split), 2000, scores)
    check(replace(case, blocks=split), case.build(), case.weighted)


class Long(NamedTuple):
    """Scores of a sentence too long to enumerate."""

    grammar: PCFG
    log: float
    base: dict[naive.Item, float]
    node: dict[naive.Item, float]

    def p(self, label: str, i: int, k: int) -> float:
        """As a base or, above another, as a node."""
        item = self.grammar.number[label], i, k
        return max(self.base[item], self.node[item])


def long(grammar: PCFG, words: list[str], split: Blocks) -> Long:
    ids = grammar.lexicon.encode(words)
    made = Case(grammar, ids, split, chart_of(grammar, ids), []).build()
    log, found = run(made, split)
    check_sums(made, found)
    for p in found:
        assert p.max(initial=0.0) <= 1.0 + 1e-9
    steps, _ = forest_scores.max_rule(made, found)
    assert len(steps) >= 2 * len(words) - 1
    items = items_of(made)
    return Long(grammar, log, *(dict(zip(items, p.tolist(), strict=True)) for p in found[2:]))


def log_catalan(n: int) -> float:
    """log of the number of binary trees with n + 1 leaves."""
    return math.lgamma(2 * n + 1) - math.lgamma(n + 1) - math.lgamma(n + 2)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("rule", ["S A", "A S"])
def test_deep_trees(rule: str, k: int) -> None:
    n = 200
    grammar = PCFG.from_text(f"S -> {rule} 0.000000001 | 'w' 0.5 \n A -> 'w' 0.5")
    one = long(grammar, ["w"] * n, even_blocks(grammar, k))
    assert one.log == pytest.approx(n * math.log(0.5) + (n - 1) * math.log(1e-9), rel=1e-9)
    assert sum(one.base.values()) == pytest.approx(2 * n - 1)


@pytest.mark.parametrize(("n", "k"), [(200, 1), (50, 3)])
def test_many_derivations(n: int, k: int) -> None:
    grammar = PCFG.from_text("S -> A A 0.000000001 \n A -> A A 0.000000001 | 'w' 0.000001")
    one = long(grammar, ["w"] * n, even_blocks(grammar, k))
    expected = n * math.log(1e-6) + (n - 1) * math.log(1e-9) + log_catalan(n - 1)
    assert one.log == pytest.approx(expected, rel=1e-9)
    assert sum(one.base.values()) == pytest.approx(2 * n - 1)


TINY = math.log(1e-300)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("length", [3, 200])
def test_likelier_than_any_parse(length: int, k: int) -> None:
    """What no parse has is likelier than what each has, by 1e-300 for each word: tags, bases and nodes."""
    grammar = PCFG.build(
        "S",
        [("S", "T", "T", 0.0), ("S", "S", "T", 0.0), ("B", "U", "U", 0.0), ("B", "B", "U", 0.0)],
        [("B", "S", TINY, ()), ("C", "B", 0.0, ()), ("C", "S", 0.0, ())],
        [("T", "w", TINY), ("U", "w", 0.0), ("T", "end", 0.0)],
    )
    words = ["w"] * (length - 1) + ["end"]
    one = long(grammar, words, even_blocks(grammar, k))
    assert one.log == pytest.approx((length - 1) * TINY, rel=1e-12)
    assert one.p("S", 0, length) == pytest.approx(1.0)
    assert one.p("S", 0, length - 1) == pytest.approx(1.0)
    for label in ("B", "C"):
        assert one.p(label, 0, length - 1) == 0.0


def test_unlikely_unaries() -> None:
    """Over v an A is a base or has a C under it, over w there must be one; B is likelier by 1e-300."""
    grammar = PCFG.build(
        "S",
        [("S", "S", "A", 0.0), ("S", "A", "A", 0.0)],
        [("A", "C", TINY, ()), ("B", "A", 0.0, ())],
        [("C", "w", TINY), ("C", "v", 0.0), ("A", "v", TINY), ("B", "w", 0.0), ("B", "v", 0.0)],
    )
    one = long(grammar, ["w", "v"] * 50, even_blocks(grammar, 2))
    assert one.log == pytest.approx(150 * TINY + 50 * math.log(2.0), rel=1e-12)
    for (x, i, _), p in one.base.items():
        if x == grammar.number["A"]:
            assert p == pytest.approx(0.5 * (i % 2))


def test_base_and_node_far_apart() -> None:
    """As a node Y is likelier than as a base by 1e-600; parses have the base only, under X."""
    n = 100
    grammar = PCFG.build(
        "S",
        [("S", "X", "X", 0.0), ("S", "S", "X", 0.0), ("Y", "T", "T", 0.0), ("Z", "U", "U", 0.0)],
        [("X", "Y", 0.0, ()), ("Y", "Z", 0.0, ())],
        [("T", "w", TINY), ("U", "w", 0.0)],
    )
    one = long(grammar, ["w"] * n, even_blocks(grammar, 2))
    assert one.log == pytest.approx(n * TINY, rel=1e-12)
    y = grammar.number["Y"]
    for i in range(n - 1):
        assert (one.base[y, i, i + 2], one.node[y, i, i + 2]) == (pytest.approx(1.0 - i % 2), 0.0)


def test_rules_without_probability_are_not_in_the_way() -> None:
    """However likely what they join is: neither inside nor outside."""
    n = 40
    grammar = PCFG.build(
        "S",
        [("S", "T", "T", 0.0), ("S", "S", "T", 0.0), ("S", "U", "U", 0.0), ("U", "U", "U", 0.0)],
        [("S", "U", -1.0, ())],
        [("T", "w", TINY), ("U", "w", 0.0)],
    )
    split = even_blocks(grammar, 2)
    u = grammar.number["U"]
    for p, ptr, rows in (
        (
            split.binary,
            split.binary_ptr,
            np.flatnonzero((grammar.binary.left == u) & (grammar.binary.parent != u)),
        ),
        (split.unary, split.unary_ptr, np.arange(1)),
    ):
        for r in rows:
            p[ptr[r] : ptr[r + 1]] = 0.0
    one = long(grammar, ["w"] * n, split)
    assert one.log == pytest.approx(n * TINY, rel=1e-12)
    for (x, *_), p in one.base.items():
        assert x != u or p == 0.0


def split_case(words: list[str], rules: dict[tuple[str, ...], float]) -> Long:
    """Rules over sub-symbols X0, X1 of symbols X, and words; what is not given has no probability."""
    names = sorted({name for rule in rules for name in rule if name[-1].isdigit()})
    splits = {name[:-1]: 0 for name in names}
    for name in names:
        splits[name[:-1]] += 1
    plain = {tuple(name[:-1] if name[-1].isdigit() else name for name in rule) for rule in rules}
    grammar = PCFG.build(
        "S",
        [(*rule, 0.0) for rule in sorted(plain) if len(rule) == 3],
        [(*rule, 0.0, ()) for rule in sorted(plain) if len(rule) == 2 and rule[1] in splits],
        [(*rule, 0.0) for rule in sorted(plain) if len(rule) == 2 and rule[1] not in splits],
    )
    lexicon = grammar.lexicon
    entries = [
        (grammar.symbols[lexicon.tag[e]], word, False)
        for w, word in enumerate(lexicon.words)
        for e in range(lexicon.ptr[w], lexicon.ptr[w + 1])
    ]
    p = dict.fromkeys((rule for part in tree_em.layout(grammar, entries, splits) for rule in part), 0.0)
    for rule, number in rules.items():
        key = tuple((name[:-1], int(name[-1])) if name[-1].isdigit() else name for name in rule)
        p[key if isinstance(key[1], tuple) else (*key, False)] = number
    return long(grammar, words, tree_em.to_blocks(grammar, entries, splits, p))


def test_rules_without_probability_over_small_sub_symbols() -> None:
    """S needs the smaller X, outside of which is 1e200; U U, inside of which is more by 1e200, makes no X."""
    one = split_case(
        ["w", "w", "e"],
        {
            ("S0", "X1", "E0"): 1.0,
            ("X0", "T0", "T0"): 1.0,
            ("X1", "T0", "T0"): 1e-200,
            ("X0", "U0", "U0"): 0.0,
            ("T0", "w"): 1e-100,
            ("U0", "w"): 1.0,
            ("E0", "e"): 1.0,
        },
    )
    assert one.log == pytest.approx(400 * math.log(0.1), rel=1e-12)
    assert one.p("T", 0, 1) == pytest.approx(1.0)
    assert one.p("U", 0, 1) == 0.0


@pytest.mark.parametrize("unary", [False, True])
def test_sub_symbols_at_the_end_of_the_range(unary: bool) -> None:
    """X1 is less than X0 by more than the range; what is outside of it, and large, must not count either."""
    x = [("X0", "Y0"), ("X1", "Y1")] if unary else [("X0", "T0", "T0"), ("X1", "T1", "T1")]
    one = split_case(
        ["w", "w", "e"],
        {
            ("S0", "Z0", "E0"): 1e-300,
            ("S0", "X1", "E0"): 1.0,
            ("Z0", "T0", "T0"): 1.0,
            x[0]: 1.0,
            x[1]: 1e-10,
            ("Y0", "T0", "T0"): 1.0,
            ("Y1", "T1", "T1"): 1.0,
            ("T0", "w"): 1.0,
            ("T1", "w"): 1e-150 if unary else 1e-156,
            ("E0", "e"): 1.0,
        },
    )
    assert one.log == pytest.approx(300 * math.log(0.1), rel=1e-9)
    assert one.p("Z", 0, 2) == pytest.approx(1.0)
    assert one.p("X", 0, 2) == 0.0


@settings(max_examples=60)
@given(grammars(), sentences(longest=12), st.data())
def test_sub_symbols_that_are_far_apart(grammar: PCFG, words: list[str], data: st.DataObject) -> None:
    """Beyond the range some are lost; what is found is still made of numbers, and of a whole."""
    split = data.draw(blocks(grammar, decades=300))
    ids = grammar.lexicon.encode(words)
    made = Case(grammar, ids, split, chart_of(grammar, ids), []).build()
    log, found = run(made, split)
    if log == -math.inf:
        assert not any(p.any() for p in found)
        assert len(forest_scores.max_rule(made, found)[0]) == 0
    else:
        check_sums(made, found)
        assert all(p.max(initial=0.0) <= 1.0 + 1e-9 for p in found)
