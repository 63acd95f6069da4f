"""Binary rules by either child, as a popped item looks them up.

The siblings of a symbol are a set of bits, which meets the set of the symbols that stand at a position: most
siblings do not. A sibling's rules are found by its rank in the set. The likeliest come first: where delta
drops one, it drops those after it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..cky.rules import Rules


class Side(NamedTuple):
    """Rules by the child on one side, by its sibling, by weight (large first), by id. P pairs, R rules."""

    siblings: np.ndarray  # [N, words64] uint64, whom a symbol has beside it, as a set of bits
    rank: np.ndarray  # [N, words64] uint32, pairs before those of this word
    rule_ptr: np.ndarray  # [P+1] uint32, rules of a pair
    parent: np.ndarray  # [R] uint32
    weight: np.ndarray  # [R] float32
    rule: np.ndarray  # [R] uint32, the id
    uses: np.ndarray  # [N] int64, rules with this child


class Joins(NamedTuple):
    left: Side  # by left child
    right: Side


def joins_of(rules: Rules) -> Joins:
    return Joins(
        _side(rules, rules.rule_left, rules.rule_right), _side(rules, rules.rule_right, rules.rule_left)
    )


def _side(rules: Rules, own: np.ndarray, sibling: np.ndarray) -> Side:
    symbols = len(rules.pair_ptr) - 1
    order = np.lexsort((-rules.rule_weight, sibling, own)).astype(np.uint32)
    own, sibling = own[order], sibling[order]
    fresh = np.ones(len(order), bool)
    fresh[1:] = (own[1:] != own[:-1]) | (sibling[1:] != sibling[:-1])
    first = np.flatnonzero(fresh)
    word = sibling[first] >> 6
    bits = np.zeros((symbols, (symbols + 63) // 64), np.uint64)
    np.bitwise_or.at(bits, (own[first], word), np.uint64(1) << (sibling[first] & 63).astype(np.uint64))
    count = np.zeros(bits.shape, np.uint32)
    np.add.at(count, (own[first], word), 1)
    before = np.cumsum(count.ravel()) - count.ravel()
    return Side(
        bits,
        before.reshape(bits.shape).astype(np.uint32),
        np.append(first, len(order)).astype(np.uint32),
        rules.rule_parent[order],
        rules.rule_weight[order],
        order,
        np.bincount(own, minlength=symbols),
    )
