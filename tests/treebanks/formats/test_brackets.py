from __future__ import annotations

import io
import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks.formats import brackets
from secateur.treebanks.tree import MAX_DEPTH, Leaf, Tree
from treebanks.formats.strategies import trees

CAT = "(S (NP (DT the) (NN cat)) (VP (VBD slept)))"
SPACES = st.sampled_from([" ", "  ", "\n", "\n  ", "\t", "\r\n", "\n\n", "\f"])
ROOTS = ["", "ROOT", "S"]


def read(text: str, **options: object) -> list[Tree]:
    return list(brackets.read(io.StringIO(text), **options))  # type: ignore[arg-type]


def recover(text: str) -> tuple[list[Tree], list[str]]:
    errors: list[InputError] = []
    found = read(text, on_error=errors.append)
    return found, [error.where for error in errors]


def test_reads_a_tree() -> None:
    tree = brackets.read_tree(CAT)
    assert tree == Tree(
        "S",
        (
            Tree("NP", (Tree("DT", (Leaf(0, "the"),)), Tree("NN", (Leaf(1, "cat"),)))),
            Tree("VP", (Tree("VBD", (Leaf(2, "slept"),)),)),
        ),
    )


def test_keeps_outer_bracket_traces_and_function_tags() -> None:
    tree = brackets.read_tree("( (S (NP-SBJ=1 (-NONE- *T*-1)) (VP (VB go))) )")
    assert tree.label == ""
    assert [node.label for node in tree.nodes()] == ["", "S", "NP-SBJ=1", "-NONE-", "VP", "VB"]
    assert tree.words() == ["*T*-1", "go"]


def test_a_single_tagged_word_is_a_tree() -> None:
    assert brackets.read_tree("(NN cat)") == Tree("NN", (Leaf(0, "cat"),))


def test_many_trees_on_a_line_and_over_lines() -> None:
    text = f"\n\n{CAT} {CAT}\n\n  {CAT}\n(S\n  (NP (NN\n x))\n)"
    assert [len(tree.words()) for tree in read(text)] == [3, 3, 3, 1]


def test_positions_start_at_zero_in_each_tree() -> None:
    assert all(tree.indices() == (0, 1, 2) for tree in read(f"{CAT}\n{CAT}{CAT}"))


def test_labels_and_words_are_shared() -> None:
    first, second = read(CAT + CAT)
    assert first.leaves()[0].word is second.leaves()[0].word
    assert first.label is second.label


def test_reads_as_a_stream() -> None:
    endless = itertools.cycle(["(S\n", "  (NN cat))\n", "\n"])
    assert len(list(itertools.islice(brackets.read(endless), 5000))) == 5000


def test_lines_need_no_newline() -> None:
    assert len(list(brackets.read(["(S", "(NN", "cat))", CAT]))) == 2


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_tree_may_be_cut_anywhere_into_chunks(cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brackets, "_CHUNK_LINES", cut)
    spread = re.sub(r"([()]|[^\s()]+)", r" \1\n", CAT)
    assert read(spread + spread) == read(CAT + CAT)


@given(trees(roots=ROOTS), st.booleans())
def test_round_trip(tree: Tree, indent: bool) -> None:
    assert brackets.read_tree(brackets.write(tree, indent=indent)) == tree


@given(st.lists(trees(roots=ROOTS), min_size=1, max_size=4), st.data())
def test_white_space_does_not_matter(forest: list[Tree], data: st.DataObject) -> None:
    text = ""
    for token in re.findall(r"[()]|[^ ()]+", " ".join(map(brackets.write, forest))):
        is_tight = token in "()" or text.endswith(("(", ")"))
        text += (data.draw(SPACES) if not is_tight or data.draw(st.booleans()) else "") + token
    assert read(text) == forest
    assert recover(text) == (forest, [])


@given(st.lists(trees(), min_size=1, max_size=5), st.booleans(), st.data())
def test_a_missing_bracket_spoils_one_tree(forest: list[Tree], indent: bool, data: st.DataObject) -> None:
    texts = [brackets.write(tree, indent=indent) for tree in forest]
    bad = data.draw(st.integers(0, len(texts) - 1))
    at = data.draw(st.sampled_from([m.start() for m in re.finditer(r"\)", texts[bad])]))
    texts[bad] = texts[bad][:at] + texts[bad][at + 1 :]
    found, wheres = recover("\n".join(texts))
    assert found == forest[:bad] + forest[bad + 1 :]
    assert len(wheres) == 1


