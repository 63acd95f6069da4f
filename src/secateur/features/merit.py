"""Figures of merit that nobody has learned, as priorities: Caraballo and Charniak (1998), for words.

An item is good if it is likely given the sentence: p(N) or p(N | what is beside it), times its inside score,
over the probability of its words. That paper's input are tags; here words are, and tags are summed over. The
probability of the words from i to k, given those before them, comes from a trigram model of tags and the
grammar's p(word | tag): F[k] - F[i] in logs, where F[k] is that of the first k words.

- straight: the inside score
- mean: the inside score over what as many words of this sentence have on average. (The paper's per-word
  inside score, a root, is no sum of tables.)
- trigram: p(N) inside / p(words)
- left: p(N | word before) inside / p(words)
- boundary: p(N | word before) inside p(word after | N) / p(words and the one after)

Sub-symbols have their shares in p(N). The paper's prefix estimate, which needs outside scores of all that is
on the left, is not here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.neighbours import LEAST_SHARE, SMOOTHING, count_beside, emissions, even_shares
from secateur.grammar.binarize import Binarization
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda.priorities import Priorities
from secateur.kernels.prefix import prefixes
from secateur.treebanks.tree import Tree

Floats = npt.NDArray[np.float64]
Merit = Literal["straight", "mean", "trigram", "left", "boundary"]

MERITS: tuple[Merit, ...] = get_args(Merit)
SAVED = ("tags", "usual", "label", "before", "after")
PRIOR = 5.0  # how many tags of the shorter history a history is worth


class Parts(NamedTuple):
    """Of a sentence: what there is to add to the inside score. The sum of all is the boundary estimate."""

    prefix: Floats  # [n+1] log p(the first k words): that at the start less that at the end
    before: Floats  # [n+1, C] log p(label | word before)
    after: Floats  # [n+1, C] log p(word after | label) / p(word after)


@dataclass(frozen=True, eq=False)
class Merits:
    """Of a grammar's items. T tags and the boundary, which comes last; C labels without sub-symbols."""

    grammar: PCFG
    tags: Floats  # [T+1, T+1, T+1] p(tag | the two before); before the first are boundaries, the last is one
    usual: Floats  # [T+1] p(tag)
    label: Floats  # [C] log p(label)
    before: Floats  # [T+1, C] p(label | tag before)
    after: Floats  # [T+1, C] p(tag after | label)
    emitted: Floats  # [W+1, T+1] p(word | tag)
    log_share: Floats  # [N] of a sub-symbol in its label
    of: Ids  # [N] the label of a symbol

    @classmethod
    def learned(
        cls, grammar: PCFG, trees: Iterable[Tree], binarization: Binarization, *, share: Floats | None = None
    ) -> Merits:
        """From normalized trees, for a grammar whose sub-symbols have these shares in their symbols."""
        trees = list(trees)
        names, _ = emissions(grammar, even_shares(grammar))
        boundary = len(names)
        number = {name: t for t, name in enumerate(names)}

        def tags_of(tree: Tree) -> Ids:
            # A tag that the grammar has not counts as a boundary: nothing is known of it.
            inner = [number.get(tag, boundary) for tag in tree.tags()]
            return np.array([boundary, *inner, boundary], np.uint32)

        labels = sorted(set(grammar.unsplit))
        before, after = count_beside(trees, binarization, labels, tags_of, boundary + 1)
        total = before.sum(0) + SMOOTHING
        before, after = before + SMOOTHING, after + SMOOTHING
        usual, three = tag_model([tags_of(tree).tolist() for tree in trees], boundary + 1)
        arrays = {
            "tags": three,
            "usual": usual,
            "label": np.log(total / total.sum()),
            "before": before / before.sum(1, keepdims=True),
            "after": after / after.sum(0),
        }
        return cls.restored(grammar, arrays, share)

    def arrays(self) -> dict[str, Floats]:
        """All that does not follow from the grammar and the shares."""
        return {name: getattr(self, name) for name in SAVED}

    @classmethod
    def restored(cls, grammar: PCFG, arrays: Mapping[str, Floats], share: Floats | None = None) -> Merits:
        """With the grammar and the shares that they were learned with."""
        share = even_shares(grammar) if share is None else share
        labels, of = np.unique(np.array(grammar.unsplit), return_inverse=True)
        names, known = emissions(grammar, share)
        tags, kinds = len(names) + 1, len(labels)
        shapes = ((tags, tags, tags), (tags,), (kinds,), (tags, kinds), (tags, kinds))
        if tuple(arrays[name].shape for name in SAVED) != shapes:
            raise InputError("figures of merit of another grammar", fix="learn them for this one")
        emitted = np.concatenate((known, np.zeros((len(known), 1))), axis=1)
        emitted[known.max(1) == 0.0, : len(names)] = 1.0  # no word tells that it cannot be
        log_share = np.log(np.maximum(share, LEAST_SHARE))
        saved = {name: arrays[name] for name in SAVED}
        return cls(grammar, **saved, emitted=emitted, log_share=log_share, of=of.astype(np.uint32))

    def parts(self, words: Ids) -> Parts:
        """Of a sentence, given as word ids."""
        prefix, n = self.prefixes(words), len(words)
        before = np.log(self.tags_beside(words)[: n + 1] @ self.before)
        after = np.log(self.words_beside(words)[1:] @ self.after) - np.diff(prefix)[:, None]
        return Parts(prefix[: n + 1], before, after)

    def tables(self, words: Sequence[str], merit: Merit) -> Priorities:
        """Of all items of a sentence."""
        if merit not in MERITS:
            raise InputError(f"unknown figure of merit {merit!r}", fix=f"choose from {', '.join(MERITS)}")
        n, symbols = len(words), len(self.of)
        prefix, before, after = self.parts(self.grammar.lexicon.encode(words))
        first, last = np.zeros((n + 1, symbols)), np.zeros((n + 1, symbols))
        span = np.zeros((n + 1, n + 1))
        if merit == "mean":
            span -= (np.arange(n + 1) - np.arange(n + 1)[:, None]) * prefix[n] / n
        elif merit != "straight":
            span += prefix[:, None] - prefix
            label = self.label if merit == "trigram" else before
            first[:] = label[..., self.of] + self.log_share
            if merit == "boundary":
                last[:] = after[:, self.of]
        column, nothing = np.arange(symbols, dtype=np.uint32), np.zeros((0, 0), np.float32)
        return Priorities(1.0, span, first, last, column, nothing, np.zeros(symbols, np.uint32))

    def prefixes(self, words: Ids) -> Floats:
        """[n+2] log p(the first k words), and last that of all words and no more."""
        found: Floats = prefixes(self.tags, self.emitted, words)
        return found

    def tags_beside(self, words: Ids) -> Floats:
        """[n+2, T+1] p(tag | word), with the boundaries before and behind the sentence."""
        likely = self.words_beside(words) * self.usual
        shares: Floats = likely / likely.sum(1, keepdims=True)
        return shares

    def words_beside(self, words: Ids) -> Floats:
        """[n+2, T+1] p(word | tag) in the same way."""
        boundary = np.zeros((1, len(self.usual)))
        boundary[0, -1] = 1.0
        return np.concatenate((boundary, self.emitted[words], boundary))


def tag_model(sequences: Iterable[Sequence[int]], tags: int) -> tuple[Floats, Floats]:
    """p(tag), and p(tag | the two before); the last tag is the boundary, which begins and ends a sequence.

    What a history shows is mixed with what PRIOR more of the shorter history would show on average:
    p(c | a, b) = (count(a, b, c) + PRIOR p(c | b)) / (count(a, b) + PRIOR), and p(c | b) likewise.
    """
    triples: Counter[tuple[int, int, int]] = Counter()
    for sequence in sequences:
        padded = [tags - 1, *sequence]
        triples.update(zip(padded, padded[1:], padded[2:], strict=False))
    three = np.zeros((tags, tags, tags))
    for where, count in triples.items():
        three[where] = count
    one = three.sum((0, 1)) + SMOOTHING
    usual = one / one.sum()
    two = _mixed(three.sum(0), usual)
    return usual, _mixed(three, two)


def _mixed(counts: Floats, shorter: Floats) -> Floats:
    found: Floats = (counts + PRIOR * shorter) / (counts.sum(-1, keepdims=True) + PRIOR)
    return found
