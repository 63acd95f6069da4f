"""secateur inspect with a model of phrases; test_every_kind.py has what all kinds share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from secateur import Binarization
from toy_model import BIAS, LEARNED, TREES, toy_model

if TYPE_CHECKING:
    from cli.conftest import Run, Sample

SENTENCE = "a cat saw a bird in a tree ."
GOLD = TREES.splitlines()[3]
CAREFUL = ("--point", "careful")


@pytest.fixture
def model(pcfg: Sample) -> Path:
    return pcfg.model


def test_the_model_itself(run: Run, model: Path) -> None:
    sizes = run("inspect", model, "--json").done().json["sizes"]
    assert sizes["feature templates"] == 16
    assert sizes["grammar symbols"] > 10
    assert sizes["points on the frontier"] == 3


def test_the_chart(run: Run, model: Path) -> None:
    found = run("inspect", model, SENTENCE, *CAREFUL, "--gold", GOLD).done()
    assert found.lines[0] == f"{model}, point careful"
    rows = [line.split() for line in found.lines[3:12]]
    assert [row[:2] for row in rows] == [[str(i), word] for i, word in enumerate(SENTENCE.split())]
    used = {(i, i + 2 + place) for i, row in enumerate(rows) for place, s in enumerate(row[2:]) if s == "●"}
    # Left binarization: S covers all but the stop, VP the verb and its object.
    assert used == {(0, 2), (3, 5), (6, 8), (5, 8), (2, 8), (2, 5), (0, 8), (0, 9)}
    assert GOLD in found.lines
    assert f"gold: {GOLD}" in found.lines
    assert "gold: F1 100.00, 7 of 7 spans kept" in found.lines
    assert "missed" not in found.out
    assert "unpruned: the same tree" in found.lines


def test_gold_spans_are_made_as_in_training(run: Run, model: Path, tmp_path: Path) -> None:
    def gold(path: Path) -> set[tuple[int, int]]:
        found = run("inspect", path, SENTENCE, *CAREFUL, "--gold", GOLD, "--json").done().json
        return {(s["i"], s["k"]) for s in found["spans"] if s["gold"]}

    right = tmp_path / "right.model"
    toy_model(Binarization("right")).save(right)
    assert '"binarization" = "right"' in (right / "model.toml").read_text()
    phrases = {(0, 2), (2, 8), (3, 5), (5, 8), (6, 8), (0, 9)}
    assert gold(right) == phrases | {(2, 9), (3, 8)}  # the stop goes with VP, the object with PP
    assert gold(model) == phrases | {(0, 8), (2, 5)}  # nothing is recorded: from the left


def test_gold_spans_of_a_binarization_that_is_not_ours(run: Run, tmp_path: Path) -> None:
    class Sideways(Binarization):
        """Somebody's own."""

    toy_model(Sideways()).save(tmp_path)
    run("inspect", tmp_path, SENTENCE, *CAREFUL).done()
    run("inspect", tmp_path, SENTENCE, *CAREFUL, "--gold", GOLD).refused("Sideways", "gold")


def test_what_is_lost(run: Run, model: Path) -> None:
    found = run("inspect", model, SENTENCE, "--fastest", "--gold", GOLD, "--json").done().json
    assert found["point"]["name"] == "hasty"
    assert found["failed"]
    assert found["score"] is None
    assert not found["unpruned"]["failed"]
    lost = {(s["i"], s["k"]) for s in found["spans"] if s["state"] == "lost"}
    assert lost == {(s["i"], s["k"]) for s in found["spans"] if s["gold"]} - {(0, 9)}
    # The features of lost spans come first.
    assert all((one["i"], one["k"]) in lost for one in found["features"])
    people = run("inspect", model, SENTENCE, "--fastest", "--gold", GOLD).done()
    assert "×" in people.out
    assert "no parse" in people.out
    assert "gold: F1 0.00, 0 of 7 spans kept" in people.lines
    assert 'gold spans pruned: 0,2 "a cat"; ' in people.out
    assert 'gold constituents missed: S 0,9 "' in people.out
    assert 'NP 0,2 "a cat"' in people.out


def test_json_agrees_with_parse(run: Run, model: Path) -> None:
    found = run("inspect", model, SENTENCE, *CAREFUL, "--json").done().json
    parsed = run("parse", model, SENTENCE, *CAREFUL, "--json").done().json
    assert (found["tree"], found["score"], found["work"]) == (
        parsed["tree"],
        parsed["score"],
        parsed["work"],
    )
    exact = run("parse", model, SENTENCE, "--point", "exact", "--json").done().json
    assert found["unpruned"]["work"] == exact["work"]
    assert exact["work"]["pushes"] > found["work"]["pushes"]
    n = len(SENTENCE.split())
    assert len(found["spans"]) == n * (n - 1) // 2
    assert {s["gold"] for s in found["spans"]} == {None}
    assert {s["score"] > 0 for s in found["spans"] if s["state"] == "pruned"} == {False}


