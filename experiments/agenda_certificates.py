"""Certificates: of how many sentences is it known that what was found is the best, and what that costs.

    python experiments/agenda_certificates.py --data garden
    SECATEUR_DATA=... python experiments/agenda_certificates.py --data ptb-sample --model MODEL

A model from `secateur train --tasks agenda`; of the garden, a small one is trained. Dev sentences, by length,
are parsed for the best derivation over the sub-symbols of one level: with each policy's mask, and by agendas
that drop items or pop them in another order. Bounds are those of each level up to that one. Said are the
share of sentences that are certified, and of those whose score is the exact one; EVALB's F1 of all, of those
certified, and of an exact search; and CPU ms a sentence, of one run: of the parse, of the certificate, and of
both with an exact search where there was none.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import secateur as sec
from agenda_runs import DATA, LONG, SHORT, between
from arc_table1 import one_section
from prune_runs import data_folder
from report import OUT, WHERE, Pictures, Sections, leave, result_in, start, table

# Certificates by themselves, and what an agenda leaves: no public names give them.
from secateur.grammar.derivation import build_tree, cover_tree
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.projection import seen_from
from secateur.kernels.agenda.derivation import cover, goal_of, score_of, steps_of
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, UNLIMITED, How, uniform_cost
from secateur.kernels.agenda.run import advance, begin
from secateur.kernels.agenda.state import NONE, State
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kinds.pcfg.certificates import Certifier, agenda_certified
from secateur.kinds.pcfg.ways import quick_of
from secateur.metrics import COLLINS
from secateur.models.parse import Parse
from secateur.tasks.span_pruning.masks import LearnedMask, settled

NAME = "agenda-certificates"
TREES = 900  # of the garden
MOST = 100  # sentences of each length
LENGTHS = ((2, SHORT), LONG)
DELTAS = (6.0, 9.0, 12.0)

Row = dict[str, Any]


@dataclass(frozen=True)
class Certified:
    """Which data and model, and where what is found about them goes."""

    data: str
    model: Path | None = None
    out: Path = OUT
    most: int = MOST

    @cached_property
    def given(self) -> tuple[Any, list[sec.Tree]]:
        """The model, and dev trees."""
        if self.data != "garden":
            assert self.model is not None, "the command has seen to that"
            return sec.Model.load(self.model), list(sec.read(data_folder() / self.data / "dev.mrg"))
        train, dev, test = sec.garden.treebank(TREES).split(dev=0.1, test=0.2)
        folder = self.out / "runs" / f"{NAME}-garden"
        if not folder.exists():
            settings = sec.Settings(levels=2, points=3, iterations=1, repeat=1, max_length=20, tasks="agenda")
            sec.train(train, dev=dev, settings=settings).save(folder)
        return sec.Model.load(folder), list(test)


class Sentence(NamedTuple):
    tree: sec.Tree
    words: Any  # ids of the unsplit grammar
    items: Any  # of that whose symbols are items
    penn: list[str]
    mask: Any  # every span


@dataclass(frozen=True)
class Search:
    """What is common to all ways to parse."""

    model: Any
    sentences: list[Sentence]

    @classmethod
    def of(cls, model: Any, trees: Sequence[sec.Tree]) -> Search:
        empty = cls(model, [])
        found = []
        for tree in trees:
            own = sec.Sentence.of(tree.words()).spelt(empty.flat.lexicon.index)
            penn, n = list(own.penn), len(own.penn)
            ids = [one.lexicon.encode(penn) for one in (empty.split.coarse, empty.flat)]
            found.append(Sentence(tree, *ids, penn, settled(np.ones((n + 1, n + 1), np.bool_))))
        return cls(model, found)

    @cached_property
    def split(self) -> sec.SplitPCFG:
        grammar = self.model.parts.grammar
        return seen_from(grammar.alone, int(quick_of(grammar).get("level", 0)))

    @cached_property
    def flat(self) -> sec.PCFG:
        return self.split.flat()

    @cached_property
    def charts(self) -> sec.Parser:
        return sec.Parser(self.split, decode="viterbi")

    @cached_property
    def exact(self) -> tuple[list[Parse[sec.Tree]], list[float]]:
        return timed(lambda one: self.charts.parse(one.tree), self.sentences)


def timed(work: Callable[[Any], Any], things: Sequence[Any]) -> tuple[list[Any], list[float]]:
    """What comes of each, and CPU ms; the first is done twice."""
    work(things[0])
    found, spent = [], []
    for thing in things:
        started = time.process_time()
        found.append(work(thing))
        spent.append(1000 * (time.process_time() - started))
    return found, spent


class Done(NamedTuple):
    """A sentence as it was parsed."""

    tree: sec.Tree
    score: float
    mask: Any
    state: State | None = None


def row_of(search: Search, done: list[Done], ms: list[float], yes: list[bool], spent: list[float]) -> Row:
    exact, exact_ms = search.exact
    gold = [one.tree for one in search.sentences]
    known = [place for place, own in enumerate(yes) if own]
    assert all(done[place].score == exact[place].score for place in known), "certified, and not the best"
    again = sum(own for own, one in zip(exact_ms, yes, strict=True) if not one)
    best = [parse.tree for parse in exact]

    def f1(trees: Sequence[sec.Tree], places: Sequence[int]) -> float:
        return sec.evaluate([gold[p] for p in places], [trees[p] for p in places], COLLINS).total.f1

    every, found = range(len(gold)), [one.tree for one in done]
    return {
        "sentences": len(gold),
        "certified": len(known) / len(gold),
        "same": float(np.mean([a.score == b.score for a, b in zip(done, exact, strict=True)])),
        "F1": f1(found, every),
        "exact F1": f1(best, every),
        "certified F1": f1(found, known) if known else None,
        "certified exact F1": f1(best, known) if known else None,
        "ms": sum(ms) / len(gold),
        "certify ms": sum(spent) / len(gold),
        "exact ms": sum(exact_ms) / len(gold),
        "total ms": (sum(ms) + sum(spent) + again) / len(gold),
    }


def masked(search: Search) -> Iterator[Row]:
    """With the spans of each policy."""
    for name, policy in search.model.policies.items():
        masks = LearnedMask(search.model.parts.features, policy)

        def parsed(one: Sentence, masks: LearnedMask = masks) -> Done:
            mask = masks.mask(one.penn)
            parse = search.charts.parse(one.tree, mask=mask)
            return Done(parse.tree, parse.score, mask)

        done, ms = timed(parsed, search.sentences)
        for level in range(len(search.split.ancestry) + 1):
            certifier = Certifier(search.split, level)
            first = search.sentences[0]
            certifier.certifies(first.words, first.mask, 0.0)  # makes the coarser grammar
            pairs = list(zip(search.sentences, done, strict=True))
            yes, spent = timed(
                lambda p, own=certifier: own.certifies(p[0].words, p[1].mask, p[1].score), pairs
            )
            yield {"way": name, "level": level, **row_of(search, done, ms, yes, spent)}


def by_agenda(search: Search) -> Iterator[Row]:
    """By score and what delta drops, and in the model's order."""
    orders, flat = search.model.parts.orders, search.flat
    joins = joins_of(flat.rules)

    def by_score(one: Sentence) -> Any:
        return uniform_cost(len(one.items), len(flat.symbols))

    def in_order(one: Sentence) -> Any:
        features = orders.features
        return features.tables(features.columns(one.penn, one.mask), orders.weights_of(orders.names[0]))

    def parsed(one: Sentence, priorities: Callable[[Sentence], Any], how: How) -> Done:
        order = priorities(one)
        state = begin(flat.rules, one.items, one.mask, NO_ANCHORS, order, how)
        _, state = advance(flat.rules, joins, NO_ANCHORS, order, how, NO_LIMITS, state, UNLIMITED)
        goal = goal_of(flat.rules, state)
        if goal == NONE:
            steps = cover(flat.rules, one.items, state)
            return Done(cover_tree(flat, steps, one.tree.words()), -np.inf, one.mask, state)
        steps = steps_of(state, np.uint32(goal))
        score = float(score_of(flat.rules, one.items, NO_ANCHORS, steps))
        return Done(build_tree(flat, steps, one.tree.words()), score, one.mask, state)

    ways = [(f"score, delta {delta:g}", by_score, How(delta)) for delta in DELTAS]
    ways += [(orders.names[0], in_order, EXACT)]
    for name, priorities, how in ways:
        done, ms = timed(lambda one, p=priorities, how=how: parsed(one, p, how), search.sentences)
        for level in range(len(search.split.ancestry) + 1):
            bounds = Bounds.of(search.split, flat, level)
            pairs = list(zip(search.sentences, done, strict=True))
            yes, spent = timed(
                lambda p, b=bounds, how=how: agenda_certified(
                    b, p[0].items, p[1].mask, p[1].state, how, p[1].score
                ),
                pairs,
            )
            yield {"way": name, "level": level, **row_of(search, done, ms, yes, spent)}


