"""TIGER-XML."""

from __future__ import annotations

import io

import pytest

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.aside import Aside, Secondary, aside_of, with_aside
from secateur.treebanks.formats import discbracket, elements, tigerxml
from secateur.treebanks.tree import Leaf, Tree
from treebanks.formats.list_files import read, read_on

ASK = """\
<?xml version="1.0" encoding="ISO-8859-15" standalone="yes"?>
<corpus id="c">
<head><meta><name>c</name></meta></head>
<body>
<s id="s12">
<graph root="s12_501" discontinuous="true">
  <terminals>
    <t id="s12_1" word="what" lemma="what" pos="WP" morph="--" />
    <t id="s12_2" word="will" pos="MD"/>
    <t id="s12_3" word="you" pos="PRP" morph="2"/>
    <t id="s12_4" word="say" pos="VB"><secedge label="OC" idref="s12_501"/></t>
    <t id="s12_5" word="&lt;&#63;" pos="."/>
  </terminals>
  <nonterminals>
    <nt id="s12_500" cat="VP">
      <edge label="OA" idref="s12_1" /><edge label="HD" idref="s12_4" />
    </nt>
    <nt id="s12_501" cat="S">
      <edge label="HD" idref="s12_2" />
      <edge label="SB" idref="s12_3" />
      <edge label="OC" idref="s12_500" />
    </nt>
  </nonterminals>
</graph>
</s>
</body>
</corpus>
"""
TREE = discbracket.read_tree("(VROOT (S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you)) (. 4=<?))")


def changed(old: str, new: str, text: str = ASK) -> str:
    assert old in text
    return text.replace(old, new, 1)


def test_reads() -> None:
    (tree,) = read(ASK, "tigerxml")
    assert str(tree) == str(TREE)
    rels = {node.label: node.rel for node in tree.nodes()}
    assert rels == {
        "VROOT": "",
        "S": "",
        "VP": "OC",
        "WP": "OA",
        "VB": "HD",
        "MD": "HD",
        "PRP": "SB",
        ".": "",
    }
    lemmas, morphs = ("what", "", "", "", ""), ("", "", "2", "", "")
    assert aside_of(tree) == Aside("12", "", lemmas, morphs, (Secondary(4, "OC", 1),))
    assert formats.sniff(ASK.splitlines()) == "tigerxml"


def test_what_a_declaration_says_of_encodings_does_not_matter() -> None:
    for encoding in ("utf-8", "utf-16", "EBCDIC-CP-US", "none-such"):
        assert read(changed("ISO-8859-15", encoding), "tigerxml") == read(ASK, "tigerxml")
    assert read(ASK.partition("\n")[2], "tigerxml") == read(ASK, "tigerxml")


def test_line_breaks_do_not_matter() -> None:
    (tree,) = read(ASK, "tigerxml")
    assert read(ASK.replace("\n", " "), "tigerxml") == [tree]
    assert read(ASK.replace(" ", "\n"), "tigerxml") == [tree]


def test_roots() -> None:
    """What hangs from nothing hangs from the graph's root if that is a virtual one, else from a new one."""
    named = changed('root="s12_501"', 'root="s12_502"')
    other = '<nt id="s12_502" cat="{}"><edge label="--" idref="s12_501"/></nt></nonterminals>'
    (tree,) = read(changed("</nonterminals>", other.format("VROOT"), named), "tigerxml")
    assert tree == read(ASK, "tigerxml")[0]
    (tree,) = read(changed("</nonterminals>", other.format("TOP"), named), "tigerxml")
    assert (tree.label, tree.children) == ("TOP", read(ASK, "tigerxml")[0].children)
    (tree,) = read(changed("</nonterminals>", other.format("X"), named), "tigerxml")
    assert [child.label for child in tree.children if isinstance(child, Tree)] == ["X", "."]
    assert tree.label == "VROOT"
    whole = changed('<edge label="SB"', '<edge label="--" idref="s12_5" /><edge label="SB"')
    assert read(whole, "tigerxml")[0].label == "S"
    unnamed = changed(' root="s12_501"', "", whole)
    assert read(unnamed, "tigerxml") == read(whole, "tigerxml")


