"""A grammar as the kernels see it: arrays, grouped for the loops that use them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Rules(NamedTuple):
    """Rule ids are positions in the grammar's own order, sorted by (left, right, parent).

    N symbols, P distinct child pairs, R binary and U unary rules, W words and word classes, L lexical
    entries. Index arrays are uint32 (numba guards signed indices, at a price), Viterbi weights float32.
    """

    start: int
    pair_ptr: np.ndarray  # [N+1] pairs whose left child is y: pair_ptr[y] .. pair_ptr[y+1]
    pair_right: np.ndarray  # [P] right child
    rule_ptr: np.ndarray  # [P+1] rules of a pair
    rule_parent: np.ndarray  # [R]
    rule_left: np.ndarray  # [R]
    rule_right: np.ndarray  # [R]
    rule_weight: np.ndarray  # [R] float32, natural log
    rule_prob: np.ndarray  # [R] float64, exp of the log weight
    made_ptr: np.ndarray  # [N+1] rules whose parent is x ...
    made: np.ndarray  # [R] ... as rule ids, ascending
    unary_ptr: np.ndarray  # [N+1] unary rules whose child is y: ids unary_ptr[y] .. unary_ptr[y+1]
    unary_parent: np.ndarray  # [U]
    unary_child: np.ndarray  # [U]
    unary_weight: np.ndarray  # [U] float32
    unary_prob: np.ndarray  # [U] float64
    lex_ptr: np.ndarray  # [W+1] entries of a word
    lex_tag: np.ndarray  # [L]
    lex_weight: np.ndarray  # [L] float32
    lex_log: np.ndarray  # [L] float64


class Anchors(NamedTuple):
    """Scores a caller adds per sentence, natural log; arrays of shape (0, 0) mean none."""

    span: np.ndarray  # [n*(n+1)/2, N] float32, added to every phrase node of that span and label
    tag: np.ndarray  # [n, N] float32, added to every lexical entry at that position


NO_ANCHORS = Anchors(np.zeros((0, 0), np.float32), np.zeros((0, 0), np.float32))


def _index(counts: np.ndarray) -> np.ndarray:
    """Offsets from counts: [n] -> [n+1]."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)


def build_rules(
    symbols: int,
    start: int,
    binary: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    unary: tuple[np.ndarray, np.ndarray, np.ndarray],
    lexicon: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> Rules:
    """Group rules for the kernels.

    binary = (left, right, parent, log weight) sorted by the first three; unary = (child, parent, log weight)
    sorted by the first two; lexicon = (offsets per word, tag, log weight).
    """
    left, right, parent, weight = binary
    child, over, unary_weight = unary
    lex_ptr, lex_tag, lex_weight = lexicon
    fresh = np.ones(len(left), bool)
    fresh[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
    first = np.flatnonzero(fresh)
    return Rules(
        start=start,
        pair_ptr=_index(np.bincount(left[first], minlength=symbols)),
        pair_right=right[first].astype(np.uint32),
        rule_ptr=np.append(first, len(left)).astype(np.uint32),
        rule_parent=parent.astype(np.uint32),
        rule_left=left.astype(np.uint32),
        rule_right=right.astype(np.uint32),
        rule_weight=weight.astype(np.float32),
        rule_prob=np.exp(weight),
        made_ptr=_index(np.bincount(parent, minlength=symbols)),
        made=np.argsort(parent, kind="stable").astype(np.uint32),
        unary_ptr=_index(np.bincount(child, minlength=symbols)),
        unary_parent=over.astype(np.uint32),
        unary_child=child.astype(np.uint32),
        unary_weight=unary_weight.astype(np.float32),
        unary_prob=np.exp(unary_weight),
        lex_ptr=lex_ptr.astype(np.uint32),
        lex_tag=lex_tag.astype(np.uint32),
        lex_weight=lex_weight.astype(np.float32),
        lex_log=lex_weight.astype(np.float64),
    )
