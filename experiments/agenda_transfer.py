"""Why orders that were learned on short sentences are slow on long ones, and what carries over.

    python experiments/agenda_transfer.py --data garden
    SECATEUR_DATA=... python experiments/agenda_transfer.py --data ptb-sample

Orders are learned from one half of dev (sentences of at most 15 words, of 16 to 30, or of both), with some
features or others, from the start that the paper has or from the boundary figure of merit, by steps of three
sizes. All are judged on the other half of dev, by pops and F1 against uniform cost, on sentences of at most
15 words and of 16 to 40. There one is chosen, for both lengths; with --test it alone is looked at on test.
What is said of a policy is what it gives for a word more, in nats, at the score's own scale, in a sentence of
10 words and in one of 30: items are popped early if that is what words cost.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from agenda_runs import (
    BEGINS,
    DATA,
    LOSS,
    WIDEN,
    AgendaCase,
    Row,
    between,
    judged,
    learned,
    spread,
)
from agenda_table import NOTHING
from arc_table1 import one_section
from report import OUT, WHERE, Pictures, Sections, leave, result_in, start, table, write_json

# The task and its learners by themselves: no public name gives them.
from secateur.features.neighbours import shares_of
from secateur.features.priority import PriorityFeatures, PrioritySettings
from secateur.grammar.latent.bounds import Bounds
from secateur.kernels.agenda.priorities import EXACT
from secateur.kinds.pcfg.split import SplitSettings
from secateur.search.core import Example, Policy
from secateur.tasks.agenda_order.learn import OrderSettings, examples
from secateur.tasks.agenda_order.oracle import Oracle
from secateur.tasks.agenda_order.task import AgendaOrder

NAME = "agenda-transfer"
SHORT, MIDDLE, LONG = (2, 15), (16, 30), (16, 40)
SENTENCES = {"short": 60, "long": 30, "test": 40}  # of a part; to learn from both: half of each
SEEDS = (0, 1)
RATIO, LENGTH = "length / sentence", "length"
PARTS = ("<= 15", "16-40")
WAYS = ("once", "deepening")
LEFT_OUT = {"no ratio": (RATIO,), "words": ("label | word before", "word after | label")}


@dataclass(frozen=True)
class Trial:
    """What is learned from what; `bonus`: what a word more gives to begin with, in nats; `alone`: passes."""

    features: str = "whole"
    begin: str = "score"
    lengths: str = "short"
    learner: str = "I+"
    step: float = 0.05
    alone: int = 0
    bonus: float = 0.0

    def __str__(self) -> str:
        begin = f"from {self.begin}" + (f" and {self.bonus:g} a word" if self.bonus else "")
        if self.learner == NOTHING:
            return f"{NOTHING}, {begin}"
        own = "" if self.step == Trial.step else f", steps of {self.step:g}"
        own += f", {self.alone} alone" if self.alone else ""
        return f"{self.learner} {begin}, {self.features}, {self.lengths}{own}"

    def settings(self, seed: int, passes: int | None) -> OrderSettings:
        found = OrderSettings(step=self.step, alone=self.alone, seed=seed)
        return found if passes is None else replace(found, passes=passes, alone=min(self.alone, passes))


BASE = Trial(learner=NOTHING)  # A*_0
WHY = (
    Trial(learner=NOTHING, bonus=4.0),
    Trial(learner=NOTHING, bonus=6.0),
    Trial("merit", "boundary", learner=NOTHING),
    Trial(),
    Trial(lengths="long"),
    Trial(lengths="mixed"),
    Trial(step=0.2),
    Trial(step=0.0125),
    Trial("no ratio"),
    Trial("no ratio", lengths="mixed"),
    Trial("by sentence"),
    Trial("over best"),
    Trial("words"),
    Trial("merit"),
    Trial("merit", "boundary"),
)
MENDED = tuple(
    Trial("merit", "boundary", lengths, alone=alone)
    for lengths, alone in (("mixed", 0), ("mixed", 1), ("mixed", 2), ("long", 0), ("long", 2))
)
SETS = {"all": (BASE, *WHY, *MENDED), "why": (BASE, *WHY), "mended": (BASE, *MENDED)}


@dataclass(frozen=True)
class TransferCase:
    """Which data, and where what is found about it goes."""

    table: AgendaCase
    trials: tuple[Trial, ...] = SETS["all"]

    @cached_property
    def parts(self) -> dict[str, Any]:
        trees, most = self.table.trees, self.table.most

        def some(part: Sequence[Any], lengths: tuple[int, int], count: int) -> list[Any]:
            return between(part, *lengths)[: min(count, most or count)]

        dev, test = list(trees["dev"]), list(trees["test"])
        short, long = (
            some(dev[::2], lengths, SENTENCES[n]) for lengths, n in ((SHORT, "short"), (MIDDLE, "long"))
        )
        found = {"short": short, "long": long}
        found["mixed"] = short[: (len(short) + 1) // 2] + long[: (len(long) + 1) // 2]
        for name, lengths in zip(PARTS, (SHORT, LONG), strict=True):
            found[f"dev {name}"] = some(dev[1::2], lengths, SENTENCES["test"])
            found[f"test {name}"] = some(test, lengths, SENTENCES["test"])
        return found

    def task(self, features: str) -> AgendaOrder:
        return _task(self.table, features)

    def data(self, features: str, part: str) -> list[Example]:
        return examples(self.task(features), self.parts[part]).examples


@cache
def _task(case: AgendaCase, features: str) -> AgendaOrder:
    """With the features of a name."""
    grammar, binarization = case.split.flat(), SplitSettings().binarization
    oracle = Oracle(grammar, binarization)
    if features in ("whole", "merit"):
        settings, share = PrioritySettings(merit=features == "merit"), shares_of(case.split, grammar)
        made = PriorityFeatures.learned(
            grammar, case.trees["train"], binarization, settings=settings, share=share
        )
        return AgendaOrder(grammar, made, EXACT, oracle)
    whole = _task(case, "merit" if features == "words" else "whole")
    if features in LEFT_OUT:
        return replace(whole, features=without(whole.features, *LEFT_OUT[features]))
    inside = PrioritySettings(inside="by sentence" if features == "by sentence" else "over best")
    bounds = Bounds.of(case.split, grammar) if inside.bounded else None
    return replace(whole, features=replace(whole.features, settings=inside, bounds=bounds))


def without(features: PriorityFeatures, *names: str) -> PriorityFeatures:
    """With some that are always 0."""
    found = replace(features)
    for name in names:
        found.scales[found.names.index(name)] = np.inf
    return found


def by_word(features: PriorityFeatures, weights: Any) -> dict[str, float]:
    """What a word more gives, by the words of the sentence, as if the inside score had a weight of 1."""
    theta = dict(zip(features.names, (weights / features.scales).tolist(), strict=True))
    inside = theta["inside"] or 1.0
    divided = features.settings.inside == "by sentence"
    return {str(n): (theta[LENGTH] + theta[RATIO] / n) * (n if divided else 1) / inside for n in (10, 30)}


def both(task: AgendaOrder, policy: Policy, data: Sequence[Example], jobs: int) -> Row:
    """As it is, and deepening."""
    deeper = replace(task, how=WIDEN)
    return {"once": judged(task, policy, data, jobs), "deepening": judged(deeper, policy, data, jobs)}


def begun(features: PriorityFeatures, trial: Trial) -> Policy:
    weights = features.start(*BEGINS[trial.begin])
    weights[features.names.index(LENGTH)] = trial.bonus * features.scales[features.names.index(LENGTH)]
    return Policy(weights)


def tried(case: TransferCase, trial: Trial, seed: int) -> Row:
    """The policy of a trial, and how it does on the other half of dev."""
    own, task = case.table, case.task(trial.features)
    policy = begun(task.features, trial)
    if trial.learner != NOTHING:
        settings = trial.settings(seed, own.passes)
        policy = learned(task, policy, case.data(trial.features, trial.lengths), settings, own.jobs)
    dev = {part: both(task, policy, case.data(trial.features, f"dev {part}"), own.jobs) for part in PARTS}
    print(trial, seed, {part: {way: round(row[way]["pops"]) for way in WAYS} for part, row in dev.items()})
    return {
        "name": str(trial),
        "features": trial.features,
        "seed": seed,
        "by word": by_word(task.features, policy.weights),
        "weights": policy.weights.astype(float).tolist(),
        "dev": dev,
    }


def measure(case: TransferCase, *, again: bool, test: bool) -> Row:
    """All rows; each is kept as soon as it is there."""
    own = case.table
    folder = own.out / "runs" / f"{NAME}-{own.data}-{own.levels}"
    rows = []
    for trial in case.trials:
        for seed in own.seeds if trial.learner != NOTHING else (0,):
            file = folder / f"{trial}, seed {seed}.json"
            rows.append(result_in(file, lambda t=trial, s=seed: tried(case, t, s), again=again))
    found: Row = {"sentences": {part: len(trees) for part, trees in case.parts.items()}, "rows": rows}
    group = chosen(found)
    found["test"] = []
    if test and group:
        file = folder / f"test of {group[0]['name']}.json"
        found["test"] = result_in(file, lambda: [tested(case, r) for r in (rows[0], *group)], again=again)
    return found


def tested(case: TransferCase, row: Row) -> Row:
    task, policy = case.task(row["features"]), Policy(np.array(row["weights"], np.float32))
    jobs = case.table.jobs
    found = {p: both(task, policy, case.data(row["features"], f"test {p}"), jobs) for p in PARTS}
    return {"name": row["name"], "seed": row["seed"], "test": found}


# What is shown ----------------------------------------------------------------------------------------------


def groups_of(rows: Sequence[Row]) -> list[list[Row]]:
    """By trial, all seeds together."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["name"], []).append(row)
    return list(found.values())


