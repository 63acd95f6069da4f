"""NEGRA's export format."""

from __future__ import annotations

import pytest

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.aside import Aside, Secondary, aside_of, with_aside
from secateur.treebanks.formats import discbracket, export
from secateur.treebanks.tree import Leaf, Tree
from treebanks.formats.list_files import read, read_on

ASK = """\
#BOS 1
what\tWP\t--\tOA\t500
will\tMD\t--\tHD\t501
you\tPRP\t2\tSB\t501
say\tVB\t--\tHD\t500\tOC\t501
?\t.\t--\t--\t0
#500\tVP\t--\tOC\t501
#501\tS\t--\t--\t0
#EOS 1
"""
TREE = discbracket.read_tree("(VROOT (S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you)) (. 4=?))")


def changed(old: str, new: str, text: str = ASK) -> str:
    assert old in text
    return text.replace(old, new, 1)


def test_reads_version_3() -> None:
    (tree,) = read(ASK, "export")
    assert str(tree) == str(TREE)
    assert [(node.label, node.rel) for node in tree.nodes()] == [
        ("VROOT", ""),
        ("S", ""),
        ("VP", "OC"),
        ("WP", "OA"),
        ("VB", "HD"),
        ("MD", "HD"),
        ("PRP", "SB"),
        (".", ""),
    ]
    assert aside_of(tree) == Aside(id="1", morphs=("", "", "2", "", ""), secondary=(Secondary(4, "OC", 1),))


def test_version_4_has_lemmas_too() -> None:
    three = ASK.replace("\t501\n", "\t\t 501 %% a remark\n").replace("\t", "   ")
    lines = [line.split("\t") for line in ASK.splitlines()]
    four = "\n".join("\t".join((line[0], "--", *line[1:]) if len(line) > 1 else line) for line in lines)
    lemmas = changed("say\t--", "say\tsay", four)
    (first,) = read(three, "export")
    (second,) = read(lemmas, "export")
    (third,) = read(f"#FORMAT 4\n{lemmas}", "export")
    assert first == second == third
    assert aside_of(second).lemmas == ("", "", "", "say", "")
    assert aside_of(third) == aside_of(second)
    assert aside_of(first) == aside_of(second)._replace(lemmas=())


def test_writes_version_4() -> None:
    (tree,) = read(changed("#BOS 1", "#BOS 1 3 985275570 1 %% said   twice"), "export")
    text = export.write(tree)
    assert text.splitlines()[:2] == ["#BOS 1 %% said twice", "what\t--\tWP\t--\tOA\t500"]
    assert "say\t--\tVB\t--\tHD\t500\tOC\t501\n" in text
    assert "#501\t--\tS\t--\t--\t0\n#EOS 1" in text
    assert export.write(TREE).startswith("#BOS 1\n")


def test_tables_and_comments_are_passed_over() -> None:
    text = f"%% a corpus\n#FORMAT 3\n#BOT EDGETAG\n0\t--\tnot bound\n1\tSB\t\n#EOT EDGETAG\n\n%% 1\n{ASK}"
    assert formats.sniff(text.splitlines()) == "export"
    changed_text = changed("#500\t", "%% between\n#500\t", text)
    assert read(changed_text, "export") == read(ASK, "export")


def test_words_may_look_like_nodes() -> None:
    text = changed("what", "#500")
    assert read(text, "export")[0].words() == ["#500", "will", "you", "say", "?"]
    (tree,) = read(changed("you", "#EOS"), "export")
    assert read(export.write(tree), "export") == [tree]
    (tree,) = read(changed("you", "#500"), "export")
    assert read(export.write(tree), "export") == [tree]
    last = Tree("VROOT", (Tree("A", (Leaf(0, "#500"),)),))
    with pytest.raises(InputError, match="cannot end with the word"):
        export.write(last)


def test_a_no_break_space_is_part_of_a_word() -> None:
    (tree,) = read(changed("you", "10\xa0000\x85"), "export")
    assert tree.words()[2] == "10\xa0000\x85"
    assert read(export.write(tree), "export") == [tree]


