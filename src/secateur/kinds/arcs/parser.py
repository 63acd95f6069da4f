"""ArcParser: words in, dependency trees out, at one point of a model's dial."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from secateur.errors import InputError
from secateur.kernels.arcs import locking as kernel
from secateur.kernels.arcs.features import AROUND
from secateur.kinds.arcs.model import DependencyModel
from secateur.models.limits import Limits, pieces
from secateur.search.core import Work
from secateur.tasks.arc_locking.corpus import corpus_tags, unparsed_corpus
from secateur.treebanks.dependency_tree import NO_LABEL, DependencyTree
from secateur.treebanks.formats.conll import CONLLU
from secateur.treebanks.text import Sentence, penn_spelling, tokenize

Given = DependencyTree | Sentence | Sequence[str]  # a text alone is one sentence, raw

BATCH = 600  # words that go through the kernels together
NO_TAG = "_"


@dataclass(frozen=True, slots=True)
class DependencyParse:
    """A tree and what it took to find it."""

    tree: DependencyTree
    work: Work  # features: templates computed
    seconds: float  # in a batch, its share by words
    stage: int  # after which it was found, from 0
    fell_back: bool = False  # no tree was left: it is of the stage before
    failed: bool = False  # no tree was looked for: all words hang on the first, or have no heads
    degraded: bool = False  # too long: parsed in pieces, flat, or skipped

    def __str__(self) -> str:
        return CONLLU.write(self.tree).rstrip("\n")


class _Found(NamedTuple):
    """What there is to say of a sentence before it has labels."""

    heads: tuple[int, ...]
    features: int
    stage: int
    fell_back: bool = False
    failed: bool = False
    degraded: bool = False


class ArcParser:
    """Parsing with a model at one of its points.

    Sentences keep the tags they come with; those without tags get them from the model's tagger, and so do
    all with `retag`.
    """

    def __init__(
        self, model: DependencyModel, point: str, *, limits: Limits | None = None, retag: bool = False
    ) -> None:
        if retag and model.tagger is None:
            raise InputError("this model has no tagger", fix="leave the tags as they are")
        self.model = model
        self.point = point
        self.limits = limits or Limits()
        self.retag = retag
        self.task, self.policy = model.task(point), model.policy(point)

    def __call__(self, text: str) -> DependencyParse:
        """Parse one sentence of raw text."""
        return self.parse(text)

    def parse(
        self, words: Given, tags: Sequence[str] | None = None, coarse: Sequence[str] | None = None
    ) -> DependencyParse:
        """The best tree of a sentence; coarse tags follow from the others where they are not given."""
        tree = _tree(words)
        if tags is not None:
            tree = tree.with_tags(tags, coarse)
        elif coarse is not None:
            raise InputError("coarse tags without finer ones", fix="give both, or tags alone")
        return self._parse_all([tree])[0]

    def pipe(
        self, sentences: Iterable[Given], *, jobs: int = 1, batch: int = BATCH
    ) -> Iterator[DependencyParse]:
        """The parses of sentences, in order, the same for any number of jobs.

        A batch is as many sentences as it takes to have so many words. Jobs are threads, 0 means one for each
        core: the kernels run side by side.
        """
        batches = _batches(sentences, batch)
        jobs = jobs or os.cpu_count() or 1
        if jobs == 1:
            for trees in batches:
                yield from self._parse_all(trees)
            return
        from joblib import Parallel, delayed

        run = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")
        for parses in run(delayed(self._parse_all)(trees) for trees in batches):
            yield from parses

    def _parse_all(self, trees: Sequence[DependencyTree]) -> list[DependencyParse]:
        started = time.perf_counter()
        seen = self._tagged([self.seen(tree) for tree in trees])
        found = self._search(seen)
        labels = self._labels(seen, found)
        each = (time.perf_counter() - started) / max(sum(map(len, trees)), 1)
        return [
            DependencyParse(
                DependencyTree(given.words, tree.tags, tree.coarse, f.heads, own, given.source),
                Work(features=f.features),
                each * len(given),
                f.stage,
                f.fell_back,
                f.failed,
                f.degraded,
            )
            for given, tree, f, own in zip(trees, seen, found, labels, strict=True)
        ]

    # Tags and labels ----------------------------------------------------------------------------------------

    def _tagged(self, trees: Sequence[DependencyTree]) -> list[DependencyTree]:
        found = list(trees)
        bare = [i for i, tree in enumerate(trees) if self.retag or not _has_tags(tree)]
        if not bare:
            return found
        tagger = self.model.tagger
        if tagger is None:
            raise InputError(
                "the words have no tags, and this model has no tagger",
                fix="give a tag for every word, or train a model with a tagger",
            )
        tagged = tagger.tag([trees[i].words for i in bare])
        for i, tags in zip(bare, tagged, strict=True):
            found[i] = trees[i].with_tags(*tags)
        return found

    def seen(self, tree: DependencyTree) -> DependencyTree:
        """The sentence in the spelling of the training text."""
        if not self.model.is_penn:
            return tree
        words = penn_spelling(tree.words)
        return tree if words is tree.words else tree.with_words(words)

    def _labels(self, trees: Sequence[DependencyTree], found: Sequence[_Found]) -> list[tuple[str, ...]]:
        labels = [(NO_LABEL,) * len(f.heads) for f in found]
        labeller = self.model.labeller
        parsed = [i for i, f in enumerate(found) if f.heads]
        if labeller is not None and parsed:
            own = labeller.label_found([trees[i] for i in parsed], [found[i].heads for i in parsed])
            for i, made in zip(parsed, own, strict=True):
                labels[i] = made
        return labels

    # Heads --------------------------------------------------------------------------------------------------

    def _search(self, trees: Sequence[DependencyTree]) -> list[_Found]:
        long = {i for i, tree in enumerate(trees) if self._is_long(len(tree))}
        found = iter(self._search_whole([tree for i, tree in enumerate(trees) if i not in long]))
        return [self._too_long(tree) if i in long else next(found) for i, tree in enumerate(trees)]

    def _search_whole(self, trees: Sequence[DependencyTree]) -> list[_Found]:
        """All sentences in one call of the kernel."""
        if not trees:
            return []
        task, limits = self.task, self.model.limits
        corpus = unparsed_corpus(task.arc_features, trees)
        ends = kernel.lock_corpus(
            task.arc_features.compiled,
            task.stages,
            task.weights(self.policy),
            task.rules,
            corpus,
            corpus_tags(limits, trees),
            limits.longest,
            corpus.heads,
        )
        heads = corpus.heads.tolist()
        return [
            _Found(tuple(heads[a + 1 : b + 1 - AROUND]), features, stage, ending == kernel.NO_TREE)
            for (a, b), (ending, stage, features) in zip(
                pairwise(corpus.start.tolist()), ends.tolist(), strict=True
            )
        ]

    def _is_long(self, n: int) -> bool:
        """Too many words, or, in the second order, too large a table of siblings."""
        second = self.task.rules.last >= self.task.stages.first
        return n > self.limits.words or (second and 4 * (n + 1) ** 3 > self.limits.chart_bytes)

    def _too_long(self, tree: DependencyTree) -> _Found:
        n = len(tree)
        if self.limits.on_long == "skip":
            return _Found((), 0, 0, failed=True, degraded=True)
        if self.limits.on_long == "flat" or n == 1:
            return _Found((0, *(1,) * (n - 1)), 0, 0, failed=True, degraded=True)
        longest = min(self.limits.words, max(n // 2, 1))
        parts = [(first, _piece(tree, first, end)) for first, end in pieces(tree.words, longest)]
        found = self._search([piece for _, piece in parts])
        heads: list[int] = []
        root = 0
        for (first, _), part in zip(parts, found, strict=True):
            # The roots of later pieces hang on the first one's.
            heads += [head + first if head else root for head in part.heads]
            root = root or heads.index(0) + 1
        features, stage = sum(f.features for f in found), max(f.stage for f in found)
        fell_back, failed = any(f.fell_back for f in found), any(f.failed for f in found)
        return _Found(tuple(heads), features, stage, fell_back, failed, degraded=True)


def _tree(given: Given) -> DependencyTree:
    """A sentence without tags where it comes without."""
    if isinstance(given, str):
        given = Sentence.of(tokenize(given))
    if isinstance(given, DependencyTree):
        tree = given
    else:
        words = tuple(given.tokens if isinstance(given, Sentence) else given)
        none = (NO_TAG,) * len(words)
        tree = DependencyTree(words, none, none, (), ())
    if not tree.words:
        raise InputError("an empty sentence", fix="give at least one word")
    return tree


def _has_tags(tree: DependencyTree) -> bool:
    return any(tag != NO_TAG for tag in tree.tags)


def _piece(tree: DependencyTree, first: int, end: int) -> DependencyTree:
    return DependencyTree(tree.words[first:end], tree.tags[first:end], tree.coarse[first:end], (), ())


def _batches(sentences: Iterable[Given], words: int) -> Iterator[list[DependencyTree]]:
    batch: list[DependencyTree] = []
    size = 0
    for sentence in sentences:
        batch.append(_tree(sentence))
        size += len(batch[-1])
        if size >= words:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
