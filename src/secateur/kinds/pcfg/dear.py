"""DearParser: words in, trees out, with a scorer of phrases that is asked as seldom as can be.

A scorer says of a phrase (words, i, k, label) how much to add to a derivation's score for each node of that
label and span: a log factor, 0 or less. What are nodes here: those that a binary or a unary rule made, under
the label of the treebank; not words' tags, not symbols that binarization made, not labels that a unary rule
passes over on its way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from secateur.errors import InputError
from secateur.grammar.derivation import assemble, cover_tree, naming
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda import dear
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.priorities import EXACT, UNLIMITED, Priorities, uniform_cost
from secateur.kernels.agenda.priorities import Limits as Stops
from secateur.kernels.agenda.state import FOUND, LONGEST, NONE
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.cky.sparse import cell_of
from secateur.kernels.cky.unfold import unfold
from secateur.kinds.pcfg.agenda import STATUS
from secateur.kinds.pcfg.certificates import costs_only
from secateur.kinds.pcfg.orders import flat_of
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.substitute import GrammarParser
from secateur.models.limits import Limits
from secateur.models.parse import Parse
from secateur.options import check_choice, check_least
from secateur.search.arrays import Bools, Weights
from secateur.search.core import Work
from secateur.tasks.span_pruning.masks import Spans
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

Words = Sequence[str]  # in Penn spelling
Phrase = tuple[int, int, str]  # i, k, label
# One that can answer many questions at once has a method `many(words, phrases)` too.
Scorer = Callable[[Words, int, int, str], float]
BOUNDS: Mapping[str, Callable[[PCFG], Bounds | None]] = {"own": Bounds.own, "none": lambda _: None}


class DearParser(GrammarParser):
    """Parsing with a grammar and a scorer by agenda: exactly, as far as bounds are admissible.

    Until an item is first in line the scorer is not asked about it. `notes` of a parse say how many `calls`
    it took: questions, of which a scorer that can may get several `together`.
    """

    annotation = PHRASES

    def __init__(
        self,
        grammar: PCFG | SplitPCFG,
        scorer: Scorer,
        *,
        level: int | None = None,
        bounds: Bounds | Literal["own", "none"] = "own",
        bound: float = 0.0,
        together: int = 1,
        spans: Spans | None = None,
        limits: Limits | None = None,
        pops: int | None = None,
        binarized: bool = False,
    ) -> None:
        """`bounds`: of what is outside of an item at best, were there no scorer: the grammar's own, or those
        of a coarser one, which are there sooner. `bound`: no score is above it.
        """
        if not isinstance(grammar, PCFG | SplitPCFG):
            raise TypeError(f"a parser of phrases needs a grammar, not {type(grammar).__name__}")
        if not -np.inf < bound <= 0.0:
            raise InputError(f"a bound of {bound}", fix="give 0 or less: scores are logs of factors up to 1")
        check_least({"questions together": (together, 1)})
        if pops is not None:
            check_least({"pops": (pops, 1)})
        self.grammar: PCFG = flat_of(grammar, level)
        if isinstance(bounds, Bounds):
            bounds.check(self.grammar)
        else:
            check_choice("bounds", bounds, tuple(BOUNDS))
        self.bounds = bounds if isinstance(bounds, Bounds) else BOUNDS[bounds](self.grammar)
        self.scorer, self.bound, self.together = scorer, bound, together
        self.spans, self.limits = spans, limits or Limits()
        self.using: Using = Using(binarized=binarized)
        self.labels, self._label = scored_labels(self.grammar)
        self._stops = Stops(UNLIMITED if pops is None else pops, self.limits.chart_bytes)
        self._joins = joins_of(self.grammar.rules)
        self._names, self._labels = naming(self.grammar, binarized=binarized)
        admissible = self.bounds is None or self.bounds.admissible
        self._is_exact = spans is None and admissible and costs_only(self.grammar)

    def __repr__(self) -> str:
        return f"<DearParser: {len(self.grammar.symbols):,} symbols, asks {self.scorer!r}>"

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        return [self._whole(sentence) for sentence in sentences]

    def whole(self, tree: Tree) -> int:
        """The spans that there are to decide on, as in CKY."""
        n = len(tree.leaves())
        return (n - 1) * n // 2 - 1 if n > 1 else 0

    def noted(self, notes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        stopped = [own["status"] for own in notes if own.get("status", STATUS[FOUND]) != STATUS[FOUND]]
        calls = sum(own.get("calls", 0) for own in notes)
        return {"status": stopped[0] if stopped else STATUS[FOUND], "calls": calls}

    def _whole(self, sentence: Sentence) -> Parse[Tree] | None:
        started = time.perf_counter()
        sentence = sentence.spelt(self.grammar.lexicon.index)
        n = len(sentence.penn)
        if n > min(self.limits.words, LONGEST):
            return None
        ids, rules = self.grammar.lexicon.encode(sentence.penn), self.grammar.rules
        mask = np.ones((n + 1, n + 1), np.bool_) if self.spans is None else self.spans.mask(sentence.penn)
        own = np.where(self._label == NONE, np.float32(0.0), np.float32(self.bound))
        anchors = NO_ANCHORS._replace(span=np.tile(own, (n * (n + 1) // 2, 1)))
        talk = dear.talk_of(n, self._label, self.together)
        order = self._order(ids, mask)
        run = dear.asking(rules, self._joins, ids, mask, anchors, order, EXACT, self._stops, talk)
        calls = self._talked(sentence.penn, run, talk)
        return self._made(sentence, talk, calls, started)

    def _order(self, ids: Ids, mask: Bools) -> Priorities:
        plain = uniform_cost(len(ids), len(self.grammar.symbols))
        if self.bounds is None:
            return plain
        return plain._replace(outside=self.bounds.estimate(ids, mask).outside, seen=self.bounds.seen)

    def _talked(self, words: Words, run: Iterator[int], talk: dear.Talk) -> int:
        """Let the search come to its end, and answer its questions; how many there were."""
        calls = 0
        try:
            for count in run:
                asked = [(i, k, self.labels[label]) for i, k, label in talk.asked[:count].tolist()]
                talk.said[:count] = answers(self.scorer, words, asked, self.bound)
                calls += count
        finally:
            talk.ended[0] = True
            for _ in run:
                pass
        return calls

    def _made(self, sentence: Sentence, talk: dear.Talk, calls: int, started: float) -> Parse[Tree]:
        counts = talk.counts.tolist()
        steps, score = talk.steps[: counts[dear.STEPS]], float(talk.score[0])
        failed = score == -np.inf
        if failed:
            tree = cover_tree(self.grammar, steps, sentence.leaves, binarized=self.using.binarized)
        else:
            tree = assemble(self._names, unfold(self._labels, steps), sentence.leaves)
        pops, pushes, items = (counts[at] for at in (dear.POPS_MADE, dear.PUSHES_MADE, dear.ITEMS_MADE))
        return Parse(
            tree,
            Work(pushes=pushes, pops=pops, items=items),
            time.perf_counter() - started,
            score,
            failed=failed,
            certified=self._is_exact and counts[dear.STATUS] == FOUND,
            notes={"status": STATUS[counts[dear.STATUS]], "calls": calls},
            annotation=self.annotation,
        )


def answers(scorer: Scorer, words: Words, asked: Sequence[Phrase], bound: float = 0.0) -> Weights:
    """What a scorer says of phrases, checked."""
    many = getattr(scorer, "many", None)
    said: Any = [scorer(words, *one) for one in asked] if many is None else many(words, asked)
    found: Weights = np.asarray(said, np.float32)
    if found.shape != (len(asked),):
        raise InputError(f"{found.shape} scores for {len(asked)} phrases", fix="give one for each")
    wrong = np.flatnonzero(~(found <= np.float32(bound)))
    if len(wrong):
        what = f"a score of {found[wrong[0]]:g} for {asked[wrong[0]]}"
        raise InputError(what, fix=f"give at most {bound:g}, or say what no score is above")
    return found


def ask_all(
    grammar: PCFG | SplitPCFG, words: Words, scorer: Scorer, mask: Bools | None = None, *, bound: float = 0.0
) -> tuple[Anchors, int]:
    """A scorer's say on every phrase that charts have, as anchored scores for Parser, and how many there are.

    Of a split grammar: those that the grammar which is not split builds.
    """
    rules = grammar.coarse if isinstance(grammar, SplitPCFG) else grammar
    n, (labels, label) = len(words), scored_labels(rules)
    kept = np.ones((n + 1, n + 1), np.bool_) if mask is None else mask
    there = _built(rules, rules.lexicon.encode(list(words)), kept)
    scores = np.zeros((len(there), len(labels)), np.float32)
    pairs = np.zeros(scores.shape, np.bool_)
    scored = label != NONE
    for number in range(len(labels)):
        pairs[:, number] = there[:, label == number].any(1)
    ends = np.repeat(np.arange(1, n + 1), np.arange(1, n + 1))
    asked = [
        (cell - cell_of(0, int(ends[cell])), int(ends[cell]), labels[number])
        for cell, number in np.argwhere(pairs).tolist()
    ]
    if asked:
        scores[pairs] = answers(scorer, words, asked, bound)
    span = np.zeros(there.shape, np.float32)
    span[:, scored] = scores[:, label[scored]]
    return NO_ANCHORS._replace(span=span), len(asked)


def _built(grammar: PCFG, ids: Ids, mask: Bools) -> Bools:
    """[cells, N] what a rule makes in CKY, words' tags aside."""
    chart = cky.chart_of(grammar.rules, ids, mask, NO_ANCHORS, UNLIMITED)
    found = np.zeros((len(chart.cell_begin), len(grammar.symbols)), np.bool_)
    sizes = chart.cell_end - chart.cell_begin
    order = np.argsort(chart.cell_begin[sizes > 0])
    cells = np.flatnonzero(sizes)[order]
    found[np.repeat(cells, sizes[cells]), chart.label] = True
    # Of single words: what unary rules make of their tags.
    for k in range(1, len(ids) + 1):
        cell = cell_of(k - 1, k)
        items = slice(chart.cell_begin[cell], chart.cell_end[cell])
        tags = chart.label[items][chart.base[items] > -np.inf]
        found[cell] = False
        found[cell, grammar.unary.parent[np.isin(grammar.unary.child, tags)]] = True
    return found


def scored_labels(grammar: PCFG) -> tuple[list[str], Ids]:
    """Labels of phrases by number, and [N] which of them each symbol has; NONE: it is not scored."""
    made = np.unique(np.concatenate((grammar.binary.parent, grammar.unary.parent))).tolist()
    named = {x: grammar.plain[x] for x in made if not grammar.intermediate[x]}
    labels = sorted(set(named.values()))
    label = np.full(len(grammar.symbols), NONE, np.uint32)
    for x, name in named.items():
        label[x] = labels.index(name)
    return labels, label
