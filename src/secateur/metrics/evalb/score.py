"""EVALB: labelled bracket scores exactly as Sekine and Collins' program computes them.

A tree is prepared once: words under deleted tags go, phrases left without words go, phrase labels are cut at
the first "-" or "=", and the remaining brackets are listed parents first. Two prepared trees over the same
words are then scored against each other.

A parser that tags a comma otherwise thus has other words left than the gold tree, and the program gives no
score to the sentence. With `by_gold_tags` a parse of the same sentence is prepared with the gold tree's
choice of words instead, and brackets in words may be spelt in either way ("[" or "-LSB-"): every parser, at
every setting, is then scored on all sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from secateur.errors import InputError
from secateur.metrics.evalb.counts import Counts
from secateur.metrics.evalb.parameters import COLLINS, Parameters
from secateur.treebanks.text import escape
from secateur.treebanks.tree import Leaf, Span, Tree

ROOTS = frozenset({"", "ROOT", "VROOT", "S1"})  # outer labels of other treebanks for what EVALB calls TOP
QUOTES = frozenset({"'", '"', "/"})  # the words that QUOTE_LABEL is about

Pairs = frozenset[tuple[str, str]]


class Status(IntEnum):
    """What became of a sentence; the numbers are the program's."""

    SCORED = 0
    ERROR = 1  # the words of the two trees differ
    SKIPPED = 2  # the parse has no words that count


class Quote(NamedTuple):
    """A quote that may have been deleted on one side only."""

    place: int  # which of the tree's words, counting all
    before: int  # counted words before it
    tag: str


