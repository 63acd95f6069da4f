"""AgendaParser: words in, trees out, items in an order of one's own choice until there is a parse."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from secateur.errors import InputError
from secateur.grammar.derivation import assemble, cover_tree, flat_tree, naming
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.hierarchy import Hierarchy
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda import derivation, run
from secateur.kernels.agenda.halting import HALTED
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, UNLIMITED, How, Priorities, uniform_cost
from secateur.kernels.agenda.priorities import Limits as Stops
from secateur.kernels.agenda.state import (
    BYTES,
    DROPPED,
    EMPTY,
    FOUND,
    ITEMS,
    LONGEST,
    NONE,
    POPPED,
    POPS,
    RUNNING,
    State,
)
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.cky.unfold import unfold
from secateur.kinds.pcfg.agenda_given import ONE_TREE, Order, check_given, has_bounds
from secateur.kinds.pcfg.attempts import Attempt, Searched, past_the_first
from secateur.kinds.pcfg.certificates import agenda_certified
from secateur.kinds.pcfg.orders import flat_of, is_admissible
from secateur.kinds.pcfg.pops import Pop, pops_of
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.several import Several
from secateur.kinds.pcfg.substitute import PunctualParser
from secateur.kinds.pcfg.tried import TRIED, Pace, to_try
from secateur.models.limits import Limits
from secateur.models.measure import settle
from secateur.models.parse import Given, Parse
from secateur.options import check_least
from secateur.search.arrays import Bools
from secateur.search.core import Work
from secateur.tasks.agenda_order.task import Halting
from secateur.tasks.span_pruning.masks import Spans
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

# Why a search ended; the first two are its own ends, the last is where a policy took what there was.
STATUS = {
    FOUND: "complete",
    EMPTY: "complete",
    POPS: "pops",
    BYTES: "memory",
    RUNNING: "deadline",
    HALTED: "halted",
}
SLICE = 5e-4  # seconds of a slice, about; going in and out of the kernel takes a tenth of that
FASTER = 2.0  # times as many pops as in the slice before, at most: wide spans take longer than short ones
MOVED = 2e8  # bytes more that an agenda may grow by, for each second that is left
NO_SLICE = 3e-5  # seconds left with which none is begun
FIRST = 4  # pops of the first slice, which tells how long others take


class AgendaParser(PunctualParser):
    """Parsing with a grammar by agenda. The first complete parse is the answer; where the search stops
    before there is one, the tree is put together from the best of what was popped (`failed`), and `notes`
    of the parse say why."""

    annotation = PHRASES

    def __init__(
        self,
        grammar: PCFG | SplitPCFG,
        *,
        level: int | None = None,
        order: Order | Bounds | Hierarchy | None = None,
        how: How = EXACT,
        spans: Spans | None = None,
        limits: Limits | None = None,
        pops: int | None = None,
        deadline: float | None = None,
        binarized: bool = False,
        using: Using | None = None,
        bounds: Bounds | None = None,
        halting: Halting | None = None,
    ) -> None:
        """`level`: of a split grammar's hierarchy, whose symbols are items; the last by default.

        `order`: what decides, by default the score: then, and with the bounds of a coarser grammar that are
        admissible, the first parse is the best one, where no weight of the grammar is above 0; of a hierarchy
        there is nothing else.

        `deadline`: seconds, from the words to the tree, which is the best there is by then.

        `bounds`: by which it certifies, if it is asked to; by default the grammar's own.

        `halting`: a policy that goes on past the first parse, to better ones, while it pays.
        """
        if not isinstance(grammar, PCFG | SplitPCFG):
            raise TypeError(f"a parser of phrases needs a grammar, not {type(grammar).__name__}")
        self.grammar: PCFG = flat_of(grammar, level)
        self.order, self.how, self.spans = order, how, spans
        self.limits = limits or Limits()
        if pops is not None:
            check_least({"pops": (pops, 1)})
        self.deadline, self.halting = deadline, halting
        self._stops = Stops(UNLIMITED if pops is None else pops, self.limits.chart_bytes)
        self.using: Using = using or Using(binarized=binarized)
        check_given(self.grammar, order, how, deadline, halting, self.using)
        self.binarized = self.using.binarized
        self._bounds: Bounds | None = None
        if self.using.certify:
            self._bounds = bounds or Bounds.own(self.grammar)
        self._joins = joins_of(self.grammar.rules)
        self._names, self._labels = naming(self.grammar, binarized=self.binarized)
        # No derivation is worth more than the priority of one of its items.
        self._is_bounded = how.delta == np.inf and (
            isinstance(order, Hierarchy) or is_admissible(order, self.grammar)
        )
        self._pace: Pace | None = None

    def __repr__(self) -> str:
        order = "score" if self.order is None else "bounds" if has_bounds(self.order) else "features"
        return f"<AgendaParser: {len(self.grammar.symbols):,} symbols, by {order}>"

    def __getstate__(self) -> dict[str, object]:
        """Another process has its own pace."""
        return {**self.__dict__, "_pace": None}

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        if self.deadline is None:
            return [self._whole(sentence, time.perf_counter(), np.inf) for sentence in sentences]
        self.warm_up()
        found = []
        for sentence in sentences:
            started = time.perf_counter()
            found.append(self._whole(sentence, started, started + self.deadline))
        return found

    def answers(self, sentences: Sequence[Sentence]) -> list[list[Parse[Tree]]]:
        k = self.using.kbest
        if k is None:
            return super().answers(sentences)
        return [self.kbest(s, k) if len(s) else [self._skipped(s)] for s in sentences]

    def kbest(self, words: Given, k: int) -> list[Parse[Tree]]:
        """The trees of up to k different derivations, best first; of sub-symbols each tree once. What is
        not certified is the best of what was popped."""
        return list(self.kbest_as_found(words, k))

    def kbest_as_found(self, words: Given, k: int) -> Iterator[Parse[Tree]]:
        """The same one by one, each when it is known to be the next."""
        check_least({"best trees": (k, 1)})
        return self._kbest(self.given(words).spelt(self.grammar.lexicon.index), k)

    def pops(self, words: Given) -> list[Pop]:
        """What is popped until the search ends, in order, from where delta was widened for the last time;
        without a parse nothing is in a tree."""
        sentence = self.given(words).spelt(self.grammar.lexicon.index)
        rules, ids = self.grammar.rules, self.grammar.lexicon.encode(sentence.penn)
        mask, order = self._prepared(sentence, ids)
        found = self._attempts(ids, mask, order, np.inf)
        state, pops = run.begin(rules, ids, mask, NO_ANCHORS, order, found.how, log=True), found.state.tally
        while (rest := int(pops[POPPED] - state.tally[POPPED])) > 0:
            _, state = run.advance(rules, self._joins, NO_ANCHORS, order, found.how, NO_LIMITS, state, rest)
        return pops_of(self.grammar, state)

    def whole(self, tree: Tree) -> int:
        """The spans that there are to decide on, as in CKY."""
        n = len(tree.leaves())
        return (n - 1) * n // 2 - 1 if n > 1 else 0

    def noted(self, notes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        stopped = [own["status"] for own in notes if own.get("status", STATUS[FOUND]) != STATUS[FOUND]]
        return {"status": stopped[0] if stopped else STATUS[FOUND]}

    # The search ---------------------------------------------------------------------------------------------

    def _whole(self, sentence: Sentence, started: float, end: float) -> Parse[Tree] | None:
        sentence = sentence.spelt(self.grammar.lexicon.index)
        n = len(sentence.penn)
        if n > min(self.limits.words, LONGEST):
            return None
        ids = self.grammar.lexicon.encode(sentence.penn)
        if end < np.inf:
            pace = self.warm_up().of(n)
            if started + pace.before + pace.after > end:
                return self._made(sentence, ids, None, RUNNING, Work(), started)
            end -= 2 * pace.after  # the more was found, the longer
        if isinstance(self.order, Hierarchy):
            return self._climbed(sentence, ids, self.order, started)
        mask, order = self._prepared(sentence, ids)
        found = self._attempts(ids, mask, order, end)
        parse = self._made(sentence, ids, found.state, found.status, found.work(), started)
        if self._bounds is None or parse.certified or parse.score is None:
            return parse
        certified = agenda_certified(self._bounds, ids, mask, found.state, found.how, parse.score)
        return replace(parse, certified=certified, seconds=time.perf_counter() - started)

    def _climbed(self, sentence: Sentence, ids: Ids, order: Hierarchy, started: float) -> Parse[Tree]:
        mask = self._mask(sentence)
        steps, score, pops, pushes, items, status, *_ = order.parse(ids, mask, self.how, self._stops)
        work = Work(pushes=int(pushes), pops=int(pops), items=int(items), kept=self._kept(mask))
        parse = self._made(sentence, ids, None, int(status), work, started)
        if not len(steps):
            return parse
        tree = assemble(self._names, unfold(self._labels, steps), sentence.leaves)
        certified, spent = self._is_bounded and self.spans is None, time.perf_counter() - started
        return replace(parse, tree=tree, score=float(score), failed=False, certified=certified, seconds=spent)

    def _attempts(self, ids: Ids, mask: Bools, order: Priorities, end: float) -> Attempt:
        """The first parse; where delta dropped it, with more and more."""
        how, before = self.how, Work(kept=self._kept(mask))
        if self.halting is not None:
            searched = Searched(ids, mask, order, how, self._stops)
            return past_the_first(self.grammar, self._joins, searched, self.halting, before)
        while True:
            state = run.begin(self.grammar.rules, ids, mask, NO_ANCHORS, order, how)
            found = Attempt(*self._searched(state, order, how, before.pops, end), how, before)
            if found.status != EMPTY or how.widen <= 1.0 or found.state.tally[DROPPED] == 0:
                return found
            how, before = how._replace(delta=how.delta * how.widen), found.work()

    def _kbest(self, sentence: Sentence, k: int) -> Iterator[Parse[Tree]]:
        started = time.perf_counter()
        if len(sentence) > min(self.limits.words, LONGEST):
            yield self._too_long(sentence)
            return
        rules, ids = self.grammar.rules, self.grammar.lexicon.encode(sentence.penn)
        mask, order = self._prepared(sentence, ids)
        last = self._attempts(ids, mask, order, np.inf)
        stops = self._stops._replace(pops=self._stops.pops - last.before.pops)

        def go_on(state: State, pops: int) -> tuple[int, State]:
            return run.advance(rules, self._joins, NO_ANCHORS, order, last.how, stops, state, pops)

        first = self._made(sentence, ids, last.state, last.status, last.work(), started)
        if first.failed:
            yield first
            return
        several = Several(self.grammar, ids, self._is_bounded, self.limits.chart_bytes // 5)
        found = None
        for found in several.best(last.state, k, go_on):
            yield replace(
                first,
                tree=assemble(self._names, unfold(self._labels, found.steps), sentence.leaves),
                work=last._replace(state=found.state).work(),
                seconds=time.perf_counter() - started,
                score=found.score,
                certified=found.certain and self.spans is None,
            )
        if found is None:  # there is no room for a chart of what was popped
            yield replace(first, notes={"status": STATUS[BYTES]})

    def _prepared(self, sentence: Sentence, ids: Ids) -> tuple[Bools, Priorities]:
        n, mask = len(ids), self._mask(sentence)
        if isinstance(self.order, Hierarchy):
            raise InputError(ONE_TREE, fix="take bounds of a coarser grammar")
        if isinstance(self.order, Order):
            features, weights = self.order
            return mask, features.tables(features.columns(sentence.penn, mask), weights)
        plain = uniform_cost(n, len(self.grammar.symbols))
        if self.order is None:
            return mask, plain
        return mask, plain._replace(outside=self.order.estimate(ids, mask).outside, seen=self.order.seen)

    def _mask(self, sentence: Sentence) -> Bools:
        n = len(sentence.penn)
        return np.ones((n + 1, n + 1), np.bool_) if self.spans is None else self.spans.mask(sentence.penn)

    def _searched(
        self, state: State, order: Priorities, how: How, before: int, end: float
    ) -> tuple[int, State]:
        """Until there is a parse; or so many pops, those of earlier attempts included; or until the end."""
        rules, stops = self.grammar.rules, self._stops._replace(pops=self._stops.pops - before)
        pops, now = UNLIMITED, time.perf_counter()
        if end < np.inf:
            pops, size = FIRST, sum(array.nbytes for array in state)
            stops = stops._replace(bytes=min(stops.bytes, size + int(MOVED * (end - now))))
        while True:
            status, state = run.advance(rules, self._joins, NO_ANCHORS, order, how, stops, state, pops)
            then, now = now, time.perf_counter()
            if status == BYTES and stops.bytes < self._stops.bytes:
                return RUNNING, state  # there is room, but no time to move there
            if status != RUNNING or now + NO_SLICE > end:
                return status, state
            # As many as there is time for, if they take as long as those before.
            share = min(SLICE, (end - now) / 2) / max(now - then, 1e-7)
            pops = max(int(pops * min(share, FASTER)), 1)

    def _made(
        self, sentence: Sentence, ids: Ids, state: State | None, status: int, work: Work, started: float
    ) -> Parse[Tree]:
        """The parse of a search; without a state there was no time for one."""
        rules, grammar, score = self.grammar.rules, self.grammar, -np.inf
        goal = NONE if state is None else derivation.goal_of(rules, state)
        if state is None:
            tree = flat_tree(grammar, ids, sentence.leaves)
        elif goal == NONE:
            steps = derivation.cover(rules, ids, state)
            tree = cover_tree(grammar, steps, sentence.leaves, binarized=self.binarized)
        else:
            steps = derivation.steps_of(state, np.uint32(goal))
            tree = assemble(self._names, unfold(self._labels, steps), sentence.leaves)
            score = float(derivation.score_of(rules, ids, NO_ANCHORS, steps))
        return Parse(
            tree,
            work,
            time.perf_counter() - started,
            score,
            failed=bool(goal == NONE),
            certified=self._is_bounded and self.spans is None and goal != NONE,
            notes={"status": STATUS[status]},
            annotation=self.annotation,
        )

    def _kept(self, mask: Bools) -> int:
        """Spans to decide on that may be built."""
        return int(np.triu(mask, 2).sum()) - int(mask[0, -1] and len(mask) > 2)

    # Time ---------------------------------------------------------------------------------------------------

    def warm_up(self) -> Pace:
        """Load the kernels, and see how long a sentence takes before and after the search; once."""
        if self._pace is None:
            few = copy(self)
            few._stops, few._pace = self._stops._replace(pops=FIRST), Pace(0.0, 0.0)
            sentences = to_try(self.grammar, [TRIED])
            for _ in range(2):  # the first round loads
                found = [few._timed(sentence) for sentence in sentences for _ in range(3)]
            settle()
            self._pace = Pace(max(one.before for one in found), max(one.after for one in found))
        return self._pace

    def _timed(self, sentence: Sentence) -> Pace:
        started = time.perf_counter()
        ids = self.grammar.lexicon.encode(sentence.penn)
        mask, order = self._prepared(sentence, ids)
        state = run.begin(self.grammar.rules, ids, mask, NO_ANCHORS, order, self.how)
        # The first pops are part of it: they are for what items and rows are first put in.
        status, state = self._searched(state, order, self.how, 0, time.perf_counter() + 1.0)
        ended = time.perf_counter()
        self._made(sentence, ids, state, status, Work(), started)
        made = time.perf_counter()
        if not state.tally[ITEMS]:
            return Pace(ended - started, made - ended)
        # What a complete parse would need is loaded too.
        word = derivation.steps_of(state, np.uint32(0))
        derivation.score_of(self.grammar.rules, ids, NO_ANCHORS, word)
        assemble(self._names, unfold(self._labels, word), sentence.leaves[:1])
        return Pace(ended - started, made - ended)

    def _in_pieces(self, sentence: Sentence, started: float) -> Parse[Tree]:
        """Each has its share of the time."""
        part = copy(self)
        if self.deadline is not None:
            part.deadline = self.deadline * min(self.limits.words / len(sentence), 1 / 2)
        return super(AgendaParser, part)._in_pieces(sentence, started)
