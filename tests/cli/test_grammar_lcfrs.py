"""PLCFRSs in all commands that take a grammar, and read off discontinuous trees."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import mutated_grammars
from lcfrs_cases import assert_same
from mutated_grammars import BY_HAND
from secateur import PLCFRS, Smoothing, write_grammar
from secateur.grammar.files import read_any
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.grammar.lcfrs.induce import induce
from secateur.treebanks import formats
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousReading

if TYPE_CHECKING:
    from cli.conftest import Run

LISTED = ("export", "tigerxml", "alpino", "discbracket")


@pytest.fixture(scope="module")
def grown_gapped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Sixty sentences of the garden in each of the formats."""
    folder, trees = tmp_path_factory.mktemp("gapped"), list(DISCONTINUOUS.grown(60))
    found = {}
    for form in LISTED:
        opening, closing = formats.around(form)
        texts = (formats.write(formats.numbered(tree, n, form), form) for n, tree in enumerate(trees, 1))
        found[form] = folder / f"garden.{form}"
        found[form].write_text(opening + "".join(f"{text}\n" for text in texts) + closing, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grammar by hand, with a rule of three symbols."""
    path = tmp_path_factory.mktemp("small") / "small.gr"
    path.write_text(BY_HAND)
    return path


@pytest.fixture(scope="module")
def gapped_grammar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("induced") / "garden.gr"
    write_grammar(induce(normalized()), path)
    return path


def normalized(**how: Any) -> list[Any]:
    return list(DISCONTINUOUS.normalized(DISCONTINUOUS.grown(60), DiscontinuousReading(**how)))


def read(path: Path) -> PLCFRS:
    found = read_any(path)
    assert isinstance(found, PLCFRS)
    return found


# induce -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", LISTED)
def test_induce(run: Run, grown_gapped: dict[str, Path], tmp_path: Path, form: str) -> None:
    output = tmp_path / "out.gr"
    found = run("grammar", "induce", grown_gapped[form], "-o", output).done()
    assert found.out == ""
    grammar = read(output)
    assert grammar.fanout.max() == 2
    assert f"{output}: from 60 trees, {len(grammar.symbols)} symbols of fan-out 2 at most, " in found.err
    assert "binary rules" in found.err
    if form in ("export", "discbracket"):  # others write labels otherwise
        assert_same(grammar, induce(normalized()))


@pytest.mark.parametrize(
    ("options", "binarization", "smoothing", "how"),
    [
        (("--binarization", "head"), Binarization("head"), Smoothing(), {}),
        (("--binarization", "right", "-H", 2), Binarization("right", h=2), Smoothing(), {}),
        (("--binarization", "left", "-H", -1), Binarization("left", h=None), Smoothing(), {}),
        (("--horizontal", 0, "-V", 2), Binarization(h=0, v=2), Smoothing(), {}),
        (("--rare", 0, "--prior", 0.5), Binarization(), Smoothing(0, 0.5), {}),
        (
            ("--marks", "leave", "--functions"),
            Binarization(),
            Smoothing(),
            {"marks": "leave", "functions": True},
        ),
    ],
)
def test_induction_options(
    run: Run,
    grown_gapped: dict[str, Path],
    tmp_path: Path,
    options: tuple[object, ...],
    binarization: Binarization,
    smoothing: Smoothing,
    how: dict[str, Any],
) -> None:
    output = tmp_path / "out.gr.gz"
    found = run("grammar", "induce", grown_gapped["export"], "-o", output, "--json", *options).done()
    expected = induce(normalized(**how), binarization=binarization, smoothing=smoothing)
    assert_same(read(output), expected)
    described = run("grammar", "info", output, "--json").done().json
    assert {**found.json, "notes": described["notes"]} == described
    assert described["notes"] == expected.notes


def test_induce_for_discodop(run: Run, grown_gapped: dict[str, Path], tmp_path: Path) -> None:
    given = grown_gapped["discbracket"]
    found = run("grammar", "induce", given, "-o", tmp_path / "d.gz", "--to", "disco-dop").done()
    paths = [tmp_path / "d.rules.gz", tmp_path / "d.lex.gz"]
    assert f"{paths[0]} and {paths[1]}: from 60 trees" in found.err
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    assert gzip.decompress(paths[0].read_bytes()).startswith(b"ROOT\t")
    run("grammar", "induce", given, "-o", tmp_path / "d.gr", "--quiet").done()
    assert list(read(paths[1]).entries()) == list(read(tmp_path / "d.gr").entries())


def test_foreign_options_are_refused(
    run: Run, grown_gapped: dict[str, Path], trees: Path, tmp_path: Path
) -> None:
    output, given = tmp_path / "out.gr", grown_gapped["export"]
    run("grammar", "induce", given, "-o", output, "--several-roots").misused(
        "--several-roots is for treebanks of dependencies; this one is discontinuous"
    )
    run("grammar", "induce", trees, "-o", output, "--marks", "leave").misused(
        "--marks is for treebanks of discontinuous; this one is phrases"
    )
    run("grammar", "induce", trees, "-o", output, "--binarization", "head").refused("'head'", "left", "right")
    run("grammar", "induce", given, "-o", output, "--binarization", "up").misused("--binarization", "head")
    run("grammar", "induce", trees, "-o", output, "--to", "disco-dop").refused(
        trees, "disco-dop is for PLCFRSs"
    )
    run("grammar", "induce", given, "-o", output, "--to", "CSLU").refused(
        given, "CSLU is for PCFGs", "disco-dop"
    )
    run("grammar", "induce", given, "-o", output, "--to", "split").refused(
        given, "split is for split grammars"
    )
    run("grammar", "induce", given, trees, "-o", output).refused(trees, "phrases", "files of one annotation")
    run("grammar", "induce", "-", "-o", output, stdin="").refused("<stdin>", "no trees")
    assert not list(tmp_path.iterdir())


# info, check, convert ---------------------------------------------------------------------------------------


def test_info(run: Run, small: Path, gapped_grammar: Path) -> None:
    found = run("grammar", "info", small, "--json").done().json
    assert found.pop("notes") == {}
    assert found == {
        "start": "S",
        "symbols": 4,
        "made by binarization": 0,
        "tags": 2,
        "binary rules": 3,
        "unary rules": 0,
        "composed unaries": 0,
        "words": 2,
        "unknown-word classes": 1,
        "lexical entries": 3,
        "longer rules": 1,
        "chains": "yes",
        "fan-out": 2,
        "parsing complexity": 4,
        "symbols of fan-out 1": 3,
        "symbols of fan-out 2": 1,
        "rules of fan-out 1": 3,
        "rules of fan-out 2": 1,
    }
    lines = [line.split() for line in run("grammar", "info", gapped_grammar).done().lines]
    assert ["binarization", "minimal"] in lines
    assert ["fan-out", "2"] in lines


def test_the_complexity_is_that_of_binary_rules(run: Run) -> None:
    for text, complexity in (
        ("S(X Y Z U) -> A(X) A(Y) A(Z) A(U)\nA('a') ->", 3),
        ("S(X) -> A(X)\nA('a') ->", 2),
        ("S(X Y Z) -> V(X, Z) A(Y)\nV(X, Y) -> W(X, Y)\nW(X, Y) -> A(X) A(Y)\nA('a') ->", 4),
        ("S(X Y Z U) -> V(X, Z) V(Y, U)\nV(X, Y) -> A(X) A(Y)\nA('a') ->", 5),
    ):
        from secateur.cli.figures import complexity as found

        assert found(PLCFRS.from_text(text)) == complexity


def test_info_shows_unary_paths(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "g.gr"
    path.write_text(mutated_grammars.TEXT)
    assert "longest unary paths: P Q" in run("grammar", "info", path).done().out


def test_check(run: Run, small: Path, gapped_grammar: Path, tmp_path: Path) -> None:
    for path in (small, gapped_grammar):
        assert run("grammar", "check", path).done().out == "0 faults\n"
        assert run("grammar", "check", path, "--json").done().json == {"faults": []}
    path = tmp_path / "bad.gr"
    path.write_text(
        "S(X Y) -> A(X) A(Y) 0.9\nS(X Y Z) -> A(X) A(Y) B(Z) 0.8\nC(X, Y) -> A(X) A(Y)\nA('a') ->\n"
    )
    found = run("grammar", "check", path)
    assert (found.code, found.err) == (1, "")
    *faults, summary = found.lines
    assert summary == "4 faults"
    for fault, what in zip(
        faults,
        ("the rules of S sum to 1.7", "B derives no words", "C is never reached from S", "unknown words"),
        strict=True,
    ):
        assert fault.startswith(f"{path}  ")
        assert what in fault
    listed = run("grammar", "check", path, "--json")
    assert listed.code == 1
    assert [f"{f['where']}  {f['what']}; {f['fix']}" for f in listed.json["faults"]] == faults


def test_a_rule_that_cannot_be_made_binary(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wide.gr"
    many = [f"X{i}" for i in range(40)]
    left, right = ", ".join(many), " ".join(f"A({x})" for x in many)
    path.write_text(f"S(X) -> A(X) 0.5\nS(X Y) -> A(X) S(Y) 0.5\nB({left}) -> {right}\nA('UNK') ->\n")
    found = run("grammar", "check", path)
    assert [line.partition("; ")[0] for line in found.lines[:-1]] == [
        f"{path}  a binary rule of more than 31 segments",
        f"{path}  B is never reached from S",
    ]
    for command in (
        ("grammar", "info", path),
        ("grammar", "convert", path, "-o", tmp_path / "d", "--to", "disco-dop"),
        ("grammar", "convert", path, "-o", tmp_path / "d", "--binarized"),
        ("parse", path, "a a"),
        ("bench", path),
    ):
        run(*command).refused(path, "more than 31 segments", "split the rule")
    assert list(tmp_path.iterdir()) == [path]


def test_convert(run: Run, small: Path, tmp_path: Path) -> None:
    text, again = tmp_path / "text.gr.gz", tmp_path / "again.gr"
    assert run("grammar", "convert", small, "-o", text).done().out == ""
    assert_same(read(text), read(small))
    found = run("grammar", "convert", text, "-o", tmp_path / "d.lex", "--to", "disco-dop").done()
    assert found.err == "1 longer rule made binary: disco-dop has no place for them\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.lex", "d.rules", "text.gr.gz"]
    run("grammar", "convert", tmp_path / "d.rules", "-o", again).done()
    run("grammar", "convert", small, "-o", text, "--binarized", "--quiet").done()
    assert [rule[:3] for rule in read(again).named()] == [rule[:3] for rule in read(text).named()]
    assert not len(read(text).long.weight)
    sentence = "a b a b a b b"
    trees = [run("parse", path, sentence).done().out for path in (small, text, again, tmp_path / "d.rules")]
    assert len(set(trees)) == 1


def test_convert_says_what_is_lost(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "g.gr"
    path.write_text(mutated_grammars.TEXT)
    found = run("grammar", "convert", path, "-o", tmp_path / "d", "--to", "disco-dop").done()
    assert found.err.splitlines() == [
        "1 unary path left out: disco-dop has no place for the labels passed over",
        "1 longer rule made binary: disco-dop has no place for them",
    ]
    quiet = run("grammar", "convert", path, "-o", tmp_path / "d", "--to", "disco-dop", "--quiet").done()
    assert quiet.err == ""


def test_dialects_of_other_grammars(run: Run, small: Path, grammar: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    for dialect, sort in (
        ("Berkeley", "PCFGs"),
        ("CSLU", "PCFGs"),
        ("split", "split grammars"),
        ("Berkeley-split", "split grammars"),
    ):
        run("grammar", "convert", small, "-o", output, "--to", dialect).refused(
            small, f"{dialect} is for {sort}"
        )
    run("grammar", "convert", grammar, "-o", output, "--to", "disco-dop").refused(grammar, "is for PLCFRSs")
    run("grammar", "convert", grammar, "-o", output, "--binarized").refused(grammar, "only a PLCFRS")
    assert not list(tmp_path.iterdir())


# parse, evaluate, bench -------------------------------------------------------------------------------------


def test_parse(run: Run, small: Path) -> None:
    found = run("parse", small, "a b a b").done()
    assert found.out == "(S (NP (NP 0=a) (V 1=b) (NP 2=a)) (V 3=b))\n"
    assert f"{small}, exact: 1 sentence, 4 words, 0 without a parse" in found.err
    (one,) = run("parse", small, "b a a", "--json").done().objects
    assert (one["tree"], one["failed"]) == ("(S (VP (V 0=b) (NP 2=a)) (NP 1=a))", False)
    assert one["work"]["pushes"] > 0
    assert one["status"] == "complete"
    (failed,) = run("parse", small, "b b b", "--json").done().objects
    assert (failed["failed"], failed["score"]) == (True, None)
    long = " ".join(["a b"] * 200)
    assert run("parse", small, "-", "--max-length", 9, stdin=long).done().err.count("1 degraded") == 1
    assert run("parse", small, "-", "--max-length", 9, "--on-long", "skip", stdin=long).done().out == "(S )\n"


def test_parse_prints_any_format(run: Run, small: Path) -> None:
    for form in LISTED:
        out = run("parse", small, "b a a", "--to", form).done().out
        (tree,) = formats.FORMATS[form].read(out.splitlines(keepends=True))
        assert tree.words() == ["b", "a", "a"]
    assert "├───│───┐" in run("parse", small, "b a a", "--to", "drawn").done().out  # a branch crosses
    run("parse", small, "b a a", "--to", "brackets").refused("discontinuous", "--to export")


def test_kbest(run: Run, small: Path) -> None:
    found = run("parse", small, "a b a b a b", "-k", 9, "--json").done().objects
    scores = [one["score"] for one in found]
    assert len(found) > 1
    assert [one["rank"] for one in found] == list(range(1, len(found) + 1))
    assert scores == sorted(scores, reverse=True)
    assert len({one["tree"] for one in found}) == len(found)
    (best,) = run("parse", small, "a b a b a b", "--json").done().objects
    assert best["score"] == scores[0]
    assert run("parse", small, "a b a b a b", "-k", 2, "--jobs", 2).done().out.count("\n") == 3


def test_binarized(run: Run, small: Path, lcfrs: Any) -> None:
    assert "NP|<" in run("parse", small, "a b a b", "--binarized").done().out
    run("parse", lcfrs.model, lcfrs.sentence, "--binarized").refused(lcfrs.model, "not binary")


def test_what_a_plcfrs_cannot_do(run: Run, small: Path) -> None:
    for option in ("--max-recall", "--marginals=0.5"):
        run("parse", small, "a b", option).misused(option.partition("=")[0], "for models of kind pcfg")
    run("parse", small, "a b", "--fastest").refused(small, "a grammar has no dial")
    run("bench", small, "--fastest").refused(small, "only a model has a dial")
    run("train", small, "-o", small.parent / "m").refused(small)
    run("inspect", small, "a b").refused(small, "this is a file, not a model")


def test_a_pcfg_is_needed(run: Run, gapped_grammar: Path, grown: Path, tmp_path: Path) -> None:
    output = tmp_path / "m"
    found = run("train", grown, "-o", output, "--grammar", gapped_grammar)
    found.refused(f"{gapped_grammar}:1", "a PLCFRS, where a PCFG is needed")


def test_evaluate(run: Run, gapped_grammar: Path, grown_gapped: dict[str, Path], tmp_path: Path) -> None:
    gold = tmp_path / "gold.dbr"
    short = [tree for tree in normalized() if len(tree.words()) <= 8]
    gold.write_text("".join(DISCONTINUOUS.text(tree, "discbracket") for tree in short))
    (row,) = run("evaluate", gapped_grammar, gold, "--json").done().json["settings"]
    assert row["point"] == "exact"
    assert row["result"]["accuracy"] > 80
    assert (row["failures"], row["kept"]) == (0, 1.0)
    assert row["work"] > 0
    parsed = tmp_path / "parsed.dbr"
    run("parse", gapped_grammar, gold, "-o", parsed, "--quiet").done()
    apart = run("evaluate", gold, parsed, "--json").done().json
    assert apart["accuracy"] == row["result"]["accuracy"]
    run("evaluate", gold, gapped_grammar).refused(gapped_grammar, "grammar first")
    lines = run("evaluate", gapped_grammar, gold).done().lines
    assert any(line.startswith("protocol: ") for line in lines)


def test_bench(run: Run, small: Path, gapped_grammar: Path) -> None:
    text = "a b a b\nb a a\n"
    found = run("bench", small, "-", "--repeat", 1, "--json", stdin=text).done().json
    assert (found["sentences"], found["words"], found["unit"], found["failures"]) == (2, 7, "push", 0)
    assert found["work"]["pushes"] > 0
    assert (
        "on garden (2 sentences)" in run("bench", gapped_grammar, "--sentences", 2, "--repeat", 1).done().out
    )


# Files with something wrong in them -------------------------------------------------------------------------


BAD = {
    "a missing half": ("a.rules", "S\tA\t0\t1\n", "", "a.lex"),
    "a wrong fan-out": (
        "a.gr",
        "S(X Y) -> A(X) A(Y)\nA('a') ->\nB(X, Y) -> S(X, Y)\n",
        ":3:1",
        "S has fan-out 2",
    ),
    "no start": ("a.gr", "S(X, Y) -> A(X) A(Y)\nA('a') ->\n", ":1", "the start symbol S has fan-out 2"),
    "another format": ("a.gr", "format=secateur-lcfrs start=S\nS -> A A -1\n", ":1", "not a PLCFRS"),
    "cut off": ("a.gr", "format=secateur-lcfrs start=S chains=no\nS -> A A 01 -1\n", ":2", "ends without"),
    "bitpar": ("a.lex", "1\tS\tA\tA\n", ":1", "not an entry"),
    "nothing": ("a.rules", "", ":1", "no rules"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_grammars(run: Run, tmp_path: Path, name: str) -> None:
    file, content, place, what = BAD[name]
    path = tmp_path / file
    path.write_text(content)
    if place and path.suffix != ".gr":
        (tmp_path / ("a.rules" if path.suffix == ".lex" else "a.lex")).write_text(
            "S\tA\tA\t01\t1\n" * (path.suffix == ".lex")
        )
    for command in (("info", path), ("convert", path, "-o", tmp_path / "out")):
        run("grammar", *command).refused(f"{path}{place}", what)
    run("parse", path, "a a").refused(f"{path}{place}", what)
    run("bench", path).refused(f"{path}{place}", what)
    found = run("grammar", "check", path, "--json")
    assert found.code == 1
    (fault,) = found.json["faults"]
    assert fault["where"] == f"{path}{place}"
    assert what in fault["what"]
    assert fault["fix"]


def test_a_directory(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "d.rules"
    folder.mkdir()
    for command in (("grammar", "info", folder), ("grammar", "check", folder), ("parse", folder, "a a")):
        found = run(*command)
        assert found.code == 1
        assert "no model.toml" in found.err + found.out
    file = tmp_path / "e.rules"
    file.write_text("S\tA\tA\t01\t1\n")
    (tmp_path / "e.lex").mkdir()
    run("parse", file, "a a").refused(tmp_path / "e.lex", "this is a directory")


def test_mutated_grammars(run: Run, tmp_path: Path) -> None:
    """Each is parsed with, or refused in one line; `check` says the same."""
    codes = []
    for seed in range(300):
        path = mutated_grammars.mutated(tmp_path, seed)
        found = run("parse", path, "a b a", "--json", "--quiet")
        checked = run("grammar", "check", path, "--json")
        codes.append(found.code)
        assert checked.code in (0, 1)
        faults = json.loads(checked.out)["faults"]
        assert all(fault["what"] and fault["fix"] and fault["where"] for fault in faults)
        if found.code:
            found.refused(tmp_path, faults[0]["what"])
            assert len(faults) == 1
        else:
            assert found.objects[0]["words"] == ["a", "b", "a"]
    assert 30 < codes.count(0) < 200
