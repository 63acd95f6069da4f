"""Commands run as a user runs them, but in this process; small treebanks and grammars to run them on."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import toy_dependencies
import toy_lcfrs
import toy_model
from secateur import PCFG, Normalization, induce, write_grammar
from secateur.cli import main
from secateur.models.model import Model
from secateur.treebanks.formats import discbracket
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.formats.conll import CONLLX
from secateur.treebanks.garden import garden

# Hand-written, so that tests know what comes out.
TOY_TREES = """\
(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .)))
(ROOT (S (NP (DT a) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat))) (. .)))
(ROOT (S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (NP (NN cat)) (PP (IN by) (NP (DT the) (NN tree))))) (. .)))
(ROOT (S (NP (DT a) (NN bird)) (VP (VBD sang) (PP (IN in) (NP (DT the) (NN tree)))) (. .)))
(ROOT (S (NP (DT a) (NN cat)) (VP (VBD saw) (NP (DT a) (NN bird)) (PP (IN in) (NP (DT a) (NN tree)))) (. .)))
"""


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def objects(self) -> list[Any]:
        """One JSON object a line."""
        return [json.loads(line) for line in self.lines]

    def done(self) -> Result:
        assert (self.code, "error" in self.err) == (0, False), self.err
        return self

    def refused(self, *parts: object) -> None:
        """Wrong input: nothing on stdout, one line on stderr with what, where, and what to do."""
        assert self.code == 1, (self.code, self.err)
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1, self.err
        assert "; " in self.err, f"says nothing of what to do: {self.err}"
        for part in parts:
            assert str(part) in self.err

    def misused(self, *parts: str) -> None:
        """Wrong usage: the option and the trouble named."""
        assert self.code == 2, (self.code, self.err)
        assert self.out == ""
        words = " ".join(self.err.replace("│", " ").split())
        for part in parts:
            assert part in words


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """run("parse", grammar, "-", stdin="the cat slept"): a command with its input."""

    def call(*args: object, stdin: str | bytes = "", terminal: str = "utf-8") -> Result:
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        out, err = (io.TextIOWrapper(io.BytesIO(), terminal) for _ in range(2))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["secateur", *map(str, args)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = _exit_code(main)
        return Result(code, *(_content(stream) for stream in (out, err)))

    return call


def _exit_code(command: Callable[[], None]) -> int:
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _content(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode(errors="surrogateescape")


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that no test changes."""
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture(scope="session")
def trees(shelf: Path) -> Path:
    path = shelf / "toy.mrg"
    path.write_text(TOY_TREES)
    return path


@pytest.fixture(scope="session")
def toy_grammar() -> PCFG:
    return induce(read_tree(line) for line in TOY_TREES.splitlines())


@pytest.fixture(scope="session")
def grammar(shelf: Path, toy_grammar: PCFG) -> Path:
    """Of the toy trees."""
    path = shelf / "toy.gr"
    write_grammar(toy_grammar, path)
    return path


@pytest.fixture(scope="session")
def grown(shelf: Path) -> Path:
    """Forty sentences of the garden, with function tags and traces."""
    path = shelf / "garden.mrg"
    path.write_text("".join(f"{sample.penn}\n" for sample in garden(40)))
    return path


@pytest.fixture(scope="session")
def grown_grammar(shelf: Path) -> Path:
    path = shelf / "garden.gr"
    trees = (Normalization()(sample.penn) for sample in garden(200, seed=1))
    write_grammar(induce(tree for tree in trees if tree is not None), path)
    return path


# Kinds ------------------------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """A model of some kind, made by hand, and what to try it on."""

    kind: str
    model: Path
    made: Model[Any, Any]
    gold: Path  # trees
    sentence: str
    frontier: list[str]  # its points, the fastest first
    beaten: list[str]  # those that are not among them, by speed
    unit: str  # of work

    @property
    def trees(self) -> list[Any]:
        """The gold trees."""
        return list(_read(self))


def _read(sample: Sample) -> Any:
    from secateur import read

    return read(sample.gold)


@pytest.fixture(scope="session")
def pcfg(shelf: Path, trees: Path) -> Sample:
    made, path = toy_model.toy_model(), shelf / "phrases.model"
    made.save(path)
    sentence = "a cat saw a bird in a tree ."
    return Sample("pcfg", path, made, trees, sentence, ["hasty", "careful", "exact"], ["slow"], "push")


@pytest.fixture(scope="session")
def arcs(shelf: Path) -> Sample:
    made, path, gold = toy_dependencies.toy_dependency_model(), shelf / "arcs.model", shelf / "gold.conllx"
    made.save(path)
    gold.write_text("".join(map(CONLLX.write, toy_dependencies.grown(20, seed=5))))
    frontier = ["static-0", "dagger-0", "full"]
    sentence = "She opens this big white box ."
    return Sample("arcs", path, made, gold, sentence, frontier, ["static-1"], "template")


@pytest.fixture(scope="session")
def lcfrs(shelf: Path) -> Sample:
    """The same grammar for trees of blocks, and a PLCFRS."""
    made, path, gold = toy_lcfrs.toy_lcfrs_model(), shelf / "blocks.model", shelf / "gold.dbr"
    made.save(path)
    gold.write_text("".join(f"{discbracket.write(read_tree(line))}\n" for line in TOY_TREES.splitlines()))
    sentence = "a cat saw a bird in a tree ."
    beaten = [
        "slow",
        "exact+plcfrs",
        "coarse+plcfrs",
        "coarse-0+plcfrs",
        "items+plcfrs",
        "coarse-0+items+plcfrs",
    ]
    return Sample("lcfrs", path, made, gold, sentence, ["hasty", "careful", "exact"], beaten, "push")


@pytest.fixture(params=["pcfg", "lcfrs", "arcs"])
def each(request: pytest.FixtureRequest) -> Sample:
    """A test with this is one for every kind."""
    found: Sample = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def other(each: Sample, pcfg: Sample, arcs: Sample) -> Sample:
    """One of another annotation."""
    return pcfg if each is arcs else arcs
