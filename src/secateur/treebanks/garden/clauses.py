"""Clauses: finite and not, relative, subordinate, interrogative."""

from __future__ import annotations

from secateur.treebanks.garden import nominals, predicates
from secateur.treebanks.garden.auxiliaries import BE, auxiliaries, conjugate, tense, wrap
from secateur.treebanks.garden.complements import Gap
from secateur.treebanks.garden.luck import Luck, Table, listed
from secateur.treebanks.garden.modifiers import PLACE, Subordinator, adverb_of
from secateur.treebanks.garden.node import HEAD, Node, empty, phrase, punct, role, trace, word
from secateur.treebanks.garden.nominals import Nominal
from secateur.treebanks.garden.nouns import kind_of
from secateur.treebanks.garden.verbs import Verb, choose

EVIDENT = listed("clear strange obvious possible likely")


def clause(luck: Luck, depth: int, *, gap: Gap | None = None) -> Node:
    """A finite clause (S), with a place left empty for the gap."""
    if gap is not None:
        return _through(luck, depth, gap) if depth < 3 and luck.may(0.07) else gapped(luck, depth, gap)
    if depth < 3 and luck.toss(0.11):
        return _passive(luck, depth)
    if luck.toss(0.03):
        return _existential(luck, depth)
    if depth < 2 and luck.may(0.012):
        return _extraposed(luck, depth)
    verb = predicates.verb_for(luck, depth)
    return _statement(luck, _subject(luck, verb.subjects, depth), verb, depth)


def gapped(luck: Luck, depth: int, gap: Gap) -> Node:
    """A clause with the gap right in it."""
    if gap.place == "subject":
        subject = Nominal(trace("NP", "*T*", gap.filler), gap.kind, gap.plural)
        return _statement(luck, subject, predicates.verb_for(luck, depth, gap.kind), depth)
    verb = predicates.verb_for(luck, depth, "", gap)
    return _statement(luck, _subject(luck, verb.subjects, depth), verb, depth, gap)


def _through(luck: Luck, depth: int, gap: Gap) -> Node:
    """A clause whose gap lies in the clause below: (what) the farmer thought that the girl saw."""
    subject = nominals.noun_phrase(luck, "p", depth + 1, place="subject")
    return _statement(luck, subject, choose(luck, "that", subject="p"), depth, gap)


def _statement(luck: Luck, subject: Nominal, verb: Verb, depth: int, gap: Gap | None = None) -> Node:
    clausal = subject.node.label in ("S", "SBAR")
    role(subject.node, "csubj" if clausal else "nsubj", "NOM-SBJ" if subject.node.label == "S" else "SBJ")
    return _assemble(luck, subject.node, predicates.finite(luck, verb, subject, depth, gap))


def _assemble(luck: Luck, subject: Node, vp: Node) -> Node:
    """Subject and predicate, with an adverb between them: after the first auxiliary if there is one."""
    relation = vp.children[0].relation
    negative = len(vp.children) > 1 and vp.children[1].word in ("not", "n't")
    if negative or not luck.may(0.12 if relation == "cop" else 0.04):
        return phrase("S", subject, vp)
    between = role(phrase("ADVP", word("RB", adverb_of(luck, "frequency"))), "advmod", "TMP")
    if relation in ("aux", "aux:pass", "cop"):
        vp.children.insert(1, between)
        return phrase("S", subject, vp)
    return phrase("S", subject, between, vp)


def _subject(luck: Luck, kinds: str, depth: int) -> Nominal:
    """Mostly a noun phrase; an idea may also be a clause."""
    if "i" in kinds and depth < 2 and luck.may(0.07):
        if luck.toss(0.7):
            return Nominal(gerund(luck, None, "p", depth + 1), "i", plural=False)
        return Nominal(that_clause(luck, depth + 1, silent=0.0), "i", plural=False)
    return nominals.noun_phrase(luck, kinds, depth, place="subject")


def _passive(luck: Luck, depth: int) -> Node:
    verb = choose(luck, "passive")
    subject = nominals.noun_phrase(luck, verb.objects, depth, place="subject")
    role(subject.node, "nsubj:pass", "SBJ")
    layers, tag = auxiliaries(luck, subject, passive=True)
    return _assemble(luck, subject.node, wrap(layers, predicates.passive(luck, verb, subject, tag, depth)))


