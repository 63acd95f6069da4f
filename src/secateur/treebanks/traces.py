"""Traces: from Penn trees, in which a moved phrase stands where it is heard, to discontinuous trees, in which
it hangs where it is understood.

A trace `(NP (-NONE- *T*-1))` stands for the phrase whose label has the same index, its filler: `WHNP-1`. The
filler takes the place of the trace and of the phrase that holds nothing else. `*T*`, `*ICH*`, `*EXP*` and
`*RNR*` are resolved so; all other empty elements go. Fillers can hold traces of others, and be traces of
others themselves: all moves are made at once, so that a chain ends with the words at its last trace.

What cannot be resolved leaves its filler where it is heard, and is counted with the reason:

- the trace has no index, no phrase has that index, or several have it;
- the filler has no words, as the silent pronoun of "the man I saw";
- the trace is inside its filler, as in "The man, he said *T*, left", or it comes to be there by other moves:
  there is no such tree;
- another trace of the same filler has it. Of several traces the nearest to the filler gets it (the first of
  equals), by the leaves between, empty elements too: in "what she saw *T* and liked *T*" the first, in "she
  saw *RNR* and liked *RNR* the film" the second. A trace that would be inside the filler is passed over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from secateur.treebanks.normalization import TRACE, Normalization, closed_up
from secateur.treebanks.tree import Leaf, Tree, new_tree

KINDS = ("*T*", "*ICH*", "*EXP*", "*RNR*")

RESOLVED = "resolved"
REMOVED = "removed"  # an empty element that is no trace of these kinds
NO_INDEX = "without an index"
NO_FILLER = "without a filler"
SEVERAL = "with several fillers"
EMPTY = "with a filler without words"
INSIDE = "inside its filler"
CIRCLE = "in a circle of fillers"
SHARED = "with a filler that another trace has"

_INDEX = re.compile(r"[^-=].*?-([0-9]+)(?![^-=])")  # of NP-SBJ-1, NP-1=2
_PLAIN = Normalization(unaries=False, root=None)


class Resolved(NamedTuple):
    """A tree with its traces resolved, if it has any words, and what became of each empty element."""

    tree: Tree | None
    counts: Counter[tuple[str, str]]  # by kind ("*T*", "*", "0", ...) and outcome


def resolve(tree: Tree) -> Resolved:
    """The discontinuous tree: without empty elements, function tags and indices, its words numbered anew."""
    sentence = _Sentence(tree)
    counts = Counter((trace.kind, sentence.outcome(trace)) for trace in sentence.traces)
    moved = closed_up(_moved(tree, sentence.moves)) if sentence.moves else tree
    return Resolved(_PLAIN(moved), counts)


class Resolver:
    """Resolves the traces of many trees, and sums up what became of them."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.trees = 0  # that have words
        self.discontinuous = 0

    def resolved(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        """The trees with their traces resolved; those without words are left out."""
        for tree in trees:
            found, counts = resolve(tree)
            self.counts += counts
            if found is not None:
                self.trees += 1
                self.discontinuous += found.is_discontinuous
                yield found

    def said(self) -> list[str]:
        """A line for each kind of empty element, the most frequent outcome first."""
        kinds = [*KINDS, *sorted({kind for kind, _ in self.counts} - {*KINDS})]
        lines = []
        for kind in kinds:
            outcomes = Counter({what: n for (of, what), n in self.counts.items() if of == kind})
            if outcomes:
                told = ", ".join(f"{n:,} {what}" for what, n in outcomes.most_common())
                lines.append(f"{kind}: {told}")
        share = 100 * self.discontinuous / max(self.trees, 1)
        return [*lines, f"{self.discontinuous:,} of {self.trees:,} trees are discontinuous ({share:.1f}%)"]


# Nodes are known by their identity: two equal ones may stand in one tree if they are empty.
class _Trace(NamedTuple):
    kind: str
    number: str  # the index of its filler
    position: int
    slot: Tree  # what the filler takes the place of


class _Sentence:
    """The traces and fillers of a tree, and which filler goes where."""

    def __init__(self, tree: Tree) -> None:
        self.above: dict[int, Tree] = {}  # the parent of each node
        self.fillers: dict[str, list[Tree]] = {}  # by index
        self.traces: list[_Trace] = []
        for node in tree.nodes():
            for child in node.children:
                if isinstance(child, Tree):
                    self.above[id(child)] = node
            if node.label == TRACE and node.is_preterminal:
                self.traces.append(self._trace(node))
            elif not node.is_preterminal and (index := _INDEX.match(node.label)):
                self.fillers.setdefault(index[1], []).append(node)
        self.moves: dict[int, Tree] = {}  # from a slot to its filler
        self.home: dict[int, Tree] = {}  # from a filler to its slot
        while self._move():  # one move may open the circle that was in the way of another
            pass

    def _trace(self, node: Tree) -> _Trace:
        (leaf,) = node.children
        assert isinstance(leaf, Leaf)
        kind, _, index = leaf.word.rpartition("-")
        if not (kind and index.isdecimal()):
            kind, index = leaf.word, ""
        parent = self.above.get(id(node))
        slot = parent if parent and len(parent.children) == 1 else node
        return _Trace(kind, index, leaf.position, slot)

    def outcome(self, trace: _Trace) -> str:
        """What became of it."""
        if trace.kind not in KINDS:
            return REMOVED
        if not trace.number:
            return NO_INDEX
        fillers = self.fillers.get(trace.number, [])
        if len(fillers) != 1:
            return SEVERAL if fillers else NO_FILLER
        (filler,) = fillers
        if self.moves.get(id(trace.slot)) is filler:
            return RESOLVED
        if not self._has_words(filler):
            return EMPTY
        if self._is_below(trace.slot, filler, moved=False):
            return INSIDE
        return SHARED if id(filler) in self.home else CIRCLE

    def _move(self) -> bool:
        """Move every filler that is not moved yet and can be; whether there was any."""
        before = len(self.moves)
        for index, fillers in self.fillers.items():
            filler = fillers[0]
            if len(fillers) > 1 or id(filler) in self.home or not self._has_words(filler):
                continue
            traces = [trace for trace in self.traces if trace.number == index and trace.kind in KINDS]
            traces.sort(key=lambda trace: _distance(trace.position, filler))
            for trace in traces:
                if not self._is_below(trace.slot, filler, moved=True):
                    self.moves[id(trace.slot)], self.home[id(filler)] = filler, trace.slot
                    break
        return len(self.moves) > before

    def _is_below(self, node: Tree, filler: Tree, *, moved: bool) -> bool:
        """Whether a node is the filler or below it: in the tree as given, or as moved so far."""
        at: Tree | None = node
        while at is not None and at is not filler:
            at = self.home.get(id(at), self.above.get(id(at))) if moved else self.above.get(id(at))
        return at is filler

    def _has_words(self, node: Tree) -> bool:
        """Other than empty elements, as moved so far."""
        if filler := self.moves.get(id(node)):
            return self._has_words(filler)
        if node.is_preterminal:
            return node.label != TRACE
        return any(
            isinstance(child, Leaf) or (id(child) not in self.home and self._has_words(child))
            for child in node.children
        )


def _distance(position: int, filler: Tree) -> int:
    """Leaves between a position and a phrase."""
    return min(abs(position - covered) for covered in filler.indices())


def _moved(tree: Tree, moves: dict[int, Tree]) -> Tree:
    """The tree with every filler at its slot, children in any order."""
    gone = {id(filler) for filler in moves.values()}

    def placed(node: Tree) -> Tree:
        while id(node) in moves:  # a filler may be a trace itself
            node = moves[id(node)]
        if node.is_preterminal:
            return node
        children: list[Tree | Leaf] = []
        for child in node.children:
            if isinstance(child, Leaf):
                children.append(child)
            elif id(child) not in gone:
                children.append(placed(child))
        return new_tree(node.label, tuple(children), node.rel)

    return placed(tree)