@given(st.lists(trees(), min_size=1, max_size=5), st.booleans(), st.data())
def test_a_bracket_too_many_spoils_one_tree(forest: list[Tree], indent: bool, data: st.DataObject) -> None:
    texts = [brackets.write(tree, indent=indent) for tree in forest]
    bad = data.draw(st.integers(0, len(texts) - 1))
    at = data.draw(st.sampled_from([m.end() for m in re.finditer(r"\)", texts[bad])]))
    texts[bad] = texts[bad][:at] + ")" + texts[bad][at:]
    found, wheres = recover("\n".join(texts))
    assert found == forest[:bad] + forest[bad + 1 :]
    assert len(wheres) == 1


@given(trees(roots=ROOTS, words=["cat", "-LRB-", "naïve", "*T*-1"]), st.booleans())
def test_agrees_with_nltk(tree: Tree, indent: bool) -> None:
    nltk_tree = pytest.importorskip("nltk.tree").Tree
    theirs = nltk_tree.fromstring(brackets.write(tree, indent=indent))
    assert theirs.leaves() == tree.words()
    assert [(t.label(), len(t)) for t in theirs.subtrees()] == [
        (t.label, len(t.children)) for t in tree.nodes()
    ]


FAULTS = [
    (f"{CAT}\n{CAT})\n", "2:44", 'unbalanced ")"'),
    (")", "1:1", 'unbalanced ")"'),
    (f"{CAT}\n\n  ) ", "3:3", 'unbalanced ")"'),
    ("(S (NP (NN cat)) ) )", "1:20", 'unbalanced ")"'),
    ("(S\n  (NP (NN cat))\n", "2:16", "the tree that starts on line 1 never ends"),
    ("(S (NP", "1:7", "the tree that starts on line 1 never ends"),
    (f"{CAT}\n\n(S\n  (NN a)\n\n(S (NN b))\n", "4:9", "the tree that starts on line 3 never ends"),
    ("(ROOT\n  (NN a)\n(ROOT (NN b)))\n", "2:9", "the tree that starts on line 1 never ends"),
    ("(NP the (NN cat))", "1:5", '"the" stands beside a phrase'),
    ("(NP (DT the) cat)", "1:14", '"cat" stands beside a phrase'),
    ("(NP\n (DT the cat))", "2:10", 'two words under one tag: "cat"'),
    ("(S (NP ) (VP (VB go)))", "1:4", 'no word under "NP"'),
    ("(TOP )", "1:1", 'no word under "TOP"'),
    ("( )", "1:1", 'no word under ""'),
    ("(S (NN cat)) dog", "1:14", 'text outside brackets: "dog"'),
    ("The cat slept.\n", "1:1", 'text outside brackets: "The"'),
    ("(S (-LRB- () (NN cat))", "1:11", 'no word under ""'),
    ("(S (NN cat) (-RRB- )))", "1:13", 'no word under "-RRB-"'),
    ("(S (NN a(b))", "1:8", '"a" stands beside a phrase'),
    ("", "", "no trees"),
    (" \n\n", "", "no trees"),
    ("(X " * MAX_DEPTH + "(NN a)" + ")" * MAX_DEPTH, f"1:{3 * MAX_DEPTH - 2}", f"{MAX_DEPTH} brackets"),
]


