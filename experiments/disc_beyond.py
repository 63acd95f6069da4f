"""Beyond max-rule: where a grammar of blocks loses F1, and what ranking its likeliest trees brings, on dev.

    python experiments/disc_beyond.py --model alpino.model
    python experiments/disc_beyond.py --model alpino.model --test

The first looks at sentences of at most 25 words of dev: what the best of a grammar's k likeliest trees
would have, what gold tags would bring; and variants of a ranker, learned from lists that are made in
--work (grammars of folds are trained there, unless a training left them). The second opens test, once, for
the model's own points. What is there already is not done again.

What came of it: the points that are called ranked.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from report import OUT, Pictures, Sections, read_json, start, table, write_json

# Parts without public names: what is tried here is how trees are chosen, before there is a point for it.
from secateur.features.tree import TreeFeatures, head_shares
from secateur.kernels.cky.rules import Anchors
from secateur.kinds.lcfrs.ranker import EVEN, Candidates, expected_f1
from secateur.kinds.lcfrs.ranking import Lists, fitted, joined, lists_of
from secateur.kinds.lcfrs.settings import LcfrsSettings
from secateur.kinds.pcfg.parser import Parser
from secateur.metrics.discontinuous import DiscontinuousScoring, Matches
from secateur.models.loading import load_model
from secateur.models.measure import clock, tried
from secateur.models.run import Run
from secateur.treebanks.blocks import merge
from secateur.treebanks.tree import Tree

NAME = "disc-beyond-alpino"
SHORT = 25  # words
MOST = 100  # trees of a sentence
BEST = (1, 2, 5, 10, 30, 100)
LEARNED = (0, 30)  # lists are of so many
POINTS = ("exact+product", "exact+product+ranked", "baseline-0+product", "baseline-0+product+ranked")
# Regularizer, by what the learned trust in the grammar is multiplied, by what scores are divided (0: the
# likeliest tree, not the one of highest expected F1), folds of lists.
VARIANTS = (
    [(3.0, trust, 0.0, 4) for trust in (0.0, 0.25, 0.5, 1.0)]
    + [(regularizer, 0.5, 0.0, 4) for regularizer in (1.0, 10.0)]
    + [(3.0, 0.5, 0.0, folds) for folds in (1, 2)]
    + [(3.0, 0.5, even, 4) for even in (1.0, 1.5, 2.5)]
    + [(3.0, 0.25, even, 4) for even in (1.0, 1.5, 2.5)]
)

Row = dict[str, Any]


@dataclass(frozen=True)
class Listed:
    """The candidates of a sentence."""

    said: np.ndarray
    matches: Sequence[Matches]
    rows: Sequence[list[int]]
    phrases: Sequence[list[int]]


def listed(parser: Parser, features: TreeFeatures, gold: Tree) -> Listed:
    parses = parser.kbest(gold.words(), MOST)
    told = features.of(parses[0].tree.words())
    trees, numbers, said = Candidates.of(told, parses)
    matches = DiscontinuousScoring().score([gold] * len(trees), trees).sentences
    rows, phrases = (list(map(say, numbers)) for say in (told.buckets, told.phrases))
    return Listed(np.array(said), matches, rows, phrases)


def chosen(every: Sequence[Listed], choose: Callable[[Listed], int]) -> Row:
    return figures(Matches.sum(one.matches[choose(one)] for one in every))


def figures(total: Matches) -> Row:
    gapped = total.discontinuous
    found = {
        "F1": total.all.f1,
        "discontinuous F1": gapped.f1,
        "recall": gapped.recall,
        "precision": gapped.precision,
        "tags": total.figures()["tag_accuracy"],
    }
    return {name: round(value, 2) for name, value in found.items()}


def best_of(k: int) -> Callable[[Listed], int]:
    """The tree with the highest F1 of the first k."""
    return lambda one: max(range(min(k, len(one.said))), key=lambda n: one.matches[n].all.f1)


def gold_tags(parser: Parser, gold: Tree) -> Tree:
    """What is found where words have no tags but those of gold, as far as the grammar has them."""
    lexicon, number = parser.grammar.lexicon, parser.grammar.number
    ids = lexicon.encode(parser.given(gold.words()).spelt(lexicon.index).penn)
    scores = np.zeros((len(ids), len(number)), np.float32)
    for p, (tag, word) in enumerate(zip(gold.tags(), ids.tolist(), strict=True)):
        if number.get(tag, -1) in lexicon.tag[lexicon.ptr[word] : lexicon.ptr[word + 1]]:
            scores[p] = -np.inf
            scores[p, number[tag]] = 0.0
    anchors = Anchors(np.zeros((0, 0), np.float32), scores)
    return merge(parser.parse(gold.words(), anchors=anchors).tree)


def ranked(weights: np.ndarray, trust: float, even: float) -> Callable[[Listed], int]:
    """As a ranker chooses among its first trees."""

    def choose(one: Listed) -> int:
        first = slice(*LEARNED)
        own = np.array([float(weights[row].sum()) for row in one.rows[first]])
        scores = own + trust * one.said[first]
        return int((expected_f1(one.phrases[first], scores / even) if even else scores).argmax())

    return choose


def variants(folds: Sequence[Lists], dim: int, every: Sequence[Listed]) -> Iterator[tuple[str, Row]]:
    learned: dict[tuple[float, int], tuple[np.ndarray, float]] = {}
    for regularizer, factor, even, count in VARIANTS:
        key = regularizer, count
        if key not in learned:
            learned[key] = fitted(joined(folds[:count]), dim, regularizer=regularizer)
        weights, trust = learned[key]
        said = f"expected F1, {even:g}" if even else "likeliest"
        name = f"regularizer {regularizer:g}, trust {factor:g}, {said}, {count} folds"
        yield name, chosen(every, ranked(weights, factor * trust, even))
    none = np.zeros(dim, np.float32)
    for even in (1.0, EVEN, 4.0):
        yield f"no features, trust 1, expected F1, {even:g}", chosen(every, ranked(none, 1.0, even))


def points(model: Any, bank: Any, names: Sequence[str]) -> Row:
    """Of a model's own points, and their speed in one run."""
    parsers = {name: model.parser(name) for name in names}
    parts = {"25": bank.filter(max_length=SHORT), "all": bank}
    found: Row = {name: {} for name in names}
    for part, trees in parts.items():
        sentences = [model.kind.annotation.sentence(tree) for tree in trees]
        timings = clock(parsers, sentences, repeat=1)
        for name, parser in parsers.items():
            trial = tried(parser, trees, DiscontinuousScoring())
            scores: Any = trial.scores
            low = scores.intervals()
            found[name][part] = {
                **figures(scores.total),
                "interval": [round(x, 1) for x in low["F1"]],
                "interval of discontinuous": [round(x, 1) for x in low["discontinuous F1"]],
                "words/s": round(trial.words / timings[name].best),
                "failed": sum(parse.failed for parse in trial.parses),
            }
            print(f"  {name}, {part}: {found[name][part]}", flush=True)
    return found


