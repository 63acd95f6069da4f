"""LOLS against DAgger on arc locking: the same decisions, learned from what they are worth.

    SECATEUR_DATA=... python experiments/arc_lols.py --data ptb-sample-dep
    python experiments/arc_lols.py --data garden --limit 200        no data needed

For each of a model's policies (DAgger, one for each cost of locking a wrong arc): roll in on training
sentences with the parsers that have not seen them, force the other action at some decisions, parse on, and
learn from the difference of rewards. The reward of a sentence is right heads - tradeoff * templates computed;
the tradeoff is the slope, at the policy, of the curve through all of them on the same sentences. The round
with the best reward on the last fold, which is not learned from, is kept. Once from the policy, once from
zero (it locks nothing at first); and, so that nothing but the labels differs, once more with the oracle's
labels in the same loop. Then, for each tradeoff, the best of each way's policies. Test decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

import secateur as sec
from arc_table1 import (
    ArcModel,
    arguments,
    bank,
    case_of,
    examples,
    full_cost,
    one_section,
    parser_of,
    right_heads,
    search_of,
)
from prune_figure3 import reward_test
from report import Pictures, Sections, leave, start, table
from secateur.errors import InputError

# Arc locking as a search of one's own, learned by LOLS: models do not learn so, and no public name does.
from secateur.kinds.arcs.filters import filters_schema
from secateur.kinds.arcs.ways import policy_name
from secateur.metrics import Counts
from secateur.metrics.attachment import DependencyScoring
from secateur.models.curve import tradeoffs
from secateur.models.measure import tried
from secateur.models.run import Run
from secateur.search.arrays import Bools, Floats, Sites
from secateur.search.checkpoint import Round
from secateur.search.core import FREE, Episode, Example, Force, Outcome, Policy, Reward, Rows, Values
from secateur.search.learners import Aggregate, Minibatch, judge
from secateur.search.linear import Logistic
from secateur.search.parallel import Engine
from secateur.search.values import asymmetric, replay
from secateur.tasks.arc_locking.task import ArcInput, ArcLocking, ArcModels, Heads

NAME = "arc-lols"
MEGA = 1e6
REGULARIZER = 2.0**-12  # a policy has a few hundred features here
DAGGER, LOLS, FROM_ZERO, ORACLE = "DAgger", "LOLS", "LOLS from zero", "oracle's labels"

Row = dict[str, Any]
Sample = Callable[[int], int]


class Given(NamedTuple):
    """A sentence, and the number of the parser to parse it with."""

    parser: int
    x: ArcInput


@dataclass(frozen=True)
class Jackknife:
    """Arc locking with several parsers: each input names its own, one that was trained without it."""

    parsers: Sequence[ArcLocking]

    @property
    def dim(self) -> int:
        return self.parsers[0].dim

    def run(
        self, x: Given, policy: Policy, force: Force = FREE, *, gold: Heads | None = None, seed: int = 0
    ) -> Outcome:
        return self.parsers[x.parser].run(x.x, policy, force, gold=gold, seed=seed)

    def roll_in(
        self, x: Given, policy: Policy, force: Force = FREE, *, gold: Heads | None = None, seed: int = 0
    ) -> Episode:
        return self.parsers[x.parser].roll_in(x.x, policy, force, gold=gold, seed=seed)

    def features(self, x: Given, site: Sites, state: Floats) -> Rows:
        return self.parsers[x.parser].features(x.x, site, state)

    def is_gold(self, site: Sites, gold: Heads) -> Bools:
        return self.parsers[0].is_gold(site, gold)

    def example(self, parser: int, tree: sec.DependencyTree) -> Example:
        [(x, gold)] = examples(self.parsers[parser], [tree])
        return Example(Given(parser, x), gold)


def jackknife(model: ArcModel, work: Path) -> Jackknife:
    """The parsers without each fold, which training left in its folder; and the model's own, the last."""
    # Whether the run's settings are today's does not matter: the parsers are there.
    run = Run(work)
    own, _ = search_of(model, policy_name(0))

    def absent() -> NoReturn:
        fix = "train the model once more"
        raise InputError("no parsers without folds here", where=str(work), fix=fix)

    def without(fold: int) -> ArcLocking:
        weights = run.weights(f"weights-{fold}", len(own.models.crossing), absent)
        filters = (
            run.arrays(f"filters-{fold}", absent, filters_schema(len(own.filters))) if own.filters else {}
        )
        return replace(
            own,
            models=ArcModels(weights),
            filters=tuple(replace(f, weights=filters[f"{number}"]) for number, f in enumerate(own.filters)),
        )

    return Jackknife([*map(without, range(model.settings["folds"])), own])


