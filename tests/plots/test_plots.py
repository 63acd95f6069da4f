"""Pictures: the chart of a sentence, the features behind it, the frontier as a figure and as a page."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.kinds.pcfg import KIND
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.ways import UNPRUNED
from secateur.models.model import Model
from secateur.models.point import Point, pareto
from secateur.plots import chart
from secateur.plots.chart import Chart, State
from secateur.plots.explain import explain, saw
from secateur.plots.frontier import SPEED, Roles, draw_frontier, log_range, log_ticks
from secateur.plots.page import commands, page
from secateur.treebanks.tree import Tree
from toy_model import BIAS, LEARNED, toy_model

Made = Model[PcfgParts, Tree]
FIGURES = KIND.figures


def spans(n: int, *given: tuple[int, int]) -> np.ndarray:
    found = np.zeros((n + 1, n + 1), np.bool_)
    for span in given:
        found[span] = True
    return found


@pytest.fixture
def made() -> Chart:
    scores = np.zeros((5, 5))
    scores[0, 2], scores[1, 3], scores[2, 4], scores[0, 3], scores[1, 4] = 2.0, -0.1, 0.5, -0.7, -3.0
    return Chart(
        ("the", "old", "dog", "barked"),
        kept=spans(4, (0, 2), (2, 4), (0, 4)),
        used=spans(4, (0, 2), (0, 4)),
        gold=spans(4, (0, 3), (0, 4)),
        scores=scores,
    )


def test_the_chart_as_text(made: Chart) -> None:
    assert chart.text(made).plain.splitlines() == [
        "      2 3 4",
        "0 the ● × ●",
        "1   old · ·",
        "2     dog ○",
        "3    barked",
        "",
        "● in the parse   ○ kept   · pruned   × pruned, but gold   (row i, column k)",
    ]
    assert chart.width(made) == 11


def test_without_gold_nothing_is_lost(made: Chart) -> None:
    plain = Chart(made.words, made.kept, made.used)
    assert plain.state(0, 3) is State.pruned
    assert "gold" not in chart.text(plain).plain
    assert "gold" not in chart.svg(plain, title="a model")


@given(st.lists(st.text("abcdefgh漢", min_size=1, max_size=12), min_size=1, max_size=14))
def test_rows_end_in_one_column_and_hold_their_words(words: list[str]) -> None:
    n = len(words)
    everything = np.ones((n + 1, n + 1), np.bool_)
    lines = chart.text(Chart(words, everything, everything)).split("\n")
    rows = lines[len(str(n)) : len(str(n)) + n]
    assert {row.cell_len for row in rows} == {chart.width(Chart(words, everything, everything))}
    for i, (row, word) in enumerate(zip(rows, words, strict=True)):
        assert row.plain.split() == [str(i), word, *"●" * (n - 1 - i)]


def test_the_chart_as_svg(made: Chart) -> None:
    root = ElementTree.fromstring(chart.svg(made, title='<"model" & point>'))
    names = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(names) == len(made.spans()) == 6
    assert "(0, 3) the old dog: pruned, but gold, score -0.700" in names
    assert "(0, 4) the old dog barked: in the parse" in names  # the whole sentence is not decided
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == '<"model" & point>'
    assert {*made.words, *(state.value for state in State)} <= set(texts)


def test_odd_characters_do_no_harm() -> None:
    words = ("\x1b[31m", "<&>", "\ud800", "ok")
    everything = np.ones((5, 5), np.bool_)
    odd = Chart(words, everything, everything)
    assert "\x1b" not in chart.text(odd).plain
    ElementTree.fromstring(chart.svg(odd, title="t"))


def test_what_was_lost_comes_first_then_what_was_nearly_decided_otherwise(made: Chart) -> None:
    assert made.doubtful() == [(0, 3), (1, 3), (2, 4), (0, 2), (1, 4)]


def test_an_explanation_sums_to_the_score() -> None:
    model = toy_model()
    weights = np.random.default_rng(3).standard_normal(model.parts.features.dim).astype(np.float32)
    words = ["The", "cat", "saw", "2", "gnus", "in", "a", "tree", "."]
    scores = model.parts.features.scores(model.parts.features.columns(words), weights)
    for i, k in ((0, 2), (1, 5), (2, 8), (7, 9)):
        found = explain(model.parts.features, weights, words, i, k)
        assert [part.template for part in found.contributions] == list(model.parts.features.templates)
        assert found.score == pytest.approx(scores[i, k], abs=1e-9)
        assert found.score == pytest.approx(sum(part.weight for part in found.contributions), abs=1e-12)


def test_what_the_templates_saw() -> None:
    model = toy_model()
    words = ["a", "cat", "saw", "a", "bird", "in", "a", "tree", "."]
    found = explain(model.parts.features, model.policies["careful"].weights, words, 3, 5)
    parts = {part.template: (part.saw, part.weight) for part in found.contributions}
    assert parts["bias"] == ("", BIAS)
    assert parts["word[i] word[k-1]"] == ("a  bird", LEARNED)
    assert parts["word[i-1] word[k]"] == ("saw  in", 0.0)
    assert parts["shape[i:k]"] == ("x xx", 0.0)
    assert (parts["width"][0], parts["length"][0]) == ("2", "9")
    assert found.score == BIAS + LEARNED
    assert saw(model.parts.features, "word[i-1] word[k]", words, 0, 9) == "<begin>  <end>"
    assert [saw(model.parts.features, "width", ["w"] * 50, 0, k) for k in (5, 6, 20, 21)] == [
        "5",
        "6-10",
        "11-20",
        "21+",
    ]
    assert saw(model.parts.features, "length", ["w"] * 50, 0, 9) == "40+"


# The frontier -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model() -> Made:
    return toy_model()


def test_roles(model: Made) -> None:
    roles = Roles.of(model.points, UNPRUNED)
    assert [p.name for p in roles.frontier] == ["hasty", "careful", UNPRUNED]
    assert [p.name for p in roles.dominated] == ["slow"]
    assert [p.name for p in roles.unpruned] == [UNPRUNED]


@given(st.floats(1e-4, 1e7), st.floats(1.0, 1e5))
def test_ticks_are_few_and_within(low: float, factor: float) -> None:
    first, last = log_range([low, low * factor])
    ticks = list(log_ticks(first, last))
    assert ticks == sorted(ticks)
    assert all(first <= tick <= last for tick in ticks)
    assert len(ticks) <= 12
    if factor > 3:
        assert len(ticks) >= 3


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_figure(model: Made, tmp_path: Path, suffix: str, start: bytes) -> None:
    picture = tmp_path / f"frontier.{suffix}"
    draw_frontier(
        picture, model.points, unpruned=UNPRUNED, title="a model", protocol="how " * 60, figures=FIGURES
    )
    assert picture.read_bytes().startswith(start)


def test_a_single_point_can_be_drawn(tmp_path: Path) -> None:
    alone = [Point(UNPRUNED, {}, 0.0, 0.0, 0.0, 0.0, 900.0, 0.1, 1.0, 1.0)]
    draw_frontier(
        tmp_path / "one.png", alone, unpruned=UNPRUNED, title="a model", protocol="", figures=FIGURES
    )
    assert "unpruned" in page(alone, unpruned=UNPRUNED, model="a.model", protocol="", names=FIGURES)


class Elements(HTMLParser):
    """All elements with their attributes, and the texts of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] == "script" and data.strip():
            self.scripts.append(data)

    def points(self, tag: str) -> list[str | None]:
        return [attrs["data-point"] for name, attrs in self.found if name == tag and "data-point" in attrs]


