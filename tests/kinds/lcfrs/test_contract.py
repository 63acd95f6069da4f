"""Grammars of blocks, split or not, keep the contract of a kind of model."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

import secateur as sec
from secateur.kinds.lcfrs.settings import LcfrsSettings
from secateur.testing import check_kind
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousBank, DiscontinuousReading

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
