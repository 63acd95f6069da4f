"""Bad and odd input: each said what, where and what to do, or taken as a user would expect."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from secateur import read_tree

if TYPE_CHECKING:
    from cli.conftest import Run

TREE = "(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .)))"

# What is wrong with a treebank: its bytes, the place after its name, and words of the message.
BAD_TREES = {
    "unbalanced": (f"{TREE}\n(S (NP x))) \n".encode(), ":2:11", "unbalanced"),
    "ends in a tree": (f"{TREE}\n(S (NP (DT the)".encode(), ":2:16", "never ends"),
    "empty": (b"", "", "no trees"),
    "blank": (b" \n\n", "", "no trees"),
    "binary": (b"(S (NP \x00\x01\x02))", ":1:8", "binary"),
    "latin-1": (TREE.replace("cat", "café").encode("latin-1"), ":1:30", "--encoding"),
    "no words": (f"{TREE}\n(S (NP ) (VP ))\n".encode(), ":2:4", "no word"),
    "cut gzip": (gzip.compress(TREE.encode() * 50)[:-20], "", "ends too early"),
}


def write(folder: Path, content: bytes) -> Path:
    path = folder / "bad.mrg"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", BAD_TREES)
@pytest.mark.parametrize(
    "command", ["treebank info", "treebank draw", "grammar induce", "parse", "evaluate", "quickstart"]
)
def test_bad_treebanks(run: Run, grammar: Path, tmp_path: Path, name: str, command: str) -> None:
    content, place, what = BAD_TREES[name]
    path = write(tmp_path, content)
    given: tuple[object, ...] = (path,)
    if command == "grammar induce":
        given = (path, "-o", tmp_path / "out.gr")
    elif command == "treebank draw":
        given = (path, "-n", 2)
    elif command == "quickstart":
        given = (path, "-o", tmp_path / "quickstart")
    elif command == "parse":
        given = (grammar, path, "-o", tmp_path / "out.mrg", "--from", "brackets")
    elif command == "evaluate":
        given = (grammar, path)
    found = run(*command.split(), *given)
    if command == "parse" and found.err.count("\n") > 1:  # the trees before are kept
        assert (tmp_path / "out.mrg.partial").read_text() == f"{TREE}\n"
        found = found._replace(err=found.err.partition("\n")[2])
    found.refused(f"{path}{place} ", what)
    left = {"out.mrg.partial"} if command == "parse" else set()
    assert {file.name for file in tmp_path.iterdir()} - left == {"bad.mrg"}


@pytest.mark.parametrize("name", BAD_TREES)
def test_check_lists_the_faults(run: Run, tmp_path: Path, name: str) -> None:
    content, place, what = BAD_TREES[name]
    path = write(tmp_path, content)
    found = run("treebank", "check", path)
    assert found.code == 1
    fault, summary = found.lines
    assert fault.startswith(f"{path}{place} ")
    assert what in fault
    assert summary.endswith("1 fault")
    assert found.err == ""


@pytest.mark.parametrize("command", ["treebank info", "grammar info", "grammar check", "parse", "bench"])
def test_missing_files_and_folders(run: Run, grammar: Path, tmp_path: Path, command: str) -> None:
    before = (grammar,) if command in ("parse", "bench") else ()
    for path, what in ((tmp_path / "missing.txt", "no such file"), (tmp_path, "directory")):
        found = run(*command.split(), *before, path)
        if command == "grammar check":  # lists faults, this one among them
            assert found.code == 1
            found = found._replace(out="", err=f"error: {found.lines[0]}\n")
        found.refused(path, what)


def test_a_missing_or_wrong_grammar(run: Run, trees: Path, tmp_path: Path) -> None:
    for command in ("parse", "bench"):
        run(command, tmp_path / "missing.gr", trees).refused("missing.gr", "no such file")
        run(command, trees, trees).refused(f"{trees}:1 ", "not a grammar")


def test_a_single_word_is_taken_for_a_file(run: Run, grammar: Path) -> None:
    run("parse", grammar, "cat").refused("cat", "no such file", "pipe")
    run("parse", grammar, "").refused("no such file")
    assert run("parse", grammar, stdin="cat").done().out == "(ROOT (NN cat))\n"


@pytest.mark.parametrize(
    "command",
    [
        ("parse", "GRAMMAR", "TREES"),
        ("treebank", "convert", "TREES"),
        ("treebank", "draw", "TREES"),
        ("treebank", "garden", 3),
        ("grammar", "induce", "TREES"),
        ("grammar", "convert", "GRAMMAR"),
    ],
)
def test_output_that_cannot_be(
    run: Run, grammar: Path, trees: Path, tmp_path: Path, command: tuple[object, ...]
) -> None:
    args = [{"GRAMMAR": grammar, "TREES": trees}.get(str(arg), arg) for arg in command]
    run(*args, "-o", tmp_path / "nowhere" / "out").refused(tmp_path / "nowhere" / "out", "mkdir")
    run(*args, "-o", tmp_path).refused(tmp_path, "folder")
    assert not list(tmp_path.iterdir())


def test_quickstart_into_a_file(run: Run, trees: Path, grown: Path) -> None:
    before = trees.read_text()
    run("quickstart", grown, "-o", trees).refused(trees, "no folder")
    assert trees.read_text() == before


# Sentences ----------------------------------------------------------------------------------------------


def words(out: str) -> list[list[str]]:
    """The words of each line; every line must be a well-formed tree."""
    return [read_tree(line, empty=True).words() for line in out.splitlines()]


def test_encodings(run: Run, grammar: Path, tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("the cat slept\nthe café slept\n".encode("latin-1"))
    found = run("parse", grammar, path, "--quiet")
    assert found.code == 1
    assert f"{path}:2:8 " in found.err
    assert "--encoding latin-1" in found.err
    found = run("parse", grammar, path, "--encoding", "latin-1").done()
    assert words(found.out)[1] == ["the", "café", "slept"]
    run("parse", grammar, path, "--encoding", "klingon").misused("klingon", "encoding")


def test_treebank_in_latin_1(run: Run, grammar: Path, tmp_path: Path) -> None:
    path = write(tmp_path, TREE.replace("cat", "café").encode("latin-1"))
    options = ("--encoding", "latin-1")
    assert "café" in run("treebank", "convert", path, *options).done().out
    assert run("treebank", "check", path, *options).code == 0
    scored = run("evaluate", grammar, path, "--json", *options).done().json["settings"][0]["result"]
    assert scored["total"]["words"] == 3
    assert run("evaluate", path, path, "--json", *options).done().json["total"]["f1"] == 100


def test_a_line_of_ten_thousand_words(run: Run, grammar: Path) -> None:
    given = ["the", "cat", "saw", "a", "bird"] * 2000
    found = run("parse", grammar, "--json", "--max-length", 60, stdin=" ".join(given) + "\nthe cat\n").done()
    first, second = found.objects
    assert first["degraded"]
    assert words(first["tree"]) == [given]
    assert not second["degraded"]


def test_brackets_among_tokens(run: Run, grammar: Path) -> None:
    text = "the cat ( a bird ) slept [ { . } ]\n( the cat )\n(the) cat)\n"
    assert words(run("parse", grammar, stdin=text).done().out) == [
        ["the", "cat", "-LRB-", "a", "bird", "-RRB-", "slept", "-LSB-", "-LCB-", ".", "-RCB-", "-RSB-"],
        ["-LRB-", "the", "cat", "-RRB-"],
        ["-LRB-the-RRB-", "cat-RRB-"],
    ]


def test_tokens_that_start_with_a_bracket_are_no_tree(run: Run, grammar: Path) -> None:
    assert words(run("parse", grammar, stdin="( the cat )\n").done().out) == [
        ["-LRB-", "the", "cat", "-RRB-"]
    ]
    # This looks like a tag with its word, and one can say that it is not.
    text = "(the cat) slept\n"
    run("parse", grammar, stdin=text).refused("<stdin>:1:11", "--from")
    found = run("parse", grammar, "--from", "tokens", stdin=text).done()
    assert words(found.out) == [["-LRB-the", "cat-RRB-", "slept"]]


@pytest.mark.parametrize(
    "text", ["(TOP\n  (S\n (NP (DT the) (NN cat))))\n", "( S ( NP ( DT the ) ( NN cat ) ) )"]
)
def test_trees_in_any_layout_are_recognised(run: Run, grammar: Path, text: str) -> None:
    assert words(run("parse", grammar, stdin=text).done().out) == [["the", "cat"]]


def test_output_lines_belong_to_input_lines(run: Run, grammar: Path) -> None:
    text = "\nthe cat slept .\n\n \t \na dog slept .\n\n"
    found = run("parse", grammar, stdin=text).done()
    assert words(found.out) == [[], ["the", "cat", "slept", "."], [], [], ["a", "dog", "slept", "."], []]
    assert found.lines[0] == "(ROOT )"
    assert "2 sentences, 8 words, 4 blank lines, 0 without a parse" in found.err
    numbers = {one["sentence"]: one["failed"] for one in run("parse", grammar, "--json", stdin=text).objects}
    assert numbers == {1: True, 2: False, 3: True, 4: True, 5: False, 6: True}
    marginals = run("parse", grammar, "--marginals", 0.5, stdin=text).done().objects
    assert [one["sentence"] for one in marginals if one["spans"]] == [2, 5]
    # Blank lines separate the lists of the k best, so there are as many as lines of input.
    assert run("parse", grammar, "-k", 2, stdin=text).done().lines.count("") == 6


def test_trees_without_words_keep_their_place(run: Run, grammar: Path, tmp_path: Path) -> None:
    gold, parsed = tmp_path / "gold.mrg", tmp_path / "parsed.mrg"
    gold.write_text(f"(ROOT (NP (-NONE- *)))\n{TREE}\n")
    run("parse", grammar, gold, "-o", parsed).done()
    assert words(parsed.read_text()) == [[], ["the", "cat", "slept", "."]]
    total = run("evaluate", gold, parsed, "--json").done().json["total"]
    assert (total["sentences"], total["skipped"], total["f1"]) == (2, 1, 100)


def test_raw_text_has_paragraphs_not_lines(run: Run, grammar: Path) -> None:
    found = run("parse", grammar, "--raw", stdin="the cat\nslept.\n\n\n\nA dog\n")
    assert len(found.done().lines) == 2


@pytest.mark.parametrize(
    "text",
    [
        b"the cat slept\r\na dog\r\n",
        b"\xef\xbb\xbfthe cat slept\na dog\n",
        b"the\tcat\t\tslept\na\tdog\t\n",
        b"  the cat slept  \n a dog",
        gzip.compress(b"the cat slept\na dog\n"),
    ],
    ids=["Windows", "byte order mark", "tabs", "spaces and no newline", "gzip"],
)
def test_odd_but_right(run: Run, grammar: Path, tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(text)
    expected = [["the", "cat", "slept"], ["a", "dog"]]
    assert words(run("parse", grammar, path).done().out) == expected
    assert words(run("parse", grammar, stdin=text).done().out) == expected


def test_nothing_in_nothing_out(run: Run, grammar: Path) -> None:
    found = run("parse", grammar, stdin="").done()
    assert found.out == ""
    assert "0 sentences" in found.err
    run("bench", grammar, "-", stdin="\n").refused("no sentences")


# Grammars -----------------------------------------------------------------------------------------------

HEAD = "format=secateur start=S\n"
RULES = "S -> A A -0.5\n===== LEXICON =====\nA -> a -0.5\n"
BAD_GRAMMARS = {
    "empty": ("", ":1 ", "not a grammar"),
    "no start": ("format=secateur\n" + RULES, ":1 ", "start="),
    "unknown start": ("format=secateur start=X\n" + RULES, ":1 ", "unknown start symbol 'X'"),
    "unknown dialect": ("format=klingon start=S\n" + RULES, ":1 ", "klingon"),
    "duplicate rule": (HEAD + "S -> A A -1\n" + RULES, ":3 ", "duplicate rule"),
    "duplicate entry": (HEAD + RULES + "A -> a -1\n", ":5 ", "duplicate rule"),
    "positive weight": (HEAD + RULES.replace("A A -0.5", "A A 0.5"), ":2 ", "0.5"),
    "NaN": (HEAD + RULES.replace("a -0.5", "a nan"), ":4 ", "nan"),
    "no weight": (HEAD + RULES.replace("a -0.5", "a x"), ":4 ", "'x' is no weight"),
    "not a rule": (HEAD + "S A A -1\n" + RULES, ":2 ", "not a rule"),
    "three symbols": (HEAD + "S -> A A A -1\n" + RULES, ":2 ", "binarize"),
    "no lexicon": (HEAD + "S -> A A -0.5\n", ":2 ", "LEXICON"),
    "cut off": (HEAD.replace("\n", " nBinary=7\n") + RULES, ":1 ", "nBinary"),
    "free cycle": ("format=Berkeley start=S\nS -> A 0\nA -> S 0\n" + RULES, " ", "cycle"),
}


@pytest.mark.parametrize("name", BAD_GRAMMARS)
def test_bad_grammars(run: Run, tmp_path: Path, name: str) -> None:
    content, place, what = BAD_GRAMMARS[name]
    path = tmp_path / "bad.gr"
    path.write_text(content)
    run("grammar", "info", path).refused(f"{path}{place}", what)
    run("grammar", "convert", path, "-o", tmp_path / "out").refused(f"{path}{place}", what)
    run("parse", path, "a a").refused(f"{path}{place}", what)
    found = run("grammar", "check", path, "--json")
    assert found.code == 1
    (fault,) = found.json["faults"]
    assert fault["where"] == f"{path}{place}".strip()
    assert what in fault["what"] + fault["fix"]
    assert fault["fix"]


def test_grammars_with_bytes_that_are_not_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.gr"
    path.write_bytes((HEAD + RULES).encode() + b"A -> caf\xe9 -1\n")
    run("grammar", "info", path).refused(f"{path}:5:9", "0xe9")
    path.write_bytes(gzip.compress((HEAD + RULES).encode())[:-9])
    run("grammar", "info", path).refused(path, "ends too early")
