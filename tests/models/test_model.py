"""Models of every kind: saved, read again, and refused where what they say leads nowhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.models.loading import load_model
from secateur.models.model import Model
from secateur.models.table import KINDS, kind_for, kind_named, kinds
from toy_dependencies import toy_dependency_model
from toy_model import toy_model

WORDS = ["the", "cat", "saw", "a", "bird", "."]


@pytest.fixture(scope="module", params=["pcfg", "arcs"])
def model(request: pytest.FixtureRequest) -> Model[Any, Any]:
    return toy_model() if request.param == "pcfg" else toy_dependency_model(filters=True)


@pytest.fixture
def saved(model: Model[Any, Any], tmp_path: Path) -> Path:
    model.save(tmp_path / "toy.model")
    return tmp_path / "toy.model"


def repaired(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    """A change to a file that the checksums do not give away."""
    file = folder / name
    file.write_text(json.dumps(change(json.loads(file.read_text()))))
    promised = json.loads((folder / "checksums.json").read_text())
    promised[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    (folder / "checksums.json").write_text(json.dumps(promised))


def test_a_saved_model_is_the_same_model(model: Model[Any, Any], saved: Path) -> None:
    for again in (Model.load(saved), sec.Model.load(str(saved)), load_model(saved)):
        assert again.kind is model.kind
        assert list(again.points) == list(model.points)
        assert (dict(again.settings), list(again.log)) == (dict(model.settings), list(model.log))
        assert again.sizes() == model.sizes()
        assert again.protocol == model.protocol
        assert repr(again) == repr(model)
        assert dict(again.ways()) == dict(model.ways())
        for name in model.ways():
            one, other = model.parser(name).parse(WORDS), again.parser(name).parse(WORDS)
            assert replace(one, seconds=0) == replace(other, seconds=0)


def test_it_says_what_made_it(model: Model[Any, Any], saved: Path) -> None:
    about = (saved / "model.toml").read_text()
    assert f'kind = "{model.kind.name}"' in about
    assert "format = 2" in about
    assert f"secateur {sec.__version__}" in about


def test_written_twice_it_is_the_same_files(model: Model[Any, Any], saved: Path, tmp_path: Path) -> None:
    other = tmp_path / "again"
    Model.load(saved).save(other)
    before, after = (
        {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        for folder in (saved, other)
    )
    assert before == after


@pytest.mark.parametrize(
    "change",
    [
        lambda points: [{**points[0], "way": {**points[0]["way"], "mask": "nobody", "policy": "nobody"}}],
        lambda points: [{**points[0], "way": {"../../etc": 1}}],
        lambda points: [{**points[0], "name": "nowhere"}],
        lambda points: [{**points[0], "name": points[1]["name"]}],
    ],
)
def test_points_that_are_no_way_of_the_model_are_refused(saved: Path, change: Callable[[Any], Any]) -> None:
    repaired(saved, "frontier.json", change)
    with pytest.raises(InputError, match=r"damaged: the point .* is no way to parse") as caught:
        Model.load(saved)
    assert caught.value.where == str(saved / "frontier.json")


def test_points_of_one_name_are_refused(saved: Path) -> None:
    repaired(saved, "frontier.json", lambda points: [points[0], points[0]])
    with pytest.raises(InputError, match="damaged: no points, or two of one name"):
        Model.load(saved)


def test_the_dial(model: Model[Any, Any]) -> None:
    assert model.choose().point == model.frontier[-1]
    assert model.choose(fastest=True).point == model.frontier[0]
    for point in model.points:
        assert model.choose(point=point.name).point == point


def test_what_looks_at_everything(model: Model[Any, Any]) -> None:
    assert model.unpruned == {"pcfg": "exact", "arcs": "full"}[model.kind.name]
    parser = model.parser(model.unpruned)
    tree = parser.parse(WORDS).tree
    share = getattr(parser.parse(WORDS).work, model.kind.figures.share)
    assert 0 < share <= parser.whole(tree)


def test_without_points_the_whole_parser_is_meant(model: Model[Any, Any]) -> None:
    bare = Model(model.kind, model.parts)
    assert repr(bare.parser()) == repr(model.parser(model.unpruned))
    assert next(iter(bare.ways())) == model.unpruned
    assert bare.frontier == []


def test_parsers_as_points_were_measured() -> None:
    """With predicted tags, where those were used."""
    model = toy_dependency_model()
    assert repr(model.measured_parser("full").using) == "Using(tags='gold')"
    noted = replace(model, settings={**model.settings, "tags": "predicted"})
    assert repr(noted.measured_parser("full").using) == "Using(tags='predicted')"
    assert repr(noted.measured_parser("full", tags="gold").using) == "Using(tags='gold')"
    assert repr(noted.parser("full").using) == "Using(tags=None)"
    assert "predicted tags" in noted.protocol
    assert "gold tags" in model.protocol


def test_the_card_has_the_frontier(model: Model[Any, Any], saved: Path) -> None:
    card = (saved / "card.md").read_text()
    for point in model.frontier:
        assert f"| {point.name} | {point.accuracy:.2f} |" in card
    assert f"- kind: {model.kind.name}\n" in card
    assert f"Protocol: {model.protocol}." in card


def test_a_grammar_is_a_model_without_a_dial(tmp_path: Path) -> None:
    sec.write_grammar(toy_model().parts.rules, tmp_path / "toy.gr")
    model = load_model(tmp_path / "toy.gr")
    assert (model.kind.name, list(model.points)) == ("pcfg", [])
    assert model.parser().parse(WORDS).tree == toy_model().parser("exact").parse(WORDS).tree


# The table --------------------------------------------------------------------------------------------------


def test_the_table_of_kinds() -> None:
    assert [kind.name for kind in kinds()] == list(KINDS) == ["pcfg", "lcfrs", "arcs"]
    assert kind_for("phrases") is kind_named("pcfg")
    assert kind_for("dependencies") is kind_named("arcs")
    with pytest.raises(InputError, match="no kind of model 'crf'; choose from pcfg, lcfrs, arcs"):
        kind_named("crf")
    assert kind_for("discontinuous") is kind_named("lcfrs")
    with pytest.raises(InputError, match="no kind of model learns from notes trees"):
        kind_for("notes")
