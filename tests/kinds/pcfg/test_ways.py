"""The ways of a split grammar: their names, what they parse with, and which a model's points may go."""

from __future__ import annotations

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
from secateur.grammar.latent.grammar import SplitPCFG, product
from secateur.grammar.latent.ladder import ladder
from secateur.grammar.latent.projection import seen_from
from secateur.grammar.latent.splitmerge import Schedule
from secateur.kinds.pcfg import KIND
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.kinds.pcfg.ways import BRISK, decodings, grammar_of, name_of, offered, ways, without_mask
from secateur.models.model import Model
from secateur.models.point import Point
from secateur.search.core import Policy

TREES = sec.garden.treebank(230)
SENTENCES = [tree.words() for tree in TREES[200:]]
QUICK = Schedule(split_rounds=6, merge_rounds=2, smooth_rounds=1)


@cache
def model() -> Model[Any, Any]:
    """A product of two grammars of level 2, and a policy that keeps some spans."""
    every = [SplitSettings(levels=2, schedule=QUICK, seed=seed) for seed in range(2)]
    whole = product([SplitTraining(TREES[:200], settings=one).fit().grammar() for one in every])
    features = SpanFeatures.from_words(Counter(w for words in SENTENCES for w in words), bits=12)
    weights = np.random.default_rng(1).normal(size=features.dim).astype(np.float32) + np.float32(0.5)
    parts = PcfgParts(whole, features)
    points = [
        Point(name, way, 70.0 + n, 68.0, 80.0, 0.5, 2000.0, 0.01, 1.0, 0.0)
        for n, (name, way) in enumerate(ways(parts, ["keep"]).items())
    ]
    return Model(KIND, parts, {"keep": Policy(weights)}, points, {"trees": 200, "checksum": "x"})


@cache
def grammar() -> SplitPCFG:
    found = model().parts.grammar
    assert isinstance(found, SplitPCFG)
    return found


def test_names() -> None:
    found = ways(model().parts, ["lols-3"])
    assert all(name_of(way) == name for name, way in found.items())
    assert len(found) == 2 * len(decodings(grammar()))
    assert next(iter(found)) == "exact+product"
    assert found["lols-3+viterbi-2"] == {"mask": "lols-3", "decode": "viterbi", "level": 2}
    assert found["exact+product-0.001"] == {"decode": "product", "least": 0.001}
    assert found["lols-3+max-rule"] == {"mask": "lols-3", "decode": "max-rule"}
    assert without_mask(found["lols-3+max-rule-0.001"]) == found["exact+max-rule-0.001"]
    assert list(ways(replace(model().parts, grammar=grammar().coarse), ["own"])) == ["exact", "own"]


@pytest.mark.parametrize("level", [1, 2])
def test_viterbi_at_a_level_is_that_of_its_flat_grammar(level: int) -> None:
    fine = model().parser(f"exact+viterbi-{level}")
    flat = sec.Parser(seen_from(replace(grammar(), others=()), level).flat())
    scores = [(fine.parse(words).score, flat.parse(words).score) for words in SENTENCES]
    assert all(ours == pytest.approx(theirs, rel=1e-5) for ours, theirs in scores)
    assert len({round(score) for score, _ in scores}) > 5


def test_viterbi_at_a_level_keeps_to_the_mask() -> None:
    free, kept = (model().parser(f"{mask}+viterbi-2") for mask in ("exact", "keep"))
    for words in SENTENCES:
        whole, pruned = free.parse(words), kept.parse(words)
        assert pruned.work.kept <= whole.work.kept
        assert pruned.failed or pruned.score <= whole.score + 1e-4
    assert any(kept.parse(words).work.pushes < free.parse(words).work.pushes for words in SENTENCES)


