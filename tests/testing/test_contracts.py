"""The contracts accept what is right, and each of them catches what it is there for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import secateur as sec
from hypergraph_cases import catalan
from secateur.features.span import SpanFeatures
from secateur.hypergraph import Change, Hypergraph
from secateur.search.core import (
    FREE,
    TAKE,
    Episode,
    Example,
    Force,
    Outcome,
    Policy,
    Reward,
    Rows,
    Task,
    Trace,
    Values,
    Work,
    choose,
)
from secateur.search.values import asymmetric, imitate, replay
from secateur.tasks.span_pruning.backprop import ExpectedRecall, backprop
from secateur.tasks.span_pruning.propagate import propagate
from secateur.tasks.span_pruning.task import SpanPruning
from secateur.testing import check_task, check_values
from toy_tasks import AGENDAS, WALKS, Agenda, Sequential, Walk, last, useful


def replay_all(
    task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: Any, steps: Any
) -> Any:
    """Every candidate of every decision; nan where a decision has fewer."""
    sizes = np.diff(episode.trace.ptr)
    found = np.full((len(steps), int(sizes.max(initial=2))), np.nan)
    for row, step in enumerate(steps.tolist()):
        for action in range(sizes[step]):
            outcome = task.run(x, policy, Force(step, action), gold=gold)
            found[row, action] = reward(x, outcome, gold)
    return found


@pytest.mark.parametrize(("task", "examples"), [(Walk(), WALKS), (Agenda(), AGENDAS)])
def test_tasks_that_ask_inside_the_search_pass(task: Task, examples: list[Example]) -> None:
    check_task(task, examples, workers=False)


class Weighed(Sequential):
    """Features with values: what is far ahead counts less."""

    def features(self, x: Any, site: Any, state: Any) -> Any:
        rows = super().features(x, site, state)
        far = 1.0 / (1.0 + site[:, :1])
        return Rows(rows.bucket, np.concatenate((far, -0.5 * far), axis=1).astype(np.float32))


class WeighedWalk(Weighed, Walk):
    pass


class WeighedAgenda(Weighed, Agenda):
    pass


@pytest.mark.parametrize(("task", "examples"), [(WeighedWalk(), WALKS), (WeighedAgenda(), AGENDAS)])
def test_tasks_with_valued_features_pass(task: Task, examples: list[Example]) -> None:
    check_task(task, examples, workers=False)


def labels_slowly(penalty: float) -> Values:
    """By candidate: gold 1, any other one 1 - penalty; to decline: 0 if the candidate is gold, else 1."""

    def values(
        task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: Any, steps: Any
    ) -> Any:
        trace, table = episode.trace, []
        for step in steps.tolist():
            own = trace.site[trace.ptr[step] : trace.ptr[step + 1]]
            worth = [1.0 if site[1] in gold else 1.0 - penalty for site in own.tolist()]
            table.append([0.0 if own[0, 1] in gold else 1.0, *worth] if trace.binary else worth)
        most = 2 if trace.binary else int(np.diff(trace.ptr).max(initial=2))
        return np.array([row + [np.nan] * (most - len(row)) for row in table]).reshape(-1, most)

    return values


@pytest.mark.parametrize(("task", "examples"), [(Walk(), WALKS), (Agenda(), AGENDAS)])
def test_the_oracles_labels_are_the_plain_ones(task: Task, examples: list[Example]) -> None:
    reward = Reward(useful, "kept", 0.1)
    check_values(imitate, task, examples, reward, reference=labels_slowly(1.0))
    check_values(asymmetric(0.25), task, examples, reward, reference=labels_slowly(0.25))


def test_their_roll_outs_pass() -> None:
    check_values(replay, Walk(), WALKS, Reward(useful, "kept", 0.1))
    check_values(replay, Agenda(), AGENDAS, Reward(last, "pops", 0.1), reference=replay_all)


def test_they_travel() -> None:
    check_task(Walk(), WALKS[:1])


@cache
def pruning() -> tuple[SpanPruning, list[Example]]:
    trees = sec.garden.treebank(300)
    task = SpanPruning(
        sec.induce(trees), SpanFeatures.from_words(trees.vocabulary(), bits=12), sec.Binarization()
    )
    chosen = [next(tree for tree in trees if len(tree.leaves()) == n) for n in (3, 5, 8)]
    return task, [Example(task.encode(tree.words()), task.gold(tree)) for tree in chosen]


def test_span_pruning_passes() -> None:
    check_task(*pruning())


@pytest.mark.parametrize("runtime", ["pushes", "items"])
@pytest.mark.parametrize("values", [replay, propagate])
def test_roll_outs_of_f1_pass(values: Values, runtime: str) -> None:
    task, examples = pruning()
    check_values(values, task, examples, Reward(task.f1, runtime, 0.002))


@pytest.mark.parametrize("values", [replay, backprop])
def test_roll_outs_of_expected_recall_pass(values: Values) -> None:
    task, examples = pruning()
    check_values(values, task, examples, Reward(ExpectedRecall(task), "kept", 0.002), rtol=1e-9, atol=1e-12)


class Bracketing(Sequential):
    """Prunes hyperedges of all bracketings of x, words with weights; a hyperedge's site is its number."""

    def graph(self, x: Any) -> Hypergraph:
        return catalan(len(x))

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        graph = self.graph(x)
        site = np.array([[h, h % 7] for h in range(len(x), len(graph))], np.int32)
        right = None if gold is None else self.is_gold(site, gold)
        state = np.zeros((len(site), 1))
        kept = choose(self.scores(x, site, state, policy).astype(float), policy, force, right, seed)
        weights = weights_of(x, len(graph))
        weights[len(x) :][~kept] = -np.inf
        change = graph.weigh(weights).change()
        trace = Trace(site, state, np.arange(len(site) + 1), kept.astype(np.int64), True)
        return Episode(made_by(change), trace)


