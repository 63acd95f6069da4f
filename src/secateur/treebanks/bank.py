"""Treebank: an immutable sequence of trees, held in a few arrays and turned into Trees on access."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from secateur.treebanks import formats, partition
from secateur.treebanks.dependency_bank import DependencyBank
from secateur.treebanks.formats import source
from secateur.treebanks.formats.brackets import OnError
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.tree import Leaf, Tree, new_leaf, new_tree

Ints = npt.NDArray[np.signedinteger]
Bools = npt.NDArray[np.bool_]
_AS_IN_THE_PAPER = Normalization()


class Description(NamedTuple):
    """What a treebank holds, in numbers."""

    sentences: int
    words: int
    types: int  # different words
    hapaxes: int  # words that occur once
    tags: int  # different labels directly over words
    labels: int  # different labels of other nodes
    max_length: int
    mean_length: float
    discontinuous: int  # sentences with a discontinuous node
    unary_chains: int  # runs of phrases over nothing but another phrase, not counting the root


class Treebank(Sequence[Tree]):
    """Trees under a name. Parts of a treebank share its arrays; reading never holds all trees as objects."""

    __slots__ = ("_chosen", "_packed", "name")

    def __init__(self, trees: Iterable[Tree], *, name: str = "") -> None:
        self.name = name
        self._packed = _pack(trees)
        self._chosen: Ints = np.arange(self._packed.count)  # [T] numbers of the packed trees, in order

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        encoding: str = "utf-8",
        normalization: Normalization | None = None,
        on_error: OnError | None = None,
    ) -> Treebank:
        """The trees of a file ("-": standard input), normalized; those left without words are dropped."""
        trees = formats.read(path, format=format, encoding=encoding, on_error=on_error)
        return cls(_normalized(trees, normalization), name=source.name_of(path))

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, key: int) -> Tree: ...

    @overload
    def __getitem__(self, key: slice) -> Treebank: ...

    def __getitem__(self, key: int | slice) -> Tree | Treebank:
        if isinstance(key, slice):
            return self._part(self._chosen[key])
        return self._packed.tree(int(self._chosen[key]))

    def __iter__(self) -> Iterator[Tree]:
        return map(self._packed.tree, self._chosen.tolist())

    def __eq__(self, other: object) -> bool:
        """The same trees in the same order; the names do not matter."""
        if not isinstance(other, Treebank):
            return NotImplemented
        return self._own().content() == other._own().content()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Treebank {self.name!r}: {len(self)} trees>"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self._own(), self.name)

    def split(
        self, *, dev: float = 0.1, test: float = 0.1, seed: int | None = None
    ) -> tuple[Treebank, Treebank, Treebank]:
        """Train, dev and test, in this order in the file, or drawn at random if there is a seed."""
        parts = partition.three_parts(len(self), dev=dev, test=test, seed=seed, name=self.name)
        first, second, third = (self._part(self._chosen[part]) for part in parts)
        return first, second, third

    def folds(self, count: int) -> Iterator[tuple[Treebank, Treebank]]:
        """Cut into so many parts: each with all the rest before it, as (rest, fold)."""
        for rest, fold in partition.folds(len(self), count):
            yield self._part(self._chosen[rest]), self._part(self._chosen[fold])

    def filter(self, *, min_length: int = 1, max_length: int | None = None) -> Treebank:
        """The trees over so many words."""
        lengths = self.lengths()
        wanted = lengths >= min_length
        if max_length is not None:
            wanted &= lengths <= max_length
        return self._part(self._chosen[wanted])

    def normalize(self, normalization: Normalization) -> Treebank:
        """The normalized trees; those left without words are dropped."""
        return Treebank(_normalized(self, normalization), name=self.name)

    def lengths(self) -> Ints:
        """Words in each tree."""  # [T]
        lengths: Ints = np.diff(self._packed.word_start)[self._chosen]
        return lengths

    def vocabulary(self) -> Counter[str]:
        """How often each word occurs."""
        packed = self._packed
        return packed.counted(packed.words, self._within() & packed.is_word())

    def tags(self) -> Counter[str]:
        """How often each label occurs directly over a word."""
        packed = self._packed
        return packed.counted(packed.labels, self._within() & packed.is_tag())

    def labels(self) -> Counter[str]:
        """How often each label occurs on other nodes."""
        packed = self._packed
        return packed.counted(packed.labels, self._within() & packed.is_phrase())

    def describe(self) -> Description:
        """The treebank in numbers."""
        lengths, vocabulary = self.lengths(), self.vocabulary()
        return Description(
            sentences=len(self),
            words=int(lengths.sum()),
            types=len(vocabulary),
            hapaxes=sum(count == 1 for count in vocabulary.values()),
            tags=len(self.tags()),
            labels=len(self.labels()),
            max_length=int(lengths.max(initial=0)),
            mean_length=float(lengths.mean()) if len(self) else 0.0,
            discontinuous=self._discontinuous(),
            unary_chains=int((self._within() & self._packed.starts_chain()).sum()),
        )

    def checksum(self) -> str:
        """SHA-256 of the trees and their order, whatever file and format they came from."""
        digest = hashlib.sha256()
        for piece in self._own().content():
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
        return digest.hexdigest()

    def _part(self, chosen: Ints) -> Treebank:
        part = object.__new__(Treebank)
        part.name, part._packed, part._chosen = self.name, self._packed, chosen
        return part

    def _own(self) -> _Packed:
        """These trees alone, packed as if they had just been read."""
        whole = np.array_equal(self._chosen, np.arange(self._packed.count))
        return self._packed if whole else self._packed.only(self._chosen)

    def _within(self) -> Bools:
        """Which packed items are of these trees."""  # [M]
        is_chosen = np.zeros(self._packed.count, dtype=bool)
        is_chosen[self._chosen] = True
        return np.repeat(is_chosen, np.diff(self._packed.item_start))

    def _discontinuous(self) -> int:
        """Only a tree whose words are not in order in its nodes can be."""
        packed = self._packed
        jumps = (
            np.flatnonzero(np.diff(packed.position) != 1) + 1
        )  # [.] words that do not follow the one before
        starts = packed.word_start[:-1]
        suspects = np.searchsorted(starts, jumps, side="right") - 1
        suspects = np.unique(suspects[starts[suspects] != jumps])
        return sum(packed.tree(int(t)).is_discontinuous for t in np.intersect1d(suspects, self._chosen))


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    normalization: Normalization | None = _AS_IN_THE_PAPER,
) -> Treebank | DependencyBank:
    """The treebank in a file: trees, normalized as for training, or dependencies, as they are.

    normalization=None takes trees as they are, too.
    """
    file = formats.opened(path, format=format, encoding=encoding)
    if file.has_dependencies:
        return DependencyBank(file.dependencies(), name=file.name)
    return Treebank(_normalized(file.trees(), normalization), name=file.name)


def _normalized(trees: Iterable[Tree], normalization: Normalization | None) -> Iterator[Tree]:
    if normalization is None:
        return iter(trees)
    return (tree for tree in map(normalization, trees) if tree is not None)


def _restore(packed: _Packed, name: str) -> Treebank:
    treebank = object.__new__(Treebank)
    treebank.name, treebank._packed, treebank._chosen = name, packed, np.arange(packed.count)
    return treebank


@dataclass(frozen=True, slots=True, eq=False)
class _Packed:
    """Trees in arrays. An item is a node or a word; the items of a tree stand in preorder."""

    labels: list[str]
    words: list[str]
    symbol: Ints  # [M] number of the item's label, or of the word
    arity: Ints  # [M] how many children, -1 for a word
    position: Ints  # [W] place of each word in its sentence, in the order of the items
    item_start: Ints  # [T+1] first item of each tree
    word_start: Ints  # [T+1] first word of each tree

    @property
    def count(self) -> int:
        return len(self.item_start) - 1

    def tree(self, number: int) -> Tree:
        """From the last item to the first; the top of the stack is the first child of what comes next."""
        labels, words = self.labels, self.words
        items = slice(self.item_start[number], self.item_start[number + 1])
        positions = self.position[self.word_start[number] : self.word_start[number + 1]].tolist()
        stack: list[Tree | Leaf] = []
        for symbol, arity in zip(
            self.symbol[items][::-1].tolist(), self.arity[items][::-1].tolist(), strict=True
        ):
            if arity < 0:
                stack.append(new_leaf((positions.pop(), words[symbol])))
            elif arity == 1:
                stack[-1] = new_tree(labels[symbol], (stack[-1],))
            else:
                rest = len(stack) - arity
                children = stack[rest:]
                del stack[rest:]
                stack.append(new_tree(labels[symbol], tuple(children[::-1])))
        root = stack[0]
        assert isinstance(root, Tree)
        return root

    def is_word(self) -> Bools:
        return self.arity < 0

    def is_tag(self) -> Bools:
        over_word = np.append(self.arity[1:] < 0, False)
        tags: Bools = (self.arity == 1) & over_word
        return tags

    def is_phrase(self) -> Bools:
        return ~(self.is_word() | self.is_tag())

    def starts_chain(self) -> Bools:
        """Phrases over nothing but another phrase, the first of each run, roots aside."""
        phrase = self.is_phrase()
        link = (self.arity == 1) & phrase & np.append(phrase[1:], False)
        link[self.item_start[:-1]] = False
        chains: Bools = link & ~np.append(False, link[:-1])
        return chains

    def counted(self, table: list[str], wanted: Bools) -> Counter[str]:
        """How often each entry of the table is the symbol of a wanted item."""
        counts = np.bincount(self.symbol[wanted], minlength=len(table)).tolist()
        return Counter({text: count for text, count in zip(table, counts, strict=True) if count})

    def only(self, chosen: Ints) -> _Packed:
        """These trees alone, with labels and words in the order in which they occur."""
        items, item_start = _ranges(self.item_start, chosen)
        places, word_start = _ranges(self.word_start, chosen)
        symbol, arity = self.symbol[items].copy(), self.arity[items]
        is_word = arity < 0
        symbol[is_word], words = _renamed(symbol[is_word], self.words)
        symbol[~is_word], labels = _renamed(symbol[~is_word], self.labels)
        return _Packed(labels, words, symbol, arity, self.position[places], item_start, word_start)

    def content(self) -> list[bytes]:
        """All there is, as bytes; the preorder with its arities also says where a tree ends."""
        tables = [json.dumps(table).encode() for table in (self.labels, self.words)]
        return [*tables, *(a.astype("<i4").tobytes() for a in (self.symbol, self.arity, self.position))]


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


def _pack(trees: Iterable[Tree]) -> _Packed:
    labels: defaultdict[str, int] = defaultdict()
    words: defaultdict[str, int] = defaultdict()
    labels.default_factory, words.default_factory = labels.__len__, words.__len__  # the next free number
    symbol, arity, position = array("i"), array("i"), array("i")
    item_start, word_start = array("q", [0]), array("q", [0])
    for tree in trees:
        stack: list[Tree | Leaf] = [tree]
        while stack:
            item = stack.pop()
            if isinstance(item, Leaf):
                symbol.append(words[item.word])
                arity.append(-1)
                position.append(item.position)
            else:
                symbol.append(labels[item.label])
                arity.append(len(item.children))
                stack.extend(item.children[::-1])
        item_start.append(len(symbol))
        word_start.append(len(position))
    arrays = map(np.asarray, (symbol, arity, position, item_start, word_start))  # not copied
    return _Packed(list(labels), list(words), *arrays)
