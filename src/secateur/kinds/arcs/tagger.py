"""Tagger: part-of-speech tags for words, by an averaged perceptron that goes from left to right.

A class is a coarse tag together with a fine one, so that the two always fit. What a class is chosen by are
patterns, see `features/patterns.py`: views of the word w and its neighbours up to two words away, and the
classes of the two words before, `last` and `last2`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain
from typing import ClassVar, NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.features import patterns as rows_of
from secateur.features.patterns import Array, compiled
from secateur.features.tokens import Remembered, normal_form, text_keys
from secateur.kernels.perceptron import tagger as kernel
from secateur.kernels.rows import Rows
from secateur.kinds.arcs.rows import ROWS, check_names
from secateur.models.storage import Schema, check_arrays, formed
from secateur.treebanks import partition
from secateur.treebanks.dependency_tree import DependencyTree

Tags = tuple[tuple[str, ...], tuple[str, ...]]  # fine and coarse, one of each for every word

EPOCHS = 10
MARGIN = 32  # by which the true class must be ahead
OFTEN = 4  # of a word seen so often it is known which classes it has
SURE = 20  # a word seen so often, with one class only, has no other

_AROUND = ("\x01", "\x02")  # what stands before and behind a sentence, as words like no other
_USUAL = 0.05  # the share that makes a class one of a word's usual ones


def shape(word: str) -> str:
    """Runs of capitals, other letters and digits as X, x and 0; other characters as they are."""
    if word.isalpha() and word[1:].islower():  # most are so, and are told without a look at each letter
        return "Xx" if word[0].isupper() else "x"
    kinds = ["X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdigit() else c for c in word]
    return "".join([kind for kind, before in zip(kinds, ["", *kinds], strict=False) if kind != before])


def _prefix(length: int) -> Callable[[str], str]:
    return lambda word: word[:length].lower()


def _suffix(length: int) -> Callable[[str], str]:
    return lambda word: word[-length:].lower()


_AFFIXES = (1, 2, 3, 4)
# From a word whose digits are all 0 to a text.
VIEWS: dict[str, Callable[[str], str]] = {
    "word": lambda word: word,
    "lower": str.lower,
    "shape": shape,
    **{f"prefix{length}": _prefix(length) for length in _AFFIXES},
    **{f"suffix{length}": _suffix(length) for length in _AFFIXES},
}
_NAMES = (*VIEWS, "usual")  # the last: the usual classes of a word seen often, else its shape and ending

_OWN = (*(f"{view}[w]" for view in VIEWS), "shape[w] suffix2[w]", "shape[w] suffix3[w]")
_AROUND_PATTERNS = (
    "word[w-1]",
    "word[w+1]",
    "lower[w-2]",
    "lower[w+2]",
    "lower[w-1] lower[w]",
    "lower[w] lower[w+1]",
    "lower[w-1] lower[w+1]",
    "suffix3[w-1]",
    "suffix3[w+1]",
    "suffix2[w] suffix2[w+1]",
    "shape[w-1] shape[w]",
    "shape[w] shape[w+1]",
    "usual[w-1] shape[w]",
    "usual[w+1]",
    "usual[w+2]",
    "usual[w+1] usual[w+2]",
)
_HISTORY = (
    "last",
    "last2",
    "last last2",
    "last lower[w]",
    "last2 lower[w]",
    "last suffix3[w]",
    "last shape[w]",
    "last usual[w+1]",
    "last last2 usual[w+1]",
)
PATTERNS = (*_OWN, *_AROUND_PATTERNS, *_HISTORY)
_COMPILED = compiled(PATTERNS, views=_NAMES, places="w", values=("last", "last2"))


class Lexicon(NamedTuple):
    """What is known of words that were seen often."""

    usual: dict[str, str]  # the usual classes of a word, as a text
    fixed: dict[str, int]  # the class of a word that has only one


class TaggerSettings(NamedTuple):
    """All of a tagger but its arrays."""

    classes: tuple[tuple[str, str], ...]
    usual: dict[str, str]
    fixed: dict[str, int]
    mistakes: tuple[int, ...]


@dataclass(frozen=True)
class Tagger:
    """A trained tagger."""

    form: ClassVar[type[TaggerSettings]] = TaggerSettings
    schema: ClassVar[Schema] = ROWS
    classes: tuple[tuple[str, str], ...]  # fine and coarse tag
    lexicon: Lexicon
    rows: Rows = field(repr=False)
    mistakes: tuple[int, ...] = ()  # in each epoch of training

    @classmethod
    def train(
        cls,
        trees: Sequence[DependencyTree],
        *,
        epochs: int = EPOCHS,
        seed: int = 0,
        margin: int = MARGIN,
        often: int = OFTEN,
        sure: int = SURE,
    ) -> Tagger:
        """A tagger that has learned the tags of these sentences."""
        counts = Counter(chain.from_iterable(zip(tree.tags, tree.coarse, strict=True) for tree in trees))
        classes = tuple(sorted(counts))
        if not classes:
            raise InputError("no tags to learn", fix="give sentences with tags")
        number = {pair: c for c, pair in enumerate(classes)}
        gold = [[number[pair] for pair in zip(tree.tags, tree.coarse, strict=True)] for tree in trees]
        lexicon = _lexicon([tree.words for tree in trees], gold, often=often, sure=sure)
        table, clock, mistakes = rows_of.empty_table(), 0, []
        untrained = cls(classes, lexicon, rows_of.averaged(table, clock))
        texts = untrained._texts([tree.words for tree in trees])
        by_place = np.zeros(len(texts.words), np.int64)
        for a, row in zip(texts.start.tolist(), gold, strict=False):
            by_place[a + kernel.PAD : a + kernel.PAD + len(row)] = row
        rng = np.random.default_rng(seed)
        for _ in range(epochs):
            order = rng.permutation(len(trees))
            table, clock, wrong = kernel.train_epoch(
                _COMPILED, table, len(classes), texts, by_place, order, margin, clock
            )
            mistakes.append(int(wrong))
        return cls(classes, lexicon, rows_of.averaged(table, clock), tuple(mistakes))

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[Tags]:
        """Fine and coarse tags of the words of each sentence."""
        texts = self._texts(sentences)
        found = np.zeros(len(texts.words), np.int64)
        kernel.tag(_COMPILED, len(_OWN), self.rows, len(self.classes), texts, found)
        fine, coarse = (column.__getitem__ for column in zip(*self.classes, strict=True))
        by_place, tagged = found.tolist(), []
        for a, sentence in zip(texts.start.tolist(), sentences, strict=False):
            chosen = by_place[a + kernel.PAD : a + kernel.PAD + len(sentence)]
            tagged.append((tuple(map(fine, chosen)), tuple(map(coarse, chosen))))
        return tagged

    def retag(self, trees: Sequence[DependencyTree]) -> list[DependencyTree]:
        """The same sentences with the tags found for them."""
        tagged = self.tag([tree.words for tree in trees])
        return [tree.with_tags(*tags) for tree, tags in zip(trees, tagged, strict=True)]

    def settings(self) -> dict[str, object]:
        """All but the arrays, in terms of JSON."""
        return {
            "classes": [list(pair) for pair in self.classes],
            "usual": self.lexicon.usual,
            "fixed": self.lexicon.fixed,
            "mistakes": list(self.mistakes),
        }

    def arrays(self) -> dict[str, Array]:
        """The arrays to store with the settings."""
        return rows_of.to_arrays(self.rows)

    @classmethod
    def sizes(cls, given: TaggerSettings) -> dict[str, int]:
        """What the schema has to know; ValueError where these are no settings of a tagger."""
        check_names(tuple(chain.from_iterable(given.classes)))
        if not all(0 <= c < len(given.classes) for c in given.fixed.values()):
            raise ValueError("a word's class does not exist")
        return {"classes": len(given.classes)}

    @classmethod
    def made(cls, arrays: Mapping[str, Array], given: TaggerSettings) -> Tagger:
        """From arrays as the schema has them."""
        lexicon = Lexicon(given.usual, given.fixed)
        return cls(given.classes, lexicon, rows_of.from_arrays(arrays), given.mistakes)

    @classmethod
    def from_arrays(cls, stored: Mapping[str, Array], settings: Mapping[str, object]) -> Tagger:
        """The tagger that was stored; ValueError where the parts do not fit each other."""
        given = formed(settings, cls.form)
        return cls.made(check_arrays(stored, cls.schema, cls.sizes(given)), given)

    def _texts(self, sentences: Sequence[Sequence[str]]) -> kernel.Texts:
        """Sentences as the kernel has them."""
        different = dict.fromkeys(chain(_AROUND, *sentences))
        number = dict(zip(different, range(len(different)), strict=True))
        before, after = [0] * kernel.PAD, [1] * kernel.PAD
        words: list[int] = []
        for sentence in sentences:
            words += before
            words += map(number.__getitem__, sentence)
            words += after
        rows = np.frombuffer(self._rows.joined(number), np.uint64).reshape(len(number), -1)
        return kernel.Texts(
            np.array([0, *accumulate([len(one) + 2 * kernel.PAD for one in sentences])], np.int64),
            np.array(words, np.uint32),
            np.ascontiguousarray(rows[:, :-1]),
            rows[:, -1].astype(np.int64),
        )

    @cached_property
    def _rows(self) -> Remembered[str]:
        """The keys of words under each view, and the class of a word that has only one."""
        return Remembered(self._row)

    def _row(self, word: str) -> bytes:
        texts = [word] * len(_NAMES)
        if word not in _AROUND:
            normal = normal_form(word)
            texts = [view(normal) for view in VIEWS.values()]
            texts.append(self.lexicon.usual.get(word) or f"? {shape(word)} {word[-2:]}")
        fixed = self.lexicon.fixed.get(word, -1)
        return text_keys.joined(texts) + fixed.to_bytes(8, sys.byteorder, signed=True)


def jackknife(
    trees: Sequence[DependencyTree], *, folds: int = 10, epochs: int = EPOCHS, seed: int = 0, threads: int = 2
) -> list[DependencyTree]:
    """The same sentences with tags as for unseen text: each fold's by a tagger trained on the others."""

    def retagged(parts: tuple[Array, Array]) -> list[DependencyTree]:
        rest, fold = ([trees[i] for i in part.tolist()] for part in parts)
        return Tagger.train(rest, epochs=epochs, seed=seed).retag(fold)

    with ThreadPoolExecutor(threads) as pool:
        found = pool.map(retagged, partition.folds(len(trees), folds))
        return list(chain.from_iterable(found))


def _lexicon(
    sentences: Sequence[Sequence[str]], gold: Sequence[Sequence[int]], *, often: int, sure: int
) -> Lexicon:
    by_word: dict[str, Counter[int]] = {}
    for words, row in zip(sentences, gold, strict=True):
        for word, c in zip(words, row, strict=True):
            by_word.setdefault(word, Counter())[c] += 1
    usual, fixed = {}, {}
    for word, counts in by_word.items():
        total = counts.total()
        if total >= often:
            classes = [c for c, count in counts.most_common() if count >= _USUAL * total]
            usual[word] = " ".join(map(str, classes))
        if total >= sure and len(counts) == 1:
            fixed[word] = next(iter(counts))
    return Lexicon(usual, fixed)
