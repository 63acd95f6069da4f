"""Derivations of a PLCFRS to trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from secateur.grammar.derivation import BINARY, LEXICAL, UNARY
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.treebanks.tree import Tree, new_leaf, new_tree

LONG = 3

__all__ = ["BINARY", "LEXICAL", "LONG", "UNARY", "Step", "tree_of"]


class Step(NamedTuple):
    """A node of a derivation; steps are listed parents first, children by first position."""

    kind: int  # LEXICAL, UNARY, BINARY or LONG
    symbol: int
    positions: int  # what it covers: position p is bit p
    rule: int  # its number among the rules of this kind; of no meaning for words


Found = list[tuple[int, Tree]]  # trees with their first positions, in this order


def tree_of(
    grammar: PLCFRS, derivation: Iterable[Step], words: Sequence[str], *, binarized: bool = False
) -> Tree:
    """The tree of a derivation: made nodes dissolved and unary paths unfolded, or as the grammar has it."""
    names = grammar.symbols if binarized else grammar.plain
    dissolving = [False] * len(names) if binarized else grammar.made.tolist()
    ptr = grammar.long.ptr.tolist()
    stack: list[Found] = []  # what is finished, the leftmost on top
    for kind, symbol, positions, rule in reversed(list(derivation)):
        first = (positions & -positions).bit_length() - 1
        if kind == LEXICAL:
            stack.append([(first, new_tree(names[symbol], (new_leaf((first, words[first])),)))])
            continue
        size = 1 if kind == UNARY else 2 if kind == BINARY else ptr[rule + 1] - ptr[rule]
        below = [pair for found in stack[-size:] for pair in found]
        del stack[-size:]
        if dissolving[symbol]:
            stack.append(below)
            continue
        tree = new_tree(names[symbol], tuple(child for _, child in sorted(below, key=_first)))
        if kind == UNARY and not binarized:
            (child,) = tree.children
            for label in reversed(grammar.unary.path[rule]):
                child = new_tree(label, (child,))
            tree = new_tree(names[symbol], (child,))
        stack.append([(first, tree)])
    ((_, whole),) = stack.pop()
    return whole


def _first(pair: tuple[int, Tree]) -> int:
    return pair[0]
