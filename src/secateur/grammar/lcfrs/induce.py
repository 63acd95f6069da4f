"""From discontinuous trees to a PLCFRS: binarize, collapse unary chains, count, smooth the lexicon."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from secateur.errors import InputError
from secateur.grammar.induce import Smoothing, TreeCounts, check_labels, smooth, usual
from secateur.grammar.lcfrs.binarize import Binarization, is_made, label_of, unmarked
from secateur.grammar.lcfrs.draft import Draft
from secateur.grammar.lcfrs.patterns import Components, components_of, fanout
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule
from secateur.grammar.unaries import chain
from secateur.treebanks.tree import Leaf, Tree


class RuleCounts(TreeCounts[tuple[str, tuple[str, ...], Components], tuple[str, str, int]]):
    """What trees show of a PLCFRS; unary rules by parent, child and fan-out."""

    def add(self, tree: Tree) -> None:
        self.roots[tree.label] += 1
        covered: dict[int, int] = {}  # positions, by the node's identity
        # From the last node to the first: children before parents, without recursion, since a node with many
        # children is as many levels deep when it is binary.
        for node in reversed(list(tree.nodes())):
            first = node.children[0]
            if isinstance(first, Leaf):
                self.words.add(node.label, first)
                covered[id(node)] = 1 << first.position
                continue
            children = [child for child in node.children if isinstance(child, Tree)]
            sets = [covered[id(child)] for child in children]
            covered[id(node)] = sum(sets)
            if len(children) > 1:
                self.binary[node.label, tuple(child.label for child in children), components_of(sets)] += 1
                for child, positions in zip(children, sets, strict=True):
                    self._chain(child, positions)
        self._chain(tree, covered[id(tree)])

    def _chain(self, tree: Tree, positions: int) -> None:
        """Count the unary rule on top of a node, if there is one."""
        labels, _ = chain(tree)
        # A chain that returns to its first label says nothing a parser could use.
        if labels[0] != labels[-1]:
            self.unary[labels[0], labels[-1], fanout(positions)][labels[1:-1]] += 1

    def rules(self, total: Counter[str]) -> Iterator[Rule]:
        """By relative frequency."""
        for (parent, children, components), count in self.binary.items():
            yield Rule(parent, children, components, math.log(count / total[parent]))
        for (parent, child, fan_out), paths in self.unary.items():
            path = tuple(label_of(label) for label in usual(paths))
            weight = math.log(paths.total() / total[parent])
            yield Rule(parent, (child,), ((0,),) * fan_out, weight, path)


def induce(
    trees: Iterable[Tree], *, binarization: Binarization | None = None, smoothing: Smoothing | None = None
) -> PLCFRS:
    """The treebank grammar: relative frequencies of the binarized trees' rules."""
    binarization, smoothing = binarization or Binarization(), smoothing or Smoothing()
    counts, draft = RuleCounts(), Draft()
    counts.add_all(trees, binarization, _check)
    # A symbol may be a tag and a phrase label; its rules share its mass by how often each kind was seen.
    total, seen_as_tag = counts.totals(), counts.words.tags()
    for rule in counts.rules(total):
        draft.rule(rule)
    for (tag, word), p in smooth(counts.words, smoothing).items():
        draft.word(tag, word, math.log(p * seen_as_tag[tag] / total[tag]))
    return draft.grammar(
        counts.root,
        plain={name: unmarked(name) if name in seen_as_tag else label_of(name) for name in draft.fanout},
        made=[name for name in draft.fanout if name not in seen_as_tag and is_made(name)],
        notes=counts.notes(binarization, smoothing),
    )


def _check(tree: Tree) -> None:
    check_labels(tree)
    indices = tree.indices()
    if indices != tuple(range(len(indices))):
        raise InputError(
            f"a tree whose words are not at the positions 0 to {len(indices) - 1}: {str(tree)[:60]!r}",
            fix="number the words of each tree from 0, each position once",
        )