def test_one_word() -> None:
    word = Tree("UH", (Leaf(0, "oh"),))
    assert read(f"<corpus>{tigerxml.write(word)}</corpus>", "tigerxml") == [word]


def test_ids_are_numbers_or_names() -> None:
    for id, shown in (("7", "s7"), ("s7x", "s7x"), ("", "s1"), ("a<b", "a&lt;b")):
        text = tigerxml.write(with_aside(TREE, Aside(id)))
        assert text.startswith(f'<s id="{shown}">')
        assert aside_of(read(text, "tigerxml")[0]).id == (id or "1")


def test_long_sentences_have_nodes_behind_their_words() -> None:
    words = tuple(Tree("N", (Leaf(position, "w"),)) for position in range(700))
    tree = Tree("VROOT", (Tree("NP", words[:350]), Tree("NP", words[350:])))
    assert read(tigerxml.write(tree), "tigerxml") == [tree]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        (changed(' word="what"', ""), "8:5", "a <t> without word"),
        (changed('word="what"', 'word=" "'), "8:5", "a <t> without word"),
        (changed(' pos="WP"', ""), "8:5", "a <t> without pos"),
        (changed(' cat="VP"', ""), "15:5", "a <nt> without cat"),
        (changed('id="s12_2"', 'id="s12_1"'), "9:5", 'a second element with the id "s12_1"'),
        (changed('id="s12_501" cat', 'id="s12_1" cat'), "18:5", 'a second element with the id "s12_1"'),
        (changed('idref="s12_3"', 'idref="s12_9"'), "20:7", 'nothing has the id "s12_9"'),
        (changed('idref="s12_3"', 'idref="s12_1"'), "20:7", 'a second parent of "s12_1"'),
        (changed('idref="s12_3"', 'idref="s12_501"'), "6:1", 'the root "s12_501" has a parent'),
        (changed('OC" idref="s12_501"', 'OC" idref="x"'), "11:39", 'nothing has the id "x"'),
        (changed('root="s12_501"', 'root="x"'), "6:1", 'the root "x" is not there'),
        (changed('root="s12_501"', 'root="s12_500"'), "6:1", 'the root "s12_500" has a parent'),
        (
            changed('OA" idref="s12_1"', 'OA" idref="s12_501"', changed(' root="s12_501"', "")),
            "15:5",
            '"VP" is its own ancestor',
        ),
        (
            changed("</nonterminals>", '<nt id="a" cat="X"></nt></nonterminals>'),
            "23:3",
            'no word under the node "X"',
        ),
        (changed("</terminals>", '<edge label="x" idref="s12_1"/></terminals>'), "13:3", "outside a node"),
        (changed('idref="s12_1" />', 'idref="s12_1">'), "17:7", "broken XML: mismatched tag"),
        (changed("</s>", ""), "26:3", "broken XML: mismatched tag"),
        (changed("</corpus>\n", ""), "27:1", "broken XML: no element found"),
        (changed('"you"', '"y&you"'), "10:30", "broken XML: not well-formed"),
        (changed('"you"', '"y&ou;"'), "10:5", "broken XML: undefined entity"),
        (changed('"you"', '"y\x01"'), "10:26", "broken XML: not well-formed"),
        (changed('"you"', '"y\ud800"'), "10:26", "broken XML: not well-formed"),
        (changed("</corpus>", "</corpus><corpus>"), "27:10", "broken XML: junk after document element"),
        ("<corpus><body><s id='a'></s></body></corpus>", "1:15", "a sentence without words"),
        ("<corpus><body></body></corpus>", "", "no trees"),
        ("", "", "no trees"),
    ],
)
def test_faults_say_where_and_what(text: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        list(tigerxml.read(text.splitlines(keepends=True)))
    assert what in caught.value.what
    assert caught.value.where == where
    assert caught.value.fix


# Attacks ----------------------------------------------------------------------------------------------------


def test_entities_are_refused() -> None:
    laughs = '<!DOCTYPE corpus [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<corpus'
    found, faults = read_on(changed("<corpus", laughs, changed("what", "&b;")), "tigerxml")
    assert found == []
    assert faults[0].what == "an entity is declared: a"
    assert faults[0].where == "f:2:30"
    outside = '<!DOCTYPE corpus [<!ENTITY a SYSTEM "/etc/hostname">]>\n<corpus'
    _, faults = read_on(changed("<corpus", outside, changed("what", "&a;")), "tigerxml")
    assert faults[0].what == "an entity is declared: a"


def test_a_document_type_hides_no_unknown_entities() -> None:
    typed = changed("<corpus", '<!DOCTYPE corpus SYSTEM "corpus.dtd">\n<corpus')
    assert read(typed, "tigerxml") == read(ASK, "tigerxml")
    _, faults = read_on(changed("you", "y&ouml;u", typed), "tigerxml")
    assert [(fault.where, fault.what) for fault in faults] == [("f:11:26", "an unknown entity: &ouml;")]


def test_tags_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "LONGEST_TAG", 500)
    read(ASK, "tigerxml")
    for huge in ("x" * 2000, "x\n" * 1000):
        found, faults = read_on(changed("you", huge) + "", "tigerxml")
        assert (found, len(faults)) == ([], 1)
        assert faults[0].what == "a tag or comment of more than 500 characters"
        assert faults[0].where == "f:10:5"


