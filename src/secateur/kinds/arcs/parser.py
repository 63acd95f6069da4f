"""ArcParser: words in, dependency trees out, along one of the ways of a model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from secateur.errors import InputError
from secateur.kernels.arcs import locking as kernel
from secateur.kernels.arcs.features import AROUND
from secateur.kinds.arcs.parts import ArcParts
from secateur.kinds.arcs.settings import Using
from secateur.kinds.arcs.ways import policy_of, task_of, whole_task
from secateur.models.limits import Limits
from secateur.models.parse import Given, Parse, SentenceParser
from secateur.models.point import Way
from secateur.search.core import Policy, Work
from secateur.tasks.arc_locking.corpus import corpus_tags, unparsed_corpus
from secateur.tasks.arc_locking.task import ArcLocking
from secateur.treebanks.dependencies import DEPENDENCIES, NO_TAG
from secateur.treebanks.dependency_tree import NO_LABEL, DependencyTree
from secateur.treebanks.sentence import Sentence, Tags


def parser_of(
    parts: ArcParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
) -> ArcParser:
    """A model's parser that goes one of its ways."""
    return ArcParser(parts, way, policies, limits=limits, using=using)


class _Heads(NamedTuple):
    """What there is to say of a sentence before it has labels."""

    heads: tuple[int, ...]
    features: int
    stage: int
    fell_back: bool


