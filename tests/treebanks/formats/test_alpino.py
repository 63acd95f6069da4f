"""Alpino's XML, and folders of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import secateur
from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.aside import Aside, aside_of
from secateur.treebanks.formats import alpino, source
from secateur.treebanks.tree import Leaf, Tree
from treebank_files import trees_of
from treebanks.formats.list_files import read, read_on

# "what will she see", where what is the object of see: index 1 stands for it.
ASK = """\
<?xml version="1.0" encoding="UTF-8"?>
<alpino_ds version="1.3" id="q.1">
  <metadata><node/></metadata>
  <node begin="0" cat="top" end="5" id="0" rel="top">
    <node begin="0" cat="whq" end="4" id="1" rel="--">
      <node begin="0" end="1" id="2" index="1" pos="pron" rel="whd" root="wat" word="wat"/>
      <node begin="0" cat="sv1" end="4" id="3" rel="body">
        <node begin="1" end="2" id="4" lemma="zullen" pos="verb" rel="hd" root="zal" word="zal"/>
        <node begin="2" end="3" id="5" index="2" pos="pron" rel="su" root="ze" word="ze"/>
        <node begin="0" cat="inf" end="4" id="6" rel="vc">
          <node begin="2" end="3" id="7" index="2" rel="su"/>
          <node begin="3" end="4" id="8" pos="verb" rel="hd" root="zie" word="zien"/>
          <node begin="0" end="1" id="9" index="1" rel="obj1"/>
          <node begin="0" cat="pp" end="1" id="10" rel="mod"><node id="11" index="1" rel="obj1"/></node>
        </node>
      </node>
    </node>
    <node begin="4" end="5" id="12" pos="punct" rel="--" word="?"/>
  </node>
  <sentence sentid="q">wat zal ze zien ?</sentence>
</alpino_ds>
"""
TREE = Tree(
    "top",
    (
        Tree(
            "whq",
            (
                Tree("pron", (Leaf(0, "wat"),), "whd"),
                Tree(
                    "sv1",
                    (
                        Tree("verb", (Leaf(1, "zal"),), "hd"),
                        Tree("pron", (Leaf(2, "ze"),), "su"),
                        Tree("inf", (Tree("verb", (Leaf(3, "zien"),), "hd"),), "vc"),
                    ),
                    "body",
                ),
            ),
        ),
        Tree("punct", (Leaf(4, "?"),)),
    ),
)


def changed(old: str, new: str, text: str = ASK) -> str:
    assert old in text
    return text.replace(old, new, 1)


# What stands in metadata is no node of the tree.
BARE = changed("<node/>", "")


def test_reads() -> None:
    assert read(BARE, "alpino") == [TREE]
    aside = aside_of(read(BARE, "alpino")[0])
    assert aside == Aside(id="q.1", lemmas=("wat", "zullen", "ze", "zie", ""))
    assert formats.sniff(BARE.splitlines()) == "alpino"
    unnamed = read(changed(' id="q.1"', "", BARE), "alpino")[0]
    assert aside_of(unnamed).id == "q"


def test_a_word_may_be_listed_far_from_its_place() -> None:
    moved = changed('begin="0" end="1" id="2"', 'begin="3" end="4" id="2"', BARE)
    (tree,) = read(changed('begin="3" end="4" id="8"', 'begin="0" end="1" id="8"', moved), "alpino")
    assert tree.words() == ["zien", "zal", "ze", "wat", "?"]
    whq = tree.children[0]
    assert isinstance(whq, Tree)
    assert [child.label for child in whq.children if isinstance(child, Tree)] == ["sv1", "pron"]


def test_other_names_of_the_tag() -> None:
    assert read(BARE.replace(' pos="', ' pt="'), "alpino") == [TREE]
    assert read(BARE.replace(' pos="', ' pt="x" pos="'), "alpino") == [TREE]


def test_writes() -> None:
    text = alpino.write(TREE)
    assert text.splitlines()[:5] == [
        '<alpino_ds version="1.1" id="1">',
        '  <node begin="0" end="5" id="0" cat="top" rel="top">',
        '    <node begin="0" end="4" id="1" cat="whq" rel="--">',
        '      <node begin="0" end="1" id="2" pos="pron" rel="whd" word="wat"/>',
        '      <node begin="1" end="4" id="3" cat="sv1" rel="body">',
    ]
    assert text.splitlines()[-2:] == ["  <sentence>wat zal ze zien ?</sentence>", "</alpino_ds>"]
    assert read(text, "alpino") == [TREE]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        (ASK, "3:13", "a <node> without cat"),
        (changed('end="2" id="4"', 'end="1" id="4"', BARE), "8:9", "a word from 1 to 1"),
        (changed('end="2" id="4"', 'end="3" id="4"', BARE), "8:9", "a word from 1 to 3"),
        (changed('begin="1" end="2" id="4"', 'id="4"', BARE), "8:9", "a <node> without begin"),
        (changed('begin="1" end="2"', 'begin="x" end="2"', BARE), "8:9", 'a word from "x" to "2"'),
        (changed('begin="1" end="2"', 'begin="-1" end="0"', BARE), "8:9", 'a word from "-1" to "0"'),
        (changed('begin="1" end="2"', 'begin="0" end="1"', BARE), "8:9", "a second word at position 0"),
        (changed('begin="1" end="2"', 'begin="9" end="10"', BARE), "9:9", "no word at position 1"),
        (changed(' word="zal"', ' word=""', BARE), "8:9", "a <node> without word"),
        (changed(' pos="verb"', "", BARE), "8:9", "a <node> without pt"),
        (changed(' cat="inf"', "", BARE), "10:9", "a <node> without cat"),
        (changed(' index="2" rel', " rel", BARE), "11:11", "a <node> without cat"),
        (changed(' word="zal"', "", BARE), "8:9", "a <node> without cat"),
        (changed(' index="2" rel', ' cat="np" rel', BARE), "11:11", "a node without words"),
        (changed('word="?"/>', 'word="?"><node index="1"/></node>', BARE), "18:67", "a node inside a word"),
        (changed("<sentence", '<node cat="top"/><sentence', BARE), "20:3", "a second root"),
        (changed("</node>", "", BARE), "21:3", "broken XML: mismatched tag"),
        ("<alpino_ds/>", "1:1", "a sentence without words"),
        ('<alpino_ds><node cat="a" index="1"/></alpino_ds>', "1:1", "a sentence without words"),
        ("<alpino/>", "", "no trees"),
    ],
)
def test_faults_say_where_and_what(text: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        list(alpino.read(text.splitlines(keepends=True)))
    assert what in caught.value.what
    assert caught.value.where == where
    assert caught.value.fix


def test_nesting_has_an_end() -> None:
    def chain(depth: int) -> str:
        word = '<node begin="0" end="1" pos="x" word="a"/>'
        return "<alpino_ds>" + '<node cat="a">' * depth + word + "</node>" * depth + "</alpino_ds>"

    assert read(chain(199), "alpino")[0].height() == 200
    found, faults = read_on(f"<alpino>{chain(200)}{chain(350)}{chain(3000)}{chain(1)}</alpino>", "alpino")
    assert [tree.height() for tree in found] == [2]
    assert len(faults) == 3
    assert "nodes inside each other" in faults[0].what


# Folders ----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five files, of which the last has two trees."""
    folder = tmp_path / "bank"
    folder.mkdir()
    for name in ("1.xml", "2.xml", "10.xml", "a1b2.xml"):
        text = alpino.write(Tree("N", (Leaf(0, name),)))
        (folder / name).write_text(f'<?xml version="1.0"?>\n{text}\n')
    with gzip.open(folder / "a1b10.xml.gz", "wt") as out:
        sentence = alpino.write(Tree("N", (Leaf(0, "a1b10"),)))
        out.write(f"<alpino>{sentence}{sentence}</alpino>")
    (folder / "b").mkdir()
    (folder / "readme.txt").write_text("no treebank\n")
    return folder