def test_sentences_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "MOST_NODES", 16)
    read(ASK, "tigerxml")
    monkeypatch.setattr(elements, "MOST_NODES", 15)
    found, faults = read_on(ASK, "tigerxml")
    assert found == []
    assert [fault.what for fault in faults] == ["a sentence of more than 15 elements"]


def test_nesting_has_an_end() -> None:
    for text in ("<corpus>" * 300, changed("<terminals>", "<x>" * 500)):
        found, faults = read_on(text, "tigerxml")
        assert found == []
        assert "elements inside each other" in faults[0].what


# Several documents ------------------------------------------------------------------------------------------


def test_documents_may_follow_each_other() -> None:
    assert read(ASK * 3, "tigerxml") == read(ASK, "tigerxml") * 3
    bare = ASK.partition("\n")[2]
    assert read(bare + ASK, "tigerxml") == read(ASK, "tigerxml") * 2


def test_places_in_later_documents() -> None:
    with pytest.raises(InputError) as caught:
        read(ASK + changed('idref="s12_3"', 'idref="x"'), "tigerxml")
    assert caught.value.where == "f:47:7"


def test_after_a_fault_reading_goes_on_in_the_same_line() -> None:
    sentence = tigerxml.write(TREE).replace("\n", "")
    text = f"<corpus><body>{sentence}{sentence.replace('</t>', '').replace('<t ', '<u ')}{sentence}"
    broken = sentence.replace("</terminals>", "")
    found, faults = read_on(f"<corpus><body>{broken}{sentence}</body></corpus>", "tigerxml")
    assert found == [TREE]
    assert len(faults) == 1
    column = len("<corpus><body>") + broken.index("</graph>") + 3
    assert faults[0].where == f"f:1:{column}"
    found, faults = read_on(f"{text}</body></corpus>", "tigerxml")
    assert found == [TREE, TREE]
    assert len(faults) == 1


def test_xml_cannot_hold_everything() -> None:
    for word in ("a\x01", "\ud800", "\uffff"):
        with pytest.raises(InputError, match="XML has no way to write"):
            tigerxml.write(Tree("VROOT", (Tree("A", (Leaf(0, word),)),)))
    strange = Tree("VROOT", (Tree("A\t\"'", (Leaf(0, "a b\n<&>\r\u2028"),)),))
    assert list(tigerxml.read(io.StringIO(f"<corpus>{tigerxml.write(strange)}</corpus>"))) == [strange]
