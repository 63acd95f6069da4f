"""Figure 2 of the 2012 NIPS paper, figure 1 of the workshop's: accuracy against pops and pushes.

    python experiments/agenda_pareto.py --data garden
    SECATEUR_DATA=... python experiments/agenda_pareto.py --data ptb-sample

All on the grammar and the sentences of agenda_table.py: the baselines of both papers, bounds, figures of
merit (Caraballo and Charniak 1998), the same under a mask of spans, and I+ learned at each tradeoff. The mask
is that of one of a few quick policies, or of a trained model's (--model): the one that keeps least at no more
than .3 F1 lost on the choosing half of dev. That half says which way to take at all; test decides nothing.

A row is kept as soon as it is measured: a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from agenda_figures import (
    AVERAGE,
    CKY,
    CLIMBED,
    DEEPENED,
    FROM,
    LADDER,
    LARGEST,
    MERIT,
    NAME,
    SCORE,
    sections,
)
from agenda_runs import BOUNDARY, DATA, LOSS, WIDEN, AgendaCase, learned, settings_of
from agenda_ways import (
    ByAgenda,
    ByBlocks,
    ByHierarchy,
    ByLadder,
    Ground,
    Way,
    by_bounds,
    by_merit,
    by_policy,
    by_score,
    measured,
)
from report import OUT, WHERE, Book, leave, result_in, start
from secateur.features.merit import Merit
from secateur.grammar.latent.bounds import Joined
from secateur.kernels.agenda.priorities import EXACT, How
from secateur.kinds.pcfg.settings import Settings
from secateur.kinds.pcfg.trainer import Trainer
from secateur.models.run import Run
from secateur.search.core import Example, Policy
from secateur.tasks.agenda_order.learn import examples
from secateur.tasks.span_pruning.masks import LearnedMask, Spans

DELTAS = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0)
CLIMBED_DELTAS = (2.0, 4.0, 6.0, 8.0)  # of hierarchical A*, at each level: it takes long
BEFORE_LAST = 1  # of two levels, which the first one is
BEGIN_DELTAS = (2.0, 4.0, 8.0)  # that of deepening: each 1.5 times the one before
DROPPED = (1e-2, 1e-3, 1e-4, 1e-5)  # posteriors below which coarse to fine drops
AVERAGES = (0, 1, 2)  # levels whose average projection says what is outside
MERITS: tuple[Merit, ...] = ("mean", "trigram", "left", "boundary")
TRADEOFFS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
FEWER = (1e-3, 1e-5, 1e-7)  # at other discounts, and what takes long
DISCOUNTS = (0.5, 1.0)
SEEDS = 2
PENALTIES = (0.0005, 0.001, 0.002, 0.004, 0.008)  # of quick masks, for keeping what is not gold
MASK_WORDS = 25  # of the sentences that these are trained on
MASK_TREES = 100  # for each sentence of a part, where only so many are looked at
PARTS = ("choice", "choice long", "test", "test long")

Row = dict[str, Any]


def row(ground: Ground, way: Way, family: str, knob: str, **about: Any) -> Row:
    whole = {"family": family, "knob": knob, "seed": 0, "mask": None, "deepening": False, **about}
    return {**whole, **measured(ground, way)}


# Masks ------------------------------------------------------------------------------------------------------


def masks_of(ground: Ground, model: Path | None) -> dict[str, Spans]:
    """By name."""
    case = ground.case
    if model is not None:
        trained = sec.Model.load(model)
        assert isinstance(trained.parts.grammar, sec.PCFG | sec.SplitPCFG), "a model of phrases has masks"
        features = trained.parts.features
        return {name: LearnedMask(features, policy) for name, policy in trained.policies.items()}
    trees = case.trees["train"]
    if case.most is not None:
        trees = trees[: MASK_TREES * case.most]
    trainer = Trainer(
        Run(case.out / "runs" / f"{NAME}-{case.data}-mask"),
        trees,
        case.trees["dev"],
        Settings(grammar="coarse", max_length=MASK_WORDS),
        grammar=ground.split.coarse,
    )
    features, found, policy = trainer.task.span_features, {}, None
    for number, penalty in enumerate(PENALTIES):
        policy = trainer.baseline(f"mask-{number}", penalty, policy).policy
        found[f"baseline, penalty {penalty:g}"] = LearnedMask(features, policy)
    return found


def mask_rows(ground: Ground, masks: Mapping[str, Spans]) -> Iterator[Row]:
    yield row(ground, ByBlocks(ground), CKY, "")
    for name, spans in masks.items():
        yield row(ground, ByBlocks(ground, spans), CKY, "", mask=name)


def chosen_mask(rows: Sequence[Row], sizes: Mapping[str, int]) -> str:
    """By dev: what keeps least of those that lose no more than LOSS a sentence; else what loses least.

    Its short sentences alone are too few to tell.
    """
    base, masked, parts = rows[0], rows[1:], ("choice", "choice long")
    share = [sizes[part] / sum(map(sizes.__getitem__, parts)) for part in parts]
    loss = {
        r["mask"]: float(np.dot(share, [base[part]["evalb"] - r[part]["evalb"] for part in parts]))
        for r in masked
    }
    good = [r for r in masked if loss[r["mask"]] <= LOSS]
    work = {r["mask"]: r["choice long"]["pushes"] for r in good}
    return str(min(work or loss, key=(work or loss).__getitem__))


# Ways -------------------------------------------------------------------------------------------------------


def plain(ground: Ground) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Units of one row without a mask: names, and what measures them."""
    score, last = by_score(ground), len(ground.split.ancestry)
    for least in DROPPED:
        yield f"{LADDER} {least:g}", partial(row, ground, ByLadder(ground, least), LADDER, f"{least:g}")
    for delta in (*DELTAS, np.inf):
        how, knob = How(delta), knob_of(delta)
        yield f"{SCORE} {knob}", partial(row, ground, ByAgenda(ground, score, how), SCORE, knob)
        if delta in (*CLIMBED_DELTAS, np.inf):
            yield f"{CLIMBED} {knob}", partial(row, ground, ByHierarchy(ground, how), CLIMBED, knob)
    for delta in BEGIN_DELTAS:
        way = ByAgenda(ground, score, WIDEN._replace(delta=delta))
        yield f"{DEEPENED} {delta:g}", partial(row, ground, way, DEEPENED, f"{delta:g}", deepening=True)
    before = max(last - BEFORE_LAST, 0)
    two, knob = ByHierarchy(ground, levels=(before,)), f"over level {before}"
    yield f"{CLIMBED} {knob}", partial(row, ground, two, CLIMBED, knob)
    kinds: tuple[tuple[Joined, str, Sequence[int]], ...] = (
        ("largest", LARGEST, range(last)),
        ("average", AVERAGE, [level for level in AVERAGES if level < last]),
    )
    for joined, family, levels in kinds:
        for level in levels:
            make = partial(bounded, ground, level, joined, None)
            yield f"{family} {level}", make
    for merit in MERITS:
        for how in (EXACT, WIDEN):
            way = ByAgenda(ground, by_merit(ground, merit), how)
            name = f"{MERIT} {merit}{deepening(how)}"
            yield name, partial(row, ground, way, MERIT, merit, deepening=how is WIDEN)


