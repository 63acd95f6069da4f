"""secateur treebank: check, info, convert, draw, garden."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from secateur import DependencyBank, Normalization, Treebank, read_tree, to_dependencies
from secateur.treebanks import formats
from secateur.treebanks.garden import garden

if TYPE_CHECKING:
    from cli.conftest import Run

FAULTY = "(S (NP (DT the) (NN cat)))\n(S (NP (DT the))\n(S (VP (VBD slept)) extra)\n(S (. .))\n"
DISCONTINUOUS = "(S (VP (WP 0=what) (VB 2=see)) (PRP 1=you))\n"


def test_check(run: Run, trees: Path, grown: Path) -> None:
    assert run("treebank", "check", trees).done().out == "5 trees, 0 faults\n"
    assert run("treebank", "check", trees, grown).done().out == "45 trees, 0 faults\n"
    assert run("treebank", "check", "-", stdin="(S (NN x))").done().out == "1 tree, 0 faults\n"
    assert run("treebank", "check", trees, "--json").done().json == {"trees": 5, "faults": []}


def test_check_goes_on_after_a_fault(run: Run, trees: Path, tmp_path: Path) -> None:
    bad, missing = tmp_path / "bad.mrg", tmp_path / "missing.mrg"
    bad.write_text(FAULTY)
    found = run("treebank", "check", bad, missing, trees)
    assert (found.code, found.err) == (1, "")
    *faults, summary = found.lines
    assert [fault.split()[0] for fault in faults] == [f"{bad}:2:17", f"{bad}:3:21", str(missing)]
    assert summary == "7 trees, 3 faults"
    listed = run("treebank", "check", bad, missing, trees, "--json")
    assert listed.code == 1
    assert listed.json["trees"] == 7
    assert [f"{f['where']}  {f['what']}; {f['fix']}" for f in listed.json["faults"]] == faults


def test_check_in_a_format(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "disc.txt"
    path.write_text(DISCONTINUOUS)
    assert run("treebank", "check", path).code == 0
    assert run("treebank", "check", path, "--from", "discbracket").code == 0
    run("treebank", "check", path, "--from", "xml").misused("xml", "brackets")


def test_info(run: Run, trees: Path) -> None:
    out = run("treebank", "info", trees).done().out
    pairs = {line[:23].strip(): line[23:].strip() for line in out.splitlines()}
    assert pairs["sentences"] == "5"
    assert pairs["words"] == "34"
    assert pairs["longest sentence, words"] == "9"
    assert pairs["checksum"] == Treebank.read(trees).checksum()[:16]
    found = run("treebank", "info", trees, "--json").done().json
    assert found["sentences"] == 5
    assert found["labels"]["ROOT"] == 5
    assert found["tags"]["."] == 5
    assert found["checksum"] == Treebank.read(trees).checksum()


def test_info_says_when_it_does_not_list_all(run: Run, grown: Path) -> None:
    out = run("treebank", "info", grown).done().out
    tags = len(run("treebank", "info", grown, "--json").json["tags"])
    assert f"and {tags - 15} more" in out


def test_info_is_of_normalized_trees(run: Run, grown: Path) -> None:
    normalized = run("treebank", "info", grown, "--json").done().json
    assert "-NONE-" not in normalized["tags"]
    assert "NP-SBJ" not in normalized["labels"]
    assert normalized["labels"]["ROOT"] == 40
    raw = run("treebank", "info", grown, "--json", "--keep", "traces", "--keep", "functions").done().json
    assert raw["words"] > normalized["words"]
    assert "NP-SBJ" in raw["labels"]
    run("treebank", "info", grown, "--keep", "leaves").refused("leaves", "unaries")


def test_convert(run: Run, grown: Path, tmp_path: Path) -> None:
    plain = run("treebank", "convert", grown).done()
    assert plain.out == grown.read_text()
    assert "40 trees written, 0 faults" in plain.err
    assert run("treebank", "convert", grown, "--quiet").done().err == ""
    numbered = run("treebank", "convert", grown, "--to", "discbracket").done().out
    assert run("treebank", "convert", "-", stdin=numbered).done().out == plain.out
    indented = run("treebank", "convert", grown, "--indent").done().out
    assert indented.count("\n") > plain.out.count("\n")
    assert run("treebank", "convert", "-", stdin=indented).done().out == plain.out
    output = tmp_path / "out.mrg"
    assert run("treebank", "convert", grown, "-o", output).done().out == ""
    assert output.read_text() == plain.out


def test_convert_normalizes(run: Run, grown: Path) -> None:
    given = [read_tree(line) for line in grown.read_text().splitlines()]
    found = run("treebank", "convert", grown, "--normalize").done().lines
    assert found == [str(Normalization()(tree)) for tree in given]
    found = run("treebank", "convert", grown, "--normalize", "--keep", "root").done().lines
    assert found == [str(Normalization(root=None)(tree)) for tree in given]
    run("treebank", "convert", grown, "--keep", "root").misused("--keep needs --normalize")
    run("treebank", "convert", grown, "--indent", "--to", "discbracket").misused("--indent")


def test_convert_drops_long_sentences(run: Run, trees: Path) -> None:
    short = run("treebank", "convert", trees, "--max-length", 6).done()
    assert short.lines == [
        line for line in trees.read_text().splitlines() if len(read_tree(line).leaves()) < 7
    ]
    assert "2 trees written" in short.err


def test_convert_skips_and_lists_faults(run: Run, tmp_path: Path) -> None:
    bad, output = tmp_path / "bad.mrg", tmp_path / "out.mrg"
    bad.write_text(FAULTY)
    found = run("treebank", "convert", bad, "-o", output)
    assert found.code == 1
    assert output.read_text() == "(S (NP (DT the) (NN cat)))\n(S (. .))\n"
    assert f"{bad}:2:17" in found.err
    assert "2 trees written, 2 faults" in found.err
    strict = run("treebank", "convert", bad, "--strict")
    assert (strict.code, strict.out) == (1, "(S (NP (DT the) (NN cat)))\n")
    assert strict.err.startswith("error: ")


def test_convert_of_a_discontinuous_tree_to_brackets(run: Run) -> None:
    given = "(S (NN 0=x))\n" + DISCONTINUOUS + "(S (NN 0=y))\n"
    found = run("treebank", "convert", "-", stdin=given)
    assert (found.code, found.lines) == (1, ["(S (NN x))", "(S (NN y))"])
    assert "<stdin>, tree 2 " in found.err
    assert "discbracket" in found.err
    assert run("treebank", "convert", "-", "--to", "discbracket", stdin=given).done().out == given
    assert run("treebank", "convert", "-", "--strict", stdin=given).err.startswith("error: <stdin>, tree 2 ")


def test_convert_makes_trees_continuous(run: Run, tmp_path: Path) -> None:
    path, output = tmp_path / "x.dbr", tmp_path / "x.mrg"
    run("treebank", "garden", 200, "--to", "discbracket", "-o", path).done()
    assert run("treebank", "convert", path, "-q").code == 1, "some of them are discontinuous"
    options = ("--to", "brackets", "--continuous")
    assert (
        "200 trees written, 0 faults" in run("treebank", "convert", path, *options, "-o", output).done().err
    )
    made = Treebank.read(output)
    assert [tree.words() for tree in made] == [tree.words() for tree in Treebank.read(path)]
    assert run("treebank", "convert", path, "--continuous").done().out == output.read_text()
    (what,) = run("treebank", "convert", "-", *options, stdin=DISCONTINUOUS).done().lines
    assert read_tree(what).words() == ["what", "you", "see"]
    run("treebank", "convert", path, "--to", "discbracket", "--continuous").misused("--continuous")
    run("train", path, "--kind", "pcfg", "-o", tmp_path / "out").refused(path, "discontinuous")


def test_draw(run: Run, trees: Path, tmp_path: Path) -> None:
    lines = run("treebank", "draw", trees).done().lines
    assert lines[0].strip() == "ROOT"
    assert lines[-1].split() == ["the", "cat", "slept", "."]
    second = run("treebank", "draw", trees, "-n", 2).done().out
    assert second.splitlines()[-1].split() == ["a", "dog", "saw", "the", "cat", "."]
    both = run("treebank", "draw", trees, "--number", 2, "--count", 2).done().out
    assert both.startswith(second + "\n")
    assert both.count("ROOT") == 2
    output = tmp_path / "tree.txt"
    assert run("treebank", "draw", trees, "-n", 2, "-o", output).done().out == ""
    assert output.read_text() == second


def test_draw_svg(run: Run, trees: Path) -> None:
    picture = ElementTree.fromstring(run("treebank", "draw", trees, "--svg").done().out)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert "slept" in "".join(picture.itertext())
    run("treebank", "draw", trees, "--svg", "--count", 2).misused("--count")


def test_draw_normalized(run: Run) -> None:
    tree = "( (S (NP-SBJ (-NONE- *)) (VP (VB go))))"
    raw = run("treebank", "draw", "-", stdin=tree).done().out
    assert "NP-SBJ" in raw
    normalized = run("treebank", "draw", "-", "--normalize", stdin=tree).done().out
    assert "NP" not in normalized
    assert "ROOT" in normalized
    kept = run("treebank", "draw", "-", "--normalize", "--keep", "traces", stdin=tree).done().out
    assert "NP" in kept
    assert "NP-SBJ" not in kept


def test_draw_a_tree_that_is_not_there(run: Run, trees: Path) -> None:
    run("treebank", "draw", trees, "-n", 6).refused(trees, "no tree number 6", "has 5 trees")
    run("treebank", "draw", trees, "-n", 0).misused("--number")


def test_garden(run: Run, tmp_path: Path) -> None:
    samples = list(garden(6, seed=3))
    found = run("treebank", "garden", 6, "--seed", 3).done()
    assert found.lines == [str(sample.penn) for sample in samples]
    assert run("treebank", "garden", 4, "--seed", 3, "--skip", 2).done().lines == found.lines[2:]
    assert run("treebank", "garden", 6).done().out != found.out
    output = tmp_path / "garden.mrg"
    assert run("treebank", "garden", 6, "--seed", 3, "-o", output).done().out == ""
    assert output.read_text() == found.out
    numbered = run("treebank", "garden", 6, "--seed", 3, "--to", "discbracket").done().lines
    assert numbered == [formats.write(sample.discontinuous, "discbracket") for sample in samples]


def test_garden_dependencies(run: Run) -> None:
    blocks = run("treebank", "garden", 5, "--to", "conllu").done().out.split("\n\n")
    assert blocks.pop() == ""
    for block, sample in zip(blocks, garden(5), strict=True):
        rows = [line.split("\t") for line in block.splitlines()]
        assert {len(row) for row in rows} == {10}
        assert [int(row[0]) for row in rows] == [*range(1, len(rows) + 1)]
        assert [row[1] for row in rows] == list(sample.dependencies.words)
        assert [int(row[6]) for row in rows] == list(sample.dependencies.heads)
        assert [row[6] for row in rows].count("0") == 1


@pytest.mark.parametrize("count", [0, -3, "many"])
def test_garden_of_no_size(run: Run, count: object) -> None:
    assert run("treebank", "garden", "--", count).code == 2


# Dependencies -----------------------------------------------------------------------------------------------

CONLLU = """\
# text = Let's go
1-2\tLet's\t_\t_\t_\t_\t_\t_\t_\t_
1\tLet\tlet\tVERB\tVB\t_\t0\troot\t0:root\t_
2\t's\twe\tPRON\tPRP\t_\t1\tobj\t1:obj\t_
3\tgo\tgo\tVERB\tVB\t_\t1\txcomp\t1:xcomp\t_

