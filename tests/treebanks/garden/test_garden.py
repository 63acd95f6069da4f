"""The garden as a treebank: reproducible, varied, English-like, and ambiguous."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from functools import cache
from itertools import islice, pairwise

import pytest

from secateur.errors import InputError
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.garden import Sample, garden, sample

COUNT = 2000
OPEN_CLASSES = ("NN", "VB", "JJ", "RB")


@cache
def samples() -> tuple[Sample, ...]:
    return tuple(garden(COUNT))


@cache
def tagged_words() -> frozenset[tuple[str, str]]:
    """Of more sentences: the words and their tags."""
    parsed = (each.dependencies for each in garden(5000, seed=1))
    return frozenset(pair for each in parsed for pair in zip(each.words, each.tags, strict=True))


@cache
def brackets() -> tuple[str, ...]:
    return tuple(str(penn) for penn, _, _ in samples())


# ---- reproducible


def test_first_sentences_never_change() -> None:
    digest = hashlib.sha256()
    for each in garden(50):
        tree = each.dependencies
        columns = (tree.words, tree.tags, tree.heads, tree.labels)
        digest.update(f"{each.penn}\n{each.discontinuous}\n{columns}\n".encode())
    assert digest.hexdigest() == "63d613dbfdc81d11b7092fed17824f26abf8d118ca19e0248e4b93790ecadaca"


def test_fewer_are_a_prefix_of_more() -> None:
    assert tuple(garden(30)) == samples()[:30]
    assert sample(17) == samples()[17]


def test_seeds_differ() -> None:
    assert len({sample(3, seed=seed).dependencies.words for seed in (-1, 0, 1, 2**70)}) == 4


def test_grown_on_demand() -> None:
    assert [each.penn for each in islice(garden(10**12, seed=2), 2)] == [
        each.penn for each in garden(2, seed=2)
    ]


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="sentence -1"):
        sample(-1)
    with pytest.raises(InputError, match="-3 sentences"):
        garden(-3)
    assert list(garden(0)) == []


# ---- distribution


def test_lengths() -> None:
    lengths = [len(each.dependencies.words) for each in samples()]
    assert 16 < sum(lengths) / COUNT < 20
    assert 0.005 < sum(length > 40 for length in lengths) / COUNT < 0.035
    assert max(lengths) <= 80
    assert min(lengths) < 6


def test_share_of_discontinuous_sentences() -> None:
    share = sum(each.discontinuous.is_discontinuous for each in samples()) / COUNT
    assert 0.08 < share < 0.25


def test_vocabulary() -> None:
    words = {
        word.lower()
        for each in samples()
        for word, tag in zip(each.dependencies.words, each.dependencies.tags, strict=True)
        if tag.startswith(OPEN_CLASSES) and tag != "NNP"
    }
    assert len(words) > 1000


def test_unknown_words() -> None:
    known = {word for each in samples() for word in each.dependencies.words}
    fresh = [word for each in islice(garden(COUNT + 500), COUNT, None) for word in each.dependencies.words]
    assert 0.01 < sum(word not in known for word in fresh) / len(fresh) < 0.035


def test_few_words_make_up_most_of_the_text() -> None:
    counts = Counter(word for each in samples() for word in each.dependencies.words)
    assert sum(count for _, count in counts.most_common(100)) > 0.45 * counts.total()
    assert sum(count == 1 for count in counts.values()) > 0.25 * len(counts)


@pytest.mark.parametrize(
    ("word", "tags"),
    [
        ("her", {"PRP", "PRP$"}),
        ("that", {"DT", "IN", "WDT"}),
        ("to", {"TO"}),
        ("plans", {"NNS", "VBZ"}),
        ("saw", {"NN", "VBD"}),
        ("walk", {"NN", "VB"}),
        ("painted", {"JJ", "VBD", "VBN"}),
        ("meeting", {"NN", "VBG"}),
        ("off", {"RP"}),
        ("after", {"IN"}),
    ],
)
def test_words_with_several_tags(word: str, tags: set[str]) -> None:
    assert {(word, tag) for tag in tags} <= tagged_words()


CONSTRUCTIONS = {
    "transitive": r"\(VP \(VBD \w+\) \(NP \(DT",
    "intransitive": r"\(VP \(VBD \w+\)\)",
    "ditransitive": r"\(VP \(VB\w? \w+\) \(NP-DTV .*?\) \(NP ",
    "dative with to": r"\(PP-DTV \(TO to\)",
    "sentential complement": r"\(VP \(VB\w? \w+\) \(SBAR \(IN that\) \(S ",
    "complement without that": r"\(VP \(VB\w? \w+\) \(SBAR \(-NONE- 0\) \(S ",
    "control or raising": r"\(S \(NP-SBJ \(-NONE- \*-\d\)\) \(VP \(TO to\)",
    "object control": r"\(VP \(VB\w? (persuaded?|asks?|asked|told?|forces?d?)\) \(NP-\d ",
    "subject of an infinitive": r"\(VP \(VB\w? (expect|want|need)\w*\) \(S \(NP-SBJ \((?!-NONE-)",
    "small clause": r"\(S \(NP-SBJ [^-]*?\) \(ADJP-PRD",
    "copula": r"\(VBZ is\) \(ADJP-PRD",
    "predicate noun": r"\(VB\w (is|was)\) \(NP-PRD",
    "auxiliary": r"\(VP \(VB\w (has|have|had)\) \(VP \(VBN",
    "progressive": r"\(VP \(VB\w (is|was|were|are|am)\) \(VP \(VBG",
    "modal": r"\(VP \(MD ",
    "passive": r"\(VP \(VBN \w+\) \(NP \(-NONE- \*-\d\)\)",
    "agent": r"\(PP \(IN by\) \(NP-LGS",
    "negation": r"\(RB n't\)",
    "particle before the object": r"\(PRT \(RP \w+\)\) \(NP ",
    "particle after the object": r"\(NP (\(\w+\$? [\w-]+\) ?)+\) \(PRT \(RP ",
    "existential": r"\(NP-SBJ \(EX ",
    "extraposed clause": r"\*EXP\*-\d",
    "two adjectives": r"\(DT \w+\) \(JJ [\w-]+\) \(JJ [\w-]+\) \(NN",
    "compound": r"\(DT \w+\) \(NN \w+\) \(NN \w+\)",
    "number": r"\(CD \d+,\d00\) ",
    "percentage": r"\(CD \d+\) \(NN %\)",
    "money": r"\(QP \(\$ \$\) \(CD [\d.]+\) \(CD \w+\)\) \(-NONE- \*U\*\)",
    "QP": r"\(QP \(RB ",
    "name of several words": r"\(NNP \w+\.?\) \(NNP \w+\)",
    "possessive": r"\(POS 's\)\) ",
    "pronoun": r"\(NP-SBJ \(PRP ",
    "PP after a noun": r"\(NP \(NP [^()]*(\([^()]*\) ?)+\) \(PP \(IN of\)",
    "subject relative": r"\(SBAR \(WHNP-\d \(W\w+ \w+\)\) \(S \(NP-SBJ \(-NONE- \*T\*",
    "object relative": r"\(SBAR \(WHNP-\d \(WDT \w+\)\) \(S \(NP-SBJ \((PRP|NNP|DT)",
    "relative without a pronoun": r"\(SBAR \(WHNP-\d \(-NONE- 0\)\)",
    "whose": r"\(WP\$ whose\)",
    "preposition before the relative": r"\(WHPP-\d ",
    "where": r"\(WHADVP-\d \(WRB where\)\)",
    "reduced relative, passive": r"\) \(VP \(VBN \w+\) \(NP \(-NONE- \*\)\)",
    "reduced relative, active": r"\(NP \(NP [^()]*(\([^()]*\) ?)+\) \(VP \(VBG ",
    "apposition": r"\(, ,\) \(NP \(DT",
    "parenthesis": r"\(PRN \(-LRB- -LRB-\)",
    "noun with a clause": r"\(NN (claim|idea|rumor|fear|hope|theory|promise)\)\) \(SBAR \(IN that",
    "noun with an infinitive": r"\(NN (plan|decision|offer|attempt|effort|right|chance)\)\) \(S \(NP-SBJ",
    "adverb of manner": r"\(ADVP-MNR ",
    "adverb before a preposition": r"\(PP-\w+ \(ADVP \(RB ",
    "adverb in a noun phrase": r"\(NP \(RB (only|even|just|especially|mainly)\)",
    "NP coordination": r"\(CC and\) \(NP ",
    "both ... and": r"\(CC both\)",
    "noun coordination": r"\(NNS \w+\) \(CC \w+\) \(NNS",
    "VP coordination": r"\(CC \w+\) \(VP ",
    "S coordination": r"\(, ,\) \(CC \w+\) \(S ",
    "ADJP coordination": r"\(ADJP(-PRD)? \(JJ [\w-]+\) \(CC \w+\) \(JJ",
    "PP coordination": r"\(CC \w+\) \(PP ",
    "because": r"\(SBAR-PRP (\(ADVP \(RB \w+\)\) )?\(IN because\)",
    "although": r"\(SBAR-ADV \(IN (al)?though\)",
    "if": r"\(SBAR-ADV (\(ADVP \(RB \w+\)\) )?\(IN if\)",
    "when": r"\(SBAR-TMP \(WHADVP \(WRB when\)",
    "purpose": r"\(S-PRP ",
    "gerund subject": r"\(S-NOM-SBJ .*?\(VP \(VBG",
    "that-clause as subject": r"\(SBAR-SBJ ",
    "gerund complement": r"\(S \(NP-SBJ \(-NONE- \*-\d\)\) \(VP \(VBG",
    "wh-question": r"\(SBARQ \(WHNP-\d ",
    "yes/no question": r"\(SQ \((VB\w|MD) [A-Z]\w*\) .* \(\. \?\)\)\)$",
    "predicate question": r"\((NP|ADJP)-PRD \(-NONE- \*T\*",
    "indirect question": r"\(SBAR \(IN whether\)",
    "topicalization": r"\(S \(NP-TPC-\d ",
    "extraposed relative": r"\(SBAR \(-NONE- \*ICH\*-\d\)\)",
    "extraposed PP": r"\(PP \(-NONE- \*ICH\*-\d\)\)",
    "inverted quotation": r"\(SINV ",
    "quotation": r"\(VP \(VB\w \w+\) \(, ,\) \(`` ``\)",
    "order": r"^\( \(S \(NP-SBJ \(-NONE- \*\)\) \(VP \(VB ",
    "colon": r"\(: :\)",
    "semicolon": r"\(: ;\)",
    "dash": r"\(: --\)",
    "exclamation": r"\(\. !\)",
    "fragment": r"^\( \((NP|FRAG) ",
}


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_construction_occurs(name: str) -> None:
    pattern = re.compile(CONSTRUCTIONS[name])
    assert any(pattern.search(text) for text in brackets())


def test_extraction_out_of_an_embedded_clause() -> None:
    """What did the farmer think that the girl saw?"""
    pattern = re.compile(r"\(SBARQ \(WHNP-(\d) .*\(SBAR .*\(-NONE- \*T\*-\1\)")
    texts = [text for text in brackets() if pattern.search(text)]
    assert texts
    long = [each for each, text in zip(samples(), brackets(), strict=True) if text in texts]
    assert any(each.discontinuous.is_discontinuous for each in long)


# ---- English


def test_sentences_begin_with_a_capital_and_end_with_a_mark() -> None:
    for each in samples():
        words = [word for word in each.dependencies.words if word not in ("``", "-LRB-")]
        assert words[0][0].isupper() or not words[0][0].isalpha()
        assert [word for word in words if word != "''"][-1] in (".", "?", "!")


def test_no_comma_before_other_marks() -> None:
    for each in samples():
        for word, following in pairwise(each.dependencies.words):
            assert word != "," or following not in (",", ".", "?", "!", ":", ";", "--", "-RRB-")
        assert each.dependencies.words[0] != ","


def test_a_and_an() -> None:
    after = {"a": Counter[str](), "an": Counter[str]()}
    for each in samples():
        for word, following in pairwise(each.dependencies.words):
            if word.lower() in after:
                after[word.lower()][following] += 1
    assert after["a"].total() > 500
    assert after["an"].total() > 50
    vowel = re.compile(r"[aeiouAEIOU]")
    assert {word for word in after["an"] if not vowel.match(word)} <= {"honest"}
    assert {word for word in after["a"] if vowel.match(word)} <= {"useful", "university", "union"}


SINGULAR_PRONOUNS = {"he", "she", "it"}
PLURAL_PRONOUNS = {"we", "they"}


def is_plural(dependencies: DependencyTree, position: int) -> bool | None:
    """Whether the subject at this position is plural; None where its form does not tell."""
    word, tag = dependencies.words[position].lower(), dependencies.tags[position]
    if word in ("%", "$", "i", "you") or tag not in ("NN", "NNS", "PRP", "NNP"):
        return None
    for other, (head, label) in enumerate(zip(dependencies.heads, dependencies.labels, strict=True)):
        if head == position + 1 and label == "conj" and other > position:
            return True
    if tag == "PRP":
        return word in PLURAL_PRONOUNS
    return tag == "NNS"


def finite_verb(dependencies: DependencyTree, head: int) -> tuple[str, str] | None:
    """The finite verb of the clause with this head (counted from 1): the first of its auxiliaries, or it."""
    for other, (above, label) in enumerate(zip(dependencies.heads, dependencies.labels, strict=True)):
        if above == head and label in ("aux", "aux:pass", "cop"):
            return dependencies.words[other].lower(), dependencies.tags[other]
    tag = dependencies.tags[head - 1]
    return (dependencies.words[head - 1].lower(), tag) if tag.startswith("VB") else None


def test_subjects_and_verbs_agree() -> None:
    checked = 0
    for _, _, dependencies in samples():
        for position, label in enumerate(dependencies.labels):
            head = dependencies.heads[position]
            if label not in ("nsubj", "nsubj:pass") or dependencies.words[head - 1].lower() == "there":
                continue
            plural, verb = is_plural(dependencies, position), finite_verb(dependencies, head)
            if plural is None or verb is None:
                continue
            text, tag = verb
            checked += 1
            assert tag != "VBZ" or not plural, " ".join(dependencies.words)
            assert tag != "VBP" or plural, " ".join(dependencies.words)
            assert text not in ("was", "is", "has", "does") or not plural, " ".join(dependencies.words)
            assert text not in ("were", "are") or plural, " ".join(dependencies.words)
    assert checked > COUNT


def test_pronouns_have_the_case_of_their_place() -> None:
    for _, _, dependencies in samples():
        for word, tag, label in zip(dependencies.words, dependencies.tags, dependencies.labels, strict=True):
            if tag == "PRP" and label in ("obj", "iobj"):
                assert word in ("him", "her", "them", "me", "us", "you", "it")


# ---- ambiguity: what tags cannot tell and words can


def test_prepositions_differ_in_what_they_attach_to() -> None:
    attached: dict[str, Counter[bool]] = {}
    for _, _, dependencies in samples():
        for position, label in enumerate(dependencies.labels):
            noun = dependencies.heads[position]
            if label == "case" and dependencies.labels[noun - 1] in ("nmod", "obl"):
                counts = attached.setdefault(dependencies.words[position].lower(), Counter())
                counts[dependencies.labels[noun - 1] == "nmod"] += 1
    share = {text: counts[True] / counts.total() for text, counts in attached.items() if counts.total() > 30}
    assert share["of"] > 0.75
    assert share["during"] == share["at"] == share["despite"] == 0.0
    assert 0.02 < share["with"] < 0.6
    assert 0.2 < share["from"] < 0.95