def bounded(ground: Ground, level: int, joined: Joined, mask: tuple[str, Spans] | None) -> Row:
    family = LARGEST if joined == "largest" else AVERAGE
    name, spans = mask or (None, None)
    way = ByAgenda(ground, by_bounds(ground, level, joined), spans=spans)
    return row(ground, way, family, str(level), mask=name)


def under(ground: Ground, name: str, spans: Spans) -> Iterator[tuple[str, Callable[[], Row]]]:
    """The same under a mask, at fewer settings."""
    score, last = by_score(ground), len(ground.split.ancestry)
    made: list[tuple[str, str, Way, bool]] = [
        *((LADDER, f"{least:g}", ByLadder(ground, least, spans), False) for least in (1e-3, 1e-4)),
        (SCORE, knob_of(np.inf), ByAgenda(ground, score, EXACT, spans), False),
        (DEEPENED, f"{WIDEN.delta:g}", ByAgenda(ground, score, WIDEN, spans), True),
        (CLIMBED, knob_of(np.inf), ByHierarchy(ground, EXACT, spans), False),
        *(
            (MERIT, "boundary", ByAgenda(ground, by_merit(ground, "boundary"), how, spans), how is WIDEN)
            for how in (EXACT, WIDEN)
        ),
    ]
    for family, knob, way, widened in made:
        about = {"mask": name, "deepening": widened}
        title = f"mask, {family} {knob}{', deepening' if widened else ''}"
        yield title, partial(row, ground, way, family, knob, **about)
    for level in range(last):
        yield f"mask, {LARGEST} {level}", partial(bounded, ground, level, "largest", (name, spans))
        if level in AVERAGES:
            yield f"mask, {AVERAGE} {level}", partial(bounded, ground, level, "average", (name, spans))


