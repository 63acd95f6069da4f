"""The grammars of a hierarchy's levels as one, coarse before fine: symbols of all levels in one numbering.

Each symbol but those of level 0 is seen from the level before as one symbol there, whose rules are at least
as likely. A level's symbols begin at a multiple of 64, so that sets of its symbols are whole words of bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..cky.rules import Rules
from .joins import Joins, Side, joins_of
from .state import NONE

WORD = 64
MOST_LEVELS = 16
MOST_SYMBOLS = 1 << 28


class Levels(NamedTuple):
    """L levels, N symbols of all of them, W words; index arrays are uint32, weights float32."""

    begin: np.ndarray  # [L+1] int64 the symbols of a level
    start: np.ndarray  # [L] its start symbol
    lex_ptr: np.ndarray  # [L, W+1] entries of a word
    lex_tag: np.ndarray
    lex_weight: np.ndarray
    over_ptr: np.ndarray  # [N+1] unary rules by child
    over: np.ndarray  # their parents
    over_weight: np.ndarray
    over_rule: np.ndarray  # ids in the grammar of their level, as all rule ids here
    under_ptr: np.ndarray  # [N+1] unary rules by parent
    under: np.ndarray  # their children
    under_weight: np.ndarray
    joins: Joins  # binary rules by either child; bits are those of the level's own words
    made_ptr: np.ndarray  # [N+1] binary rules by parent
    made_left: np.ndarray
    made_right: np.ndarray
    made_weight: np.ndarray
    seen: np.ndarray  # [N] the symbol of the level before; NONE at level 0
    finer_ptr: np.ndarray  # [N+1] symbols of the next level that are seen as this one
    finer: np.ndarray


def levels_of(grammars: Sequence[Rules], seen: Sequence[np.ndarray]) -> Levels:
    """`seen[m]`: of the symbols of level m+1 those of level m, each in the numbering of its own level."""
    if not 0 < len(grammars) <= MOST_LEVELS:
        raise ValueError(f"{len(grammars)} levels: there may be 1 to {MOST_LEVELS}")
    sizes = [len(rules.pair_ptr) - 1 for rules in grammars]
    begin = np.concatenate(([0], np.cumsum([-(-size // WORD) * WORD for size in sizes]))).astype(np.int64)
    if begin[-1] > MOST_SYMBOLS:
        raise ValueError(f"{begin[-1]} symbols: there may be {MOST_SYMBOLS}")

    def all_of(column: str, *, symbols: bool = False) -> np.ndarray:
        """A column of all grammars; of symbols, in the common numbering."""
        own = [getattr(rules, column) for rules in grammars]
        if symbols:
            own = [np.asarray(one + first, np.uint32) for one, first in zip(own, begin, strict=False)]
        return np.concatenate(own)

    n = int(begin[-1])
    entries = np.cumsum([0, *(len(rules.lex_tag) for rules in grammars)])
    child, over = all_of("unary_child", symbols=True), all_of("unary_parent", symbols=True)
    weight = all_of("unary_weight")
    left, right = all_of("rule_left", symbols=True), all_of("rule_right", symbols=True)
    parent, rule_weight = all_of("rule_parent", symbols=True), all_of("rule_weight")
    by_parent, by_over = np.argsort(parent, kind="stable"), np.argsort(over, kind="stable")
    seen_as = np.full(n, NONE, np.uint32)
    for level, column in enumerate(seen, 1):
        seen_as[begin[level] : begin[level] + sizes[level]] = column + begin[level - 1]
    finer = np.flatnonzero(seen_as != NONE)
    finer = finer[np.argsort(seen_as[finer], kind="stable")]
    return Levels(
        begin,
        np.array([rules.start for rules in grammars] + begin[:-1], np.uint32),
        np.stack([rules.lex_ptr + e for rules, e in zip(grammars, entries, strict=False)]).astype(np.uint32),
        all_of("lex_tag", symbols=True),
        all_of("lex_weight"),
        _pointers(child, n),
        over,
        weight,
        np.concatenate([np.arange(len(rules.unary_child), dtype=np.uint32) for rules in grammars]),
        _pointers(over, n),
        child[by_over],
        weight[by_over],
        _joined([joins_of(rules) for rules in grammars], begin),
        _pointers(parent, n),
        left[by_parent],
        right[by_parent],
        rule_weight[by_parent],
        seen_as,
        _pointers(seen_as[finer], n),
        finer.astype(np.uint32),
    )


def _pointers(symbols: np.ndarray, count: int) -> np.ndarray:
    """Where what belongs to each symbol begins, sorted by it."""
    return np.concatenate(([0], np.cumsum(np.bincount(symbols, minlength=count)))).astype(np.uint32)


def _joined(every: Sequence[Joins], begin: np.ndarray) -> Joins:
    return Joins(*(_side([getattr(joins, side) for joins in every], begin) for side in Joins._fields))


def _side(every: Sequence[Side], begin: np.ndarray) -> Side:
    rules = np.cumsum([0, *(len(side.rule) for side in every)])
    pairs = np.cumsum([0, *(len(side.rule_ptr) - 1 for side in every)])
    wide = max(side.siblings.shape[1] for side in every)
    siblings, rank = np.zeros((begin[-1], wide), np.uint64), np.zeros((begin[-1], wide), np.uint32)
    uses = np.zeros(begin[-1], np.int64)
    for side, first, before in zip(every, begin, pairs, strict=False):
        own = slice(first, first + len(side.siblings)), slice(side.siblings.shape[1])
        siblings[own], rank[own] = side.siblings, side.rank + np.uint32(before)
        uses[own[0]] = side.uses

    def moved(column: str, by: np.ndarray, cut: int | None = None) -> list[Any]:
        return [getattr(side, column)[:cut] + start for side, start in zip(every, by, strict=False)]

    return Side(
        siblings,
        rank,
        np.concatenate([*moved("rule_ptr", rules, -1), rules[-1:]]).astype(np.uint32),
        np.concatenate(moved("parent", begin)).astype(np.uint32),
        np.concatenate([side.weight for side in every]),
        np.concatenate([side.rule for side in every]),
        uses,
    )
