"""Tokens and sentences: rules by example, nothing lost for any text, and input that streams."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks import text
from secateur.treebanks.sentence import Sentence, read_sentences
from secateur.treebanks.text import (
    escape,
    penn_tokens,
    split_sentences,
    tokenize,
    unescape,
)

untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Pieces that meet in odd ways, and any characters at all.
PIECES = [
    *(
        "Mr.",
        "U.S.",
        "a.m.",
        "e.g.",
        "Inc.",
        "No.",
        "J.",
        "The",
        "owl",
        "don't",
        "cannot",
        "I",
        "3.5",
        "1,000",
    ),
    *(
        "3:30",
        "--",
        "...",
        "…",
        "—",
        ".",
        ",",
        "!",
        "?",
        '"',
        "“",
        "”",
        "'",
        "’",
        "``",
        "''",
        "(",
        ")",
        "[",
        "]",
    ),
    *("$", "%", "#", "&", "-", "/", "@", "http://", "www.", " ", "  ", "\n", "\n\n", "\t", "é", "+", "*"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=40)


@untimed
@given(texts)
def test_tokens_are_the_sentence_without_white_space(sentence: str) -> None:
    tokens = tokenize(sentence)
    assert "".join(tokens) == "".join(sentence.split())
    assert all(tokens)


@untimed
@given(texts)
def test_sentences_are_the_text_without_white_space(raw: str) -> None:
    sentences = split_sentences(raw)
    assert "".join("".join(sentences).split()) == "".join(raw.split())
    assert all(sentence == " ".join(sentence.split()) != "" for sentence in sentences)


@untimed
@given(texts)
def test_penn_spelling_of_any_tokens(raw: str) -> None:
    sentence = Sentence.of(tokenize(raw))
    assert len(sentence.tokens) == len(sentence.penn) == len(sentence.leaves)
    assert not set("()[]{}“”‘’…—") & set("".join(sentence.penn))
    assert not set("()[]{}") & set("".join(sentence.leaves))
    assert [*map(unescape, sentence.leaves)] == [*map(unescape, sentence.tokens)]
    assert tuple(penn_tokens(sentence.penn)) == sentence.penn


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("The owl sleeps.", "The owl sleeps ."),
        ("Mr. Finch doesn't care.", "Mr. Finch does n't care ."),
        (
            "I'm sure they've left; she'd stay, we'll see.",
            "I 'm sure they 've left ; she 'd stay , we 'll see .",
        ),
        ("You're can't, won't and AIN'T.", "You 're ca n't , wo n't and AI N'T ."),
        ("He shouldn't've gone.", "He should n't 've gone ."),
        ("The owls' nest and the owl's nest", "The owls ' nest and the owl 's nest"),
        ("We cannot stay: I'm gonna go, gotta run.", "We can not stay : I 'm gon na go , got ta run ."),
        ("'Twas late; 'tis so, gimme more.", "'T was late ; 't is so , gim me more ."),
        ("It cost $1,250.75, or 3.5% of US$40!", "It cost $ 1,250.75 , or 3.5 % of US$ 40 !"),
        ("Room #12 opens at 3:30 p.m. on 11/02/89.", "Room # 12 opens at 3:30 p.m. on 11/02/89 ."),
        ("A well-known, two- or three-day test", "A well-known , two- or three-day test"),
        ("AT&T and R&D (both) are [sic] {here}.", "AT&T and R&D ( both ) are [ sic ] { here } ."),
        ("He waited ... and left--at last...", "He waited ... and left -- at last ..."),
        ("So—they say—it is…", "So — they say — it is …"),
        ("They moved to the U.S.", "They moved to the U.S."),
        ("They moved to the U.S. in May.", "They moved to the U.S. in May ."),
        ("U.S.-made parts, Corp.'s plans, etc., etc.", "U.S.-made parts , Corp. 's plans , etc. , etc."),
        ("She said no.", "She said no ."),
        ("Is it plan B?", "Is it plan B ?"),
        ('"Stop," she said, "or I\'ll run."', '" Stop , " she said , " or I \'ll run . "'),
        ("“I don’t know,” he said.", "“ I do n’t know , ” he said ."),
        ("‘Yes’, said O'Hara at six o'clock.", "‘ Yes ’ , said O'Hara at six o'clock ."),
        ("(It rained.) Then it stopped.", "( It rained . ) Then it stopped ."),
        ("Rock 'n' roll of the '90s beat 'em.", "Rock 'n' roll of the '90s beat 'em ."),
        ("See http://a.example/b?c=1, (www.b.example).", "See http://a.example/b?c=1 , ( www.b.example ) ."),
        ("Write to jo.doe+x@mail.example.", "Write to jo.doe+x@mail.example ."),
        ("It fell to -5 in 1990–95.", "It fell to -5 in 1990–95 ."),
        ("As shown.[3] next", "As shown . [ 3 ] next"),
        ("", ""),
    ],
)
def test_tokens(sentence: str, tokens: str) -> None:
    assert tokenize(sentence) == tokens.split()


@pytest.mark.parametrize(
    "sentence",
    [
        "The fox didn't see the hens.",
        "Mrs. Teal won't pay $20 for it.",
        "They're late, aren't they?",
        "We'll meet at 10:45 near the well-lit gate.",
        "The teachers' room is (almost) empty.",
        '"We cannot wait," said the pilot.',
        "Prices rose 12% to 1,300 points.",
        "She's gonna like Anna's drawing!",
        "The plan: buy low; sell high.",
        "The boat -- a small one -- sank.",
        "It ended... badly.",
        "Dr. Ash and Mr. Oak left St. Ives.",
    ],
)
def test_nltk_agrees_where_it_is_right(sentence: str) -> None:
    tokenizer = pytest.importorskip("nltk.tokenize").TreebankWordTokenizer()
    assert penn_tokens(tokenize(sentence)) == tokenizer.tokenize(sentence, convert_parentheses=True)


@pytest.mark.parametrize(
    "sentences",
    [
        ["The owl left.", "It flew far.", "Where to?", "Nobody knows!", "So it goes."],
        ["Mr. J. R. Finch met Dr. Ash.", "They spoke."],
        ["The U.S. Navy sails at 5 a.m. Monday.", "It will land at 6 p.m.", "The crew is ready."],
        ["He joined Acme Inc. in 1990.", "She left Acme Inc.", "The firm closed."],
        ["He likes tools, e.g. Saws.", "See fig. 3, p. 7 and No. 5.", "He said no.", "Five men left."],
        ["It rose 3.5 points to 7.25.", "Then it fell."],
        ["Well... he waited ... and then I left...", "Then came rain.", "It was … odd."],
        [
            'She said "Stop."',
            "He did.",
            '"Why?" he asked.',
            '"Go!" she cried.',
            "“Now.”",
            "(He left.)",
            "Good.",
        ],
        ["They live in Calif.", '"We like it," they say.'],
        ["1. Wash the pan.", "2. Dry it.", "A. Twice."],
        ["Plan B.", "The rest is known."],
        ["It ended .", "Then we left ."],
        ["He wrote for Mr. Oak and Mrs. Teal at 9 a.m.", "Mr. Oak paid."],
        ["It (the U.S. (or so)) won.", "Shop at Wow! and Co. or not."],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences
    assert split_sentences("\n".join(sentences) + "\n") == sentences


def test_blank_lines_end_sentences() -> None:
    raw = "A Heading\n\nThe first\nline goes on. And\ton.\n \nno stop\r\n\r\nMr.\n\nLast"
    assert split_sentences(raw) == [
        "A Heading",
        "The first line goes on.",
        "And on.",
        "no stop",
        "Mr.",
        "Last",
    ]
    assert split_sentences(" \n\n ") == []


def test_brackets_are_escaped_and_restored() -> None:
    assert [escape(token) for token in "()[]{}"] == [
        *("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"),
    ]
    assert escape("f(x)") == "f-LRB-x-RRB-"
    assert unescape("f-LRB-x-RRB-") == "f(x)"
    assert unescape("-LRB-") == "("


@pytest.mark.parametrize(
    ("tokens", "penn"),
    [
        ('" Go " , he said , " now " .', "`` Go '' , he said , `` now '' ."),
        ('it ends here . "', "it ends here . ''"),
        ('and it " ends " . " )', "and it `` ends '' . '' -RRB-"),
        ('he said it " .', "he said it '' ."),
        ('( " it starts', "-LRB- `` it starts"),
        ("“ a ” ‘ b ’ he ’s « c »", "`` a '' ` b ' he 's `` c ''"),
        ('`` a " b', "`` a '' b"),
        ('"Go" he said', "``Go'' he said"),
        ("a — b – c 1–2 x‑y …", "a -- b -- c 1-2 x-y ..."),
        ("-LRB- ok -RRB-", "-LRB- ok -RRB-"),
        ('"', "``"),
    ],
)
def test_penn_spelling(tokens: str, penn: str) -> None:
    assert penn_tokens(tokens.split()) == penn.split()


def test_a_sentence_keeps_both_spellings() -> None:
    sentence = Sentence.of(["“", "Go", "(", "now", ")", "”"])
    assert sentence.penn == ("``", "Go", "-LRB-", "now", "-RRB-", "''")
    assert sentence.leaves == ("“", "Go", "-LRB-", "now", "-RRB-", "”")


@pytest.mark.parametrize("token", ["", "two words", " owl", "\n"])
def test_tokens_hold_no_white_space(token: str) -> None:
    with pytest.raises(InputError, match="not one token"):
        Sentence.of(["an", token])


def test_lines_of_tokens() -> None:
    lines = ["the  owl\tsleeps .\n", "\n", "( so what ? )\n"]
    first, second = read_sentences(lines, raw=False)
    assert first.tokens == ("the", "owl", "sleeps", ".")
    assert second.penn == ("-LRB-", "so", "what", "?", "-RRB-")


def test_raw_lines() -> None:
    lines = ["A heading\n", "\n", "Mr. Finch can't\n", "sing. He\n", "tried.\n", "\n", "\n", "The end"]
    assert [sentence.tokens for sentence in read_sentences(lines, raw=True)] == [
        ("A", "heading"),
        ("Mr.", "Finch", "ca", "n't", "sing", "."),
        ("He", "tried", "."),
        ("The", "end"),
    ]


@pytest.mark.parametrize("raw", [False, True])
def test_reading_is_lazy(raw: bool) -> None:
    def lines() -> Iterator[str]:
        yield from ["The owl sleeps .\n", "\n"]
        raise AssertionError("read too far")

    assert next(read_sentences(lines(), raw=raw)).tokens == ("The", "owl", "sleeps", ".")


@untimed
@given(
    st.lists(
        st.sampled_from(["The owl left.", "Mr. Finch", "met J. Ash at 5 a.m.", "Then", "so on ...", "I go."])
    )
)
def test_long_paragraphs_are_cut_between_sentences(lines: list[str]) -> None:
    whole = list(read_sentences(lines, raw=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "LONGEST_PARAGRAPH", max([60, *(len(" ".join(s.tokens)) for s in whole)]))
        assert list(read_sentences(lines, raw=True)) == whole


def test_text_without_sentence_ends_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LONGEST_PARAGRAPH", 50)
    sentences = list(read_sentences(["on and on and on"] * 20, raw=True))
    assert len(sentences) > 2
    assert sum(len(sentence.tokens) for sentence in sentences) == 100


def test_words_that_are_known_keep_their_spelling() -> None:
    sentence = Sentence.of(["[", '"', "so", "’s", ")"])
    assert sentence.penn == ("-LSB-", "``", "so", "'s", "-RRB-")
    assert sentence.spelt({"[", '"', "-RRB-"}).penn == ("[", '"', "so", "'s", "-RRB-")
    assert sentence.spelt({"[", '"', "-RRB-"}).tokens == sentence.tokens


@pytest.mark.parametrize(
    ("lines", "tokenized"),
    [
        (["Did you see it yesterday ?"], True),
        (["Did you see it yesterday?"], False),
        (["He did n't , she said ."], True),
        (["The owl sleeps."], False),
        (["He left the U.S."], True),  # no mark that could stand alone
        (["no marks at all", "", "none here"], True),
        (["`` Yahoo! '' , he said .", "-LRB- so -RRB-"], True),
        (["(so he said)", "well, well"], False),
        ([], True),
    ],
)
def test_text_that_looks_tokenized(lines: list[str], tokenized: bool) -> None:
    assert text.looks_tokenized(lines) is tokenized
