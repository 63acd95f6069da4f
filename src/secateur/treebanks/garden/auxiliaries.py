"""Tense, agreement and auxiliaries."""

from __future__ import annotations

from secateur.treebanks.garden.luck import Luck, listed, zipf
from secateur.treebanks.garden.node import Node, phrase, word
from secateur.treebanks.garden.nominals import Nominal
from secateur.treebanks.garden.verbs import VERBS, Verb

MODALS = zipf(listed("will would can could must should may might"))
CONTRACTED = {"will": "wo", "can": "ca"}  # before n't

BE: Verb = VERBS["be"][0][0]
HAVE = Verb("have", "has", "had", "had", "having", *BE[5:])
DO = Verb("do", "does", "did", "done", "doing", *BE[5:])


def conjugate(verb: Verb, tag: str, subject: Nominal) -> str:
    if verb.base == "be" and tag in ("VBD", "VBP"):
        many = subject.plural or subject.person == 2
        return ("were" if many else "was") if tag == "VBD" else ("are" if many else "am")
    if tag in ("VB", "VBP"):
        return verb.base
    return {"VBZ": verb.third, "VBD": verb.past, "VBN": verb.participle}.get(tag, verb.gerund)


def tense(luck: Luck, subject: Nominal) -> str:
    """The tag of a finite verb."""
    if luck.past == luck.toss(0.9):
        return "VBD"
    return "VBP" if subject.plural or subject.person < 3 else "VBZ"


def auxiliaries(
    luck: Luck, subject: Nominal, *, stative: bool = False, passive: bool = False, asked: bool = False
) -> tuple[list[list[Node]], str]:
    """Layers of auxiliaries, outermost first, and the tag of the verb below; `asked` wants one at least."""
    layers: list[list[Node]] = []
    tag = tense(luck, subject)

    def add(verb: Verb, following: str, relation: str = "aux") -> None:
        nonlocal tag
        layers.append([word(tag, conjugate(verb, tag, subject), relation)])
        tag = following

    if luck.toss(0.18):
        layers.append([word("MD", luck.of(MODALS), "aux")])
        tag = "VB"
    if luck.toss(0.15):
        add(HAVE, "VBN")
    if not stative and not passive and luck.toss(0.08):
        add(BE, "VBG")
    if passive:
        add(BE, "VBN", "aux:pass")
    negative = luck.toss(0.035)
    if not layers and (negative or asked):
        add(DO, "VB")
    if negative:
        layers[0].append(_not(luck, layers[0][0]))
    return layers, tag


def _not(luck: Luck, auxiliary: Node) -> Node:
    """not, or n't where the auxiliary allows it"""
    if auxiliary.word in ("may", "might", "am") or luck.toss(0.5):
        return word("RB", "not", "advmod")
    auxiliary.word = CONTRACTED.get(auxiliary.word, auxiliary.word)
    return word("RB", "n't", "advmod")


def wrap(layers: list[list[Node]], inner: Node) -> Node:
    """The verb phrase under its auxiliaries."""
    for layer in reversed(layers):
        inner = phrase("VP", *layer, inner)
    return inner
