"""secateur evaluate: two files, or a grammar and gold trees; test_every_kind.py has models."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from secateur import Normalization

if TYPE_CHECKING:
    from cli.conftest import Run, Sample

GOLD = (
    "(TOP (S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (NN it))) (. .)))\n(TOP (S (NP (NN x)) (VP (VB y))))\n"
)
# The first loses one bracket of four and gets one tag of four wrong; the second is right.
PARSED = "(TOP (S (NP (DT the) (NN cat)) (VP (VBD saw) (PRP it)) (. .)))\n(TOP (S (NP (NN x)) (VP (VB y))))\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, parsed = tmp_path / "gold.mrg", tmp_path / "parsed.mrg"
    gold.write_text(GOLD)
    parsed.write_text(PARSED)
    return gold, parsed


def figures(out: str) -> dict[str, list[str]]:
    """The rows of the report, by name."""
    rows = (line.rsplit(maxsplit=2) for line in out.splitlines() if line.strip())
    return {row[0].strip(): row[1:] for row in rows if len(row) == 3}


def scored(run: Run, *args: object) -> Any:
    """What the only setting of a model, or a grammar, came to."""
    (setting,) = run("evaluate", *args, "--json").done().json["settings"]
    return setting["result"]


def test_two_files(run: Run, files: tuple[Path, Path]) -> None:
    found = run("evaluate", *files).done()
    assert found.lines[0].startswith("protocol: EVALB COLLINS.prm, labelled, punctuation ignored")
    rows = figures(found.out)
    assert rows["sentences"] == ["2", "2"]
    assert rows["labelled recall"] == ["85.71", "85.71"]
    assert rows["labelled precision"] == ["100.00", "100.00"]
    assert rows["labelled F1"] == ["92.31", "92.31"]
    assert rows["complete match, %"] == ["50.00", "50.00"]
    assert rows["tag accuracy"] == ["83.33", "83.33"]
    assert "95% confidence of F1: 85.71 to 100.00" in found.out
    assert found.err == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_can_be_read_only_once(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(GOLD,), daemon=True)
    writer.start()
    assert run("evaluate", pipe, files[1]).done().out == run("evaluate", *files).done().out
    writer.join()


def test_json(run: Run, files: tuple[Path, Path]) -> None:
    found = run("evaluate", *files, "--json").done().json
    assert found["protocol"].startswith("EVALB COLLINS.prm")
    assert (found["total"]["matched"], found["total"]["gold"], found["total"]["test"]) == (6, 7, 6)
    assert found["total"]["f1"] == pytest.approx(1200 / 13)
    low, high = found["confidence"]["F1"]
    assert low <= found["total"]["f1"] == found["accuracy"] <= high
    assert "sentences" not in found
    assert "by_length" not in found


def test_the_seed_decides_the_confidence(run: Run, grown: Path, grown_grammar: Path) -> None:
    def interval(seed: int) -> list[float]:
        confidence: list[float] = scored(run, grown_grammar, grown, "--seed", seed)["confidence"]["F1"]
        return confidence

    assert interval(1) == interval(1) != interval(2)


def test_sentences(run: Run, files: tuple[Path, Path]) -> None:
    lines = run("evaluate", *files, "--sentences").done().lines
    assert ["1", "scored", "5", "4", "3", "3", "0", "4", "3"] in [line.split() for line in lines]
    found = run("evaluate", *files, "--sentences", "--json").done().json["sentences"]
    assert [one["matched"] for one in found] == [3, 3]


def test_by_length(run: Run, grown: Path, grown_grammar: Path) -> None:
    found = scored(run, grown_grammar, grown, "--by", "length")
    rows = found["by_length"]
    assert list(rows) == ["1-10", "11-20", "21-30", "31-40"]  # none longer than that
    assert all(row["sentences"] and row["f1"] for row in rows.values())
    for count in ("sentences", "matched", "gold", "test"):
        assert sum(row[count] for row in rows.values()) == found["total"][count]
    lines = run("evaluate", grown_grammar, grown, "--by", "length").done().lines
    assert lines[-5].split() == ["words", "sentences", "F1", "recall", "precision"]
    assert lines[-4].split()[:2] == ["1-10", str(rows["1-10"]["sentences"])]
    assert " 0.00" not in "".join(lines[-4:])
    run("evaluate", grown_grammar, grown, "--by", "colour").misused("--by")


def test_parameters(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    prm = tmp_path / "mine.prm"
    prm.write_text("LABELED 0\nDELETE_LABEL TOP\nCUTOFF_LEN 3\n")
    found = run("evaluate", *files, "--prm", prm).done()
    assert found.lines[0].startswith("protocol: EVALB mine.prm, unlabelled, punctuation counted")
    assert "<= 3 words" in found.out
    assert figures(found.out)["sentences"] == ["2", "1"]
    prm.write_text("DEBUG 0\nVOLUME 11\n")
    run("evaluate", *files, "--prm", prm).refused(f"{prm}:2", "VOLUME")
    found = run("evaluate", *files, "--prm", tmp_path / "none.prm")
    assert (found.code, found.out) == (1, "")
    assert "none.prm" in found.err


def test_a_grammar_and_gold_trees(run: Run, grown: Path, grown_grammar: Path, tmp_path: Path) -> None:
    direct = scored(run, grown_grammar, grown)
    assert "gold normalized (functions, traces, empty, unaries, root)" in direct["protocol"]
    assert 20 < direct["total"]["f1"] < 100
    gold, parsed = tmp_path / "gold.mrg", tmp_path / "parsed.mrg"
    run("treebank", "convert", grown, "--normalize", "-o", gold).done()
    run("parse", grown_grammar, gold, "-o", parsed).done()
    apart = run("evaluate", gold, parsed, "--json").done().json
    # EVALB has no way to mark a failure in a file of trees.
    assert {**direct["total"], "failures": 0} == apart["total"]


def test_keep(run: Run, files: tuple[Path, Path], grown: Path, grown_grammar: Path) -> None:
    default = scored(run, grown_grammar, grown)["total"]
    kept = scored(run, grown_grammar, grown, "--keep", "unaries")
    assert "gold normalized (functions, traces, empty, root)" in kept["protocol"]
    assert kept["total"]["gold"] >= default["gold"]
    run("evaluate", *files, "--keep", "unaries").misused("--keep")


def test_failures_are_counted(run: Run, grammar: Path) -> None:
    gold = "(ROOT (S (VBD slept) (VBD slept)))\n(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .)))\n"
    total = run("evaluate", grammar, "-", "--json", stdin=gold).done().json["settings"][0]["result"]["total"]
    assert (total["sentences"], total["failures"]) == (2, 1)


def test_standard_input(run: Run, files: tuple[Path, Path]) -> None:
    gold, parsed = files
    expected = run("evaluate", gold, parsed).done().out
    assert run("evaluate", "-", parsed, stdin=GOLD).done().out == expected
    assert run("evaluate", gold, "-", stdin=PARSED).done().out == expected
    run("evaluate", "-", "-", stdin=GOLD).misused("standard input")


def test_different_numbers_of_trees(run: Run, files: tuple[Path, Path]) -> None:
    gold, parsed = files
    parsed.write_text(PARSED * 2)
    run("evaluate", gold, parsed).refused(parsed, "2 gold trees but 4")
    parsed.write_text(PARSED.splitlines()[0])
    run("evaluate", gold, parsed).refused(parsed, "2 gold trees but 1")


def test_different_words_are_said(run: Run, files: tuple[Path, Path]) -> None:
    gold, parsed = files
    parsed.write_text(PARSED.replace("cat", "dog"))
    found = run("evaluate", gold, parsed).done()
    assert figures(found.out)["errors (words differ)"] == ["1", "1"]
    assert "1 sentence not scored" in found.err
    assert run("evaluate", gold, parsed, "--quiet").err == ""
    # Nothing at all: there are no figures to show.
    parsed.write_text(PARSED.replace("cat", "dog").replace("(NN x)", "(NN z)"))
    what = "no sentence could be scored: 2 sentences not scored: gold and parsed words differ"
    run("evaluate", gold, parsed).refused(parsed, what, "the same sentences")
    run("evaluate", gold, parsed, "--json").refused(parsed, what)
    # Nor of some length.
    gold.write_text(GOLD + "(TOP (S" + " (NN a)" * 12 + "))\n")
    parsed.write_text(PARSED + "(TOP (S" + " (NN b)" * 12 + "))\n")
    lines = run("evaluate", gold, parsed, "--by", "length").done().lines
    assert lines[-1].split() == ["11-20", "1", "-", "-", "-"]


def test_an_empty_tree_is_skipped(run: Run, files: tuple[Path, Path]) -> None:
    gold, parsed = files
    parsed.write_text("(TOP )\n" + PARSED.splitlines()[1])
    assert figures(run("evaluate", gold, parsed).done().out)["skipped (no words)"] == ["1", "1"]


def test_a_grammar_in_the_wrong_place(run: Run, trees: Path, grammar: Path) -> None:
    run("evaluate", trees, grammar).refused(grammar, "grammar first")


def test_trees_that_evalb_cannot_score(run: Run, files: tuple[Path, Path]) -> None:
    gold, parsed = files
    gold.write_text("(S (VP (WP 0=what) (VB 2=see)) (PRP 1=you))\n")
    parsed.write_text("(S (VP (WP what) (VB see)) (PRP you))\n")
    run("evaluate", gold, parsed).refused(parsed, "discontinuous")


def test_jobs(run: Run, trees: Path, grammar: Path) -> None:
    assert scored(run, grammar, trees, "--jobs", 2) == scored(run, grammar, trees)


# A model ----------------------------------------------------------------------------------------------------


def test_gold_trees_are_normalized_as_in_training(run: Run, pcfg: Sample, tmp_path: Path) -> None:
    gold, own = tmp_path / "gold.mrg", tmp_path / "own.model"
    gold.write_text("( (S (NP (NP (DT the) (NN cat))) (VP (VBD slept)) (. .)))\n")
    model, toy = pcfg.model, pcfg.made
    recorded = Normalization(unaries=False, root="TOP").notes()
    replace(toy, settings={**toy.settings, **recorded}).save(own)

    def brackets(*args: object) -> tuple[int, str]:
        found = run("evaluate", *args, "--json").done().json
        return found["settings"][0]["result"]["total"]["gold"], found["protocol"]

    assert brackets(own, gold)[0] == 4  # NP over NP is kept, as it was
    assert brackets(own, gold)[1].endswith("gold normalized (functions, traces, empty, root)")
    assert brackets(model, gold)[0] == 3  # nothing is recorded: every step
    assert brackets(model, gold)[1].endswith("(functions, traces, empty, unaries, root)")
    assert brackets(own, gold, "--keep", "traces")[0] == 3  # asked for otherwise
    assert brackets(own, gold, "--keep", "traces")[1].endswith("(functions, empty, unaries, root)")


# Dependencies -----------------------------------------------------------------------------------------------

GOLD_ARCS = """\
1\tcats\t_\tNOUN\tNNS\t_\t2\tnsubj:x\t_\t_
2\tsleep\t_\tVERB\tVBP\t_\t0\troot\t_\t_
3\tnow\t_\tADV\tRB\t_\t2\tadvmod\t_\t_
4\t.\t_\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
PARSED_ARCS = GOLD_ARCS.replace("nsubj:x", "nsubj").replace("2\tpunct", "3\tpunct")


