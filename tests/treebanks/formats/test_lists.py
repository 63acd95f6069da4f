"""What export, TIGER-XML and Alpino have in common: trees go from one to the other and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.aside import aside_of, numbered
from secateur.treebanks.formats import alpino, discbracket, graph, source
from secateur.treebanks.formats.graph import NONE, Fault, Node
from secateur.treebanks.garden import garden
from secateur.treebanks.tree import Leaf, Tree
from treebanks.formats.list_files import file_of, read, read_on, without_rels
from treebanks.formats.strategies import WORDS, carrying

LISTS = ["export", "tigerxml", "alpino"]
STRANGE = [*WORDS, "#", "#EOS", "#BOS", "#12", "<&\">'", "&amp;", "--", "0"]
ASK = "(VROOT (S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you)) (. 4=?))"

rooted = carrying(roots=["VROOT"], words=STRANGE, labels=["S", "NP", "VP-SBJ-1", "--", "X*"])


def below_root(tree: Tree) -> Tree:
    """As trees without a virtual root come back from export."""
    return Tree("VROOT", (tree,)) if tree.label != "VROOT" or tree.is_preterminal else tree


# From one to the other --------------------------------------------------------------------------------------


@given(st.lists(rooted, min_size=1, max_size=3))
def test_trees_survive_all_formats(forest: list[Tree]) -> None:
    forest = [below_root(tree) for tree in forest]
    plain = [without_rels(tree) for tree in forest]
    found = read(file_of(forest, "export"), "export")
    assert found == forest
    found = read(file_of(found, "discbracket"), "discbracket")
    assert found == plain
    for name in ("tigerxml", "export", "alpino", "tigerxml"):
        found = read(file_of(found, name), name)
        assert found == plain


@given(st.lists(rooted, min_size=1, max_size=3))
def test_edges_and_asides_survive_export_and_tigerxml(forest: list[Tree]) -> None:
    forest = [numbered(tree, number) for number, tree in enumerate(forest, 1) if not tree.is_preterminal]
    for first, second in (("export", "tigerxml"), ("tigerxml", "export")):
        found = read(file_of(forest, first), first) if forest else []
        found = read(file_of(found, second), second) if forest else []
        assert found == forest
        assert list(map(aside_of, found)) == list(map(aside_of, forest))


@given(st.lists(carrying(words=STRANGE), min_size=1, max_size=3))
def test_alpino_keeps_edges_ids_and_lemmas(forest: list[Tree]) -> None:
    found = read(file_of(forest, "alpino"), "alpino")
    assert found == forest
    for number, (old, new) in enumerate(zip(map(aside_of, forest), map(aside_of, found), strict=True), 1):
        assert (new.id, new.lemmas) == (old.id or str(number), old.lemmas)


@given(carrying())
def test_any_root_survives_xml(tree: Tree) -> None:
    for name in ("tigerxml", "alpino"):
        assert read(file_of([tree], name), name) == [tree]
    assert read(file_of([tree], "export"), "export") == [below_root(tree)]


def test_the_garden_survives() -> None:
    forest = [sample.discontinuous for sample in garden(60, seed=5)]
    found = forest
    for name in ("tigerxml", "alpino", "discbracket", "tigerxml"):
        found = read(file_of(found, name), name)
        assert found == forest
    assert read(file_of(found, "export"), "export") == [Tree("VROOT", (tree,)) for tree in forest]


def test_a_sentence_without_words() -> None:
    nothing = Tree("VROOT", ())
    for name in LISTS:
        text = file_of([nothing], name)
        assert read(text, name, empty=True) == [nothing]
        with pytest.raises(InputError, match="a sentence without words"):
            read(text, name)


# The tree of a list -----------------------------------------------------------------------------------------


@st.composite
def nodes_of(draw: st.DrawFn) -> tuple[list[str], list[Node]]:
    """Words and nodes, each with any parent: seldom a tree."""
    words = draw(st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=4))
    above = draw(st.integers(0, 4))
    total = len(words) + above
    parents = [draw(st.sampled_from([NONE, *range(len(words), total)])) for _ in range(total)]
    return words, [Node(str(number), "", parent, (number, 1)) for number, parent in enumerate(parents)]


def naive(words: list[str], nodes: list[Node]) -> Tree | None:
    """None where the nodes make no tree."""

    def built(number: int, path: tuple[int, ...]) -> Tree:
        if number in path:
            raise RecursionError
        if number < len(words):
            return Tree(nodes[number].label, (Leaf(number, words[number]),))
        below = [n for n, node in enumerate(nodes) if node.parent == number]
        made = [built(n, (*path, number)) for n in below]
        made.sort(key=lambda tree: tree.indices())
        return Tree(nodes[number].label, tuple(made))

    tops = [number for number, node in enumerate(nodes) if node.parent == NONE]
    if len(tops) != 1:
        return None
    tree = built(tops[0], ())
    is_whole = sum(1 for _ in tree.nodes()) == len(nodes)
    return tree if is_whole and all(node.children for node in tree.nodes()) else None


@settings(max_examples=200)
@given(nodes_of())
def test_a_list_of_nodes_becomes_a_tree_or_a_fault(case: tuple[list[str], list[Node]]) -> None:
    words, nodes = case
    nodes.append(Node("VROOT", "", NONE, (0, 1)))
    nodes = [*(n._replace(parent=len(nodes) - 1) if n.parent == NONE else n for n in nodes[:-1]), nodes[-1]]
    expected = naive(words, nodes)
    if expected is not None:
        assert graph.tree_of(words, nodes) == expected
        return
    with pytest.raises(Fault) as caught:
        graph.tree_of(words, nodes)
    assert "ancestor" in caught.value.what or "no word" in caught.value.what


# Files of others --------------------------------------------------------------------------------------------


def test_samples_of_treetools_agree(data: Path) -> None:
    samples = data / "disc-samples"
    found = []
    for name, form in (("EXPORT", "export"), ("TIGERXML", "tigerxml")):
        opened = formats.opened(samples / f"treetools-SAMPLE_{name}.txt")
        assert opened.format == form
        (tree,) = formats.FORMATS[form].read(opened.lines)
        found.append(tree)
    opened = formats.opened(samples / "treetools-SAMPLE_DISCOBRACKETS_OUTPUT_DISCONT.txt")
    assert opened.format == "discbracket"
    (apart,) = discbracket.read(opened.lines)
    export, tiger = found
    assert export == tiger
    assert without_rels(export) == apart
    assert aside_of(export) == aside_of(tiger)
    (other,) = discbracket.read(source.lines(samples / "treetools-SAMPLE_DISCOBRACKETS_OUTPUT_CONT.txt"))
    assert other.words() == apart.words()
    assert apart.is_discontinuous
    assert not other.is_discontinuous


@pytest.mark.parametrize(
    ("part", "trees", "dropped", "gapped"),
    [("train", 5708, 6993, 0.696), ("dev", 500, 507, 0.636), ("test", 499, 592, 0.661)],
)
def test_counts_of_alpino(part: str, trees: int, dropped: int, gapped: float, data: Path) -> None:
    path = data / "alpino" / f"{part}.xml"
    found = list(alpino.read(source.lines(path)))
    assert len(found) == trees
    listed = len(re.findall(r"<node\s", path.read_text(encoding="utf-8")))
    assert listed - sum(1 for tree in found for _ in tree.nodes()) == dropped
    assert round(sum(tree.is_discontinuous for tree in found) / trees, 3) == gapped


def test_alpino_as_a_slow_reader_has_it(data: Path) -> None:
    path = data / "alpino" / "dev.xml"

    def built(element: ElementTree.Element, is_top: bool = False) -> Tree | None:
        rel = "" if is_top or element.get("rel") == "--" else element.get("rel", "")
        if "word" in element.attrib:
            leaf = Leaf(int(element.get("begin", "")), element.get("word", ""))
            return Tree(element.get("pos", ""), (leaf,), rel)
        made = [tree for child in element.findall("node") if (tree := built(child)) is not None]
        made.sort(key=lambda tree: tree.indices())
        return Tree(element.get("cat", ""), tuple(made), rel) if made else None

    expected = [built(one.findall("node")[0], True) for one in ElementTree.parse(path).iter("alpino_ds")]
    assert list(alpino.read(source.lines(path))) == expected


def test_alpino_survives_all_formats(data: Path) -> None:
    forest = list(alpino.read(source.lines(data / "alpino" / "dev.xml")))
    found = read(file_of(forest, "tigerxml"), "tigerxml")
    assert found == forest
    assert list(map(aside_of, found)) == list(map(aside_of, forest))
    assert read(file_of(found, "alpino"), "alpino") == forest
    rooted = read(file_of(found, "export"), "export")
    assert [tree.children for tree in rooted] == [(tree,) for tree in forest]
    assert read(file_of(rooted, "tigerxml"), "tigerxml") == rooted
    rooted = [tree for tree in rooted if not re.search("[()]", "".join(tree.words()))]
    plain = read(file_of(rooted, "discbracket"), "discbracket")
    assert plain == [without_rels(tree) for tree in rooted]
    assert read(file_of(plain, "export"), "export") == plain


# Streams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LISTS)
def test_reading_takes_no_more_than_it_needs(name: str) -> None:
    """A file without end gives its trees, one after the other."""
    tree = discbracket.read_tree(ASK)
    opening, _ = formats.around(name)
    sentence = formats.write(tree, name) + "\n"
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        yield from opening.splitlines(keepends=True)
        for _ in count():
            for line in sentence.splitlines(keepends=True):
                taken += 1
                yield line

    found = formats.FORMATS[name].read(endless())
    for number, one in enumerate(islice(found, 100), 1):
        assert one == tree
        assert taken <= (number + 1) * sentence.count("\n")


@pytest.mark.parametrize("name", LISTS)
def test_a_fault_spoils_one_sentence(name: str) -> None:
    tree = discbracket.read_tree(ASK)
    right, wrong = formats.write(tree, name), formats.write(discbracket.read_tree("(VROOT (A 0=x))"), name)
    opening, closing = formats.around(name)
    for old, new in (("x", ""), ("A", ""), ("#", "##"), ("</", ""), ('"', "")):
        broken = wrong.replace(old, new)
        if broken == wrong:
            continue
        text = "\n".join((opening.strip(), right, broken, right, right, closing))
        found, faults = read_on(text, name)
        assert found == [tree] * 3
        assert len(faults) == 1
        assert faults[0].where.startswith("f:")
        with pytest.raises(InputError) as caught:
            read(text, name)
        assert str(caught.value) == str(faults[0])


@pytest.mark.parametrize("name", LISTS)
def test_lines_may_lack_their_newlines(name: str) -> None:
    text = file_of([discbracket.read_tree(ASK)] * 2, name)
    assert list(formats.FORMATS[name].read(text.split("\n"))) == read(text, name)


@pytest.mark.parametrize("name", LISTS)
def test_nothing_to_read(name: str) -> None:
    for text in ("", "\n \n", "".join(formats.around(name))):
        with pytest.raises(InputError, match="no trees"):
            read(text, name)
        assert [fault.what for fault in read_on(text, name)[1]] == ["no trees"]


# What cannot be written -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    ("tree", "what"),
    [
        (Tree("S", (Leaf(0, "a"), Leaf(1, "b"))), "have no tags"),
        (Tree("S", (Tree("A", (Leaf(0, "a"),)), Leaf(1, "b"))), "have no tags"),
        (Tree("S", (Tree("A", (Leaf(0, "a"),)), Tree("B", ()))), 'no word under "B"'),
        (Tree("S", (Tree("A", (Leaf(1, "a"),)),)), "not numbered"),
        (Tree("S", (Tree("A", (Leaf(0, "a"),)), Tree("A", (Leaf(0, "b"),)))), "not numbered"),
        (Tree("S", (Tree("A", (Leaf(0, ""),)),)), "the word '' "),
        (Tree("S", (Tree("", (Leaf(0, "a"),)),)), "the label '' "),
    ],
)
def test_trees_that_cannot_be_written(name: str, tree: Tree, what: str) -> None:
    with pytest.raises(InputError) as caught:
        formats.write(tree, name)
    assert what in caught.value.what
    assert caught.value.fix
