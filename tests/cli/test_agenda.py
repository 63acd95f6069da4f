"""Agendas and deadlines on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.kinds.pcfg import look_order
from secateur.kinds.pcfg.orders import Orders
from secateur.models.model import Model
from secateur.models.point import Point
from toy_model import TREES, toy_model

if TYPE_CHECKING:
    from cli.conftest import Run

SENTENCE = "a cat saw a bird in a tree ."
TREE = TREES.splitlines()[3]
TEXT = "the cat slept .\na dog saw the cat .\nzyzzyva !\n"
AT = ("--point", "boundary")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy model with an order, whose point is beaten."""
    from dataclasses import replace

    made: Model[Any, Any] = toy_model()
    trees = [sec.read_tree(line) for line in TREES.splitlines()]
    orders = Orders.counted(made.parts.rules, trees, sec.Binarization())
    way = {"order": "boundary", "decode": "viterbi"}
    point = Point("boundary", way, 60.0, 58.0, 62.0, 0.3, 1000.0, 0.02, 1.0, 0.0)
    path = tmp_path_factory.mktemp("agenda") / "toy.model"
    replace(made, parts=replace(made.parts, orders=orders), points=[*made.points, point]).save(path)
    return path


def test_an_agenda_parses(run: Run, model: Path) -> None:
    assert run("parse", model, SENTENCE, *AT).done().lines == [TREE]
    (found,) = run("parse", model, SENTENCE, *AT, "--json").done().objects
    assert found["status"] == "complete"
    assert found["work"]["pops"] > 0
    assert not found["certified"]
    (exact,) = run("parse", model, SENTENCE, "--point", "exact", "--json").done().objects
    assert exact["certified"]


def test_certificates(run: Run, model: Path) -> None:
    """Of the grammar itself: what is certified has the score of an exact parse, and the others have not."""
    given = ("parse", model, "-", "--json")
    exact = run(*given, "--point", "exact", stdin=TEXT).done().objects
    found = run(*given, "--point", "careful", "--certify", stdin=TEXT).done().objects
    assert [one["certified"] for one in found] == [
        not one["failed"] and one["score"] == best["score"] for one, best in zip(found, exact, strict=True)
    ]
    assert not any(one["certified"] for one in run(*given, "--point", "careful", stdin=TEXT).done().objects)
    assert any(one["certified"] for one in found)
    ordered = run(*given, *AT, "--certify", stdin=TEXT).done().objects
    assert any(one["certified"] for one in ordered)
    for one, best in zip(ordered, exact, strict=True):
        assert one["score"] == best["score"] or not one["certified"]


def test_several_trees(run: Run, model: Path) -> None:
    """A line each and one that is empty; those of a small grammar are all of its trees."""
    given = ("parse", model, "-", "--kbest", "3")
    found = run(*given, *AT, stdin=f"{SENTENCE}\n\n{TEXT}").done().lines
    assert found[:2] == [TREE, ""]
    every = set(run(*given, "--point", "exact", stdin=f"{SENTENCE}\n\n{TEXT}").done().lines)
    assert len(set(found) & every) >= 4


@pytest.mark.parametrize("point", [(), AT, ("--point", "careful")])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_deadline_that_never_comes(run: Run, model: Path, point: tuple[str, ...], jobs: str) -> None:
    given = ("parse", model, "-", *point, "--jobs", jobs)
    found = run(*given, "--deadline", "1000s", stdin=TEXT).done()
    assert found.lines[:2] == run(*given, stdin=TEXT).done().lines[:2]
    assert len(found.lines) == 3


def test_a_deadline_that_is_over(run: Run, model: Path) -> None:
    for point in ((), AT):
        found = run("parse", model, "-", *point, "--deadline", "0.0001ms", stdin=TEXT).done()
        assert [sec.read_tree(line).words() for line in found.lines] == [
            line.split() for line in TEXT.splitlines()
        ]
        assert "3 without a parse" in found.err
        assert "3 cut off" in found.err
        rows = run("parse", model, "-", *point, "--deadline", "0.0001ms", "--json", stdin=TEXT).done().objects
        assert [row["status"] for row in rows] == ["deadline"] * 3
    assert "cut off" not in run("parse", model, "-", stdin=TEXT).done().err