def weights_of(x: Any, hyperedges: int) -> Any:
    return np.array([*x, *(-0.25 * (h * h % 5) for h in range(len(x), hyperedges))])


def made_by(change: Change) -> Outcome:
    return Outcome(change.viterbi(), Work(pushes=int((change.made > -np.inf).sum())))


def by_change(
    task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: Any, steps: Any
) -> Any:
    """Roll-outs by changing the roll-in's values and restoring them."""
    assert isinstance(task, Bracketing)
    site, kept = episode.trace.site, episode.trace.action == TAKE
    graph = task.graph(x)
    change = graph.weigh(weights_of(x, len(graph))).change()
    change.switch_off(site[~kept, 0])
    found = np.full((len(steps), 2), reward(x, episode.outcome, gold))
    for row, step in enumerate(steps.tolist()):
        switch = change.switch_off if kept[step] else change.switch_on
        switch(site[step, 0])
        found[row, int(not kept[step])] = reward(x, made_by(change), gold)
        change.undo()
    return found


def test_roll_outs_by_changing_a_hypergraph_pass() -> None:
    def weight(x: Any, outcome: Outcome, gold: Any) -> float:
        return -100.0 if outcome.parts is None else float(outcome.parts.value)

    examples = [Example((-0.5, -1.0, -0.25, 0.0, -1.0), {1, 4}), Example((-0.5, 0.0), {1})]
    check_task(Bracketing(), examples, workers=False)
    check_values(by_change, Bracketing(), examples, Reward(weight, "pushes", 0.01))


# --- Faults, one of each kind.


class Wrapped(Sequential):
    """A task with something wrong; what is not overridden is as it should be."""

    inner: Sequential = Walk()

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        return self.spoil(self.inner.roll_in(x, policy, force, gold=gold, seed=seed))

    def spoil(self, episode: Episode) -> Episode:
        return episode


def spoiled(**fields: Callable[[Trace], Any]) -> type[Wrapped]:
    """Traces with other contents."""

    class Spoiled(Wrapped):
        def spoil(self, episode: Episode) -> Episode:
            wrong = {name: change(episode.trace) for name, change in fields.items()}
            return Episode(episode.outcome, replace(episode.trace, **wrong))

    return Spoiled