def chosen(found: Row) -> list[Row]:
    """Of what was learned: who pops least on long sentences of those who lose no more than LOSS anywhere.

    F1 is that of the papers, with tags: EVALB's moves by half a point with one bracket of so few sentences.
    """
    rows = found["rows"]
    base = rows[0]["dev"]

    def keeps(row: Row) -> bool:
        ways = [(row["dev"][part][way], base[part]["once"]) for part in PARTS for way in WAYS]
        return all(own["f1"] >= exact["f1"] - LOSS for own, exact in ways)

    kept = [g for g in groups_of(rows) if all(map(keeps, g)) and not g[0]["name"].startswith(NOTHING)]
    return min(kept, key=lambda g: max(row["dev"][PARTS[1]]["once"]["pops"] for row in g), default=[])


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    header = ["learned", "a word more, of 10", "of 30"]
    for part in PARTS:
        header += [f"{part}: fewer pops", "F1", "EVALB", "deepening: fewer", "F1", "EVALB"]
    base, rows = found["rows"][0], []
    for group in groups_of(found["rows"]):
        words = [spread([row["by word"][n] for row in group], ".1f") for n in ("10", "30")]
        rows.append([group[0]["name"], *words, *gains(base["dev"], [row["dev"] for row in group])])
    text = f"{name}: {found['sentences']}; on the other half of dev, the least and the most of all seeds.\n\n"
    text += table(header, rows) + "\n"
    if not found["test"]:
        group = chosen(found)
        return text + (f"Chosen there: {group[0]['name']}.\n" if group else "None keeps the accuracy.\n")
    exact, *tests = found["test"]
    rows = [[tests[0]["name"], *gains(exact["test"], [row["test"] for row in tests])]]
    return text + "Chosen there, on test:\n\n" + table([header[0], *header[3:]], rows)


