"""A split grammar at coarser levels, against sums over rules by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import tree_em as naive
from secateur.grammar.induce import induce
from secateur.grammar.latent.corpus import corpus_of
from secateur.grammar.latent.projection import Floats, groups, project
from secateur.grammar.latent.splitmerge import Schedule, SplitMerge
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.split.tree_em import Blocks
from secateur.testing.strategies import grammars
from secateur.treebanks.formats.brackets import read_tree
from split_cases import Ancestry, entries, random_split


def table(grammar: PCFG, blocks: Blocks) -> naive.Table:
    return naive.to_table(grammar, entries(grammar), blocks)


def ancestor(ancestry: Ancestry, level: int, x: int, a: int) -> int:
    """The sub-symbol of a level that x's a-th comes from, one level up at a time."""
    for number in range(len(ancestry), level, -1):
        a = int(ancestry[number - 1][x][a])
    return a


def projected(grammar: PCFG, blocks: Blocks, mass: Floats, ancestry: Ancestry, level: int) -> naive.Table:
    """p(A -> B C) = sum over a in A of w(a) sum over b in B, c in C of p(a -> b c)."""
    number = grammar.number

    def up(sub: naive.SubSymbol) -> naive.SubSymbol:
        name, a = sub
        return name, ancestor(ancestry, level, number[name], a)

    used: dict[naive.SubSymbol, float] = defaultdict(float)
    members: dict[naive.SubSymbol, int] = defaultdict(int)
    for name, x in number.items():
        for a in range(blocks.splits[x]):
            used[up((name, a))] += float(mass[x, a])
            members[up((name, a))] += 1
    found: dict[naive.Rule, float] = defaultdict(float)
    for (parent, *rest), p in table(grammar, blocks).items():
        name, a = parent
        # Where none of them is used all are alike.
        whole = used[up(parent)]
        share = float(mass[number[name], a]) / whole if whole else 1.0 / members[up(parent)]
        found[up(parent), *(up(part) if isinstance(part, tuple) else part for part in rest)] += share * p
    return dict(found)


@settings(max_examples=60)
@given(grammars(rules=6), st.integers(0, 1 << 32), st.integers(0, 3), st.sampled_from((0.0, 0.3, 1.0)))
def test_projection_equals_its_definition(grammar: PCFG, seed: int, levels: int, zeros: float) -> None:
    rng = np.random.default_rng(seed)
    blocks, mass, ancestry = random_split(grammar, levels, rng, zeros=zeros, proper=False)
    for level in range(levels + 1):
        found = project(grammar, blocks, mass, ancestry, level)
        splits = [len(row) for row in ancestry[level - 1]] if level else [1] * len(grammar.symbols)
        assert found.splits.tolist() == splits
        assert [part.dtype for part in found] == [part.dtype for part in blocks]
        expected = projected(grammar, blocks, mass, ancestry, level)
        assert table(grammar, found) == pytest.approx(expected, rel=1e-12)


@settings(max_examples=40)
@given(grammars(rules=6), st.integers(0, 1 << 32), st.sampled_from((0.0, 0.3, 1.0)))
def test_sums_stay(grammar: PCFG, seed: int, zeros: float) -> None:
    """All rules of a parent sum to 1 at every level, whether it is used or not."""
    rng = np.random.default_rng(seed)
    blocks, mass, ancestry = random_split(grammar, 3, rng, zeros=zeros, proper=True)
    for level in range(4):
        found = project(grammar, blocks, mass, ancestry, level)
        for total in naive.masses(table(grammar, found)).values():
            assert total == pytest.approx(1.0, rel=1e-12)


@settings(max_examples=40)
@given(grammars(rules=6), st.integers(0, 1 << 32), st.integers(0, 3), st.sampled_from((0.0, 0.3)))
def test_the_last_level_is_the_grammar_itself(grammar: PCFG, seed: int, levels: int, zeros: float) -> None:
    rng = np.random.default_rng(seed)
    blocks, mass, ancestry = random_split(grammar, levels, rng, zeros=zeros, proper=False)
    found = project(grammar, blocks, mass, ancestry, levels)
    assert all(np.array_equal(a, b) for a, b in zip(found, blocks, strict=True))


@settings(max_examples=40)
@given(grammars(rules=6), st.integers(0, 1 << 32))
def test_one_level_after_the_other(grammar: PCFG, seed: int) -> None:
    """With the masses summed, it does not matter by which levels one comes down."""
    rng = np.random.default_rng(seed)
    blocks, mass, ancestry = random_split(grammar, 3, rng, zeros=0.0, proper=False)
    direct = project(grammar, blocks, mass, ancestry, 0)
    for level in (2, 1, 0):
        sums = np.zeros_like(mass)
        for x in range(len(grammar.symbols)):
            begin = groups(ancestry, level, x)
            sums[x, : len(begin)] = np.add.reduceat(mass[x, : blocks.splits[x]], begin)
        blocks, mass = project(grammar, blocks, mass, ancestry, level), sums
        ancestry = ancestry[:level]
    assert table(grammar, blocks) == pytest.approx(table(grammar, direct), rel=1e-12)


