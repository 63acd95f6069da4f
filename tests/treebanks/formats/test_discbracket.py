from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks.formats import brackets, discbracket
from secateur.treebanks.tree import Constituent, Leaf, Tree, renumber
from treebanks.formats.strategies import any_trees, trees

ASK = "(S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you))"
APART = "(S(VP(WP 1)(VB 4))(MD 2)(PRP 3))\twhat will you say"


def test_reads_a_discontinuous_tree() -> None:
    tree = discbracket.read_tree(ASK)
    assert tree.words() == ["what", "will", "you", "say"]
    assert tree.tags() == ["WP", "MD", "PRP", "VB"]
    assert tree.constituents() == [Constituent("S", (0, 1, 2, 3)), Constituent("VP", (0, 3))]
    assert discbracket.write(tree) == ASK == str(tree)


def test_children_are_put_in_the_order_of_their_first_word() -> None:
    shuffled = "(S (PRP 2=you) (MD 1=will) (VP (VB 3=say) (WP 0=what)))"
    assert discbracket.read_tree(shuffled) == discbracket.read_tree(ASK)


def test_a_word_may_hold_an_equals_sign() -> None:
    assert discbracket.read_tree("(SYM 0=a=b)") == Tree("SYM", (Leaf(0, "a=b"),))


@given(st.lists(any_trees(), min_size=1, max_size=4))
def test_round_trip(forest: list[Tree]) -> None:
    lines = [discbracket.write(tree) for tree in forest]
    assert list(discbracket.read(lines)) == forest


@given(trees())
def test_continuous_trees_are_as_in_brackets(tree: Tree) -> None:
    assert discbracket.read_tree(discbracket.write(tree)) == brackets.read_tree(brackets.write(tree))


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("(S (NN 0=a) (NN b))", "1:13", '"b" has no position'),
        ("(S (NN 0=a) (NN x=b))", "1:13", '"x=b" has no position'),
        ("(S (NN 0=a) (NN -1=b))", "1:13", "has no position"),
        ("(S (NN 0=a) (NN 1=))", "1:13", '"1=" has no position'),
        (f"{ASK}\n(S (NN 1=a) (NN 1=b))", "2:13", "two words at position 1"),
        ("(S (NN 0=a)\n  (NN 2=b))", "2:3", "no word at position 1"),
        ("(S (NN 1=a))", "1:4", "no word at position 0"),
        ("(S (NN 0=a)", "1:12", "never ends"),
        ("", "", "no trees"),
    ],
)
def test_faults_say_where_and_what(text: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        list(discbracket.read(io.StringIO(text)))
    assert caught.value.where == where
    assert what in caught.value.what
    assert caught.value.fix


def test_a_fault_spoils_one_tree() -> None:
    errors: list[InputError] = []
    lines = [ASK, "(S (NN 0=a) (NN 0=b))", ASK, "(S (NN 1=a))", ASK, "(S (NN 0=a) (NN b))", "(S (NN 0=a", ASK]
    found = list(discbracket.read(lines, name="x", on_error=errors.append))
    assert found == [discbracket.read_tree(ASK)] * 4
    assert [error.where for error in errors] == ["x:2:13", "x:4:4", "x:6:13", "x:7:11"]


def test_empty_nodes_on_request() -> None:
    found = list(discbracket.read([ASK, "(TOP )", ASK], empty=True))
    assert found[1] == Tree("TOP", ())
    assert found[0] == found[2]


def test_renumber_moves_words_and_sorts_children() -> None:
    tree = brackets.read_tree("(S (A (a x) (b y)) (C (c z)))")
    moved = renumber(tree, [1, 2, 0])
    assert str(moved) == "(S (C (c z)) (A (a x) (b y)))"
    assert moved.words() == ["z", "x", "y"]


# Words behind the brackets, as treetools writes them --------------------------------------------------------


def test_reads_words_behind_the_brackets() -> None:
    tree = discbracket.read_tree(ASK)
    assert discbracket.read_tree(APART) == tree
    found = list(discbracket.read(["\n", f"{APART}\n", "\n", APART.replace("what", "(what)")]))
    assert found[0] == tree
    assert found[1].words() == ["(what)", "will", "you", "say"]
    assert discbracket.looks_like(f"{APART}\n{APART}")
    assert not discbracket.looks_like(APART.replace("\t", " "))
    assert not discbracket.looks_like("(S (NN 1) (NN 2))")


@given(st.lists(trees(discontinuous=True), min_size=1, max_size=4))
def test_words_behind_the_brackets_make_the_same_trees(forest: list[Tree]) -> None:
    def apart(tree: Tree) -> str:
        def brackets_of(node: Tree) -> str:
            parts = (str(c.position + 1) if isinstance(c, Leaf) else brackets_of(c) for c in node.children)
            return f"({node.label} {''.join(parts)})"

        return f"{brackets_of(tree)}\t{' '.join(tree.words())}\n"

    assert list(discbracket.read(map(apart, forest))) == forest


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        (APART.replace("4", "5"), "2:12", '"5" is not the number of a word'),
        (APART.replace("4", "0"), "2:12", '"0" is not the number of a word'),
        (APART.replace("4", "x"), "2:12", '"x" is not the number of a word'),
        (APART.replace("4", "1"), "2:12", "two words at position 0"),
        (f"{APART} so", "2:25", "5 words behind the tree, which has 4"),
        (APART.replace("))\t", ")\t"), "2:32", "never ends"),
        (APART.replace("\t", ")\t"), "2:33", "unbalanced"),
        (APART.partition("\t")[0], "2:6", "is not the number"),
        (ASK, "2:8", "is not the number"),
        ("\twhat", "2:1", "no trees"),
    ],
)
def test_faults_of_words_behind_the_brackets(text: str, where: str, what: str) -> None:
    faults: list[InputError] = []
    found = list(discbracket.read([f"{APART}\n", f"{text}\n", APART], name="f", on_error=faults.append))
    assert found == [discbracket.read_tree(ASK)] * 2
    assert [fault.where for fault in faults] == [f"f:{where}"]
    assert what in faults[0].what
    with pytest.raises(InputError) as caught:
        list(discbracket.read([f"{APART}\n", text], name="f"))
    assert str(caught.value) == str(faults[0])


def test_no_words_behind_the_brackets() -> None:
    found = list(discbracket.read([APART, "(TOP )\t"], empty=True))
    assert found == [discbracket.read_tree(ASK), Tree("TOP", ())]