def heads(x: Given, outcome: Outcome, gold: Heads) -> float:
    return float(right_heads(outcome, gold))


def slopes(task: Jackknife, policies: Sequence[Policy], data: Sequence[Example]) -> list[float]:
    """At each policy, right heads per template on the curve through all of them."""
    free = Reward(heads, "features", 0.0)
    found = [judge(task, free, policy, data) for policy in policies]
    accuracy, runtime = [r.accuracy for r in found], [r.runtime for r in found]
    if len(found) > 2:
        return [float(t) for t in tradeoffs(runtime, accuracy)]
    # No curve, but a line.
    slope = (accuracy[-1] - accuracy[0]) / (runtime[-1] - runtime[0]) if runtime[-1] != runtime[0] else 0.0
    return [max(slope, 0.0)] * len(found)


class Learned(NamedTuple):
    """A policy, and how its rounds did on the last fold."""

    policy: Policy
    rounds: list[Round]


@dataclass(frozen=True)
class Loop:
    """What learning needs, whatever the labels."""

    task: Jackknife
    data: Sequence[Example]  # of all folds but the last
    last: Sequence[Example]  # chooses the round
    rounds: int
    minibatch: int  # sentences a round
    rollouts: int  # a sentence
    seed: int = 0
    engine: Engine = field(default_factory=Engine)

    def learn(
        self, name: str, values: Values, sample: Sample | None, tradeoff: float, start: Policy
    ) -> Learned:
        def tell(r: Round) -> None:
            print(f"{name} round {r.number}: reward {r.reward:.4f}, {r.runtime:,.0f} templates", flush=True)

        learner = Aggregate(
            values=values,
            iterations=self.rounds,
            patience=self.rounds,  # the reward rises slowly, if it rises
            classifier=Logistic(REGULARIZER),
            sample=sample,
            visits=Minibatch(self.minibatch, self.seed),
            seed=self.seed,
            engine=self.engine,
        )
        reward = Reward(heads, "features", tradeoff)
        learner.fit(self.task, self.data, reward, start, dev=self.last, report=tell)
        return Learned(learner.policy_, learner.rounds_)

    def all_ways(self, cost: float, tradeoff: float, dagger: Policy) -> dict[str, Learned]:
        zero = Policy(np.zeros(self.task.dim, np.float32))
        some = partial(min, self.rollouts)
        found = {DAGGER: Learned(dagger, [])}
        for way, values, sample, first in (
            (LOLS, replay, some, dagger),
            (FROM_ZERO, replay, some, zero),
            (ORACLE, asymmetric(cost), None, dagger),
        ):
            found[way] = self.learn(f"cost {cost:g}, {way}", values, sample, tradeoff, first)
        return found

    def picks(self, policies: Sequence[Policy], tradeoffs: Sequence[float]) -> list[int]:
        """The number of the policy with the best reward on the last fold, at each tradeoff."""
        free = Reward(heads, "features", 0.0)
        held = [judge(self.task, free, policy, self.last) for policy in policies]
        return [int(np.argmax([r.accuracy - t * r.runtime for r in held])) for t in tradeoffs]


class Parsed(NamedTuple):
    """Test sentences under a policy."""

    counts: list[Counts]  # words as brackets
    templates: Floats  # [sentences] in millions


@dataclass(frozen=True)
class Test:
    """Test sentences, and what they tell of policies. Tradeoffs are right heads per template."""

    model: ArcModel
    trees: sec.DependencyBank

    @cached_property
    def full(self) -> int:
        """Templates without decisions."""
        return full_cost(self.model, self.trees)

    @cached_property
    def words(self) -> int:
        return sum(map(len, self.trees))

    def parse(self, policy: Policy) -> Parsed:
        name = policy_name(0)
        parser = parser_of(replace(self.model, policies={name: policy}), name)
        trial = tried(parser, self.trees, DependencyScoring())
        templates = np.array([parse.work.features / MEGA for parse in trial.parses])
        return Parsed(trial.scores.as_brackets(), templates)

    def per_percent(self, tradeoff: float) -> float:
        """Points of UAS per percent of all templates."""
        return tradeoff * self.full / self.words

    def compare(self, before: Parsed, after: Parsed, tradeoff: float) -> Row:
        """Figures of the second; rewards are in points of UAS."""
        per_mega = tradeoff * 100 * MEGA * len(self.trees) / self.words  # a sentence

        def figures(parsed: Parsed) -> Row:
            uas, templates = sum(parsed.counts, Counts()).f1, float(parsed.templates.mean())
            share = templates * len(self.trees) * MEGA / self.full
            return {"uas": uas, "templates": share, "reward": uas - per_mega * templates}

        found = figures(after)
        gained = found["reward"] - figures(before)["reward"]
        return {**found, "gained": gained, "p": reward_test(before, after, per_mega)}


