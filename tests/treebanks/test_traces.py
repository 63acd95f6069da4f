"""Traces resolved: each case by hand, the garden's two annotations, and the Penn sample's counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.treebanks.formats import brackets, discbracket
from secateur.treebanks.garden import garden
from secateur.treebanks.normalization import TRACE, Normalization, closed_up
from secateur.treebanks.traces import (
    CIRCLE,
    EMPTY,
    INSIDE,
    KINDS,
    NO_FILLER,
    NO_INDEX,
    REMOVED,
    RESOLVED,
    SEVERAL,
    SHARED,
    Resolver,
    resolve,
)
from secateur.treebanks.tree import Leaf, Tree


def resolved(text: str) -> tuple[str, dict[tuple[str, str], int]]:
    tree, counts = resolve(brackets.read_tree(text))
    return "" if tree is None else discbracket.write(tree), dict(counts)


def test_a_question() -> None:
    text = (
        "(SBARQ (W-1 (WP What)) (SQ (MD will) (NP-SBJ-2 (PRP you)) (VP (VB say) (NP (-NONE- *T*-1)))) (. ?))"
    )
    found = "(SBARQ (SQ (VP (W (WP 0=What)) (VB 3=say)) (MD 1=will) (NP (PRP 2=you))) (. 4=?))"
    assert resolved(text) == (found, {("*T*", RESOLVED): 1})


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind(kind: str) -> None:
    text = f"(S (NP (NP (NN a)) (PP (-NONE- {kind}-3))) (VP (VB b)) (PP-TMP-3=4 (IN c)))"
    assert resolved(text) == (
        "(S (NP (NP (NN 0=a)) (PP (IN 2=c))) (VP (VB 1=b)))",
        {(kind, RESOLVED): 1},
    )


def test_other_empty_elements_go() -> None:
    text = (
        "(S (NP-SBJ-1 (NN a)) (VP (VB b) (S (NP (-NONE- *-1)) (X (-NONE- *)) (VP (VB c) (U (-NONE- *U*)))))"
        " (Y (-NONE- 0)))"
    )
    found, counts = resolved(text)
    assert found == "(S (NP (NN 0=a)) (VP (VB 1=b) (S (VP (VB 2=c)))))"
    assert counts == {("*", REMOVED): 2, ("*U*", REMOVED): 1, ("0", REMOVED): 1}


def test_a_trace_beside_words_keeps_its_phrase() -> None:
    found, _ = resolved("(S (W-1 (w a)) (V (v b) (-NONE- *T*-1)))")
    assert found == "(S (V (W (w 0=a)) (v 1=b)))"


def test_a_chain_ends_at_its_last_trace() -> None:
    text = "(S (W-1 (w a)) (X (X-2 (-NONE- *T*-1)) (x b)) (Y (y c) (Z (-NONE- *ICH*-2))))"
    assert resolved(text) == (
        "(S (Y (W (w 0=a)) (y 2=c)) (X (x 1=b)))",
        {("*T*", RESOLVED): 1, ("*ICH*", RESOLVED): 1},
    )


def test_a_trace_inside_another_filler_goes_along() -> None:
    text = "(S (A-1 (a a) (B (-NONE- *ICH*-2))) (B-2 (b b)) (C (c c) (D (-NONE- *T*-1))))"
    found = "(S (C (A (a 0=a) (B (b 1=b))) (c 2=c)))"
    assert resolved(text) == (found, {("*T*", RESOLVED): 1, ("*ICH*", RESOLVED): 1})


def test_a_trace_inside_its_filler() -> None:
    """As in: The man, he said, left."""
    text = "(S (S-1 (N (n a)) (PRN (P (p b)) (V (v c) (S (-NONE- *T*-1)))) (V (v d))) (. .))"
    assert resolved(text) == (
        "(S (S (N (n 0=a)) (PRN (P (p 1=b)) (V (v 2=c))) (V (v 3=d))) (. 4=.))",
        {("*T*", INSIDE): 1},
    )


def test_a_trace_inside_its_filler_comes_out_with_another() -> None:
    """What holds the trace is moved out of the filler, so that the filler can follow."""
    text = "(S (A-1 (a a) (B-2 (b b) (X (-NONE- *T*-1)))) (C (c c) (Y (-NONE- *T*-2))))"
    found = "(S (C (B (A (a 0=a)) (b 1=b)) (c 2=c)))"
    assert resolved(text) == (found, {("*T*", RESOLVED): 2})


def test_a_circle() -> None:
    text = "(S (A-1 (a a) (X (-NONE- *T*-2))) (B-2 (b b) (Y (-NONE- *T*-1))))"
    found, counts = resolved(text)
    assert counts == {("*T*", RESOLVED): 1, ("*T*", CIRCLE): 1}
    assert found == "(S (B (A (a 0=a)) (b 1=b)))"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(S (W-1 (w a)) (X (x b) (T (-NONE- *T*-1))) (Y (y c) (T (-NONE- *T*-1))))", "X"),
        ("(S (X (x b) (T (-NONE- *RNR*-1))) (Y (y c) (T (-NONE- *RNR*-1))) (W-1 (w a)))", "Y"),
        ("(S (X (x b) (T (-NONE- *T*-1))) (W-1 (w a)) (Y (T (-NONE- *T*-1)) (y c)))", "X"),
    ],
)
def test_the_nearest_of_several_traces(text: str, place: str) -> None:
    tree, counts = resolve(brackets.read_tree(text))
    assert tree is not None
    (parent,) = [
        node.label
        for node in tree.nodes()
        for child in node
        if isinstance(child, Tree) and child.label == "W"
    ]
    assert parent == place
    assert sorted(what for _, what in counts.elements()) == [RESOLVED, SHARED]


def test_a_trace_inside_its_filler_leaves_it_to_another() -> None:
    text = "(S (A-1 (a a) (X (-NONE- *T*-1))) (b b) (Y (-NONE- *T*-1)))"
    assert resolved(text)[1] == {("*T*", RESOLVED): 1, ("*T*", INSIDE): 1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(S (X (-NONE- *T*-1)) (a a))", NO_FILLER),
        ("(S (X (-NONE- *T*)) (a a))", NO_INDEX),
        ("(S (X (-NONE- *T*-1)) (A-1 (a a)) (B-1 (b b)))", SEVERAL),
        ("(S (W-1 (-NONE- 0)) (a a) (X (-NONE- *T*-1)))", EMPTY),
        ("(S (a a) (X-1 (-NONE- *T*-1)))", EMPTY),
        ("(S-1 (a a) (X (-NONE- *T*-1)))", INSIDE),
    ],
)
def test_what_cannot_be_resolved(text: str, why: str) -> None:
    tree, counts = resolve(brackets.read_tree(text))
    assert counts["*T*", why] == 1
    assert not any(what == RESOLVED for _, what in counts)
    assert tree == Normalization(unaries=False, root=None)(brackets.read_tree(text))


def test_nothing_but_traces() -> None:
    assert resolve(brackets.read_tree("(S (X-1 (-NONE- *)) (Y (-NONE- *T*-1)))")).tree is None


def test_edge_labels_stay() -> None:
    trace = Tree("X", (Tree(TRACE, (Leaf(1, "*T*-1"),)),), "mod")
    tree = Tree(
        "S", (Tree("W-1", (Tree("w", (Leaf(0, "a"),), "hd"),), "su"), trace, Tree("v", (Leaf(2, "b"),)))
    )
    found = resolve(tree).tree
    assert found is not None
    assert [(node.label, node.rel) for node in found.nodes()] == [
        ("S", ""),
        ("W", "su"),
        ("w", "hd"),
        ("v", ""),
    ]


def test_many_trees_are_summed_up() -> None:
    resolver = Resolver()
    text = (
        "(S (W-1 (w a)) (x b) (Y (y c) (T (-NONE- *T*-1))))"
        "(S (X (-NONE- *T*-1)) (U (-NONE- *U*)) (a a)) (S (X (-NONE- *)))"
    )
    trees = list(resolver.resolved(brackets.read([text])))
    assert (len(trees), resolver.trees, resolver.discontinuous) == (2, 2, 1)
    assert resolver.said() == [
        "*T*: 1 resolved, 1 without a filler",
        "*: 1 removed",
        "*U*: 1 removed",
        "1 of 2 trees are discontinuous (50.0%)",
    ]


def test_the_garden_resolves_its_traces_alike() -> None:
    """Its own derivation attaches what moved, but for extraposition from `it`."""
    moved = 0
    for sample in garden(500):
        tree, counts = resolve(sample.penn)
        assert tree is not None
        assert tree.words() == sample.discontinuous.words()
        if not any(kind == "*EXP*" for kind, _ in counts):
            assert tree.children == sample.discontinuous.children
            moved += tree.is_discontinuous
    assert moved > 40


TRACES = st.sampled_from(
    [f"{kind}-{number}" for kind in ("*T*", "*ICH*") for number in (1, 2, 3)] + ["*", "0", "*T*"]
)


@st.composite
def tangles(draw: st.DrawFn) -> Tree:
    """Trees full of traces and fillers, often in circles."""
    count = 0

    def node(depth: int) -> Tree:
        nonlocal count
        if depth == 4 or (depth and draw(st.integers(0, 2)) == 0):
            count += 1
            if draw(st.booleans()):
                return Tree(TRACE, (Leaf(count - 1, draw(TRACES)),))
            return Tree("x", (Leaf(count - 1, f"w{count}"),))
        label = draw(st.sampled_from(["A", "A-1", "B-2", "C-3", "B-SBJ-1"]))
        return Tree(label, tuple(node(depth + 1) for _ in range(draw(st.integers(1, 3)))))

    return node(0)


@given(tangles())
def test_words_stay_whatever_moves(tree: Tree) -> None:
    found, counts = resolve(tree)
    plain = Normalization(unaries=False, root=None)(tree)
    assert counts.total() == tree.tags().count(TRACE)
    if found is None or plain is None:
        assert found is plain
        return
    assert (found.words(), found.tags()) == (plain.words(), plain.tags())
    assert discbracket.read_tree(discbracket.write(found)) == found
    assert all(label.isalpha() for label in (node.label for node in found.nodes()))
    if not any(what == RESOLVED for _, what in counts):
        assert found == plain


class Part:
    """A node that can be hung elsewhere."""

    def __init__(self, tree: Tree, above: Part | None) -> None:
        self.label, self.above = tree.label, above
        self.positions = tree.indices()
        self.leaf = tree.children[0] if tree.is_preterminal else None
        self.children = [Part(c, self) for c in tree.children if isinstance(c, Tree)]

    def below(self) -> list[Part]:
        return [self, *(part for child in self.children for part in child.below())]

    def has_words(self) -> bool:
        return any(part.leaf and part.label != TRACE for part in self.below())

    def tree(self) -> Tree:
        if isinstance(self.leaf, Leaf):
            return Tree(self.label, (self.leaf,))
        return Tree(self.label, tuple(child.tree() for child in self.children))


def slowly_resolved(tree: Tree) -> tuple[Tree, int]:
    """The tree in which one filler after the other was hung at the nearest of its traces that is not below
    it, as long as there was any; and how many were."""
    root = Part(tree, None)
    fillers: dict[str, list[Part]] = {}
    traces: dict[str, list[Part]] = {}
    for part in root.below():
        if isinstance(part.leaf, Leaf):
            if part.label == TRACE and part.leaf.word[-1] in "123" and part.leaf.word[:3] in ("*T*", "*IC"):
                traces.setdefault(part.leaf.word[-1], []).append(part)
        elif part.label[-1] in "123":
            fillers.setdefault(part.label[-1], []).append(part)
    places = {number: own[0].positions for number, own in fillers.items()}
    done: set[str] = set()
    before = -1
    while len(done) > before:
        before = len(done)
        for number, (filler, *others) in fillers.items():
            if others or number in done or not filler.has_words():
                continue
            place = places[number]
            near = sorted(traces.get(number, []), key=lambda t: min(abs(t.positions[0] - p) for p in place))
            for trace in near:
                above = trace.above
                slot = (
                    above
                    if above and above.positions == trace.positions and len(above.children) == 1
                    else trace
                )
                if slot in filler.below():
                    continue
                assert filler.above is not None
                assert slot.above is not None
                filler.above.children.remove(filler)
                siblings = slot.above.children
                siblings[siblings.index(slot)] = filler
                filler.above = slot.above
                for own in fillers.values():  # what stood for another filler is now this one
                    own[:] = [filler if part is slot else part for part in own]
                done.add(number)
                break
    return root.tree(), len(done)


@given(tangles())
def test_equals_moving_one_after_the_other(tree: Tree) -> None:
    found, counts = resolve(tree)
    moved, count = slowly_resolved(tree)
    assert sum(n for (_, what), n in counts.items() if what == RESOLVED) == count
    expected = Normalization(unaries=False, root=None)(closed_up(moved))
    assert found == expected


@pytest.mark.parametrize(
    ("split", "discontinuous", "expected"),
    [
        (
            "train",
            594,
            {
                ("*T*", RESOLVED): 1012,
                ("*T*", EMPTY): 195,
                ("*T*", INSIDE): 67,
                ("*T*", SHARED): 5,
                ("*T*", SEVERAL): 1,
                ("*T*", NO_FILLER): 1,
                ("*ICH*", RESOLVED): 105,
                ("*ICH*", SHARED): 1,
                ("*EXP*", RESOLVED): 35,
                ("*RNR*", RESOLVED): 15,
                ("*RNR*", SHARED): 16,
            },
        ),
        (
            "test",
            55,
            {
                ("*T*", RESOLVED): 104,
                ("*T*", EMPTY): 23,
                ("*T*", INSIDE): 3,
                ("*ICH*", RESOLVED): 7,
                ("*EXP*", RESOLVED): 3,
                ("*RNR*", RESOLVED): 1,
                ("*RNR*", SHARED): 1,
            },
        ),
    ],
)
def test_the_penn_sample(
    data: Path, split: str, discontinuous: int, expected: dict[tuple[str, str], int]
) -> None:
    resolver = Resolver()
    with (data / "ptb-sample" / f"{split}.mrg").open(encoding="utf-8") as lines:
        for _ in resolver.resolved(brackets.read(lines)):
            pass
    assert {pair: n for pair, n in resolver.counts.items() if pair[0] in KINDS} == expected
    assert resolver.discontinuous == discontinuous
