"""The annotation of discontinuous phrases: how files are read, and what is counted in a bank."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import secateur
from secateur.errors import InputError
from secateur.treebanks.annotation import read_files
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousReading, fan_out
from secateur.treebanks.formats import FORMATS
from secateur.treebanks.formats.discbracket import read_tree, write
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.punctuation import TREATMENTS, is_punctuation, move
from secateur.treebanks.tree import Tree
from treebanks.formats.strategies import any_trees

STEPS = ("traces", "empty", "unaries", "root")
READINGS = st.builds(
    DiscontinuousReading,
    keep=st.sets(st.sampled_from(STEPS)).map(sorted).map(tuple),
    root=st.sampled_from(["ROOT", "VROOT"]),
    advp=st.booleans(),
    functions=st.booleans(),
    marks=st.sampled_from(TREATMENTS),
)
TREES = any_trees(
    words=["cat", ",", "*T*-1"],
    tags=["NN", "punct", "-NONE-"],
    labels=["S", "NP-SBJ", "NP", "top", "VROOT"],
    max_words=9,
)


def read(text: str, how: DiscontinuousReading) -> list[str]:
    return [write(tree) for tree in how.read([read_tree(text)])]


@pytest.mark.parametrize(
    ("how", "after"),
    [
        ({}, "(ROOT (S (N-1 (a 0=x) (punct 1=,) (b 2=y)) (v 3=z)) (punct 4=.))"),
        ({"functions": True}, "(ROOT (S (N (a 0=x) (punct 1=,) (b 2=y)) (v 3=z)) (punct 4=.))"),
        ({"marks": "leave"}, "(ROOT (S (N-1 (a 0=x) (b 2=y)) (v 3=z)) (punct 1=,) (punct 4=.))"),
        ({"marks": "remove"}, "(ROOT (S (N-1 (a 0=x) (b 1=y)) (v 2=z)))"),
        ({"root": "VROOT"}, "(VROOT (S (N-1 (a 0=x) (punct 1=,) (b 2=y)) (v 3=z)) (punct 4=.))"),
        ({"keep": ("root",)}, "(top (S (N-1 (a 0=x) (punct 1=,) (b 2=y)) (v 3=z)) (punct 4=.))"),
        ({"keep": ("unaries",)}, "(ROOT (S (S (N-1 (a 0=x) (punct 1=,) (b 2=y)) (v 3=z))) (punct 4=.))"),
    ],
)
def test_each_option(how: dict[str, object], after: str) -> None:
    before = "(top (S (S (N-1 (a 0=x) (b 3=y) (-NONE- 2=*)) (v 4=z))) (punct 1=,) (punct 5=.))"
    assert read(before, DiscontinuousReading(**how)) == [after]  # type: ignore[arg-type]


def test_what_is_left_over_itself_becomes_one() -> None:
    assert read("(S (NP (NP (a 0=x)) (punct 1=,)) (b 2=y))", DiscontinuousReading()) == [
        "(ROOT (S (NP (a 0=x)) (punct 1=,) (b 2=y)))"
    ]


def test_a_full_stop_hangs_below_the_root() -> None:
    found = ["(ROOT (S (a 0=x)) (punct 1=.))"]
    assert read("(S (a 0=x) (punct 1=.))", DiscontinuousReading()) == found
    assert read("(VROOT (S (a 0=x) (punct 1=.)))", DiscontinuousReading()) == found


def test_of_several_roots_one_is_left() -> None:
    """Also where punctuation is moved, which then hangs below it."""
    stop = "(VROOT (ROOT (TOP (S (a 0=x) (b 1=y)) (punct 2=.))))"
    assert read(stop, DiscontinuousReading()) == ["(ROOT (S (a 0=x) (b 1=y)) (punct 2=.))"]
    assert list(DiscontinuousReading().read([Tree("ROOT", ())])) == []


def test_trees_without_words_go() -> None:
    assert read("(S (NP (-NONE- 0=*)))", DiscontinuousReading()) == []
    assert read("(S (punct 0=.))", DiscontinuousReading(marks="remove")) == []
    assert read("(S (punct 0=.))", DiscontinuousReading()) == ["(ROOT (S (punct 0=.)))"]


def test_wrong_options() -> None:
    with pytest.raises(InputError, match="no normalization step 'functions'; choose from traces, empty"):
        DiscontinuousReading(keep=("functions",))
    with pytest.raises(InputError, match="treatment of punctuation 'up'"):
        DiscontinuousReading(marks="up")  # type: ignore[arg-type]


@given(READINGS)
def test_what_is_noted_can_be_read_back(how: DiscontinuousReading) -> None:
    found = DiscontinuousReading.from_notes(how.notes())
    assert (found.normalization, found.marks) == (how.normalization, how.marks)
    assert found.notes() == how.notes()


def test_the_default() -> None:
    how = DiscontinuousReading()
    assert DiscontinuousReading.from_notes({"trees": 7}) == how
    assert DiscontinuousReading.from_notes(how.notes()) == how
    assert how.notes() == {"normalization": "traces, empty, unaries, root", "root": "ROOT", "marks": "move"}
    assert how.said() == "gold normalized (traces, empty, unaries, root), punctuation moved"
    assert how.faulty() is None
    steps = Normalization(advp=True)
    assert DiscontinuousReading.of(steps).normalization == steps
    assert DiscontinuousReading.of(steps).marks == "leave"


@given(TREES, READINGS)
def test_words_stay_and_twice_is_once(tree: Tree, how: DiscontinuousReading) -> None:
    pairs = zip(tree.words(), tree.tags(), strict=True)
    kept = [word for word, tag in pairs if "traces" in how.keep or tag != "-NONE-"]
    if how.marks == "remove":
        tagged = zip(tree.words(), tree.tags(), strict=True)
        kept = [
            word
            for word, tag in tagged
            if ("traces" in how.keep or tag != "-NONE-") and not is_punctuation(tag, word)
        ]
    found = list(DISCONTINUOUS.normalized([tree], how))
    if not found:
        assert not kept or "empty" in how.keep
        return
    assert found[0].words() == kept
    assert found[0].indices() == tuple(range(len(kept)))
    assert list(DISCONTINUOUS.normalized(found, how)) == found
    if kept and "empty" not in how.keep:
        assert read_tree(write(found[0])) == found[0]


def test_edge_labels_stay() -> None:
    tree = read_tree("(top (NP (NP (a 0=x) (b 2=y))) (punct 1=,) (v 3=z))")
    labelled = _with_rels(tree, "top")
    (found,) = DiscontinuousReading().read([labelled])
    assert [(node.label, node.rel) for node in found.nodes()] == [
        ("ROOT", "top"),
        ("NP", "top/0"),  # what it is to its parent, not to the NP above it that went
        ("a", "top/0/0/0"),
        ("punct", "top/1"),
        ("b", "top/0/0/1"),
        ("v", "top/2"),
    ]


def _with_rels(node: Tree, rel: str) -> Tree:
    if node.is_preterminal:
        return Tree(node.label, node.children, rel)
    children = [_with_rels(c, f"{rel}/{n}") for n, c in enumerate(node.children) if isinstance(c, Tree)]
    return Tree(node.label, tuple(children), rel)


def test_reading_by_the_usual_function(tmp_path: Path) -> None:
    path = tmp_path / "x.dbr"
    path.write_text("(S (N-1 (a 0=x) (b 2=y)) (punct 1=,))\n")
    assert [str(t) for t in secateur.read(path)] == ["(ROOT (S (N-1 (a x) (punct ,) (b y))))"]
    assert [str(t) for t in secateur.read(path, marks="remove", functions=True)] == [
        "(ROOT (S (N (a x) (b y))))"
    ]
    as_it_stands = secateur.read(path, normalization=None)
    assert [write(t) for t in as_it_stands] == ["(S (N-1 (a 0=x) (b 2=y)) (punct 1=,))"]
    (own,) = secateur.read(path, normalization=Normalization(root=None))
    assert write(own) == "(S (N (a 0=x) (b 2=y)) (punct 1=,))"  # steps alone leave punctuation


def test_all_formats_are_there() -> None:
    assert set(DISCONTINUOUS.formats) <= FORMATS.keys()
    assert DISCONTINUOUS.formats[0] == "discbracket"


# What is counted --------------------------------------------------------------------------------------------


def test_how_discontinuous_a_bank_is() -> None:
    trees = [
        "(S (A (a 0=x) (a 2=z)) (b 1=y))",
        "(S (a 0=x))",
        "(S (A (B (b 0=x)) (a 2=x) (a 4=x)) (a 1=x) (a 3=x))",
        "(a 0=x)",
    ]
    bank = DISCONTINUOUS.bank(map(read_tree, trees))
    assert bank.special() == {
        "discontinuous trees": 2,
        "discontinuous trees per thousand": 500,
        "discontinuous nodes": 2,
        "discontinuous nodes per thousand": 333,
        "gap degree": 2,
        "trees of gap degree 0": 2,
        "trees of gap degree 1": 1,
        "trees of gap degree 2": 1,
        "nodes of fan-out 1": 4,
        "nodes of fan-out 2": 1,
        "nodes of fan-out 3": 1,
        "unary chains": 0,
    }
    assert bank[1:2].special()["discontinuous trees"] == 0


@given(st.lists(any_trees(max_words=9), max_size=5))
def test_counts_equal_those_of_gaps(forest: list[Tree]) -> None:
    special = DISCONTINUOUS.bank(forest).special()
    gaps: Counter[int] = Counter()
    for tree in forest:
        for node in tree.nodes():
            if not node.is_preterminal:
                covered = set(node.indices())
                gaps[sum(1 for p in covered if p + 1 not in covered and p < max(covered))] += 1
    assert special["discontinuous trees"] == sum(tree.is_discontinuous for tree in forest)
    assert special["discontinuous nodes"] == sum(n for count, n in gaps.items() if count)
    assert {f"nodes of fan-out {n + 1}": gaps[n] for n in gaps}.items() <= special.items()
    assert special["gap degree"] == max(gaps, default=0)


def test_fan_out() -> None:
    assert [fan_out(positions) for positions in ((3,), (0, 1, 2), (0, 2), (0, 1, 4, 6, 7))] == [1, 1, 2, 3]


def test_alpino_as_it_is_read(data: Path) -> None:
    bank = read_files(DISCONTINUOUS, [data / "alpino" / "dev.xml"], DiscontinuousReading())
    special = bank.special()
    assert special["discontinuous trees"] == 217
    assert [special[f"nodes of fan-out {n}"] for n in (2, 3)] == [318, 37]
    assert bank.labels()["ROOT"] == 500
    assert "top" not in bank.labels()
    raw = read_files(DISCONTINUOUS, [data / "alpino" / "dev.xml"], None)
    assert raw.special()["discontinuous trees"] == 318
    assert DISCONTINUOUS.bank(map(move, raw)).special()["discontinuous trees"] == 217
