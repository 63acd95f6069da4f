"""Whole sentences: statements with what may stand before and after them, questions, orders, quotations."""

from __future__ import annotations

from itertools import pairwise

from secateur.treebanks.garden import clauses, nominals, predicates
from secateur.treebanks.garden.auxiliaries import BE, conjugate, tense
from secateur.treebanks.garden.complements import Gap
from secateur.treebanks.garden.luck import Luck, Table
from secateur.treebanks.garden.modifiers import AFTER_VERB, SUBORDINATORS, adverb_of
from secateur.treebanks.garden.node import EMPTY, HEAD, Node, capitalize, phrase, punct, role, trace, word
from secateur.treebanks.garden.nominals import Nominal
from secateur.treebanks.garden.nouns import kind_of
from secateur.treebanks.garden.verbs import choose

LONGEST = 75


def sentence(luck: Luck) -> Node:
    """A derivation, drawn again while it is too long."""
    while True:
        luck.size = 0
        node = luck.of(SORTS)(luck)
        words = _tidy(node)
        if words <= LONGEST:
            return capitalize(node)


def _tidy(node: Node) -> int:
    """Drop commas before other punctuation; return the number of words left."""
    words: list[tuple[Node, Node]] = []
    _collect(node, words)
    dropped = 0
    for (parent, this), (_, following) in pairwise(words):
        if this.word == "," and following.relation == "punct" and following.word not in ("``", "''", "-LRB-"):
            parent.children.remove(this)
            dropped += 1
    return len(words) - dropped


def _collect(node: Node, words: list[tuple[Node, Node]]) -> None:
    for child in node.children:
        if child.children:
            _collect(child, words)
        elif child.label != EMPTY:
            words.append((node, child))


def _end(luck: Luck, node: Node) -> Node:
    node.children.append(punct("!" if luck.toss(0.02) else ".", "."))
    return node


def _comma(luck: Luck, probability: float) -> list[Node]:
    return [punct(",")] if luck.toss(probability) else []


# ---- statements


def statement(luck: Luck) -> Node:
    node = clauses.clause(luck, 0)
    node.children[:0] = _front(luck)
    node.children += _loose(luck)
    return _end(luck, node)


def compound(luck: Luck) -> Node:
    """Two statements: and, but, or a semicolon, colon or dash between them."""
    first = clauses.clause(luck, 0)
    first.children[:0] = _front(luck)
    second = clauses.clause(luck, 1)
    if luck.toss(0.75):
        conjunction = word("CC", luck.pick(("and", "and", "but")), "cc")
        link = [*_comma(luck, 0.95), conjunction]
        return _end(luck, phrase("S", first, *link, role(second, "conj")))
    mark = punct(luck.pick((";", ":", "--")), ":")
    return _end(luck, phrase("S", first, mark, role(second, "parataxis")))


def _front(luck: Luck) -> list[Node]:
    """What stands before the subject: an adverb, a phrase, a clause, with or without a comma."""
    if luck.may(0.03):
        return [role(phrase("ADVP", word("RB", adverb_of(luck, "sentence"))), "advmod"), punct(",")]
    if luck.may(0.035):
        preposition = luck.of(AFTER_VERB)
        fronted = nominals.prepositional(luck, preposition, 1)
        return [role(fronted, "obl", preposition.function), *_comma(luck, 0.75)]
    if luck.may(0.015):
        return [role(nominals.moment(luck), "obl", "TMP"), *_comma(luck, 0.3)]
    if luck.may(0.035):
        subordinator = luck.of(SUBORDINATORS)
        if subordinator.text != "whereas":
            clause = clauses.subordinate(luck, subordinator, 1)
            return [role(clause, "advcl", subordinator.function), *_comma(luck, 0.85)]
    if luck.may(0.01):
        return [role(clauses.gerund(luck, None, "p", 1), "advcl", "ADV"), punct(",")]
    return []


def _loose(luck: Luck) -> list[Node]:
    """A clause set off at the end: , although ..."""
    if not luck.may(0.12):
        return []
    subordinator = luck.of(SUBORDINATORS)
    if subordinator.attachment != "loose":
        return []
    clause = clauses.subordinate(luck, subordinator, 1)
    return [*_comma(luck, 0.6), role(clause, "advcl", subordinator.function)]


def topic(luck: Luck) -> Node:
    """This book I like."""
    core = nominals.common(luck, kind_of(luck, "ptfxi"), determiner=luck.pick(("this", "that", "the")))
    filler = nominals.modified(luck, core, 2, wanted=0.11).node
    node = clauses.clause(luck, 1, gap=Gap(filler, core.noun.kind, "object"))
    node.children[:0] = [role(filler, HEAD, "TPC"), *_comma(luck, 0.4)]
    return _end(luck, node)


