"""What an item's priority depends on: the features of the 2012 paper, section 2.3, and more.

Items are (i, k, symbol). All features but the inside score and the dynamic ones are known before a sentence
is parsed, and depend on the span, on the label and one end of it, or on the label and the span: the kernel
receives their sums as tables. Each is divided by a fixed scale, so that one step size suits all weights.

- inside: the Viterbi inside score; or divided by the sentence's length; or less the best inside score that a
  coarser grammar has for the span, so that what is large does not depend on how long a span is
- whether the item begins or ends the sentence, its length, and that divided by the sentence's
- log p(label | tag of the word before), and after (`features.neighbours`)
- whether the word before, the first, or the word after begins with a capital, another letter, a digit or
  another sign
- patterns of punctuation within (`features.marks`)
- the parts of a figure of merit (`features.merit`): how unlikely the words are, log p(label | word before),
  and how much likelier than usual the word after is behind the label
- dynamic ones: what an item is like beside what was popped and offered before it (`kernels.agenda.dynamic`)
- an estimate of the outside score, from a coarser grammar
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.marks import Pattern, Places, places_of, strongest
from secateur.features.merit import Merits, Parts
from secateur.features.neighbours import CLASSES, LEAST_SHARE, Neighbours, class_of
from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.bounds import Bounds, Estimate
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda.priorities import NOTHING, Priorities
from secateur.kernels.cky.sparse import cell_of
from secateur.search.core import Rows
from secateur.treebanks.tree import Tree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Weights = npt.NDArray[Any]  # [dim] floats

# What features are divided by; "score" is of inside and outside scores.
SCALES = {"score": 10.0, "score a word": 1.0, "length": 3.0, "ratio": 0.3, "log": 2.0, "indicator": 0.5}
# How many patterns of punctuation there are, for and against: as the NIPS text has it, and the workshop's.
MARKS = {"both": (5, 5), "against": (0, 5), "none": (0, 0)}

# Where features stand: first those of the item, then those of where it begins, of where it ends, of patterns.
_INSIDE, _LENGTH, _RATIO, _BEFORE, _AFTER = range(5)
_ITEM = (
    ("length", "length"), ("length / sentence", "ratio"),
    ("label | tag before", "log"), ("label | tag after", "log"),
)  # fmt: skip
_BEGIN = ("begins the sentence", *(f"{word} {kind}" for word in ("before:", "first:") for kind in CLASSES))
_MERIT = (("words", "score"), ("label | word before", "log"), ("word after | label", "log"))
_DYNAMIC = (("behind", "score"), ("begun", "indicator"), ("nodes", "log"), ("rank", "log"))
_END = ("ends the sentence", *(f"after: {kind}" for kind in CLASSES))
_BEGINS = 1 + len(_ITEM)
_ENDS = _BEGINS + len(_BEGIN)
_MARKS = _ENDS + len(_END)


@dataclass(frozen=True, slots=True)
class PrioritySettings:
    """Which features there are; some need bounds, or the shares of sub-symbols in their labels."""

    marks: Literal["both", "against", "none"] = "both"
    inside: Literal["whole", "by sentence", "over best"] = "whole"
    merit: bool = False
    dynamic: bool = False
    outside: bool = False
    shares: bool = False  # p(label | what is beside it) times the sub-symbol's share in the label

    @property
    def bounded(self) -> bool:
        """Whether a coarser grammar has to have its say about each sentence."""
        return self.outside or self.inside == "over best"


class Known(NamedTuple):
    """What is to be known of a sentence."""

    words: Ids  # [n]
    begin: Floats  # [features of where an item begins, n+1]
    end: Floats  # [features of where it ends, n+1]
    tags: Ids  # [n+2] of the words, with what is around them
    places: Places  # [M, 5] where patterns of punctuation are
    parts: Parts  # of a figure of merit; empty where it is no feature
    estimate: Estimate  # empty where there are no bounds


_NO_PARTS = Parts(np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)))
_NOTHING = Estimate(np.zeros(0, np.float32), np.zeros((0, 0), np.float32))


@dataclass(frozen=True, eq=False)
class PriorityFeatures:
    """Features of a grammar's items."""

    grammar: PCFG
    neighbours: Neighbours
    patterns: tuple[Pattern, ...]
    settings: PrioritySettings = PrioritySettings()
    share: Floats | None = None  # [N] of each sub-symbol in its symbol
    bounds: Bounds | None = None
    merits: Merits | None = None

    def __post_init__(self) -> None:
        if self.settings.bounded and self.bounds is None:
            raise InputError("features that need bounds", fix="give bounds, or leave those features out")
        if self.settings.shares and self.share is None:
            raise InputError("features that need shares", fix="give how often each sub-symbol is used")
        if self.settings.merit and self.merits is None:
            raise InputError("features that need figures of merit", fix="learn them from the trees")

    @classmethod
    def learned(
        cls,
        grammar: PCFG,
        trees: Iterable[Tree],
        binarization: Binarization,
        *,
        settings: PrioritySettings | None = None,
        share: Floats | None = None,
        bounds: Bounds | None = None,
    ) -> PriorityFeatures:
        """From the normalized trees that the grammar was made of."""
        trees, settings = list(trees), settings or PrioritySettings()
        positive, negative = MARKS[settings.marks]
        patterns = strongest(trees, binarization, positive=positive, negative=negative) if negative else ()
        neighbours = Neighbours.learned(grammar, trees, binarization, share=share)
        merits = Merits.learned(grammar, trees, binarization, share=share) if settings.merit else None
        return cls(grammar, neighbours, patterns, settings, share, bounds, merits)

    # What there is ------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """[dim]"""
        return tuple(name for name, _ in self._table)

    @cached_property
    def scales(self) -> Floats:
        """[dim] what each feature is divided by."""
        return np.array([SCALES[kind] for _, kind in self._table])

    @property
    def dim(self) -> int:
        return len(self._table)

    @cached_property
    def _table(self) -> tuple[tuple[str, str], ...]:
        """Names and what they are scaled as."""
        marks = [" ".join(pattern) for pattern in self.patterns]
        indicators = [(name, "indicator") for name in (*_BEGIN, *_END, *marks)]
        merit = _MERIT if self.settings.merit else ()
        dynamic = _DYNAMIC if self.settings.dynamic else ()
        outside = [("outside", "score")] if self.settings.outside else []
        inside = "score a word" if self.settings.inside == "by sentence" else "score"
        return (("inside", inside), *_ITEM, *indicators, *merit, *dynamic, *outside)

    @property
    def _merit(self) -> int:
        """Where the parts of the figure of merit begin."""
        return _MARKS + len(self.patterns)

    @property
    def _dynamic(self) -> slice:
        first = self._merit + len(_MERIT) * self.settings.merit
        return slice(first, first + len(_DYNAMIC) * self.settings.dynamic)

    def start(self, *names: str) -> npt.NDArray[np.float32]:
        """Weights of 1 for the inside score and these features, whatever their scales.

        Alone that is uniform cost, where the inside score is whole; with "outside", A*; with the three parts
        of the figure of merit, the boundary estimate.
        """
        found = np.zeros(self.dim, np.float32)
        for name in ("inside", *names):
            found[self.names.index(name)] = self.scales[self.names.index(name)]
        return found

    # Of a sentence ------------------------------------------------------------------------------------------

    def columns(self, words: Sequence[str], mask: npt.NDArray[np.bool_] | None = None) -> Known:
        """What is to be known of a sentence, parsed with the spans of a mask."""
        n, ids = len(words), self.grammar.lexicon.encode(words)
        begin, end = np.zeros((len(_BEGIN), n + 1)), np.zeros((len(_END), n + 1))
        begin[0, 0] = end[0, n] = 1.0
        for position, word in enumerate(words):
            kind = 1 + class_of(word)
            begin[kind, position + 1] = 1.0
            begin[len(CLASSES) + kind, position] = 1.0
            end[kind, position] = 1.0
        estimate = self.bounds.estimate(ids, mask) if self.settings.bounded and self.bounds else _NOTHING
        places = places_of(self.patterns, words)
        parts = self.merits.parts(ids) if self.settings.merit and self.merits else _NO_PARTS
        return Known(ids, begin, end, self.neighbours.around(ids), places, parts, estimate)

    def tables(self, x: Known, weights: Weights) -> Priorities:
        """theta . phi of all items."""
        theta, n = weights / self.scales, len(x.words)
        begin = theta[_BEGINS:_ENDS] @ x.begin
        end = theta[_ENDS:_MARKS] @ x.end
        width = np.arange(n + 1) - np.arange(n + 1)[:, None]
        span = (theta[_LENGTH] + theta[_RATIO] / n) * width + begin[:, None] + end
        for pattern, first, last, from_end, to_end in x.places.tolist():
            span[first:last, from_end:to_end] += theta[_MARKS + pattern]
        if self.settings.inside == "over best":
            span -= theta[_INSIDE] * self._best(x)
        before, after = self._log_p
        first, last = theta[_BEFORE] * before[x.tags[:-1]], theta[_AFTER] * after[x.tags[1:]]
        if self.settings.merit:
            words, left, right = theta[self._merit :][: len(_MERIT)]
            span += words * (x.parts.prefix[:, None] - x.parts.prefix)
            beside = self._parts(x)
            first += left * beside[0]
            last += right * beside[1]
        outside = x.estimate.outside
        if self.settings.outside:
            there = outside > -np.inf
            outside = np.multiply(outside, np.float32(theta[-1]), out=outside.copy(), where=there)
        return Priorities(
            float(theta[_INSIDE] / (n if self.settings.inside == "by sentence" else 1)),
            span,
            first,
            last,
            self._column,
            outside if self.settings.outside else _NOTHING.outside,
            self._seen,
            theta[self._dynamic],
        )

    def rows(self, x: Known, items: Ints, inside: Weights, dynamic: Floats = NOTHING) -> Rows:
        """The features of items [R, 3] with these inside scores, and dynamic features [R, D] if any;
        of what is in no parse, 0 for outside."""
        value = np.zeros((len(items), self.dim))
        i, k, symbol = items.T
        n, column = len(x.words), self._column[symbol]
        before, after = self._log_p
        value[:, _INSIDE] = inside / (n if self.settings.inside == "by sentence" else 1)
        if self.settings.inside == "over best":
            value[:, _INSIDE] -= self._best(x)[i, k]
        value[:, _LENGTH] = k - i
        value[:, _RATIO] = (k - i) / n
        value[:, _BEFORE] = before[x.tags[i], column]
        value[:, _AFTER] = after[x.tags[k + 1], column]
        value[:, _BEGINS:_ENDS] = x.begin[:, i].T
        value[:, _ENDS:_MARKS] = x.end[:, k].T
        for pattern, first, last, from_end, to_end in x.places.tolist():
            value[(first <= i) & (i < last) & (from_end <= k) & (k < to_end), _MARKS + pattern] = 1.0
        if self.settings.merit:
            beside = self._parts(x)
            value[:, self._merit] = x.parts.prefix[i] - x.parts.prefix[k]
            value[:, self._merit + 1] = beside[0][i, column]
            value[:, self._merit + 2] = beside[1][k, column]
        value[:, self._dynamic] = dynamic
        if self.settings.outside:
            outside = x.estimate.outside[cell_of(i, k), self._seen[symbol]]
            value[:, -1] = np.where(outside > -np.inf, outside, 0.0)
        bucket = np.tile(np.arange(self.dim, dtype=np.uint32), (len(items), 1))
        return Rows(bucket, (value / self.scales).astype(np.float32))

    def gathered(self, x: Known, sums: Priorities) -> Floats:
        """[dim] sum over items of c phi, from what a kernel has summed of c where it would read a table.

        So a kernel needs no features: `sums.inside` is the sum of c times inside scores, and each place of
        the other tables the sum of c of the items whose priority it is part of.
        """
        n, span = len(x.words), sums.span
        found = np.zeros(self.dim)
        found[_INSIDE] = sums.inside / (n if self.settings.inside == "by sentence" else 1)
        if self.settings.inside == "over best":
            found[_INSIDE] -= (span * self._best(x)).sum()
        width = np.arange(n + 1) - np.arange(n + 1)[:, None]
        found[_LENGTH] = (span * width).sum()
        found[_RATIO] = found[_LENGTH] / n
        before, after = self._log_p
        found[_BEFORE] = (sums.first * before[x.tags[:-1]]).sum()
        found[_AFTER] = (sums.last * after[x.tags[1:]]).sum()
        found[_BEGINS:_ENDS] = x.begin @ span.sum(1)
        found[_ENDS:_MARKS] = x.end @ span.sum(0)
        for pattern, first, last, from_end, to_end in x.places.tolist():
            found[_MARKS + pattern] += span[first:last, from_end:to_end].sum()
        if self.settings.merit:
            beside = self._parts(x)
            found[self._merit] = x.parts.prefix @ (span.sum(1) - span.sum(0))
            found[self._merit + 1] = (sums.first * beside[0]).sum()
            found[self._merit + 2] = (sums.last * beside[1]).sum()
        found[self._dynamic] = sums.dynamic
        if self.settings.outside:
            there = x.estimate.outside > -np.inf
            found[-1] = (sums.outside[there] * x.estimate.outside[there].astype(np.float64)).sum()
        gathered: Floats = found / self.scales
        return gathered

    @cached_property
    def _log_p(self) -> tuple[Floats, Floats]:
        """[T+2, C] log p(label | tag before), and after; with shares a column for each symbol."""
        before, after = self.neighbours.before, self.neighbours.after
        if not self.settings.shares or self.share is None:
            return before, after
        share, label = self._log_share
        return before[:, label] + share, after[:, label] + share

    def _parts(self, x: Known) -> tuple[Floats, Floats]:
        """[n+1, C] what the words beside items say of labels; with shares a column for each symbol."""
        if not self.settings.shares or self.share is None:
            return x.parts.before, x.parts.after
        share, label = self._log_share
        return x.parts.before[:, label] + share, x.parts.after[:, label]

    @cached_property
    def _log_share(self) -> tuple[Floats, Ids]:
        """[N] of a sub-symbol in its label, and which that is."""
        assert self.share is not None
        return np.log(np.maximum(self.share, LEAST_SHARE)), self.neighbours.columns_of(self.grammar)

    @cached_property
    def _column(self) -> Ids:
        if self.settings.shares:
            return np.arange(len(self.grammar.symbols), dtype=np.uint32)
        return self.neighbours.columns_of(self.grammar)

    @cached_property
    def _seen(self) -> Ids:
        return self.bounds.seen if self.bounds else np.zeros(len(self.grammar.symbols), np.uint32)

    def _best(self, x: Known) -> Floats:
        """[n+1, n+1] the best inside score of each span for the coarser grammar; 0 where it has none."""
        n = len(x.words)
        found = np.zeros((n + 1, n + 1))
        k, i = np.tril_indices(n + 1, -1)  # in the order of cells
        found[i, k] = np.where(x.estimate.best > -np.inf, x.estimate.best, 0.0)
        return found

    # As it is saved -----------------------------------------------------------------------------------------

    def notes(self) -> dict[str, Any]:
        """All but the arrays: goes into a text."""
        level = {"level": self.bounds.level, "joined": self.bounds.joined} if self.bounds else None
        return {
            "settings": asdict(self.settings),
            "labels": list(self.neighbours.labels),
            "tags": list(self.neighbours.tags),
            "patterns": [list(pattern) for pattern in self.patterns],
            "bounds": level,
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        neighbours = self.neighbours
        found: dict[str, npt.NDArray[Any]] = {
            "tag": neighbours.tag,
            "before": neighbours.before,
            "after": neighbours.after,
        }
        if self.share is not None:
            found["share"] = self.share
        if self.merits is not None:
            found |= {f"merit-{name}": array for name, array in self.merits.arrays().items()}
        return found

    @classmethod
    def restored(
        cls,
        grammar: PCFG,
        notes: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        bounds: Bounds | None = None,
    ) -> PriorityFeatures:
        """From notes and arrays, with the grammar and bounds they were saved for."""
        labels, tags = tuple(notes["labels"]), tuple(notes["tags"])
        shape = (len(tags) + 2, len(labels))
        fits = (
            labels == tuple(sorted(set(grammar.unsplit)))
            and arrays["tag"].shape == (len(grammar.lexicon.words) + 1,)
            and arrays["before"].shape == arrays["after"].shape == shape
            and arrays["tag"].max() < shape[0]
        )
        if not fits:
            raise InputError("priorities of another grammar", fix="take those trained with this one")
        neighbours = Neighbours(labels, tags, arrays["tag"], arrays["before"], arrays["after"])
        patterns = tuple(tuple(pattern) for pattern in notes["patterns"])
        settings = PrioritySettings(**notes["settings"])
        merits = {name.removeprefix("merit-"): array for name, array in arrays.items() if "merit-" in name}
        share = arrays.get("share")
        learned = Merits.restored(grammar, merits, share) if merits else None
        return cls(grammar, neighbours, patterns, settings, share, bounds, learned)

    def with_settings(self, settings: PrioritySettings) -> PriorityFeatures:
        """Otherwise, but for the patterns, which are learned."""
        if settings.marks != self.settings.marks:
            raise InputError("other patterns of punctuation", fix="learn them from the trees")
        return replace(self, settings=settings)