def measure(
    folder: Path,
    model: ArcModel,
    train: sec.DependencyBank,
    test: sec.DependencyBank,
    loop: Callable[[Jackknife, list[Example], list[Example]], Loop],
) -> Row:
    """Learn from every policy of the model, and compare."""
    if train.checksum() != model.settings["checksum"]:
        raise InputError("a model of other trees", where=str(folder), fix="name its data, and its --limit")
    task = jackknife(model, folder / "work")
    folds = len(task.parsers) - 1
    data = [task.example(number % folds, tree) for number, tree in enumerate(train)]
    own = loop(task, [e for e in data if e.x.parser != folds - 1], data[folds - 1 :: folds])
    costs = model.settings["costs"]
    policies = [model.policies[policy_name(number)] for number in range(len(costs))]
    slope = slopes(task, policies, data)
    learned = [own.all_ways(*given) for given in zip(costs, slope, policies, strict=True)]
    return {
        "train": len(train),
        "test": len(test),
        "rounds": own.rounds,
        "minibatch": own.minibatch,
        "rollouts": own.rollouts,
        "points": compare_all(own, Test(model, test), costs, slope, learned),
    }


def compare_all(
    loop: Loop,
    test: Test,
    costs: Sequence[float],
    slope: Sequence[float],
    learned: Sequence[dict[str, Learned]],
) -> list[Row]:
    """At each tradeoff: what was learned for it, and the best of each way's policies."""
    ways = list(learned[0])
    parsed = {way: [test.parse(found[way].policy) for found in learned] for way in ways}
    picked = {way: loop.picks([found[way].policy for found in learned], slope) for way in ways}
    points = []
    for number, (cost, tradeoff) in enumerate(zip(costs, slope, strict=True)):
        rows, best = {}, {}
        for way in ways:
            rewards = [r.reward for r in learned[number][way].rounds]
            rows[way] = test.compare(parsed[DAGGER][number], parsed[way][number], tradeoff)
            rows[way] |= {"cost": cost, "round": int(np.argmax(rewards or [0.0])), "last fold": rewards}
            pick = picked[way][number]
            best[way] = test.compare(parsed[DAGGER][picked[DAGGER][number]], parsed[way][pick], tradeoff)
            best[way] |= {"cost": costs[pick]}
        per_percent = test.per_percent(tradeoff)
        points.append(
            {"cost": cost, "tradeoff": tradeoff, "per percent": per_percent, "rows": rows, "best": best}
        )
    return points


def lines(point: Row, rows: dict[str, Row]) -> list[list[str]]:
    """Of the table: one for each way."""
    return [
        [
            f"{point['per percent']:.3f}" if way == DAGGER else "",
            way,
            f"{row['cost']:g}",
            f"{row['uas']:.2f}",
            f"{row['templates']:.1%}",
            f"{row['reward']:.2f}",
            "" if way == DAGGER else f"{row['gained']:+.2f}",
            "" if way == DAGGER else f"{row['p']:.4f}",
        ]
        for way, row in rows.items()
    ]


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    points = found["points"]
    text = (
        f"{name}: {found['test']:,} test sentences; {found['rounds']} rounds of {found['minibatch']:,} "
        f"sentences, {found['rollouts']} roll-outs each. Learned for the tradeoff:\n\n"
    )
    header = ["tradeoff", "policy", "learned at cost", "UAS", "templates", "reward", "gained", "p"]
    text += table(header, (line for point in points for line in lines(point, point["rows"])))
    text += "\nOf all policies learned in a way, the one that is best for the tradeoff on the last fold:\n\n"
    return text + table(header, (line for point in points for line in lines(point, point["best"])))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--minibatch", type=int, default=750, help="sentences a round")
    parser.add_argument(
        "--rollouts", type=int, default=4, help="decisions a sentence that are tried both ways"
    )
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    case = case_of(chosen)

    def make() -> Row:
        train, test = bank(case.data, "train")[: case.limit], bank(case.data, "test")
        loop = partial(
            Loop,
            rounds=chosen.rounds,
            minibatch=chosen.minibatch,
            rollouts=chosen.rollouts,
            seed=chosen.seed,
            engine=Engine(case.jobs),
        )
        return measure(case.folder, case.model(), train, test, loop)

    case.result(NAME, make)
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
