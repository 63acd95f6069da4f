"""Roll-outs per second by dynamic programming, as ratios in one run: against replaying one pass per flip.

    python benchmarks/dp_rollouts.py                    the garden
    SECATEUR_DATA=... python benchmarks/dp_rollouts.py  also ptb-sample

Sentences of 30 to 40 words, under masks that keep a third of their spans: those that a policy trained on the
gold spans scores highest. CPU time on one core, best of several runs. A replay is timed on a few flips of
each sentence, by the same kernel without flips, and by the plain left-child loop (one Viterbi pass, which
knows no expectation: a lower bound).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import secateur as sec
from kernels import best
from left_child import left_child_loop
from secateur.features.span import SpanFeatures
from secateur.search.linear import Matrix, logistic_regression
from secateur.tasks.backprop import NO_SITES, ExpectedRecall
from secateur.tasks.span_pruning import Encoded, Gold, SpanPruning, sites_of

PENALTY = 0.01  # of keeping a span that is not gold
FLIPS = 10  # replayed per sentence


class Roll(NamedTuple):
    x: Encoded
    gold: Gold
    mask: np.ndarray


def treebanks() -> Iterator[tuple[str, sec.Treebank]]:
    yield "garden", sec.garden.treebank(3000)
    if "SECATEUR_DATA" in os.environ:
        path = Path(os.environ["SECATEUR_DATA"]) / "ptb-sample" / "train.mrg"
        yield "ptb-sample", sec.Treebank.read(path, normalization=sec.Normalization())


def learned(task: SpanPruning, trees: list[sec.Tree]) -> np.ndarray:
    """Weights of a policy that imitates the gold spans."""
    rows, gold = [], []
    for tree in trees:
        sites = sites_of(len(tree.leaves()))
        rows.append(task.features(task.encode(tree.words()), sites, np.zeros((len(sites), 0))))
        gold.append(task.is_gold(sites, task.gold(tree)))
    advantage = np.where(np.concatenate(gold), 1.0, -PENALTY)
    matrix = Matrix.build(np.concatenate(rows), task.dim)
    return logistic_regression(matrix, advantage, regularizer=2**-13)


def rolls(task: SpanPruning, weights: np.ndarray, trees: list[sec.Tree], share: float) -> Iterator[Roll]:
    """Sentences with masks that keep this share of all their spans."""
    given = [(task.encode(tree.words()), task.gold(tree)) for tree in trees]
    scores = [task.span_features.scores(x.columns, weights) for x, _ in given]
    decided = [s[tuple(sites_of(len(x.words)).T)] for s, (x, _) in zip(scores, given, strict=True)]
    least = np.quantile(np.concatenate(decided), 1.0 - share)
    for score, (x, gold) in zip(scores, given, strict=True):
        n = len(x.words)
        mask = np.zeros((n + 1, n + 1), np.bool_)
        at = tuple(sites_of(n).T)
        mask[at] = score[at] > least
        yield Roll(x, gold, mask)


def flipped_masks(roll: Roll, rng: np.random.Generator) -> list[np.ndarray]:
    sites = sites_of(len(roll.x.words))
    masks = []
    for i, k in sites[rng.choice(len(sites), FLIPS, replace=False)]:
        masks.append(roll.mask.copy())
        masks[-1][i, k] = not roll.mask[i, k]
    return masks


def compare(name: str, trees: sec.Treebank, *, limit: int, share: float, repeat: int) -> dict[str, Any]:
    """All ways on one treebank."""
    long = [tree for tree in trees if 30 <= len(tree.leaves()) <= 40][:limit]
    held_out = set(map(id, long))
    training = [tree for tree in trees if len(tree.leaves()) <= 40 and id(tree) not in held_out][:1500]
    task = SpanPruning(
        sec.induce(trees), SpanFeatures.from_words(trees.vocabulary(), bits=20), sec.Binarization()
    )
    given = list(rolls(task, learned(task, training), long, share))
    recall = ExpectedRecall(task)
    rules = task.grammar.rules
    rng = np.random.default_rng(1)
    replays = [(roll, mask) for roll in given for mask in flipped_masks(roll, rng)]

    def by_programming() -> list[tuple[float, np.ndarray]]:
        return [recall.flipped(r.x, r.mask, r.gold, sites_of(len(r.x.words))) for r in given]

    def by_inside() -> list[float]:
        return [recall.flipped(r.x, mask, r.gold, NO_SITES)[0] for r, mask in replays]

    def by_left_child() -> list[Any]:
        return [left_child_loop(rules, r.x.words, mask) for r, mask in replays]

    by_programming(), by_inside(), by_left_child()  # compiled
    programming, inside, left_child = (
        best(way, repeat)[0] for way in (by_programming, by_inside, by_left_child)
    )
    flips = sum(len(sites_of(len(roll.x.words))) for roll in given)
    one = programming / flips
    return {
        "case": name,
        "symbols": len(task.grammar.symbols),
        "rules": len(task.grammar.binary.weight),
        "sentences": len(given),
        "spans kept": sum(int(roll.mask.sum()) for roll in given) / flips,
        "without a parse": sum(as_is == 0.0 for as_is, _ in by_programming()),
        "ms/sentence": 1e3 * programming / len(given),
        "roll-outs/s": 1.0 / one,
        "x inside replay": inside / len(replays) / one,
        "x left-child replay": left_child / len(replays) / one,
    }


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--limit", type=int, default=60, help="sentences a case")
    options.add_argument("--share", type=float, default=1 / 3, help="of the spans that are kept")
    chosen = options.parse_args()
    for name, trees in treebanks():
        row = compare(name, trees, limit=chosen.limit, share=chosen.share, repeat=chosen.repeat)
        print(
            "  ".join(f"{k} {v:,.2f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()),
            flush=True,
        )


if __name__ == "__main__":
    main()