@pytest.fixture(scope="module")
def written(model: Made) -> str:
    return page(model.points, unpruned=UNPRUNED, model="my <b>.model", protocol="EVALB & co", names=FIGURES)


def test_the_page_needs_nothing_else(written: str) -> None:
    assert not re.search(r"https?:|@import|url\(", written)
    for _, attrs in Elements(written).found:
        assert not attrs.keys() & {"src", "href"}
    assert "<!--" not in written


def test_the_page_shows_every_point(model: Made, written: str) -> None:
    found = Elements(written)
    names = [p.name for p in model.points]
    assert sorted(found.points("g")) == sorted(2 * names)  # one picture for each axis
    assert sorted(found.points("tr")) == sorted(names)
    (dial,) = [attrs for _, attrs in found.found if attrs.get("id") == "dial"]
    assert dial["max"] == str(len(model.frontier) - 1)
    assert "EVALB &amp; co" in written
    assert "my &lt;b&gt;.model" in written


def test_the_commands_of_the_page_lead_to_their_points(model: Made, written: str) -> None:
    data = json.loads(Elements(written).scripts[0])
    assert [one["name"] for one in data] == [p.name for p in model.frontier]
    for one in data:
        assert one["commands"]
        for command in one["commands"]:
            *start, option, value = shlex.split(command)
            assert start == ["secateur", "parse", "my <b>.model"]
            asked = {option.strip("-"): float(value) if option == "--accuracy" else value}
            assert model.choose(**asked).point.name == one["name"]


def test_a_point_that_no_request_leads_to_is_named() -> None:
    # Off the frontier: another is faster and more accurate.
    points = [
        Point("best", {}, 70.0, 69.0, 71.0, 0.2, 9000.0, 0.001, 1.0, 0.0),
        Point("odd", {}, 60.0, 59.0, 61.0, 0.1, 5000.0, 0.002, 1.0, 0.0),
    ]
    assert commands(pareto(points), points[1], "a.model", FIGURES) == ["secateur parse a.model --point odd"]


def test_the_line_through_the_frontier_does_not_zigzag(model: Made) -> None:
    """To the right, in time, every point is less accurate."""
    line = Roles.of(model.points, UNPRUNED).line(SPEED)
    assert [p.accuracy for p in line] == sorted((p.accuracy for p in line), reverse=True)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_of_the_page_is_javascript(written: str, tmp_path: Path) -> None:
    script = tmp_path / "page.js"
    script.write_text(Elements(written).scripts[-1])
    found = subprocess.run(["node", "--check", script], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
