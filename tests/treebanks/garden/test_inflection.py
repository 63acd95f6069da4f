"""Inflection of regular and irregular words."""

from __future__ import annotations

import pytest

from secateur.treebanks.garden.inflection import adverb, article, ing_form, past_forms, plural, third_person


@pytest.mark.parametrize(
    ("singular", "expected"),
    [
        ("dog", "dogs"),
        ("city", "cities"),
        ("key", "keys"),
        ("box", "boxes"),
        ("branch", "branches"),
        ("bus", "buses"),
    ],
)
def test_plural(singular: str, expected: str) -> None:
    assert plural(singular) == expected


@pytest.mark.parametrize(
    ("base", "third", "past", "participle", "ing"),
    [
        ("walk", "walks", "walked", "walked", "walking"),
        ("stop", "stops", "stopped", "stopped", "stopping"),
        ("visit", "visits", "visited", "visited", "visiting"),
        ("carry", "carries", "carried", "carried", "carrying"),
        ("destroy", "destroys", "destroyed", "destroyed", "destroying"),
        ("agree", "agrees", "agreed", "agreed", "agreeing"),
        ("lie", "lies", "lied", "lied", "lying"),
        ("write", "writes", "wrote", "written", "writing"),
        ("go", "goes", "went", "gone", "going"),
        ("be", "is", "was", "been", "being"),
    ],
)
def test_verb(base: str, third: str, past: str, participle: str, ing: str) -> None:
    assert (third_person(base), *past_forms(base), ing_form(base)) == (third, past, participle, ing)


@pytest.mark.parametrize(
    ("adjective", "expected"), [("quick", "quickly"), ("happy", "happily"), ("gentle", "gently")]
)
def test_adverb(adjective: str, expected: str) -> None:
    assert adverb(adjective) == expected


@pytest.mark.parametrize(
    ("following", "expected"),
    [("dog", "a"), ("apple", "an"), ("honest", "an"), ("university", "a"), ("ugly", "an")],
)
def test_article(following: str, expected: str) -> None:
    assert article(following) == expected
