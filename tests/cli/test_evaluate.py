"""secateur evaluate: two files, or a grammar and gold trees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from secateur import Normalization
from toy_model import toy_model

if TYPE_CHECKING:
    from cli.conftest import Run

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
    assert "95% confidence of F1 (all): 85.71 to 100.00" in found.out
    assert found.err == ""


def test_json(run: Run, files: tuple[Path, Path]) -> None:
    found = run("evaluate", *files, "--json").done().json
    assert found["protocol"].startswith("EVALB COLLINS.prm")
    assert (found["total"]["matched"], found["total"]["gold"], found["total"]["test"]) == (6, 7, 6)
    assert found["total"]["f1"] == pytest.approx(1200 / 13)
    assert found["confidence"][0] <= found["total"]["f1"] <= found["confidence"][1]
    assert "sentences" not in found
    assert "by_length" not in found


def test_the_seed_decides_the_confidence(run: Run, grown: Path, grown_grammar: Path) -> None:
    def interval(seed: int) -> list[float]:
        found = run("evaluate", grown_grammar, grown, "--json", "--seed", seed).done()
        confidence: list[float] = found.json["confidence"]
        return confidence

    assert interval(1) == interval(1) != interval(2)


def test_sentences(run: Run, files: tuple[Path, Path]) -> None:
    lines = run("evaluate", *files, "--sentences").done().lines
    assert ["1", "scored", "5", "4", "3", "3", "0", "4", "3"] in [line.split() for line in lines]
    found = run("evaluate", *files, "--sentences", "--json").done().json["sentences"]
    assert [one["matched"] for one in found] == [3, 3]


def test_by_length(run: Run, grown: Path, grown_grammar: Path) -> None:
    found = run("evaluate", grown_grammar, grown, "--by", "length", "--json").done().json
    rows = found["by_length"]
    assert list(rows) == ["1-10", "11-20", "21-30", "31-40", "41+"]
    for count in ("sentences", "matched", "gold", "test"):
        assert sum(row[count] for row in rows.values()) == found["total"][count]
    lines = run("evaluate", grown_grammar, grown, "--by", "length").done().lines
    assert lines[-6].split() == ["words", "sentences", "F1", "recall", "precision"]
    assert lines[-5].split()[:2] == ["1-10", str(rows["1-10"]["sentences"])]
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
    direct = run("evaluate", grown_grammar, grown, "--json").done().json
    assert "gold normalized (functions, traces, empty, advp, unaries, root)" in direct["protocol"]
    assert 20 < direct["total"]["f1"] < 100
    gold, parsed = tmp_path / "gold.mrg", tmp_path / "parsed.mrg"
    run("treebank", "convert", grown, "--normalize", "-o", gold).done()
    run("parse", grown_grammar, gold, "-o", parsed).done()
    apart = run("evaluate", gold, parsed, "--json").done().json
    # EVALB has no way to mark a failure in a file of trees.
    assert {**direct["total"], "failures": 0} == apart["total"]


def test_keep(run: Run, files: tuple[Path, Path], grown: Path, grown_grammar: Path) -> None:
    default = run("evaluate", grown_grammar, grown, "--json").json["total"]
    kept = run("evaluate", grown_grammar, grown, "--json", "--keep", "unaries").done().json
    assert "gold normalized (functions, traces, empty, advp, root)" in kept["protocol"]
    assert kept["total"]["gold"] >= default["gold"]
    run("evaluate", *files, "--keep", "unaries").misused("--keep")


def test_failures_are_counted(run: Run, grammar: Path) -> None:
    gold = "(ROOT (S (VBD slept) (VBD slept)))\n(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .)))\n"
    total = run("evaluate", grammar, "-", "--json", stdin=gold).done().json["total"]
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
    one = run("evaluate", grammar, trees, "--json").done()
    assert run("evaluate", grammar, trees, "--json", "--jobs", 2).done().out == one.out


# A model ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "toy.model"
    toy_model().save(path)
    return path


def test_a_model_at_one_setting(run: Run, trees: Path, model: Path) -> None:
    found = run("evaluate", model, trees, "--accuracy", 69).done()
    assert found.lines[0].startswith("protocol: EVALB COLLINS.prm")
    assert "gold normalized (functions" in found.lines[0]
    assert found.lines[1].startswith("setting: --accuracy 69.0, point careful, ")
    assert "words/s (CPU time on one core)" in found.lines[1]
    assert figures(found.out)["sentences"] == ["5", "5"]
    assert run("evaluate", model, trees).done().lines[1].startswith("setting: --most-accurate, point exact")


def test_a_model_scores_as_its_parses_do(run: Run, trees: Path, model: Path, tmp_path: Path) -> None:
    parsed = tmp_path / "parsed.mrg"
    run("parse", model, trees, "--fastest", "-o", parsed).done()
    apart = run("evaluate", trees, parsed, "--json").done().json["total"]
    (row,) = run("evaluate", model, trees, "--fastest", "--json").done().json["settings"]
    assert (row["setting"], row["point"]) == ("--fastest", "hasty")
    assert {**row["result"]["total"], "failures": 0} == apart
    assert row["words_per_second"] > 0


def test_gold_trees_are_normalized_as_in_training(run: Run, model: Path, tmp_path: Path) -> None:
    gold, own = tmp_path / "gold.mrg", tmp_path / "own.model"
    gold.write_text("( (S (NP (NP (DT the) (NN cat))) (VP (VBD slept)) (. .)))\n")
    toy = toy_model()
    recorded = Normalization(unaries=False, root="TOP").notes()
    replace(toy, settings={**toy.settings, **recorded}).save(own)

    def brackets(*args: object) -> tuple[int, str]:
        found = run("evaluate", *args, "--json").done().json
        return found["settings"][0]["result"]["total"]["gold"], found["protocol"]

    assert brackets(own, gold)[0] == 4  # NP over NP is kept, as it was
    assert brackets(own, gold)[1].endswith("gold normalized (functions, traces, empty, advp, root)")
    assert brackets(model, gold)[0] == 3  # nothing is recorded: every step
    assert brackets(model, gold)[1].endswith("(functions, traces, empty, advp, unaries, root)")
    assert brackets(own, gold, "--keep", "advp")[0] == 3  # asked for otherwise
    assert brackets(own, gold, "--keep", "advp")[1].endswith("(functions, traces, empty, unaries, root)")


def test_several_budgets(run: Run, trees: Path, model: Path) -> None:
    budgets = "1,000wps,2ms/sent,9wps,900000wps"
    found = run("evaluate", model, trees, "--budget", budgets, "--by", "length").done()
    lines = found.lines
    assert lines[1] == "words/s: CPU time on one core"
    assert lines[3].split()[:3] == ["setting", "point", "F1"]
    assert [line.split()[1:3] for line in lines[4:8]] == [
        ["1,000wps", "exact"],
        ["2ms/sent", "careful"],
        ["9wps", "exact"],
        ["900000wps", "hasty"],
    ]
    assert lines[9] == "F1 by length"
    assert lines[11].split()[:2] == ["1-10", "5"]
    assert "900000wps is beyond this model" in found.err


def test_points(run: Run, trees: Path, model: Path) -> None:
    everything = run("evaluate", model, trees, "--points", "all").done()
    assert [line.split()[0] for line in everything.lines[3:]] == ["point", "hasty", "careful", "exact"]
    named = run("evaluate", model, trees, "--points", "slow,exact", "--json").done().json
    assert [row["point"] for row in named["settings"]] == ["slow", "exact"]
    assert named["protocol"] == named["settings"][0]["result"]["protocol"]


def test_jobs_of_a_model(run: Run, trees: Path, model: Path) -> None:
    def totals(*options: object) -> list[object]:
        found = run("evaluate", model, trees, "--points", "all", "--json", *options).done().json["settings"]
        return [(row["point"], row["mpush"], row["result"]["total"]) for row in found]

    assert totals("--jobs", 2) == totals()
    shown = run("evaluate", model, trees, "--points", "all", "--jobs", 2).done()
    assert "words/s: not measured with several processes" in shown.lines


def test_wrong_settings_of_a_model(run: Run, files: tuple[Path, Path], trees: Path, model: Path) -> None:
    run("evaluate", model, trees, "--points", "quick").refused("quick", "careful")
    run("evaluate", model, trees, "--points", "all", "--fastest").refused("more than one setting")
    run("evaluate", model, trees, "--accuracy", 3, "--budget", "9wps").refused("more than one setting")
    run("evaluate", model, trees, "--points", "all", "--sentences").misused("--sentences")
    run("evaluate", *files, "--fastest").refused(files[0], "only a model has a dial")
    run("evaluate", trees.parent, trees).refused("not a model")


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
    assert report["confidence"] == {"uas": [100, 100], "las": [100, 100]}
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
    run("evaluate", gold, files[0]).refused(files[0], "phrases, where dependencies are needed")
    prm = tmp_path / "a.prm"
    prm.write_text("DELETE_LABEL TOP\n")
    run("evaluate", gold, parsed, "--prm", prm).misused("--prm", "trees")
    run("evaluate", *files, "--punctuation", "tag").misused("--punctuation", "dependencies")
    run("evaluate", grammar, files[0], "--no-subtypes").misused("--subtypes", "dependencies")
    run("evaluate", grammar, gold).refused(gold, "dependencies, where phrases are needed")
