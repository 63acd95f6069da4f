"""Line ends in raw text: wrapped prose stays whole, one thing a line comes apart."""

from __future__ import annotations

import textwrap

import pytest

from secateur.treebanks import paragraphs
from secateur.treebanks.text import split_sentences

ENGLISH = """
The council of New Harbour met on Monday evening to discuss the plan that Mayor Ellen Whitfield had brought
before it in March. About two hundred people from Green Street and Market Square came to the hall, and I heard
that Councillor Tom Baker left before the vote. Is that so? Nobody from the Harbour Trust would say what Mr.
Baker and Dr. Lena Ash had spoken of on the stairs of the old Customs House, nor why Mary Fisher stood by
the door. The Evening Post says that the U.S. Navy will pay, and that Acme Inc. will build. So it goes!
"""
GERMAN = """
Die Stadt Bremen hat am 3. Oktober beschlossen, dass der Umbau des Bahnhofs bzw. Vorplatzes im Frühjahr
beginnen soll. Nach Angaben von Bürgermeister Klaus Weber kostet das Vorhaben ca. 20 Mio. Euro, z. B. für
Brücken und
Wege. Die Anwohner der Langen Straße fürchten um ihre Bäume. Ob sie gehört werden?
"""


@pytest.mark.parametrize("width", [*range(30, 110, 7), 1000])
@pytest.mark.parametrize("prose", [ENGLISH, GERMAN])
def test_wrapped_prose_does_not_come_apart(prose: str, width: int) -> None:
    whole = " ".join(prose.split())
    sentences = split_sentences(whole)
    assert len(sentences) == (6 if prose is ENGLISH else 4)
    assert split_sentences(textwrap.fill(whole, width)) == sentences


def test_a_long_address_does_not_set_the_width() -> None:
    whole = textwrap.fill(" ".join(ENGLISH.split()), 60).split("\n")
    address = "http://www.example.org/" + "a" * 90
    found = split_sentences("\n".join([*whole[:2], address, *whole[2:]]))
    assert len(found) == 6


@pytest.mark.parametrize(
    "lines",
    [
        ["🎉🎉🎉", "Council approves the budget", "The vote was close, as all had thought it would be."],
        ["Council approves new budget for schools and roads", "The vote was 5-4."],
        ["Shopping list:", "Milk", "Orange juice", "Eggs", "Whole wheat bread"],
        ["Just landed in Oslo #travel", "@anna you were right", "So cold here 😂", "https://example.org/x"],
        ["Things to do today", "• buy milk", "• call the plumber about the kitchen sink", "• rest"],
        ["- buy milk", "- call the plumber about the kitchen sink", "- rest"],
        ["1. Wash the pan", "2. Dry it", "3. Put it into the cupboard over the sink"],
        ["Best pizza in town!!", "will be back soon"],
        ["Breaking", "Anna Smith wins the race"],
        ["One part ends here", "* * *", "another begins"],
        ["Rain again ☔", "☀ by noon, they say"],
        ["Nyheter", "Mötet börjar kl. 17.00 i dag.", "Alla är välkomna"],
    ],
)
def test_one_thing_a_line(lines: list[str]) -> None:
    assert split_sentences("\n".join(lines)) == lines
    assert split_sentences("\n".join(lines) + "\n\nThe end.\n") == [*lines, "The end."]


@pytest.mark.parametrize(
    "lines",
    [
        ["We went to", "London yesterday."],
        ["They met Anna,", "Tom and Mary there."],
        ["All people are born free", "and equal in dignity", "and rights."],
        ["It was there that", "I saw her, and then", "I left."],
        ["He wrote to Mr.", "Finch."],
        ["It happened at 5 p.m.", "on a Monday."],
    ],
)
def test_what_goes_on_over_a_line_end(lines: list[str]) -> None:
    assert split_sentences("\n".join(lines)) == [" ".join(lines)]


def test_a_headline_over_wrapped_prose() -> None:
    whole = " ".join(ENGLISH.split())
    found = split_sentences("Council approves the new budget\n" + textwrap.fill(whole, 72))
    assert found == ["Council approves the new budget", *split_sentences(whole)]


def test_long_paragraphs_are_judged_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paragraphs, "_LINES", 5)
    lines = textwrap.wrap(" ".join((ENGLISH * 5).split()), 60)
    assert [line for _, line in paragraphs.marked(lines)] == lines
    assert [starts for starts, _ in paragraphs.marked(lines)] == [True] + [False] * (len(lines) - 1)
    assert list(paragraphs.marked(["a\n", "\n", "b"])) == [(True, "a"), (True, ""), (True, "b")]
