"""Inside and outside over trees with latent sub-symbols, against the sum over all assignments."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive import tree_em as naive
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import induce
from secateur.grammar.latent.corpus import Corpus, corpus_of
from secateur.grammar.pcfg import PCFG
from secateur.kernels.split import tree_em
from secateur.kernels.split.tree_em import BINARY, LEXICAL, UNARY, Blocks, Nodes
from secateur.testing.strategies import trees
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.tree import Leaf, Tree

RIGHT = Binarization("right")
Floats = npt.NDArray[np.float64]
NO_LOSSES = np.zeros((0, 0))

# A word alone, a chain, chains that return to their first label, the start symbol within, a tag that is a
# phrase label too.
ODD = (
    ["(ROOT a)"],
    ["(ROOT (NP (VP (t a))))"],
    ["(ROOT (NP (VP (NP (t a) (u b)))))", "(ROOT (ROOT (NP (ROOT (t a) (NP (VP (NP b)))))))"],
    ["(ROOT (ROOT (NP (t a)) (VP b)) (t b))", "(ROOT (VP (NP a)))", "(ROOT (NP a) (VP (NP b) (t a)))"],
)


class Case(NamedTuple):
    trees: list[Tree]  # binarized
    grammar: PCFG
    corpus: Corpus
    splits: dict[str, int]
    p: naive.Table

    @property
    def blocks(self) -> Blocks:
        return self.blocks_of(self.p)

    def blocks_of(self, table: naive.Table) -> Blocks:
        return naive.to_blocks(self.grammar, self.corpus.entries, self.splits, table)

    def table(self, blocks: Blocks) -> naive.Table:
        return naive.to_table(self.grammar, self.corpus.entries, blocks)

    def zeros(self) -> Blocks:
        return self.blocks_of(dict.fromkeys(self.p, 0.0))


def case_of(
    treebank: list[Tree], rng: np.random.Generator, *, zeros: float, most: int, widest: int = 3
) -> Case:
    """Random sub-symbols, up to `widest` each and so few that no tree has more than `most` assignments."""
    grammar = induce(treebank, binarization=RIGHT)
    binarized = [RIGHT(tree) for tree in treebank]
    corpus = corpus_of(binarized, grammar)
    splits = {name: int(rng.integers(1, widest + 1)) for name in grammar.symbols}
    splits[grammar.start] = 1
    roots = [naive.node_of(tree) for tree in binarized]
    while any(naive.size(root, splits) > most for root in roots):
        split = [name for name, k in splits.items() if k > 1]
        splits[split[int(rng.integers(len(split)))]] -= 1
    rules = [rule for part in naive.layout(grammar, corpus.entries, splits) for rule in part]
    scales = 10.0 ** -rng.integers(0, 7, len(rules))
    p = np.where(rng.random(len(rules)) < zeros, 0.0, rng.random(len(rules)) * scales)
    return Case(binarized, grammar, corpus, splits, dict(zip(rules, p.tolist(), strict=True)))


@st.composite
def treebanks(draw: st.DrawFn) -> list[Tree]:
    """Trees of up to 5 words, whose few labels return in chains and are tags too."""
    some = trees(labels=("ROOT", "NP", "VP"), tags=("t", "u", "NP"), words=("a", "b"), size=3, arity=3)
    small = some.filter(lambda tree: len(tree.words()) <= 5)
    return [Tree("ROOT", (tree,)) for tree in draw(st.lists(small, min_size=1, max_size=3))]


@st.composite
def cases(draw: st.DrawFn, *, most: int = 600, widest: int = 3, zeros: float | None = None) -> Case:
    treebank = draw(treebanks())
    share = draw(st.sampled_from((0.0, 0.1, 0.4))) if zeros is None else zeros
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    return case_of(treebank, rng, zeros=share, most=most, widest=widest)


def expect(case: Case, numbers: list[int]) -> tuple[float, int, naive.Table]:
    counts = case.zeros()
    total, lost = tree_em.expect(
        case.corpus.nodes, np.array(numbers, np.uint32), case.blocks, counts, NO_LOSSES, NO_LOSSES
    )
    return total, lost, case.table(counts)


def check_expectations(case: Case, numbers: list[int]) -> int:
    """The kernel equals the sum over all assignments; returns how many trees have no probability."""
    total, lost, counts = expect(case, numbers)
    expected = dict.fromkeys(case.p, 0.0)
    logs, impossible = 0.0, 0
    for t in numbers:
        p, found = naive.expectations(naive.node_of(case.trees[t]), case.splits, case.p)
        if p == 0.0:
            impossible += 1
            continue
        logs += math.log(p)
        for rule, count in found.items():
            expected[rule] += count
    assert lost == impossible
    assert total == pytest.approx(logs, rel=1e-9, abs=1e-12)
    # What is nothing must be exactly nothing.
    assert counts == pytest.approx(expected, rel=1e-9, abs=0.0)
    return impossible


@settings(max_examples=60)
@given(cases(), st.data())
def test_expectations(case: Case, data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from(range(len(case.trees))), unique=True))
    check_expectations(case, some)
    check_expectations(case, list(range(len(case.trees))))


@pytest.mark.parametrize("brackets", ODD)
@pytest.mark.parametrize("zeros", [0.0, 0.3])
def test_odd_trees(brackets: list[str], zeros: float) -> None:
    for seed in range(5):
        case = case_of([read_tree(b) for b in brackets], np.random.default_rng(seed), zeros=zeros, most=3000)
        check_expectations(case, list(range(len(brackets))))


def test_many_assignments() -> None:
    """Three sub-symbols everywhere, five words: 3^9 assignments."""
    tree = read_tree("(ROOT (X (t a) (X (X (t b) (t a)) (X (t a) (t b)))))")
    for seed in range(2):
        case = case_of([tree], np.random.default_rng(seed), zeros=0.2, most=20_000)
        splits = dict.fromkeys(case.splits, 3) | {"ROOT": 1}
        rules = [rule for part in naive.layout(case.grammar, case.corpus.entries, splits) for rule in part]
        p = dict(zip(rules, np.random.default_rng(seed).random(len(rules)).tolist(), strict=True))
        case = case._replace(splits=splits, p=p)
        assert naive.size(naive.node_of(case.trees[0]), splits) == 3**9
        check_expectations(case, [0])


def test_impossible_trees_add_nothing() -> None:
    """Of three trees the middle one has a word without probability."""
    treebank = [read_tree(f"(ROOT (X (t a) (t {word})))") for word in "bcd"]
    case = case_of(treebank, np.random.default_rng(0), zeros=0.0, most=600)
    p = {rule: 0.0 if "c" in rule else number for rule, number in case.p.items()}
    case = case._replace(p=p)
    assert check_expectations(case, [0, 1, 2]) == 1
    assert expect(case, [0, 1, 2]) == (*expect(case, [0, 2])[:1], 1, expect(case, [0, 2])[2])
    total, lost, counts = expect(case, [1])
    assert (total, lost) == (0.0, 1)
    assert not any(counts.values())


def vine(words: int, k: int) -> tuple[Nodes, npt.NDArray[np.uint32]]:
    """A right-branching tree each of whose nodes has a symbol and a rule of its own, and k sub-symbols."""
    # Symbols: the root 0, phrases 1 .. words - 2, tags from there on. Nodes: the words from last to first,
    # each but the last followed by the phrase that begins with it.
    kind, symbol, rule, left, right = [LEXICAL], [2 * words - 2], [words - 1], [0], [0]
    for w in range(words - 2, -1, -1):
        above = len(kind) - 1  # the rest of the sentence
        kind += [LEXICAL, BINARY]
        symbol += [words - 1 + w, w]
        rule += [w, w]
        left += [0, above + 1]
        right += [0, above]
    splits = np.full(2 * words - 1, k, np.uint32)
    splits[0] = 1
    ids = (np.array(column, np.uint32) for column in (symbol, rule, left, right))
    return Nodes(np.array([0, len(kind)], np.uint32), np.array(kind, np.uint8), *ids), splits


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("even", [True, False])
def test_no_underflow(k: int, even: bool) -> None:
    words = 300
    nodes, splits = vine(words, k)
    assert nodes.symbol[-1] == 0
    sizes = ([k * k, *[k**3] * (words - 2)], [], [k] * words)
    rng = np.random.default_rng(k)

    def blocks(*, blank: bool) -> Blocks:
        parts = []
        for size in sizes:
            ptr = np.append(0, np.cumsum(size)).astype(np.uint64)
            p = np.full(int(ptr[-1]), 1e-6) if even else 1e-6 * rng.random(int(ptr[-1]))
            parts += [ptr, np.zeros(int(ptr[-1])) if blank else p]
        return Blocks(splits, *parts)

    p, counts = blocks(blank=False), blocks(blank=True)
    total, lost = tree_em.expect(nodes, np.zeros(1, np.uint32), p, counts, NO_LOSSES, NO_LOSSES)
    assert lost == 0
    assert math.isfinite(total)
    if even:  # k choices at every node but the root
        assert total == pytest.approx((2 * words - 1) * math.log(1e-6) + (2 * words - 2) * math.log(k))
    for ptr, flat in ((counts.binary_ptr, counts.binary), (counts.lexical_ptr, counts.lexical)):
        np.testing.assert_allclose(np.add.reduceat(flat, ptr[:-1].astype(int)), 1.0, rtol=1e-12)


@settings(max_examples=40)
@given(cases(most=250, widest=5), st.integers(0, 1 << 32), st.sampled_from([0.0, 0.3]))
def test_merge_losses(case: Case, seed: int, unused: float) -> None:
    rng = np.random.default_rng(seed)
    n, widest = len(case.grammar.symbols), max(case.splits.values())
    mass = np.where(rng.random((n, widest)) < unused, 0.0, rng.random((n, widest)))
    losses = np.zeros((n, widest // 2))
    assume(losses.size)
    counts = case.zeros()
    numbers = np.arange(len(case.trees), dtype=np.uint32)
    tree_em.expect(case.corpus.nodes, numbers, case.blocks, counts, mass, losses)
    assert case.table(counts) == expect(case, numbers.tolist())[2], "losses do not change counts"
    number = case.grammar.number
    by_name = {(x, a): float(mass[number[x], a]) for x, k in case.splits.items() for a in range(k)}
    expected = np.zeros_like(losses)
    for tree in case.trees:
        root = naive.node_of(tree)
        if naive.expectations(root, case.splits, case.p)[0] > 0.0:
            for (x, q), loss in naive.merge_losses(root, case.splits, case.p, by_name).items():
                expected[number[x], q] += loss
    np.testing.assert_allclose(losses, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("used", "loss"),
    [
        # The inside of u is the first half's share instead of 1, the outside twice what it was.
        ((1.0, 3.0), math.log(2.0)),
        ((1.0, 0.0), -math.log(2.0)),
        ((0.0, 1.0), math.inf),
        ((1e-40, 1.0), math.log(1e40) - math.log(2.0)),
        ((0.0, 0.0), 0.0),
    ],
)
def test_what_two_merges_cost(used: tuple[float, float], loss: float) -> None:
    """The halves of t are the same; of u, the tree can only have the first."""
    case = case_of([read_tree("(ROOT (t a) (u b))")], np.random.default_rng(0), zeros=0.0, most=9)
    splits = {"ROOT": 1, "t": 2, "u": 2}
    rules = [rule for part in naive.layout(case.grammar, case.corpus.entries, splits) for rule in part]
    p = dict.fromkeys(rules, 0.25) | {(("u", 0), "b", False): 1.0, (("u", 1), "b", False): 0.0}
    case = case._replace(splits=splits, p=p)
    mass = np.array([[1.0, 0.0], [1.0, 1.0], used])
    losses = np.zeros((3, 1))
    tree_em.expect(case.corpus.nodes, np.zeros(1, np.uint32), case.blocks, case.zeros(), mass, losses)
    np.testing.assert_allclose(losses, [[0.0], [0.0], [loss]], rtol=1e-12, atol=1e-15)


@settings(max_examples=40)
@given(cases(zeros=0.0), st.integers(0, 1 << 32))
def test_normalize(case: Case, seed: int) -> None:
    rng = np.random.default_rng(seed)
    unused = {parent for parent in naive.masses(case.p) if rng.random() < 0.2}
    counts = {
        rule: 0.0 if rule[0] in unused or rng.random() < 0.2 else 100.0 * rng.random() for rule in case.p
    }
    blocks = case.zeros()
    mass = tree_em.normalize(case.blocks_of(counts), *parents(case), blocks)
    found = case.table(blocks)
    assert found == pytest.approx(naive.normalized(counts), rel=1e-12, abs=0.0)
    whole = naive.masses(counts)
    for name, x in case.grammar.number.items():
        for a in range(mass.shape[1]):
            assert mass[x, a] == pytest.approx(whole.get((name, a), 0.0), rel=1e-12, abs=0.0)
    for parent, total in naive.masses(found).items():
        assert total == pytest.approx(1.0 if whole[parent] else 0.0)


def test_hardly_a_probability_is_none() -> None:
    case = case_of([read_tree("(ROOT (t a) (t b))")], np.random.default_rng(0), zeros=0.0, most=1)
    counts = {rule: 1e-40 if "b" in rule else 1.0 for rule in case.p}
    blocks = case.zeros()
    tree_em.normalize(case.blocks_of(counts), *parents(case), blocks)
    assert case.table(blocks) == {rule: float("b" not in rule) for rule in case.p}


def parents(case: Case) -> tuple[npt.NDArray[np.uint32], ...]:
    tags = np.array([case.grammar.number[tag] for tag, _, _ in case.corpus.entries], np.uint32)
    return case.grammar.binary.parent, case.grammar.unary.parent, tags


def test_nodes_of_a_tree() -> None:
    brackets = "(ROOT (S (NP (t a)) (VP (NP (VP (u b) (NP (t c)))))))"
    grammar = induce([read_tree(brackets)])
    other = read_tree("(X (t a))")
    corpus = corpus_of([other, read_tree(brackets), other, read_tree(brackets)], grammar)
    assert corpus.trees == 2
    assert corpus.entries == (("t", "a", True), ("t", "c", False), ("u", "b", False))
    n = grammar.number
    # VP over NP over VP is no rule.
    expected = [
        (LEXICAL, "t", ("t", "a", True)),
        (UNARY, "NP", ("NP", "t"), 0),
        (LEXICAL, "u", ("u", "b", False)),
        (LEXICAL, "t", ("t", "c", False)),
        (UNARY, "NP", ("NP", "t"), 3),
        (BINARY, "VP", ("VP", "u", "NP"), 2, 4),
        (BINARY, "S", ("S", "NP", "VP"), 1, 5),
        (UNARY, "ROOT", ("ROOT", "S"), 6),
    ]
    nodes = corpus.nodes
    assert nodes.ptr.tolist() == [0, 8, 16]
    for m in range(16):
        kind, symbol, rule, *children = expected[m % 8]
        r = int(nodes.rule[m])
        assert (nodes.kind[m], nodes.symbol[m]) == (kind, n[symbol])
        assert [nodes.left[m], nodes.right[m]][: len(children)] == children
        if kind == LEXICAL:
            assert corpus.entries[r] == rule
        elif kind == UNARY:
            assert (grammar.unary.parent[r], grammar.unary.child[r]) == tuple(n[x] for x in rule)
        else:
            three = (grammar.binary.parent[r], grammar.binary.left[r], grammar.binary.right[r])
            assert three == tuple(n[x] for x in rule)


@settings(max_examples=30)
@given(treebanks())
def test_children_before_parents(treebank: list[Tree]) -> None:
    """Each node but the last of its tree is the child of exactly one later node, in whose rule it stands."""
    grammar = induce(treebank, binarization=RIGHT)
    corpus = corpus_of(map(RIGHT, treebank), grammar)
    nodes, binary, unary = corpus.nodes, grammar.binary, grammar.unary
    for t, tree in enumerate(treebank):
        first, last = int(nodes.ptr[t]), int(nodes.ptr[t + 1])
        assert last - first == len(naive.below(naive.node_of(RIGHT(tree))))
        assert grammar.symbols[nodes.symbol[last - 1]] == "ROOT"
        children = []
        for m in range(last - first):
            kind, x, r, y, z = (int(column[first + m]) for column in nodes[1:])
            if kind == LEXICAL:
                assert corpus.entries[r][0] == grammar.symbols[x]
                continue
            below = (y,) if kind == UNARY else (y, z)
            rule = (unary.parent[r], unary.child[r]) if kind == UNARY else (binary.parent[r], binary.left[r])
            assert rule == (x, nodes.symbol[first + y])
            if kind == BINARY:
                assert binary.right[r] == nodes.symbol[first + z]
            assert max(below) < m
            children += below
        assert sorted(children) == list(range(last - first - 1))


@pytest.mark.parametrize("direction", ["left", "right"])
def test_a_wide_node(direction: str) -> None:
    """Made binary it is deeper than the interpreter may recurse, with the frames a recursion would take."""
    words = 3000
    flat = Tree("ROOT", tuple(Tree("t", (Leaf(i, "a"),)) for i in range(words)))
    way = Binarization("left" if direction == "left" else "right")
    grammar = induce([flat], binarization=way)
    corpus = corpus_of([way(flat)], grammar)
    assert len(corpus.nodes.kind) == 2 * words - 1
    assert corpus.entries == (("t", "a", False), ("t", "a", True))
    assert np.bincount(corpus.nodes.kind).tolist() == [words, 0, words - 1]


def test_no_trees() -> None:
    grammar = induce([read_tree("(ROOT (t a))")])
    corpus = corpus_of([], grammar)
    assert (corpus.trees, corpus.entries, len(corpus.nodes.kind)) == (0, (), 0)
