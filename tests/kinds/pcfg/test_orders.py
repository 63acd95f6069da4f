"""Orders of an agenda as parts of a model: points, files, what is refused."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.latent.projection import seen_from
from secateur.grammar.latent.splitmerge import Schedule
from secateur.kinds.pcfg import KIND
from secateur.kinds.pcfg.agenda import AgendaParser
from secateur.kinds.pcfg.orders import BOUNDARY, Orders, items_of
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.kinds.pcfg.ways import name_of, offered, ways
from secateur.models.model import Model
from secateur.models.point import Point
from secateur.models.storage import pack_arrays
from secateur.search.core import Policy
from secateur.treebanks.phrases import Treebank

TREES = sec.garden.treebank(130)
TRAIN, SENTENCES = TREES[:100], [tree.words() for tree in TREES[100:]]
RIGHT = SplitSettings().binarization


@cache
def model(split: bool = True) -> Model[Any, Any]:
    """Of a grammar of level 2, with a policy that keeps some spans."""
    grammar: Any = sec.induce(TRAIN)
    binarization = sec.Binarization()
    if split:
        quick = Schedule(split_rounds=5, merge_rounds=2, smooth_rounds=1)
        grammar = SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=quick)).fit().grammar()
        binarization = RIGHT
    features = SpanFeatures.from_words(Counter(w for words in SENTENCES for w in words), bits=12)
    weights = np.random.default_rng(1).normal(size=features.dim).astype(np.float32) + np.float32(0.3)
    parts = PcfgParts(grammar, features, Orders.counted(grammar, TRAIN, binarization))
    points = [
        Point(name, way, 70.0 + n, 68.0, 90.0, 0.5, 2000.0, 0.01, 1.0, 0.0)
        for n, (name, way) in enumerate(ways(parts, ["keep"]).items())
    ]
    return Model(KIND, parts, {"keep": Policy(weights)}, points, {"trees": 100, "checksum": "x"})


def test_names() -> None:
    found = ways(model().parts, ["keep"])
    assert all(name_of(way) == name for name, way in found.items())
    assert found["boundary+viterbi-1"] == {"order": "boundary", "decode": "viterbi", "level": 1}
    assert found["boundary+keep+viterbi-1"]["mask"] == "keep"
    assert next(iter(found)) == "exact+max-rule"
    plain = ways(model(split=False).parts, ["keep"])
    orders = ["boundary", "boundary+viterbi-12", "boundary+keep", "boundary+keep+viterbi-12"]
    assert list(plain) == ["exact", "keep", *orders]
    assert found["boundary+keep+viterbi-1-12"] == {**found["boundary+keep+viterbi-1"], "delta": 12.0}
    some = offered(model().parts, ["a", "b", "c"])
    deepening = ["boundary+viterbi-1-12", "boundary+a+viterbi-1-12", "boundary+b+viterbi-1-12"]
    assert [name for name in some if "boundary" in name] == deepening
    some = offered(model(split=False).parts, ["a", "b", "c"])
    assert [name for name in some if "boundary" not in name] == ["exact", "a", "b", "c"]
    assert len(some) == 4 + 3
    without = replace(model().parts, orders=None)
    assert not any("boundary" in name for name in ways(without, ["keep"]))
    assert model().sizes()["orders"] == 1


@pytest.mark.parametrize("split", [True, False])
def test_points_are_read_as_they_were_saved(split: bool, tmp_path: Path) -> None:
    own = model(split)
    own.save(tmp_path)
    again = Model.load(tmp_path)
    assert list(again.points) == list(own.points)
    names = [name for name in own.ways() if BOUNDARY in name]
    pops = []
    for name in names:
        one, other = own.parser(name), again.parser(name)
        assert isinstance(one, AgendaParser)
        found = [(one.parse(words), other.parse(words)) for words in SENTENCES]
        assert all(str(a) == str(b) and a.score == b.score and a.work == b.work for a, b in found)
        pops.append(sum(a.work.pops for a, _ in found))
    exact = AgendaParser(items_of(own.parts.grammar))
    assert pops[0] < sum(exact.parse(words).work.pops for words in SENTENCES) / 2


def test_models_saved_before_have_no_dynamic_features(tmp_path: Path) -> None:
    changed(tmp_path, lambda notes, _: notes["features"]["settings"].pop("dynamic"))
    own, again = model(), Model.load(tmp_path)
    assert again.parts.orders.features.settings == own.parts.orders.features.settings
    for words in SENTENCES[:4]:
        one, other = (each.parser("boundary+viterbi-1").parse(words) for each in (own, again))
        assert (str(one), one.work) == (str(other), other.work)


def test_dynamic_features_are_saved(tmp_path: Path) -> None:
    """With weights that count; a model that does not say so has other features."""
    orders = model().parts.orders
    features = orders.features.with_settings(replace(orders.features.settings, dynamic=True))
    weights = features.start("words", "label | word before", "word after | label")
    weights[features.names.index("behind")] = -0.5
    dynamic = replace(orders, notes=features.notes(), weights=weights[None])
    own = replace(model(), parts=replace(model().parts, orders=dynamic))
    own.save(tmp_path)
    again, other = Model.load(tmp_path), 0
    for words in SENTENCES[:8]:
        one, two = (each.parser("boundary+viterbi-1").parse(words) for each in (own, again))
        assert (str(one), one.work) == (str(two), two.work)
        other += one.work != model().parser("boundary+viterbi-1").parse(words).work
    assert other


def test_an_order_is_nearly_as_good_as_charts() -> None:
    trees = Treebank(TREES[100:])
    grammar = model().parts.grammar
    chart = sec.Parser(seen_from(grammar, 1), decode="viterbi")
    exact, own = (
        sec.evaluate(trees, [parser.parse(words).tree for words in SENTENCES]).accuracy
        for parser in (chart, model().parser("boundary+viterbi-1"))
    )
    assert own > exact - 8.0


def test_deadlines_of_a_model() -> None:
    """At a point of an order, and at others."""
    for name in ("boundary+viterbi-1", "boundary+keep+viterbi-1", "keep", "exact+max-rule"):
        late, own = model().parser(name, deadline=1e6), model().parser(name)
        for words in SENTENCES[:4]:
            found = late.parse(words)
            assert str(found) == str(own.parse(words))
            assert found.notes["status"] == "complete"
            soon = model().parser(name, deadline="0.001ms").parse(words)
            assert soon.notes["status"] == "deadline"
            assert soon.failed
            assert soon.tree.words() == words
            assert set(soon.tree.tags()) <= set(model().parts.rules.symbols)


@pytest.mark.parametrize("split", [True, False])
def test_what_points_certify_is_best(split: bool) -> None:
    """With a mask and a delta too, and only if they are asked to."""
    own = model(split)
    whole = AgendaParser(items_of(own.parts.grammar))
    exact = [whole.parse(words) for words in SENTENCES]
    count = dict.fromkeys((name for name in own.ways() if BOUNDARY in name), 0)
    for name in count:
        asked, plain = own.parser(name, certify=True), own.parser(name)
        for words, best in zip(SENTENCES, exact, strict=True):
            found, other = asked.parse(words), plain.parse(words)
            assert (str(found), found.work, found.score) == (str(other), other.work, other.score)
            assert found.score == best.score or not found.certified
            assert not other.certified
            count[name] += found.certified
    free, masked = (sum(n for name, n in count.items() if ("keep" in name) == keep) for keep in (False, True))
    assert free > (0 if split else len(SENTENCES) / 2)  # the level below knows little
    assert masked <= free


def test_what_an_agenda_has_and_has_not() -> None:
    """The best trees of what was popped, but no posteriors."""
    several = model().parser("boundary+viterbi-1-12", kbest=3)
    found = several.answers([several.given(words) for words in SENTENCES])
    assert max(map(len, found)) == 3
    for using in ({"max_recall": True}, {"marginals": 0.1}):
        with pytest.raises(InputError, match="an agenda keeps one derivation of an item"):
            model().parser("boundary+viterbi-1", **using)
    tree = model().parser("boundary+viterbi-1", binarized=True).parse(SENTENCES[0]).tree
    assert any("~" in node.label for node in tree.nodes())


def changed(folder: Path, change: Any) -> None:
    """Saved with other notes or arrays, as whoever saves a model may."""
    own = model().parts.orders
    notes, arrays = json.loads(json.dumps(own.to_notes())), own.to_arrays()
    change(notes, arrays)

    class Other(Orders):
        def to_notes(self) -> dict[str, Any]:
            return notes

        def to_arrays(self) -> dict[str, Any]:
            return arrays

    other = Other(own.grammar, own.names, own.notes, own.arrays, own.weights)
    replace(model(), parts=replace(model().parts, orders=other)).save(folder)
    pack_arrays(arrays)


CHANGES: dict[str, Any] = {
    "no names": lambda notes, _: notes.update(names=[]),
    "twice": lambda notes, arrays: (
        notes.update(names=["a", "a"]),
        arrays.update(weights=np.repeat(arrays["weights"], 2, 0)),
    ),
    "a name of two": lambda notes, _: notes.update(names=["a+b"]),
    "a name of points": lambda notes, _: notes.update(names=["boundary-halting"]),
    "a name elsewhere": lambda notes, _: notes.update(names=["../a"]),
    "bounds": lambda notes, _: notes["features"]["settings"].update(outside=True),
    "shares": lambda notes, _: notes["features"]["settings"].update(shares=True),
    "dynamic ones": lambda notes, _: notes["features"]["settings"].update(dynamic=True),
    "labels": lambda notes, _: notes["features"].update(labels=notes["features"]["labels"][::-1]),
    "no sign": lambda notes, _: notes["features"]["patterns"].append([]),
    "a pattern more": lambda notes, _: notes["features"]["patterns"].append(["word"]),
    "weights": lambda _, arrays: arrays.update(weights=arrays["weights"][:, 1:]),
    "endless": lambda _, arrays: arrays.update(weights=arrays["weights"] + np.float32(np.inf)),
    "a tag": lambda _, arrays: arrays.update(tag=arrays["tag"] + np.uint32(1000)),
    "impossible": lambda _, arrays: arrays.update({"merit-before": arrays["merit-before"] * 0.0}),
    "an array less": lambda _, arrays: arrays.pop("merit-tags"),
    "no figures of merit": lambda notes, _: notes["features"]["settings"].update(merit=False),
}


@pytest.mark.parametrize("what", CHANGES)
def test_orders_that_do_not_fit_are_refused(what: str, tmp_path: Path) -> None:
    changed(tmp_path, lambda notes, arrays: None)
    Model.load(tmp_path)
    changed(tmp_path, CHANGES[what])
    with pytest.raises(InputError, match=r"orders\.(json|npz).*damaged"):
        Model.load(tmp_path)
