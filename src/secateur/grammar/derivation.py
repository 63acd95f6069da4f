"""Derivations (the kernels' steps, parents first) to trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from secateur.grammar.pcfg import PCFG
from secateur.trees import Leaf, Tree, new_leaf, new_tree

LEXICAL, UNARY, BINARY = 0, 1, 2

Steps = npt.NDArray[np.int64]  # [steps, 5]: kind, symbol, i, k, rule id


def build_tree(
    grammar: PCFG, steps: Steps, leaves: Sequence[str], *, binarized: bool = False, begin: int = 0
) -> Tree:
    """The tree of a derivation: made nodes dissolved and unary paths unfolded, or as the grammar has it.

    Words are numbered from `begin`.
    """
    names = grammar.symbols if binarized else grammar.plain
    dissolve = np.zeros(len(steps), bool) if binarized else grammar.intermediate[steps[:, 1]]
    kinds, symbols, _, _, rules = steps.T.tolist()
    words = list(zip(map(new_leaf, enumerate(leaves, begin))))
    # From last to first, so that children are ready before their parent: a stack of child lists.
    stack: list[tuple[Tree, ...]] = []
    backwards = map(reversed, (kinds, symbols, rules, dissolve.tolist()))
    for kind, symbol, rule, dissolved in zip(*backwards, strict=True):
        if kind == LEXICAL:
            stack.append((new_tree(names[symbol], words.pop()),))
            continue
        children = stack.pop()
        if kind == BINARY:
            children += stack.pop()
        elif not binarized:
            for label in reversed(grammar.plain_paths[rule]):
                children = (new_tree(label, children),)
        stack.append(children if dissolved else (new_tree(names[symbol], children),))
    (tree,) = stack.pop()
    return tree


def flat_tree(grammar: PCFG, words: npt.NDArray[np.uint32], leaves: Sequence[str], *, begin: int = 0) -> Tree:
    """In place of a parse that was not found: all words under the start symbol, each with its best tag."""
    lexicon = grammar.lexicon
    children = []
    for position, (word, leaf) in enumerate(zip(words.tolist(), leaves, strict=True), begin):
        begin, end = int(lexicon.ptr[word]), int(lexicon.ptr[word + 1])
        tag = "X"
        if begin < end:
            tag = grammar.symbols[lexicon.tag[begin + int(lexicon.weight[begin:end].argmax())]]
        children.append(Tree(tag, (Leaf(position, leaf),)))
    return Tree(grammar.plain[grammar.number[grammar.start]], tuple(children))
