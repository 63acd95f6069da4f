"""Which grammar a file has: told by its first lines, or by its name."""

from __future__ import annotations

import contextlib
import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mutated_grammars
from mutated_grammars import BY_HAND, LEXICON, RULES, TEXT
from secateur import PCFG, PLCFRS, InputError, SplitPCFG, read_grammar, write_grammar
from secateur.grammar.files import is_grammar, read_any
from split_text import SPLIT

FLAT = "format=secateur start=S\nS -> A A -1\n===== LEXICON =====\nA -> a 0\n"

CONTENTS = {
    "a PCFG": (FLAT, PCFG),
    "a PCFG with a symbol in brackets": (FLAT.replace("S", "S(X)"), PCFG),
    "a split grammar": (SPLIT, SplitPCFG),
    "a PLCFRS": (TEXT, PLCFRS),
    "a PLCFRS by hand": (BY_HAND, PLCFRS),
    "a PLCFRS by hand, with quoted names": ("'$,(' ( ')' )->\n", PLCFRS),
    "a PLCFRS by hand, with words": ("S('a b') ->\n", PLCFRS),
}
OTHERS = {
    "trees": "(S (A a) (A a))\n",
    "trees in brackets": "((S (A a) (A a)))\n",
    "discontinuous trees": "(S (V (A 0=a) (A 2=a)) (A 1=a))\n",
    "export": "#FORMAT 4\n#BOS 1\na\ta\tA\t--\t--\t0\n#EOS 1\n",
    "dependencies": "# sent_id = 1\n1\ta\ta\tA\tA\t_\t0\troot\t_\t_\n\n",
    "tokens": "f x -> ( y )\n",
    "a PCFG by hand": "S -> A(X) A 1.0\nA(X) -> 'a' 1.0\n",
    "a part of a rule": "S(X Y) = A(X) A(Y)\n",
    "nothing": "",
    "comments": "# S(X) -> A(X)\n\n",
}


@pytest.mark.parametrize("what", CONTENTS)
def test_told_by_the_first_lines(tmp_path: Path, what: str) -> None:
    content, kind = CONTENTS[what]
    for path in (tmp_path / "a.gr", tmp_path / "a.rules", tmp_path / "a.gr.gz"):
        data = content.encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        if kind is PLCFRS and content is not TEXT and path.suffix == ".rules":
            continue  # there the name tells
        assert is_grammar(path)
        assert isinstance(read_any(path), kind)
        assert isinstance(read_any(str(path)), kind)


@pytest.mark.parametrize("what", OTHERS)
def test_what_is_no_grammar(tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(OTHERS[what])
    assert not is_grammar(path)
    with pytest.raises(InputError, match="not a grammar") as caught:
        read_any(path)
    assert caught.value.where == f"{path}:1"
    assert not is_grammar(tmp_path)
    assert not is_grammar(tmp_path / "missing")


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_the_two_files_of_discodop(tmp_path: Path, packed: str) -> None:
    rules, lexicon = tmp_path / f"d.rules{packed}", tmp_path / f"d.lex{packed}"
    for path, content in ((rules, RULES), (lexicon, LEXICON)):
        path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    for half in (rules, lexicon):
        assert is_grammar(half)
        found = read_any(half)
        assert isinstance(found, PLCFRS)
        assert (found.start, len(found.lexicon.weight)) == ("S", 4)
    # One of them packed, the other not.
    other = tmp_path / ("d.lex" if packed else "d.lex.gz")
    other.write_bytes(LEXICON.encode())
    lexicon.unlink()
    assert isinstance(read_any(rules), PLCFRS)
    other.unlink()
    with pytest.raises(
        InputError, match=rf"there is no d\.lex{packed} beside it; disco-dop writes"
    ) as caught:
        read_any(rules)
    assert caught.value.where == str(rules)


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "g.gr.gz"
    write_grammar(PLCFRS.from_text(BY_HAND), path)
    again = read_any(path)
    assert isinstance(again, PLCFRS)
    assert list(again.named()) == list(PLCFRS.from_text(BY_HAND).named())
    with pytest.raises(InputError, match="a PLCFRS, where a PCFG is needed"):
        read_grammar(path)


def test_places_in_a_file_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "g.gr"
    for content, place, what in (
        (BY_HAND + "V(X) -> W(Y)\n", "10:3", "X is not on the right"),
        (BY_HAND + "V('b') ->\n", "10:1", "duplicate rule"),
        ("S(X Y) -> A(X) B(Y)\n", "1", "derives no sentence"),
        ("S('a') ->\n\n\u2028S('b'\n", "3:7", "ends too early"),
    ):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=what) as caught:
            read_any(path)
        assert caught.value.where == f"{path}:{place}"


@given(st.text("S(XA)->'\"# \n\tf=", max_size=20))
def test_any_beginning(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Whatever is taken for a grammar is read as one, or refused with its place."""
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_text(text)
    taken = is_grammar(path)
    with contextlib.suppress(InputError):
        assert isinstance(read_any(path), PLCFRS)
        assert taken


def test_mutated(tmp_path: Path) -> None:
    """A grammar, or an input error that says where and what to do."""
    places, read = [], 0
    for seed in range(1000):
        path = mutated_grammars.mutated(tmp_path, seed)
        try:
            read += isinstance(read_any(path), PLCFRS)
        except InputError as error:
            places.append(error.where if error.fix else "")
    assert read > 100
    assert len(places) == 1000 - read
    where = re.compile(rf"{re.escape(str(tmp_path))}/[gdh]\.(gr|rules|lex)(:[0-9]+){{0,2}}")
    assert not [place for place in places if not where.fullmatch(place)]