def test_white_space_in_lemmas() -> None:
    carrying = with_aside(TREE, Aside(id="1", lemmas=("", "", "", "say\tso", "")))
    (tree,) = read(export.write(carrying), "export")
    assert aside_of(tree).lemmas == ("", "", "", "say_so", "")


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        (changed("\t500\n", "\t502\n"), "2:15", "no node 502"),
        (changed("\t500\n", "\tx\n"), "2:15", '"x" is not a number'),
        (changed("\t500\n", "\n"), "2:14", "4 columns rather than 6"),
        (changed("#500\tVP", "#500"), "7:15", "4 columns rather than 5"),
        (changed("OC\t501\n", "OC\t501\tSB\n"), "5:27", "8 columns rather than 5"),
        (changed("OC\t501\n#501", "OC\t500\n#501"), "7:1", '"VP" is its own ancestor'),
        (changed("#501\tS\t--\t--\t0", "#501\tS\t--\t--\t500"), "8:1", "is its own ancestor"),
        (changed("#501\tS", "#500\tS"), "8:1", "a second node 500"),
        (changed("#EOS", "#502\tNP\t--\t--\t0\n#EOS"), "9:1", 'no word under the node "NP"'),
        (changed("#EOS 1", "#EOS 2"), "9:6", "the end of another sentence"),
        (changed("#EOS 1\n", ""), "1:1", "the sentence 1 never ends"),
        (changed("#BOS 1", "#BOS"), "1:5", "without a number"),
        (changed("#BOS 1\n", ""), "1:1", "a line outside a sentence"),
        (f"{ASK}word\n", "10:1", "a line outside a sentence"),
        (f"#FORMAT 5\n{ASK}", "1:9", "an unknown version"),
        (f"#FORMAT 4\n{ASK}", "3:18", "5 columns rather than 6"),
        (f"{ASK}#BOT X\n0 1\n", "11:4", "a table that never ends"),
        ("#BOS 1\n#EOS 1\n", "1:1", "a sentence without words"),
        ("", "", "no trees"),
    ],
)
def test_faults_say_where_and_what(text: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        list(export.read(text.splitlines(keepends=True)))
    assert what in caught.value.what
    assert caught.value.where == where
    assert caught.value.fix


def test_a_sentence_that_never_ends_spoils_no_other() -> None:
    found, faults = read_on(ASK + changed("#EOS 1\n", "") + ASK, "export")
    assert found == read(ASK, "export") * 2
    assert [fault.where for fault in faults] == ["f:10:1"]


def test_nesting_has_an_end() -> None:
    def chain(depth: int) -> str:
        nodes = "".join(f"#{500 + n}\tX\t--\t--\t{501 + n}\n" for n in range(depth))
        return f"#BOS 1\na\tN\t--\t--\t500\n{nodes}#{500 + depth}\tX\t--\t--\t0\n#EOS 1\n"

    assert read(chain(190), "export")[0].height() == 193
    with pytest.raises(InputError, match="nodes inside each other"):
        read(chain(200), "export")


def test_a_sentence_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MOST_NODES", 6)
    found, faults = read_on(ASK + "#BOS 2\na\tA\t--\t--\t0\n#EOS 2\n", "export")
    assert [tree.words() for tree in found] == [["a"]]
    assert [(fault.where, fault.what) for fault in faults] == [("f:8:1", "a sentence of more than 6 lines")]


@pytest.mark.parametrize(
    ("tree", "what"),
    [
        (Tree("VROOT", (Tree("A", (Leaf(0, "a b"),)),)), "the word 'a b'"),
        (Tree("VROOT", (Tree("A", (Leaf(0, "%%a"),)),)), "the word '%%a'"),
        (Tree("VROOT", (Tree("A B", (Leaf(0, "a"),)),)), "the label 'A B'"),
        (Tree("VROOT", (Tree("A", (Leaf(0, "a"),), "x y"),)), "the label 'x y'"),
        (with_aside(TREE, Aside(id="1 2")), "the id '1 2'"),
        (with_aside(TREE, Aside(lemmas=("a",))), "1 lemmas or morphs of 5 words"),
        (with_aside(TREE, Aside(secondary=(Secondary(1, "x", 9),))), "nodes that it does not have"),
        (with_aside(TREE, Aside(secondary=(Secondary(1, "x", 3),))), "a word cannot be a secondary parent"),
        (with_aside(TREE, Aside(secondary=(Secondary(1, "%%", 2),))), "the label '%%'"),
        (with_aside(TREE, Aside(secondary=(Secondary(0, "x", 2),))), "cannot have a secondary parent"),
    ],
)
def test_what_cannot_be_written(tree: Tree, what: str) -> None:
    with pytest.raises(InputError) as caught:
        export.write(tree)
    assert what in caught.value.what
    assert caught.value.fix