def test_dependencies(run: Run, tmp_path: Path) -> None:
    gold, parsed = tmp_path / "gold.conllu", tmp_path / "parsed.conllu"
    gold.write_text(GOLD_ARCS * 2)
    parsed.write_text(PARSED_ARCS + GOLD_ARCS)
    found = run("evaluate", gold, parsed).done()
    assert found.lines[0] == "protocol: attachment, punctuation counted, labels whole, all lengths"
    rows = {line[:23].strip(): line[23:].strip() for line in found.lines}
    assert (rows["UAS"], rows["LAS"], rows["complete match, %"]) == ("87.50", "75.00", "50.00")
    assert "95% confidence of UAS: 75.00 to 100.00" in found.out
    options = ("--punctuation", "tag", "--no-subtypes", "--by", "length", "--sentences", "--json")
    report = run("evaluate", gold, parsed, *options).done().json
    assert "by gold tag" in report["protocol"]
    assert "without subtypes" in report["protocol"]
    assert (report["total"]["uas"], report["total"]["las"], report["total"]["words"]) == (100, 100, 6)
    assert report["confidence"] == {"UAS": [100, 100], "LAS": [100, 100]}
    assert report["accuracy"] == 100
    assert report["by_length"]["1-10"]["sentences"] == 2
    assert [each["heads"] for each in report["sentences"]] == [3, 3]
    shown = run("evaluate", gold, parsed, "--sentences", "--by", "length").done().lines
    assert ["1", "4", "4", "3", "2"] in [line.split() for line in shown]
    assert ["1-10", "2", "87.50", "75.00"] in [line.split() for line in shown]
    assert run("evaluate", "-", parsed, stdin=GOLD_ARCS * 2).done().out == found.out


def test_dependencies_that_cannot_be_compared(
    run: Run, files: tuple[Path, Path], tmp_path: Path, grammar: Path
) -> None:
    gold, parsed = tmp_path / "gold.conllu", tmp_path / "parsed.conllu"
    gold.write_text(GOLD_ARCS * 2)
    parsed.write_text(GOLD_ARCS)
    run("evaluate", gold, parsed).refused(parsed, "2 gold sentences but 1 to score")
    parsed.write_text(GOLD_ARCS + GOLD_ARCS.replace("now", "here"))
    run("evaluate", gold, parsed).refused(parsed, "sentence 2 (line 6)", '"now"', '"here"')
    run("evaluate", gold, files[0]).refused(files[0], f"phrases (brackets), but {gold} has dependencies")
    prm = tmp_path / "a.prm"
    prm.write_text("DELETE_LABEL TOP\n")
    run("evaluate", gold, parsed, "--prm", prm).misused("--prm", "phrases")
    run("evaluate", *files, "--punctuation", "tag").misused("--punctuation", "dependencies")
    run("evaluate", grammar, files[0], "--no-subtypes").misused("--subtypes", "dependencies")
    run("evaluate", grammar, gold).refused(gold, "dependencies, where phrases are needed")
