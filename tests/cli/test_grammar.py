"""secateur grammar: induce, info, check, convert."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from secateur import PCFG, Binarization, Smoothing, induce, read_grammar, read_tree
from secateur.grammar.text import grammar_lines

if TYPE_CHECKING:
    from cli.conftest import Run


def text_of(grammar: PCFG) -> list[str]:
    return list(grammar_lines(grammar))


def test_induce(run: Run, trees: Path, grammar: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.gr"
    found = run("grammar", "induce", trees, "-o", output).done()
    assert found.out == ""
    assert f"{output}: from 5 trees, " in found.err
    assert "binary rules" in found.err
    assert output.read_text() == grammar.read_text()
    assert run("grammar", "induce", trees, "-o", output, "--quiet").done().err == ""
    run("grammar", "induce", "-", "-o", output, stdin=trees.read_text()).done()
    assert output.read_text() == grammar.read_text()


def test_induce_to_gzip_and_json(run: Run, trees: Path, grammar: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.gr.gz"
    found = run("grammar", "induce", trees, "-o", output, "--json").done()
    assert gzip.decompress(output.read_bytes()) == grammar.read_bytes()
    described = run("grammar", "info", output, "--json").done().json
    assert {**found.json, "notes": described["notes"]} == described


@pytest.mark.parametrize(
    ("options", "binarization", "smoothing"),
    [
        (("--binarization", "right"), Binarization("right"), Smoothing()),
        (("-H", 1), Binarization(h=1), Smoothing()),
        (("--horizontal", -1), Binarization(h=None), Smoothing()),
        (("-V", 2), Binarization(v=2), Smoothing()),
        (("--rare", 0), Binarization(), Smoothing(rare=0)),
        (("--prior", 0), Binarization(), Smoothing(prior=0)),
    ],
)
def test_induction_options(
    run: Run,
    trees: Path,
    toy_grammar: PCFG,
    tmp_path: Path,
    options: tuple[object, ...],
    binarization: Binarization,
    smoothing: Smoothing,
) -> None:
    output = tmp_path / "out.gr"
    run("grammar", "induce", trees, "-o", output, *options).done()
    given = (read_tree(line) for line in trees.read_text().splitlines())
    expected = induce(given, binarization=binarization, smoothing=smoothing)
    assert text_of(read_grammar(output)) == text_of(expected)
    assert text_of(expected) != text_of(toy_grammar)


def test_induce_from_short_sentences(run: Run, trees: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.gr"
    run("grammar", "induce", trees, "-o", output, "--max-length", 4).done()
    assert read_grammar(output).notes["trees"] == "1"
    run("grammar", "induce", trees, "-o", output, "--max-length", 2).refused(trees, "no trees")


def test_induce_normalizes(run: Run, grown: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.gr"
    run("grammar", "induce", grown, "-o", output).done()
    assert "NP-SBJ" not in read_grammar(output).symbols
    run("grammar", "induce", grown, "-o", output, "--keep", "functions").done()
    assert "NP-SBJ" in read_grammar(output).symbols


def test_induce_what_is_no_pcfg(run: Run, tmp_path: Path) -> None:
    output = tmp_path / "out.gr"
    arcs = "1\tsee\t_\tVB\tVB\t_\t0\troot\t_\t_\n\n"
    run("grammar", "induce", "-", "-o", output, stdin=arcs).refused("<stdin>")
    made = "(S (@S (NN a) (NN b)) (NN c))\n"
    run("grammar", "induce", "-", "-o", output, stdin=made).refused("<stdin>", "@S")
    assert not output.exists()


def test_induce_needs_an_output(run: Run, trees: Path) -> None:
    run("grammar", "induce", trees).misused("--output")


def test_info(run: Run, grammar: Path, toy_grammar: PCFG) -> None:
    found = run("grammar", "info", grammar, "--json").done().json
    assert found["start"] == "ROOT"
    assert found["symbols"] == len(toy_grammar.symbols)
    assert found["binary rules"] == len(toy_grammar.binary.weight)
    assert found["words"] == 12  # the cat slept . a dog saw by tree bird sang in
    assert found["notes"]["trees"] == "5"
    lines = run("grammar", "info", grammar).done().lines
    assert any(line.split() == ["start", "ROOT"] for line in lines)
    assert any(line.split() == ["binarization", "left"] for line in lines)
    assert any(line.split()[:1] == ["VP"] for line in lines)


def test_info_counts_words_that_only_look_like_classes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "g.gr"
    entries = "".join(f"A -> {word} -2\n" for word in ("UNK", "UNK-LC", "UNKNOWN", "a"))
    path.write_text("format=secateur start=S\nS -> A A 0\n===== LEXICON =====\n" + entries)
    found = run("grammar", "info", path, "--json").done().json
    assert (found["words"], found["unknown-word classes"]) == (2, 2)


def test_info_shows_unary_paths(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "g.gr"
    path.write_text("format=secateur start=S\nS -> VP -> NP -> A -1\n===== LEXICON =====\nA -> a 0\n")
    assert "longest unary paths: VP NP" in run("grammar", "info", path).done().out


def test_check(run: Run, grammar: Path, tmp_path: Path) -> None:
    assert run("grammar", "check", grammar).done().out == "0 faults\n"
    assert run("grammar", "check", grammar, "--json").done().json == {"faults": []}
    path = tmp_path / "bad.gr"
    path.write_text(
        "format=secateur start=S\nS -> A A -0.1\nS -> A B -0.2\nC -> A A 0\n===== LEXICON =====\nA -> a 0\n"
    )
    found = run("grammar", "check", path)
    assert (found.code, found.err) == (1, "")
    *faults, summary = found.lines
    assert summary == "4 faults"
    assert all(fault.startswith(f"{path}  ") and "; " in fault for fault in faults)
    for fault, what in zip(
        faults,
        ("the rules of S sum to 1.7", "B derives no words", "C is never reached from S", "unknown words"),
        strict=True,
    ):
        assert what in fault
    listed = run("grammar", "check", path, "--json")
    assert listed.code == 1
    assert [f"{f['where']}  {f['what']}; {f['fix']}" for f in listed.json["faults"]] == faults


def test_check_does_not_blame_a_grammar_for_composing_its_unaries(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "berkeley.gr"
    path.write_text(
        "format=Berkeley start=S\nS -> B -0.6931472\nS -> A -0.6931472\nB -> A -0.1053605\n"
        "B -> A A -2.302585\n===== LEXICON =====\nA -> a -0.6931472\nA -> UNK -0.6931472\n"
    )
    assert run("grammar", "check", path).done().out == "0 faults\n"


def test_convert(run: Run, grown: Path, grown_grammar: Path, tmp_path: Path) -> None:
    expected = run("parse", grown_grammar, grown).done().out
    for dialect in ("Berkeley", "CSLU", "secateur"):
        output = tmp_path / f"{dialect}.gr.gz"
        found = run("grammar", "convert", grown_grammar, "-o", output, "--to", dialect).done()
        assert found.out == ""
        notes = run("grammar", "info", output, "--json").done().json["notes"]
        assert notes["format"] == dialect
    assert run("parse", tmp_path / "secateur.gr.gz", grown).done().out == expected
    run("grammar", "convert", grown_grammar, "-o", tmp_path / "x", "--to", "Klingon").misused("Klingon")


def test_convert_says_what_is_lost(run: Run, tmp_path: Path) -> None:
    path, output = tmp_path / "g.gr", tmp_path / "out.gr"
    path.write_text("format=secateur start=S\nS -> VP -> A -1\n===== LEXICON =====\nA -> a 0\n")
    found = run("grammar", "convert", path, "-o", output, "--to", "Berkeley").done()
    assert "1 unary path left out" in found.err
    assert "S -> A -1.0" in output.read_text()
    assert run("grammar", "convert", path, "-o", output).done().err == ""
    assert "S -> VP -> A -1.0" in output.read_text()


def test_convert_composes_only_for_our_dialect(run: Run, tmp_path: Path) -> None:
    path, output = tmp_path / "g.gr", tmp_path / "out.gr"
    path.write_text("format=Berkeley start=S\nS -> B -1\nB -> A -2\n===== LEXICON =====\nA -> a 0\n")
    run("grammar", "convert", path, "-o", output, "--to", "CSLU").done()
    assert sorted(output.read_text().splitlines()[1:3]) == ["B -> A -2.0", "S -> B -1.0"]
    run("grammar", "convert", path, "-o", output).done()
    assert "S -> B -> A -3.0" in output.read_text()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("command", ["induce", "convert"])
def test_a_device_is_not_replaced(run: Run, trees: Path, grammar: Path, tmp_path: Path, command: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    given = trees if command == "induce" else grammar
    run("grammar", command, given, "-o", pipe).refused(pipe, "regular file")
    assert pipe.is_fifo()
