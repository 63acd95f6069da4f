"""The features of one item, one after the other, from words and counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from secateur.features.marks import is_mark
from secateur.grammar.binarize import Binarization
from secateur.grammar.pcfg import PCFG
from secateur.treebanks.tree import Leaf, Tree

BOUNDARY, NONE = "<boundary>", "<none>"


def tag_of(grammar: PCFG, word: int) -> str:
    """argmax_t p(w | t), where a tag's sub-symbols are used alike."""
    lexicon = grammar.lexicon
    sizes = Counter(grammar.unsplit)
    found: Counter[str] = Counter()
    for e in range(int(lexicon.ptr[word]), int(lexicon.ptr[word + 1])):
        tag = grammar.unsplit[lexicon.tag[e]]
        found[tag] += math.exp(lexicon.weight[e]) / sizes[tag]  # type: ignore[assignment]
    return min(found, key=lambda tag: (-round(found[tag], 12), tag)) if found else NONE


def around(grammar: PCFG, words: Sequence[str]) -> list[str]:
    return [BOUNDARY, *(tag_of(grammar, w) for w in grammar.lexicon.encode(words).tolist()), BOUNDARY]


def nodes(tree: Tree) -> list[tuple[str, int, int]]:
    """All nodes but the inner ones of unary chains."""
    found = []

    def visit(node: Tree, under_unary: bool) -> None:
        child = node.children[0] if len(node.children) == 1 else None
        over_unary = isinstance(child, Tree)
        positions = [leaf.position for leaf in node.leaves()]
        if not (under_unary and over_unary):
            found.append((node.label, positions[0], positions[-1] + 1))
        for below in node.children:
            if not isinstance(below, Leaf):
                visit(below, over_unary)

    visit(tree, False)
    return found


def log_p(
    grammar: PCFG, trees: Sequence[Tree], binarization: Binarization, label: str, tag: str, *, after: bool
) -> float:
    """log p(label | tag of the word before), or after, counted anew."""
    labels = set(grammar.unsplit)
    beside: Counter[str] = Counter()
    for tree in trees:
        tags = around(grammar, tree.words())
        # Of a chain that returns to its label, one node counts.
        for name, i, k in set(nodes(binarization(tree))):
            if name in labels and tags[k + 1 if after else i] == tag:
                beside[name] += 1
    return math.log((beside[label] + 0.1) / (beside.total() + 0.1 * len(labels)))


def pattern(words: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for word in words:
        if is_mark(word):
            found.append(word)
        elif found[-1:] != ["word"]:
            found.append("word")
    return tuple(found)


def kind(word: str) -> str:
    if word[0].isalpha():
        return "capital" if word[0].isupper() else "letter"
    return "digit" if word[0].isdigit() else "sign"


def indicators(words: Sequence[str], i: int, k: int) -> set[str]:
    """The names of those that are 1."""
    n = len(words)
    found = {f"first: {kind(words[i])}"}
    if i == 0:
        found.add("begins the sentence")
    else:
        found.add(f"before: {kind(words[i - 1])}")
    if k == n:
        found.add("ends the sentence")
    else:
        found.add(f"after: {kind(words[k])}")
    return {*found, " ".join(pattern(words[i:k]))}
