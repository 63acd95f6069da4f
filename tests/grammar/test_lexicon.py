"""Words, and classes of unknown words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from secateur.grammar.lexicon import Lexicon, signature


@pytest.mark.parametrize(
    ("word", "initial", "known_lower", "expected"),
    [
        # Case: a single capital that opens the sentence is told apart, and whether its small form is known.
        ("Gnu", False, False, "UNK-CAPS"),
        ("Gnu", True, False, "UNK-INITC"),
        ("Gnu", True, True, "UNK-INITC-KNOWNLC"),
        ("Gnu", False, True, "UNK-CAPS"),
        ("GNU", True, True, "UNK-CAPS"),
        ("gnu", True, True, "UNK-LC"),
        ("gNU", False, False, "UNK-LC"),
        ("'Gnu", False, False, "UNK-CAPS"),
        ("'gnu", False, False, "UNK-LC"),
        ("ǅon", True, False, "UNK-INITC"),  # a title-case letter
        ("??", False, False, "UNK"),
        ("", False, False, "UNK"),
        # Digits and dashes, in this order.
        ("42", False, False, "UNK-NUM"),
        ("4-2", False, False, "UNK-NUM-DASH"),
        ("gnu-like", False, False, "UNK-LC-DASH"),
        ("F-16", False, False, "UNK-CAPS-NUM-DASH"),
        ("F-16", True, False, "UNK-INITC-NUM-DASH"),
        ("mp3", False, False, "UNK-LC-NUM"),
        # Plural-like -s: from three letters on, but not -ss, -is, -us.
        ("yaks", False, False, "UNK-LC-s"),
        ("80s", False, False, "UNK-LC-NUM-s"),
        ("as", False, False, "UNK-LC"),
        ("moss", False, False, "UNK-LC"),
        ("iris", False, False, "UNK-LC"),
        ("virus", False, False, "UNK-LC"),
        ("GNUS", False, False, "UNK-CAPS"),
        ("GNATS", False, False, "UNK-CAPS-s"),
        ("cut-offs", False, False, "UNK-LC-DASH-s"),
        # Other suffixes: from five letters on, without dash, and not with digits and capitals together.
        ("grafted", False, False, "UNK-LC-ed"),
        ("pruning", False, False, "UNK-LC-ing"),
        ("abscission", False, False, "UNK-LC-ion"),
        ("grafter", False, False, "UNK-LC-er"),
        ("lushest", False, False, "UNK-LC-est"),
        ("lushly", False, False, "UNK-LC-ly"),
        ("fecundity", False, False, "UNK-LC-ity"),
        ("shrubby", False, False, "UNK-LC-y"),
        ("apical", False, False, "UNK-LC-al"),
        ("bred", False, False, "UNK-LC"),
        ("leafy", False, False, "UNK-LC-y"),
        ("PRUNING", False, False, "UNK-CAPS-ing"),
        ("re-grafted", False, False, "UNK-LC-DASH"),
        ("7grafted", False, False, "UNK-LC-NUM-ed"),
        ("X7grafted", False, False, "UNK-CAPS-NUM"),
        ("trowel", False, False, "UNK-LC"),
    ],
)
def test_signature(word: str, initial: bool, known_lower: bool, expected: str) -> None:
    assert signature(word, initial=initial, known_lower=known_lower) == expected


def lexicon(*words: str) -> Lexicon:
    return Lexicon.build((word, 0, -1.0) for word in words)


def test_known_words_stand_for_themselves() -> None:
    assert lexicon("gnu", "UNK-LC").known("gnu") == "gnu"


def test_back_off_takes_the_nearest_shorter_class() -> None:
    classes = lexicon("gnu", "UNK", "UNK-LC", "UNK-INITC", "UNK-LC-NUM")
    assert classes.known("pruning") == "UNK-LC"
    assert classes.known("mp3s") == "UNK-LC-NUM"
    assert classes.known("Gnu", initial=True) == "UNK-INITC"  # KNOWNLC was never seen
    assert classes.known("Gnu") == "UNK"
    assert classes.known("4-2") == "UNK"


def test_known_small_form() -> None:
    classes = lexicon("gnu", "UNK-INITC", "UNK-INITC-KNOWNLC")
    assert classes.known("Gnu", initial=True) == "UNK-INITC-KNOWNLC"
    assert classes.known("Emu", initial=True) == "UNK-INITC"


def test_nothing_to_back_off_to() -> None:
    assert lexicon("gnu").known("emu") is None
    assert lexicon("gnu", "UNK-LC-ing").known("emu") is None


def test_encode() -> None:
    found = lexicon("gnu", "Emu", "UNK-LC", "UNK-INITC")
    names = (*found.words, None)
    assert [names[w] for w in found.encode(["Yak", "gnu", "Emu", "newt", "Yak"])] == [
        "UNK-INITC",
        "gnu",
        "Emu",
        "UNK-LC",
        None,  # a capital inside the sentence: UNK-CAPS and UNK are both missing
    ]
    assert found.ptr[len(found.words)] == found.ptr[len(found.words) + 1] == len(found.tag)
    assert found.encode([]).dtype == np.uint32


def test_entries_are_sorted_by_word_and_tag() -> None:
    built = Lexicon.build([("b", 1, -1.0), ("a", 2, -2.0), ("b", 0, -3.0)])
    assert built.words == ("a", "b")
    assert built.ptr.tolist() == [0, 1, 3, 3]
    assert built.tag.tolist() == [2, 0, 1]
    assert built.weight.tolist() == [-2.0, -3.0, -1.0]


def test_empty_lexicon() -> None:
    assert Lexicon.build([]).encode(["gnu"]).tolist() == [0]
    assert Lexicon.build([]).ptr.tolist() == [0, 0]


def test_every_test_word_has_an_entry(data: Path) -> None:
    """Unknown words of the sample back off to a class that the foreign grammars know."""
    from secateur.grammar.text import read_grammar
    from secateur.treebanks.phrases import Treebank

    grammar = read_grammar(data / "wsj-grammars" / "eng.R2.gr.gz")
    nothing = len(grammar.lexicon.words)
    unknown = 0
    for tree in Treebank.read(data / "ptb-sample" / "test.mrg"):
        words = tree.words()
        assert not (grammar.lexicon.encode(words) == nothing).any()
        unknown += sum(word not in grammar.lexicon.index for word in words)
    assert unknown > 100


def test_slashes_and_stars_are_found_as_the_penn_treebank_writes_them() -> None:
    lexicon = Lexicon.build([(r"1\/2", 0, -1.0), (r"\*", 0, -1.0), ("UNK", 0, -2.0)])
    assert lexicon.known("1/2") == r"1\/2"
    assert lexicon.known("*") == r"\*"
    assert lexicon.known("3/4") == "UNK"