def working(**counts: Any) -> type[Wrapped]:
    class Working(Wrapped):
        def spoil(self, episode: Episode) -> Episode:
            outcome = episode.outcome
            return Episode(outcome._replace(work=outcome.work._replace(**counts)), episode.trace)

    return Working


class RunsOtherwise(Wrapped):
    def run(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Outcome:
        outcome = super().run(x, policy, *args, **options)
        return outcome._replace(parts=outcome.parts[:1])


class RunsFreelyOtherwise(Wrapped):
    """Right under a force only."""

    def run(self, x: Any, policy: Policy, force: Force = FREE, **options: Any) -> Outcome:
        outcome = super().run(x, policy, force, **options)
        return outcome if force.step >= 0 else outcome._replace(parts=None)


class RunsInNoTime(Wrapped):
    def run(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Outcome:
        return super().run(x, policy, *args, **options)._replace(seconds=-1.0)


class FindsNoOutcome(Wrapped):
    def spoil(self, episode: Episode) -> Episode:
        return Episode(tuple(episode.outcome), episode.trace)  # type: ignore[arg-type]


class FindsNoWork(Wrapped):
    def spoil(self, episode: Episode) -> Episode:
        return Episode(episode.outcome._replace(work=(0, 0)), episode.trace)  # type: ignore[arg-type]


class WorksOtherwise(Wrapped):
    def run(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Outcome:
        outcome = super().run(x, policy, *args, **options)
        return outcome._replace(work=outcome.work._replace(pops=1))


class Remembers(Wrapped):
    """Work grows from run to run."""

    runs = 0

    def spoil(self, episode: Episode) -> Episode:
        type(self).runs += 1
        return Episode(episode.outcome._replace(work=Work(items=self.runs)), episode.trace)


class Seedless(Wrapped):
    """Random numbers of its own."""

    rng = np.random.default_rng(0)

    def roll_in(self, x: Any, policy: Policy, *args: Any, seed: int = 0, **options: Any) -> Episode:
        return super().roll_in(x, policy, *args, seed=int(self.rng.integers(1000)), **options)


class Contrary(Wrapped):
    """Takes what scores low."""

    def roll_in(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Episode:
        return super().roll_in(x, replace(policy, weights=-policy.weights), *args, **options)


class TakesTies(Wrapped):
    def roll_in(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Episode:
        return super().roll_in(x, replace(policy, weights=policy.weights + 1e-6), *args, **options)


class LosesDeclined(Wrapped):
    """Logs only what it takes."""

    def spoil(self, episode: Episode) -> Episode:
        trace = episode.trace
        kept = trace.action == TAKE
        count = np.arange(int(kept.sum()) + 1)
        return Episode(
            episode.outcome, Trace(trace.site[kept], trace.state[kept], count, trace.action[kept], True)
        )


class LosesLaterDeclined(LosesDeclined):
    """Logs the first decision at any rate."""

    def spoil(self, episode: Episode) -> Episode:
        trace = episode.trace
        taken = super().spoil(episode).trace
        if TAKE in trace.action[:1]:
            return Episode(episode.outcome, taken)
        site, state, action = (
            np.concatenate((getattr(trace, name)[:1], getattr(taken, name)))
            for name in ("site", "state", "action")
        )
        return Episode(episode.outcome, Trace(site, state, np.arange(len(action) + 1), action, True))


class Forces(Wrapped):
    def force(self, force: Force) -> Force:
        return force

    def roll_in(self, x: Any, policy: Policy, force: Force = FREE, **options: Any) -> Episode:
        return super().roll_in(x, policy, self.force(force), **options)


class Unforced(Forces):
    def force(self, force: Force) -> Force:
        return FREE


class ForcesTheNext(Forces):
    def force(self, force: Force) -> Force:
        return Force(force.step + 1, force.action) if force.step >= 0 else FREE


class ForcesAllAfter(Wrapped):
    """From the forced step on always the same action."""

    def roll_in(self, x: Any, policy: Policy, force: Force = FREE, **options: Any) -> Episode:
        episode = super().roll_in(x, policy, force, **options)
        for step in range(force.step + 1, len(episode.trace.action)) if force.step >= 0 else ():
            episode.trace.action[step] = force.action
        return episode


class ForcesAlsoBefore(Wrapped):
    def roll_in(self, x: Any, policy: Policy, force: Force = FREE, **options: Any) -> Episode:
        episode = super().roll_in(x, policy, force, **options)
        if force.step > 0:
            episode.trace.action[force.step - 1] = force.action
        return episode


class ForcesShortActions(Wrapped):
    def roll_in(self, x: Any, policy: Policy, force: Force = FREE, **options: Any) -> Episode:
        episode = super().roll_in(x, policy, force, **options)
        short = episode.trace.action.astype(np.int8)
        return episode if force.step < 0 else Episode(episode.outcome, replace(episode.trace, action=short))


class ForcingCosts(Wrapped):
    def roll_in(self, x: Any, policy: Policy, force: Force = FREE, **options: Any) -> Episode:
        outcome, trace, _ = super().roll_in(x, policy, force, **options)
        return Episode(outcome._replace(work=outcome.work._replace(items=int(force.step >= 0))), trace)


class RunsUnforced(Wrapped):
    def run(self, x: Any, policy: Policy, force: Force = FREE, **options: Any) -> Outcome:
        return super().run(x, policy, **options)


class PeeksAtGold(Wrapped):
    def roll_in(self, x: Any, policy: Policy, *args: Any, gold: Any = None, **options: Any) -> Episode:
        episode = super().roll_in(x, policy, *args, gold=gold, **options)
        return Episode(episode.outcome._replace(parts=(episode.outcome.parts, gold)), episode.trace)


class IgnoresTheOracle(Wrapped):
    def roll_in(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Episode:
        return super().roll_in(x, replace(policy, oracle_rate=0.0), *args, **options)


class IgnoresTemperature(Wrapped):
    def roll_in(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Episode:
        return super().roll_in(x, replace(policy, temperature=0.0), *args, **options)


class IgnoresTheSeed(Wrapped):
    def roll_in(self, x: Any, policy: Policy, *args: Any, seed: int = 0, **options: Any) -> Episode:
        return super().roll_in(x, policy, *args, **options)


def featured(change: Callable[[Any], Any]) -> type[Wrapped]:
    """Features are spoiled, and the search knows nothing of it."""

    class Featured(Wrapped):
        def features(self, x: Any, site: Any, state: Any) -> Any:
            rows = super().features(x, site, state)
            return Rows(change(rows.bucket), rows.value)

    return Featured


def weighed(value: Callable[[Any], Any]) -> type[Wrapped]:
    """Features get values that the search knows nothing of."""

    class Weighing(Wrapped):
        def features(self, x: Any, site: Any, state: Any) -> Any:
            bucket = super().features(x, site, state).bucket
            return Rows(bucket, value(np.ones(bucket.shape, np.float32)))

    return Weighing


class BareFeatures(Wrapped):
    def features(self, x: Any, site: Any, state: Any) -> Any:
        return super().features(x, site, state).bucket


class BeyondDim(Walk):
    """Its search looks for weights that there are not."""

    def features(self, x: Any, site: Any, state: Any) -> Any:
        return Rows(super().features(x, site, state).bucket + np.uint32(60))


class BeyondDimInAnOrder(BeyondDim, Agenda):
    pass


class Fails(Walk):
    def roll_in(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Episode:
        return [][0]


class RandomFeatures(Wrapped):
    rng = np.random.default_rng(0)

    def features(self, x: Any, site: Any, state: Any) -> Any:
        return Rows(self.rng.integers(0, 64, (len(site), 2)).astype(np.uint32))


class RandomGold(Wrapped):
    rng = np.random.default_rng(0)

    def is_gold(self, site: Any, gold: Any) -> Any:
        return self.rng.random(len(site)) < 0.5


class WritesToTheTrace(Wrapped):
    def features(self, x: Any, site: Any, state: Any) -> Any:
        site[:, 0] += 1  # on which features do not depend
        return super().features(x, site, state)


def labelled(change: Callable[[Any], Any]) -> type[Wrapped]:
    class Labelled(Wrapped):
        def is_gold(self, site: Any, gold: Any) -> Any:
            return change(super().is_gold(site, gold))

    return Labelled


class Ordered(Wrapped):
    """The agenda, with something wrong."""

    inner = Agenda()


class PopsTheWorst(Contrary, Ordered):
    pass


class PopsWhatIsNotGold(IgnoresTheOracle, Ordered):
    pass


class PopsUnforced(Unforced, Ordered):
    pass


class PopsOutOfRange(Ordered):
    def spoil(self, episode: Episode) -> Episode:
        return Episode(episode.outcome, replace(episode.trace, action=episode.trace.action + 1))


class PretendsToBeBinary(Ordered):
    def spoil(self, episode: Episode) -> Episode:
        return Episode(episode.outcome, replace(episode.trace, binary=True))


FAULTS: list[tuple[type[Sequential], str]] = [
    (RunsOtherwise, "run finds other parts than roll_in"),
    (RunsFreelyOtherwise, "run finds other parts than roll_in"),
    (RunsInNoTime, "seconds is -1.0"),
    (FindsNoOutcome, "outcome is a tuple, not an Outcome"),
    (FindsNoWork, "work is a tuple, not a Work"),
    (WorksOtherwise, r"run takes Work\(.*\), roll_in Work"),
    (Remembers, "work is .* when run again, after others"),
    (Seedless, r"trace\.\w+ is another when run again"),
    (Contrary, "takes action .: it does not follow the scores"),
    (TakesTies, r"policy 1: .* takes action 1: it does not follow the scores.*\[0\]"),
    (LosesDeclined, "the first decision is not that of .* declined decision missing"),
    (LosesLaterDeclined, "under Force.* declined decision missing"),
    (Unforced, r"Force\(step=0, action=.\) is not obeyed"),
    (ForcesTheNext, r"step 1 .* under Force\(step=0, action=0\): it does not follow the scores"),
    (ForcesAllAfter, r"under Force\(step=0, action=0\): it does not follow the scores"),
    (ForcesAlsoBefore, "changes the actions of steps .*, which come before it"),
    (ForcesShortActions, "trace.action has 1 axes of int8"),
    (ForcingCosts, "work is .* under Force.*, which is what it does anyway"),
    (RunsUnforced, "run finds other parts than roll_in under Force"),
    (PeeksAtGold, "parts are others without gold"),
    (IgnoresTheOracle, "does not follow the oracle, is_gold"),
    (IgnoresTemperature, "decisions at temperature 1e.09 all have the highest score"),
    (IgnoresTheSeed, "the same with every seed"),
    (RandomFeatures, "features are others when asked again"),
    (WritesToTheTrace, "features changes the trace"),
    (featured(lambda rows: rows + 64), r"feature \d+ of 64"),
    (BareFeatures, "features is a ndarray, not Rows"),
    (BeyondDim, r"feature \d\d+ of 64: features must be below dim"),
    (BeyondDimInAnOrder, r"feature \d\d+ of 64: features must be below dim"),
    (Fails, "the run fails: list index out of range"),
    (weighed(lambda ones: ones.astype(np.float64)), "values are float64, not float32"),
    (weighed(lambda ones: ones[:, :1]), r"values \(\d+, 1\) of buckets"),
    (weighed(lambda ones: ones[:, 0]), "values are not an array of two axes"),
    (weighed(lambda ones: ones * np.float32(np.nan)), "values of features are not finite"),
    (weighed(lambda ones: -ones), "does not follow the scores"),
    (weighed(lambda ones: ones * np.arange(len(ones), dtype=np.float32)[:, None]), "which others"),
    (featured(lambda rows: rows.astype(np.int64)), "buckets are int64"),
    (featured(lambda rows: rows[:, 0]), "not an array of two axes"),
    (featured(lambda rows: rows[1:]), "rows of features for"),
    (featured(lambda rows: (rows + np.arange(len(rows), dtype=np.uint32)[:, None]) % 64), "which others"),
    (featured(lambda rows: (rows + 1) % 64), "does not follow the scores"),
    (RandomGold, "is_gold is another when asked again"),
    (labelled(lambda right: right[:, None]), "is_gold does not return .* booleans"),
    (labelled(lambda right: right.astype(float)), "is_gold does not return .* booleans"),
    (
        labelled(lambda right: right & (np.arange(len(right)) > 0)),
        "is_gold of a candidate depends on which others are asked for",
    ),
    (labelled(np.logical_not), "does not follow the oracle, is_gold"),
    (working(items=-1), r"work.items is -1, not a count"),
    (working(items=0.5), r"work.items is 0.5, not a count"),
    (spoiled(ptr=lambda trace: trace.ptr[::-1].copy()), r"trace.ptr does not grow"),
    (spoiled(ptr=lambda trace: trace.ptr + 1), r"trace.ptr does not grow from 0"),
    (spoiled(ptr=lambda trace: trace.ptr[:-1]), "entries of ptr for"),
    (spoiled(action=lambda trace: trace.action + 1), "takes action 2, of 2"),
    (spoiled(action=lambda trace: trace.action.astype(np.int8)), "trace.action has 1 axes of int8"),
    (spoiled(site=lambda trace: trace.site.astype(np.int64)), "trace.site has 2 axes of int64"),
    (spoiled(site=lambda trace: trace.site[:, 0]), "trace.site has 1 axes"),
    (spoiled(site=lambda trace: trace.site.tolist()), "trace.site is a list"),
    (spoiled(state=lambda trace: trace.state[1:]), "rows of state"),
    (spoiled(state=lambda trace: trace.state * np.nan), "trace.state holds nan"),
    (spoiled(binary=lambda trace: 1), "trace.binary is 1"),
    (spoiled(binary=lambda trace: False), "takes action 1, of 1"),
    (PopsTheWorst, "does not follow the scores"),
    (PopsWhatIsNotGold, "does not follow the oracle"),
    (PopsUnforced, "is not obeyed"),
    (PopsOutOfRange, r"takes action \d, of \d"),
    (PretendsToBeBinary, "a binary trace has decisions with several candidates"),
]


@pytest.mark.parametrize(("task", "message"), FAULTS, ids=lambda one: getattr(one, "__name__", "-"))
def test_every_fault_is_caught(task: type[Sequential], message: str) -> None:
    examples = AGENDAS if issubclass(task, Ordered | Agenda) else WALKS[:2]
    with pytest.raises(AssertionError, match=message):
        check_task(task(), examples, workers=False)


def test_seconds_may_differ_but_must_be_seconds() -> None:
    @dataclass
    class Timed(Wrapped):
        seconds: list[float]

        def spoil(self, episode: Episode) -> Episode:
            return Episode(episode.outcome._replace(seconds=self.seconds.pop()), episode.trace)

    check_task(Timed(np.random.default_rng(0).random(10000).tolist()), WALKS[:1], workers=False)
    with pytest.raises(AssertionError, match="seconds is nan"):
        check_task(Timed([float("nan")]), WALKS[:1], workers=False)


class Locked(Wrapped):
    """Cannot be sent."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class HashedAnew(Wrapped):
    """Features that depend on the process, as those by Python's hash of a text do."""

    def features(self, x: Any, site: Any, state: Any) -> Any:
        return Rows((super().features(x, site, state).bucket + os.getpid() % 61) % 64)

    def roll_in(self, x: Any, policy: Policy, *args: Any, **options: Any) -> Episode:
        return Walk.roll_in(self, x, policy, *args, **options)  # type: ignore[arg-type]


class OtherPartsElsewhere(Wrapped):
    def spoil(self, episode: Episode) -> Episode:
        return Episode(episode.outcome._replace(parts=os.getpid()), episode.trace)


class FeaturesElsewhere(Wrapped):
    """The search is right everywhere, what learners see of it only at home."""

    def __init__(self) -> None:
        self.home = os.getpid()

    def features(self, x: Any, site: Any, state: Any) -> Any:
        return Rows(super().features(x, site, state).bucket // (1 if os.getpid() == self.home else 2))


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (OtherPartsElsewhere, "parts are others in a worker process"),
        (FeaturesElsewhere, "features are others in a worker process"),
        (Locked, "fails in a worker process"),
        (HashedAnew, r"others? in a worker process"),
    ],
)
def test_what_does_not_travel_is_caught(task: type[Wrapped], message: str) -> None:
    check_task(task(), WALKS[:1], workers=False)
    with pytest.raises(AssertionError, match=message):
        check_task(task(), WALKS[:1])


def test_examples_that_test_nothing_are_refused() -> None:
    for examples in ([], [Example((), {1})]):
        with pytest.raises(AssertionError, match="no decisions"):
            check_task(Walk(), examples, workers=False)
        with pytest.raises(AssertionError, match="no decisions"):
            check_values(replay, Walk(), examples, Reward(useful, "kept", 0.1))
    with pytest.raises(AssertionError, match=r"none of .* makes a difference"):
        check_values(replay, Walk(), WALKS, Reward(lambda x, outcome, gold: 1.0, "pops", 0.1))
    with pytest.raises(AssertionError, match="dim is 0"):
        check_task(type("Dimless", (Walk,), {"dim": 0})(), WALKS, workers=False)


def test_without_gold_the_oracle_is_left_out() -> None:
    check_task(Walk(), [Example(x, None) for x, _ in WALKS], workers=False)


def test_own_policies() -> None:
    only = [Policy(np.full(64, 0.5, np.float32))]
    check_task(Walk(), WALKS, policies=only, workers=False)
    check_task(Contrary(), WALKS, policies=[Policy(np.zeros(64, np.float32))], workers=False)
    with pytest.raises(AssertionError, match=r"example 0, policy 0: .* does not follow the scores"):
        check_task(Contrary(), WALKS, policies=only, workers=False)


def replayed(change: Callable[[Any, Any, Episode], Any]) -> Values:
    """Replay, with something wrong."""

    def values(
        task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: Any, steps: Any
    ) -> Any:
        return change(replay(task, x, gold, policy, episode, reward, steps), steps, episode)

    return values


def write(found: Any, steps: Any, episode: Episode) -> Any:
    episode.trace.state[:] = 0.25
    return found


def wrong_together(found: Any, steps: Any, episode: Episode) -> Any:
    """Right when asked for some."""
    return found + 1e-9 * (1 < len(steps) == len(episode.trace.action))


def one_wrong(found: Any, steps: Any, episode: Episode) -> Any:
    found[steps == 3, TAKE] += 1e-12
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found, steps, episode: -found, "is worth"),
        (lambda found, steps, episode: found[:, ::-1], "is worth"),
        (lambda found, steps, episode: found[np.argsort(steps)], "is worth"),
        (lambda found, steps, episode: found[:, :1], "have shape"),
        (lambda found, steps, episode: found.tolist(), "are a list"),
        (lambda found, steps, episode: found * np.nan, "worth .*nan"),
        (lambda found, steps, episode: found / 0.0, "worth .*inf"),
        (wrong_together, "is worth"),
        (one_wrong, r"step 3 at site .* action 1 is worth .*1 of \d+ values differ"),
        (write, "values changes trace.state"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_wrong_values_are_caught(change: Callable[[Any, Any, Episode], Any], message: str) -> None:
    reward = Reward(useful, "kept", 0.1)
    with pytest.raises(AssertionError, match=message):
        check_values(replayed(change), Walk(), WALKS, reward)


def test_values_within_the_tolerance_pass() -> None:
    reward = Reward(useful, "kept", 0.1)
    check_values(replayed(one_wrong), Walk(), WALKS, reward, rtol=1e-10, atol=1e-11)
    with pytest.raises(AssertionError, match="is worth"):
        check_values(replayed(one_wrong), Walk(), WALKS, reward, rtol=1e-14)
