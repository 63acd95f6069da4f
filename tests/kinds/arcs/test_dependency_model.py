"""Dependency models: the dial, the points, and the directory on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.features.arc import ArcFeatures
from secateur.features.tokens import Token
from secateur.kinds.arcs import KIND
from secateur.kinds.arcs.parts import ArcParts
from secateur.kinds.arcs.settings import ArcSettings
from secateur.kinds.arcs.ways import FULL, PROJECTIVE, policy_of, task_of, whole_task
from secateur.models.loading import load_model
from secateur.models.model import Model
from secateur.tasks.arc_locking.task import ArcLocking
from secateur.treebanks.dependency_tree import DependencyTree
from toy_dependencies import FEATURES, GROUPS, grown, toy_dependency_model
from toy_model import toy_model

Made = Model[ArcParts, DependencyTree]
SMALL = ArcSettings(bits=12, epochs=1, folds=2, iterations=1, costs=(2.0,), repeat=1, ends=(1, 2))


def task_at(model: Made, point: str) -> ArcLocking:
    return task_of(model.parts, model.ways()[point], model.policies)


@pytest.fixture(scope="module")
def model() -> Made:
    return toy_dependency_model()


@pytest.fixture
def saved(model: Made, tmp_path: Path) -> Path:
    model.save(tmp_path / "toy.model")
    return tmp_path / "toy.model"


def test_a_saved_model_parses_as_before(model: Made, saved: Path) -> None:
    again = Model.load(saved)
    assert again.parts.groups == model.parts.groups
    assert again.parts.features.templates == model.parts.features.templates
    assert list(again.points) == list(model.points)
    assert (dict(again.settings), list(again.log)) == (dict(model.settings), list(model.log))
    assert np.array_equal(again.parts.models.crossing, model.parts.models.crossing)
    assert len(again.parts.models.siblings) == 0
    for point in (FULL, "static-0", "dagger-0"):
        before, after = (one.parser(point, tags="predicted") for one in (model, again))
        for tree in grown(15, seed=5):
            one, other = before.parse(tree), after.parse(tree)
            assert (one.tree, one.work, one.notes) == (other.tree, other.work, other.notes)


def test_siblings_and_weights_of_their_own_are_stored(tmp_path: Path) -> None:
    model = toy_dependency_model(siblings=True)
    own = replace(model.parts.models, siblings=model.parts.models.crossing[::-1].copy())
    replace(model, parts=replace(model.parts, models=own, tagger=None, labeller=None)).save(tmp_path)
    again = Model.load(tmp_path)
    assert again.parts.groups == model.parts.groups
    assert np.array_equal(again.parts.models.siblings, own.siblings)
    assert (again.parts.tagger, again.parts.labeller) == (None, None)
    text = (tmp_path / "groups.txt").read_text()
    assert "# stage 0, of arcs\ntag[h] tag[m]\ntag[h] tag[m] distance\n" in text
    assert "# stage 4, of siblings\ntag[h] tag[m]\ntag[h] tag[m] distance\n" in text


def test_filters_are_stored(tmp_path: Path) -> None:
    model = toy_dependency_model(filters=True)
    model.save(tmp_path)
    again = Model.load(tmp_path)
    assert [own.templates for own in again.parts.filters] == [own.templates for own in model.parts.filters]
    assert again.parts.margins == model.parts.margins
    assert (
        "# filter 0, of arcs\ntag[h] tag[m]\ntag[h] tag[m] distance\n"
        in (tmp_path / "filters.txt").read_text()
    )
    for point in ("filter-0", "filter-1-0", "dagger-0"):
        for tree in grown(15, seed=5):
            one, other = model.parser(point).parse(tree), again.parser(point).parse(tree)
            assert (one.tree, one.work, one.notes) == (other.tree, other.work, other.notes)
    (tmp_path / "filter-1.npz").write_bytes(b"")
    with pytest.raises(InputError, match=r"filter-1\.npz"):
        Model.load(tmp_path)


def test_saving_over_another_model_leaves_nothing_of_it(saved: Path) -> None:
    (saved / "notes.txt").write_text("mine")
    model = Model.load(saved)
    points = [point for point in model.points if "policy" not in point.way]
    parts = replace(model.parts, tagger=None)
    replace(model, parts=parts, policies={}, points=points).save(saved)
    assert not (saved / "tagger.npz").exists()
    assert not list((saved / "policies").iterdir())
    assert (saved / "notes.txt").read_text() == "mine"
    assert Model.load(saved).parts.tagger is None
    toy_model().save(saved)
    assert not (saved / "weights-crossing.npz").exists()
    assert load_model(saved).kind.name == "pcfg"


@pytest.mark.parametrize(
    "name",
    ["weights-crossing.npz", "groups.txt", "limits.npz", "tagger.npz", "labeller.json", "frontier.json"],
)
def test_damaged_files_are_refused_by_name(saved: Path, name: str) -> None:
    file = saved / name
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.raises(InputError, match=name):
        Model.load(saved)


def test_parts_that_do_not_fit_each_other_are_refused(saved: Path) -> None:
    def changed(name: str, old: str, new: str) -> None:
        """A change that the checksums do not give away."""
        import hashlib

        file = saved / name
        file.write_text(file.read_text().replace(old, new))
        promised = json.loads((saved / "checksums.json").read_text())
        promised[name] = hashlib.sha256(file.read_bytes()).hexdigest()
        (saved / "checksums.json").write_text(json.dumps(promised))

    changed("labeller.json", '"labels": [', '"labels": ["more", ')
    with pytest.raises(InputError, match=r"labeller\.npz"):
        Model.load(saved)
    changed("groups.txt", "tag[h] tag[m] distance", "tag[h] tag[m] direction")
    with pytest.raises(InputError, match="'tag\\[h\\] tag\\[m\\] direction' is none"):
        Model.load(saved)


def test_other_versions_and_kinds_are_refused(saved: Path) -> None:
    about = saved / "model.toml"
    whole = about.read_text()
    about.write_text(whole.replace("format = 2", "format = 99"))
    with pytest.raises(InputError, match="format 99"):
        load_model(saved)
    about.write_text(whole.replace('"arcs"', '"crystal-ball"'))
    with pytest.raises(InputError, match="'crystal-ball'; this version reads 2, 'pcfg' or 'lcfrs' or 'arcs'"):
        sec.load(saved)
    about.write_text(whole.replace('"arcs"', '"pcfg"'))
    with pytest.raises(InputError, match="not the file this model was saved with"):
        load_model(saved)


def test_load_gives_the_right_kind(saved: Path, tmp_path: Path) -> None:
    toy_model().save(tmp_path / "trees.model")
    assert isinstance(sec.load(tmp_path / "trees.model"), sec.Parser)
    parser = sec.load(saved, budget="5000wps")
    assert isinstance(parser, sec.ArcParser)
    assert parser.way == {"policy": "dagger-0"}


def test_the_dial(model: Made) -> None:
    assert [p.name for p in model.frontier] == ["static-0", "dagger-0", FULL]
    assert model.choose().point.name == FULL
    assert model.choose(max_loss=1).point.name == "dagger-0"
    assert model.choose(fastest=True).point.name == "static-0"
    assert model.choose(point="static-1").point.name == "static-1"
    choice = model.choose(accuracy=95)
    assert choice.point.name == FULL
    assert choice.remark.startswith("UAS 95 is beyond this model")
    with pytest.raises(InputError, match="more than one"):
        model.choose(budget="10wps", fastest=True)
    with pytest.raises(InputError, match="no operating point 'dagger-7'"):
        model.choose(point="dagger-7")


def test_points_without_decisions_take_their_templates_at_once(model: Made) -> None:
    assert task_at(model, FULL).groups == ((0, 1, 2, 4, 5, 3, 6, 7),)
    assert task_at(model, "static-1").groups == ((0, 1, 2, 4, 5),)
    assert task_at(model, "dagger-0").groups == GROUPS
    second = toy_dependency_model(siblings=True)
    assert task_at(second, "static-3").groups == ((0, 1, 2, 4, 5, 3, 6, 7), (9, 8))
    for name in ("static-3", "static-", "static-x", "dagger-1", "dagger-0+filter-1", ""):
        with pytest.raises(InputError, match="no operating point"):
            model.parser(name)


def test_all_templates_cost_what_full_cost_says() -> None:
    for model in (toy_dependency_model(), toy_dependency_model(siblings=True)):
        for tree in grown(10, seed=3):
            spent = model.parser(FULL).parse(tree).work.features
            whole = whole_task(model.parts)
            full = whole.full_cost(whole.encode(tree.words, tree.tags, tree.coarse))
            assert full == model.parser(FULL).whole(tree)
            # Arcs without rivals need no score; with siblings they are settled before the last stage.
            assert full // 2 < spent <= full


def test_filters_save_templates_and_let_all_pass_with_wide_margins() -> None:
    model = toy_dependency_model(filters=True)
    without = KIND.ways(model.parts, {})
    assert "filter-0-2" not in without
    assert {"full", "static-1", "filter-0", "filter-2-1"} < without.keys()
    names = (FULL, "filter-0", "filter-1", "filter-2", "dagger-0", "dagger-0+filter-1")
    assert set(names) < model.ways().keys()
    spent = dict.fromkeys(names, 0)
    for tree in grown(30, seed=3):
        parses = {name: model.parser(name).parse(tree) for name in names}
        assert parses["filter-2"].tree == parses[FULL].tree
        assert parses["filter-2"].work.features > parses[FULL].work.features
        for name in names:
            spent[name] += parses[name].work.features
    # The toy has few templates, and its filters nearly all of them: they only save beside one another.
    assert spent["filter-1"] < spent["filter-0"] < spent["filter-2"]
    assert spent["dagger-0+filter-1"] < spent["dagger-0"] < spent["filter-2"]
    ways = model.ways()
    assert policy_of(ways["dagger-0+filter-1"], model.policies) is policy_of(ways["dagger-0"], model.policies)


def test_patterns_and_views_of_ones_own(model: Made, tmp_path: Path) -> None:
    views = {"capital": lambda token: str(token.word[:1].isupper())}
    patterns = (*FEATURES.patterns, "capital[h] capital[m]")
    own = ArcFeatures(patterns=patterns, siblings=FEATURES.siblings, views=views)
    groups = (*GROUPS[:2], (*GROUPS[2], 8, 9))
    replace(model, parts=replace(model.parts, features=own, groups=groups)).save(tmp_path)
    again = Model.load(tmp_path, views=views)
    words = next(iter(grown(1, seed=3)))
    assert again.parser(FULL).parse(words).work.features > 0
    without = load_model(tmp_path)
    assert without.frontier  # the views are not needed to look at it
    with pytest.raises(InputError, match="view 'capital', which is not there"):
        sec.load(tmp_path).parse(words)


def test_training_goes_by_what_it_is_given(tmp_path: Path) -> None:
    made = sec.train(grown(40), dev=grown(12, seed=3), settings=replace(SMALL, features=FEATURES))
    assert made.kind is KIND
    made.save(tmp_path)
    again = Model.load(tmp_path)
    assert again.settings["order"] == 1
    tree = grown(1, seed=5)[0]
    for point in made.points:
        one, other = made.parser(point.name).parse(tree), again.parser(point.name).parse(tree)
        assert (one.tree, one.work) == (other.tree, other.work)
    with pytest.raises(InputError, match="no option 'grammar'"):
        sec.train(grown(40), grammar=None)


def test_a_run_with_other_views_or_costs_is_another_run(tmp_path: Path) -> None:
    def fit(view: Callable[[Token], str], **options: Any) -> None:
        features = ArcFeatures(("tag[h] mine[m]", *FEATURES.patterns), FEATURES.siblings, {"mine": view})
        settings = replace(SMALL, features=features, **options)
        sec.train(grown(40), dev=grown(12, seed=3), settings=settings, work=tmp_path)

    fit(lambda token: token.word[:1], costs=(2.0,))
    fit(lambda token: token.word[:1], costs=(2.0,))
    for view, cost in ((lambda token: token.word[-1:], 2.0), (lambda token: token.word[:1], 3.0)):
        with pytest.raises(InputError, match="other settings"):
            fit(view, costs=(cost,))


@pytest.mark.parametrize("projective", ["last", "never"])
def test_arcs_may_cross_where_that_is_asked_for(projective: Any) -> None:
    settings = replace(SMALL, projective=projective, features=FEATURES)
    made = sec.train(grown(40), dev=grown(12, seed=3), settings=settings)
    assert task_at(made, "dagger-0").projective == PROJECTIVE[projective]
    assert task_at(made, FULL).projective == PROJECTIVE[projective]
    with pytest.raises(InputError, match="second order"):
        ArcSettings(order=2, projective="never")
    with pytest.raises(InputError, match="projective 'often'"):
        ArcSettings(projective="often")  # type: ignore[arg-type]


def test_the_card_says_it_all(saved: Path) -> None:
    card = (saved / "card.md").read_text()
    assert "| point | UAS | 95% | words/s | Mtemplate/sentence | templates | fell back |" in card
    assert "| dagger-0 | 89.50 | 88.00-91.00 | 8,000 | 0.2000 | 40.0% | 1.0% |" in card
    assert "- checksum: c0ffee\n" in card