def test_the_features_of_a_span(run: Run, model: Path) -> None:
    found = run("inspect", model, SENTENCE, *CAREFUL, "--span", "3,5", "--json").done().json
    (one,) = found["features"]
    assert (one["i"], one["k"], one["score"]) == (3, 5, BIAS + LEARNED)
    assert len(one["contributions"]) == 16
    assert sum(part["weight"] for part in one["contributions"]) == one["score"]
    lines = run("inspect", model, SENTENCE, *CAREFUL, "--span", "3,5").done().lines
    assert 'span 3,5 "a bird": in the parse, score +1.0000 (kept above 0)' in lines
    assert lines[-17].split() == ["word[i]", "word[k-1]", "+2.00000000", "a", "bird"]
    assert lines[-1].split() == ["sum", "+1.00000000"]


def test_without_a_span_the_doubtful_ones_are_explained(run: Run, model: Path) -> None:
    lines = run("inspect", model, SENTENCE, *CAREFUL).done().lines
    assert sum(line.startswith("span ") for line in lines) == 4
    assert sum("11 more templates" in line for line in lines) == 4


def test_without_a_policy_there_are_no_features(run: Run, model: Path) -> None:
    found = run("inspect", model, SENTENCE).done()
    assert "point exact" in found.lines[0]
    assert found.lines[-1] == "This point prunes nothing: no features decide."
    run("inspect", model, SENTENCE, "--span", "3,5").refused("prunes nothing", "--point")


def test_svg(run: Run, model: Path, tmp_path: Path) -> None:
    picture = tmp_path / "chart.svg"
    found = run("inspect", model, SENTENCE, *CAREFUL, "--svg", picture).done()
    assert found.err == f"written: {picture}\n"
    titles = [e.text or "" for e in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("(3, 5) a bird: in the parse, score +1.000") for title in titles)


def test_a_terminal_gets_colours_and_no_broken_lines(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run("inspect", model, SENTENCE, *CAREFUL).done()
    assert "\x1b[" not in plain.out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    assert "\x1b[1;34m●" in run("inspect", model, SENTENCE, *CAREFUL).done().out
    monkeypatch.setenv("COLUMNS", "15")
    narrow = run("inspect", model, SENTENCE, *CAREFUL).done()
    assert "●" not in narrow.out
    assert "more than this terminal: draw it with --svg" in narrow.out


def test_gold_from_a_file_is_normalized(run: Run, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "gold.mrg"
    first, last = TREES.splitlines()[0], GOLD.replace("(NP (DT a) (NN cat))", "(NP-SBJ (DT a) (NN cat))", 1)
    path.write_text(f"{first}\n{last.replace('(ROOT (S', '( (S (NP (-NONE- *))')}\n")
    found = run("inspect", model, SENTENCE, *CAREFUL, "--gold", path).done()
    assert "gold: F1 100.00, 7 of 7 spans kept" in found.lines


@pytest.mark.parametrize(
    ("gold", "parts"),
    [
        ("(S (DT a) (NN dog))", ("--gold", "word 2 is 'dog' in the tree but 'cat'")),
        ("(S (DT a) (NN cat))", ("--gold", "2 words in the tree but 9")),
        ("(S (DT a) (NN cat)", ("--gold:1", "never ends")),
        ("no-such.mrg", ("no-such.mrg", "no such file")),
    ],
)
def test_wrong_gold(run: Run, model: Path, gold: str, parts: tuple[str, ...]) -> None:
    run("inspect", model, SENTENCE, "--gold", gold).refused(*parts)


def test_a_file_of_other_sentences(run: Run, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "gold.mrg"
    path.write_text(TREES.splitlines()[0])
    run("inspect", model, SENTENCE, "--gold", path).refused(path, "none of its trees")


def test_a_discontinuous_gold_tree(run: Run, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "gold.txt"
    path.write_text("(S (VP (DT 0=a) (VB 2=saw)) (NN 1=cat))\n")
    run("inspect", model, "a cat saw", "--gold", path).refused("gold tree", "discontinuous")


@pytest.mark.parametrize("span", ["0,9", "3,4", "5,3", "2,12"])
def test_spans_that_are_not_decided(run: Run, model: Path, span: str) -> None:
    run("inspect", model, SENTENCE, *CAREFUL, "--span", span).refused("span", "9 words")


def test_what_is_no_span(run: Run, model: Path, grammar: Path) -> None:
    run("inspect", model, SENTENCE, *CAREFUL, "--span", "three").refused("'three'", "2,5")
    run("inspect", grammar, SENTENCE).refused(grammar, "not a model")
