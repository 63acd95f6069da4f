"""Verb phrases: the verb with its complements, under its auxiliaries, and what else attaches to it."""

from __future__ import annotations

from secateur.treebanks.garden import clauses
from secateur.treebanks.garden.auxiliaries import BE, auxiliaries, conjugate, wrap
from secateur.treebanks.garden.complements import Gap, complements, fixed, particle
from secateur.treebanks.garden.luck import Luck, Table, listed
from secateur.treebanks.garden.modifiers import (
    AFTER_VERB,
    BARE_PLURALS,
    CLAUSAL,
    INFINITIVAL,
    PLACE,
    PLACE_OF_THINGS,
    SUBORDINATORS,
    TOWARD,
    Preposition,
    adverb_of,
    bare,
)
from secateur.treebanks.garden.node import HEAD, Node, phrase, punct, role, trace, word
from secateur.treebanks.garden.nominals import (
    Nominal,
    adjective_phrase,
    common,
    extended,
    moment,
    noun_phrase,
    preceded,
    prepositional,
)
from secateur.treebanks.garden.nouns import DAYS, MONTHS, name
from secateur.treebanks.garden.verbs import EMBEDDING, Verb, choose

STATIVE = frozenset(listed("be become raise that"))


def verb_for(luck: Luck, depth: int, subject: str = "", gap: Gap | None = None) -> Verb:
    """A verb for a clause this deep, with a subject of this kind ("" for any) and room for the gap."""
    if gap is not None and gap.place == "object":
        return choose(luck, "objective", subject=subject, object_=gap.kind)
    if gap is not None and gap.place == "adjunct":
        return choose(luck, "modifiable", subject=subject)
    return choose(luck, "any" if depth < 2 or (depth == 2 and luck.toss(0.3)) else "plain", subject=subject)


def finite(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None = None) -> Node:
    """The whole predicate of a finite clause."""
    layers, tag = auxiliaries(luck, subject, stative=verb.frame in STATIVE)
    if verb.frame != "be":
        return wrap(layers, verb_phrase(luck, verb, subject, tag, depth, gap))
    negation: list[Node] = []
    if layers and layers[0][0].word in ("do", "does", "did"):  # not needed by `be`: is not old
        (auxiliary, *negation), *layers = layers
        tag = auxiliary.label
    return wrap(layers, copula(luck, subject, tag, depth, negation))


def verb_phrase(
    luck: Luck, verb: Verb, subject: Nominal, tag: str, depth: int, gap: Gap | None = None
) -> Node:
    """The verb phrase under the auxiliaries; two of them may be coordinated."""
    if verb.frame == "be":
        return copula(luck, subject, tag, depth, [])
    first = _single(luck, verb, subject, tag, depth, gap)
    if gap is not None or depth > 2 or not luck.may(0.05):
        return first
    other = verb_for(luck, depth + 1, subject.kind)
    if other.frame in ("be", verb.frame):
        return first
    second = role(_single(luck, other, subject, tag, depth + 1, None), "conj")
    if luck.toss(0.6):
        link = [punct(",")] * luck.toss(0.2) + [word("CC", "but", "cc")]
    else:
        link = [punct(","), word("CC", "and", "cc")]
    return phrase("VP", first, *link, second)


def _single(luck: Luck, verb: Verb, subject: Nominal, tag: str, depth: int, gap: Gap | None) -> Node:
    luck.size += 2
    parts = [word(tag, conjugate(verb, tag, subject)), *complements(luck, verb, subject, depth, gap)]
    if gap is not None and gap.place == "adjunct" and verb.frame != "that":
        relation = "obl" if gap.label == "PP" else "advmod"
        parts.append(role(trace(gap.label, "*T*", gap.filler), relation, gap.function))
    parts += adjuncts(luck, verb, depth, closed=gap is not None)
    if tag not in ("VB", "VBG") and verb.frame not in STATIVE and luck.may(0.03):
        parts.insert(0, _manner(luck))
    return phrase("VP", *parts)


def passive(luck: Luck, verb: Verb, subject: Nominal, tag: str, depth: int) -> Node:
    """The participle with the trace of its object, and perhaps who did it."""
    parts = [word(tag, verb.participle), role(trace("NP", "*", subject.node), "obj")]
    if verb.frame == "particle":
        parts.append(particle(verb))
    if verb.frame == "place":
        parts.append(fixed(luck, verb, depth))
    if luck.may(0.4):
        agent = role(noun_phrase(luck, verb.subjects, depth + 1).node, HEAD, "LGS")
        parts.append(role(phrase("PP", word("IN", "by", "case"), agent), "obl"))
    return phrase("VP", *parts, *adjuncts(luck, verb, depth, closed=True))


# ---- be


