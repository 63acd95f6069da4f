"""Dependency trees as SVG: all of it shown, nothing on top of anything else."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.draw import arcs
from secateur.treebanks.draw.phrases import pixels

SAW = DependencyTree(
    ("she", "saw", "an", "oak"), ("PRP", "VBD", "DT", "NN"), ("PR", "VB", "DT", "NN"), (2, 0, 4, 2),
    ("nsubj", "root", "det", "obj"),
)  # fmt: skip
LABELS = ["x", "nsubj:pass", "obl:unmarked", "W" * 30, "_"]
WORDS = ["a", "it", "extraordinarily", "猫", "10 000"]


@st.composite
def sentences(draw: st.DrawFn, *, projective: bool = True) -> DependencyTree:
    n = draw(st.integers(1, 9))
    heads = [0] * n

    def settle(i: int, k: int, head: int) -> None:
        """Some subtrees over the words i, ..., k - 1, under a head."""
        while i < k:
            end = draw(st.integers(i + 1, k)) if head else k
            word = draw(st.integers(i, end - 1))
            heads[word] = head
            settle(i, word, word + 1)
            settle(word + 1, end, word + 1)
            i = end

    settle(0, n, 0)
    if not projective:
        order = draw(st.permutations(range(n)))
        place = {old + 1: new + 1 for new, old in enumerate(order)} | {0: 0}
        heads = [place[heads[old]] for old in order]
    words, labels = (draw(st.lists(st.sampled_from(of), min_size=n, max_size=n)) for of in (WORDS, LABELS))
    return DependencyTree(tuple(words), ("NN",) * n, ("NN",) * n, tuple(heads), tuple(labels)).check()


def texts(image: str) -> list[tuple[float, float, str]]:
    found = ElementTree.fromstring(image).iter("{http://www.w3.org/2000/svg}text")
    return [(float(t.attrib["x"]), float(t.attrib["y"]), t.text or "") for t in found]


def bows(image: str) -> list[tuple[float, float, float]]:
    """Start, end and height of every arc that is not the root's."""
    path = re.search(r'd="([^"]*)"', image)
    assert path
    steps = r"M(\d+) (\d+)V(\d+)q0 (-?\d+) (-?\d+) -?\d+H(\d+)q(-?\d+) 0 -?\d+ \d+V\d+"
    return [
        (float(m[1]), float(m[6]) + float(m[7]), float(m[3]) + float(m[4]))
        for m in re.finditer(steps, path[1])
    ]


def test_shows_words_tags_and_labels() -> None:
    image = arcs.svg(SAW)
    lines: dict[float, list[str]] = {}
    for _, y, text in sorted(texts(image)):
        lines.setdefault(y, []).append(text)
    assert [lines[y] for y in sorted(lines)] == [
        ["root"], ["obj"], ["nsubj", "det"], ["she", "saw", "an", "oak"], ["PRP", "VBD", "DT", "NN"],
    ]  # fmt: skip
    assert len(bows(image)) == 3
    assert len(re.findall(r"M\d+ \d+h8l-4 7z", image)) == 4  # a tip for every word
    assert image == arcs.svg(SAW)


def test_notes_take_the_place_of_tags() -> None:
    image = arcs.svg(SAW, [("a", "b")] * 4)
    shown = [text for _, _, text in texts(image)]
    assert shown.count("a") == shown.count("b") == 4
    assert "PRP" not in shown


def test_without_heads_and_without_words() -> None:
    bare = arcs.svg(SAW.without_heads())
    assert [text for _, _, text in texts(bare)] == [*SAW.words, *SAW.tags]
    assert bows(bare) == []
    assert texts(arcs.svg(DependencyTree((), (), (), (), ()))) == []


def test_is_self_contained_and_escapes() -> None:
    odd = DependencyTree(("<b>&", "a\x1b\ufffe"), ("<", '"'), ("<", '"'), (0, 1), ("a<b", "]]>"))
    image = arcs.svg(odd, title="a < b")
    assert "<title>a &lt; b</title>" in image
    assert [text for _, _, text in texts(image)] == ["<b>&", "a\ufffd\ufffd", "<", '"', "a<b", "]]>"]
    assert "currentColor" in image
    assert not re.search(r"script|url\(|href|black|#[0-9a-f]{3}", image)


@given(sentences(projective=False))
def test_all_within_bounds_and_labels_apart(tree: DependencyTree) -> None:
    image = arcs.svg(tree)
    root = ElementTree.fromstring(image)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    found = sorted(texts(image), key=lambda t: (t[1], t[0]))
    assert sorted(t[2] for t in found) == sorted([*tree.words, *tree.tags, *tree.labels])
    small = {y for _, y, text in found} - {y for _, y, text in found if text == "NN"}
    words_at = sorted(small)[-1]

    def half(text: str, y: float) -> float:
        return pixels(text) / 2 * (1 if y >= words_at else 11 / 15)

    for x, y, text in found:
        assert x - half(text, y) >= 0
        assert x + half(text, y) <= width
        assert 0 < y < height
    for (x, y, text), (other_x, other_y, other) in pairwise(found):
        if y == other_y:
            assert x + half(text, y) <= other_x - half(other, y) + 1
    drawn = bows(image)
    assert len(drawn) == len(tree) - 1
    for (a, b, y), (c, d, z) in combinations(drawn, 2):  # no two lie on each other
        assert y != z or max(a, b) < min(c, d) or max(c, d) < min(a, b)


@given(sentences())
def test_arcs_of_projective_trees_do_not_cross(tree: DependencyTree) -> None:
    drawn = bows(arcs.svg(tree))
    assert len({x for a, b, _ in drawn for x in (a, b)}) == 2 * len(drawn)  # each foot has its own place
    for a, b, y in drawn:
        for c, d, z in drawn:
            if z < y:  # of the higher arc neither leg goes through the lower
                assert not any(min(a, b) < x < max(a, b) for x in (c, d))
