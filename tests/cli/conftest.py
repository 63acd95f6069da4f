"""Commands run as a user runs them, but in this process; small treebanks and grammars to run them on."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from secateur import PCFG, Normalization, induce, write_grammar
from secateur.cli import main
from secateur.treebanks.formats.brackets import read_tree
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
