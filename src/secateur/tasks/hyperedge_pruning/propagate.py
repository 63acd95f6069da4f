"""Roll-outs of hyperedge pruning by change propagation (Pueschel 2018, algorithm 3, as repaired).

Each roll-out switches the hyperedges of one decision on or off in the roll-in's derivation graph, follows
what that changes, and takes it back: values, ties and work are those of parsing again.
"""

from __future__ import annotations

import numpy as np

from secateur.errors import InputError
from secateur.search.arrays import Floats, Ints, Steps
from secateur.search.core import Episode, Policy, Reward, RewardOf, Task
from secateur.tasks.hyperedge_pruning.task import Decided, Encoded, Gold, HyperedgePruning

RUNTIMES = ("items", "pushes", "kept")


def propagate(
    task: Task, x: Encoded, gold: Gold, policy: Policy, episode: Episode, reward: RewardOf, steps: Steps
) -> Floats:
    """The reward of pruning and of keeping at each decision: what `replay` returns, without parsing again.

    The reward's accuracy is the task's f1 or recall; its runtime pushes, kept or items.
    """
    if not isinstance(task, HyperedgePruning):
        raise InputError(
            f"change propagation in derivation graphs knows hyperedge pruning, not {type(task).__name__}",
            fix="use replay",
        )
    if not isinstance(reward, Reward) or reward.runtime not in RUNTIMES:
        raise InputError(
            "change propagation computes rewards with pushes, kept or items",
            fix='give it Reward(task.f1, "pushes", tradeoff), or use replay',
        )
    if reward.accuracy not in (task.f1, task.recall):
        raise InputError("change propagation computes F1 or recall of the same task", fix="use replay")
    decided = task.decide(x, policy, gold=gold, seed=episode.seed)
    found = np.full((len(steps), 2), reward(x, episode.outcome, gold))
    if not len(steps):
        return found
    flipped = _flipped(task, decided, decided.open[steps], gold, reward)
    found[np.arange(len(steps)), 1 - episode.trace.action[steps]] = flipped
    return found


def _flipped(task: HyperedgePruning, decided: Decided, decisions: Ints, gold: Gold, reward: Reward) -> Floats:
    """[decisions] the rewards with each flipped alone."""
    space, graph, work = decided.space, decided.space.graph, decided.outcome.work
    ptr, hyperedges = _groups(space.ptr, space.hyperedge, decisions)
    if reward.runtime == "items":
        tried = decided.change.try_flips(ptr, hyperedges, cost=0 * space.cost, node_cost=1 * graph.above)
    else:
        tried = decided.change.try_flips(ptr, hyperedges, cost=space.cost)
    runtime = tried.work + getattr(work, reward.runtime)
    count = task.brackets.of_graph(graph, gold.brackets)
    matched, made = count(tried.ptr, tried.hyperedges).T
    best = decided.change.viterbi()
    own = np.array(best.hyperedges if best else (), np.uint32)
    ((own_matched, own_made),) = count(np.array([0, len(own)]), own)
    matched = np.where(tried.other, matched, own_matched)
    made = np.where(tried.other, made, own_made)
    total = np.full(len(matched), gold.brackets.total)
    over, under = (matched, total) if reward.accuracy == task.recall else (2.0 * matched, made + total)
    # Where there are no brackets none is wrong; where there is no parse nothing is right.
    accuracy = np.divide(over, under, out=np.ones(len(matched)), where=under > 0)
    return np.asarray(np.where(tried.value > -np.inf, accuracy, 0.0) - reward.tradeoff * runtime)


def _groups(ptr: Ints, hyperedges: Ints, decisions: Ints) -> tuple[Ints, Ints]:
    """Those of some decisions."""
    sizes = np.diff(ptr)[decisions]
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    rows = np.repeat(ptr[decisions] - bounds[:-1], sizes) + np.arange(bounds[-1])
    return bounds, hyperedges[rows]
