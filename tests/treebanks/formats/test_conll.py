"""CoNLL-X and CoNLL-U: read strictly, written back to the byte."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.dependencies import DEPENDENCIES
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.formats.conll import CONLLU, CONLLX, Conll
from secateur.treebanks.phrases import PHRASES
from treebank_files import trees_of

CATS = """\
# sent_id = 1
# text = Let's see\t\tcats.
1-2\tLet's\t_\t_\t_\t_\t_\t_\t_\t_
1\tLet\tlet\tVERB\tVB\tMood=Imp\t0\troot\t0:root\t_
2\t's\twe\tPRON\tPRP\t_\t1\tobj\t1:obj\t_
3\tsee\tsee\tVERB\tVB\t_\t1\txcomp\t1:xcomp\tGloss=a b
3.1\tsome\tsome\tDET\tDT\t_\t_\t_\t4:det\t_
4\tcats\tcat\tNOUN\tNNS\t_\t3\tobj\t3:obj\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t1\tpunct\t1:punct\t_

"""
DOGS = """\
1\tdogs\t_\tNNS\tNNS\t_\t2\tSUB\t_\t_
2\tbark\t_\tVBP\tVBP\t_\t0\tROOT\t_\t_

"""


def read(form: Conll, text: str, **options: object) -> list[DependencyTree]:
    return list(form.read(io.StringIO(text), **options))  # type: ignore[arg-type]


def row(number: object, head: object = 0, *, form: str = "w", tag: str = "NOUN", label: str = "dep") -> str:
    return f"{number}\t{form}\t_\t{tag}\tNN\t_\t{head}\t{label}\t_\t_\n"


def fault(form: Conll, text: str, **options: object) -> InputError:
    with pytest.raises(InputError) as caught:
        read(form, text, name="f", **options)
    return caught.value


# Reading ----------------------------------------------------------------------------------------------------


def test_reads_conllu() -> None:
    (tree,) = read(CONLLU, CATS)
    assert tree.words == ("Let", "'s", "see", "cats", ".")
    assert tree.tags == ("VB", "PRP", "VB", "NNS", ".")
    assert tree.coarse == ("VERB", "PRON", "VERB", "NOUN", "PUNCT")
    assert tree.heads == (0, 1, 1, 3, 1)
    assert tree.labels == ("root", "obj", "xcomp", "obj", "punct")
    assert tree.source is not None
    assert tree.source.line == 3


def test_reads_conllx() -> None:
    (tree,) = read(CONLLX, DOGS)
    assert tree == DependencyTree(("dogs", "bark"), ("NNS", "VBP"), ("NN", "VB"), (2, 0), ("SUB", "ROOT"))
    short = DOGS.replace("\t_\t_\n", "\n")
    assert read(CONLLX, short) == [tree]
    assert CONLLX.write(read(CONLLX, short)[0]) == short


@pytest.mark.parametrize(
    ("form", "columns", "coarse", "tag"),
    [
        (CONLLU, ("NOUN", "NNS"), "NOUN", "NNS"),
        (CONLLU, ("NOUN", "_"), "NOUN", "NOUN"),
        (CONLLU, ("_", "NNS"), "NN", "NNS"),
        (CONLLU, ("_", "N|pl"), "N|pl", "N|pl"),
        (CONLLU, ("SYM", "SYM"), "SYM", "SYM"),
        (CONLLU, ("_", "_"), "_", "_"),
        (CONLLX, ("NNS", "NNS"), "NN", "NNS"),
        (CONLLX, ("_", "PRP$"), "PR", "PRP$"),
        (CONLLX, ("n", "n-pl"), "n", "n-pl"),
        (CONLLX, ("prop", "prop"), "prop", "prop"),
        (CONLLX, ("n", "_"), "n", "n"),
    ],
)
def test_tags(form: Conll, columns: tuple[str, str], coarse: str, tag: str) -> None:
    text = f"1\tw\t_\t{columns[0]}\t{columns[1]}\t_\t0\troot\t_\t_\n\n"
    (tree,) = read(form, text)
    assert (tree.coarse, tree.tags) == ((coarse,), (tag,))
    assert form.write(tree) == text


def test_fine_tags_can_be_left_alone() -> None:
    (tree,) = read(CONLLU, CATS, fine=False)
    assert tree.tags == tree.coarse == ("VERB", "PRON", "VERB", "NOUN", "PUNCT")
    assert CONLLU.write(tree) == CATS
    changed = tree.with_tags(("VERB", "PRON", "ADJ", "NOUN", "PUNCT"))
    assert CONLLU.write(changed) == CATS.replace("see\tVERB", "see\tADJ")


def test_heads_may_be_missing_where_that_is_allowed() -> None:
    text = row(1, "_", label="_") + row(2, "_", label="_") + "\n"
    (tree,) = read(CONLLU, text, heads="optional")
    assert (tree.heads, tree.labels, tree.is_parsed) == ((), (), False)
    assert CONLLU.write(tree) == text
    parsed = tree.with_heads((2, 0))
    assert CONLLU.write(parsed) == row(1, 2, label="_") + row(2, 0, label="_") + "\n"
    assert "without a head" in fault(CONLLU, text).what
    assert fault(CONLLU, row(1, 2) + row(2, "_"), heads="optional").where == "f:2:17"


def test_reads_as_a_stream() -> None:
    endless = cycle([row(1), "\n"])
    assert len(list(islice(CONLLU.read(endless), 1000))) == 1000


def test_lines_need_no_newline() -> None:
    found = list(CONLLU.read((CATS + CATS).splitlines()))
    assert found == read(CONLLU, CATS + CATS)
    assert "".join(CONLLU.texts(found)) == CATS + CATS


def test_a_long_sentence() -> None:
    text = "".join(row(number, number - 1) for number in range(1, 3001)) + "\n"
    (tree,) = read(CONLLU, text)
    assert tree.heads == tuple(range(3000))
    assert CONLLU.write(tree) == text


def test_words_may_have_spaces() -> None:
    (tree,) = read(CONLLU, row(1, form="10 000\xa0000"))
    assert tree.words == ("10 000\xa0000",)


# Faults -----------------------------------------------------------------------------------------------------

FAULTS = [
    (CONLLU, row(1, 2) + row(2, 1), "f:1:17", "a cycle: the heads of line 1, line 2"),
    (CONLLU, row(1, 0) + row(2, 2), "f:2:17", "a cycle: the heads of line 2"),
    (CONLLU, "# c\n" + row(1) + row(2), "f:3:17", "2 roots (head 0): line 2, line 3"),
    (CONLLU, row(1, 3) + row(2, 0), "f:1:17", "head 3 is out of range: the sentence has 2 words"),
    (CONLLU, row(1, 99999), "f:1:17", "head 99999 is out of range: the sentence has 1 word"),
    (CONLLU, row(1, -1), "f:1:17", "head -1 is out of range"),
    (CONLLU, row(1, "two"), "f:1:17", '"two" is not a number'),
    (CONLLU, row(1, "٠"), "f:1:17", "is not a number"),
    (CONLLU, row(1, "_"), "f:1:17", "a word without a head"),
    (CONLLU, row(1) + row(3, 1), "f:2:1", '"3" instead of the word number 2'),
    (CONLLU, row(2), "f:1:1", '"2" instead of the word number 1'),
    (CONLLU, row(1) + row(1), "f:2:1", "numbered from 1 again"),
    (CONLLU, "1\tw\t_\n", "f:1:1", "3 columns instead of 10"),
    (CONLLU, row(1) + row(2, 1).replace("dep", "dep\t_"), "f:2:1", "11 columns instead of 10"),
    (CONLLU, row(1)[:-3] + "\n" + row(2, 1)[:-1] + "\t_\n", "f:1:1", "9 columns instead of 10"),
    (CONLLU, row(1)[:-1] + "\t_\n" + row(2, 1)[:-3] + "\n", "f:1:1", "11 columns instead of 10"),
    (CONLLX, row(1)[:-5] + "\n" + row(2, 1), "f:2:1", "10 columns instead of 8"),
    (CONLLU, row(1) + row("", 1), "f:2:1", '"" instead of the word number 2'),
    (CONLLU, row(1) + row(2, 1).replace("\t", "  "), "f:2:1", "spaces between the columns"),
    (CONLLU, row(1).replace("\t_\tNOUN", "\t\tNOUN"), "f:1:5", "an empty column"),
    (CONLLU, row(1)[:-2] + "\n", "f:1:25", "an empty column"),
    (CONLLU, row(1)[:-2], "f:1:25", "an empty column"),
    (CONLLU, row(1) + "# c\n" + row(2, 1), "f:2:1", "a comment within a sentence"),
    (CONLLU, "# one\n# two\n\n" + row(1), "f:2:1", "comments without a sentence"),
    (CONLLU, row("0.1", "_"), "f:1:1", "a sentence without words"),
    (CONLLU, row("1-3") + row(1) + row(2, 1), "f:1:1", "1-3 covers words that are not there"),
    (CONLLU, row(1) + row("1-2") + row(2, 1), "f:2:1", "1-2 does not cover the words that follow"),
    (CONLLU, row("1-2") + row(1) + row("2-3") + row(2, 1) + row(3, 1), "f:3:1", "2-3 does not cover"),
    (CONLLU, row(1) + row("1.2"), "f:2:1", "1.2 out of order"),
    # The two formats in one file.
    (CONLLU, CATS + DOGS, "f:11:10", "the coarse tag NNS, as CoNLL-X has it"),
    (CONLLU, row(1)[:-5] + "\n", "f:1:1", "8 columns, as CoNLL-X has it"),
    (CONLLU, row(1)[:-4] + "0\tdep\n", "f:1:23", '"0" in column 9, as CoNLL-X has it'),
    (CONLLX, DOGS + CATS, "f:4:1", "a comment, as CoNLL-U has it"),
    (CONLLX, DOGS + row("1-2") + row(1) + row(2, 1), "f:4:1", "the number 1-2, as CoNLL-U has it"),
    (CONLLX, DOGS + row("0.1") + row(1), "f:4:1", "the number 0.1, as CoNLL-U has it"),
    (CONLLX, DOGS + row(1)[:-4] + "0:root\t_\n", "f:4:23", '"0:root" in column 9, as CoNLL-U has it'),
]


@pytest.mark.parametrize(("form", "text", "where", "what"), FAULTS)
def test_faults(form: Conll, text: str, where: str, what: str) -> None:
    error = fault(form, text)
    assert error.where == where
    assert what in error.what
    assert error.fix


@pytest.mark.parametrize(("form", "text", "where", "what"), FAULTS)
def test_a_fault_spoils_one_sentence(form: Conll, text: str, where: str, what: str) -> None:
    good = "\n" + row(1, 0, tag="NOUN") + "\n"
    errors: list[InputError] = []
    found = read(form, f"{good}{text.rstrip(chr(10))}\n{good}", on_error=errors.append)
    (error,) = errors
    assert what in error.what or "line" in what
    assert [tree.heads for tree in found][:: max(1, len(found) - 1)] == [(0,), (0,)]


def test_several_roots_are_an_option() -> None:
    text = row(1) + row(2) + "\n"
    assert "--several-roots" in fault(CONLLX, text).fix
    (tree,) = read(CONLLX, text, several_roots=True)
    assert tree.heads == (0, 0)
    assert "a cycle" in fault(CONLLX, row(1) + row(2) + row(3, 3), several_roots=True).what


@pytest.mark.parametrize("text", ["", "\n\n", "  \n"])
def test_nothing_to_read(text: str) -> None:
    assert fault(CONLLU, text).what == "no sentences"
    errors: list[InputError] = []
    assert read(CONLLU, text, on_error=errors.append) == []
    assert len(errors) == 1


# Writing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [CATS, CATS * 3, "\n \n" + CATS + "\n\n\n" + CATS, CATS[:-1], CATS[:-2]])
def test_writes_what_it_read(text: str) -> None:
    assert "".join(CONLLU.texts(read(CONLLU, text))) == text


def test_only_what_is_new_changes() -> None:
    (tree,) = read(CONLLU, CATS)
    tagged = CONLLU.write(tree.with_tags(("VB", "PRP", "VBP", "NN", "."), tree.coarse))
    assert tagged == CATS.replace("VERB\tVB\t_", "VERB\tVBP\t_").replace("NNS", "NN")
    same = CONLLU.write(tree.with_heads(tree.heads, tree.labels))
    assert same == CATS


def without_enhanced(text: str) -> str:
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("3.1")]
    return "".join("\t".join([*row[:8], "_", *row[9:]] if len(row) == 10 else row) + "\n" for row in rows)


def test_new_heads_leave_no_enhanced_dependencies() -> None:
    (tree,) = read(CONLLU, CATS)
    moved = CONLLU.write(tree.with_heads((3, 1, 0, 3, 3)))
    assert moved == without_enhanced(CATS).replace("Imp\t0", "Imp\t3").replace(
        "\t1\txcomp", "\t0\txcomp"
    ).replace("\t1\tpunct", "\t3\tpunct")
    assert moved.startswith("# sent_id = 1\n# text = Let's see\t\tcats.\n1-2\tLet's")
    assert "\tGloss=a b\n" in moved
    labelled = CONLLU.write(tree.with_heads(tree.heads, ("root", "nsubj", "xcomp", "obj", "punct")))
    assert labelled == without_enhanced(CATS).replace("1\tobj", "1\tnsubj")
    bare = CONLLU.write(tree.without_heads())
    assert "1:obj" not in bare
    assert read(CONLLU, bare, heads="optional") == [tree.without_heads()]
    # Each sentence for itself.
    first, second = read(CONLLU, CATS * 2)
    changed = [first.with_heads((3, 1, 0, 3, 3)), second]
    assert "".join(CONLLU.texts(changed)) == moved + CATS


def test_new_heads_leave_no_second_heads() -> None:
    text = DOGS.replace("SUB\t_\t_", "SUB\t2\tSUB").replace("ROOT\t_\t_", "ROOT\t0\tROOT")
    (tree,) = read(CONLLX, text)
    assert CONLLX.write(tree) == text
    assert CONLLX.write(tree.with_heads((0, 1))) == DOGS.replace("2\tSUB", "0\tSUB").replace(
        "\t0\tROOT", "\t1\tROOT"
    )
    short = DOGS.replace("\t_\t_\n", "\n")
    (tree,) = read(CONLLX, short)
    assert CONLLX.write(tree.with_heads(tree.heads, ("X", "ROOT"))) == short.replace("SUB", "X")


def test_new_tags_keep_the_manner_of_the_file() -> None:
    (dogs,) = read(CONLLX, DOGS)
    assert CONLLX.write(dogs.with_tags(("NNP", "VBP"))) == DOGS.replace("NNS", "NNP")
    (bare,) = read(CONLLU, "1\tw\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    assert CONLLU.write(bare.with_tags(("VERB",))) == "1\tw\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def test_a_new_sentence() -> None:
    tree = DependencyTree(("dogs", "bark"), ("NNS", "VBP"), ("NN", "VB"), (2, 0), ("nsubj", "root"))
    text = CONLLU.write(tree)
    assert text == "1\tdogs\t_\t_\tNNS\t_\t2\tnsubj\t_\t_\n2\tbark\t_\t_\tVBP\t_\t0\troot\t_\t_\n\n"
    for form in (CONLLU, CONLLX):
        assert read(form, form.write(tree)) == [tree]
        with pytest.raises(InputError, match="cannot be written"):
            form.write(DependencyTree(("a\tb",), ("X",), ("X",), (0,), ("root",)))


def test_from_one_format_to_the_other() -> None:
    (tree,) = read(CONLLU, CATS)
    there = CONLLX.write(tree)
    assert there.split("\n")[0] == "1\tLet\tlet\tVERB\tVB\tMood=Imp\t0\troot\t_\t_"
    (back,) = read(CONLLX, there)
    assert back == tree
    assert CONLLU.write(back).split("\n")[3] == "4\tcats\tcat\tNOUN\tNNS\t_\t3\tobj\t_\t_"


def test_sentences_never_run_into_each_other() -> None:
    first, second = read(CONLLU, CATS + CATS[:-2])
    assert "".join(CONLLU.texts([second, first, second])) == CATS * 2 + CATS[:-2]


# Against a plain loop ---------------------------------------------------------------------------------------

FORMS = st.sampled_from(["cat", "the", "#", "1", "10 000", "猫", "_", "'s", "1-2"])
TAGS = st.sampled_from(["NOUN", "PUNCT", "X", "_"])


@st.composite
def sentences(draw: st.DrawFn) -> list[list[str]]:
    """Lines of CoNLL-U as lists of columns, with comments, several words in one, and unseen words."""
    count = draw(st.integers(1, 8))
    order = draw(st.permutations(range(1, count + 1)))
    heads = {order[0]: 0} | {
        word: draw(st.sampled_from(order[:place])) for place, word in enumerate(order) if place
    }
    lines = [["# " + draw(FORMS)] for _ in range(draw(st.integers(0, 2)))]
    covered = 0
    for number in range(1, count + 1):
        if number > covered and draw(st.integers(0, 3)) == 0:
            covered = draw(st.integers(number, count))
            lines.append([f"{number}-{covered}", draw(FORMS), *["_"] * 8])
        tags = [draw(TAGS), draw(st.sampled_from(["NN", "_", "VBD"]))]
        label, enhanced = draw(st.sampled_from(["nsubj", "root", "_"])), draw(st.sampled_from(["_", "0:x"]))
        lines.append([str(number), draw(FORMS), "l", *tags, "f", str(heads[number]), label, enhanced, "m=1"])
        for unseen in range(draw(st.integers(0, 3)) // 2):
            lines.append([f"{number}.{unseen + 1}", draw(FORMS), *["_"] * 8])
    return lines


def joined(sentence: list[list[str]]) -> str:
    return "".join("\t".join(line) + "\n" for line in sentence)


def plain_loop(text: str) -> Iterator[list[tuple[str, int, str]]]:
    for block in text.strip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        yield [(row[1], int(row[6]), row[7]) for row in rows if row[0].isdigit()]


@given(st.lists(sentences(), min_size=1, max_size=4), st.sampled_from(["", "\n", "\n\n\n"]))
def test_equals_a_plain_loop(given: list[list[list[str]]], end: str) -> None:
    text = "\n".join(map(joined, given)) + end
    trees = read(CONLLU, text)
    found = [list(zip(tree.words, tree.heads, tree.labels, strict=True)) for tree in trees]
    assert found == list(plain_loop(text))
    assert "".join(CONLLU.texts(trees)) == text
    assert all(tree.check() is tree for tree in trees)
    for tree in trees:  # what is written anew is read as the same
        for form in (CONLLU, CONLLX):
            rewritten = DependencyTree(tree.words, tree.tags, tree.coarse, tree.heads, tree.labels)
            assert read(form, form.write(rewritten)) == [tree]


@given(sentences(), st.data())
def test_what_is_changed_is_read_back(given: list[list[str]], data: st.DataObject) -> None:
    (tree,) = read(CONLLU, joined(given))
    n = len(tree)
    labels = data.draw(st.lists(FORMS, min_size=n, max_size=n))
    tags = data.draw(st.lists(st.sampled_from(["NOUN", "VBD", "JJ", "_"]), min_size=n, max_size=n))
    changed = tree.with_heads(range(n), labels).with_tags(tags, tree.coarse)
    (found,) = read(CONLLU, CONLLU.write(changed))
    assert (found.heads, found.labels) == (changed.heads, changed.labels)
    kept = [line for line in CONLLU.write(changed).splitlines() if line.split("\t")[0].isdigit()]
    words = [line for line in given if line[0].isdigit()]
    assert [line.split("\t")[9] for line in kept] == [line[9] for line in words]
    is_new = (tree.heads, tree.labels) != (changed.heads, changed.labels)
    assert [line.split("\t")[8] for line in kept] == ["_" if is_new else line[8] for line in words]


@given(st.sampled_from([CATS + DOGS, DOGS * 2, CATS * 2]), st.data())
def test_whatever_is_read_is_a_tree_and_comes_back(text: str, data: st.DataObject) -> None:
    """Characters put in or taken out: a fault with a place, or trees that are written as they were read."""
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        new = data.draw(
            st.sampled_from(["", "\t", "\n", "\n\n", "#", "1", "-", ".", "_", " ", "\u2028", "\f"])
        )
        text = text[:at] + new + text[at + data.draw(st.integers(0, 2)) :]
    for form in (CONLLU, CONLLX):
        errors: list[InputError] = []
        trees = read(form, text, name="f", on_error=errors.append)
        lines = text.split("\n")
        for error in errors:
            _, line, column = error.where.split(":") if ":" in error.where else ("f", "1", "1")
            assert 1 <= int(column) <= len(lines[int(line) - 1]) + 1
        assert all(tree.check() is tree for tree in trees)
        if not errors:
            assert "".join(form.texts(trees)) == text


# Files ------------------------------------------------------------------------------------------------------


def test_sniffs() -> None:
    assert formats.sniff(CATS.splitlines(keepends=True)) == "conllu"
    assert formats.sniff(DOGS.splitlines(keepends=True)) == "conllx"
    assert formats.sniff([row(1), row(2, 1)]) == "conllu"
    assert formats.sniff([row(1).replace("\t_\t_\n", "\n")]) == "conllx"
    assert formats.sniff(["# newdoc\n"]) == "conllu"
    assert formats.sniff([DOGS.replace("\t", "  ")]) in formats.DEPENDENCY_FORMATS


def test_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CATS * 3)
    file = formats.opened(path)
    assert (file.format, file.annotation) == ("conllu", "dependencies")
    assert len(list(trees_of(path))) == 3
    with pytest.raises(InputError, match="dependencies, where phrases are needed"):
        list(PHRASES.trees(formats.opened(path), None))
    path.write_text("(S (NN cat))\n")
    with pytest.raises(InputError, match="phrases, where dependencies are needed"):
        list(DEPENDENCIES.trees(formats.opened(path), None))


def treebanks() -> list[str]:
    parts = ("train", "dev", "test")
    names = ("bulgarian-btb", "chinese-gsd", "english-ewt", "german-gsd", "japanese-gsd", "portuguese-bosque")
    universal = [f"ud-{name}/{part}.conllu" for name in (*names, "swedish-talbanken") for part in parts]
    return [*universal, *(f"ptb-sample-dep/{part}.conll" for part in parts)]


@pytest.mark.parametrize("name", treebanks())
def test_treebanks_come_back_to_the_byte(data: Path, name: str) -> None:
    path = data / name
    if not path.exists():
        pytest.skip(f"{name} is not among the data")
    file = formats.opened(path)
    assert file.format == ("conllx" if path.suffix == ".conll" else "conllu")
    trees = list(trees_of(path))
    text = "".join(formats.DEPENDENCY_FORMATS[file.format].texts(trees))
    given = path.read_bytes()
    assert text.encode() == given
    found = [list(zip(tree.words, tree.heads, tree.labels, strict=True)) for tree in trees]
    assert found == list(plain_loop(given.decode()))