def _existential(luck: Luck, depth: int) -> Node:
    """There was a dog in the garden."""
    core = nominals.common(luck, kind_of(luck, "patef"), determiner="a" if luck.toss(0.8) else "no")
    if not core.noun.plural:
        core = nominals.common(luck, "p", determiner="a")
    subject = Nominal(core.node, core.noun.kind, plural=False)
    tag = tense(luck, subject)
    parts = [word(tag, conjugate(BE, tag, subject)), role(core.node, "nsubj", "PRD")]
    if luck.toss(0.7):
        where = nominals.preceded(luck, nominals.prepositional(luck, luck.of(PLACE), depth + 1))
        parts.append(role(where, "obl", "LOC"))
    return phrase("S", role(phrase("NP", word("EX", "there")), "expl", "SBJ"), phrase("VP", *parts))


def _extraposed(luck: Luck, depth: int) -> Node:
    """It is clear that the girl left."""
    that = role(that_clause(luck, depth + 1, silent=0.1), "csubj")
    it = phrase("NP", phrase("NP", word("PRP", "it")), role(trace("SBAR", "*EXP*", that), "dep"))
    subject = Nominal(role(it, "expl", "SBJ"), "i", plural=False)
    tag = tense(luck, subject)
    verb = word(tag, conjugate(BE, tag, subject), "cop")
    predicate = role(phrase("ADJP", word("JJ", luck.pick(EVIDENT))), HEAD, "PRD")
    return phrase("S", it, phrase("VP", verb, predicate, that))


# ---- clauses inside others


def that_clause(luck: Luck, depth: int, *, silent: float, gap: Gap | None = None) -> Node:
    """SBAR with `that` or nothing; a subject cannot be extracted over `that`."""
    over_subject = gap is not None and gap.place == "subject"
    mark = role(empty("0"), "mark") if over_subject or luck.toss(silent) else word("IN", "that", "mark")
    return phrase("SBAR", mark, clause(luck, depth, gap=gap))


def subordinate(luck: Luck, subordinator: Subordinator, depth: int) -> Node:
    """SBAR with because, when, although ..."""
    inner = clause(luck, depth)
    if subordinator.text == "when":
        return phrase("SBAR", role(phrase("WHADVP", word("WRB", "when")), "mark"), inner)
    node = phrase("SBAR", word("IN", subordinator.text, "mark"), inner)
    return node if subordinator.attachment == "loose" else nominals.preceded(luck, node)


def infinitive(luck: Luck, antecedent: Node | None, kind: str, depth: int) -> Node:
    """to leave: S whose subject is understood"""
    subject = _understood(antecedent, kind)
    return phrase("S", subject.node, _to(luck, subject, depth))


def gerund(luck: Luck, antecedent: Node | None, kind: str, depth: int) -> Node:
    """reading books: S whose subject is understood"""
    subject = _understood(antecedent, kind)
    verb = choose(luck, "objective", subject=kind)
    return phrase("S", subject.node, predicates.verb_phrase(luck, verb, subject, "VBG", depth))


def with_subject(luck: Luck, subject: Nominal, form: str, depth: int) -> Node:
    """(expected) the girl to leave, (saw) the girl leave"""
    role(subject.node, "nsubj", "SBJ")
    if form == "to":
        return phrase("S", subject.node, _to(luck, subject, depth))
    verb = choose(luck, "action", subject=subject.kind)
    return phrase("S", subject.node, predicates.verb_phrase(luck, verb, subject, form, depth))


def _understood(antecedent: Node | None, kind: str) -> Nominal:
    return Nominal(role(trace("NP", "*", antecedent), "nsubj", "SBJ"), kind, plural=False)


def _to(luck: Luck, subject: Nominal, depth: int) -> Node:
    verb = predicates.verb_for(luck, depth + 1, subject.kind)
    return phrase("VP", word("TO", "to", "mark"), predicates.verb_phrase(luck, verb, subject, "VB", depth))


# ---- relative clauses

RELATIVES = Table(
    [
        ("subject", 5.0),
        ("object", 3.5),
        ("participle", 3.0),
        ("gerund", 2.0),
        ("where", 1.0),
        ("whose", 0.8),
        ("preposition", 1.2),
    ]
)


def relative(luck: Luck, kind: str, plural: bool, depth: int) -> list[Node]:
    """A relative clause after a noun of this kind, full or reduced, with its commas if it has any."""
    sort = luck.of(RELATIVES)
    if sort == "participle" and kind != "m":
        verb = choose(luck, "passive", object_=kind)
        understood = Nominal(trace("NP", "*"), kind, plural)
        return [role(predicates.passive(luck, verb, understood, "VBN", depth + 1), "acl")]
    if sort == "gerund" and kind in "pagv":
        verb = choose(luck, "action", subject=kind)
        understood = Nominal(trace("NP", "*"), kind, plural)
        return [role(predicates.verb_phrase(luck, verb, understood, "VBG", depth + 1), "acl")]
    made = role(relative_clause(luck, kind, plural, depth + 1, sort=sort), "acl:relcl")
    pronoun = made.children[0].children[0]
    if pronoun.word in ("who", "which") and luck.toss(0.35):
        return [punct(","), made, punct(",")]
    return [made]


