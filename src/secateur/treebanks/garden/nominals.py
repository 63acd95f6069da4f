"""Noun phrases, prepositional phrases and adjective phrases.

Noun phrases contain clauses and clauses contain noun phrases: this module and `clauses` import each other.
"""

from __future__ import annotations

from typing import NamedTuple

from secateur.treebanks.garden import clauses
from secateur.treebanks.garden.inflection import article
from secateur.treebanks.garden.luck import Luck, Table, listed, zipf
from secateur.treebanks.garden.modifiers import (
    AFTER_NOUN,
    NAMEABLE,
    Preposition,
    adjective,
    adverb_of,
    before,
    complemented,
    second_adjective,
)
from secateur.treebanks.garden.node import HEAD, Node, empty, first_word, phrase, punct, role, word
from secateur.treebanks.garden.nouns import (
    DAYS,
    MONTHS,
    THAT_NOUNS,
    TO_NOUNS,
    Noun,
    compound,
    kind_of,
    name,
    noun,
)

NAMED = {"p": 0.2, "g": 0.35, "l": 0.3}  # how often a kind is called by its name
PRONOUN = {"p": 0.6, "a": 0.3, "m": 0.0, "l": 0.0}  # or by a pronoun; other kinds: 0.25
PRONOUN_IN = {"subject": 1.0, "object": 0.4, "": 0.25, "noun": 0.03}  # times this, by place
PERSONAL = Table([("he", 4.0), ("she", 4.0), ("they", 3.0), ("I", 3.0), ("we", 2.0), ("you", 1.5)])
OBJECTIVE = {"he": "him", "she": "her", "they": "them", "I": "me", "we": "us", "you": "you", "it": "it"}
POSSESSIVE = zipf(["his", "her", "their", "my", "its", "our", "your"])
SINGULAR = Table(
    [("the", 12.0), ("a", 9.0), ("this", 1.0), ("that", 0.8), ("every", 0.3), ("no", 0.2), ("another", 0.4)]
)
PLURAL = Table(
    [("the", 10.0), ("", 6.0), ("some", 1.5), ("these", 0.8), ("those", 0.4), ("all", 0.3), ("no", 0.2)]
)
MASS = Table([("the", 4.0), ("", 4.0), ("some", 2.0), ("this", 0.4)])
QUANTITY = zipf(listed("many several few most more"))
SMALL = listed("two three four five six seven ten twelve")


class Nominal(NamedTuple):
    """A noun phrase with what verbs and modifiers must know about it."""

    node: Node
    kind: str
    plural: bool
    person: int = 3


class Core(NamedTuple):
    """A noun phrase without anything after its noun."""

    node: Node
    noun: Noun
    plural: bool


def noun_phrase(luck: Luck, kinds: str, depth: int, *, place: str = "", named: bool = True) -> Nominal:
    """Any noun phrase of one of these kinds; its place is subject, object, after a noun, or another."""
    kind = kind_of(luck, kinds)
    luck.size += 2
    likely = 1.4 if place == "subject" and depth else PRONOUN_IN[place]
    if luck.toss(PRONOUN.get(kind, 0.25) * likely):
        return pronoun(luck, kind, subject=place == "subject")
    if luck.may(0.045):
        return coordination(luck, kind, depth)
    if named and kind in NAMED and luck.toss(NAMED[kind]):
        return _named(luck, kind, depth)
    if kind in "pifg" and luck.may(0.035):
        return _share(luck, kind)
    made = modified(luck, common(luck, kind), depth, wanted=0.34 if place == "subject" else 0.16)
    if place == "object" and luck.may(0.09):
        _deepest(made.node).children.insert(0, word("RB", adverb_of(luck, "focus"), "advmod"))
    return made


def _deepest(node: Node) -> Node:
    """The first noun phrase inside that starts with a word."""
    while node.children[0].children:
        node = node.children[0]
    return node


def pronoun(luck: Luck, kind: str, *, subject: bool) -> Nominal:
    text = luck.of(PERSONAL) if kind == "p" else "they" if luck.toss(0.3) else "it"
    person = {"I": 1, "we": 1, "you": 2}.get(text, 3)
    node = phrase("NP", word("PRP", text if subject else OBJECTIVE[text]))
    return Nominal(node, kind, text in ("they", "we"), person)