def gains(base: Row, rows: Sequence[Row]) -> list[str]:
    """How many times fewer pops than A*_0 has, and what it changes."""
    made = []
    for part in PARTS:
        exact = base[part]["once"]
        for way in WAYS:
            made.append(spread([exact["pops"] / row[part][way]["pops"] for row in rows], ".1f") + "x")
            for what in ("f1", "evalb"):
                made.append(spread([row[part][way][what] - exact[what] for row in rows], "+.2f"))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", choices=DATA, default="garden")
    parser.add_argument("--out", type=Path, default=OUT, help=WHERE)
    parser.add_argument("--levels", type=int, default=5, help="of the split grammar")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many")
    parser.add_argument("--passes", type=int, help="of each learner, instead of its own")
    parser.add_argument("--most", type=int, help="sentences of each part")
    parser.add_argument("--only", choices=SETS, default="all", help="some of what is tried")
    parser.add_argument("--test", action="store_true", help="judge what was chosen on test")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="measure even if the results are there")
    given = parser.parse_args()
    own = AgendaCase(
        given.data, given.out, given.levels, tuple(range(given.seeds)), given.passes, given.most, given.jobs
    )
    case = TransferCase(own, SETS[given.only])
    found = measure(case, again=given.again, test=given.test)
    write_json(given.out / f"{NAME}-{given.data}-{given.levels}.json", found)
    leave(given.out, sections)


if __name__ == "__main__":
    start(main)
