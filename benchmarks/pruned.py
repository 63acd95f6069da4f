"""Words per second under a learned policy against unpruned parsing, as a ratio in one run.

    python benchmarks/pruned.py                    the garden
    SECATEUR_DATA=... python benchmarks/pruned.py  also ptb-sample

Words in, trees out and dropped: `models.measure.clock` on held-out sentences of all lengths. The policy is
trained on the gold spans of the training trees; its bias is then set so that it keeps the given share of the
spans. CPU time on one core, best of several runs, both in turn. Features (with classification), the kernel
and the making of trees are timed by themselves; the rest of the time goes to looking words up, results and
the interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import secateur as sec
from masks import learned

# A policy by hand, and the parts of a parser alone: no public name gives them.
from secateur.features.span import SpanFeatures
from secateur.grammar.derivation import build_tree
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.models.measure import clock
from secateur.search.core import Policy
from secateur.tasks.span_pruning.task import UNLIMITED, SpanPruning, sites_of
from secateur.treebanks.normalization import AS_IN_THE_PAPER
from turns import in_turn

LONGEST = 40  # words of a training sentence
PARTS = ("features", "kernel", "trees")


class Case(NamedTuple):
    name: str
    train: sec.Treebank
    dev: sec.Treebank


def cases() -> Iterator[Case]:
    grown = sec.garden.treebank(3300).normalize(AS_IN_THE_PAPER)
    yield Case("garden", grown[:3000], grown[3000:])
    if "SECATEUR_DATA" in os.environ:
        data = Path(os.environ["SECATEUR_DATA"]) / "ptb-sample"
        train, dev = (
            sec.read(data / f"{part}.mrg", normalization=AS_IN_THE_PAPER) for part in ("train", "dev")
        )
        yield Case("ptb-sample", train, dev)


def policy_of(task: SpanPruning, case: Case, share: float) -> Policy:
    """A policy that keeps this share of the spans of the held-out sentences."""
    weights = learned(task, list(case.train.filter(max_length=LONGEST)))
    features = task.span_features
    scores = []
    for tree in case.dev:
        columns = features.columns(tree.words())
        scores.append(features.scores(columns, weights)[tuple(sites_of(columns.shape[1] - 2).T)])
    bias = features.rows(features.columns(["a", "b"]), np.array([[0, 2]], np.int32))[0]
    weights[bias[features.templates.index("bias")]] -= np.quantile(np.concatenate(scores), 1.0 - share)
    return Policy(weights)


def each(work: Callable[[Any], Any], given: Iterable[Any]) -> None:
    """One after the other, none kept."""
    for one in given:
        work(one)


def compare(case: Case, share: float, limit: int, repeat: int) -> dict[str, Any]:
    """Both ways on one case."""
    grammar = sec.induce(case.train)
    features = SpanFeatures.from_words(case.train.vocabulary())
    policy = policy_of(SpanPruning(grammar, features, sec.Binarization()), case, share)
    parsers = {
        "unpruned": sec.Parser(grammar),
        "pruned": sec.Parser(grammar, features=features, policy=policy),
    }
    golds = case.dev[:limit]
    sentences = [tree.words() for tree in golds]
    given = [sec.Sentence.of(words) for words in sentences]
    ids = [grammar.lexicon.encode(sentence.penn) for sentence in given]

    def kept() -> list[Any]:
        return [features.scores(features.columns(one.penn), policy.weights) > 0 for one in given]

    masks = kept()

    def kernel() -> list[Any]:
        return [
            cky.viterbi(grammar.rules, *one, NO_ANCHORS, UNLIMITED) for one in zip(ids, masks, strict=True)
        ]

    steps = [one[0] for one in kernel()]
    found = [(one, sentence.leaves) for one, sentence in zip(steps, given, strict=True) if len(one)]
    spent = {name: timing.best for name, timing in clock(parsers, given, repeat=repeat).items()}
    spent |= in_turn(
        {
            "features": kept,
            "kernel": kernel,
            "trees": lambda: each(lambda one: build_tree(grammar, *one), found),
        },
        repeat,
    )
    words = sum(map(len, sentences))
    sites = sum(len(sites_of(len(one))) for one in sentences)
    row: dict[str, Any] = {
        "case": case.name,
        "sentences": len(sentences),
        "rules": len(grammar.binary.weight),
        "kept": sum(int(mask.sum()) for mask in masks) / sites,
        "ratio": spent["unpruned"] / spent["pruned"],
        **{part: spent[part] / spent["pruned"] for part in PARTS},
        "other": 1.0 - sum(spent[part] for part in PARTS) / spent["pruned"],
    }
    for name, parser in parsers.items():
        parses = parser.batch(given)
        result = sec.evaluate(golds, [p.tree for p in parses], failed=[p.failed for p in parses])
        row[f"{name} words/s"] = words / spent[name]
        row[f"{name} F1"] = result.total.f1
        row[f"{name} failed"] = sum(p.failed for p in parses) / len(parses)
        row[f"{name} Mpush"] = sum(p.work.pushes for p in parses) / len(parses) / 1e6
    return row


def show(row: dict[str, Any]) -> None:
    print(f"{row['case']}: {row['sentences']} sentences, {row['rules']} binary rules")
    print(f"{'':12}{'words/s':>10}{'x':>6}{'kept':>8}{'Mpush':>9}{'F1':>8}{'no parse':>10}")
    for name, kept, ratio in (("unpruned", 1.0, 1.0), ("pruned", row["kept"], row["ratio"])):
        figures = (row[f"{name} {what}"] for what in ("words/s", "Mpush", "F1", "failed"))
        speed, pushes, f1, failed = figures
        print(f"{name:12}{speed:10,.0f}{ratio:6.2f}{kept:8.1%}{pushes:9.4f}{f1:8.2f}{failed:10.1%}")
    shares = (f"{part} {row[part]:.0%}" for part in (*PARTS, "other"))
    print("time when pruned:", ", ".join(shares), flush=True)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repeat", type=int, default=9)
    options.add_argument("--limit", type=int, default=1000, help="sentences a case")
    options.add_argument("--share", type=float, default=0.2, help="of the spans that are kept")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    rows = []
    for case in cases():
        rows.append(compare(case, chosen.share, chosen.limit, chosen.repeat))
        show(rows[-1])
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
