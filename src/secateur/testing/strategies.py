"""Hypothesis strategies: random grammars, sentences, masks, anchored scores, split rules and trees.

`exact` draws weights that are multiples of 1/4, whose float32 sums are exact and often equal: what is
tested then is the order among ties, not rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from secateur.grammar.pcfg import PCFG
from secateur.treebanks.tree import Leaf, Tree

if TYPE_CHECKING:
    from secateur.kernels.cky.rules import Anchors
    from secateur.kernels.split.tree_em import Blocks

START = "S"
PHRASES = ("A", "@S", "B^<S>", "S|<A-B>", "C", "@B^<S>")
TAGS = ("t", "u", "v")
WORDS = ("a", "b", "c", "d")
UNKNOWN_WORD = "zzz"  # no grammar drawn here has an entry for it
LABELS = ("S", "NP", "VP", "PP", "X-Y", "Z")

_QUARTERS = (-0.25, -0.5, -1.0, -2.0, -3.75)
_PATHS = ((), (), ("P",), ("P", "A"), ("@S",))


def _seeds() -> st.SearchStrategy[np.random.Generator]:
    """Contents come from a generator of their own: drawn one by one they would seldom make a parse."""
    return st.integers(0, 1 << 32).map(np.random.default_rng)


def _uniform(low: int, high: int) -> st.SearchStrategy[int]:
    """Integers low .. high, none of them favoured."""
    return st.sampled_from(range(low, high + 1))


@st.composite
def grammars(
    draw: st.DrawFn, *, exact: bool = False, unaries: bool = True, tags_apart: bool = False, rules: int = 14
) -> PCFG:
    """Small grammars over the words a to d, ambiguous and not proper.

    tags_apart: symbols with lexical entries have no other rules, as in a treebank. rules: at most so many
    binary ones.
    """
    phrases = (START, *PHRASES[: draw(_uniform(0, len(PHRASES)))])
    tags = TAGS[: draw(_uniform(1, len(TAGS)))]
    most, chains = draw(_uniform(rules // 2, rules)), draw(_uniform(0, 6)) if unaries else 0
    rng = draw(_seeds())

    def pick(names: Sequence[str]) -> str:
        return names[int(rng.integers(len(names)))]

    def weight() -> float:
        return float(rng.choice(_QUARTERS) if exact or rng.random() < 0.5 else rng.uniform(-9.0, 0.0))

    parents = phrases if tags_apart else phrases + tags
    tagged = tags if tags_apart else tags + phrases
    # Every word has an entry, children have rules and the start symbol has most: many sentences have a parse.
    lexical = {(pick(tagged), word) for word in WORDS} | {(pick(tagged), pick(WORDS)) for _ in range(6)}
    grown = sorted({tag for tag, _ in lexical})
    binary = set()
    for m in range(most):
        parent = pick(parents) if m % 2 else START
        binary.add((parent, pick(grown), pick(grown)))
        grown = sorted({*grown, parent})
    unary = {(pick(parents), pick(grown)) for _ in range(chains)}
    return PCFG.build(
        START,
        [(*rule, weight()) for rule in sorted(binary)],
        [(*rule, weight(), _PATHS[int(rng.integers(len(_PATHS)))]) for rule in sorted(unary)],
        [(*entry, weight()) for entry in sorted(lexical)],
    )


@st.composite
def sentences(draw: st.DrawFn, *, longest: int = 7, unknown: bool = True) -> list[str]:
    """Words for `grammars`, now and then one that has no entry."""
    length, rng = draw(_uniform(1, longest)), draw(_seeds())
    words = [WORDS[w] for w in rng.integers(len(WORDS), size=length)]
    if unknown and rng.random() < 0.1:
        words[int(rng.integers(length))] = UNKNOWN_WORD
    return words


def masks(n: int, *, density: float = 0.8) -> st.SearchStrategy[npt.NDArray[np.bool_]]:
    """mask[i, k]: whether the span (i, k) may be built, about this often."""
    return _seeds().map(lambda rng: rng.random((n + 1, n + 1)) < density)


@st.composite
def anchors(draw: st.DrawFn, grammar: PCFG, n: int, *, exact: bool = False) -> Anchors:
    """Scores for all spans and labels, or for tags, or both, or none; some forbid with -inf."""
    from secateur.kernels.cky.rules import Anchors

    rng = draw(_seeds())
    labels = len(grammar.symbols)
    impossible = draw(st.sampled_from((0.0, 0.05, 0.2)))

    def scores(rows: int) -> npt.NDArray[np.float32]:
        if not draw(st.booleans()):
            return np.zeros((0, 0), np.float32)
        drawn = rng.integers(-8, 9, (rows, labels)) / 4 if exact else rng.normal(0.0, 2.0, (rows, labels))
        drawn[rng.random((rows, labels)) < impossible] = -np.inf
        return drawn.astype(np.float32)

    return Anchors(scores(n * (n + 1) // 2), scores(n))


@st.composite
def blocks(draw: st.DrawFn, grammar: PCFG, *, most: int = 3, decades: int = 7) -> Blocks:
    """Probabilities for a grammar's rules with up to so many sub-symbols a symbol; the start symbol has one.

    They are not proper, spread over so many powers of ten, and some are 0.
    """
    from secateur.kernels.split.tree_em import Blocks

    rng = draw(_seeds())
    zeros = draw(st.sampled_from((0.0, 0.1, 0.4)))
    k = rng.integers(1, most + 1, len(grammar.symbols)).astype(np.uint32)
    k[grammar.number[grammar.start]] = 1
    parts: list[npt.NDArray[np.generic]] = []
    for sizes in (
        k[grammar.binary.parent] * k[grammar.binary.left] * k[grammar.binary.right],
        k[grammar.unary.parent] * k[grammar.unary.child],
        k[grammar.lexicon.tag],
    ):
        count = int(sizes.sum())
        p = rng.random(count) * 10.0 ** -rng.integers(0, decades, count)
        parts += [
            np.append(0, np.cumsum(sizes)).astype(np.uint64),
            np.where(rng.random(count) < zeros, 0.0, p),
        ]
    return Blocks(k, *parts)


def trees(
    *,
    labels: Sequence[str] = LABELS,
    tags: Sequence[str] = TAGS,
    words: Sequence[str] = WORDS,
    size: int = 12,
    arity: int = 5,
) -> st.SearchStrategy[Tree]:
    """Continuous trees with unary chains and wide nodes, over at most `size` words or so."""
    word = st.builds(
        lambda tag, word: Tree(tag, (Leaf(0, word),)),
        st.sampled_from(list(tags)),
        st.sampled_from(list(words)),
    )
    label = st.sampled_from(list(labels))

    def phrase(below: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        return st.builds(Tree, label, st.lists(below, min_size=1, max_size=arity).map(tuple))

    return phrase(st.recursive(word, phrase, max_leaves=size)).map(_numbered)


def _numbered(tree: Tree) -> Tree:
    """The same tree with its words numbered from 0, left to right."""
    position = 0

    def walk(node: Tree) -> Tree:
        nonlocal position
        children: list[Tree | Leaf] = []
        for child in node.children:
            if isinstance(child, Tree):
                children.append(walk(child))
            else:
                children.append(Leaf(position, child.word))
                position += 1
        return Tree(node.label, tuple(children))

    return walk(tree)
