"""Small models do what they did when they were recorded: the same trees, work, accuracies, before and after
any change that is meant to change none of them.

The files in `record` were written by the code before models of all kinds got one shape. Since then the dial
scores phrases by the tags of the gold trees, so that no sentence vanishes whose punctuation was tagged
otherwise: `accuracy` is that, `evalb` is what was recorded. What a kernel adds up may differ in its last bits
between processors: trees and counts are compared as they are, figures nearly so.

Models of phrases are stored too: where LOLS ends depends on last bits. Others are trained anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import secateur as sec
from secateur.metrics.scores import SCORING
from secateur.models.measure import measured, tried
from secateur.models.model import Model
from secateur.treebanks.dependencies import DEPENDENCIES

RECORD = Path(__file__).parent / "record"
TRAIN, DEV, NEW = (120, 0), (40, 1), (30, 2)  # sentences of the garden, and its seed
NEARLY = 1e-9

SMALL: dict[str, Any] = {"points": 3, "iterations": 2, "max_length": 12, "repeat": 1}
ARCS: dict[str, Any] = {
    "tags": "gold",
    "bits": 16,
    "epochs": 2,
    "shuffles": 1,
    "folds": 2,
    "iterations": 3,
    "costs": (1.0, 4.0),
    "repeat": 1,
    "ends": (8,),
}
CASES: dict[str, Any] = {
    "coarse": sec.Settings(grammar="coarse", **SMALL),  # as it was trained
    "split": sec.Settings(levels=2, products=2, **SMALL),
    "order-1": sec.ArcSettings(**ARCS),
    "order-2": sec.ArcSettings(order=2, sibling_ends=(4,), **ARCS),
}


def grown(settings: object, count: int, seed: int) -> Any:
    if isinstance(settings, sec.Settings):
        return sec.garden.treebank(count, seed=seed)
    return DEPENDENCIES.bank(DEPENDENCIES.grown(count, seed=seed))


def digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def said(model: Model[Any, Any], judged: Any, new: Any) -> dict[str, Any]:
    """What the points of a model do on the sentences they were judged on, and on new ones."""
    found: dict[str, dict[str, Any]] = {}
    scoring = SCORING[model.kind.annotation.name]()
    for stored in model.points:
        parser = model.measured_parser(stored.name)
        trial = tried(parser, judged, scoring)
        point = measured(stored.name, stored.way, parser, model.kind.figures, trial, trial.untimed)
        parses = list(parser.pipe(new))
        work = {name: sum(getattr(parse.work, name) for parse in parses) for name in parses[0].work._fields}
        found[point.name] = {
            "accuracy": pytest.approx(point.accuracy, abs=NEARLY),
            "work": pytest.approx(point.work, abs=NEARLY),
            "kept": pytest.approx(point.kept, abs=NEARLY),
            "failures": pytest.approx(point.failures, abs=NEARLY),
            "trees": digest(_text(parse) for parse in parses),
            "counts": {name: count for name, count in work.items() if count},
        }
        if model.kind.name == "pcfg":
            failed = [parse.failed for parse in trial.parses]
            plain = sec.evaluate(judged, [parse.tree for parse in trial.parses], failed=failed)
            found[point.name]["evalb"] = pytest.approx(plain.total.f1, abs=NEARLY)
    return found


def _text(parse: sec.Parse[Any]) -> str:
    return str(parse.tree) if isinstance(parse.tree, sec.Tree) else parse.text("conllu")


@pytest.mark.parametrize("name", CASES)
def test_nothing_has_changed(name: str) -> None:
    settings = CASES[name]
    dev, new = grown(settings, *DEV), grown(settings, *NEW)
    if (RECORD / name).exists():
        model = sec.Model.load(RECORD / name)
    else:
        model = sec.train(grown(settings, *TRAIN), dev=dev, settings=settings)
    record = json.loads((RECORD / f"{name}.json").read_text())
    assert said(model, dev[1::2], new) == record["points"]
    if model.kind.name == "pcfg":
        words = [tree.words() for tree in new[:10]]
        coarse = sec.Parser(model.parts.rules)
        assert digest(str(parse.tree) for own in words for parse in coarse.kbest(own, 3)) == record["kbest"]
        best: Any = model.parser("exact" if name == "coarse" else "exact+max-rule")
        found = [best.marginals(own) for own in words]
        spans = (
            f"{n} {span.label} {span.i} {span.k}" for n, one in enumerate(found) for span, _ in one.above(0.1)
        )
        assert digest(spans) == record["marginals"]
        assert sum(one.log_total for one in found) == pytest.approx(record["log_totals"], rel=NEARLY)
        assert digest(str(best.max_recall(own).tree) for own in words) == record["max_recall"]
