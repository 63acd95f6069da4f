"""Long rules of a grammar to binary ones.

X -> A B C D with the weight w becomes X -> m2 D (w), m2 -> m1 C (0), m1 -> A B (0), in whichever order of the
children keeps fan-out and complexity lowest. Made symbols stand for one sequence of children in one pattern
each and have one rule, so derivations, their weights and their trees are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from secateur.grammar.lcfrs.derivation import BINARY, LONG
from secateur.grammar.lcfrs.draft import Draft
from secateur.grammar.lcfrs.orders import minimal
from secateur.grammar.lcfrs.patterns import Components, components_of
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule


def binarized(grammar: PLCFRS) -> PLCFRS:
    """A grammar with the same trees at the same weights, and two children at most."""
    if not len(grammar.long.weight):
        return grammar
    draft = Draft()
    long = []
    for rule in grammar.named():
        if len(rule.children) > 2:
            long.append(rule)
        else:
            draft.rule(rule)
    for tag, word, weight in grammar.entries():
        draft.word(tag, word, weight)
    naming = _Naming(grammar)
    for rule in long:
        for step in _steps(rule, naming):
            draft.rule(step)
    plain = dict(zip(grammar.symbols, grammar.plain, strict=True))
    made = {name for name, dissolves in zip(grammar.symbols, grammar.made, strict=True) if dissolves}
    return draft.grammar(
        grammar.start,
        plain=plain | naming.plain,
        made=made | naming.plain.keys(),
        chains=grammar.chains,
        notes=grammar.notes,
    )


def origins(grammar: PLCFRS, binary: PLCFRS) -> npt.NDArray[np.int64]:
    """[R, 2] the kind and the number of the rule of a grammar that each rule of its binarized form begins, or
    is; -1 for those of made symbols."""
    naming = _Naming(grammar)
    known: dict[tuple[object, ...], tuple[int, int]] = {}
    short = long = 0
    for rule in grammar.named():
        if len(rule.children) == 2:
            known[rule[:3]] = BINARY, short
            short += 1
        elif len(rule.children) > 2:
            first, *_ = _steps(rule, naming)
            known[first[:3]] = LONG, long
            long += 1
    found = [known.get(rule[:3], (-1, -1)) for rule in binary.named() if len(rule.children) == 2]
    return np.array(found, np.int64).reshape(-1, 2)


class _Naming:
    """Names for made symbols, by what they stand for."""

    def __init__(self, grammar: PLCFRS) -> None:
        self._taken = set(grammar.symbols)
        self._known: dict[tuple[str, tuple[str, ...], Components], str] = {}
        self._label = dict(zip(grammar.symbols, grammar.plain, strict=True))
        self.plain: dict[str, str] = {}

    def symbol(self, parent: str, children: tuple[str, ...], components: Components) -> tuple[str, bool]:
        """The symbol of a part of a rule for `parent`, and whether it is new."""
        key = parent, children, components
        if key in self._known:
            return self._known[key], False
        name = f"{parent}|<{'-'.join(children)}>"
        while name in self._taken:  # A-B C and A B-C read the same
            name += "'"
        self._taken.add(name)
        self._known[key] = name
        self.plain[name] = self._label[parent]
        return name, True


def _steps(rule: Rule, naming: _Naming) -> Iterator[Rule]:
    """Binary rules in place of a long one, from the top down to a made symbol that is there already."""
    sets = positions(rule.components, len(rule.children))
    order = minimal(sets)
    parent, weight = rule.parent, rule.weight
    while len(order) > 1:
        *inner, child = order
        name, fresh = rule.children[inner[0]], False
        if len(inner) > 1:
            part = sorted(inner)
            pattern = components_of([sets[c] for c in part])
            name, fresh = naming.symbol(rule.parent, tuple(rule.children[c] for c in part), pattern)
        covered = sum(sets[c] for c in inner)
        pair = [(covered, name), (sets[child], rule.children[child])]
        pair.sort(key=lambda one: one[0] & -one[0])
        children = tuple(symbol for _, symbol in pair)
        yield Rule(parent, children, components_of([one for one, _ in pair]), weight)
        if not fresh:
            return
        order, parent, weight = inner, name, 0.0


def positions(components: Components, children: int) -> list[int]:
    """Sets of positions in which so many children stand as the pattern says: a word for each segment."""
    sets = [0] * children
    position = 0
    for part in components:
        for child in part:
            sets[child] |= 1 << position
            position += 1
        position += 1  # the gap
    return sets