# ---- before the noun


def common(luck: Luck, kind: str, *, determiner: str | None = None, plural: bool | None = None) -> Core:
    """Determiner, adjectives, noun; at times two nouns flat under one determiner: the dogs and cats."""
    entry = noun(luck, kind)
    if plural is None:
        plural = determiner is None and luck.toss(0.3)
    plural = plural and bool(entry.plural)
    inner = _premodifiers(luck, kind, entry.singular)
    nouns = [word("NNS" if plural else "NN", entry.plural if plural else entry.singular)]
    if plural and luck.may(0.06):
        other = noun(luck, kind)
        if other.plural not in ("", entry.plural):
            nouns += [word("CC", "and" if luck.toss(0.8) else "or", "cc"), word("NNS", other.plural, "conj")]
    luck.size += len(inner)
    opening = _opening(luck, entry, plural, determiner, inner or nouns)
    return Core(phrase("NP", *opening, *inner, *nouns), entry, plural)


def _premodifiers(luck: Luck, kind: str, head: str) -> list[Node]:
    """Adjectives, and a noun that makes a compound with the head."""
    found: list[Node] = []
    if luck.may(0.5):
        found.append(_attributive(luck, kind))
        if (
            found[0].label == "JJ"
            and luck.may(0.4)
            and (other := second_adjective(luck, kind, found[0].word))
        ):
            found.append(word("JJ", other, "amod"))
    if luck.may(0.17) and (modifier := compound(luck, kind)) != head:
        found.append(word("NN", modifier, "compound"))
    return found


def _attributive(luck: Luck, kind: str) -> Node:
    """An adjective before its noun, or an adjective phrase."""
    first = adjective(luck, kind)
    if luck.may(0.12) and "-" not in first:
        degree = luck.pick(("very", "very", "rather", "quite", "extremely"))
        return role(phrase("ADJP", word("RB", degree, "advmod"), word("JJ", first)), "amod")
    if luck.may(0.11) and (second := second_adjective(luck, kind, first)):
        conjunction = word("CC", "and" if luck.toss(0.8) else "but", "cc")
        return role(phrase("ADJP", word("JJ", first), conjunction, word("JJ", second, "conj")), "amod")
    return word("JJ", first, "amod")


def _opening(luck: Luck, entry: Noun, plural: bool, determiner: str | None, rest: list[Node]) -> list[Node]:
    """What stands before the adjectives: an article, a possessor, a number."""
    if determiner is not None:
        return [_determiner(determiner, rest)] if determiner else []
    if luck.toss(0.09):
        return [word("PRP$", luck.of(POSSESSIVE), "nmod:poss")]
    if luck.may(0.055):
        return [role(_possessor(luck), "nmod:poss")]
    if plural and luck.may(0.2):
        return [_count(luck)]
    text = luck.of(PLURAL if plural else SINGULAR if entry.plural else MASS)
    return [_determiner(text, rest)] if text else []


def _determiner(text: str, rest: list[Node]) -> Node:
    following = first_word(rest[0])
    assert following is not None
    return word("DT", article(following.word) if text == "a" else text, "det")


def _possessor(luck: Luck) -> Node:
    """the farmer 's, Anna 's"""
    kind = kind_of(luck, "pg")
    owner = _name_node(luck, kind) if luck.toss(0.4) else common(luck, kind, determiner="the").node
    owner.children.append(word("POS", "'s", "case"))
    return owner


# ---- numbers


def _count(luck: Luck) -> Node:
    if luck.toss(0.35):
        return word("JJ", luck.of(QUANTITY), "amod")
    number = word("CD", luck.pick(SMALL) if luck.toss(0.4) else _figure(luck))
    return role(_quantity(luck, number) if luck.toss(0.3) else number, "nummod")


def _figure(luck: Luck) -> str:
    """A number in digits."""
    if luck.toss(0.55):
        return str(2 + int(luck.random() * luck.random() * 97))
    return f"{1 + int(luck.random() * 40)},{int(luck.random() * 10)}00"


