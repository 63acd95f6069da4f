"""Split grammars level by level: kept, resumed, refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.grammar.latent.splitmerge import Schedule
from secateur.kinds.pcfg.split import LevelDone, SplitSettings, SplitTraining
from secateur.models.run import Run

QUICK = Schedule(split_rounds=4, merge_rounds=2, smooth_rounds=2)
TREES = sec.garden.treebank(150)


def settings(levels: int = 2, seed: int = 0) -> SplitSettings:
    return SplitSettings(levels=levels, schedule=QUICK, seed=seed)


def test_a_stopped_run_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    whole = SplitTraining(TREES, settings=settings()).fit()
    SplitTraining(TREES, settings=settings(levels=1), run=Run(tmp_path)).fit()
    rounds: list[LevelDone] = []
    resumed = SplitTraining(TREES, settings=settings(), run=Run(tmp_path), tell=rounds.append).fit()
    assert {one.level for one in rounds if one.round} == {2}
    for one, other in zip(whole.levels_, resumed.levels_, strict=True):
        for a, b in zip(one.blocks, other.blocks, strict=True):
            assert np.array_equal(a, b)
        assert np.array_equal(one.mass, other.mass)
        assert all(np.array_equal(a, b) for a, b in zip(one.origin, other.origin, strict=True))
        assert one.likelihood == other.likelihood


def test_a_folder_belongs_to_one_run(tmp_path: Path) -> None:
    SplitTraining(TREES, settings=settings(levels=1), run=Run(tmp_path))
    with pytest.raises(InputError, match="other settings"):
        SplitTraining(TREES, settings=settings(levels=1, seed=1), run=Run(tmp_path))


def test_too_few_trees_stay_at_the_level_below() -> None:
    told: list[LevelDone] = []
    small = SplitTraining(TREES[:30], settings=settings(levels=5), tell=told.append).fit()
    assert 0 < len(small.levels_) < 6
    assert (
        told[-1].remark == f"too few trees for level {len(small.levels_)}: staying at level {told[-1].level}"
    )
    assert small.grammar().coarse.symbols


def test_a_level_that_was_never_trained() -> None:
    trained = SplitTraining(TREES, settings=settings(levels=1)).fit()
    assert trained.grammar(0).blocks.splits.max() == 1
    with pytest.raises(InputError, match="level 2 was not trained"):
        trained.grammar(2)
    with pytest.raises(InputError, match="0 levels"):
        SplitSettings(levels=0)
