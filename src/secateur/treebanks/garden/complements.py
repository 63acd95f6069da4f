"""What stands after a verb because the verb asks for it, by frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from secateur.treebanks.garden import clauses
from secateur.treebanks.garden.luck import Luck, listed
from secateur.treebanks.garden.modifiers import Preposition
from secateur.treebanks.garden.node import HEAD, Node, phrase, role, trace, word
from secateur.treebanks.garden.nominals import Nominal, adjective_phrase, noun_phrase, prepositional
from secateur.treebanks.garden.verbs import Verb

OFTEN_SILENT = frozenset(listed("say think know believe hope feel guess"))  # verbs that like to drop `that`


class Gap(NamedTuple):
    """A phrase that stands elsewhere than where it belongs: what it is and which place it leaves empty."""

    filler: Node
    kind: str
    place: str  # subject, object or adjunct
    plural: bool = False
    label: str = "NP"
    function: str = ""


Complements = Callable[[Luck, Verb, Nominal, int, Gap | None], list[Node]]


def complements(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    return BY_FRAME[verb.frame](luck, verb, subject, depth, gap)


def fixed(luck: Luck, verb: Verb, depth: int) -> Node:
    """The prepositional phrase a verb asks for."""
    return role(prepositional(luck, Preposition(verb.extra, verb.extra_kinds, ""), depth), "obl", "CLR")


def particle(verb: Verb) -> Node:
    return role(phrase("PRT", word("RP", verb.extra)), "compound:prt")


def _object(luck: Luck, verb: Verb, depth: int, gap: Gap | None) -> Node:
    if gap is not None and gap.place == "object":
        return role(trace("NP", "*T*", gap.filler), "obj")
    return role(noun_phrase(luck, verb.objects, depth, place="object").node, "obj")


def _none(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    return []


def _trans(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    return [_object(luck, verb, depth, gap)]


def _ditrans(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    """give the girl a book, give a book to the girl"""
    receiver = noun_phrase(luck, "p", depth + 1, place="object").node
    theme = _object(luck, verb, depth, gap)
    if luck.toss(0.35):
        return [role(receiver, "iobj", "DTV"), theme]
    return [theme, role(phrase("PP", word("TO", "to", "case"), receiver), "obl", "DTV")]


def _that(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    silent = 0.55 if verb.base in OFTEN_SILENT else 0.12
    return [role(clauses.that_clause(luck, depth + 1, silent=silent, gap=gap), "ccomp")]


def _tell(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    told = role(noun_phrase(luck, verb.objects, depth + 1, place="object").node, "iobj")
    return [told, role(clauses.that_clause(luck, depth + 1, silent=0.25), "ccomp")]


def _wonder(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    return [role(clauses.indirect_question(luck, depth + 1), "ccomp")]


def _control(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    return [role(clauses.infinitive(luck, subject.node, subject.kind, depth + 1), "xcomp")]


def _gerund(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    return [role(clauses.gerund(luck, subject.node, subject.kind, depth + 1), "xcomp")]


def _persuade(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    """persuade the girl to leave: the girl is the object"""
    object_ = noun_phrase(luck, verb.objects, depth + 1, place="object")
    goal = clauses.infinitive(luck, object_.node, object_.kind, depth + 1)
    return [role(object_.node, "obj"), role(goal, "xcomp")]


def _expect(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    """expect the girl to leave: the girl is the subject of leaving"""
    lower = noun_phrase(luck, verb.objects, depth + 1, place="object")
    return [role(clauses.with_subject(luck, lower, "to", depth + 1), "ccomp")]


def _perceive(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    """see the girl leave, see the girl leaving"""
    lower = noun_phrase(luck, verb.objects, depth + 1, place="object")
    return [role(clauses.with_subject(luck, lower, luck.pick(("VB", "VBG")), depth + 1), "ccomp")]


def _make(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    """make the girl happy"""
    lower = noun_phrase(luck, verb.objects, depth + 1, place="object")
    predicate = role(adjective_phrase(luck, lower.kind, depth + 1, heavy=False), HEAD, "PRD")
    return [role(phrase("S", role(lower.node, "nsubj", "SBJ"), predicate), "xcomp")]


def _prep(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    mark = word("TO" if verb.extra == "to" else "IN", verb.extra, "case")
    return [role(phrase("PP", mark, role(_object(luck, verb, depth, gap), HEAD)), "obl", "CLR")]


def _place(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    """put the box on the table"""
    return [_object(luck, verb, depth + 1, gap), fixed(luck, verb, depth)]


def _particle(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    """pick up the box, pick the box up; always: pick it up"""
    object_, small = _object(luck, verb, depth + 1, gap), particle(verb)
    last = object_.children[0].label == "PRP" or luck.toss(0.4)
    return [object_, small] if last else [small, object_]


def _become(luck: Luck, verb: Verb, subject: Nominal, depth: int, gap: Gap | None) -> list[Node]:
    return [role(adjective_phrase(luck, subject.kind, depth, heavy=False), "xcomp", "PRD")]


BY_FRAME: dict[str, Complements] = {
    "rest": _none, "motion": _none, "appear": _none, "trans": _trans, "ditrans": _ditrans, "that": _that,
    "tell": _tell, "wonder": _wonder, "control": _control, "raise": _control, "gerund": _gerund,
    "persuade": _persuade, "expect": _expect, "perceive": _perceive, "make": _make, "prep": _prep,
    "place": _place, "particle": _particle, "become": _become,
}  # fmt: skip