def test_a_folder_is_read_in_order(folder: Path) -> None:
    expected = ["1.xml", "2.xml", "10.xml", "a1b2.xml", "a1b10", "a1b10"]
    assert [tree.words()[0] for tree in trees_of(folder)] == expected
    bank = secateur.read(folder)
    assert [tree.words()[0] for tree in bank] == expected
    assert bank.name == str(folder)
    opened = formats.opened(folder)
    assert opened.format == "alpino"
    assert "".join(opened.lines).count("<alpino_ds") == 6


def test_faults_name_the_file(folder: Path) -> None:
    (folder / "3.xml").write_text("<alpino_ds>\n</alpino_ds>\n")
    (folder / "4.xml").write_text("<alpino_ds>\n<node></alpino_ds>\n")
    (folder / "5.xml").write_text("")
    faults: list[InputError] = []
    assert len(list(trees_of(folder, on_error=faults.append))) == 6
    places = [f"{folder}/3.xml:1:1", f"{folder}/4.xml:2:1", f"{folder}/5.xml"]
    assert [fault.where for fault in faults] == places


def test_what_is_no_folder_of_a_treebank(tmp_path: Path, folder: Path) -> None:
    assert source.is_folder(folder)
    assert not source.is_folder(folder / "1.xml")
    assert not source.is_folder(folder / "nothing")
    assert not source.is_folder(tmp_path)
    (folder / "model.toml").write_text("")
    assert not source.is_folder(folder)
    with pytest.raises(InputError, match="this is a directory"):
        list(trees_of(folder))


def test_a_folder_of_tigerxml(tmp_path: Path) -> None:
    for number in (2, 1):
        tree = Tree("N", (Leaf(0, str(number)),))
        (tmp_path / f"{number}.xml").write_text(f"<corpus>{formats.write(tree, 'tigerxml')}</corpus>")
    assert [tree.words() for tree in trees_of(tmp_path)] == [["1"], ["2"]]