def test_deadlines_that_are_none(run: Run, model: Path) -> None:
    for given in ("0ms", "5", "soon", "-1s"):
        run("parse", model, SENTENCE, f"--deadline={given}").refused("a deadline of", given)
        with pytest.raises(InputError, match="a deadline of"):
            sec.load(model, deadline=given)
    run("parse", model, SENTENCE, "--deadline", "5ms", "--kbest", "2").refused(
        "a deadline is for the best tree"
    )
    run("parse", model, SENTENCE, *AT, "--max-recall").refused("an agenda keeps one derivation of an item")
    assert str(sec.load(model, deadline=100.0).parse(SENTENCE)) == TREE
    assert "--deadline" in run("parse", "--help").done().out


def test_what_was_popped_when(run: Run, model: Path, tmp_path: Path) -> None:
    svg = tmp_path / "pops.svg"
    found = run("inspect", model, SENTENCE, *AT, "--gold", TREE, "--svg", svg).done()
    assert found.lines[0] == f"{model}, point boundary"
    assert TREE in found.lines
    assert "gold: F1 100.00" in found.lines
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    told = run("inspect", model, SENTENCE, *AT, "--json").done().json
    pops = told["pops"]
    assert f"{len(pops):,} pops, {sum(pop['used'] for pop in pops)} of them in the tree" in found.out
    assert [pop["number"] for pop in pops] == list(range(1, len(pops) + 1))
    words = {(pop["i"], pop["k"]) for pop in pops if pop["used"]}
    assert words >= {(i, i + 1) for i in range(9)} | {(0, 9)}
    assert f"{pops[-1]['number']} *" in found.out
    assert told["point"]["name"] == "boundary"
    run("inspect", model, SENTENCE, *AT, "--span", "0,2").refused("no features of spans")
    for point in (AT, ("--point", "careful")):
        run("inspect", model, SENTENCE, *point, "--deadline", "5ms").refused("deadline: what is decided")


def test_of_many_pops_few_are_shown(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those in the tree; the first where there is no parse."""
    monkeypatch.setattr(look_order, "SHOWN", 5)
    pops = run("inspect", model, SENTENCE, *AT, "--json").done().json["pops"]
    for sentence, count in ((SENTENCE, sum(pop["used"] for pop in pops)), (f"{SENTENCE} {SENTENCE}", 5)):
        found = run("inspect", model, sentence, *AT).done()
        shown = [line for line in found.lines if line.split()[0:1] and line.split()[0].isdigit()]
        lines = [line for line in shown if '"' in line]
        assert ("pops, those in the tree:" in found.out) == (sentence == SENTENCE)
        assert len(lines) == count


def test_training_asks_for_it(run: Run, tmp_path: Path) -> None:
    trees = tmp_path / "trees.mrg"
    trees.write_text("".join(f"{tree}\n" for tree in sec.garden.treebank(60)))
    small = ("--grammar", "coarse", "--points", "3", "--iterations", "1", "--max-length", "12")
    out = tmp_path / "agenda.model"
    run("train", trees, "-o", out, *small, "--tasks", "agenda", "--quiet").done()
    names = {point.name for point in Model.load(out).points}
    assert {"exact", "boundary+viterbi-12", "pg-1+viterbi-12", "pg-2+baseline-0+viterbi-12"} <= names
    found = run("inspect", out, "The dog slept .", "--point", "pg-1+viterbi-12").done()
    assert " pops, " in found.out
    assert '"tasks" = "agenda"' in (out / "model.toml").read_text()
    run("train", trees, "-o", tmp_path / "no.model", "--tasks", "both").misused("--tasks")
