"""From a derivation to the three annotations: Penn tree, discontinuous tree, dependencies."""

from __future__ import annotations

from typing import NamedTuple

from secateur.treebanks.dependency_tree import DependencyTree, coarse_of
from secateur.treebanks.garden.node import EMPTY, HEAD, MOVED, Node
from secateur.treebanks.tree import Leaf, Tree


class Sample(NamedTuple):
    """One sentence in three annotations."""

    penn: Tree  # outer label "", function tags, traces and their indices; empty elements count as leaves
    discontinuous: Tree  # outer label ROOT; moved phrases stand where they are interpreted
    dependencies: DependencyTree


def derive(root: Node) -> Sample:
    words: list[Node] = []
    traces: list[Node] = []
    _scan(root, words, traces)
    moved = _link(traces)
    penn = _penn(root, [0])
    reading = _Reading(len(words), moved)
    tree, head = reading.resolve(root)
    assert tree is not None
    reading.labels[head] = "root"
    tags = tuple([word.label for word in words])
    dependencies = DependencyTree(
        tuple([word.word for word in words]),
        tags,
        tuple(map(coarse_of, tags)),
        tuple(reading.heads),
        tuple(reading.labels),
    )
    return Sample(Tree("", (penn,)), Tree("ROOT", (tree,)), dependencies)


def _scan(node: Node, words: list[Node], traces: list[Node]) -> None:
    """Number the words, and find the empty elements that have antecedents."""
    node.position = len(words)
    if node.children:
        for child in node.children:
            _scan(child, words, traces)
    elif node.label != EMPTY:
        words.append(node)
    elif node.antecedent is not None:
        traces.append(node)


def _link(traces: list[Node]) -> bool:
    """Number the antecedents that are in the sentence; whether any of them was moved."""
    count = 0
    moved = False
    for trace in traces:
        antecedent = trace.antecedent
        assert antecedent is not None
        if antecedent.position < 0:
            continue
        if not antecedent.number:
            count += 1
            antecedent.number = count
        if trace.word in MOVED:
            antecedent.moved = moved = True
    return moved


def _penn(node: Node, leaves: list[int]) -> Tree:
    """The Penn tree; leaves[0] counts its leaves, empty elements among them."""
    if not node.children:
        text = node.word
        if node.antecedent is not None and node.antecedent.number:
            text = f"{text}-{node.antecedent.number}"
        leaf = Leaf(leaves[0], text)
        leaves[0] += 1
        return Tree(node.label, (leaf,))
    label = f"{node.label}-{node.function}" if node.function else node.label
    if node.number:
        label = f"{label}-{node.number}"
    return Tree(label, tuple([_penn(child, leaves) for child in node.children]))


class _Reading:
    """The discontinuous tree and the dependencies, read off together: heads percolate up the tree."""

    def __init__(self, count: int, moved: bool) -> None:
        self.moved = moved  # whether anything was
        self.heads = [0] * count
        self.labels = [""] * count

    def resolve(self, node: Node) -> tuple[Tree | None, int]:
        """The tree (None if empty) and the position of its head word."""
        if not node.children:
            if node.label == EMPTY:
                return None, -1
            return Tree(node.label, (Leaf(node.position, node.word),)), node.position
        head = -1
        made: list[Tree] = []
        dependents: list[tuple[int, str]] = []
        for child in node.children:
            if child.moved:
                continue
            tree, position = self.resolve(_filler(child) if self.moved else child)
            if tree is None:
                continue
            made.append(tree)
            if child.relation == HEAD:
                head = position
            else:
                dependents.append((position, child.relation))
        if not made:
            return None, -1
        if head < 0:  # what heads the phrase is not said, as in the book I looked at
            head = dependents.pop(0)[0]
        for position, relation in dependents:
            self.heads[position] = head + 1
            self.labels[position] = relation
        if self.moved:
            made.sort(key=_first)
        return Tree(node.label, tuple(made)), head


def _filler(node: Node) -> Node:
    """What belongs in the place of the node: its antecedent, if it is the trace of something moved."""
    gap = node.gap
    if gap is not None and gap.word in MOVED and gap.antecedent is not None and gap.antecedent.moved:
        return gap.antecedent
    return node


def _first(tree: Tree) -> int:
    """The first position the tree covers; children are in order, so it is the leftmost leaf's."""
    node: Tree | Leaf = tree
    while isinstance(node, Tree):
        node = node.children[0]
    return node.position