1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
"""


def test_check_dependencies(run: Run, trees: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.conllu", tmp_path / "bad.conllu"
    good.write_text(CONLLU)
    bad.write_text(CONLLU.replace("\t1\tobj", "\t0\tobj"))
    assert run("treebank", "check", good, trees).done().out == "7 trees, 0 faults\n"
    found = run("treebank", "check", bad)
    assert found.code == 1
    assert found.lines[0].startswith(f"{bad}:4:")
    assert "2 roots (head 0): line 3, line 4" in found.lines[0]
    assert found.lines[1] == "1 tree, 1 fault"
    assert run("treebank", "check", bad, "--several-roots").done().out == "2 trees, 0 faults\n"
    assert run("treebank", "check", good, "--from", "conllx").code == 1


def test_info_of_dependencies(run: Run, trees: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU)
    out = run("treebank", "info", path).done().out
    assert "non-projective trees" in out
    found = run("treebank", "info", path, path, "--json").done().json
    assert (found["sentences"], found["words"], found["trees_with_several_roots"]) == (4, 8, 0)
    assert found["annotation"] == "dependencies"
    assert found["labels"] == {"root": 4, "obj": 2, "xcomp": 2}
    assert found["tags"]["VB"] == 6
    run("treebank", "info", path, trees).refused(trees, f"phrases (brackets), but {path} has dependencies")
    run("treebank", "info", path, "--keep", "root").misused("--keep")


def test_convert_dependencies(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU)
    assert run("treebank", "convert", path).done().out == CONLLU
    assert run("treebank", "convert", path, "--to", "conllu").done().out == CONLLU
    other = run("treebank", "convert", path, "--to", "conllx").done().out
    assert other.startswith("1\tLet\tlet\tVERB\tVB\t_\t0\troot\t_\t_\n2\t's")
    assert run("treebank", "convert", "-", stdin=other).done().out == other
    assert run("treebank", "convert", path, "--max-length", 1).done().out == CONLLU.split("\n\n")[1]
    unparsed = CONLLU.replace("\t0\troot\t_", "\t_\t_\t_")
    assert run("treebank", "convert", "-", stdin=unparsed).done().out == unparsed
    run("treebank", "convert", path, "--to", "brackets").refused(path, "dependencies cannot become brackets")
    run("treebank", "convert", path, "--normalize").misused("--normalize")
    run("treebank", "convert", path, "--head-rules", path).misused("--head-rules")


def test_convert_trees_to_dependencies(run: Run, grown: Path, trees: Path, tmp_path: Path) -> None:
    for to in ("conllu", "conllx"):
        found = run("treebank", "convert", grown, "--to", to).done()
        assert "40 trees written, 0 faults" in found.err
        bank = [to_dependencies(read_tree(line)) for line in grown.read_text().splitlines()]
        path = tmp_path / to
        path.write_text(found.out)
        assert list(DependencyBank.read(path, format=to)) == bank
    table = tmp_path / "heads.txt"
    table.write_text("* first\n")
    first = run("treebank", "convert", trees, "--to", "conllu", "--head-rules", table).done().lines[0]
    assert first == "1\tthe\t_\t_\tDT\t_\t0\tROOT\t_\t_"
    run("treebank", "convert", trees, "--head-rules", table).misused("--head-rules")
    run("treebank", "convert", trees, "--to", "conllu", "--normalize").misused("--normalize")
    run("treebank", "convert", trees, "--to", "conllu", "--indent").misused("--indent")


def test_draw_dependencies(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(CONLLU)
    lines = run("treebank", "draw", path).done().lines
    assert [line.split()[-3] for line in lines if line.strip()] == ["Let", "'s", "go"]
    assert "►" in "".join(lines)
    both = run("treebank", "draw", path, "--count", 2).done().out
    assert run("treebank", "draw", path, "-n", 2).done().out in both
    picture = ElementTree.fromstring(run("treebank", "draw", path, "--svg").done().out)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert {"Let", "go", "xcomp"} <= set(picture.itertext())
    run("treebank", "draw", path, "-n", 3).refused(path, "no tree number 3", "has 2 trees")
    run("treebank", "draw", path, "--normalize").misused("--normalize")
