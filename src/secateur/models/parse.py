"""Parsing: what every kind of parser does alike. Sentences in, trees out, in order, in pieces if need be."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from typing import Any, Generic, TypeVar

from secateur.errors import InputError
from secateur.models.kind import Using
from secateur.models.limits import Limits, pieces
from secateur.search import workers
from secateur.search.core import Work
from secateur.search.workers import spread
from secateur.treebanks.annotation import Annotation
from secateur.treebanks.sentence import Sentence

T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S")

BATCH = 600  # words that are parsed, or handed to a worker, together

Given = str | Sentence | Sequence[str]  # raw text of one sentence; or its words; or a tree of them


@dataclass(frozen=True, slots=True)
class Parse(Generic[T]):
    """A tree and what it took to find it."""

    tree: T
    work: Work
    seconds: float  # in a batch, its share by words
    score: float | None = None  # natural log; -inf where no parse was found, None where a parser has none
    failed: bool = False  # no parse: the tree is a substitute
    fell_back: bool = False  # not found the way that was asked for, but another
    degraded: bool = False  # too long: parsed in pieces, flat, or skipped
    certified: bool = False  # known to be the best of all derivations of the grammar; else that is not known
    notes: Mapping[str, Any] = field(default_factory=dict)  # what else a kind of parser has to say
    annotation: Annotation[T] | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def text(self, format: str | None = None) -> str:
        """In a format of its annotation; by default the first."""
        return self._annotation.text(self.tree, format or self._annotation.formats[0])

    def svg(self) -> str:
        return self._annotation.svg(self.tree)

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_nltk(self) -> Any:
        """The tree as NLTK has it, of phrases."""
        from secateur.treebanks.formats.nltk import to_nltk
        from secateur.treebanks.tree import Tree

        if not isinstance(self.tree, Tree):
            raise TypeError("NLTK's trees are those of phrases")
        return to_nltk(self.tree)

    def after(self, work: Work, seconds: float) -> Parse[T]:
        """As found when another way had been tried in vain, with what that took."""
        both = Work(*map(sum, zip(self.work, work, strict=True)))
        return replace(self, work=both, seconds=self.seconds + seconds, fell_back=True)

    def fields(self) -> dict[str, object]:
        """For machines, the same for every kind."""
        return {
            **self._annotation.fields(self.tree),
            "score": None if self.score == -float("inf") else self.score,
            "failed": self.failed,
            "fell_back": self.fell_back,
            "degraded": self.degraded,
            "certified": self.certified,
            "work": {name: count for name, count in self.work._asdict().items() if count},
            "seconds": self.seconds,
            **self.notes,
        }

    @property
    def _annotation(self) -> Annotation[T]:
        assert self.annotation is not None, "a parser says whose trees it makes"
        return self.annotation


class SentenceParser(ABC, Generic[T]):
    """Words in, trees out. A kind of model brings the search of whole sentences, and what to do without."""

    annotation: Annotation[T]
    limits: Limits
    using: Using

    @abstractmethod
    def search(self, sentences: Sequence[Sentence]) -> Sequence[Parse[T] | None]:
        """The best trees of sentences that are not empty; None for one that is too long for the limits."""

    @abstractmethod
    def nothing(self, sentence: Sentence) -> T:
        """The tree of a sentence that was skipped, or that has no words."""

    @abstractmethod
    def flat(self, sentence: Sentence) -> T:
        """A tree of a sentence for want of a parse."""

    @abstractmethod
    def joined(self, sentence: Sentence, parts: Sequence[tuple[int, T]]) -> T:
        """A tree of a whole sentence from those of its pieces, each with the place of its first word."""

    @abstractmethod
    def whole(self, tree: T) -> int:
        """How much there is in a sentence of what `Figures.share` counts, where nothing is left out."""

    def __call__(self, text: Given) -> Parse[T]:
        """Parse one sentence: of raw text, or of words."""
        return self.parse(text)

    def parse(self, words: Given) -> Parse[T]:
        """The best tree of a sentence."""
        return self.batch([self.given(words)])[0]

    def pipe(
        self, sentences: Iterable[Given], *, jobs: int = 1, method: str = "parse", **options: Any
    ) -> Iterator[Any]:
        """Results of `method` for each sentence, in order, the same for any number of jobs.

        Jobs are processes; 0 means one for each core.
        """
        if isinstance(sentences, str):
            raise TypeError("pipe() takes sentences, not one text: give a list, or call the parser itself")
        if not isinstance(sentences, Iterable):
            raise TypeError(f"pipe() takes sentences, not {sentences!r}")
        if method == "parse" and not options:
            work: Callable[[list[Sentence]], list[Any]] = self.batch
        else:
            work = partial(_each, _method(self, method, options), options)
        return _flat(spread(work, batches(map(self.given, sentences)), cores(jobs)))

    def answers(self, sentences: Sequence[Sentence]) -> list[list[Parse[T]]]:
        """What a command shows of each sentence, empty ones included: the best tree, or several."""
        return [[parse] for parse in self.batch_or_nothing(sentences)]

    def given(self, words: Given) -> Sentence:
        """A sentence from what was given for one; an empty one is refused."""
        sentence = sentence_of(words, self.annotation)
        if not len(sentence):
            raise InputError("an empty sentence", fix="give at least one word")
        return sentence

    def batch_or_nothing(self, sentences: Sequence[Sentence]) -> list[Parse[T]]:
        """The parses of sentences of which some may be empty."""
        found = iter(self.batch([sentence for sentence in sentences if len(sentence)]))
        return [next(found) if len(sentence) else self._skipped(sentence) for sentence in sentences]

    def batch(self, sentences: Sequence[Sentence]) -> list[Parse[T]]:
        """The parses of sentences with words, those too long for the limits as these say."""
        found = self.search(sentences)
        return [
            self._too_long(sentence) if parse is None else parse
            for sentence, parse in zip(sentences, found, strict=True)
        ]

    def _too_long(self, sentence: Sentence) -> Parse[T]:
        started = time.perf_counter()
        if self.limits.on_long == "skip":
            return self._skipped(sentence, degraded=True)
        if self.limits.on_long == "flat" or len(sentence) == 1:
            return self._substitute(sentence, started, degraded=True)
        return self._in_pieces(sentence, started)

    def _in_pieces(self, sentence: Sentence, started: float) -> Parse[T]:
        longest = min(self.limits.words, max(len(sentence) // 2, 1))
        cuts = list(pieces(sentence.penn, longest))
        found = self.batch([sentence.part(first, end) for first, end in cuts])
        parts = [(first, parse.tree) for (first, _), parse in zip(cuts, found, strict=True)]
        scores = [parse.score for parse in found if parse.score is not None]
        return Parse(
            self.joined(sentence, parts),
            Work(*map(sum, zip(*(parse.work for parse in found), strict=True))),
            time.perf_counter() - started,
            sum(scores) if scores else None,
            failed=any(parse.failed for parse in found),
            fell_back=any(parse.fell_back for parse in found),
            degraded=True,
            notes=self.noted([parse.notes for parse in found]),
            annotation=self.annotation,
        )

    def noted(self, notes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """The notes of a sentence from those of its pieces."""
        return {}

    def _substitute(self, sentence: Sentence, started: float, *, degraded: bool = False) -> Parse[T]:
        tree, seconds = self.flat(sentence), time.perf_counter() - started
        return self._failed(tree, seconds, degraded)

    def _skipped(self, sentence: Sentence, *, degraded: bool = False) -> Parse[T]:
        return self._failed(self.nothing(sentence), 0.0, degraded)

    def _failed(self, tree: T, seconds: float, degraded: bool) -> Parse[T]:
        return Parse(
            tree,
            Work(),
            seconds,
            -float("inf"),
            failed=True,
            degraded=degraded,
            annotation=self.annotation,
        )


def sentence_of(words: Given, annotation: Annotation[T]) -> Sentence:
    """A sentence from raw text, words, or a tree of the annotation."""
    if isinstance(words, Sentence):
        return words
    if isinstance(words, str):
        return Sentence.from_text(words)
    if isinstance(words, annotation.tree):
        return annotation.sentence(words)
    if isinstance(words, Iterable) and not isinstance(words, bytes | Mapping | Set):
        return Sentence.of(words)
    raise TypeError(f"a sentence is a text, a sequence of words, or a tree of some, not {words!r}")


def batches(
    things: Iterable[S],
    words: int = BATCH,
    length: Callable[[S], int] = len,  # type: ignore[assignment]
) -> Iterator[list[S]]:
    """Portions of so many words: large enough that handing them out costs nothing to speak of."""
    batch: list[S] = []
    size = 0
    try:
        for thing in things:
            batch.append(thing)
            size += length(thing) + 1
            if size >= words:
                yield batch
                batch, size = [], 0
    except InputError:  # what came before the fault is parsed
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def cores(jobs: int) -> int:
    """The number of processes asked for; 0 means all cores this process may use."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 0:
        raise InputError(f"{jobs!r} jobs", fix="give 1 or more, or 0 for all cores")
    return jobs or workers.cores()


def _method(parser: object, name: str, options: Mapping[str, Any]) -> Callable[..., Any]:
    found = None if name.startswith("_") else getattr(parser, name, None)
    if found is None or not callable(found):
        raise InputError(f"this parser has no method {name!r}", fix="leave it out, or name one it has")
    try:
        signature(found).bind(None, **options)
    except TypeError as problem:
        raise TypeError(f"pipe(method={name!r}): {problem}") from None
    own: Callable[..., Any] = found
    return own


def _flat(portions: Iterator[list[R]]) -> Iterator[R]:
    for results in portions:
        yield from results


def _each(method: Callable[..., R], options: Mapping[str, Any], sentences: list[Sentence]) -> list[R]:
    return [method(sentence, **options) for sentence in sentences]