def copula(luck: Luck, subject: Nominal, tag: str, depth: int, negation: list[Node]) -> Node:
    """be with an adjective, a noun or a place"""
    verb = word(tag, conjugate(BE, tag, subject), "cop")
    chance = luck.random()
    if chance < 0.2 and subject.kind in "pgxlei" and not subject.plural:
        core = common(luck, "p" if subject.kind == "p" else "i", determiner="a" if luck.toss(0.7) else "the")
        predicate = extended(luck, core, depth) if luck.may(0.45) else core.node
        return phrase("VP", verb, *negation, role(predicate, HEAD, "PRD"))
    if chance < 0.38 and subject.kind not in "ige":
        places = PLACE if subject.kind in "palnv" else PLACE_OF_THINGS
        predicate = preceded(luck, prepositional(luck, luck.of(places), depth + 1))
        return phrase("VP", verb, *negation, role(predicate, HEAD, "LOC-PRD"))
    if chance < 0.52 and subject.kind == "p" and depth < 2:
        return phrase("VP", verb, *negation, role(_clausal_adjective(luck, subject, depth), HEAD, "PRD"))
    predicate = role(adjective_phrase(luck, subject.kind, depth), HEAD, "PRD")
    extra = adjuncts(luck, BE, depth, closed=True) if luck.toss(0.5) else []
    return phrase("VP", verb, *negation, predicate, *extra)


def _clausal_adjective(luck: Luck, subject: Nominal, depth: int) -> Node:
    """ready to leave, sure that it rains"""
    if luck.toss(0.6):
        complement = role(clauses.infinitive(luck, subject.node, subject.kind, depth + 1), "xcomp")
        return phrase("ADJP", word("JJ", luck.pick(INFINITIVAL)), complement)
    complement = role(clauses.that_clause(luck, depth + 1, silent=0.4), "ccomp")
    return phrase("ADJP", word("JJ", luck.pick(CLAUSAL)), complement)


# ---- adjuncts


def adjuncts(luck: Luck, verb: Verb, depth: int, *, closed: bool = False) -> list[Node]:
    """What may follow the complements; `closed` keeps clauses out."""
    found: list[Node] = []
    clausal = verb.frame in EMBEDDING
    if verb.frame == "motion" and luck.toss(0.65):
        found.append(_pp(luck, TOWARD, depth))
    if not clausal and verb.frame not in STATIVE and luck.may(0.16):
        found.append(_manner(luck))
    if luck.may(0.14 if clausal else 0.4):
        found.append(_modifier(luck, depth))
        if luck.may(0.14):
            found.append(_modifier(luck, depth))
    if luck.may(0.22):
        found.append(role(moment(luck), "obl", "TMP"))
    elif not clausal and luck.may(0.1):
        found.append(role(phrase("ADVP", word("RB", adverb_of(luck, "time"))), "advmod", "TMP"))
    if closed or depth > 1:
        return found
    if luck.may(0.03):
        found += _subordinate(luck, depth, after_clause=clausal)
    elif not clausal and luck.may(0.02):
        found.append(role(clauses.infinitive(luck, None, "p", depth + 1), "advcl", "PRP"))
    elif luck.may(0.025):
        found += [punct(","), role(clauses.gerund(luck, None, "p", depth + 1), "advcl", "ADV")]
    return found


def _manner(luck: Luck) -> Node:
    degree = [word("RB", adverb_of(luck, "degree"), "advmod")] if luck.toss(0.3) else []
    return role(phrase("ADVP", *degree, word("RB", adverb_of(luck, "manner"))), "advmod", "MNR")


def _modifier(luck: Luck, depth: int) -> Node:
    """A PP that any verb may have: at night, on Tuesday, in Lisbon, during the storm."""
    if luck.toss(0.35):
        return _pp(luck, AFTER_VERB, depth)
    tag, chance = "NNP", luck.random()
    if chance < 0.2:
        text, noun, function = "on", luck.pick(DAYS), "TMP"
    elif chance < 0.32:
        text, noun, function = "in", luck.pick(MONTHS), "TMP"
    elif chance < 0.36:
        tag, text, noun, function = "CD", "in", str(1960 + int(luck.random() * 60)), "TMP"
    elif chance < 0.5:
        text, noun, function = "in", name(luck, "l")[0], "LOC"
    else:
        text, noun, function = bare(luck)
        tag = "NNS" if noun in BARE_PLURALS else "NN"
    return role(
        preceded(luck, phrase("PP", word("IN", text, "case"), phrase("NP", word(tag, noun)))), "obl", function
    )


def _pp(luck: Luck, prepositions: Table[Preposition], depth: int) -> Node:
    """A PP, or two of the same sort: in the house and in the garden."""
    preposition = luck.of(prepositions)
    first = preceded(luck, prepositional(luck, preposition, depth))
    if luck.may(0.07):
        second = luck.of(prepositions)
        if second.function == preposition.function:
            other = role(prepositional(luck, second, depth + 1), "conj")
            first = phrase("PP", first, word("CC", luck.pick(("and", "or")), "cc"), other)
    return role(first, "obl", preposition.function)


def _subordinate(luck: Luck, depth: int, *, after_clause: bool) -> list[Node]:
    """Which verb a subordinator looks for depends on the subordinator."""
    subordinator = luck.of(SUBORDINATORS)
    wanted = {"low": not after_clause, "high": depth == 0, "loose": False}[subordinator.attachment]
    if not wanted:
        return []
    return [role(clauses.subordinate(luck, subordinator, depth + 1), "advcl", subordinator.function)]
