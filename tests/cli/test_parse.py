"""secateur parse, option by option."""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from secateur import read_tree

if TYPE_CHECKING:
    from cli.conftest import Run

TEXT = "the cat slept .\na dog saw the cat .\n"
TREES = [
    "(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .)))",
    "(ROOT (S (NP (DT a) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat))) (. .)))",
]


def test_a_file_of_tokens_gives_a_tree_a_line(run: Run, grammar: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    assert run("parse", grammar, text).done().lines == TREES


@pytest.mark.parametrize("source", [(), ("-",)])
def test_standard_input(run: Run, grammar: Path, source: tuple[str, ...]) -> None:
    assert run("parse", grammar, *source, stdin=TEXT).done().lines == TREES


def test_a_sentence_in_quotes_is_tokenized(run: Run, grammar: Path) -> None:
    assert run("parse", grammar, "the cat slept.").done().lines == TREES[:1]


def test_a_sentence_too_long_for_a_file_name(run: Run, grammar: Path) -> None:
    words = ["the", "cat", "slept"] * 40
    assert read_tree(run("parse", grammar, " ".join(words)).done().out).words() == words


def test_raw_text_is_split_into_sentences(run: Run, grammar: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the cat slept. A dog\nsaw the cat.\n\nthe bird sang")
    found = [read_tree(line).words() for line in run("parse", grammar, text, "--raw").done().lines]
    assert found == [
        ["the", "cat", "slept", "."],
        ["A", "dog", "saw", "the", "cat", "."],
        ["the", "bird", "sang"],
    ]
    assert len(run("parse", grammar, "the cat slept. A dog saw it.", "--raw").done().lines) == 2


RAW = "the cat slept.\n\nYes, a dog saw it!\n" * 40


@pytest.mark.parametrize("piped", [False, True])
def test_text_that_is_not_tokenized_is_said_once(
    run: Run, grammar: Path, tmp_path: Path, piped: bool
) -> None:
    text = tmp_path / "text.txt"
    text.write_text(RAW)

    def parse(*options: object, content: str = RAW) -> list[str]:
        text.write_text(content)
        found = run("parse", grammar, "-" if piped else text, *options, stdin=content if piped else "")
        return [line for line in found.done().err.splitlines() if "--raw" in line]

    (said,) = parse()
    assert said.startswith(f"{'<stdin>' if piped else text}: ")
    assert "punctuation" in said
    assert parse(content="the cat slept.\n") == [said]
    assert parse("--quiet") == parse("--raw") == parse("--from", "tokens") == []
    for tokens in ("the cat slept .\nMr. Smith did n't .\n", "the cat\n", "\n", ""):
        assert parse(content=tokens) == []


def test_a_sentence_in_quotes_needs_no_warning(run: Run, grammar: Path) -> None:
    assert "--raw" not in run("parse", grammar, "Yes, the cat slept!").done().err


def test_the_words_of_a_treebank_without_its_traces(run: Run, grammar: Path, tmp_path: Path) -> None:
    path = tmp_path / "traces.mrg"
    path.write_text("( (S (NP-SBJ (DT the)\n (NN cat)) (VP (VBD slept) (NP (-NONE- *T*-1))) (. .)))\n")
    assert run("parse", grammar, path).done().lines == TREES[:1]


def test_a_discontinuous_treebank_is_recognised(run: Run, grammar: Path, tmp_path: Path) -> None:
    path = tmp_path / "disc.txt"
    path.write_text("(S (VP (VBD 2=slept) (DT 0=the)) (NN 1=cat) (. 3=.))\n")
    for options in ((), ("--from", "discbracket")):
        assert run("parse", grammar, path, *options).done().lines == TREES[:1]


def test_every_tree_holds_the_words_of_its_line(run: Run, grown: Path, grown_grammar: Path) -> None:
    given = [[w for w, t in zip(tree.words(), tree.tags(), strict=True) if t != "-NONE-"]
             for tree in map(read_tree, grown.read_text().splitlines())]  # fmt: skip
    found = run("parse", grown_grammar, grown).done()
    assert [read_tree(line).words() for line in found.lines] == given


def test_drawn(run: Run, grammar: Path) -> None:
    lines = run("parse", grammar, "--to", "drawn", stdin=TEXT).done().lines
    assert lines[0].strip() == "ROOT"
    pictures = [list(part) for blank, part in groupby(lines, key=lambda line: not line) if not blank]
    assert [picture[-1].split() for picture in pictures] == [line.split() for line in TEXT.splitlines()]
    assert any("┌" in line for line in pictures[0])


def test_json_is_one_object_a_tree(run: Run, grammar: Path) -> None:
    found = run("parse", grammar, "--json", stdin=TEXT).done().objects
    assert [one["tree"] for one in found] == TREES
    assert [(one["sentence"], one["rank"]) for one in found] == [(1, 1), (2, 1)]
    for one in found:
        assert one["score"] < 0
        assert one["words"] == read_tree(one["tree"]).words()
        assert one["work"]["pushes"] > 0
        assert one["work"]["items"] > 0
        assert one["seconds"] > 0
        assert not one["failed"]
        assert not one["fell_back"]
        assert not one["degraded"]
    other = run("parse", grammar, "--to", "json", stdin=TEXT).done().objects
    assert [{**one, "seconds": 0} for one in other] == [{**one, "seconds": 0} for one in found]


def test_no_parse_is_a_flat_tree_and_counted(run: Run, grammar: Path) -> None:
    found = run("parse", grammar, "--json", stdin="slept slept slept\n").done()
    assert found.objects[0]["failed"]
    assert found.objects[0]["score"] is None
    assert read_tree(found.objects[0]["tree"]).words() == ["slept"] * 3
    assert "1 without a parse" in found.err


def test_kbest(run: Run, grammar: Path) -> None:
    text = "a cat saw a bird in a tree .\nthe cat slept .\n"
    lines = run("parse", grammar, "--kbest", 3, stdin=text).done().lines
    lists = [list(part) for blank, part in groupby(lines, key=lambda line: not line) if not blank]
    assert len(lists) == lines.count("") == 2
    objects = run("parse", grammar, "-k", 3, "--json", stdin=text).done().objects
    assert [one["tree"] for one in objects] == [tree for trees in lists for tree in trees]
    for number, trees in enumerate(lists, 1):
        assert 1 <= len(set(trees)) == len(trees) <= 3
        ranked = [one for one in objects if one["sentence"] == number]
        assert [one["rank"] for one in ranked] == [*range(1, len(trees) + 1)]
        assert [one["score"] for one in ranked] == sorted((one["score"] for one in ranked), reverse=True)
    assert len(lists[0]) >= 2
    assert lists[0][0] == run("parse", grammar, stdin=text).lines[0]


def test_marginals(run: Run, grammar: Path) -> None:
    given = ("parse", grammar, "a cat saw a bird in a tree .", "--marginals")
    (likely,) = run(*given, 0.5).done().objects
    (every,) = run(*given, 0).done().objects
    assert all(p >= 0.5 for *_, p in likely["spans"])
    assert [span for span in every["spans"] if span[3] >= 0.5] == likely["spans"]
    assert ["ROOT", 0, 9, 1.0] in likely["spans"]
    assert likely["log_total"] == every["log_total"] < 0
    assert run(*given, 1.5).code == 2


def test_max_recall(run: Run, grammar: Path) -> None:
    given = "a cat saw a bird in a tree ."
    (found,) = run("parse", grammar, given, "--max-recall", "--json").done().objects
    assert run("parse", grammar, given, "--mbr").done().lines == [found["tree"]]
    tree = read_tree(found["tree"])
    assert tree.words() == given.split()
    # The score is the expected number of right constituents, tags among them.
    assert 0 < found["score"] <= len(list(tree.nodes()))


def test_binarized(run: Run, grammar: Path) -> None:
    found = run("parse", grammar, "a dog saw the cat .", "--binarized").done().out
    assert "(@S " in found
    assert all(len(node.children) <= 2 for node in read_tree(found).nodes())


@pytest.mark.parametrize(
    ("on_long", "tree"),
    [
        ("degrade", "(ROOT (NP (DT the) (NN cat)) (VP (VBD slept)))"),
        ("flat", "(ROOT (DT the) (NN cat) (VBD slept))"),
        ("skip", "(ROOT )"),
    ],
)
def test_long_sentences(run: Run, grammar: Path, on_long: str, tree: str) -> None:
    options = ("--max-length", 2, "--on-long", on_long)
    found = run("parse", grammar, "--json", *options, stdin="the cat slept\na dog\n").done()
    first, second = found.objects
    assert (first["degraded"], second["degraded"]) == (True, False)
    assert "1 degraded" in found.err
    if on_long == "degrade":  # which constituents the pieces become is the grammar's affair
        assert read_tree(first["tree"]).words() == read_tree(tree).words()
        assert first["work"]["pushes"] > 0
    else:
        assert first["tree"] == tree
        assert first["work"] == {}


def test_two_jobs_give_what_one_gives(run: Run, grown: Path, grown_grammar: Path) -> None:
    text = "\n\n".join(" ".join(read_tree(line).words()) for line in grown.read_text().splitlines())
    one = run("parse", grown_grammar, stdin=text).done()
    two = run("parse", grown_grammar, "--jobs", 2, stdin=text).done()
    assert two.out == one.out
    assert two.err.partition("pushes")[0] == one.err.partition("pushes")[0]


def test_output_file(run: Run, grammar: Path, tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    found = run("parse", grammar, "-o", path, stdin=TEXT).done()
    assert found.out == ""
    assert path.read_text().splitlines() == TREES
    assert os.listdir(tmp_path) == ["trees.mrg"]
    assert run("parse", grammar, "-o", "-", stdin=TEXT).done().lines == TREES


def test_a_run_that_fails_leaves_the_old_file_and_a_partial_one(
    run: Run, grammar: Path, tmp_path: Path
) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("before\n")
    found = run("parse", grammar, "-o", path, stdin=f"{TREES[0]}\n{TREES[1]}\n(S (NP x) oops)\n")
    assert found.code == 1
    assert path.read_text() == "before\n"
    partial = tmp_path / "trees.mrg.partial"
    assert partial.read_text().splitlines() == TREES
    assert str(partial) in found.err


def test_a_run_that_does_nothing_leaves_nothing(run: Run, grammar: Path, tmp_path: Path) -> None:
    run("parse", grammar, tmp_path / "missing", "-o", tmp_path / "trees.mrg").refused("missing")
    assert not os.listdir(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_written_to_and_not_replaced(run: Run, grammar: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        run("parse", grammar, "-o", pipe, stdin=TEXT).done()
        assert os.read(reader, 10_000).decode().splitlines() == TREES
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_summary_and_quiet(run: Run, grammar: Path) -> None:
    found = run("parse", grammar, stdin=TEXT)
    assert f"{grammar}, exact: 2 sentences, 10 words, 0 without a parse, 0 degraded" in found.err
    assert "words/s" not in found.err, "two sentences are too few to tell"
    assert "words/s" in run("parse", grammar, stdin=TEXT * 50).err
    assert "1 sentence, 4 words," in run("parse", grammar, "the cat slept .").err
    assert run("parse", grammar, "--quiet", stdin=TEXT).done().err == ""


def test_options_that_exclude_each_other(run: Run, grammar: Path) -> None:
    for options in (("--kbest", 2, "--max-recall"), ("--marginals", 0.5, "--mbr")):
        run("parse", grammar, "a b", *options).refused(grammar, "kbest, marginals and max_recall", "one")
    run("parse", grammar, "a b", "--binarized", "--max-recall").refused(grammar, "binarized", "leave it out")
    run("parse", grammar, "a b", "--kbest", 0).misused("--kbest")
    run("parse", grammar, "a b", "--on-long", "shout").misused("--on-long")
    run("parse", grammar, "a b", "--from", "xml").misused("--from", "tokens")
    run("parse", grammar, "a b", "--to", "penn").misused("--to", "brackets, conllu")
    run("parse", grammar, "a b", "--to", "conllu").refused("phrases", "conllu", "--to brackets")


def test_bytes_that_are_not_utf8_come_out_as_they_went_in(run: Run, grammar: Path) -> None:
    given = b"the caf\xe9 slept".decode(errors="surrogateescape")
    found = run("parse", grammar, given).done().out
    assert "".join(read_tree(found).words()) == given.replace(" ", "")


def test_output_is_utf8_whatever_the_terminal(run: Run, grammar: Path) -> None:
    found = run("parse", grammar, "the café slept .", "--to", "drawn", terminal="ascii").done()
    assert "│" in found.out
    assert "café" in found.out