@pytest.mark.parametrize(("decode", "others"), [("max-rule", False), ("product", True)])
def test_a_larger_threshold_drops_more(decode: str, others: bool) -> None:
    brisk, usual = model().parser(f"exact+{decode}-{BRISK:g}"), model().parser(f"exact+{decode}")
    used = grammar() if others else replace(grammar(), others=())
    own = sec.Parser(used, ladder=ladder(used, least=BRISK))
    for words in SENTENCES:
        found = brisk.parse(words)
        assert str(found.tree) == str(own.parse(words).tree)
        assert found.work.pushes <= usual.parse(words).work.pushes


def test_points_of_all_ways_are_read_as_they_were_saved(tmp_path: Path) -> None:
    model().save(tmp_path)
    again = Model.load(tmp_path)
    assert list(again.points) == list(model().points)
    for name in model().ways():
        one, other = model().parser(name), again.parser(name)
        for words in SENTENCES[:8]:
            assert str(one.parse(words).tree) == str(other.parse(words).tree)


@pytest.mark.parametrize(
    "way",
    [
        {"decode": "viterbi", "level": 3},  # there are two
        {"decode": "viterbi", "level": 0},
        {"decode": "viterbi", "level": 1.5},
        {"decode": "max-rule", "least": 2.0},
        {"decode": "max-rule", "least": 0.002},
        {"decode": "product", "level": 1},
        {"decode": "viterbi", "least": 0.001},
    ],
)
def test_points_of_other_ways_are_refused(way: dict[str, Any], tmp_path: Path) -> None:
    point = replace(model().points[0], way=way, name=name_of(way))
    replace(model(), points=[point, *model().points]).save(tmp_path)
    with pytest.raises(InputError, match=r"damaged: the point .* is no way to parse"):
        Model.load(tmp_path)


def test_a_grammar_without_levels_has_none_to_decode_at() -> None:
    flat = seen_from(replace(grammar(), others=()), 0)
    assert [name_of(way) for way in decodings(flat)] == ["exact", "exact+max-rule-0.001", "exact+max-rule"]
    assert np.isfinite(sec.Parser(flat).parse(SENTENCES[0]).score)


def test_of_many_grammars_a_few_decode_too() -> None:
    one = replace(grammar(), others=())
    five = product([one, *(replace(one, blocks=grammar().others[0]) for _ in range(4))])
    found = ways(replace(model().parts, grammar=five), ["keep"])
    assert found["keep+product-4-0.001"] == {"mask": "keep", "decode": "product", "of": 4, "least": 0.001}
    used = grammar_of(five, found["exact+product-4"])
    assert isinstance(used, SplitPCFG)
    assert used.others == five.others[:3]
    assert used is five.first(4)
    assert grammar_of(five, found["exact+product"]) is five
    some = offered(replace(model().parts, grammar=five), ["keep"])
    assert {"exact+product", "keep+product", "keep+product-4-0.001"} <= set(some)
    assert "keep+product-0.001" not in some


def test_what_is_offered() -> None:
    every, found = ways(model().parts, ["keep"]), offered(model().parts, ["keep"])
    assert found.items() <= every.items()
    assert next(iter(found)) == next(iter(every))
    assert set(found) == {
        "exact+product", "exact+product-0.001", "exact+viterbi-1", "exact",
        "keep+product-0.001", "keep+viterbi-1", "keep+product",
    }  # fmt: skip
    some = offered(model().parts, ["a", "b", "c"])
    assert {"a+product", "b+product"} <= set(some)
    assert "c+product" not in some
    single = replace(model().parts, grammar=replace(grammar(), others=()))
    assert "keep+max-rule-0.001" in offered(single, ["keep"])
    once = replace(model().parts, grammar=seen_from(replace(grammar(), others=()), 1))
    assert set(offered(once, ["keep"])) == {
        "exact+max-rule", "exact+max-rule-0.001", "exact", "keep+max-rule-0.001", "keep", "keep+max-rule",
    }  # fmt: skip
    plain = replace(model().parts, grammar=grammar().coarse)
    assert offered(plain, ["keep"]) == ways(plain, ["keep"])
