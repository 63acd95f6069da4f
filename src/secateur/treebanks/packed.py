"""Phrase trees in a few arrays, turned into Trees on access: reading never holds all of them as objects."""

from __future__ import annotations

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from secateur.treebanks.aside import Aside, aside_of, with_aside
from secateur.treebanks.bank import Ints
from secateur.treebanks.tree import Leaf, Tree, new_leaf, new_tree

_NO_RELS = np.zeros(0, np.int32)

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Trees in arrays. An item is a node or a word; the items of a tree stand in preorder."""

    symbols: list[str]  # labels of nodes
    vocabulary: list[str]
    symbol: Ints  # [M] number of the item's label, or of the word
    arity: Ints  # [M] how many children, -1 for a word
    position: Ints  # [W] place of each word in its sentence, in the order of the items
    item_start: Ints  # [T+1] first item of each tree
    word_start: Ints  # [T+1] first word of each tree
    rels: list[str]  # what nodes are to their parents; the first is "", for none
    rel: Ints  # [M] number of the item's; [0] where no tree has any
    asides: dict[int, Aside]  # of the trees that carry one

    def __len__(self) -> int:
        return len(self.item_start) - 1

    def lengths(self) -> Ints:
        lengths: Ints = np.diff(self.word_start)
        return lengths

    def words(self, chosen: Ints) -> Counter[str]:
        return self._counted(self.vocabulary, self._within(chosen) & self._is_word())

    def tags(self, chosen: Ints) -> Counter[str]:
        return self._counted(self.symbols, self._within(chosen) & self._is_tag())

    def labels(self, chosen: Ints) -> Counter[str]:
        return self._counted(self.symbols, self._within(chosen) & self._is_phrase())

    def special(self, chosen: Ints) -> dict[str, int]:
        chains = int((self._within(chosen) & self._starts_chain()).sum())
        return {"discontinuous trees": self._discontinuous(chosen), "unary chains": chains}

    def _within(self, chosen: Ints) -> Bools:
        """Which items are of some trees."""  # [M]
        is_chosen = np.zeros(len(self), dtype=bool)
        is_chosen[chosen] = True
        return np.repeat(is_chosen, np.diff(self.item_start))

    def _discontinuous(self, chosen: Ints) -> int:
        """Only a tree whose words are not in order in its nodes can be."""
        jumps = np.flatnonzero(np.diff(self.position) != 1) + 1  # [.] words that do not follow the one before
        starts = self.word_start[:-1]
        suspects = np.searchsorted(starts, jumps, side="right") - 1
        suspects = np.unique(suspects[starts[suspects] != jumps])
        return sum(self.tree(int(t)).is_discontinuous for t in np.intersect1d(suspects, chosen))

    def tree(self, number: int) -> Tree:
        """From the last item to the first; the top of the stack is the first child of what comes next."""
        labels, words = self.symbols, self.vocabulary
        items = slice(self.item_start[number], self.item_start[number + 1])
        positions = self.position[self.word_start[number] : self.word_start[number + 1]].tolist()
        rels = map(self.rels.__getitem__, self.rel[items][::-1].tolist()) if len(self.rel) else repeat("")
        stack: list[Tree | Leaf] = []
        for symbol, arity, rel in zip(
            self.symbol[items][::-1].tolist(), self.arity[items][::-1].tolist(), rels, strict=False
        ):
            if arity < 0:
                stack.append(new_leaf((positions.pop(), words[symbol])))
            elif arity == 1:
                stack[-1] = new_tree(labels[symbol], (stack[-1],), rel)
            else:
                rest = len(stack) - arity
                children = stack[rest:]
                del stack[rest:]
                stack.append(new_tree(labels[symbol], tuple(children[::-1]), rel))
        root = stack[0]
        assert isinstance(root, Tree)
        return with_aside(root, self.asides[number]) if number in self.asides else root

    def _is_word(self) -> Bools:
        return self.arity < 0

    def _is_tag(self) -> Bools:
        over_word = np.append(self.arity[1:] < 0, False)
        tags: Bools = (self.arity == 1) & over_word
        return tags

    def _is_phrase(self) -> Bools:
        return ~(self._is_word() | self._is_tag())

    def _starts_chain(self) -> Bools:
        """Phrases over nothing but another phrase, the first of each run, roots aside."""
        phrase = self._is_phrase()
        link = (self.arity == 1) & phrase & np.append(phrase[1:], False)
        link[self.item_start[:-1]] = False
        chains: Bools = link & ~np.append(False, link[:-1])
        return chains

    def _counted(self, table: list[str], wanted: Bools) -> Counter[str]:
        """How often each entry of the table is the symbol of a wanted item."""
        counts = np.bincount(self.symbol[wanted], minlength=len(table)).tolist()
        return Counter({text: count for text, count in zip(table, counts, strict=True) if count})

    def only(self, chosen: Ints) -> Packed:
        """These trees alone, with labels and words in the order in which they occur."""
        items, item_start = _ranges(self.item_start, chosen)
        places, word_start = _ranges(self.word_start, chosen)
        symbol, arity = self.symbol[items].copy(), self.arity[items]
        is_word = arity < 0
        symbol[is_word], words = _renamed(symbol[is_word], self.vocabulary)
        symbol[~is_word], labels = _renamed(symbol[~is_word], self.symbols)
        asides = {place: self.asides[t] for place, t in enumerate(chosen.tolist()) if t in self.asides}
        rels, rel = _only_used(self.rels, self.rel[items]) if len(self.rel) else ([""], _NO_RELS)
        return Packed(
            labels, words, symbol, arity, self.position[places], item_start, word_start, rels, rel, asides
        )

    def content(self) -> Iterator[bytes]:
        """Each piece after its size; the preorder with its arities also says where a tree ends."""
        pieces = [json.dumps(table).encode() for table in (self.symbols, self.vocabulary)]
        pieces += [a.astype("<i4").tobytes() for a in (self.symbol, self.arity, self.position)]
        if len(self.rel):
            pieces += [json.dumps(self.rels).encode(), self.rel.astype("<i4").tobytes()]
        for piece in pieces:
            yield len(piece).to_bytes(8, "little")
            yield piece


def _ranges(start: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """What lies in the chosen ranges, one after the other, and where each then starts."""
    sizes = start[chosen + 1] - start[chosen]
    new_start = np.concatenate(([0], np.cumsum(sizes)))
    return np.arange(new_start[-1]) + np.repeat(start[chosen] - new_start[:-1], sizes), new_start


def _renamed(symbols: Ints, table: list[str]) -> tuple[Ints, list[str]]:
    """The symbols numbered in the order of their first occurrence, and the table of those that occur."""
    used, first, inverse = np.unique(symbols, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse], [table[symbol] for symbol in used[order].tolist()]


def _only_used(rels: list[str], rel: Ints) -> tuple[list[str], Ints]:
    """The table of those among some items, numbered anew; the first stays "", for none."""
    if not rel.any():
        return [""], _NO_RELS
    has = rel > 0
    renamed, used = _renamed(rel[has], rels)
    found = np.zeros_like(rel)
    found[has] = renamed + 1
    return ["", *used], found


def pack(trees: Iterable[Tree]) -> Packed:
    labels: defaultdict[str, int] = defaultdict()
    words: defaultdict[str, int] = defaultdict()
    rels: defaultdict[str, int] = defaultdict(None, {"": 0})
    for table in (labels, words, rels):
        table.default_factory = table.__len__  # the next free number
    symbol, arity, position = array("i"), array("i"), array("i")
    item_start, word_start = array("q", [0]), array("q", [0])
    has_rel, rel = array("i"), array("i")  # the items that have one, and which
    asides: dict[int, Aside] = {}
    for tree in trees:
        if type(tree) is not Tree:
            asides[len(item_start) - 1] = aside_of(tree)
        stack: list[Tree | Leaf] = [tree]
        while stack:
            item = stack.pop()
            if isinstance(item, Leaf):
                symbol.append(words[item.word])
                arity.append(-1)
                position.append(item.position)
            else:
                if item.rel:
                    has_rel.append(len(symbol))
                    rel.append(rels[item.rel])
                symbol.append(labels[item.label])
                arity.append(len(item.children))
                stack.extend(item.children[::-1])
        item_start.append(len(symbol))
        word_start.append(len(position))
    items, arities, positions, items_of, words_of = map(  # not copied
        np.asarray, (symbol, arity, position, item_start, word_start)
    )
    all_rels = np.zeros(len(items) if has_rel else 0, np.int32)
    all_rels[np.asarray(has_rel)] = np.asarray(rel)
    return Packed(
        list(labels),
        list(words),
        items,
        arities,
        positions,
        items_of,
        words_of,
        list(rels),
        all_rels,
        asides,
    )