def _quantity(luck: Luck, number: Node) -> Node:
    """QP: about 300, more than 40."""
    if luck.toss(0.6):
        return phrase("QP", word("RB", adverb_of(luck, "approximate"), "advmod"), number)
    comparison = word("JJR", luck.pick(("more", "fewer")), "advmod")
    return phrase("QP", comparison, word("IN", "than", "case"), number)


def _share(luck: Luck, kind: str) -> Nominal:
    """45 % of the farmers; $ 3.5 million."""
    if kind == "i":
        amount = word("CD", f"{1 + int(luck.random() * 9)}.{int(luck.random() * 10)}", "nummod")
        million = word("CD", luck.pick(("million", "billion")), "nummod")
        return Nominal(
            phrase("NP", phrase("QP", word("$", "$"), amount, million), empty("*U*")), kind, plural=False
        )
    percent = phrase("NP", word("CD", str(3 + int(luck.random() * 95)), "nummod"), word("NN", "%"))
    whole = common(luck, kind, determiner="the", plural=True)
    of = phrase("PP", word("IN", "of", "case"), whole.node)
    return Nominal(phrase("NP", percent, role(of, "nmod")), kind, whole.plural)


# ---- names and coordination


def _name_node(luck: Luck, kind: str) -> Node:
    parts = [word("CC" if text == "&" else "NNP", text, "flat") for text in name(luck, kind)]
    parts[0].relation = HEAD
    return phrase("NP", *parts)


def _named(luck: Luck, kind: str, depth: int) -> Nominal:
    node = _name_node(luck, kind)
    if depth < 2 and kind != "g" and luck.may(0.13):
        node = _apposition(luck, node, kind, depth)
    return Nominal(node, kind, plural=False)


def _apposition(luck: Luck, node: Node, kind: str, depth: int) -> Node:
    """Anna Brandt , the mayor of the town , -- or in parentheses."""
    core = common(luck, kind, determiner="a" if luck.toss(0.4) else "the")
    other = modified(luck, core, depth + 1, wanted=0.5).node
    if luck.toss(0.25):
        return phrase("NP", node, role(phrase("PRN", punct("-LRB-"), other, punct("-RRB-")), "appos"))
    return phrase("NP", node, punct(","), role(other, "appos"), punct(","))


def coordination(luck: Luck, kind: str, depth: int) -> Nominal:
    """Two or three noun phrases of one kind; `both` and `either` mark where they begin."""
    count = 3 if luck.may(0.15) else 2
    conjunction = "and" if luck.toss(0.8) else "or"
    parts: list[Node] = []
    if count == 2 and luck.toss(0.18):
        parts.append(word("CC", "both" if conjunction == "and" else "either", "cc"))
    for place in range(count):
        if place == count - 1:
            if count > 2 and luck.toss(0.5):
                parts.append(punct(","))
            parts.append(word("CC", conjunction, "cc"))
        elif place:
            parts.append(punct(","))
        parts.append(role(_member(luck, kind, depth), "conj" if place else HEAD))
    luck.size += 3 * count - 2
    return Nominal(phrase("NP", *parts), kind, plural=True)


def _member(luck: Luck, kind: str, depth: int) -> Node:
    if kind in NAMED and luck.toss(NAMED[kind]):
        return _name_node(luck, kind)
    return modified(luck, common(luck, kind), depth + 1, wanted=0.11).node


# ---- after the noun


def modified(luck: Luck, core: Core, depth: int, *, wanted: float) -> Nominal:
    """The core with what follows its noun: phrases, `wanted` so often, and clauses."""
    kind = core.noun.kind
    found: list[Node] = []
    if luck.may(wanted if depth < 3 else 0.5 * wanted):
        found.append(role(after_noun(luck, kind, depth), "nmod"))
    elif depth < 3 and luck.may(0.07):
        found += _complement(luck, core, depth)
    if depth < 3 and kind != "m" and luck.may(0.01 if found else 0.05):
        found += clauses.relative(luck, kind, core.plural, depth)
    return Nominal(phrase("NP", core.node, *found) if found else core.node, kind, core.plural)


def _complement(luck: Luck, core: Core, depth: int) -> list[Node]:
    """The clause of a noun: the claim that ..., the plan to ..."""
    if core.plural:
        return []
    if core.noun.singular in THAT_NOUNS:
        return [role(clauses.that_clause(luck, depth + 1, silent=0.0), "acl")]
    if core.noun.singular in TO_NOUNS:
        return [role(clauses.infinitive(luck, None, "p", depth + 1), "acl")]
    return []


