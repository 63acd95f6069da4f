from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.treebanks.draw import phrases as draw
from secateur.treebanks.formats import brackets, discbracket
from secateur.treebanks.tree import Leaf, Tree
from treebanks.formats.strategies import any_trees

TREES = any_trees(
    tags=["NN", "-LRB-", "CONJUNCTION", "X"],
    labels=["S", "NP", "SBARQ-PRD", "X", ""],
    words=["a", "it", "cat", "extraordinarily", "3=4"],
    max_words=8,
)
ASK = "(S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you))"
BOX = "─│┌┐┬├┤┼┴"


class Picture:
    """Reads a drawn tree back by following its lines."""

    def __init__(self, text: str) -> None:
        rows = text.split("\n")
        self.width = max(map(len, rows))
        self.rows = [row.ljust(self.width) for row in rows]

    def tree(self) -> Tree:
        top = re.search(r"\S", self.rows[0])
        assert top
        return self.node(0, top.start())

    def node(self, row: int, x: int) -> Tree:
        """The node whose label covers a cell."""
        line = self.rows[row]
        left = line.rfind(" ", 0, x) + 1
        right = (line + " ").index(" ", x)
        label = line[left:right].replace("·", "")
        if row == len(self.rows) - 2:
            return Tree(label, (self.word(left, right),))
        joint = next(c for c in range(left, right) if self.rows[row + 1][c] in "│├┤┼┴")
        children = [self.below(row + 2, c) for c in self.ends(self.rows[row + 1], joint)]
        return Tree(label, tuple(sorted(children, key=lambda child: child.indices())))

    def ends(self, bar: str, joint: int) -> list[int]:
        """Where branches go down from a bar."""
        low = high = joint
        while bar[joint] != "│" and bar[low] not in "┌├":
            low -= 1
        while bar[joint] != "│" and bar[high] not in "┐┤":
            high += 1
        if low == high:
            return [joint]
        return [c for c in range(low, high + 1) if bar[c] in "┌┐┬├┤┼"]

    def below(self, row: int, x: int) -> Tree:
        while self.rows[row][x] == "│":
            row += 1
        assert self.rows[row][x] not in BOX + " "
        return self.node(row, x)

    def word(self, left: int, right: int) -> Leaf:
        """The word under a tag."""
        for index, match in enumerate(re.finditer(r"\S+", self.rows[-1])):
            if match.start() < right and left < match.end():
                return Leaf(index, match[0])
        raise AssertionError("no word under the tag")


@given(TREES)
def test_the_tree_can_be_read_from_the_picture(tree: Tree) -> None:
    assert Picture(draw.text(tree)).tree() == tree


def test_continuous() -> None:
    tree = brackets.read_tree("(S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .))")
    assert draw.text(tree).split("\n") == [
        "          S",
        "   ┌──────┴─┬────┐",
        "   NP       VP   │",
        " ┌─┴──┐     │    │",
        " DT   NN   VBD   .",
        "the  cat  slept  .",
    ]


def test_crossing_branches_interrupt_the_bar() -> None:
    assert draw.text(discbracket.read_tree(ASK)).split("\n") == [
        "       S",
        " ┌─────┼─────┐",
        " VP    │     │",
        " ├─────│─────│────┐",
        " WP    MD   PRP   VB",
        "what  will  you  say",
    ]


def test_wide_characters_take_two_cells() -> None:
    tree = brackets.read_tree("(S (NP (NN 猫)) (VP (VV 睡觉) (SP 了)))")
    assert draw.text(tree).split("\n") == [
        "   S",
        "┌──┴───┐",
        "NP     VP",
        "│    ┌─┴──┐",
        "NN   VV   SP",
        "猫  睡觉  了",
    ]


def test_combining_characters_take_none() -> None:
    tree = Tree("S", (Tree("A", (Leaf(0, "e\u0301\u0301te"),)), Tree("B", (Leaf(1, "\u0301x"),))))
    assert draw.text(tree).split("\n")[-1] == "e\u0301\u0301te  \u0301x"


def test_small_and_odd_trees() -> None:
    assert draw.text(brackets.read_tree("(NN cat)")) == " NN\ncat"
    assert draw.text(Tree("TOP", ())) == "TOP"
    assert draw.text(Tree("", ())) == "·"
    flat = Tree("NP", (Leaf(0, "the"), Leaf(1, "cat"), Tree("X", ())))
    assert draw.text(flat).split("\n")[-1] == "the  cat"
    assert "NP" in draw.text(flat)


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in draw.text(Tree("N\x1b", (Leaf(0, "a\x1b[31m\n"),)))
    ElementTree.fromstring(draw.svg(Tree("N\x1b", (Leaf(0, "a\x00\ufffe\ud800"),))))


def svg_texts(image: ElementTree.Element) -> list[tuple[float, float, str]]:
    return [
        (float(t.attrib["x"]), float(t.attrib["y"]), t.text or "")
        for t in image.iter("{http://www.w3.org/2000/svg}text")
    ]


@given(TREES)
def test_svg_shows_all_within_bounds(tree: Tree) -> None:
    image = ElementTree.fromstring(draw.svg(tree))
    low, top, width, height = map(float, image.attrib["viewBox"].split())
    texts = svg_texts(image)
    bottom = max(y for _, y, _ in texts)
    row = sorted((x, text) for x, y, text in texts if y == bottom)
    assert [text for _, text in row] == tree.words()
    assert len({x for x, _ in row}) == len(row)
    assert sorted(text for _, y, text in texts if y != bottom) == sorted(n.label or "·" for n in tree.nodes())
    assert all(low < x < low + width and top < y < top + height for x, y, _ in texts)


@given(TREES)
def test_svg_texts_do_not_overlap(tree: Tree) -> None:
    texts = sorted(svg_texts(ElementTree.fromstring(draw.svg(tree))), key=lambda t: (t[1], t[0]))
    for (x, y, text), (other_x, other_y, other) in pairwise(texts):
        if y == other_y:
            assert x + draw.pixels(text) / 2 <= other_x - draw.pixels(other) / 2


@pytest.mark.parametrize(
    ("text", "hops"),
    [
        (ASK, 2),
        ("(S (A (a 0=x) (a 2=z)) (B (C (b 1=y))))", 1),
        ("(S (A (a 0=x) (a 3=y) (a 6=z)) (B (b 1=u) (b 4=v)) (C (c 2=p) (c 5=q)))", 7),
        ("(S (A (a 0=x) (a 1=y)) (B (b 2=z)))", 0),
    ],
)
def test_svg_hops_over_crossing_branches(text: str, hops: int) -> None:
    path = ElementTree.fromstring(draw.svg(discbracket.read_tree(text))).find("{*}path")
    assert path is not None
    assert path.attrib["d"].count("a") == hops


def test_svg_is_self_contained_and_takes_the_colour_around_it() -> None:
    image = draw.svg(brackets.read_tree("(S (NN <b>&\"') (NN x))"), title="a < b")
    assert "<title>a &lt; b</title>" in image
    assert "&lt;b&gt;&amp;" in image
    assert "currentColor" in image
    assert not re.search(r"script|url\(|href|black|#[0-9a-f]{3}", image)


@given(st.integers(1, 60))
def test_any_usual_length(count: int) -> None:
    tree = Tree("S", tuple(Tree("NN", (Leaf(i, f"word{i}"),)) for i in range(count)))
    assert draw.text(tree).split("\n")[-1].split() == tree.words()
    assert [text for _, _, text in svg_texts(ElementTree.fromstring(draw.svg(tree)))].count("NN") == count
