"""The documentation says what the results say, and experiments touch neither."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

import arc_table1
import exact_grammars
import pages
import peers
import prune_figure3
import prune_runs
import report
import results_page
from checkouts import checkout
from secateur.errors import InputError

SECTION = re.compile(r"<!-- (\w+): begin -->.*?<!-- \1: end -->", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
# 12.5, 1,234, 5%, 3x: figures, other than those of versions.
FIGURE = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+|%|x\b)")
VERSIONS = {"3.11"}


def read(name: str) -> str:
    return (report.ROOT / name).read_text(encoding="utf-8")


def test_pages_are_what_the_results_give() -> None:
    made = pages.pages(report.ROOT, report.RESULTS, draw=False)
    assert [file for file, text in made.items() if file.read_text(encoding="utf-8") != text] == []
    assert {file.relative_to(report.ROOT).as_posix() for file in made} == set(pages.PAGES)


@pytest.mark.parametrize("name", ["README.md", "docs/results.md"])
def test_no_figure_is_typed_by_hand(name: str) -> None:
    typed = FIGURE.findall(CODE.sub("", SECTION.sub("", read(name))))
    assert set(typed) <= VERSIONS


def test_the_readme_is_read_in_a_minute() -> None:
    assert len(read("README.md").splitlines()) <= 100


@pytest.mark.parametrize("name", pages.PAGES)
def test_links_and_pictures_are_there(name: str) -> None:
    page = report.ROOT / name
    for target in re.findall(r"\]\(([^)#]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", [name for name in pages.PAGES if "papers" in name])
def test_modules_that_pages_name_are_there(name: str) -> None:
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", read(name)))
    assert len(named) > 5
    for path in named:
        assert (report.ROOT / "src" / "secateur" / path).exists() or (report.ROOT / path).exists(), path


def test_a_page_without_results_says_so(tmp_path: Path) -> None:
    text = "<!-- a: begin -->\nold\n<!-- a: end -->\n<!-- b: begin -->\nold\n<!-- b: end -->\n"
    filled = pages.page("page.md", text, {"a": "new"})
    assert filled == text.replace("old", "new", 1).replace("old", pages.NOT_YET)
    with pytest.raises(InputError, match="no place for c"):
        pages.page("page.md", text, {"c": "new"})


def test_check_and_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A figure changed by hand is found, and mended; pictures are drawn."""
    for name in pages.PAGES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(report.ROOT / name, tmp_path / name)
    readme = tmp_path / "README.md"
    found = readme.read_text(encoding="utf-8")
    row = next(line for line in found.splitlines() if "most accurate on dev" in line)
    readme.write_text(found.replace(row, row.replace("8", "9")), encoding="utf-8")

    monkeypatch.setattr(report, "save_figure", lambda figure, file, dpi: written(file, figure))

    def run(*more: str) -> None:
        monkeypatch.setattr(sys, "argv", ["pages.py", "--root", str(tmp_path), *more])
        pages.main()

    with pytest.raises(SystemExit, match=r"not what the results say: README\.md"):
        run("--check")
    assert not (tmp_path / "docs" / "images").exists()
    run()
    assert capsys.readouterr().out == "wrote README.md\n"
    assert readme.read_text(encoding="utf-8") == found
    drawn = {file.name for file in (tmp_path / "docs" / "images").iterdir()}
    assert drawn == {file.name for file in (report.ROOT / "docs" / "images").iterdir()}
    run("--check")


def written(file: Path, figure: Figure) -> None:
    """That all could be drawn takes long enough."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    pyplot.close(figure)


def test_points_are_chosen_on_dev() -> None:
    def row(name: str, dev: float | None, f1: float, speed: float) -> dict[str, object]:
        return {"name": name, "dev": dev, "f1": f1, "words/s": speed}

    rows = [row("a", 80, 70, 10), row("b", 79.5, 90, 20), row("c", 76, 99, 30), row("d", None, 99, 99)]
    found = results_page.on_the_dial(rows)
    assert [one["name"] for one in found.values()] == ["a", "b", "b", "c"]


def test_speeds_of_peers_are_those_side_by_side_where_known() -> None:
    found = {peer.name: peer for peer in peers.of("phrases", "ptb-sample")}
    assert found["Berkeley SM4"].beside
    assert "†" not in found["Berkeley SM4"].speed()
    assert found["Berkeley SM3"].speed().endswith("†")
    assert not any(peer.beside for peer in peers.of("phrases", "gum"))
    assert 2 < peers.slowed() < 2.5


def test_a_trial_leaves_the_published_results_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    before = checkout()

    def run(main: Callable[[], None], *more: str) -> None:
        given = ["--data", "garden", "--limit", "60", "--out", str(out), *more]
        monkeypatch.setattr(sys, "argv", ["script.py", *given])
        main()

    run(prune_runs.main, "--points", "3", "--iterations", "1")
    run(prune_figure3.main)
    run(exact_grammars.main, "--repeat", "1")
    assert checkout() == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    results = {"exact-garden.json", "prune-runs-garden-dp.json", "prune-figure3-garden-dp.json"}
    assert {path.name for path in out.iterdir()} == {*results, "runs", "pages"}
    shown = {path.relative_to(out / "pages").as_posix() for path in (out / "pages").rglob("*.*")}
    assert {"prune_figure3.md", "exact_grammars.md", "images/prune-figure3-garden-dp.png"} <= shown


def test_a_run_without_a_folder_goes_where_git_does_not_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["script.py"])
    for chosen in (report.arguments("").parse_args(), arc_table1.arguments("").parse_args()):
        assert chosen.out == report.OUT
    ignored = read(".gitignore").splitlines()
    assert f"{report.OUT.name}/" in ignored
    assert not report.RESULTS.is_relative_to(report.OUT)
