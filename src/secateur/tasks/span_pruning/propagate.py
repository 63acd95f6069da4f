"""Roll-outs of span pruning by change propagation (Vieira & Eisner 2017, section 5.2).

Each roll-out adjusts the roll-in's parse to one flipped span instead of parsing again.
"""

from __future__ import annotations

import numpy as np

from secateur.errors import InputError
from secateur.kernels.cky import change as cky_change
from secateur.kernels.cky import counts as cky_counts
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.search.arrays import Bools, Floats, Sites, Steps
from secateur.search.core import TAKE, Among, Episode, Policy, Reward, RewardOf, Task
from secateur.tasks.span_pruning.rewards import CorpusF1
from secateur.tasks.span_pruning.task import UNLIMITED, Encoded, Gold, SpanPruning

RUNTIMES = ("items", "pushes", "kept")


def propagate(
    task: Task, x: Encoded, gold: Gold, policy: Policy, episode: Episode, reward: RewardOf, steps: Steps
) -> Floats:
    """The reward of pruning and of keeping each span: what `replay` returns, without parsing again.

    The reward's accuracy is the task's f1 or recall, or a learner's corpus F1; its runtime items, pushes or
    kept.
    """
    if not isinstance(task, SpanPruning):
        raise InputError(
            f"change propagation knows span pruning, not {type(task).__name__}", fix="use replay"
        )
    if not isinstance(reward, Reward) or not _known(task, reward):
        raise InputError(
            "change propagation computes F1 or recall of the same task, and items, pushes or kept spans",
            fix='give it Reward(task.f1, "pushes", tradeoff), or use replay',
        )
    trace = episode.trace
    kept = trace.action == TAKE
    mask = np.zeros((len(x.words) + 1,) * 2, np.bool_)
    mask[trace.site[:, 0], trace.site[:, 1]] = kept
    chart = cky.chart_of(task.grammar.rules, x.words, mask, NO_ANCHORS, UNLIMITED)
    sites = trace.site[steps]
    if reward.runtime == "kept":
        work = kept.sum() + np.where(kept[steps], -1, 1)
    else:
        items, pushes = cky_counts.runtimes(task.grammar.rules, chart, mask, sites)
        work = items if reward.runtime == "items" else pushes
    found = np.full((len(steps), 2), reward(x, episode.outcome, gold))
    flipped = _accuracy(task, reward, chart, mask, sites, gold) - reward.tradeoff * work
    found[np.arange(len(steps)), 1 - trace.action[steps]] = flipped
    return found


def _known(task: SpanPruning, reward: Reward) -> bool:
    if reward.runtime not in RUNTIMES:
        return False
    match reward.accuracy:
        case Among(accuracy=CorpusF1(task=other)) | CorpusF1(task=other):
            return other is task
        case accuracy:
            return accuracy in (task.f1, task.recall)


def _accuracy(
    task: SpanPruning, reward: Reward, chart: cky.Chart, mask: Bools, sites: Sites, gold: Gold
) -> Floats:
    """[sites] the accuracy with the mask flipped at each site alone."""
    score, matched, made = cky_change.parses(
        task.grammar.rules, chart, mask, sites, task.brackets.classes, gold.brackets
    )
    total = gold.brackets.total
    if isinstance(reward.accuracy, Among | CorpusF1):
        return reward.accuracy.of(np.stack((matched, made, np.full(len(sites), total)), axis=-1))
    over, under = (matched, total) if reward.accuracy == task.recall else (2.0 * matched, made + total)
    # Where there are no brackets none is wrong; where there is no parse nothing is right.
    accuracy = np.divide(over, under, out=np.ones(len(sites)), where=np.greater(under, 0))
    return np.where(score > -np.inf, accuracy, 0.0)