def measure(case: Certified) -> Row:
    model, trees = case.given
    rows = []
    for least, most in LENGTHS:
        search = Search.of(model, between(trees, least, most)[: case.most])
        for ways in (masked, by_agenda):
            for row in ways(search) if search.sentences else ():
                rows.append({"words": f"{least}-{most}", **row})
                print({name: round(v, 3) if isinstance(v, float) else v for name, v in rows[-1].items()})
    return {"level": len(Search.of(model, []).split.ancestry), "rows": rows}


# What is shown ----------------------------------------------------------------------------------------------


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    header = ["words", "way", "bounds", "certified", "same score", "F1", "exact", "of those certified"]
    header += ["ms", "certificate", "with exact search of the others", "exact alone"]
    rows = []
    for row in found["rows"]:
        known = row["certified F1"]
        figures = [f"{row['F1']:.2f}", f"{row['exact F1']:.2f}", "" if known is None else f"{known:.2f}"]
        spent = [f"{row[what]:.2f}" for what in ("ms", "certify ms", "total ms", "exact ms")]
        shares = [f"{100 * row['certified']:.0f}%", f"{100 * row['same']:.0f}%"]
        rows.append([row["words"], row["way"], str(row["level"]), *shares, *figures, *spent])
    return f"{name}: the grammar is that of level {found['level']}.\n\n" + table(header, rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", choices=DATA, default="garden")
    parser.add_argument("--model", type=Path, help="of that data, with an order; the garden needs none")
    parser.add_argument("--out", type=Path, default=OUT, help=WHERE)
    parser.add_argument("--most", type=int, default=MOST, help="sentences of each length")
    parser.add_argument("--again", action="store_true", help="measure even if the results are there")
    given = parser.parse_args()
    if (given.model is None) != (given.data == "garden"):
        parser.error("give a model, but of the garden")
    case = Certified(given.data, given.model, given.out, given.most)
    result_in(case.out / f"{NAME}-{case.data}.json", lambda: measure(case), again=given.again)
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