def knob_of(delta: float) -> str:
    return "all" if delta == np.inf else f"{delta:g}"


def deepening(how: How) -> str:
    return ", deepening" if how.widen > 1 else ""


def grid(case: AgendaCase) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Where learning begins, its settings, and its seed."""
    for begin in FROM:
        for price, tradeoff, seed in (
            (price, tradeoff, seed)
            for price, seeds in (("pops", case.seeds), ("pushes", case.seeds[:1]))
            for tradeoff in TRADEOFFS
            for seed in seeds
        ):
            yield begin, {"learner": "I+", "tradeoff": tradeoff, "price": price}, seed
        for discount in DISCOUNTS:
            for tradeoff in FEWER:
                yield begin, {"learner": "I+", "tradeoff": tradeoff, "discount": discount}, case.seeds[0]


def learned_rows(
    ground: Ground,
    data: Callable[[str], Sequence[Example]],
    begin: str,
    options: dict[str, Any],
    seed: int,
    mask: tuple[str, Spans],
) -> Iterator[Row]:
    """A policy, alone, with deepening, and with that under a mask. What begins at the score pops much alone:
    a few of them say what there is to be said."""
    task, case = ground.tasks[begin], ground.case
    start_at = Policy(task.features.start(*(BOUNDARY if begin == "boundary" else ())))
    began = time.process_time()
    policy = learned(task, start_at, data(begin), settings_of(case, options, seed), case.jobs)
    about = {"seed": seed, **options, "training": round(time.process_time() - began, 1)}
    tables, family, knob = by_policy(task, policy), FROM[begin], f"{options['tradeoff']:g}"
    slow = seed != case.seeds[0] or options.get("price") != "pops" or options["tradeoff"] not in FEWER
    if begin == "boundary" or not slow:
        yield row(ground, ByAgenda(ground, tables), family, knob, **about)
    yield row(ground, ByAgenda(ground, tables, WIDEN), family, knob, deepening=True, **about)
    masked = ByAgenda(ground, tables, WIDEN, mask[1])
    yield row(ground, masked, family, knob, deepening=True, mask=mask[0], **about)


def measure(case: AgendaCase, model: Path | None) -> Row:
    about = {
        "levels": case.levels, "seeds": list(case.seeds), "passes": case.passes, "most": case.most,
        "model": None if model is None else str(model),
    }  # fmt: skip
    book = Book.opened(case.out / "runs" / f"{NAME}-{case.data}.jsonl", about)
    ground = Ground(case)
    masks = masks_of(ground, model)
    rows = book.unit("masks", lambda: mask_rows(ground, masks))
    sizes = {part: len(some) for part, some in ground.sentences.items()}
    mask = chosen_mask(rows, sizes)
    for name, make in (*plain(ground), *under(ground, mask, masks[mask])):
        rows = rows + book.unit(name, lambda make=make: [make()])
    kept: dict[str, Sequence[Example]] = {}

    def data(begin: str) -> Sequence[Example]:
        if begin not in kept:
            kept[begin] = examples(ground.tasks[begin], case.parts["train"]).examples
        return kept[begin]

    for begin, options, seed in grid(case):
        name = f"{FROM[begin]}, {', '.join(f'{k} {v}' for k, v in options.items())}, seed {seed}"
        make = partial(learned_rows, ground, data, begin, options, seed, (mask, masks[mask]))
        rows = rows + book.unit(name, make)
    return {"sentences": sizes, "mask": mask, "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", choices=DATA, default="garden")
    parser.add_argument("--out", type=Path, default=OUT, help=WHERE)
    parser.add_argument("--model", type=Path, help="whose masks are taken, instead of quick ones")
    parser.add_argument("--levels", type=int, default=5, help="of the split grammar")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many")
    parser.add_argument("--passes", type=int, help="of each learner, instead of its own")
    parser.add_argument("--most", type=int, help="sentences of each part")
    parser.add_argument("--again", action="store_true", help="measure even if the results are there")
    given = parser.parse_args()
    seeds = tuple(range(given.seeds))
    case = AgendaCase(given.data, given.out, given.levels, seeds, given.passes, given.most)
    if given.again:
        (case.out / "runs" / f"{NAME}-{case.data}.jsonl").unlink(missing_ok=True)
    result_in(case.out / f"{NAME}-{case.data}.json", lambda: measure(case, given.model), again=given.again)
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
