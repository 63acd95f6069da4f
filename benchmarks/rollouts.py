"""Roll-outs per second of every engine, as ratios in one run.

    python benchmarks/rollouts.py                    the garden
    SECATEUR_DATA=... python benchmarks/rollouts.py  also ptb-sample

Sentences of 30 to 40 words under masks that keep a third of their spans, those that a policy trained on the
gold spans scores highest. CPU time on one core, best of several runs, the engines in turn. A roll-out is the
reward with one span flipped: change propagation and the replays find the best parse, its F1 and its work
(the left-child loop neither tree nor F1), back-propagation expected recall. The roll-in's own parse is part
of an engine's time; replays are timed on a few flips of each sentence.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import secateur as sec
from left_child import left_child_loop
from masks import Roll, learned, rolls, treebanks

# Roll-outs of the task itself, by several engines: no public name runs them.
from secateur.features.span import SpanFeatures
from secateur.kernels.cky import counts as cky_counts
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.search.arrays import Sites
from secateur.search.core import Episode, Policy, Reward, Trace
from secateur.tasks.span_pruning.backprop import NO_SITES, ExpectedRecall
from secateur.tasks.span_pruning.propagate import propagate
from secateur.tasks.span_pruning.task import UNLIMITED, SpanPruning, sites_of
from turns import best

FLIPS = 10  # replayed per sentence


class Engine(NamedTuple):
    name: str
    run: Callable[[Roll, Sites], Any]
    flips: Callable[[int, int], int]  # of a sentence of n words with T decisions, how many


def engines(task: SpanPruning) -> list[Engine]:
    """The replays last; the first of them and change propagation return the same rewards."""
    rules = task.grammar.rules
    reward = Reward(task.f1, "pushes", 1e-6)
    recall = ExpectedRecall(task)
    policy = Policy(np.zeros(task.dim, np.float32))

    def propagation(roll: Roll, sites: Sites) -> Any:
        decided = sites_of(len(roll.x.words))
        taken = roll.mask[tuple(decided.T)]
        outcome = task.parse_kept(roll.x, decided, taken, 0.0)
        trace = Trace(
            decided, np.zeros((len(taken), 0)), np.arange(len(taken) + 1), taken.astype(np.int64), True
        )
        number = np.zeros(roll.mask.shape, np.int64)
        number[tuple(decided.T)] = np.arange(len(decided))
        steps = number[tuple(sites.T)]
        values = propagate(task, roll.x, roll.gold, policy, Episode(outcome, trace), reward, steps)
        return values[np.arange(len(steps)), 1 - trace.action[steps]]

    def work_alone(roll: Roll, sites: Sites) -> Any:
        chart = cky.chart_of(rules, roll.x.words, roll.mask, NO_ANCHORS, UNLIMITED)
        return cky_counts.runtimes(rules, chart, roll.mask, sites)

    def replay(roll: Roll, sites: Sites) -> Any:
        decided = sites_of(len(roll.x.words))
        outcomes = [
            task.parse_kept(roll.x, decided, mask[tuple(decided.T)], 0.0)
            for mask in flipped(roll.mask, sites)
        ]
        return np.array([reward(roll.x, outcome, roll.gold) for outcome in outcomes])

    def expectation(roll: Roll, sites: Sites) -> Any:
        masks = flipped(roll.mask, sites)
        return np.array([recall.flipped(roll.x, mask, roll.gold, NO_SITES)[0] for mask in masks])

    def left_child(roll: Roll, sites: Sites) -> Any:
        return [left_child_loop(rules, roll.x.words, mask) for mask in flipped(roll.mask, sites)]

    return [
        Engine("change propagation", propagation, lambda n, t: t),
        Engine("change propagation, 2n", propagation, lambda n, t: min(2 * n, t)),
        Engine("work alone", work_alone, lambda n, t: t),
        Engine("back-propagation", lambda r, s: recall.flipped(r.x, r.mask, r.gold, s), lambda n, t: t),
        Engine("replay, expected recall", expectation, lambda n, t: FLIPS),
        Engine("replay, Viterbi kernel", replay, lambda n, t: FLIPS),
        Engine("replay, left-child loop", left_child, lambda n, t: FLIPS),
    ]


def flipped(mask: np.ndarray, sites: Sites) -> list[np.ndarray]:
    masks = []
    for i, k in sites:
        masks.append(mask.copy())
        masks[-1][i, k] = not mask[i, k]
    return masks


def compare(task: SpanPruning, given: list[Roll], repeat: int) -> list[tuple[str, int, float]]:
    """(engine, roll-outs, CPU seconds for them)"""
    rng = np.random.default_rng(1)
    rows = []
    for engine in engines(task):
        chosen = []
        for roll in given:
            sites = sites_of(len(roll.x.words))
            some = rng.choice(len(sites), engine.flips(len(roll.x.words), len(sites)), replace=False)
            chosen.append((roll, sites[some]))
        engine.run(*chosen[0])  # compiled
        spent, _ = best(lambda: [engine.run(*one) for one in chosen], repeat)  # noqa: B023
        rows.append((engine.name, sum(len(sites) for _, sites in chosen), spent))
    return rows


def check(task: SpanPruning, given: list[Roll]) -> None:
    """Both fast engines give what a replay gives."""
    ways = {engine.name: engine.run for engine in engines(task)}
    for roll in given[:5]:
        sites = sites_of(len(roll.x.words))[::7]
        found, expected = (
            ways[name](roll, sites) for name in ("change propagation", "replay, Viterbi kernel")
        )
        assert np.array_equal(found, expected), "change propagation and replay differ"
        _, found = ways["back-propagation"](roll, sites)
        assert np.allclose(found, ways["replay, expected recall"](roll, sites), rtol=1e-9)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--limit", type=int, default=60, help="sentences a case")
    options.add_argument("--share", type=float, default=1 / 3, help="of the spans that are kept")
    chosen = options.parse_args()
    for name, trees in treebanks():
        lengths = trees.lengths()
        long = np.flatnonzero((lengths >= 30) & (lengths <= 40))[: chosen.limit]
        others = np.setdiff1d(np.flatnonzero(lengths <= 40), long)[:1500]
        task = SpanPruning(
            sec.induce(trees), SpanFeatures.from_words(trees.vocabulary(), bits=20), sec.Binarization()
        )
        given = list(
            rolls(
                task,
                learned(task, [trees[int(t)] for t in others]),
                [trees[int(t)] for t in long],
                chosen.share,
            )
        )
        check(task, given)
        rows = compare(task, given, chosen.repeat)
        kernel, plain = (spent / count for _, count, spent in rows[-2:])
        print(f"{name}: {len(given)} sentences, {len(task.grammar.binary.weight)} binary rules")
        print(f"{'':26}{'roll-outs/s':>12}{'x kernel':>10}{'x left-child':>14}")
        for engine, count, spent in rows:
            one = spent / count
            print(f"{engine:26}{1 / one:12,.0f}{kernel / one:10.1f}{plain / one:14.1f}", flush=True)


if __name__ == "__main__":
    main()
