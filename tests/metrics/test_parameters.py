"""Reading EVALB's parameter files, and the protocol line they lead to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from secateur.errors import InputError
from secateur.metrics import COLLINS, Parameters, read_parameters

COLLINS_LINES = """
# written as the program's own file is
DEBUG 0
MAX_ERROR 10
CUTOFF_LEN 40
LABELED 1
DELETE_LABEL TOP
DELETE_LABEL -NONE-
DELETE_LABEL ,
DELETE_LABEL :
DELETE_LABEL ``
DELETE_LABEL ''
DELETE_LABEL .

DELETE_LABEL_FOR_LENGTH -NONE-
EQ_LABEL ADVP PRT
"""


def test_collins_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "COLLINS.prm"
    path.write_text(COLLINS_LINES, encoding="utf-8")
    assert read_parameters(path) == read_parameters(str(path)) == COLLINS
    assert read_parameters(COLLINS_LINES.splitlines(), name="COLLINS.prm") == COLLINS


def test_every_keyword() -> None:
    found = read_parameters(
        [
            "MAX_ERROR\t3",
            "CUTOFF_LEN 70",
            "LABELED 0",
            "DISC_ONLY 0",
            "DELETE_LABEL #",
            "  # a comment",
            "QUOTE_LABEL POS",
            "EQ_WORD colour color",
            "EQ_LABEL NX NP",
            "EQ_LABEL X Y",
        ],
        name="mine",
    )
    assert found == Parameters(
        name="mine",
        delete_labels=frozenset({"#"}),
        equal_labels=frozenset({("NX", "NP"), ("X", "Y")}),
        equal_words=frozenset({("colour", "color")}),
        quote_labels=frozenset({"POS"}),
        labelled=False,
        cutoff=70,
        max_error=3,
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("DELETE_LABELS TOP", 'unknown keyword "DELETE_LABELS"'),
        ("DELETE_LABEL", "has 0 values"),
        ("DELETE_LABEL TOP # why", "has 3 values"),
        ("EQ_LABEL ADVP", "has 1 values"),
        ("CUTOFF_LEN forty", '"forty" is not a whole number'),
        ("DEBUG no", "not a whole number"),
        ("DISC_ONLY 1", "discontinuous"),
    ],
)
def test_bad_lines_are_located(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.prm"
    path.write_text(f"# one\nLABELED 1\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_parameters(path)
    assert caught.value.where == f"{path}:3"
    with pytest.raises(InputError, match=message) as caught:
        read_parameters([line])
    assert caught.value.where == "line 1"


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_parameters(tmp_path / "none.prm")


def test_protocol_names_what_was_done() -> None:
    assert COLLINS.protocol() == (
        "EVALB COLLINS.prm, labelled, punctuation ignored, "
        "outer ROOT, VROOT, S1 or no label as TOP, all lengths"
    )
    plain = replace(COLLINS, root=False, labelled=False, delete_labels=frozenset({"TOP", ","}))
    assert plain.protocol("length <= 40") == (
        "EVALB COLLINS.prm, unlabelled, punctuation partly ignored, outer labels as they are, length <= 40"
    )
    assert "punctuation counted" in Parameters().protocol()
    gold_tags = replace(COLLINS, by_gold_tags=True)
    assert gold_tags.protocol() == COLLINS.protocol().replace("ignored", "ignored by gold tags")
    assert "gold tags" not in Parameters(by_gold_tags=True).protocol()
