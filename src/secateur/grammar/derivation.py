"""Derivations (the kernels' steps, parents first) to trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from secateur.grammar.lexicon import Lexicon
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.cky.unfold import Labels, unfold
from secateur.treebanks.tree import Leaf, Tree, new_leaf, new_tree, renumber

LEXICAL, UNARY, BINARY = 0, 1, 2

Steps = npt.NDArray[np.int64]  # [steps, 5]: kind, symbol, i, k, rule id
Nodes = npt.NDArray[np.int64]  # [nodes, 2]: label, children (0: a word); the root last


class Tagging(Protocol):
    """A grammar, as far as words and their tags go."""

    @property
    def symbols(self) -> Sequence[str]: ...

    @property
    def plain(self) -> Sequence[str]: ...

    @property
    def number(self) -> Mapping[str, int]: ...

    @property
    def start(self) -> str: ...

    @property
    def lexicon(self) -> Lexicon: ...


def build_tree(grammar: PCFG, steps: Steps, leaves: Sequence[str], *, binarized: bool = False) -> Tree:
    """The tree of a derivation: made nodes dissolved and unary paths unfolded, or as the grammar has it."""
    names, labels = naming(grammar, binarized=binarized)
    return assemble(names, unfold(labels, steps), leaves)


def assemble(names: Sequence[str], nodes: Nodes, leaves: Sequence[str]) -> Tree:
    """The tree of the nodes that `unfold` found."""
    words = list(zip(map(new_leaf, enumerate(leaves))))
    stack: list[Tree] = []
    labels, sizes = nodes.T.tolist()
    for label, size in zip(labels, sizes, strict=True):
        if size == 0:
            stack.append(new_tree(names[label], words.pop()))
        elif size == 1:
            stack[-1] = new_tree(names[label], (stack[-1],))
        else:
            children = tuple(stack[: -size - 1 : -1])
            del stack[-size:]
            stack.append(new_tree(names[label], children))
    (tree,) = stack
    return tree


def naming(grammar: PCFG, *, binarized: bool) -> tuple[Sequence[str], Labels]:
    """The labels of trees, or every symbol its own label and unary rules one node; names and numbers."""
    if not binarized:
        return grammar.label_names, grammar.labels
    count = len(grammar.symbols)
    no_paths = np.zeros(len(grammar.unary.path) + 1, np.uint32)
    return grammar.symbols, Labels(count, np.arange(count, dtype=np.uint32), no_paths, no_paths[:0])


def flat_tree(grammar: Tagging, words: Ids, leaves: Sequence[str]) -> Tree:
    """In place of a parse that was not found: all words under the start symbol, each with its best tag."""
    lexicon = grammar.lexicon
    children = []
    ends = zip(lexicon.ptr[words].tolist(), lexicon.ptr[words + 1].tolist(), strict=True)
    for (first, last), leaf in zip(ends, enumerate(leaves), strict=True):
        tag = "X"
        if first < last:
            tag = grammar.plain[lexicon.tag[first + int(lexicon.weight[first:last].argmax())]]
        children.append(new_tree(tag, (new_leaf(leaf),)))
    return new_tree(grammar.plain[grammar.number[grammar.start]], tuple(children))


def cover_tree(grammar: PCFG, steps: Steps, leaves: Sequence[str], *, binarized: bool = False) -> Tree:
    """The tree of derivations beside each other, in one `steps`, under the start symbol.

    A made symbol's parts stand there by themselves; a word of no symbol (its number is N) has the tag X.
    """
    names, labels = naming(grammar, binarized=binarized)
    untagged = len(names) + 1
    nodes = unfold(labels._replace(of=np.append(labels.of, np.uint32(untagged))), steps)
    # Over what is left when every node has taken its children.
    root = (labels.of[grammar.number[grammar.start]], (1 - nodes[:, 1]).sum())
    return assemble([*names, "", "X"], np.vstack((nodes, root)), leaves)


def joined(root: str, parts: Iterable[tuple[int, Tree]]) -> Tree:
    """One tree from those of the pieces of a sentence, each with the place of its first word."""
    children: list[Tree | Leaf] = []
    for first, part in parts:
        moved = renumber(part, range(first, first + len(part.leaves())))
        # A start symbol that is itself a tag stays over its word.
        children += (moved,) if moved.is_preterminal else moved.children
    return new_tree(root, tuple(children))
