"""Long rules of a grammar to binary ones.

X -> A B C D with the weight w becomes X -> m2 D (w), m2 -> m1 C (0), m1 -> A B (0), in whichever order of the
children keeps fan-out and complexity lowest. Made symbols stand for one sequence of children in one pattern
each and have one rule, so derivations, their weights and their trees are the same.
"""

from __future__ import annotations

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
        _split(rule, draft, naming)
    plain = dict(zip(grammar.symbols, grammar.plain, strict=True))
    made = {name for name, dissolves in zip(grammar.symbols, grammar.made, strict=True) if dissolves}
    return draft.grammar(
        grammar.start,
        plain=plain | naming.plain,
        made=made | naming.plain.keys(),
        chains=grammar.chains,
        notes=grammar.notes,
    )


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


def _split(rule: Rule, draft: Draft, naming: _Naming) -> None:
    """Add binary rules in place of a long one, from the top down to a made symbol that is there already."""
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
        draft.rule(Rule(parent, children, components_of([one for one, _ in pair]), weight))
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
