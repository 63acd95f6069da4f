"""check_task: whether a task keeps what secateur.search.core.Task promises."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from secateur.search.arrays import Ints
from secateur.search.core import FREE, NONE, Episode, Example, Force, Outcome, Policy, Rows, Task, Trace, Work
from secateur.testing.runs import COLD, HOT, Run, all_runs, sample_policies

SPARE = 1 << 24  # weights to look beyond the last with
FLIPS = 30  # choices of one of two that never all come out the same, but once in 2^30


def check_task(
    task: Task,
    examples: Sequence[Example],
    *,
    policies: Sequence[Policy] | None = None,
    steps: int = 6,
    workers: bool = True,
    seed: int = 0,
) -> None:
    """Whether a task keeps the promises of secateur.search.core.Task on these examples.

    Deviations are tried at so many `steps` of each run. `workers`: also in another process.
    """
    runs = all_runs(task, examples, policies, seed)
    episodes = []
    for run in runs:
        episode = _roll_in(run)
        _check_outcome(run, episode.outcome)
        _check_trace(run, episode.trace)
        _check_features(run, episode.trace)
        episodes.append(episode)
    if not any(len(episode.trace.action) for episode in episodes):
        raise AssertionError("there are no decisions in these examples: nothing could be checked")
    # Backwards: a task that remembers earlier runs would show it.
    for run, episode in zip(reversed(runs), reversed(episodes), strict=True):
        _check_same(run, run.roll_in(), episode, "when run again, after others")
    _check_first_decisions(runs, episodes)
    for run, episode in zip(runs, episodes, strict=True):
        _check_oracle(run, episode.trace)
        _check_actions(run, episode.trace)
        _check_gold_is_not_seen(run, episode)
        _check_run(run, episode.outcome)
        _check_forces(run, episode, steps)
    _check_exploration(task, examples, seed)
    if workers:
        _check_workers(runs, episodes)


def _check_outcome(run: Run, outcome: Outcome) -> None:
    run.demand(isinstance(outcome, Outcome), f"a run's outcome is a {type(outcome).__name__}, not an Outcome")
    run.demand(isinstance(outcome.work, Work), f"work is a {type(outcome.work).__name__}, not a Work")
    for name, count in outcome.work._asdict().items():
        run.demand(
            isinstance(count, numbers.Integral) and int(count) >= 0, f"work.{name} is {count!r}, not a count"
        )
    run.demand(0.0 <= outcome.seconds < np.inf, f"seconds is {outcome.seconds!r}")


def _check_trace(run: Run, trace: Trace) -> None:
    """Shapes and types that fit each other."""
    for name, array, axes, dtype in (
        ("site", trace.site, 2, np.int32),
        ("state", trace.state, 2, np.float64),
        ("ptr", trace.ptr, 1, np.int64),
        ("action", trace.action, 1, np.int64),
    ):
        run.demand(isinstance(array, np.ndarray), f"trace.{name} is a {type(array).__name__}, not an array")
        run.demand(
            array.ndim == axes and array.dtype == dtype,
            f"trace.{name} has {array.ndim} axes of {array.dtype}, not {axes} of {np.dtype(dtype)}",
        )
    decisions, candidates = len(trace.action), len(trace.site)
    run.demand(len(trace.state) == candidates, f"{len(trace.state)} rows of state, {candidates} of site")
    run.demand(not np.isnan(trace.state).any(), "trace.state holds nan")
    run.demand(len(trace.ptr) == decisions + 1, f"{len(trace.ptr)} entries of ptr for {decisions} decisions")
    sizes = np.diff(trace.ptr)
    run.demand(
        trace.ptr[0] == 0 and trace.ptr[-1] == candidates and (sizes > 0).all(),
        f"trace.ptr does not grow from 0 to {candidates}, the number of candidates",
    )
    run.demand(isinstance(trace.binary, bool), f"trace.binary is {trace.binary!r}")
    if trace.binary:
        run.demand((sizes == 1).all(), "a binary trace has decisions with several candidates")
    choices = trace.choices().sizes
    for step in np.flatnonzero((trace.action < 0) | (trace.action >= choices)).tolist():
        run.demand(False, f"step {step} takes action {trace.action[step]}, of {choices[step]}")


def _roll_in(run: Run) -> Episode:
    """The first time; a search that looks for a weight beyond the last is told so."""
    try:
        return run.roll_in()
    except IndexError as problem:
        spare = np.zeros(max(SPARE, run.task.dim), np.float32)
        spare[: run.task.dim] = run.policy.weights
        try:
            trace = run._replace(policy=dataclasses.replace(run.policy, weights=spare)).roll_in().trace
            _check_within(run, run.features(trace))
        except IndexError:
            pass
        raise AssertionError(f"{run.where}: the run fails: {problem}") from problem


def _check_within(run: Run, rows: Rows) -> None:
    beyond = int(rows.bucket.max(initial=0))
    run.demand(
        beyond < run.task.dim,
        f"feature {beyond} of {run.task.dim}: features must be below dim, the number of weights there are",
    )


def _check_features(run: Run, trace: Trace) -> None:
    site, state = trace.site.copy(), trace.state.copy()
    rows = run.features(trace)
    run.demand(isinstance(rows, Rows), f"features is a {type(rows).__name__}, not Rows")
    for name, array, dtype in (("buckets", rows.bucket, np.uint32), ("values", rows.value, np.float32)):
        run.demand(isinstance(array, np.ndarray) and array.ndim == 2, f"{name} are not an array of two axes")
        run.demand(array.dtype == dtype, f"{name} are {array.dtype}, not {np.dtype(dtype)}")
    run.demand(len(rows) == len(site), f"{len(rows)} rows of features for {len(site)} candidates")
    run.demand(
        not rows.value.size or rows.value.shape == rows.bucket.shape,
        f"values {rows.value.shape} of buckets {rows.bucket.shape}: give as many, or none",
    )
    run.demand(np.isfinite(rows.value).all(), "values of features are not finite")
    _check_within(run, rows)
    run.demand(_same(run.features(trace), rows), "features are others when asked again")
    some = np.arange(len(site))[::-2]  # learners ask for some, in an order of their own
    run.demand(
        _same(run.task.features(run.x, site[some], state[some]), rows.at(some)),
        "features of a candidate depend on which others are asked for",
    )
    run.demand(
        np.array_equal(trace.site, site) and np.array_equal(trace.state, state), "features changes the trace"
    )


def _check_oracle(run: Run, trace: Trace) -> None:
    if run.gold is None:
        return
    right = run.is_gold(trace)
    run.demand(
        isinstance(right, np.ndarray) and right.shape == (len(trace.site),) and right.dtype == np.bool_,
        f"is_gold does not return {len(trace.site)} booleans, one for each candidate",
    )
    run.demand(np.array_equal(run.is_gold(trace), right), "is_gold is another when asked again")
    some = np.arange(len(right))[::-2]
    run.demand(
        np.array_equal(run.task.is_gold(trace.site[some], run.gold), right[some]),
        "is_gold of a candidate depends on which others are asked for",
    )


def _check_actions(run: Run, trace: Trace, force: Force = FREE) -> None:
    """Whether the policy was followed, at all steps but the forced one."""
    policy = run.policy
    if policy.temperature > COLD and policy.oracle_rate < 1.0:
        return  # drawn: anything goes
    allowed: list[set[int]] = [set() for _ in trace.action]
    rules = []
    if policy.oracle_rate < 1.0:
        allowed = _greedy_actions(run, trace)
        rules.append("the scores, which are summed weights of features")
    if policy.oracle_rate > 0.0:
        allowed = [one | other for one, other in zip(allowed, _gold_actions(run, trace), strict=True)]
        rules.append("the oracle, is_gold")
    for step, action in enumerate(trace.action.tolist()):
        if step != force.step and action not in allowed[step]:
            site = trace.site[trace.ptr[step]].tolist()
            run.demand(
                False,
                f"step {step} at site {site} takes action {action}{_under(force)}: "
                f"it does not follow {' or '.join(rules)}: {sorted(allowed[step])}",
            )


def _greedy_actions(run: Run, trace: Trace) -> list[set[int]]:
    """The actions of highest score; several where scores are equal or too close to tell."""
    products = run.features(trace).products(run.policy.weights)
    scores = products.sum(1)
    # The search may sum in another order and in float32. Whole numbers come out the same.
    slack = np.abs(products).sum(1) * products.shape[1] * 2.0**-23 + 100 * run.policy.temperature
    if run.policy.temperature == 0.0:
        slack *= (products % 1.0 != 0.0).any(1)
    found = []
    for rows in _rows_of_choices(trace):
        declines = rows == NONE
        most = np.where(declines, 0.0, scores[rows] + slack[rows])
        least = np.where(declines, 0.0, scores[rows] - slack[rows])
        near = most >= least.max()
        if declines.any():
            near &= declines | (most > 0.0)  # what scores 0 is declined
        found.append(set(np.flatnonzero(near).tolist()))
    return found


def _rows_of_choices(trace: Trace) -> list[Ints]:
    """Of every decision, by action."""
    ptr, row = trace.choices()
    return np.split(row, ptr[1:-1]) if len(trace.action) else []


def _gold_actions(run: Run, trace: Trace) -> list[set[int]]:
    """What the oracle does. Where no candidate is gold it declines or, if it cannot, takes any."""
    right = run.is_gold(trace)
    found = []
    for rows in _rows_of_choices(trace):
        declines = rows == NONE
        gold = ~declines & right[rows]
        wanted = gold if gold.any() else declines if declines.any() else ~declines
        found.append(set(np.flatnonzero(wanted).tolist()))
    return found


def _check_gold_is_not_seen(run: Run, episode: Episode) -> None:
    if run.policy.oracle_rate == 0.0 and run.gold is not None:
        _check_same(
            run, run._replace(gold=None).roll_in(), episode, "without gold, which only an oracle needs"
        )


def _check_run(run: Run, outcome: Outcome, force: Force = FREE) -> None:
    """Test time and training time are the same search."""
    found = run.run(force)
    _check_outcome(run, found)
    run.demand(found.work == outcome.work, f"run takes {found.work}{_under(force)}, roll_in {outcome.work}")
    run.demand(_same(found.parts, outcome.parts), f"run finds other parts than roll_in{_under(force)}")


def _under(force: Force) -> str:
    return f" under {force}" if force.step >= 0 else ""


def _check_forces(run: Run, episode: Episode, steps: int) -> None:
    trace = episode.trace
    count = len(trace.action)
    for step in np.unique(np.linspace(0, count - 1, min(steps, count)).astype(int)).tolist():
        taken, choices = int(trace.action[step]), int(trace.choices().sizes[step])
        for action in {0, taken, choices - 1}:
            force = Force(step, action)
            forced = run.roll_in(force)
            _check_trace(run, forced.trace)
            _check_force(run, trace, forced.trace, force)
            _check_actions(run, forced.trace, force)
            _check_run(run, forced.outcome, force)
            if action == taken:
                _check_same(run, forced, episode, f"under {force}, which is what it does anyway")


def _check_force(run: Run, free: Trace, forced: Trace, force: Force) -> None:
    """Up to the forced step everything is as it was, and there the action is the forced one."""
    step = force.step
    rows = int(free.ptr[step + 1])
    run.demand(
        len(forced.action) > step
        and np.array_equal(forced.ptr[: step + 2], free.ptr[: step + 2])
        and np.array_equal(forced.site[:rows], free.site[:rows])
        and np.array_equal(forced.state[:rows], free.state[:rows]),
        f"under {force} the candidates up to that step are not those of the run without it "
        "(is a declined decision missing from the trace?)",
    )
    early = np.flatnonzero(forced.action[:step] != free.action[:step])
    run.demand(not len(early), f"{force} changes the actions of steps {early[:3]}, which come before it")
    run.demand(
        forced.action[step] == force.action, f"{force} is not obeyed: the action is {forced.action[step]}"
    )


def _check_first_decisions(runs: list[Run], episodes: list[Episode]) -> None:
    """Nothing comes before the first decision, so every policy meets the same one, also if it declines it."""
    first: dict[int, tuple[Run, Trace]] = {}
    for run, (_, trace, _) in zip(runs, episodes, strict=True):
        other, known = first.setdefault(run.number, (run, trace))
        run.demand(
            _same(trace.site[: trace.ptr[:2][-1]], known.site[: known.ptr[:2][-1]]),
            f"the first decision is not that of {other.where} (is a declined decision missing?)",
        )


def _check_exploration(task: Task, examples: Sequence[Example], seed: int) -> None:
    """At a high temperature actions vary, and differ between seeds."""
    policy = Policy(sample_policies(task.dim, seed=seed)[0].weights, temperature=HOT)
    greedy = varied = decisions = 0
    for x, gold in examples:
        runs = [Run(0, "", task, x, gold, policy, seed + s) for s in range(8)]
        traces = [run.roll_in().trace for run in runs]
        for run, trace in zip(runs, traces, strict=True):
            allowed = _greedy_actions(run._replace(policy=Policy(policy.weights)), trace)
            sizes = trace.choices().sizes.tolist()
            open_steps = [step for step, size in enumerate(sizes) if len(allowed[step]) < size]
            decisions += len(open_steps)
            greedy += sum(trace.action[step] in allowed[step] for step in open_steps)
        varied += any(not np.array_equal(trace.action, traces[0].action) for trace in traces[1:])
    if decisions >= FLIPS and greedy == decisions:
        raise AssertionError(f"of {decisions} decisions at temperature {HOT:g} all have the highest score")
    if decisions >= FLIPS and not varied:
        raise AssertionError("at a high temperature actions are the same with every seed")


@dataclasses.dataclass(frozen=True)
class _Away:
    """Runs in another process, with the features seen there."""

    runs: list[Run]

    def __call__(self, numbers: list[int]) -> list[tuple[Episode, Rows]]:
        found = []
        for run in (self.runs[number] for number in numbers):
            episode = run.roll_in()
            found.append((episode, run.features(episode.trace)))
        return found


def _check_workers(runs: list[Run], episodes: list[Episode]) -> None:
    """Sent as to a cluster; a hash that differs from process to process would show here."""
    from secateur.search.workers import Workers

    try:
        # Not by a fork, which has all that does not travel.
        with Workers(_Away(runs), 1, fork=False) as workers:
            [found] = workers.run([list(range(len(runs)))])
    except Exception as problem:
        raise AssertionError(f"the task fails in a worker process: {problem!r}") from problem
    for run, episode, (away, rows) in zip(runs, episodes, found, strict=True):
        _check_same(run, away, episode, "in a worker process")
        run.demand(_same(rows, run.features(episode.trace)), "features are others in a worker process")


def _check_same(run: Run, found: Episode, expected: Episode, how: str) -> None:
    """Everything but the seconds."""
    for name in ("site", "state", "ptr", "action", "binary"):
        one, other = getattr(found.trace, name), getattr(expected.trace, name)
        run.demand(_same(one, other), f"trace.{name} is another {how}")
    run.demand(
        found.outcome.work == expected.outcome.work,
        f"work is {found.outcome.work} {how}, else {expected.outcome.work}",
    )
    run.demand(_same(found.outcome.parts, expected.outcome.parts), f"the outcome's parts are others {how}")


def _same(a: Any, b: Any) -> bool:
    """Equal through and through, arrays by their contents, nan like nan."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if dataclasses.is_dataclass(a):
        return all(_same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    if bool(a == b) or (a != a and b != b):
        return True
    return hasattr(a, "__dict__") and _same(vars(a), vars(b))
