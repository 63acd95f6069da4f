"""Training end to end on a small garden: a model with a frontier, its dial, and damage to its files."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.settings import Settings
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.kinds.pcfg.trainer import Trainer, some_rollouts
from secateur.kinds.pcfg.ways import UNPRUNED
from secateur.kinds.pruning import sweep_range
from secateur.models.loading import load
from secateur.models.model import Model
from secateur.models.run import Run
from secateur.models.training import train
from secateur.treebanks.phrases import PhraseReading
from secateur.treebanks.tree import Tree

SMALL = Settings(grammar="coarse", points=3, iterations=2, repeat=1, max_length=15)
Made = Model[PcfgParts, Tree]


@pytest.fixture(scope="module")
def trees() -> sec.Treebank:
    return sec.garden.treebank(160).filter(max_length=25)


@pytest.fixture(scope="module")
def model(trees: sec.Treebank) -> Made:
    return train(trees[:100], dev=trees[100:], settings=SMALL)


@pytest.fixture
def saved(model: Made, tmp_path: Path) -> Path:
    model.save(tmp_path / "my.model")
    return tmp_path / "my.model"


def test_a_frontier_comes_out(model: Made) -> None:
    names = {p.name for p in model.points}
    assert names == {UNPRUNED, *(f"{kind}-{n}" for kind in ("baseline", "lols") for n in range(3))}
    assert set(model.policies) == names - {UNPRUNED}
    exact = next(p for p in model.points if p.name == UNPRUNED)
    assert exact.kept == 1.0
    for p in model.points:
        assert p.work <= exact.work
        assert p.low <= p.accuracy <= p.high
    assert all(len(run["rounds"]) >= 2 for run in model.log)


def test_a_saved_model_is_the_same_model(model: Made, saved: Path) -> None:
    again = Model.load(saved)
    assert list(again.points) == list(model.points)
    assert again.parts.features.vocabulary == model.parts.features.vocabulary
    for name, policy in model.policies.items():
        assert np.array_equal(again.policies[name].weights, policy.weights)
    assert np.array_equal(again.parts.rules.binary.weight, model.parts.rules.binary.weight)


def test_how_trees_were_treated_is_recorded(trees: sec.Treebank, tmp_path: Path) -> None:
    way, steps = sec.Binarization("right", h=1, v=2), sec.Normalization(functions=False)
    reading = PhraseReading.of(steps)
    settings = replace(SMALL, iterations=1, max_length=8, binarization=way)
    train(trees[:40], dev=trees[40:50], settings=settings, reading=reading).save(tmp_path)
    again = Model.load(tmp_path)
    assert sec.Binarization.from_notes(again.settings) == way
    assert sec.Normalization.from_notes(again.settings) == steps
    assert PhraseReading.from_notes(again.settings) == reading
    assert "- binarization: right\n- h: 1\n- v: 2\n" in (tmp_path / "card.md").read_text()


def test_what_was_not_recorded_is_the_default(model: Made) -> None:
    assert "normalization" not in model.settings
    assert PhraseReading.from_notes(model.settings).normalization == sec.Normalization()
    assert sec.Binarization.from_notes({"trees": 100}) == sec.Binarization()


def test_parsers_at_the_points_of_the_dial(saved: Path, trees: sec.Treebank) -> None:
    slow, fast = load(saved, point=UNPRUNED), load(saved, fastest=True)
    words = trees[110].words()
    assert slow.parse(words).work.pushes >= fast.parse(words).work.pushes
    assert fast.parse(words).tree.words() == words


def test_only_one_setting_of_the_dial(model: Made) -> None:
    with pytest.raises(InputError, match="more than one"):
        model.choose(budget="100wps", fastest=True)
    with pytest.raises(InputError, match="no operating point"):
        model.choose(point="lols-99")


@pytest.mark.parametrize("name", ["grammar.gr.gz", "policies/lols-0.npz", "frontier.json", "vocabulary.txt"])
def test_damaged_files_are_refused_by_name(saved: Path, name: str) -> None:
    file = saved / name
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.raises(InputError, match=Path(name).name):
        Model.load(saved)


def test_missing_files_and_other_versions_are_refused(saved: Path) -> None:
    (saved / "policies" / "lols-1.npz").unlink()
    with pytest.raises(InputError, match="missing"):
        Model.load(saved)
    about = saved / "model.toml"
    about.write_text(about.read_text().replace("format = 2", "format = 99"))
    with pytest.raises(InputError, match="format 99"):
        Model.load(saved)
    with pytest.raises(InputError, match="not a model"):
        Model.load(saved / "policies")


def test_a_policy_of_another_model_is_refused(saved: Path) -> None:
    policies = saved / "policies"
    (policies / "lols-0.npz").write_bytes((policies / "baseline-2.npz").read_bytes())
    promised = json.loads((saved / "checksums.json").read_text())
    assert promised["policies/lols-0.npz"] != promised["policies/baseline-2.npz"]
    with pytest.raises(InputError, match="cannot be exchanged"):
        Model.load(saved)


def test_a_stopped_run_goes_on_to_the_same_policy(trees: sec.Treebank, tmp_path: Path) -> None:
    def trainer(work: Path | None, iterations: int) -> Trainer:
        settings = replace(SMALL, iterations=iterations, patience=9, max_length=12)
        return Trainer(Run(work), trees[:50], trees[50:80], settings)

    start = trainer(None, 1).baseline("start", 0.01)
    whole, _ = trainer(None, 3).lols("run", start, 0.001)
    trainer(tmp_path, 2).lols("run", start, 0.001)
    resumed, rounds = trainer(tmp_path, 3).lols("run", start, 0.001)
    assert len(rounds) == 4
    assert np.array_equal(resumed.weights, whole.weights)


def test_change_propagation_trains_too(trees: sec.Treebank) -> None:
    settings = replace(SMALL, surrogate="cp", iterations=1, max_length=12)
    trainer = Trainer(Run(), trees[:40], trees[40:60], settings)
    _, rounds = trainer.lols("run", trainer.baseline("start", 0.01), 0.0001)
    assert [r.number for r in rounds] == [0, 1]
    assert 0.0 < rounds[0].accuracy <= 1.0


def test_no_held_out_trees_and_settings_that_make_no_sense(trees: sec.Treebank) -> None:
    with pytest.raises(InputError, match="held-out"):
        train(trees[:10], dev=trees[:1], settings=SMALL)
    with pytest.raises(InputError, match="surrogate"):
        Settings(surrogate="guess")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="operating points"):
        Settings(points=1)


def test_some_rollouts_are_two_a_word() -> None:
    for n in range(3, 60):
        decisions = n * (n + 1) // 2 - 1 - n
        assert some_rollouts(decisions) == min(decisions, 2 * n)


def test_a_folder_belongs_to_one_run(trees: sec.Treebank, tmp_path: Path) -> None:
    run = Run(tmp_path)
    Trainer(run, trees[:50], trees[50:80], SMALL)
    Trainer(run, trees[:50], trees[50:80], replace(SMALL, iterations=7))
    with pytest.raises(InputError, match="other trees or other settings"):
        Trainer(run, trees[:51], trees[50:80], SMALL)
    with pytest.raises(InputError, match="other trees or other settings"):
        Trainer(run, trees[:50], trees[50:80], replace(SMALL, regularizer=0.1))


def test_the_range_of_a_sweep() -> None:
    # Pruning helps down to runtime 40, then costs; 75% of 0.8 is passed half-way between 20 and 10.
    slow, fast = sweep_range([160, 80, 40, 20, 10], [0.6, 0.7, 0.8, 0.7, 0.5], 0.75)
    assert slow == pytest.approx((40 * 80) ** 0.5)
    assert fast == pytest.approx(20 * 0.5**0.5)
    # Nothing is lost yet: all of it.
    assert sweep_range([80, 40, 20], [0.9, 0.8, 0.7], 0.75) == (pytest.approx(80), 20)
    earlier, _ = sweep_range([160, 80, 40, 20, 10], [0.6, 0.7, 0.8, 0.7, 0.5], 0.75, before=2)
    assert earlier == pytest.approx(160)


def test_sentences_that_a_given_grammar_cannot_parse_are_counted(trees: sec.Treebank) -> None:
    grammar = sec.induce(trees[:8], smoothing=sec.Smoothing(rare=0, prior=0.0))
    trainer = Trainer(Run(), trees[:60], trees[60:80], SMALL, grammar=grammar)
    assert 0 < trainer.unparsed < len(trees[:60].filter(max_length=SMALL.max_length))
    assert len(trainer.data) + trainer.unparsed == len(trees[:60].filter(max_length=SMALL.max_length))


def test_a_full_disk_leaves_the_last_checkpoint(
    trees: sec.Treebank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(SMALL, iterations=3, patience=9, max_length=12)
    trainer = Trainer(Run(tmp_path), trees[:50], trees[50:80], settings)
    start = trainer.baseline("start", 0.01)
    write, calls = Path.write_bytes, []

    def full(path: Path, content: bytes) -> int:
        calls.append(path.name)
        if sum(name.startswith("run.npz.") for name in calls) == 2:
            write(path, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="No space left"):
        trainer.lols("run", start, 0.001)
    kept = trainer.run.checkpoint("run", trainer.task.dim)
    assert kept is not None
    assert [r.number for r in kept.rounds] == [0, 1]
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("split", [False, True])
def test_trees_are_made_binary_as_a_given_grammar_was(trees: sec.Treebank, split: bool) -> None:
    right = sec.Binarization("right")
    grammar: sec.PCFG | sec.SplitPCFG = sec.induce(trees, binarization=right)
    if split:
        grammar = SplitTraining(trees, settings=SplitSettings(levels=1, binarization=right)).fit().grammar()
    model = train(trees[:60], dev=trees[60:70], settings=replace(SMALL, grammar=grammar))
    assert sec.Binarization.from_notes(model.settings) == right
    assert min(point.failures for point in model.points if point.name.startswith("baseline-0")) < 0.5


@pytest.mark.parametrize("name", ["run.json", "probe-0.json"])
def test_damaged_figures_of_a_run_are_named(trees: sec.Treebank, tmp_path: Path, name: str) -> None:
    train(trees[:40], dev=trees[60:70], settings=SMALL, work=tmp_path)
    (tmp_path / name).write_text("{")
    with pytest.raises(InputError, match="damaged") as caught:
        train(trees[:40], dev=trees[60:70], settings=SMALL, work=tmp_path)
    assert caught.value.where.endswith(name)
