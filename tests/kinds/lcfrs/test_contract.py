"""Grammars of blocks, split or not, keep the contract of a kind of model."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

import secateur as sec
from secateur.kinds.lcfrs.parser import BlockParser
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.recipe import MergedScoring
from secateur.kinds.lcfrs.settings import LcfrsSettings
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.testing import check_kind
from secateur.treebanks.blocks import parsed, split
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousBank, DiscontinuousReading
from toy_lcfrs import toy_lcfrs_model
from toy_lcfrs import trees as toy_trees

LITTLE = LcfrsSettings(
    grammar="coarse", points=3, iterations=1, max_length=12, deduction=False, repeat=1, item_length=10
)
SMALL = {
    "coarse": LITTLE,
    "split": replace(LITTLE, grammar="fine", levels=1, products=2),
    "deduction": replace(LITTLE, deduction=True, item_points=3),
    "no policies": replace(LITTLE, deduction=True, item_points=0),
}


def grown(count: int) -> DiscontinuousBank:
    trees = DISCONTINUOUS.normalized(DISCONTINUOUS.grown(count), DiscontinuousReading())
    return DISCONTINUOUS.bank(islice(trees, count))


@pytest.mark.parametrize("grammar", SMALL)
def test_it_is_kept(grammar: str, tmp_path: Path) -> None:
    check_kind("lcfrs", grown(80), SMALL[grammar], tmp_path)


def test_discontinuous_trees_come_out() -> None:
    bank = grown(300)
    model: sec.Model[object, sec.Tree] = sec.train(bank, settings=SMALL["coarse"])
    parser = model.parser()
    found = [parser(tree).tree for tree in bank]
    gapped = [tree.is_discontinuous for tree in bank]
    assert sum(gapped) > 30
    both = sum(ours.is_discontinuous and theirs for ours, theirs in zip(found, gapped, strict=True))
    assert both > 0.5 * sum(gapped)
    assert all(ours.words() == tree.words() for ours, tree in zip(found, bank, strict=True))


def relabelled(tree: sec.Tree, n: int) -> sec.Tree:
    """With another label for every n-th phrase or so: a parse with mistakes."""
    children = (child if isinstance(child, sec.Leaf) else relabelled(child, n + 1) for child in tree.children)
    label = "X" if n % 5 == 0 and not tree.is_preterminal else tree.label
    return sec.Tree(label, tuple(children))


def test_levels_are_judged_by_trees_that_are_put_together() -> None:
    gold = grown(60)
    found = [relabelled(tree, n) for n, tree in enumerate(gold)]
    blocks = MergedScoring().score(map(split, gold), map(split, found))
    assert blocks == DiscontinuousScoring().score(gold, found)
    assert 30.0 < blocks.accuracy < 95.0


def test_grammars_end_the_nodes_that_they_begin() -> None:
    bank = grown(300)
    model: sec.Model[LcfrsParts, sec.Tree] = sec.train(bank, settings=SMALL["coarse"])
    assert model.parts.blocks is not None
    assert any("|<" in symbol for symbol in model.parts.blocks.rules.symbols)
    parser = sec.Parser(model.parts.blocks.rules)
    for tree in bank:
        for node in parser(tree).tree.nodes():
            found = [parsed(child.label) for child in node.children if isinstance(child, sec.Tree)]
            later = {(one.plain, one.block) for one in found if one.block}
            begun = {(one.plain, one.block) for one in found if one.block == 0}
            assert len(later) == len(begun) or parsed(node.label).block is not None


def test_a_treebank_without_gaps_is_learned_from_as_phrases() -> None:
    """It is said, nothing is deduced, and all parses are continuous."""
    bank = DISCONTINUOUS.bank(tree for tree in grown(200) if not tree.is_discontinuous)
    told: list[str] = []
    model: sec.Model[LcfrsParts, sec.Tree] = sec.train(
        bank, settings=SMALL["deduction"], tell=lambda step: told.append(step.text)
    )
    assert any(line.startswith("none of") and "discontinuous" in line for line in told)
    assert model.settings["discontinuous trees"] == 0
    assert model.parts.deduction is None
    assert not any(name.endswith("plcfrs") for name in model.ways())
    parser = model.parser()
    assert not any(parser(tree).tree.is_discontinuous for tree in bank)


def test_where_a_mask_leaves_no_parse_there_is_one_all_the_same() -> None:
    """The same way without the mask, its work and the vain one's counted; and it is said."""
    model = toy_lcfrs_model()
    hasty, whole = model.parser("hasty"), model.parser("exact")
    assert isinstance(hasty, BlockParser)
    for tree in toy_trees():
        found, again, alone = hasty(tree), whole(tree), hasty.inner(tree)
        assert alone.failed == found.fell_back
        if alone.failed:
            assert (found.tree, found.failed) == (again.tree, again.failed)
            assert found.work.pushes == alone.work.pushes + again.work.pushes
    assert any(hasty(tree).fell_back and not hasty(tree).failed for tree in toy_trees())
