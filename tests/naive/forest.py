"""Split grammars over forests: every derivation, with every choice of sub-symbols for its nodes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from naive.cky import BINARY, LEXICAL, UNARY, Step, span_anchor, tag_anchor
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split.tree_em import Blocks

Ids = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]
Number = float | Fraction  # one as the other, for what is too small for floats
Steps = tuple[Step, ...]
Item = tuple[int, int, int]  # symbol, i, k
Binary = tuple[int, int, int, int]  # rule, i, j, k
Unary = tuple[int, int, int]  # rule, i, k


class Parts(NamedTuple):
    """What a derivation consists of. An item is a base if lexical or binary, a node if not under a unary."""

    binary: list[Binary]
    unary: list[Unary]
    base: list[Item]
    node: list[Item]


class Posteriors(NamedTuple):
    """How likely each part is; nothing for what is in no derivation."""

    total: Number  # the sentence's probability
    binary: dict[Binary, float]
    unary: dict[Unary, float]
    base: dict[Item, float]
    node: dict[Item, float]


def children_of(steps: Steps) -> list[list[int]]:
    """The places of each step's children; parents come first, left before right."""
    found: list[list[int]] = [[] for _ in steps]

    def walk(place: int) -> int:
        """Returns the place after this subtree."""
        after = place + 1
        for _ in range({LEXICAL: 0, UNARY: 1, BINARY: 2}[steps[place][0]]):
            found[place].append(after)
            after = walk(after)
        return after

    assert walk(0) == len(steps)
    return found


def parts_of(steps: Steps) -> Parts:
    parts = Parts([], [], [], [])
    children = children_of(steps)
    lower = {below for place, (kind, *_) in enumerate(steps) if kind == UNARY for below in children[place]}
    for place, (kind, x, i, k, rule) in enumerate(steps):
        if kind == BINARY:
            parts.binary.append((rule, i, steps[children[place][0]][3], k))
        if kind == UNARY:
            parts.unary.append((rule, i, k))
        else:
            parts.base.append((x, i, k))
        if place not in lower:
            parts.node.append((x, i, k))
    return parts


def block_of(grammar: PCFG, blocks: Blocks, words: Ids, step: Step) -> Floats:
    """The probabilities of a step's rule, an axis for each of its symbols, the parent's first."""
    kind, x, i, _, rule = step
    k = blocks.splits
    if kind == BINARY:
        shape = [k[x], k[grammar.binary.left[rule]], k[grammar.binary.right[rule]]]
        flat = blocks.binary[blocks.binary_ptr[rule] : blocks.binary_ptr[rule + 1]]
    elif kind == UNARY:
        shape = [k[x], k[grammar.unary.child[rule]]]
        flat = blocks.unary[blocks.unary_ptr[rule] : blocks.unary_ptr[rule + 1]]
    else:
        word = int(words[i])
        entries = range(int(grammar.lexicon.ptr[word]), int(grammar.lexicon.ptr[word + 1]))
        (entry,) = (e for e in entries if grammar.lexicon.tag[e] == x)
        shape = [k[x]]
        flat = blocks.lexical[blocks.lexical_ptr[entry] : blocks.lexical_ptr[entry + 1]]
    return flat.reshape(shape)


def choices(blocks: Blocks, steps: Steps) -> int:
    """How many ways there are to give each node a sub-symbol."""
    return math.prod(int(blocks.splits[x]) for _, x, *_ in steps)


def bonus(anchors: Anchors, steps: Steps) -> Number:
    """exp of a derivation's anchored scores; a fraction where that is out of a number's range."""
    log = sum(
        float(tag_anchor(anchors, i, x) if kind == LEXICAL else span_anchor(anchors, i, k, x))
        for kind, x, i, k, _ in steps
    )
    if abs(log) < 300.0 or log == -math.inf:
        return math.exp(log)
    power = math.floor(log / math.log(2.0))
    return Fraction(2) ** power * Fraction(math.exp(log - power * math.log(2.0)))


def probability(
    grammar: PCFG, blocks: Blocks, words: Ids, steps: Steps, anchors: Anchors = NO_ANCHORS
) -> Number:
    """The sum over all choices of sub-symbols of the product of the rules' probabilities, and anchors."""
    sizes = [int(blocks.splits[x]) for _, x, *_ in steps]
    # [steps, choices]
    choice = np.indices(sizes).reshape(len(steps), -1)
    product: npt.NDArray[Any] = np.ones(choice.shape[1], int)
    for place, below in enumerate(children_of(steps)):
        block = block_of(grammar, blocks, words, steps[place])
        product = product * block[tuple(choice[[place, *below]])]
    total: Number = sum(product.tolist())
    factor = bonus(anchors, steps)
    if isinstance(total, float) and isinstance(factor, float):
        return total * factor
    return Fraction(total) * Fraction(factor)


def kept(steps: Steps, base: Collection[Item], node: Collection[Item]) -> bool:
    """Whether each item of a derivation is among those kept, in its role."""
    parts = parts_of(steps)
    return all(item in base for item in parts.base) and all(item in node for item in parts.node)


def posteriors(weighted: Iterable[tuple[Steps, Number]]) -> Posteriors:
    """From derivations with their probabilities."""
    found: tuple[dict[Any, Number], ...] = ({}, {}, {}, {})
    total: Number = 0
    for steps, weight in weighted:
        total += weight
        every: tuple[list[Any], ...] = parts_of(steps)
        for sums, parts in zip(found, every, strict=True):
            for part in parts:
                sums[part] = sums.get(part, 0) + weight
    shares = [{part: float(weight / total) for part, weight in sums.items() if weight} for sums in found]
    return Posteriors(total, *shares)


def product_of(found: Posteriors, steps: Steps) -> float:
    """Of the posteriors of a derivation's rules: a lexical one's is that of its tag as a base."""
    parts = parts_of(steps)
    tags = [(x, i, k) for kind, x, i, k, _ in steps if kind == LEXICAL]
    return (
        math.prod(found.binary.get(part, 0.0) for part in parts.binary)
        * math.prod(found.unary.get(part, 0.0) for part in parts.unary)
        * math.prod(found.base.get(tag, 0.0) for tag in tags)
    )
