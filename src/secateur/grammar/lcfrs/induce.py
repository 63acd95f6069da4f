"""From discontinuous trees to a PLCFRS: binarize, collapse unary chains, count, smooth the lexicon."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from secateur.errors import InputError
from secateur.grammar.induce import Smoothing, WordCounts, check_labels, smooth, usual
from secateur.grammar.lcfrs.binarize import Binarization, is_made, label_of, unmarked
from secateur.grammar.lcfrs.draft import Draft
from secateur.grammar.lcfrs.patterns import Components, components_of, fanout
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule
from secateur.grammar.unaries import chain
from secateur.treebanks.tree import Leaf, Tree


@dataclass(slots=True)
class RuleCounts:
    """What the trees show."""

    binary: Counter[tuple[str, tuple[str, ...], Components]]
    unary: dict[tuple[str, str, int], Counter[tuple[str, ...]]]  # parent, child, fan-out
    words: WordCounts
    roots: Counter[str]

    @classmethod
    def empty(cls) -> RuleCounts:
        return cls(Counter(), defaultdict(Counter), WordCounts.empty(), Counter())

    def add(self, tree: Tree) -> None:
        """Count the rules of one binarized tree."""
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

    def totals(self) -> Counter[str]:
        """How often each symbol is rewritten, be it as a word."""
        total: Counter[str] = Counter()
        for (parent, _, _), count in self.binary.items():
            total[parent] += count
        for (parent, _, _), paths in self.unary.items():
            total[parent] += paths.total()
        for (tag, _), count in self.words.lexical.items():
            total[tag] += count
        return total

    def rules(self, total: Counter[str]) -> Iterator[Rule]:
        """By relative frequency."""
        for (parent, children, components), count in self.binary.items():
            yield Rule(parent, children, components, math.log(count / total[parent]))
        for (parent, child, fan_out), paths in self.unary.items():
            path = tuple(label_of(label) for label in usual(paths))
            weight = math.log(paths.total() / total[parent])
            yield Rule(parent, (child,), ((0,),) * fan_out, weight, path)


def induce(
    trees: Iterable[Tree],
    *,
    binarization: Binarization | None = None,
    smoothing: Smoothing | None = None,
) -> PLCFRS:
    """The treebank grammar: relative frequencies of the binarized trees' rules."""
    binarization = binarization or Binarization()
    smoothing = smoothing or Smoothing()
    counts = RuleCounts.empty()
    for tree in trees:
        check_labels(tree)
        _check_positions(tree)
        counts.add(binarization(tree))
    if not counts.roots:
        raise InputError("no trees to induce a grammar from", fix="give a treebank with at least one tree")
    total, draft = counts.totals(), Draft()
    for rule in counts.rules(total):
        draft.rule(rule)
    # A symbol may be a tag and a phrase label; its rules share its mass by how often each kind was seen.
    seen_as_tag: Counter[str] = Counter()
    for (tag, _), count in counts.words.lexical.items():
        seen_as_tag[tag] += count
    for (tag, word), p in smooth(counts.words, smoothing).items():
        draft.word(tag, word, math.log(p * seen_as_tag[tag] / total[tag]))
    return draft.grammar(
        counts.roots.most_common(1)[0][0],
        plain={name: unmarked(name) if name in seen_as_tag else label_of(name) for name in draft.fanout},
        made=[name for name in draft.fanout if name not in seen_as_tag and is_made(name)],
        notes={
            **binarization.notes(),
            "rare": str(smoothing.rare),
            "trees": str(counts.roots.total()),
        },
    )


def _check_positions(tree: Tree) -> None:
    indices = tree.indices()
    if indices != tuple(range(len(indices))):
        raise InputError(
            f"a tree whose words are not at the positions 0 to {len(indices) - 1}: {str(tree)[:60]!r}",
            fix="number the words of each tree from 0, each position once",
        )