@pytest.mark.parametrize(("text", "where", "what"), FAULTS)
def test_faults_say_where_and_what(text: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.where == where
    assert what in caught.value.what
    assert caught.value.fix


@pytest.mark.parametrize(("text", "where", "what"), FAULTS)
def test_recovery_reports_the_same_faults(text: str, where: str, what: str) -> None:
    assert where in recover(text)[1]


def test_faults_name_the_file() -> None:
    with pytest.raises(InputError) as caught:
        read("(NP", name="news.mrg")
    assert caught.value.where == "news.mrg:1:4"
    with pytest.raises(InputError, match=r"news\.mrg  no trees"):
        read("", name="news.mrg")


def test_a_deep_tree_is_read_as_long_as_it_is_safe() -> None:
    text = "(X " * (MAX_DEPTH - 1) + "(NN a)" + ")" * (MAX_DEPTH - 1)
    tree = brackets.read_tree(text)
    assert tree.height() == MAX_DEPTH
    assert tree == brackets.read_tree(brackets.write(tree, indent=True))


def test_recovery_goes_on_at_the_next_line_in_the_first_column() -> None:
    text = f"{CAT}\n(S (NP the (NN cat))\n  (VP (VB go)))\n{CAT}\nmore\n{CAT}\n"
    found, wheres = recover(text)
    assert len(found) == 2
    assert wheres == ["2:8", "5:1"]


def test_recovery_leaves_out_what_an_early_end_cut_in_two() -> None:
    text = f"(S\n  (NP (NN cat)))\n  (VP (VB go)))\n{CAT}\n"
    found, wheres = recover(text)
    assert found == [brackets.read_tree(CAT)]
    assert wheres == ["3:15"]


def test_recovery_believes_unindented_lines_if_they_balance() -> None:
    text = "(S\n(NP (NN cat))\n(VP (VB go)))\n"
    assert recover(text * 3) == (read(text * 3), [])


def test_recovery_gives_up_an_unclosed_tree_in_a_long_file() -> None:
    found, wheres = recover(f"{CAT}\n{CAT[:-1]}\n" + f"{CAT}\n" * 1000)
    assert len(found) == 1001
    assert wheres == ["2:43"]


def test_recovery_where_no_tree_is_closed() -> None:
    found, wheres = recover(f"{CAT[:-1]}\n" * 300)
    assert found == []
    assert wheres == [f"{line}:43" for line in range(1, 301)]


def test_recovery_with_several_unclosed_trees() -> None:
    outer = "(ROOT (NN cat))\n"
    found, wheres = recover(outer + "(ROOT\n  (NN cat)\n" * 3 + outer)
    assert found == read(outer + outer)
    assert wheres == ["3:11", "5:11", "7:11"]


def test_empty_nodes_on_request() -> None:
    assert brackets.read_tree("(TOP )", empty=True) == Tree("TOP", ())
    tree = brackets.read_tree("(TOP (S ) (NN a))", empty=True)
    assert brackets.read_tree(brackets.write(tree), empty=True) == tree


def test_read_tree_wants_one_tree() -> None:
    with pytest.raises(InputError, match="more than one tree"):
        brackets.read_tree(CAT + CAT)
    with pytest.raises(InputError, match="no trees"):
        brackets.read_tree("")


def test_write_indents_like_a_treebank() -> None:
    tree = brackets.read_tree("( (S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (PRP it)))))")
    assert brackets.write(tree, indent=True).split("\n") == [
        "( (S",
        "    (NP (DT the) (NN cat))",
        "    (VP",
        "      (VBD saw)",
        "      (NP (PRP it)))))",
    ]


def test_write_escapes_or_refuses_what_brackets_cannot_hold() -> None:
    assert brackets.write(Tree("$(", (Leaf(0, "f(x)"),))) == "($[ f-LRB-x-RRB-)"
    for bad in (
        Tree("NN", (Leaf(0, "two words"),)),
        Tree("NN", (Leaf(0, ""),)),
        Tree("N N", (Leaf(0, "a"),)),
        Tree("", (Leaf(0, "a"),)),
    ):
        with pytest.raises(InputError):
            brackets.write(bad)


def test_write_refuses_a_discontinuous_tree() -> None:
    tree = Tree(
        "S", (Tree("A", (Tree("a", (Leaf(0, "x"),)), Tree("c", (Leaf(2, "z"),)))), Tree("b", (Leaf(1, "y"),)))
    )
    with pytest.raises(InputError, match="discontinuous"):
        brackets.write(tree)


@pytest.mark.parametrize("file", ["ptb-sample/test.mrg", "gum/test.mrg"])
def test_real_treebanks_round_trip_and_agree_with_nltk(file: str, data: Path) -> None:
    nltk_tree = pytest.importorskip("nltk.tree").Tree
    path = data / file
    with open(path, encoding="utf-8") as lines:
        found = list(brackets.read(lines))
    for tree in found[::20]:
        assert brackets.read_tree(brackets.write(tree, indent=True)) == tree
        assert nltk_tree.fromstring(brackets.write(tree)).leaves() == tree.words()
    with open(path, encoding="utf-8") as lines:
        assert list(brackets.read(lines, on_error=pytest.fail)) == found
