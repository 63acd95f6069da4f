from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.treebanks.formats import brackets, discbracket
from secateur.treebanks.normalization import AS_IN_THE_PAPER, TRACE, Normalization
from secateur.treebanks.phrases import PhraseReading
from secateur.treebanks.tree import Tree
from treebank_files import trees_of
from treebanks.formats.strategies import any_trees

NONE = Normalization(functions=False, traces=False, empty=False, advp=False, unaries=False, root=None)
TREES = any_trees(
    tags=["NN", "-NONE-", "-LRB-", "PRP$", "X", "ROOT"],
    labels=["NP-SBJ-1", "NP", "ADVP", "PRT|ADVP-CLR", "X", "ROOT", "TOP", ""],
)
CHOICES = st.builds(
    Normalization,
    functions=st.booleans(),
    traces=st.booleans(),
    empty=st.booleans(),
    advp=st.booleans(),
    unaries=st.booleans(),
    root=st.sampled_from([None, "ROOT", "TOP", "TREE"]),
)


@given(CHOICES)
def test_what_is_noted_can_be_read_back(normalization: Normalization) -> None:
    assert Normalization.from_notes(normalization.notes()) == normalization


def test_without_a_note_it_is_the_default() -> None:
    assert Normalization.from_notes({"trees": 7}) == Normalization()
    assert Normalization.from_notes({}).notes()["normalization"] == "functions, traces, empty, unaries, root"
    assert Normalization(root=None).steps == ["functions", "traces", "empty", "unaries"]
    assert AS_IN_THE_PAPER.steps == [field.name for field in fields(Normalization)]


def apply(normalization: Normalization, text: str) -> str:
    tree = normalization(brackets.read_tree(text, empty=True))
    return "" if tree is None else brackets.write(tree)


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        ("functions", "(NP-SBJ-1 (NN=2 a))", "(NP (NN a))"),
        ("functions", "(-LRB- (-NONE- a))", "(-LRB- (-NONE- a))"),
        ("functions", "(PRT|ADVP (PRP$ a) (= b) (- c))", "(PRT|ADVP (PRP$ a) (= b) (- c))"),
        ("functions", "(S (PP-LOC=1 (IN-X a-b)))", "(S (PP (IN a-b)))"),
        ("traces", "(S (NP (-NONE- *)) (VP (VB go) (NP (-NONE- *T*-1))))", "(S (NP ) (VP (VB go) (NP )))"),
        ("empty", "(S (NP (X ) (Y )) (VB go) (Z ))", "(S (VB go))"),
        ("advp", "(S (ADVP (RB a)) (PRT|ADVP (RP b)) (ADVP|PRT (RP c)) (ADVP d))", None),
        (
            "unaries",
            "(S (NP (NP (NP (NN a)))) (VP (NP (VP (VB b)))))",
            "(S (NP (NN a)) (VP (NP (VP (VB b)))))",
        ),
        ("unaries", "(NP (NP (NN a)) (NN b))", "(NP (NP (NN a)) (NN b))"),
    ],
)
def test_each_step_alone(step: str, before: str, after: str | None) -> None:
    if after is None:
        after = "(S (PRT (RB a)) (PRT (RP b)) (PRT (RP c)) (ADVP d))"  # the last is a tag
    assert apply(NONE, before) == before
    assert apply(replace(NONE, **{step: True}), before) == after


@pytest.mark.parametrize("label", ["", "TOP", "ROOT", "VROOT", "S1"])
def test_root_takes_the_place_of_an_outer_bracket(label: str) -> None:
    assert apply(replace(NONE, root="ROOT"), f"({label} (S (NN a)))") == "(ROOT (S (NN a)))"
    assert apply(replace(NONE, root="TOP"), f"({label} (S (NN a)))") == "(TOP (S (NN a)))"


def test_root_is_added_where_there_is_none() -> None:
    assert apply(replace(NONE, root="ROOT"), "(S (NN a))") == "(ROOT (S (NN a)))"
    assert apply(replace(NONE, root="ROOT"), "(NN a)") == "(ROOT (NN a))"


def test_all_steps() -> None:
    before = "( (S (NP-SBJ (-NONE- *-1)) (VP (VB go) (ADVP-DIR (ADVP (RB up))) (S (NP (-NONE- *))))))"
    assert apply(Normalization(), before) == "(ROOT (S (VP (VB go) (ADVP (RB up)))))"
    assert apply(AS_IN_THE_PAPER, before) == "(ROOT (S (VP (VB go) (PRT (RB up)))))"


def test_labels_come_out_as_they_went_in() -> None:
    """ADVP and PRT are one in scoring, not in trees."""
    before = "(ROOT (S (ADVP (RB a)) (PRT (RP b)) (PRT|ADVP (RP c)) (ADVP|PRT (RP d))))"
    assert apply(Normalization(), before) == before


def test_nothing_left() -> None:
    assert Normalization()(brackets.read_tree("( (S (NP (-NONE- *))))")) is None


def test_a_trace_may_change_the_order_of_children() -> None:
    tree = discbracket.read_tree("(S (A (-NONE- 0=*) (a 2=x)) (B (b 1=y)))")
    found = Normalization(root=None)(tree)
    assert found is not None
    assert discbracket.write(found) == "(S (B (b 0=y)) (A (a 1=x)))"


def test_every_step_has_a_switch() -> None:
    assert [field.name for field in fields(Normalization)] == [
        "functions", "traces", "empty", "advp", "unaries", "root"
    ]  # fmt: skip


def kept(tree: Tree) -> list[str]:
    return [w for w, tag in zip(tree.words(), tree.tags(), strict=True) if tag != TRACE]


@given(TREES, CHOICES)
def test_words_stay_and_twice_is_once(tree: Tree, normalization: Normalization) -> None:
    found = normalization(tree)
    if found is None:
        assert not kept(tree)
        return
    assert found.words() == (kept(tree) if normalization.traces else tree.words())
    assert found.indices() == tuple(range(len(found.words())))
    assert normalization(found) == found


@given(TREES)
def test_the_result_is_in_order(tree: Tree) -> None:
    found = Normalization()(tree)
    if found is not None:
        assert found.label == "ROOT"
        assert discbracket.read_tree(discbracket.write(found)) == found
        for node in found.nodes():
            assert node.label not in {"NP-SBJ-1", "PRT|ADVP-CLR", TRACE}
            only = node.children[0] if len(node.children) == 1 else None
            assert not (isinstance(only, Tree) and only.label == node.label and not only.is_preterminal)


def test_the_penn_sample_keeps_only_plain_labels(data: Path) -> None:
    labels: Counter[str] = Counter()
    for tree in filter(None, map(Normalization(), trees_of(data / "ptb-sample" / "test.mrg"))):
        labels.update(node.label for node in tree.nodes() if not node.is_preterminal)
    assert labels["ROOT"] == 372
    assert all(label.replace("|", "").isalpha() and label.isupper() for label in labels)
    assert labels["ADVP"] > labels["PRT"] > 0
    assert len(labels) < 30


@pytest.mark.parametrize("steps", [Normalization(), NONE, AS_IN_THE_PAPER, Normalization(traces=False)])
def test_a_reading_says_the_same_as_its_steps(steps: Normalization) -> None:
    reading = PhraseReading.of(steps)
    assert reading.normalization == steps
    assert PhraseReading.from_notes(reading.notes()) == reading
    assert "advp" not in reading.keep
    assert (reading == PhraseReading()) == (steps == Normalization())
