"""PlcfrsParser: words in, discontinuous trees out, by exhaustive deduction with a PLCFRS."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.grammar.lcfrs.derivation import Step, tree_of
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kernels.lcfrs import parse as kernel
from secateur.kernels.lcfrs.chart import ITEMS, PUSHES
from secateur.kernels.lcfrs.gate import EVERYTHING
from secateur.kinds.lcfrs.settings import Using
from secateur.kinds.pcfg.substitute import GrammarParser
from secateur.models.limits import Limits
from secateur.models.parse import Given, Parse, SentenceParser
from secateur.options import check_least
from secateur.search.core import Work
from secateur.tasks.hyperedge_pruning.contract import contracted
from secateur.tasks.hyperedge_pruning.graph import DerivationGraph, graph_of
from secateur.tasks.hyperedge_pruning.task import Gating
from secateur.treebanks.discontinuous import DISCONTINUOUS
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Leaf, Tree, new_leaf, new_tree

_OF_KBEST = 6  # what the derivation graph takes, in times of the chart that it is made of
STATUS = ("complete", "memory", "items", "seconds")  # why a chart ended


class Stops(NamedTuple):
    """Where the deduction of a sentence stops, finished or not."""

    items: int = kernel.UNLIMITED
    seconds: float = np.inf


NEVER = Stops()
_GATES = 2  # that a chart takes


class PlcfrsParser(GrammarParser):
    """Exact parsing with a PLCFRS. Where it stops early, the tree is put together from the largest parts that
    were found, and `notes` of the parse say why."""

    annotation = DISCONTINUOUS

    def __init__(
        self,
        grammar: PLCFRS,
        *,
        limits: Limits | None = None,
        stops: Stops = NEVER,
        gating: Sequence[Gating] = (),
        otherwise: SentenceParser[Tree] | None = None,
        best_first: bool = False,
        binarized: bool = False,
        using: Using | None = None,
    ) -> None:
        """`gating`: what says, all agreeing, which items are worth making. `otherwise`: who parses a sentence
        where nothing is found, or not soon enough. `best_first`: work on items in the order of their values
        and end with the best parse; one that stops earlier has the likeliest parts of all sizes. It is no
        faster: it works on 72% of all items at up to 10 words and 97% at 16 to 20, in 2 and 4 times the
        time (benchmarks/lcfrs.py). For several trees the whole chart is made."""
        if not isinstance(grammar, PLCFRS):
            raise TypeError(f"a PLCFRS is needed, not {type(grammar).__name__}")
        self.grammar: PLCFRS = grammar.binarized()
        self._given = grammar
        self.limits = limits or Limits()
        self.stops, self.otherwise = stops, otherwise
        self.gating, self.best_first = gating, best_first
        if best_first:
            _check_weights(self.grammar)
        if len(gating) > _GATES:
            raise InputError(f"{len(gating)} gates", fix=f"give {_GATES} at most")
        self.using: Using = using or Using(binarized=binarized)
        self.binarized = self.using.binarized

    def __repr__(self) -> str:
        return f"<PlcfrsParser: {self.grammar!r}>"

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        return [self._whole(sentence) for sentence in sentences]

    def answers(self, sentences: Sequence[Sentence]) -> list[list[Parse[Tree]]]:
        k = self.using.kbest
        if k is None:
            return super().answers(sentences)
        return [self.kbest(s, k) if len(s) else [self._skipped(s)] for s in sentences]

    def kbest(self, words: Given, k: int) -> list[Parse[Tree]]:
        """The trees of up to k different derivations, best first; where there is none, one put together."""
        check_least({"best trees": (k, 1)})
        started = time.perf_counter()
        sentence = self.given(words).spelt(self.grammar.lexicon.index)
        if not self._fits(sentence):
            return [self._too_long(sentence)]
        chart, before = self._chart(sentence, self.limits.chart_bytes // _OF_KBEST, keep_uses=True)
        found: list[tuple[float, list[Step]]] = []
        if not chart.status:
            graph = graph_of(self.grammar, self.grammar.lexicon.encode(sentence.penn), chart)
            found = [(best.value, graph.steps(best.hyperedges)) for best in graph.weighted.kbest(k)]
        return [self._made(chart, sentence, *one, before, started) for one in found or [(-np.inf, [])]]

    def graph(self, words: Given) -> DerivationGraph:
        """All derivations of a sentence in rules of the grammar as it was given, of any length; refused where
        limits do not allow the whole chart."""
        sentence = self.given(words).spelt(self.grammar.lexicon.index)
        if not self._fits(sentence):
            raise InputError(f"a sentence of {len(sentence)} words", fix="give a shorter one")
        chart, _ = self._chart(sentence, self.limits.chart_bytes // _OF_KBEST, keep_uses=True)
        if chart.status:
            what = f"the chart did not become complete: {STATUS[chart.status]}"
            raise InputError(what, fix="raise the limits, or give a shorter sentence")
        found = graph_of(self.grammar, self.grammar.lexicon.encode(sentence.penn), chart)
        return found if self._given is self.grammar else contracted(found, self._given)

    def _whole(self, sentence: Sentence) -> Parse[Tree] | None:
        started = time.perf_counter()
        sentence = sentence.spelt(self.grammar.lexicon.index)
        if not self._fits(sentence):
            return None
        chart, before = self._chart(sentence, self.limits.chart_bytes)
        return self._made(chart, sentence, *self._best(chart, len(sentence)), before, started)

    def _fits(self, sentence: Sentence) -> bool:
        return len(sentence) <= min(self.limits.words, kernel.POSITIONS)

    def _made(
        self,
        chart: kernel.Chart,
        sentence: Sentence,
        score: float,
        steps: list[Step],
        before: int,
        started: float,
    ) -> Parse[Tree]:
        """The parse of a derivation; without steps, one that is put together from parts. `before`: pushes of
        others that said which items to make."""
        tally = chart.room.tally
        work = Work(pushes=int(tally[PUSHES]) + before, items=int(tally[ITEMS]))
        if not steps and self.otherwise is not None:
            spent, status = time.perf_counter() - started, STATUS[chart.status]
            return replace(self.otherwise.parse(sentence).after(work, spent), notes={"status": status})
        if steps:
            tree = tree_of(self.grammar, steps, sentence.leaves, binarized=self.binarized)
        else:
            tree = self._patched(chart, sentence)
        return Parse(
            tree,
            work,
            time.perf_counter() - started,
            score,
            failed=not steps,
            notes={"status": STATUS[chart.status]},
            annotation=self.annotation,
        )

    def _chart(self, sentence: Sentence, memory: int, *, keep_uses: bool = False) -> tuple[kernel.Chart, int]:
        """And what it took to know which items to make, in pushes."""
        limits = kernel.Limits(memory, self.stops.items, self.stops.seconds)
        ids = self.grammar.lexicon.encode(sentence.penn)
        gated = [one.gate(sentence.penn) for one in self.gating]
        first, second = (*(one.gate for one in gated), EVERYTHING, EVERYTHING)[:_GATES]
        rules, pushes = self.grammar.rules, sum(one.pushes for one in gated)
        if self.best_first and not keep_uses:
            return kernel.best_first(rules, ids, first, limits, bounds=second), pushes
        chart = kernel.chart_of(rules, ids, first, limits, bounds=second, keep_uses=keep_uses)
        return chart, pushes

    def _best(self, chart: kernel.Chart, n: int) -> tuple[float, list[Step]]:
        """The score and the steps of the best derivation; none where there is none, or the chart is not
        complete."""
        rules, start = self.grammar.rules, self.grammar.number[self.grammar.start]
        goal = kernel.goal_of(rules, chart.room, n)
        score = float(kernel.best_of(rules, chart.room, goal, start))
        if score == -np.inf or chart.status:
            return -np.inf, []
        return score, self._steps(chart, goal, start)

    def _steps(self, chart: kernel.Chart, item: int, symbol: int) -> list[Step]:
        binary = self.grammar.binary
        found = kernel.derivation(self.grammar.rules, chart.room, binary.left, binary.right, item, symbol)
        words = chart.room.words
        return [
            Step(kind, x, int(words[s, 0]) | int(words[s, 1]) << 64, rule)
            for kind, x, s, rule in found.tolist()
        ]

    # What to do without a parse -----------------------------------------------------------------------------

    def _patched(self, chart: kernel.Chart, sentence: Sentence) -> Tree:
        """The fewest continuous parts that cover the sentence, the best of them, under the start symbol."""
        n = len(sentence)
        parts = self._parts(chart)
        best: list[tuple[int, float, int]] = [(0, 0.0, 0)]  # parts, minus their score, where the last begins
        for k in range(1, n + 1):
            ways = [(best[i][0] + 1, best[i][1] - parts[i, k][0], i) for i in range(k) if (i, k) in parts]
            best.append(min(ways, default=(best[k - 1][0] + 1, best[k - 1][1] + 1e6, k - 1)))
        children: list[Tree | Leaf] = []
        k = n
        while k:
            i = best[k][2]
            children = [*self._part(chart, parts.get((i, k)), sentence, i), *children]
            k = i
        return new_tree(self._root, tuple(children))

    def _parts(self, chart: kernel.Chart) -> dict[tuple[int, int], tuple[float, int, int]]:
        """The best symbol of the treebank's own over each span: its score, set and number."""
        room, rules = chart.room, self.grammar.rules
        first, end = rules.symbol_ptr[1:3].tolist()
        symbols = rules.symbol[first:end]
        made = self.grammar.made[symbols]
        found = {}
        for s in np.flatnonzero(room.fanout[: chart.sets] == 1).tolist():
            row = np.where(made, -np.inf, room.value[room.base[s] : room.base[s] + len(symbols)])
            place = int(row.argmax())
            if row[place] > -np.inf:
                i, k = room.bound[s, :2].tolist()
                found[i, k] = float(row[place]), s, int(symbols[place])
        return found

    def _part(
        self, chart: kernel.Chart, part: tuple[float, int, int] | None, sentence: Sentence, i: int
    ) -> Sequence[Tree | Leaf]:
        if part is None:  # a word without a tag
            return (new_tree("X", (new_leaf((i, sentence.leaves[i])),)),)
        _, s, symbol = part
        tree = tree_of(self.grammar, self._steps(chart, s, symbol), sentence.leaves, binarized=self.binarized)
        return tree.children if tree.label == self._root and not tree.is_preterminal else (tree,)

    def whole(self, tree: Tree) -> int:
        return 0


def _check_weights(grammar: PLCFRS) -> None:
    """Best-first deduction is exact only where no rule raises a value."""
    highest = max(
        weights.max(initial=-np.inf)
        for weights in (grammar.binary.weight, grammar.unary.weight, grammar.lexicon.weight)
    )
    if highest > 0.0:
        fix = "make the chart without best_first, or give weights that are at most 0"
        raise InputError(f"a rule's log weight is {highest:g}: no best item comes first", fix=fix)
