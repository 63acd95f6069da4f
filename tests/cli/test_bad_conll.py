"""Bad dependencies: the reader and the commands say what is wrong, where it is, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.dependencies import DEPENDENCIES, DependencyBank, DependencyReading
from secateur.treebanks.dependency_tree import DependencyTree
from toy_dependencies import toy_dependency_model

if TYPE_CHECKING:
    from cli.conftest import Run


def row(number: object, head: object = 0, *, form: str = "oak", tag: str = "NOUN", label: str = "dep") -> str:
    return f"{number}\t{form}\t_\t{tag}\tNN\t_\t{head}\t{label}\t_\t_\n"


GOOD = "# text = oak oak\n" + row(1, 2) + row(2, 0) + "\n"
PENN = "1\toaks\t_\tNNS\tNNS\t_\t2\tSUB\t_\t_\n2\tgrow\t_\tVBP\tVBP\t_\t0\tROOT\t_\t_\n\n"
TABS = "separate them by single tabs"

# What is wrong with a file: its bytes, the place after its name, what is said, and what to do.
BAD = {
    "cycle": (GOOD + row(1, 2) + row(2, 1) + row(3, 0), ":5:19", "a cycle", "a head outside the cycle"),
    "several roots": (GOOD + row(1) + row(2), ":6:19", "2 roots", "another head"),
    "head out of range": (GOOD + row(1, 7), ":5:19", "head 7 is out of range", "from 0 (the root) to 1"),
    "negative head": (GOOD + row(1, -1), ":5:19", "head -1 is out of range", "from 0 (the root) to 1"),
    "head that is no number": (GOOD + row(1, "two"), ":5:19", '"two" is not a number', "use a number"),
    "missing columns": (GOOD + row(1) + "2\tash\t_\tNOUN\n", ":6:1", "4 columns instead of 10", "tabs"),
    # As many in all as there should be.
    "columns in the wrong line": (
        GOOD + row(1)[:-3] + "\n" + row(2, 1)[:-1] + "\t_\n",
        ":5:1",
        "9 columns instead of 10",
        "tabs",
    ),
    "an empty column": (GOOD + row(1).replace("\tNN\t", "\t\t"), ":5:14", "an empty column", "write _"),
    "CoNLL-X after CoNLL-U": (GOOD + PENN, ":5:10", "the coarse tag NNS, as CoNLL-X", "--from conllx"),
    "8 columns after 10": (GOOD + row(1)[:-5] + "\n", ":5:1", "8 columns, as CoNLL-X", "--from conllx"),
    "spaces": (GOOD + GOOD[GOOD.index("\n") + 1 :].replace("\t", "  "), ":5:1", "spaces between", TABS),
    "comments without a sentence": (GOOD + "# one\n\n" + GOOD, ":5:1", "without a sentence", "delete"),
    "a sentence without words": (GOOD + row("0.1", "_") + "\n" + GOOD, ":5:1", "without words", "delete"),
    "no blank line": (GOOD[:-1] + GOOD, ":4:1", "a comment within a sentence", "blank line"),
    "not utf-8": (GOOD.encode() + row(1, form="chêne").encode("latin-1"), ":5:5", "0xea", "--encoding"),
    "binary": (GOOD.encode() + b"1\t\0\0", ":5:3", "binary", "give a text file"),
}
# Heads are not looked at, as long as they could be some.
PARSED = {"several roots"}


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "bad.conllu"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bad") / "toy.model"
    toy_dependency_model().save(path)
    return path


def _as_trees(path: Path) -> list[DependencyTree]:
    return list(DEPENDENCIES.trees(formats.opened(path), DependencyReading()))


@pytest.mark.parametrize("name", BAD)
def test_from_python(tmp_path: Path, name: str) -> None:
    content, place, what, fix = BAD[name]
    path = write(tmp_path, content)
    for read in (DependencyBank.read, _as_trees):
        with pytest.raises(InputError) as caught:
            read(path)
        error = caught.value
        assert error.where == f"{path}{place}"
        assert what in error.what
        assert fix in error.fix


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", ["train", "dev", "parse", "evaluate", "compare"])
def test_from_the_command_line(run: Run, model: Path, tmp_path: Path, name: str, command: str) -> None:
    content, place, what, fix = BAD[name]
    path = write(tmp_path, content)
    good, out = tmp_path / "good.conllu", tmp_path / "out"
    good.write_text(GOOD)
    given = {
        "train": ("train", path, "-o", out),
        "dev": ("train", good, "--dev", path, "-o", out),
        "parse": ("parse", model, path, "-o", out, "--quiet"),
        "evaluate": ("evaluate", model, path, "--quiet"),
        "compare": ("evaluate", path, good),
    }[command]
    found = run(*given)
    if name in PARSED and command not in ("train", "dev"):
        assert found.code == (1 if command == "compare" else 0)  # 2 sentences against 1
        return
    if command == "parse" and found.err.count("\n") > 1:  # the sentence before is kept
        kept = list(DEPENDENCIES.trees(formats.opened(f"{out}.partial"), None))
        assert [tree.words for tree in kept] == [("oak", "oak")]
        found = found._replace(err=found.err.partition("\n")[2])
    found.refused(f"{path}{place} ", what, fix)
    assert not out.exists()


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_nothing_in_a_file(run: Run, model: Path, tmp_path: Path, content: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        DependencyBank.read(path, format="conllu")
    assert (caught.value.what, caught.value.where) == ("no sentences", str(path))
    with pytest.raises(InputError, match="no sentences"):
        DependencyBank.read(path)
    run("evaluate", model, path).refused(path, "no sentences", "the file you meant")
    for command in (("train", path, "-o", tmp_path / "out"), ("evaluate", path, path)):
        run(*command, "--from", "conllu").refused(path, "no sentences", "the file you meant")


def test_too_little_to_train_with(run: Run, tmp_path: Path) -> None:
    """Without --dev a part is split off; of so few there is none to spare."""
    path = write(tmp_path, GOOD * 2)
    run("train", path, "-o", tmp_path / "out").refused(path, "1 held-out trees", "--dev")


def test_all_tabs_lost(run: Run, model: Path, tmp_path: Path) -> None:
    """Not taken for tokens."""
    path = write(tmp_path, (row(1, 2) + row(2, 0) + "\n").replace("\t", " "))
    for command in (
        ("train", path, "-o", tmp_path / "out"),
        ("parse", model, path),
        ("evaluate", path, path),
    ):
        run(*command).refused(f"{path}:1:1 ", "spaces between the columns", TABS)
    tokens = run("parse", model, "-", stdin="1 of the 8 trees in it fell\n").done()
    assert len(tokens.lines) == 9
