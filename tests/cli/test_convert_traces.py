"""secateur treebank convert --traces: from Penn trees with traces to discontinuous trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from secateur.treebanks import formats
from secateur.treebanks.garden import garden
from secateur.treebanks.traces import resolve
from secateur.treebanks.tree import Tree

if TYPE_CHECKING:
    from cli.conftest import Run

ASK = "( (SBARQ (WHNP-1 (WP What)) (SQ (MD will) (NP (PRP you)) (VP (VB say) (NP (-NONE- *T*-1))))))\n"
RESOLVED = "( (SBARQ (SQ (VP (WHNP (WP 0=What)) (VB 3=say)) (MD 1=will) (NP (PRP 2=you)))))\n"


def test_traces_are_resolved(run: Run) -> None:
    given = f"{ASK}( (X (-NONE- *)))\n( (S (X (-NONE- *T*-1)) (NN a)))\n"
    found = run("treebank", "convert", "-", "--to", "discbracket", "--traces", stdin=given).done()
    assert found.out == f"{RESOLVED}( (S (NN 0=a)))\n"
    assert found.err.splitlines() == [
        "*T*: 1 resolved, 1 without a filler",
        "*: 1 removed",
        "1 of 2 trees are discontinuous (50.0%)",
        "2 trees written, 0 faults",
    ]
    quiet = run("treebank", "convert", "-", "--to", "discbracket", "--traces", "-q", stdin=given).done()
    assert (quiet.out, quiet.err) == (found.out, "")


def test_words_are_counted_without_traces(run: Run) -> None:
    for longest, expected in ((4, RESOLVED), (3, "")):
        options = ("--to", "discbracket", "--traces", "--max-length", longest)
        assert run("treebank", "convert", "-", *options, stdin=ASK).done().out == expected


def test_the_garden(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "garden.mrg"
    run("treebank", "garden", 60, "-o", path).done()
    found = run("treebank", "convert", path, "--to", "discbracket", "--traces").done()
    trees = [resolve(sample.penn).tree or Tree("", ()) for sample in garden(60)]
    assert found.lines == [formats.write(tree, "discbracket") for tree in trees]
    written = tmp_path / "garden.dbr"
    written.write_text(found.out)
    assert "60 trees, 0 faults" in run("treebank", "check", written).done().out
    info = run("treebank", "info", written, "--json").done().json
    assert info["annotation"] == "discontinuous"
    assert info["discontinuous_trees"] == sum(tree.is_discontinuous for tree in trees)


def test_what_traces_are_not_for(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.mrg"
    path.write_text(ASK)
    run("treebank", "convert", path, "--traces").misused("--traces", "--to")
    run("treebank", "convert", path, "--traces", "--to", "brackets").misused("--traces")
    run("treebank", "convert", path, "--traces", "--to", "discbracket", "--normalize").misused("--normalize")
    path.write_text("1\tgo\t_\tV\tVB\t_\t0\troot\t_\t_\n\n")
    run("treebank", "convert", path, "--traces", "--to", "discbracket").misused("--traces")