class ArcParser(SentenceParser[DependencyTree]):
    """Parsing with weights in stages, filters and a policy.

    Sentences keep the tags they come with; those without tags get them from the model's tagger, and so do
    all where `using` says so.
    """

    annotation = DEPENDENCIES

    def __init__(
        self,
        parts: ArcParts,
        way: Way,
        policies: Mapping[str, Policy],
        *,
        limits: Limits | None = None,
        using: Using | None = None,
    ) -> None:
        self.parts, self.way = parts, way
        self.limits = limits or Limits()
        self.using: Using = using or Using()
        self.task, self.policy = task_of(parts, way, policies), policy_of(way, policies)
        if self.using.tags == "predicted" and parts.tagger is None:
            raise InputError("this model has no tagger", fix="leave the tags as they are")

    def __repr__(self) -> str:
        how = ", ".join(f"{name} {value}" for name, value in self.way.items()) or "all templates"
        return f"<ArcParser: {len(self.parts.groups)} stages, {how}>"

    def parse(
        self, words: Given, tags: Sequence[str] | None = None, coarse: Sequence[str] | None = None
    ) -> Parse[DependencyTree]:
        """The best tree of a sentence; coarse tags follow from the others where they are not given."""
        sentence = self.given(words)
        if tags is not None:
            tagged = self.nothing(sentence).with_tags(tags, coarse)
            own = Tags(tagged.tags, tagged.coarse)
            sentence = Sentence(sentence.tokens, sentence.penn, own, sentence.source)
        elif coarse is not None:
            raise InputError("coarse tags without finer ones", fix="give both, or tags alone")
        return self.batch([sentence])[0]

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[DependencyTree] | None]:
        """All sentences that are not too long in one call of the kernel."""
        started = time.perf_counter()
        whole = [sentence for sentence in sentences if not self._is_long(len(sentence))]
        seen = self.seen(whole)
        found = self._heads(seen)
        labels = self._labels(seen, found)
        each = (time.perf_counter() - started) / max(sum(map(len, whole)), 1)
        made = (
            self._made(sentence, tree, own, label, each * len(sentence))
            for sentence, tree, own, label in zip(whole, seen, found, labels, strict=True)
        )
        return [None if self._is_long(len(sentence)) else next(made) for sentence in sentences]

    def _made(
        self,
        sentence: Sentence,
        seen: DependencyTree,
        found: _Heads,
        labels: tuple[str, ...],
        seconds: float,
    ) -> Parse[DependencyTree]:
        tree = DependencyTree(sentence.tokens, seen.tags, seen.coarse, found.heads, labels, sentence.source)
        return Parse(
            tree,
            Work(features=found.features),
            seconds,
            fell_back=found.fell_back,
            notes={"stage": found.stage},
            annotation=self.annotation,
        )

    # Tags and labels ----------------------------------------------------------------------------------------

    def seen(self, sentences: Sequence[Sentence]) -> list[DependencyTree]:
        """The sentences in the spelling of the training text, with tags."""
        words = [sentence.penn if self.parts.penn else sentence.tokens for sentence in sentences]
        tags = [None if self.using.tags == "predicted" else sentence.tags for sentence in sentences]
        bare = [number for number, own in enumerate(tags) if own is None]
        if bare:
            if self.parts.tagger is None:
                raise InputError(
                    "the words have no tags, and this model has no tagger",
                    fix="give a tag for every word, or train a model with a tagger",
                )
            made = self.parts.tagger.tag([words[number] for number in bare])
            for number, (fine, coarse) in zip(bare, made, strict=True):
                tags[number] = Tags(tuple(fine), tuple(coarse))
        return [
            DependencyTree(own, tag.fine, tag.coarse, (), ())
            for own, tag in zip(words, tags, strict=True)
            if tag is not None
        ]

    def _labels(self, trees: Sequence[DependencyTree], found: Sequence[_Heads]) -> list[tuple[str, ...]]:
        labeller = self.parts.labeller
        if labeller is None or not trees:
            return [(NO_LABEL,) * len(own.heads) for own in found]
        return labeller.label_found(trees, [own.heads for own in found])

    # Heads --------------------------------------------------------------------------------------------------

    def _heads(self, trees: Sequence[DependencyTree]) -> list[_Heads]:
        if not trees:
            return []
        task, limits = self.task, self.parts.limits
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
            _Heads(tuple(heads[a + 1 : b + 1 - AROUND]), features, stage, ending == kernel.NO_TREE)
            for (a, b), (ending, stage, features) in zip(
                pairwise(corpus.start.tolist()), ends.tolist(), strict=True
            )
        ]

    def _is_long(self, n: int) -> bool:
        """Too many words, or, in the second order, too large a table of siblings."""
        second = self.task.rules.last >= self.task.stages.first
        return n > self.limits.words or (second and 4 * (n + 1) ** 3 > self.limits.chart_bytes)

    # What to do without a parse -----------------------------------------------------------------------------

    def nothing(self, sentence: Sentence) -> DependencyTree:
        """The sentence without heads."""
        none = (NO_TAG,) * len(sentence)
        tags = sentence.tags or Tags(none, none)
        return DependencyTree(sentence.tokens, tags.fine, tags.coarse, (), (), sentence.source)

    def flat(self, sentence: Sentence) -> DependencyTree:
        """All words hang on the first."""
        (seen,) = self.seen([sentence])
        heads = (0, *(1,) * (len(sentence) - 1))
        labels = self._labels_of(sentence, seen.tags, seen.coarse, heads)
        return DependencyTree(sentence.tokens, seen.tags, seen.coarse, heads, labels, sentence.source)

    def joined(self, sentence: Sentence, parts: Sequence[tuple[int, DependencyTree]]) -> DependencyTree:
        """The roots of later pieces hang on the first one's."""
        heads: list[int] = []
        root = 0
        for first, part in parts:
            heads += [head + first if head else root for head in part.heads]
            root = root or heads.index(0) + 1
        tags, coarse = (
            tuple(tag for _, part in parts for tag in getattr(part, column)) for column in ("tags", "coarse")
        )
        labels = self._labels_of(sentence, tags, coarse, tuple(heads))
        return DependencyTree(sentence.tokens, tags, coarse, tuple(heads), labels, sentence.source)

    def _labels_of(
        self, sentence: Sentence, tags: tuple[str, ...], coarse: tuple[str, ...], heads: tuple[int, ...]
    ) -> tuple[str, ...]:
        words = sentence.penn if self.parts.penn else sentence.tokens
        seen = DependencyTree(words, tags, coarse, (), ())
        return self._labels([seen], [_Heads(heads, 0, 0, False)])[0]

    def noted(self, notes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        return {"stage": max(int(note.get("stage", 0)) for note in notes)}

    def whole(self, tree: DependencyTree) -> int:
        """Templates of all arcs of a tagged sentence."""
        words = tree.words
        return self._whole.full_cost(self._whole.encode(words, tree.tags, tree.coarse))

    @cached_property
    def _whole(self) -> ArcLocking:
        return whole_task(self.parts)
