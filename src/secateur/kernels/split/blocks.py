"""A split grammar as the block kernels see it.

The sub-symbols of a symbol stand side by side, in blocks of eight lanes; what is left of the last block is
impossible. A rule x -> y z is cut into rows: one sub-symbol of y, one of z and eight of x, so that a row is
one vector. Rows without a possible parent are left out; training leaves few others, but those nearly full.

Rows are grouped by their parents' block, and groups by the pair (y, z), for which scores are first taken over
all splits. Those are kept in strips: one sub-symbol of y and eight of z, one vector again. So the part of the
work that goes with the number of splits does not go with the number of rules, and none of it goes by single
numbers.

Charts hold a vector for each span and block, twice: by (start, block) over ends, and by (end, block) over
starts, so that splits are neighbours. Bits say which symbols a cell holds: what they do not name is never
written nor read. Numba counts references to all arrays of a tuple that a function is given: functions that
take a whole grammar are called once a cell, not once a pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .simd import LANES, trailing_zeros

ONE = np.uint64(1)


class Padded(NamedTuple):
    """N symbols, P distinct pairs of children, T strips (F turned round), R rules with G groups and M rows, U
    unary rules with H groups and V rows, W words, L lexical entries. Ids of symbols and rules are those of
    the unsplit grammar, whose rules are sorted by (left, right, parent). Index arrays are uint32.

    Lanes are numbered through: sub-symbol a of x has lane 8 * block_ptr[x] + a.
    """

    start: int
    block_ptr: np.ndarray  # [N+1] blocks of a symbol
    pair_ptr: np.ndarray  # [N+1] pairs whose left child is y
    pair_right: np.ndarray  # [P] right child
    pair_rule: np.ndarray  # [P+1] rules of a pair
    pair_size: np.ndarray  # [P] uint64, how many rules of sub-symbols are possible
    strip_ptr: np.ndarray  # [P+1] strips of a pair, by the right child's block
    strip_left: np.ndarray  # [T] lane
    strip_right: np.ndarray  # [T] block
    flip_ptr: np.ndarray  # [P+1] the same turned round: one sub-symbol of the right child, eight of the left
    flip_right: np.ndarray  # [F] lane
    flip_left: np.ndarray  # [F] block
    rule_parent: np.ndarray  # [R]
    rule_left: np.ndarray  # [R]
    rule_right: np.ndarray  # [R]
    rule_pair: np.ndarray  # [R]
    made_ptr: np.ndarray  # [N+1] rules whose parent is x ...
    made: np.ndarray  # [R] ... ascending
    group_ptr: np.ndarray  # [R+1] groups of a rule
    group_block: np.ndarray  # [G] the parents' block
    row_ptr: np.ndarray  # [G+1] rows of a group, by the left and then the right sub-symbol
    row_at: np.ndarray  # [M] place of the children: 8 * (strip, counted from the pair's first) + lane
    row_flip: np.ndarray  # [M] the same in the strips turned round
    weight: np.ndarray  # [8 M] float32, natural log
    prob: np.ndarray  # [8 M] float64
    unary_ptr: np.ndarray  # [N+1] unary rules whose child is y
    unary_parent: np.ndarray  # [U]
    unary_child: np.ndarray  # [U]
    unary_size: np.ndarray  # [U] uint64, as pair_size
    unary_group_ptr: np.ndarray  # [U+1]
    unary_block: np.ndarray  # [H] the parents' block
    unary_row_ptr: np.ndarray  # [H+1] rows of a group, by the sub-symbol below
    unary_lane: np.ndarray  # [V] the child's lane
    unary_weight: np.ndarray  # [8 V] float32
    unary_prob: np.ndarray  # [8 V] float64
    lex_ptr: np.ndarray  # [W+2] entries of a word
    lex_tag: np.ndarray  # [L]
    lex_size: np.ndarray  # [L] uint64, as pair_size
    lex_at: np.ndarray  # [L] where an entry's vectors begin, one for each block of its tag
    lex_weight: np.ndarray  # float32
    lex_prob: np.ndarray  # float64


@njit(inline="always")
def row_from(n, columns, i, column):
    """Where the row of (start, column) begins in an array by starts, columns and ends: that of end 0."""
    return columns * (i * n - i * (i - 1) // 2) + column * (n - i) - i - 1


@njit(inline="always")
def row_to(columns, k, column):
    """Where the row of (end, column) begins in an array by ends, columns and starts."""
    return columns * (k * (k - 1) // 2) + column * k


@njit(inline="always")
def at_from(n, blocks, i, block):
    """The row of (start, block), if each element of it is a vector."""
    return LANES * row_from(n, blocks, i, block)


@njit(inline="always")
def lane_from(n, blocks, i, lane):
    """The same for one lane."""
    return at_from(n, blocks, i, np.int64(lane) >> 3) + (np.int64(lane) & 7)


@njit(inline="always")
def at_to(blocks, k, block):
    """The row of (end, block), if each element of it is a vector."""
    return LANES * row_to(blocks, k, block)


@njit(inline="always")
def lane_to(blocks, k, lane):
    """The same for one lane."""
    return at_to(blocks, k, np.int64(lane) >> 3) + (np.int64(lane) & 7)


@njit(inline="always")
def list_bits(both, first, at, found):
    """The numbers of a word's bits, counted from `first` and eightfold, at the end of a list; its length."""
    while both:
        at[np.uint64(found)] = LANES * (first + np.int64(trailing_zeros(both)))
        both &= both - ONE
        found += 1
    return found


@njit(cache=True, nogil=True)
def holds(ends, i, k, x):
    """Whether (i, k, x) is an item."""
    return ((ends[i, x, k >> 6] >> np.uint64(k & 63)) & ONE) == ONE