def relative_clause(luck: Luck, kind: str, plural: bool, depth: int, *, sort: str = "subject") -> Node:
    """SBAR: a relative pronoun and a clause with a gap."""
    if sort == "where" and kind == "l":
        filler = phrase("WHADVP", word("WRB", "where"))
        gap = Gap(filler, "", "adjunct", label="ADVP", function="LOC")
    elif sort == "preposition" and kind in "lte":
        during = kind == "e"
        text = luck.pick(("during", "after", "before") if during else ("in", "near", "behind"))
        filler = phrase("WHPP", word("IN", text, "case"), phrase("WHNP", word("WDT", "which")))
        gap = Gap(filler, "", "adjunct", label="PP", function="TMP" if during else "LOC")
    elif sort == "whose" and kind == "p":
        owned = nominals.common(luck, kind_of(luck, "pagtlx"), determiner="")
        filler = owned.node
        filler.label = "WHNP"
        filler.children.insert(0, word("WP$", "whose", "nmod:poss"))
        gap = Gap(filler, owned.noun.kind, "object" if luck.toss(0.4) else "subject", owned.plural)
    elif sort == "object":
        filler = phrase("WHNP", empty("0")) if luck.toss(0.3) else _relative_pronoun(luck, kind)
        gap = Gap(filler, kind, "object")
    else:
        filler = _relative_pronoun(luck, kind)
        gap = Gap(filler, kind, "subject", plural)
    return phrase("SBAR", filler, clause(luck, depth, gap=gap))


def _relative_pronoun(luck: Luck, kind: str) -> Node:
    if luck.toss(0.5):
        return phrase("WHNP", word("WDT", "that"))
    return phrase("WHNP", word("WP", "who") if kind == "p" else word("WDT", "which"))


# ---- questions


def indirect_question(luck: Luck, depth: int) -> Node:
    """(wondered) whether she slept, what she saw"""
    if luck.toss(0.45):
        return phrase("SBAR", word("IN", luck.pick(("whether", "if")), "mark"), clause(luck, depth))
    gap = wh(luck)
    return phrase("SBAR", gap.filler, clause(luck, depth, gap=gap))


def wh(luck: Luck) -> Gap:
    """A question word or phrase and the gap it leaves."""
    chance = luck.random()
    if chance < 0.3:
        text, function = luck.pick((("when", "TMP"), ("where", "LOC"), ("why", "PRP"), ("how", "MNR")))
        return Gap(phrase("WHADVP", word("WRB", text)), "", "adjunct", label="ADVP", function=function)
    kind = kind_of(luck, "ptfxie")
    place = "object" if kind != "p" or luck.toss(0.5) else "subject"
    if chance < 0.5:
        core = nominals.common(luck, kind, determiner="")
        core.node.label = "WHNP"
        core.node.children.insert(0, word("WDT", luck.pick(("which", "what")), "det"))
        return Gap(core.node, kind, place, core.plural)
    return Gap(phrase("WHNP", word("WP", "who" if kind == "p" else "what")), kind, place)


def question(luck: Luck, gap: Gap | None) -> Node:
    """SQ: the clause of a direct question, its first auxiliary before the subject."""
    if gap is not None and gap.place == "subject":
        inner = gapped(luck, 0, gap)
        inner.label = "SQ"
        return inner
    through = gap is not None and luck.toss(0.25)
    verb = choose(luck, "that", subject="p") if through else predicates.verb_for(luck, 0, "", gap)
    subject = nominals.noun_phrase(luck, verb.subjects, 1, place="subject")
    role(subject.node, "nsubj", "SBJ")
    if verb.frame == "be":
        tag = tense(luck, subject)
        first, *rest = predicates.copula(luck, subject, tag, 0, []).children
        return phrase("SQ", first, subject.node, *rest)
    layers, tag = auxiliaries(luck, subject, stative=through, asked=True)
    inner = wrap(layers[1:], predicates.verb_phrase(luck, verb, subject, tag, 0, gap))
    first, *negation = layers[0]
    if negation and negation[0].word == "not":
        return phrase("SQ", first, subject.node, *negation, inner)
    return phrase("SQ", first, *negation, subject.node, inner)
