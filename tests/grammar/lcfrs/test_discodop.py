"""The two files of disco-dop."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcfrs_cases import discontinuous_trees, grammars
from secateur.errors import InputError
from secateur.grammar.lcfrs.discodop import (
    lexicon_lines,
    parse_discodop,
    read_discodop,
    rule_lines,
    write_discodop,
)
from secateur.grammar.lcfrs.induce import induce
from secateur.grammar.lcfrs.patterns import text_of
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.treebanks.tree import Tree

RULES = """\
S\tVP_2\tNP\t010\t1/2
S\tNP\tVP\t01\t0.5
VP_2\tVB\tNP\t0,1\t2/3
VP\tVB\tVB|<NP>_2\t101\t1
VB|<NP>_2\tNP\tVB\t1,0\t1/3
NP\tNN\t0\t1/4
"""
LEXICON = """\
is\tVB 1/3
buys\tNN\t1/20\tVB\t2e-1
New\u00a0York\tNN 1/2\tVB 1/10
"""


def rules(grammar: PLCFRS) -> dict[str, float]:
    found = {
        f"{r.parent} -> {' '.join(r.children)} {text_of(r.components)}": r.weight for r in grammar.named()
    }
    return found | {f"{tag} -> '{word}'": weight for tag, word, weight in grammar.entries()}


def parsed(rules: str = RULES, lexicon: str = LEXICON, *, start: str | None = None) -> PLCFRS:
    return parse_discodop(rules.split("\n"), lexicon.split("\n"), names=("g.rules", "g.lex"), start=start)


def test_small() -> None:
    grammar = parsed()
    assert rules(grammar) == pytest.approx(
        {
            "S -> VP_2 NP 010": math.log(1 / 2),
            "S -> NP VP 01": math.log(1 / 2),
            "VP_2 -> VB NP 0,1": math.log(2 / 3),
            "VP -> VB|<NP>_2 VB 010": 0.0,
            "VB|<NP>_2 -> VB NP 0,1": math.log(1 / 3),
            "NP -> NN 0": math.log(1 / 4),
            "VB -> 'is'": math.log(1 / 3),
            "NN -> 'buys'": math.log(1 / 20),
            "VB -> 'buys'": math.log(2e-1),
            "NN -> 'New\u00a0York'": math.log(1 / 2),
            "VB -> 'New\u00a0York'": math.log(1 / 10),
        }
    )
    assert (grammar.start, grammar.chains) == ("S", True)
    assert dict(zip(grammar.symbols, grammar.plain, strict=True))["VP_2"] == "VP"
    made = [name for name, is_made in zip(grammar.symbols, grammar.made, strict=True) if is_made]
    assert made == ["VB|<NP>_2"]
    assert parsed(start="VP").start == "VP"


@given(st.one_of(grammars(exact=False), grammars(long=True).map(PLCFRS.binarized)))
def test_written_and_read(grammar: PLCFRS) -> None:
    again = parse_discodop(rule_lines(grammar), lexicon_lines(grammar), start=grammar.start)
    assert again.symbols == grammar.symbols
    assert rules(again) == pytest.approx(rules(grammar), rel=1e-12, abs=1e-12)


@given(st.lists(discontinuous_trees(), min_size=1, max_size=3))
def test_relative_frequencies_come_back_exactly(treebank: list[Tree]) -> None:
    grammar = induce(treebank)
    again = parse_discodop(rule_lines(grammar), lexicon_lines(grammar), chains=False)
    assert list(again.named()) == [rule._replace(path=()) for rule in grammar.named()]
    assert again.plain == grammar.plain
    assert again.made.tolist() == grammar.made.tolist()
    assert (again.start, again.chains) == (grammar.start, False)


def test_what_cannot_be_is_left_out() -> None:
    grammar = PLCFRS.build("S", [], [("S", "a", -math.inf), ("S", "b", -1.0), ("S", "c", -800.0)])
    assert list(lexicon_lines(grammar)) == [f"b\tS {math.exp(-1.0)!r}"]


def test_files(tmp_path: Path) -> None:
    paths = tmp_path / "g.rules", tmp_path / "g.lex.gz"
    grammar = parsed()
    write_discodop(grammar, *paths)
    assert paths[0].read_text().startswith("S\t")
    assert paths[1].read_bytes().startswith(b"\x1f\x8b")
    assert rules(read_discodop(*paths)) == rules(grammar)


def test_long_rules_are_refused() -> None:
    grammar = PLCFRS.from_text("S(X Y Z) -> A(X) A(Y) A(Z)\nA('a') ->")
    with pytest.raises(InputError, match="more than two symbols"):
        list(rule_lines(grammar))
    assert len(list(rule_lines(grammar.binarized()))) == 2


@pytest.mark.parametrize(
    ("old", "new", "where", "message"),
    [
        ("010\t1/2", "010\t3/2", "rules:1", "'3/2' is no probability"),
        ("010\t1/2", "010\t1/0", "rules:1", "is no probability"),
        ("010\t1/2", "010\tnan", "rules:1", "is no probability"),
        ("010\t1/2", "010\t0/2", "rules:1", "is no probability"),
        ("010\t1/2", "010", "rules:1", "is no pattern"),
        ("S\tVP_2\tNP\t010\t1/2", "S VP_2 NP 010 1/2", "rules:1", "not a rule"),
        ("0,1\t2/3", "0;1\t2/3", "rules:3", "is no pattern"),
        ("0,1\t2/3", "0,2\t2/3", "rules:3", "not one of 2 symbols"),
        ("0,1\t2/3", "0,11\t2/3", "rules:3", "touch"),
        ("0,1\t2/3", "01\t2/3", "rules:3", "VP_2 has fan-out 1 here and 2 elsewhere"),
        ("S\tNP\tVP\t01\t0.5", "S\tVP_2\tNP\t010\t1/2", "rules:2", "duplicate rule"),
        ("VB 1/3", "VB", "lex:1", "not an entry"),
        ("VB 1/3", "VB 1/3 NN", "lex:1", "not an entry"),
        ("VB 1/3", "VB one", "lex:1", "is no probability"),
        ("VB 1/3", "VB 1/3 VB 1/4", "lex:1", "duplicate rule: VB -> 'is'"),
        ("VB 1/3", "VP_2 1/3", "lex:1", "VP_2 has fan-out 1 here and 2 elsewhere"),
    ],
)
def test_refused(old: str, new: str, where: str, message: str) -> None:
    assert old in RULES + LEXICON
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        parsed(RULES.replace(old, new, 1), LEXICON.replace(old, new, 1))
    assert caught.value.where == f"g.{where}"
    assert caught.value.fix


def test_no_rules() -> None:
    with pytest.raises(InputError, match="no rules"):
        parsed("", "")
    with pytest.raises(InputError, match="derives no sentence"):
        parsed(lexicon="")


def test_mutated() -> None:
    """A grammar, or an input error that says where."""
    places = []
    for seed in range(600):
        rng = random.Random(seed)
        texts = [RULES, LEXICON]
        which = rng.randrange(2)
        at = rng.randrange(len(texts[which]))
        odd = rng.choice(["", "\t", "\n", "/", "0", "9" * 400, "1e999", "é", ",", " "])
        texts[which] = texts[which][:at] + odd + texts[which][at + rng.randint(0, 3) :]
        try:
            parsed(*texts)
        except InputError as error:
            places.append(error.where)
    assert len(places) > 300
    assert all(re.fullmatch(r"g\.(rules|lex):[0-9]+", place) for place in places)