def rows(*lists: Sequence[int]) -> tuple[Ids, ...]:
    return tuple(np.array(row, np.uint32) for row in lists)


def test_by_hand() -> None:
    """X is two at level 1, the second of which is split on; of t one part is never used."""
    grammar = PCFG.build(
        "R", [("R", "X", "t", 0.0)], [("X", "t", 0.0, ())], [("t", "a", 0.0), ("X", "a", 0.0)]
    )
    assert grammar.symbols == ("R", "X", "t")
    ancestry = (rows([0], [0, 0], [0, 0]), rows([0], [0, 1, 1], [0, 1]))
    blocks = Blocks(
        np.array([1, 3, 2], np.uint32),
        np.array([0, 6], np.uint64),
        np.array([0.05, 0.1, 0.15, 0.2, 0.2, 0.3]),  # R -> X_0 t_0, X_0 t_1, X_1 t_0, ...
        np.array([0, 6], np.uint64),
        np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.0]),  # X_0 -> t_0, t_1; X_1 -> ...
        np.array([0, 3, 5], np.uint64),
        np.array([0.7, 0.3, 0.5, 0.8, 0.6]),  # X_0 -> a, X_1, X_2; t_0 -> a, t_1
    )
    assert entries(grammar) == [("X", "a", False), ("t", "a", False)]
    mass = np.array([[4.0, 0.0, 0.0], [6.0, 1.0, 3.0], [5.0, 0.0, 9.9]])
    one = project(grammar, blocks, mass, ancestry, 1)
    assert one.splits.tolist() == [1, 2, 2]
    assert one.binary == pytest.approx([0.05, 0.1, 0.35, 0.5])
    assert one.unary == pytest.approx([0.1, 0.2, 0.25 * 0.3 + 0.75 * 0.5, 0.25 * 0.4])
    assert one.lexical == pytest.approx([0.7, 0.25 * 0.3 + 0.75 * 0.5, 0.8, 0.6])
    none = project(grammar, blocks, mass, ancestry, 0)
    assert none.splits.tolist() == [1, 1, 1]
    assert none.binary == pytest.approx([1.0])
    assert none.unary == pytest.approx([0.6 * 0.3 + 0.1 * 0.7 + 0.3 * 0.5])
    assert none.lexical == pytest.approx([0.6 * 0.7 + 0.1 * 0.3 + 0.3 * 0.5, 0.8])
    unused = project(grammar, blocks, np.zeros_like(mass), ancestry, 0)
    assert unused.lexical == pytest.approx([0.5, 0.7]), "the mean of those that nobody uses"


def test_groups() -> None:
    ancestry = (rows([0, 0]), rows([0, 1, 1]), rows([0, 1, 2, 2]))
    expected = ([0], [0, 1], [0, 1, 2], [0, 1, 2, 3])
    for level, begins in enumerate(expected):
        assert groups(ancestry, level, 0).tolist() == begins
    assert groups((), 0, 0).tolist() == [0]


def test_trained_levels() -> None:
    """What EM learns at a level is, with all sub-symbols taken together, what was counted."""
    treebank = [
        read_tree("(ROOT (S (NP (d a) (n crow)) (VP (v sees) (NP (d the) (n snail)))))"),
        read_tree("(ROOT (S (NP (p she)) (VP (v grows))))"),
        read_tree("(ROOT (NP (NP (d the) (n leaf)) (NP (p it))))"),
    ]
    grammar = induce(treebank)
    schedule = Schedule(split_rounds=4, merge_rounds=2, smooth_rounds=0)
    trainer = SplitMerge(corpus_of(treebank, grammar), grammar, schedule=schedule)
    levels = [trainer.start()]
    for _ in range(2):
        levels.append(trainer.next(levels))
    last = levels[-1]
    sizes = last.blocks.splits[grammar.lexicon.tag]
    ptr = np.append(0, np.cumsum(sizes)).astype(np.uint64)
    blocks = last.blocks._replace(lexical_ptr=ptr, lexical=np.ones(int(sizes.sum())))
    ancestry = tuple(level.origin for level in levels[1:])
    for number, level in enumerate(levels):
        found = project(grammar, blocks, last.mass, ancestry, number)
        assert found.splits.tolist() == level.blocks.splits.tolist()
    found = project(grammar, blocks, last.mass, ancestry, 0)
    assert found.binary == pytest.approx(np.exp(grammar.binary.weight), rel=1e-9)
    assert found.unary == pytest.approx(np.exp(grammar.unary.weight), rel=1e-9)
    assert found.lexical == pytest.approx(np.ones(len(grammar.lexicon.tag)))