def extended(luck: Luck, core: Core, depth: int) -> Node:
    """The core with a prepositional phrase or a relative clause, for sure."""
    if luck.toss(0.6):
        return phrase("NP", core.node, role(after_noun(luck, core.noun.kind, depth), "nmod"))
    return phrase("NP", core.node, *clauses.relative(luck, core.noun.kind, core.plural, depth))


# ---- phrases of preposition, time and adjective


def after_noun(luck: Luck, kind: str, depth: int) -> Node:
    return prepositional(luck, luck.of(AFTER_NOUN[kind]), depth, place="noun")


def prepositional(luck: Luck, preposition: Preposition, depth: int, *, place: str = "") -> Node:
    kind = kind_of(luck, preposition.objects)
    if preposition.text == "between":
        object_ = coordination(luck, kind, depth + 1).node
    elif kind == "m":
        object_ = _time(luck, preposition)
    else:
        named = preposition.text in NAMEABLE
        object_ = noun_phrase(luck, kind, depth + 1, place=place, named=named).node
    *parts, last = preposition.text.split()
    marks = [word("IN", part, "case") for part in parts]
    return phrase("PP", *marks, word("TO" if last == "to" else "IN", last, "case"), role(object_, HEAD))


def preceded(luck: Luck, node: Node) -> Node:
    """The PP or SBAR, at times with an adverb of its own: just after dinner, only because ..."""
    if luck.toss(0.26):
        own = phrase("ADVP", word("RB", before(luck, node.children[0].word)))
        node.children.insert(0, role(own, "advmod"))
    return node


def _time(luck: Luck, preposition: Preposition) -> Node:
    """The object of a preposition of time: the winter, May, three weeks."""
    if preposition.text in ("for", "within"):
        return phrase("NP", word("CD", luck.pick(SMALL), "nummod"), word("NNS", noun(luck, "m").plural))
    if luck.toss(0.3):
        return phrase("NP", word("NNP", luck.pick(MONTHS)))
    return phrase(
        "NP", word("DT", luck.pick(("the", "that", "the")), "det"), word("NN", noun(luck, "m").singular)
    )


def moment(luck: Luck) -> Node:
    """NP-TMP: yesterday, last week, early Tuesday."""
    if luck.toss(0.12):
        return phrase("NP", word("NN", "yesterday" if luck.past else luck.pick(("today", "tomorrow"))))
    if luck.toss(0.17):
        return phrase("NP", word("JJ", luck.pick(("late", "early")), "amod"), word("NNP", luck.pick(DAYS)))
    if luck.toss(0.12):
        first = word("DT", luck.pick(("this", "every", "that")), "det")
    else:
        first = word("JJ", "last" if luck.past else "next", "amod")
    return phrase("NP", first, word("NN", noun(luck, "m").singular))


def adjective_phrase(luck: Luck, kind: str, depth: int, *, heavy: bool = True) -> Node:
    """ADJP: very old; old and tired; more famous than the king; and, if heavy, proud of her dog."""
    if heavy and luck.may(0.28) and (chosen := complemented(luck, kind)):
        pp = prepositional(luck, Preposition(chosen.preposition, chosen.objects, ""), depth + 1)
        return phrase("ADJP", *_degree(luck, 0.2), word("JJ", chosen.adjective), role(pp, "obl"))
    first = adjective(luck, kind)
    if luck.may(0.1):
        comparison = phrase("PP", word("IN", "than", "case"), noun_phrase(luck, kind, depth + 1).node)
        return phrase("ADJP", word("RBR", "more", "advmod"), word("JJ", first), role(comparison, "obl"))
    parts = [*_degree(luck, 0.3), word("JJ", first)]
    if luck.may(0.17) and (second := second_adjective(luck, kind, first)):
        parts += [word("CC", "and", "cc"), word("JJ", second, "conj")]
    return phrase("ADJP", *parts)


def _degree(luck: Luck, probability: float) -> list[Node]:
    return [word("RB", adverb_of(luck, "degree"), "advmod")] if luck.may(probability) else []