def measure(model: Any, train: Any, dev: Any, work: Path, file: Path) -> None:
    """All that is looked at on dev, row by row."""
    rows: Row = read_json(file) if file.exists() else {}

    def put(name: str, make: Callable[[], Row]) -> None:
        if name not in rows:
            rows[name] = make()
            write_json(file, rows)
            print(name, rows[name], flush=True)

    features = TreeFeatures(head_shares(train))
    parser, short = Parser(model.parts.blocks.grammar), dev.filter(max_length=SHORT)
    every = [listed(parser, features, gold) for gold in short]
    for k in BEST:
        put(f"best of {k}", lambda k=k: chosen(every, best_of(k)))
    tagged = (gold_tags(parser, gold) for gold in short)
    put("gold tags", lambda: figures(DiscontinuousScoring().score(short, tagged).total))
    settings = LcfrsSettings()
    splitting = settings.blocks.splitting
    assert splitting is not None, "blocks are split by default"
    apart = replace(splitting, levels=model.settings["level"], products=1)
    folds = lists_of(Run(work), train, features, apart, settings.max_length)
    for name, row in variants(folds, 1 << features.bits, every):
        put(name, lambda row=row: row)
    put("points", lambda: points(model, dev, POINTS))


def sections(out: Path, pictures: Pictures) -> Sections:
    file = out / f"{NAME}.json"
    return {"disc_beyond": show(read_json(file))} if file.exists() else {}


def show(found: Row) -> str:
    header = ["dev, at most 25 words", "F1", "discontinuous", "its recall", "its precision", "right tags"]
    keys = ("F1", "discontinuous F1", "recall", "precision", "tags")
    lines = [[name, *(f"{row[key]:.1f}" for key in keys)] for name, row in found.items() if "F1" in row]
    text = table(header, lines)
    for bank, title in (("points", "dev"), ("test", "test")):
        if bank in found:
            header = [
                f"{title}: point",
                *(f"{a}{b}" for b in (", at most 25", ", all") for a in ("F1", "discontinuous", "words/s")),
            ]
            text += "\n" + table(header, [_line(name, row) for name, row in found[bank].items()])
    return text


def _line(name: str, row: Row) -> list[str]:
    cells = [f"`{name}`"]
    for part in ("25", "all"):
        one = row[part]
        low, high = one["interval"]
        cells += [
            f"{one['F1']:.1f} ({low:.1f}-{high:.1f})",
            f"{one['discontinuous F1']:.1f}",
            f"{one['words/s']:,}",
        ]
    return cells


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--model", type=Path, required=True, help="one with a ranker")
    parser.add_argument("--work", type=Path, help="lists and grammars of folds; by default in --out")
    parser.add_argument("--test", action="store_true", help="the model's points on test, and nothing else")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    data = Path(os.environ["SECATEUR_DATA"]) / "alpino"
    file = given.out / f"{NAME}.json"
    model = load_model(given.model)
    if given.test:
        known: Row = read_json(file) if file.exists() else {}
        if "test" not in known:
            write_json(file, {**known, "test": points(model, sec.read(data / "test.xml"), POINTS)})
        return
    train, dev = (sec.read(data / f"{name}.xml") for name in ("train", "dev"))
    measure(model, train, dev, given.work or given.out / "runs" / NAME, file)


if __name__ == "__main__":
    start(main)
