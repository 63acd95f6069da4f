"""The commands on export, TIGER-XML, Alpino and folders of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from secateur.treebanks import formats
from secateur.treebanks.garden import garden

if TYPE_CHECKING:
    from cli.conftest import Run

LISTS = ["export", "tigerxml", "alpino"]


@pytest.fixture
def grown(run: Run, tmp_path: Path) -> Path:
    """Discontinuous trees of the garden."""
    path = tmp_path / "grown.dbr"
    run("treebank", "garden", 20, "--to", "discbracket", "-o", path).done()
    return path


@pytest.mark.parametrize("name", LISTS)
def test_there_and_back(run: Run, grown: Path, tmp_path: Path, name: str) -> None:
    path, again = tmp_path / "a", tmp_path / "b"
    assert (
        run("treebank", "convert", grown, "--to", name, "-o", path).done().err.startswith("20 trees written")
    )
    assert run("treebank", "check", path).done().out == "20 trees, 0 faults\n"
    assert run("treebank", "info", path, "--json").done().json["sentences"] == 20
    run("treebank", "convert", path, "--to", "discbracket", "-o", again).done()
    outer = "(VROOT {})\n" if name == "export" else "{}\n"
    assert again.read_text() == "".join(outer.format(line) for line in grown.read_text().splitlines())
    assert run("evaluate", path, again).done()
    assert "┌" in run("treebank", "draw", path, "-n", 20).done().out


@pytest.mark.parametrize("name", LISTS)
def test_trees_are_numbered(run: Run, name: str) -> None:
    found = run("treebank", "garden", 3, "--to", name, "--seed", 4).done().out
    starts = {"export": "#BOS {}\n", "tigerxml": '<s id="s{}">', "alpino": 'version="1.1" id="{}"'}
    assert all(starts[name].format(number) in found for number in (1, 2, 3))
    assert starts[name].format(4) not in found
    trees = [sample.discontinuous for sample in garden(3, seed=4)]
    opened = formats.FORMATS[name].read(found.splitlines())
    assert [tree.words() for tree in opened] == [tree.words() for tree in trees]
    kept = run("treebank", "convert", "-", "--to", "export", stdin=found).done().out
    assert [line for line in kept.splitlines() if line[:4] == "#BOS"] == ["#BOS 1", "#BOS 2", "#BOS 3"]


@pytest.mark.parametrize("name", ["tigerxml", "alpino"])
def test_a_file_of_xml_is_whole(run: Run, tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.xml"
    given = "(S (NN 0=a))\n(S (NN 1=b))\n(S (NN 0=c))\n"
    for text, count in ((given, 2), ("(S (NN 0=a) (NN 0=b))\n", 0)):
        found = run("treebank", "convert", "-", "--to", name, "-o", path, stdin=text)
        assert found.code == 1
        root = ElementTree.parse(path).getroot()
        assert len(root.findall(".//sentence" if name == "alpino" else ".//s")) == count


def test_a_fault_before_the_first_tree_leaves_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    given = "(S (NN 0=a) (NN 0=b))\n"
    found = run("treebank", "convert", "-", "--to", "alpino", "--strict", "-o", path, stdin=given)
    found.refused("two words at position 0")
    assert list(tmp_path.iterdir()) == []


def test_faults_are_listed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.export"
    path.write_text("#BOS 1\na\tN\t--\t--\t500\n#EOS 1\n#BOS 2\na\tN\t--\t--\t0\n#EOS 2\n")
    found = run("treebank", "check", path)
    assert found.code == 1
    assert found.lines[0].startswith(f"{path}:2:11  there is no node 500; ")
    assert found.lines[1] == "1 tree, 1 fault"


def test_folders(run: Run, tmp_path: Path, grammar: Path) -> None:
    folder = tmp_path / "bank"
    folder.mkdir()
    run("treebank", "garden", 2, "--to", "alpino", "-o", folder / "10.xml").done()
    run("treebank", "garden", 1, "--seed", 7, "--to", "alpino", "-o", folder / "9.xml").done()
    assert run("treebank", "check", folder).done().out == "3 trees, 0 faults\n"
    found = run("treebank", "convert", folder, "--to", "discbracket", "-o", tmp_path / "all").done()
    assert found.err.startswith("3 trees written")
    assert run("evaluate", folder, tmp_path / "all").done()
    assert len(run("parse", grammar, folder).done().lines) == 3
    run("evaluate", tmp_path, tmp_path / "all").refused("not a model")


@pytest.mark.parametrize("name", LISTS)
def test_parse_takes_the_words_of_their_trees(run: Run, grammar: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "a"
    given = "(S (VP (VBD 2=slept) (DT 0=the)) (NN 1=cat) (. 3=.))\n"
    run("treebank", "convert", "-", "--to", name, "-o", path, stdin=given).done()
    tokens = run("parse", grammar, "-", stdin="the cat slept .\n").done().out
    assert run("parse", grammar, path).done().out == tokens
    assert run("parse", grammar, "-", stdin=path.read_text()).done().out == tokens
