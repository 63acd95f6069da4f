"""Labels by the words beside a phrase: log p(label | tag of the word before), and of the word after.

The tag of a word is argmax_t p(w | t) under a grammar, as in the 2012 paper: not what a tagger would say, and
fond of rare tags, but the same where the probabilities are counted and where they are used. A sentence has a
boundary on either side, which counts as a tag; words without any entry share another. Counted are the nodes
of binarized trees, made symbols and tags included, unary chains by their top and bottom, each label once more
`SMOOTHING` times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG, Ids
from secateur.grammar.unaries import chains
from secateur.treebanks.tree import Tree

Floats = npt.NDArray[np.float64]

SMOOTHING = 0.1
CLASSES = ("capital", "letter", "digit", "sign")  # of words, by how they begin
LEAST_SHARE = 1e-6  # of a sub-symbol in its label: none is ruled out by how seldom it is used


@dataclass(frozen=True, eq=False)
class Neighbours:
    """C labels and T tags, those of a grammar's symbols without their sub-symbols; W words and classes."""

    labels: tuple[str, ...]  # [C] sorted
    tags: tuple[str, ...]  # [T] sorted
    tag: Ids  # [W+1] of each word; T+1: it has none
    before: Floats  # [T+2, C] log p(label | tag of the word before); row T is the boundary
    after: Floats  # [T+2, C] log p(label | tag of the word after)

    @classmethod
    def learned(
        cls, grammar: PCFG, trees: Iterable[Tree], binarization: Binarization, *, share: Floats | None = None
    ) -> Neighbours:
        """From normalized trees, for a grammar whose sub-symbols have these shares in their symbols."""
        labels = tuple(sorted(set(grammar.unsplit)))
        tags, tag = _tags(grammar, even_shares(grammar) if share is None else share)

        def seen(tree: Tree) -> Ids:
            return _around(tag[grammar.lexicon.encode(tree.words())], len(tags))

        before, after = count_beside(trees, binarization, labels, seen, len(tags) + 2)
        return cls(labels, tags, tag, _log(before), _log(after))

    def columns_of(self, grammar: PCFG) -> Ids:
        """[N] the label of each symbol."""
        number = {label: c for c, label in enumerate(self.labels)}
        return np.array([number[label] for label in grammar.unsplit], np.uint32)

    def around(self, words: Ids) -> Ids:
        """[n+2] the tags of words, given as ids, with the boundary before and behind them."""
        return _around(self.tag[words], len(self.tags))


def count_beside(
    trees: Iterable[Tree],
    binarization: Binarization,
    labels: Sequence[str],
    tags_of: Callable[[Tree], Ids],
    kinds: int,
) -> tuple[Floats, Floats]:
    """[kinds, C] how often a label stands behind a tag, and before one; other labels are left out.

    tags_of: [n+2] the numbers of a tree's tags, with what is before and behind them.
    """
    number = {label: c for c, label in enumerate(labels)}
    before, after = np.zeros((kinds, len(labels))), np.zeros((kinds, len(labels)))
    for tree in trees:
        around = tags_of(tree)
        for chain, i, k in chains(binarization(tree)):
            for label in {chain[0], chain[-1]} & number.keys():
                before[around[i], number[label]] += 1
                after[around[k + 1], number[label]] += 1
    return before, after


def even_shares(grammar: PCFG) -> Floats:
    """[N] the share of each sub-symbol in its symbol, where all are used alike."""
    _, of, count = np.unique(np.array(grammar.unsplit), return_inverse=True, return_counts=True)
    shares: Floats = 1.0 / count[of]
    return shares


def shares_of(split: SplitPCFG, fine: PCFG) -> Floats:
    """[N] the share of each symbol of `split.flat()` in its unsplit symbol, by how often it is used."""
    found = np.ones(len(fine.symbols))
    for x, name in enumerate(split.coarse.symbols):
        used = split.mass[x, : split.blocks.splits[x]]
        if name == fine.start or used.sum() == 0.0:
            continue
        for a, share in enumerate((used / used.sum()).tolist()):
            if f"{name}~{a}" in fine.number:
                found[fine.number[f"{name}~{a}"]] = share
    return found


def _tags(grammar: PCFG, share: Floats) -> tuple[tuple[str, ...], Ids]:
    """The unsplit tags, and for each word that under which it is likeliest; the first of equals."""
    tags, prob = emissions(grammar, share)
    best = prob.argmax(1)
    best[prob.max(1) == 0.0] = len(tags) + 1
    return tags, best.astype(np.uint32)


def emissions(grammar: PCFG, share: Floats) -> tuple[tuple[str, ...], Floats]:
    """The unsplit tags, and [W+1, T] p(word or class | tag); 0 for what is no word."""
    lexicon = grammar.lexicon
    tags = tuple(sorted({grammar.unsplit[t] for t in np.unique(lexicon.tag).tolist()}))
    number = {name: t for t, name in enumerate(tags)}
    of = np.array([number.get(name, 0) for name in grammar.unsplit])
    words = len(lexicon.words)
    owner = np.repeat(np.arange(words), np.diff(lexicon.ptr)[:words])
    prob = np.zeros((words + 1, len(tags)))
    np.add.at(prob, (owner, of[lexicon.tag]), share[lexicon.tag] * np.exp(lexicon.weight))
    return tags, prob


def class_of(word: str) -> int:
    """Which of CLASSES a word begins with."""
    first = word[:1]
    return 0 if first.isupper() else 1 if first.isalpha() else 2 if first.isdigit() else 3


def _around(tags: Ids, boundary: int) -> Ids:
    return np.concatenate(([boundary], tags, [boundary])).astype(np.uint32)


def _log(counts: Floats) -> Floats:
    smoothed = counts + SMOOTHING
    logs: Floats = np.log(smoothed / smoothed.sum(1, keepdims=True))
    return logs