def late(luck: Luck) -> Node:
    """A man arrived who ...: what belongs to the subject comes after the verb."""
    core = nominals.common(luck, kind_of(luck, "px"), determiner="a")
    subject = Nominal(core.node, core.noun.kind, plural=False)
    verb = choose(luck, "appear", subject=subject.kind)
    tag = tense(luck, subject)
    vp = phrase("VP", word(tag, conjugate(verb, tag, subject)))
    if luck.toss(0.4):
        vp.children.append(role(nominals.moment(luck), "obl", "TMP"))
    if luck.toss(0.7):
        sort = "object" if luck.toss(0.2) else "subject"
        filler, relation = clauses.relative_clause(luck, subject.kind, False, 1, sort=sort), "acl:relcl"
    else:
        filler, relation = nominals.after_noun(luck, subject.kind, 1), "nmod"
    vp.children.append(filler)
    whole = phrase("NP", core.node, role(trace(filler.label, "*ICH*", filler), relation))
    return _end(luck, phrase("S", role(whole, "nsubj", "SBJ"), vp))


def quotation(luck: Luck) -> Node:
    """`` ... , '' said the farmer ."""
    speaker = nominals.noun_phrase(luck, "p", 0, place="subject")
    role(speaker.node, "nsubj", "SBJ")
    tag = tense(luck, speaker)
    said = word(tag, conjugate(choose(luck, "say", subject="p"), tag, speaker))
    spoken = clauses.clause(luck, 1)
    chance = luck.random()
    if chance < 0.35:
        quote = role(capitalize(spoken), "ccomp")
        vp = phrase("VP", said, punct(","), punct("``"), quote)
        return phrase("S", speaker.node, vp, punct(".", "."), punct("''"))
    vp = phrase("VP", said, role(trace("S", "*T*", spoken), "ccomp"))
    quoted = [punct("``"), role(spoken, HEAD, "TPC"), punct(","), punct("''")]
    if speaker.node.children[0].label == "PRP" or chance < 0.6:
        return _end(luck, phrase("S", *quoted, speaker.node, vp))
    return _end(luck, phrase("SINV", *quoted, vp, speaker.node))


# ---- questions, orders, fragments


def wh_question(luck: Luck) -> Node:
    if luck.toss(0.12):
        return _predicate_question(luck)
    gap = clauses.wh(luck)
    return phrase("SBARQ", gap.filler, clauses.question(luck, gap), punct("?", "."))


def _predicate_question(luck: Luck) -> Node:
    """What is the plan? How old is the farmer?"""
    core = nominals.common(luck, kind_of(luck, "pitl"))
    subject = Nominal(role(core.node, "nsubj", "SBJ"), core.noun.kind, core.plural)
    if luck.toss(0.5):
        filler = phrase("WHNP", word("WP", "who" if subject.kind == "p" else "what"))
    else:
        text = luck.pick(("old", "important", "large", "good"))
        filler = phrase("WHADJP", word("WRB", "how", "advmod"), word("JJ", text))
    gap = role(trace("NP" if filler.label == "WHNP" else "ADJP", "*T*", filler), HEAD, "PRD")
    tag = tense(luck, subject)
    verb = word(tag, conjugate(BE, tag, subject), "cop")
    return phrase("SBARQ", filler, phrase("SQ", verb, subject.node, gap), punct("?", "."))


def yes_no(luck: Luck) -> Node:
    node = clauses.question(luck, None)
    node.children.append(punct("?", "."))
    return node


def order(luck: Luck) -> Node:
    """Open the door!"""
    subject = Nominal(role(trace("NP", "*"), "nsubj", "SBJ"), "p", plural=False, person=2)
    vp = predicates.verb_phrase(luck, choose(luck, "objective", subject="p"), subject, "VB", 0)
    if luck.toss(0.15):
        vp = phrase("VP", word("VB", "do", "aux"), word("RB", "n't", "advmod"), vp)
    return phrase("S", subject.node, vp, punct(luck.pick((".", "!")), "."))


def fragment(luck: Luck) -> Node:
    """No sentence: a noun phrase, or an answer."""
    if luck.toss(0.3):
        answer = phrase("ADVP", word("RB", luck.pick(("perhaps", "probably", "certainly", "maybe"))))
        return phrase("FRAG", answer, word("RB", "not", "advmod"), punct("."))
    core = nominals.common(luck, kind_of(luck, "pixel"))
    return _end(luck, phrase("NP", nominals.extended(luck, core, 1)))


SORTS = Table(
    [
        (statement, 70.0),
        (compound, 9.0),
        (wh_question, 5.0),
        (yes_no, 3.0),
        (quotation, 3.0),
        (order, 2.0),
        (topic, 2.0),
        (late, 2.5),
        (fragment, 1.0),
    ]
)
