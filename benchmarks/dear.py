"""A dear scorer: questions, CPU seconds and F1 of charts and agendas that ask it.

    python benchmarks/dear.py                                      a small model of the garden
    python benchmarks/dear.py --model MODEL --trees dev.mrg        one from `secateur train`
    python benchmarks/dear.py --model MODEL --trees dev.mrg --level 1 --cost 1000

The scorer stands for a large model: what it says of a phrase is the log of its posterior under the whole fine
grammar (or the grammar, where it is not split), worked out before and not timed; what it costs is a number of
microseconds for each phrase, spent in a loop. The grammar that is searched is that of a level. Charts ask
about all that they build, or all that a policy's mask leaves; agendas about what comes first, by score, or
with the bounds of each level. All but those with a mask find the same score.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from deadline import trained

# Parsing with a scorer, the levels of a grammar, and a policy's mask by itself: no public names.
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.projection import seen_from
from secateur.kinds.pcfg.dear import DearParser, Phrase, ask_all
from secateur.models.parse import Parse
from secateur.tasks.span_pruning.masks import LearnedMask
from turns import best

LEAST = 1e-6  # of a posterior: what is less likely counts as that
LENGTHS = ((1, 15), (16, 40))


class Posterior:
    """A scorer."""

    def __init__(self, parser: sec.Parser, sentences: Sequence[Sequence[str]], cost: float) -> None:
        self.cost = cost
        self.calls = 0
        self.known: dict[tuple[str, ...], dict[Phrase, float]] = {}
        for words in sentences:
            found = parser.marginals(words)
            above = [] if found is None else found.above(LEAST)
            key = tuple(sec.Sentence.of(words).spelt(parser.grammar.lexicon.index).penn)
            self.known[key] = {(s.i, s.k, s.label): min(float(np.log(p)), 0.0) for s, p in above}

    def __call__(self, words: Sequence[str], i: int, k: int, label: str) -> float:
        started = time.process_time()
        self.calls += 1
        found = self.known[tuple(words)].get((i, k, label), float(np.log(LEAST)))
        while time.process_time() - started < self.cost:
            pass
        return found


def ways_of(
    model: sec.Model[Any, Any], level: int, scorer: Posterior
) -> Iterator[tuple[str, Callable[[sec.Tree], Parse[sec.Tree]]]]:
    """Each way to parse, as a function of a tree with the words."""
    grammar = model.parts.grammar
    searched = (
        grammar if isinstance(grammar, sec.PCFG) else seen_from(grammar.alone, min(level, levels(model)))
    )
    flat = searched if isinstance(searched, sec.PCFG) else searched.flat()
    charts = sec.Parser(searched, decode="viterbi")
    yield "charts, unasked", charts.parse

    def by_chart(tree: sec.Tree, mask: Any = None) -> Parse[sec.Tree]:
        words = sec.Sentence.of(tree.words()).spelt(charts.grammar.lexicon.index).penn
        scores, _ = ask_all(searched, words, scorer, mask)
        return charts.parse(tree, anchors=scores, mask=mask)

    yield "charts", by_chart
    policy = next(iter(model.policies), None)
    if policy is not None:
        masks = LearnedMask(model.parts.features, model.policies[policy])
        yield f"charts, {policy}", lambda tree: by_chart(tree, masks.mask(sec.Sentence.of(tree.words()).penn))
    yield "agenda", DearParser(flat, scorer, bounds="none").parse
    if isinstance(searched, sec.SplitPCFG):
        for coarse in range(len(searched.ancestry)):
            bounds = Bounds.of(searched, flat, coarse)
            yield f"agenda, bounds {coarse}", DearParser(flat, scorer, bounds=bounds).parse
    yield "agenda, own bounds", DearParser(flat, scorer).parse


def levels(model: sec.Model[Any, Any]) -> int:
    return len(model.parts.grammar.ancestry)


def rows_of(
    model: sec.Model[Any, Any], trees: Sequence[sec.Tree], level: int, cost: float
) -> Iterator[dict[str, Any]]:
    grammar = model.parts.grammar
    whole = grammar if isinstance(grammar, sec.PCFG) else grammar.alone
    scorer = Posterior(sec.Parser(whole, decode="viterbi"), [tree.words() for tree in trees], cost)
    exact: list[float] = []
    for name, way in ways_of(model, level, scorer):
        way(trees[0])  # compiles
        scorer.calls = 0
        spent, found = best(lambda way=way: [way(tree) for tree in trees], 1)
        scores = [parse.score for parse in found]
        if name == "charts":
            exact = scores
        if name.startswith("agenda"):
            assert scores == exact, "scores differ from those of charts"
        yield {
            "way": name,
            "calls": scorer.calls / len(trees),
            "ms": 1000 * spent / len(trees),
            "pops": sum(parse.work.pops for parse in found) / len(trees),
            "F1": sec.evaluate(trees, [p.tree for p in found], failed=[p.failed for p in found]).accuracy,
        }


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--model", type=Path)
    options.add_argument("--trees", type=Path, help="trees of the model's sort")
    options.add_argument("--level", type=int, default=1, help="of the grammar that is searched")
    options.add_argument("--cost", type=float, default=50.0, help="microseconds of a question")
    options.add_argument("--limit", type=int, default=50, help="sentences of each length")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    if (chosen.model is None) != (chosen.trees is None):
        options.error("give both a model and trees, or neither")
    if chosen.model is None:
        model, gold = trained()
    else:
        model, gold = sec.Model.load(chosen.model), sec.read(chosen.trees, normalization=sec.Normalization())
    print(f"{'words':6} {'way':22}{'calls':>10}{'ms':>10}{'pops':>12}{'F1':>8}")
    rows = []
    for first, last in LENGTHS:
        some = list(islice((t for t in gold if first <= len(t.words()) <= last), chosen.limit))
        for row in rows_of(model, some, chosen.level, chosen.cost * 1e-6) if some else ():
            rows.append({"words": f"{first}-{last}", "sentences": len(some), **row})
            figures = f"{row['calls']:>10,.1f}{row['ms']:>10,.2f}{row['pops']:>12,.0f}{row['F1']:>8.2f}"
            print(f"{rows[-1]['words']:6} {row['way']:22}{figures}", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
