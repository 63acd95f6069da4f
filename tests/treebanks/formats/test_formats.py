from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.formats import brackets, discbracket
from treebank_files import trees_of

CAT = "(S (NP (DT the) (NN cat)) (VP (VBD slept)))"
ASK = "(S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you))"


def test_sniffs() -> None:
    assert formats.sniff([CAT]) == "brackets"
    assert formats.sniff(["\n", "( (S\n", "    (NN cat)))\n"]) == "brackets"
    assert formats.sniff([ASK, CAT.replace("the", "0=the")]) == "brackets"
    assert formats.sniff([ASK, ASK]) == "discbracket"
    assert formats.sniff(["\n"]) == "brackets"
    with pytest.raises(InputError, match="none of the formats discbracket, export, tigerxml"):
        formats.sniff(["the\t1\t_\n"])


@pytest.mark.parametrize(("name", "text"), [("brackets", CAT), ("discbracket", ASK)])
def test_reads_and_writes_by_name(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    with gzip.open(path, "wt") as out:
        out.write(f"{text}\n\n" * 100)
    for found in (list(trees_of(path)), list(trees_of(path, format=name))):
        assert [formats.write(tree, name) for tree in found] == [text] * 100


def test_unknown_format() -> None:
    with pytest.raises(InputError, match='unknown format "penn"; use one of discbracket, export'):
        formats.write(brackets.read_tree(CAT), "penn")
    with pytest.raises(InputError, match="unknown format"):
        list(trees_of("-", format="penn"))


def test_faults_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(f"{CAT}\n{CAT})\n{CAT}\n")
    with pytest.raises(InputError) as caught:
        list(trees_of(path))
    assert caught.value.where == f"{path}:2:44"
    errors: list[InputError] = []
    assert len(list(trees_of(path, on_error=errors.append))) == 2
    assert [error.where for error in errors] == [f"{path}:2:44"]


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("The cat slept.\n")
    with pytest.raises(InputError) as caught:
        list(trees_of(path))
    assert caught.value.where == f"{path}:1:1"
    path.write_text("")
    with pytest.raises(InputError, match="no trees"):
        list(trees_of(path))
    errors: list[InputError] = []
    assert list(trees_of(path, on_error=errors.append)) == []
    assert [error.what for error in errors] == ["no trees"]


def test_a_bad_byte_raises_even_where_faults_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_bytes(f"{CAT}\n".encode() * 100 + b"(NN \xe9)\n")
    with pytest.raises(InputError) as caught:
        list(trees_of(path, on_error=pytest.fail))
    assert caught.value.where == f"{path}:101:5"


def test_discontinuous_trees_cannot_go_to_brackets() -> None:
    with pytest.raises(InputError, match="discbracket"):
        formats.write(discbracket.read_tree(ASK), "brackets")