class Brackets(NamedTuple):
    """A tree prepared for scoring. Spans count the remaining words only."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: tuple[Span, ...]  # parents first
    length: int
    quotes: tuple[Quote, ...]
    sentence: tuple[str, ...]  # all words
    dropped: frozenset[int]  # the places of those that do not count
    tree: Tree


class SentenceScore(NamedTuple):
    """The outcome for one sentence; `counts` adds up over sentences."""

    status: Status
    counts: Counts

    def to_dict(self) -> dict[str, int]:
        counts = self.counts
        return {
            "status": int(self.status),
            "length": counts.length,
            "words": counts.words,
            "tags": counts.tags,
            "gold": counts.gold,
            "test": counts.test,
            "matched": counts.matched,
            "crossing": counts.crossing,
        }


class _Rules(NamedTuple):
    """Parameters worked out for look-up."""

    tags: frozenset[str]  # deleted
    phrases: frozenset[str]  # deleted, including what counts as equal to a deleted label
    length: frozenset[str]
    equal_labels: Pairs  # both ways
    equal_words: Pairs  # both ways
    quotes: frozenset[str]


@lru_cache(maxsize=64)
def _rules(parameters: Parameters) -> _Rules:
    deleted = parameters.delete_labels
    equal = _both_ways(parameters.equal_labels)
    return _Rules(
        tags=deleted,
        phrases=deleted | {a for a, b in equal if b in deleted},
        length=parameters.delete_for_length,
        equal_labels=equal,
        equal_words=_both_ways(parameters.equal_words),
        quotes=parameters.quote_labels,
    )


def _both_ways(pairs: Pairs) -> Pairs:
    return pairs | {(b, a) for a, b in pairs}


@lru_cache(maxsize=4096)
def cut(label: str) -> str:
    """A phrase label without function tags and indices: all before the first "-" or "="."""
    return label.split("-", 1)[0].split("=", 1)[0]


def prepare(tree: Tree, parameters: Parameters = COLLINS) -> Brackets:
    """The words, tags and brackets of a tree that count; reuse it to score many parses of one sentence."""
    return _prepare(tree, parameters)


def _prepare(
    tree: Tree,
    parameters: Parameters,
    restored: Mapping[int, int] | None = None,
    dropped: frozenset[int] | None = None,
) -> Brackets:
    """`restored` says how often a word, by its place, counts although its tag is deleted; `dropped` says
    which words do not count whatever their tags are."""
    reader = _Reader(_rules(parameters), restored or {}, dropped)
    reader.visit(tree, "TOP" if parameters.root and tree.label in ROOTS else tree.label)
    return Brackets(
        tuple(reader.words),
        tuple(reader.tags),
        tuple(span for span in reader.spans if span is not None),
        reader.length,
        tuple(reader.quotes),
        tuple(reader.sentence),
        frozenset(reader.dropped),
        tree,
    )


class _Reader:
    """One pass over a tree."""

    __slots__ = (
        *("dropped", "given", "last", "length", "quotes", "restored"),
        *("rules", "sentence", "spans", "tags", "words"),
    )

    def __init__(self, rules: _Rules, restored: Mapping[int, int], given: frozenset[int] | None) -> None:
        self.rules = rules
        self.restored = restored
        self.given = given  # places of the words that do not count, if it is not for their tags to say
        self.dropped: list[int] = []  # those that did not count
        self.sentence: list[str] = []  # the words met
        self.words: list[str] = []
        self.tags: list[str] = []
        self.spans: list[Span | None] = []  # None: opened and found not to count
        self.quotes: list[Quote] = []
        self.length = 0
        self.last = -1  # position of the last word met

    def visit(self, node: Tree, label: str) -> None:
        children = node.children
        if not children:
            self.word(label, "")  # "(X )" reads as the tag X over an empty word
            return
        first = children[0]
        if len(children) == 1 and isinstance(first, Leaf):
            if first.position <= self.last:
                raise InputError("EVALB cannot score a discontinuous tree", fix="use a discontinuous metric")
            self.last = first.position
            self.word(label, first.word)
            return
        spans = self.spans
        slot, start = len(spans), len(self.words)
        spans.append(None)
        for child in children:
            if isinstance(child, Leaf):
                raise InputError(
                    f'EVALB needs a tag over each word: "{child.word}" stands directly under {label}'
                )
            self.visit(child, child.label)
        end = len(self.words)
        if end > start:
            label = cut(label)
            if label not in self.rules.phrases:
                spans[slot] = Span(label, start, end)

    def word(self, tag: str, word: str) -> None:
        rules = self.rules
        if tag not in rules.length:
            self.length += 1
        place = len(self.sentence)
        self.sentence.append(word)
        if tag in rules.quotes and word in QUOTES:
            self.quotes.append(Quote(place, len(self.words), tag))
        if tag in rules.tags if self.given is None else place in self.given:
            self.dropped.append(place)
            times = self.restored.get(place, 0)
        else:
            times = 1
        for _ in range(times):
            self.words.append(word)
            self.tags.append(tag)


def score(
    gold: Tree | Brackets, test: Tree | Brackets, parameters: Parameters = COLLINS, *, failed: bool = False
) -> SentenceScore:
    """Score a parse; a tree given as Brackets must have been prepared with the same parameters.

    `failed` says that the parser found no parse and `test` is a substitute: it is scored and counted."""
    if isinstance(gold, Tree):
        gold = prepare(gold, parameters)
    if isinstance(test, Tree):
        test = prepare(test, parameters)
    told = Counts(sentences=1, length=gold.length, failures=int(failed))
    rules = _rules(parameters)
    is_aligned = parameters.by_gold_tags and _same_sentence(gold.sentence, test.sentence, rules.equal_words)
    if is_aligned and gold.dropped != test.dropped:
        test = _prepare(test.tree, parameters, dropped=gold.dropped)
        told += Counts(retagged=1)
    if not test.words:
        return SentenceScore(Status.SKIPPED, told + Counts(skipped=1))
    if len(gold.words) != len(test.words) and rules.quotes:
        gold, test = _restore_quotes(gold, test, parameters)
    if not is_aligned and not _same_words(gold.words, test.words, rules.equal_words):
        return SentenceScore(Status.ERROR, told + Counts(errors=1))
    n_gold, n_test = len(gold.spans), len(test.spans)
    matched = match_spans(gold.spans, test.spans, equal=rules.equal_labels, labelled=parameters.labelled)
    crossing = crossing_spans(gold.spans, test.spans)
    counts = Counts(
        sentences=1,
        valid=1,
        failures=told.failures,
        length=told.length,
        words=len(gold.words),
        tags=_same_tags(gold.tags, test.tags, rules.equal_labels),
        gold=n_gold,
        test=n_test,
        matched=matched,
        crossing=crossing,
        no_crossing=int(crossing == 0),
        few_crossing=int(crossing <= 2),
        complete=int(n_gold == n_test == matched),
        retagged=told.retagged,
    )
    return SentenceScore(Status.SCORED, counts)


def match_spans(
    gold: Iterable[Span], test: Iterable[Span], *, equal: Pairs = frozenset(), labelled: bool = True
) -> int:
    """How many gold spans find a partner: in order, each takes the first free test span that matches.

    `equal` holds pairs of labels that match, both ways round."""
    free: dict[tuple[int, int], list[str]] = {}
    for label, i, k in test:
        free.setdefault((i, k), []).append(label)
    matched = 0
    for label, i, k in gold:
        labels = free.get((i, k), ())
        for place, other in enumerate(labels):
            if other == label or not labelled or (label, other) in equal:
                del free[i, k][place]
                matched += 1
                break
    return matched


def crossing_spans(gold: Iterable[Span], test: Iterable[Span]) -> int:
    """How many test spans overlap a gold span without one holding the other; `gold` comes from one tree."""
    own = {(i, k) for _, i, k in gold}
    # A span of the gold tree crosses none of the others.
    foreign = [(i, k) for _, i, k in test if (i, k) not in own]
    return sum(any(a < i < b < k or i < a < k < b for a, b in own) for i, k in foreign)


def _same_words(gold: Sequence[str], test: Sequence[str], equal: Pairs) -> bool:
    if gold == test:
        return True
    return len(gold) == len(test) and all(a == b or (a, b) in equal for a, b in zip(gold, test, strict=True))


def _same_sentence(gold: Sequence[str], test: Sequence[str], equal: Pairs) -> bool:
    """The same words, whichever way their brackets are spelt."""
    return _same_words(gold, test, equal) or _same_words([*map(escape, gold)], [*map(escape, test)], equal)


def _same_tags(gold: Sequence[str], test: Sequence[str], equal: Pairs) -> int:
    return sum(a == b or (a, b) in equal for a, b in zip(gold, test, strict=True))


def _restore_quotes(gold: Brackets, test: Brackets, parameters: Parameters) -> tuple[Brackets, Brackets]:
    """Count quotes again that are deleted on one side and counted, under another tag, on the other.

    This follows the program step by step, for it may restore one of two adjacent quotes twice."""
    deleted = parameters.delete_labels
    gold_at = [quote.before for quote in gold.quotes]
    test_at = [quote.before for quote in test.quotes]
    gold_restored: Counter[int] = Counter()
    test_restored: Counter[int] = Counter()
    for t, theirs in enumerate(test.quotes):
        at = test_at[t]
        for g, ours in enumerate(gold.quotes):
            if gold_at[g] != at or ours.tag == theirs.tag:
                continue
            if ours.tag in deleted and theirs.tag not in deleted:
                gold_restored[ours.place] += 1
                gold_at[g:] = [before + 1 for before in gold_at[g:]]
            elif theirs.tag in deleted and ours.tag not in deleted:
                test_restored[theirs.place] += 1
                test_at[t:] = [before + 1 for before in test_at[t:]]
    return _prepare(gold.tree, parameters, gold_restored), _prepare(test.tree, parameters, test_restored)
