"""A PLCFRS as the kernels see it: arrays, grouped for the loops that use them.

Boundaries of a position set with f components are numbered 0, 1, ..., 2f - 1: where its first component
starts, where it ends (exclusive), where the second starts, and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NONE = np.uint32(0xFFFFFFFF)
TWO, ONE, RANGE = range(3)  # how partners are looked up: by two boundaries, by one, by those beyond one
EQUAL, BELOW, ABOVE = range(3)  # how one's own boundary stands to the partner's


class Patterns(NamedTuple):
    """P different yield functions of two children. Tests and boundaries are rows of small numbers; own says
    who is at hand, 0 the left child."""

    parent: np.ndarray  # [P] uint8 fan-out of the parent
    bound: np.ndarray  # [P, 2 * F, 2] uint8: for each boundary of the parent: whose, which
    plan: np.ndarray  # [2, P, 6] uint8 by own: mode, its boundaries, the partner's, and whether a range is of
    # those above
    test_ptr: np.ndarray  # [2, P+1] uint32 by own: what of a partner that was looked up is still to be tested
    test: np.ndarray  # [., 3] uint8: a boundary, the partner's, EQUAL, BELOW or ABOVE


class Index(NamedTuple):
    """Rules by one of their children: a symbol has groups by pattern, these have pairs by the other child."""

    ptr: np.ndarray  # [N+1] uint32 groups of a symbol
    pattern: np.ndarray  # [G] uint32
    group_ptr: np.ndarray  # [G+1] uint32 pairs of a group
    other: np.ndarray  # [.] uint32 local number of the other child
    pair_ptr: np.ndarray  # [. + 1] uint32 rules of a pair
    rule: np.ndarray  # [R] uint32 place among the rules


class Rules(NamedTuple):
    """N symbols, those of one fan-out numbered among themselves (`local`), P patterns.

    Binary rules stand by left symbol, pattern and right symbol, as in the index of left children. Rule ids
    are those of the grammar.
    """

    start: int
    chains: bool  # unary rules may follow each other
    fanout: np.ndarray  # [N] uint8
    local: np.ndarray  # [N] uint32
    width: np.ndarray  # [F+1] uint32 symbols of each fan-out
    symbol_ptr: np.ndarray  # [F+2] uint32
    symbol: np.ndarray  # [N] uint32 by fan-out and local number
    by_child: tuple[Index, Index]  # by left children, and by right ones
    rule_parent: np.ndarray  # [R] uint32 local number
    rule_weight: np.ndarray  # [R] float64
    rule_id: np.ndarray  # [R] uint32
    as_right: np.ndarray  # [N, W] uint64 the patterns of which a symbol is a right child, as bits
    unary_ptr: np.ndarray  # [N+1] uint32 by child
    unary_parent: np.ndarray  # [U] uint32 symbol
    unary_child: np.ndarray  # [U] uint32 symbol
    unary_weight: np.ndarray  # [U] float64
    component: np.ndarray  # [N] uint32 symbols that unary rules lead to and back from have the same
    lex_ptr: np.ndarray  # [W+1] uint32
    lex_tag: np.ndarray  # [L] uint32
    lex_weight: np.ndarray  # [L] float64
    patterns: Patterns


def segments_of(code: int) -> list[tuple[int, bool]]:
    """(child, whether a gap follows) of each segment of a pattern, from left to right."""
    found = []
    while code > 1:
        found.append(((code >> 1) & 1, bool(code & 1)))
        code >>= 2
    return found[::-1]


class _Layout(NamedTuple):
    """A pattern worked out."""

    fanout: int  # of the parent
    checks: list[tuple[int, int, int, int]]
    bounds: list[tuple[int, int]]


def _layout(code: int) -> _Layout:
    segments = segments_of(code)
    seen = [0, 0]
    places = []  # (child, component)
    for child, _ in segments:
        places.append((child, seen[child]))
        seen[child] += 1
    checks, bounds = [], []
    for number, ((child, part), (_, gap)) in enumerate(zip(places, segments, strict=True)):
        if number == 0 or segments[number - 1][1]:
            bounds.append((child, 2 * part))
        last = number + 1 == len(places)
        if gap or last:
            bounds.append((child, 2 * part + 1))
        if not last and places[number + 1][0] != child:
            checks.append((child, 2 * part + 1, 2 * places[number + 1][1], int(gap)))
    return _Layout(len(bounds) // 2, checks, bounds)


class _Plan(NamedTuple):
    """How the partner of one child is found, and what is to be tested of it then."""

    row: tuple[int, int, int, int, int, bool]
    tests: list[tuple[int, int, int]]


def _plan(layout: _Layout, own: int) -> _Plan:
    found = []  # a gap or not, own boundary, the partner's, whether that is above
    for child, end, start, gap in sorted(layout.checks, key=lambda check: check[3]):
        found.append((gap, end, start, True) if child == own else (gap, start, end, False))
    (gap, mine, theirs, above), *rest = found
    mode, second = RANGE if gap else ONE, (0, 0)
    touching = [check for check in rest if not check[0]]
    if touching:
        mode, second = TWO, touching[-1][1:3]
        rest.remove(touching[-1])
    tests = [(m, t, EQUAL if not g else BELOW if up else ABOVE) for g, m, t, up in rest]
    return _Plan((mode, mine, second[0], theirs, second[1], above), tests)


def _patterns(codes: list[int], largest: int) -> Patterns:
    layouts = [_layout(code) for code in codes]
    bound = np.zeros((len(codes), 2 * largest, 2), np.uint8)
    for number, layout in enumerate(layouts):
        bound[number, : len(layout.bounds)] = layout.bounds
    plans = [[_plan(layout, own) for layout in layouts] for own in (0, 1)]
    ptr = _index([len(plan.tests) for plan in (*plans[0], *plans[1])])
    return Patterns(
        np.array([layout.fanout for layout in layouts], np.uint8),
        bound,
        np.array([[plan.row for plan in side] for side in plans], np.uint8).reshape(2, -1, 6),
        np.stack((ptr[: len(codes) + 1], ptr[len(codes) :])),
        np.array([test for side in plans for plan in side for test in plan.tests], np.uint8).reshape(-1, 3),
    )


def _index(counts) -> np.ndarray:
    """Offsets from counts: [n] -> [n+1]."""
    return np.concatenate(([0], np.cumsum(np.asarray(counts, np.int64)))).astype(np.uint32)


def _by(child: np.ndarray, other: np.ndarray, pattern: np.ndarray, local: np.ndarray) -> Index:
    order = np.lexsort((np.arange(len(child)), other, pattern, child))
    child, other, pattern = child[order], other[order], pattern[order]
    new_group = _changes(child, pattern)
    pairs = np.flatnonzero(new_group | _changes(other))  # the first rule of each
    groups = np.flatnonzero(new_group)
    return Index(
        ptr=_index(np.bincount(child[groups], minlength=len(local))),
        pattern=pattern[groups].astype(np.uint32),
        group_ptr=np.searchsorted(pairs, np.append(groups, len(child))).astype(np.uint32),
        other=local[other[pairs]],
        pair_ptr=np.append(pairs, len(child)).astype(np.uint32),
        rule=order.astype(np.uint32),
    )


def _changes(*columns: np.ndarray) -> np.ndarray:
    """Where rows differ from those before them; the first does."""
    found = np.zeros(len(columns[0]), bool)
    found[:1] = True
    for column in columns:
        found[1:] |= column[1:] != column[:-1]
    return found


def _bits(symbols: np.ndarray, pattern: np.ndarray, count: int, patterns: int) -> np.ndarray:
    found = np.zeros((count, max((patterns + 63) // 64, 1)), np.uint64)
    np.bitwise_or.at(found, (symbols, pattern >> 6), np.uint64(1) << (pattern & 63).astype(np.uint64))
    return found


def _components(count: int, child: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Numbers of the strongly connected components of the unary rules."""
    reach = {}
    above: dict[int, list[int]] = {}
    for y, x in zip(child.tolist(), parent.tolist(), strict=True):
        above.setdefault(y, []).append(x)
    for symbol in above:
        seen, waiting = {symbol}, [symbol]
        while waiting:
            for x in above.get(waiting.pop(), ()):
                if x not in seen:
                    seen.add(x)
                    waiting.append(x)
        reach[symbol] = seen
    found = np.arange(count, dtype=np.uint32)
    for symbol, seen in reach.items():
        found[symbol] = min((other for other in seen if symbol in reach.get(other, ())), default=symbol)
    return found


def build_rules(
    start: int,
    chains: bool,
    fanout: np.ndarray,
    binary: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    unary: tuple[np.ndarray, np.ndarray, np.ndarray],
    lexicon: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> Rules:
    """Group rules for the kernels.

    binary = (left, right, parent, pattern, log weight), in the order of rule ids; unary = (child, parent, log
    weight) sorted by the first two; lexicon = (offsets by word, tag, log weight).
    """
    left, right, parent, code, weight = binary
    number = np.arange(len(left), dtype=np.uint32)
    symbols, largest = len(fanout), int(fanout.max(initial=1))
    codes, pattern = np.unique(code, return_inverse=True)
    # What the same children make stands side by side, in few lines of the processor's cache.
    first_rule = np.full(symbols, len(left))
    np.minimum.at(first_rule, parent[np.lexsort((right, code, left))], np.arange(len(left)))
    by_fanout = np.lexsort((np.arange(symbols), first_rule, fanout))
    width = np.bincount(fanout, minlength=largest + 1)
    symbol_ptr = _index(width)
    local = np.empty(symbols, np.uint32)
    local[by_fanout] = np.arange(symbols, dtype=np.uint32) - symbol_ptr[fanout[by_fanout]]
    order = np.lexsort((number, right, pattern, left))
    left, right, parent, pattern, weight, number = (
        array[order] for array in (left, right, parent, pattern, weight, number)
    )
    child, over, unary_weight = unary
    return Rules(
        start=start,
        chains=chains,
        fanout=fanout.astype(np.uint8),
        local=local,
        width=width.astype(np.uint32),
        symbol_ptr=symbol_ptr,
        symbol=by_fanout.astype(np.uint32),
        by_child=(_by(left, right, pattern, local), _by(right, left, pattern, local)),
        rule_parent=local[parent],
        rule_weight=np.ascontiguousarray(weight, np.float64),
        rule_id=number.astype(np.uint32),
        as_right=_bits(right, pattern, symbols, len(codes)),
        unary_ptr=_index(np.bincount(child, minlength=symbols)),
        unary_parent=over.astype(np.uint32),
        unary_child=child.astype(np.uint32),
        unary_weight=np.ascontiguousarray(unary_weight, np.float64),
        component=_components(symbols, child, over),
        lex_ptr=lexicon[0].astype(np.uint32),
        lex_tag=lexicon[1].astype(np.uint32),
        lex_weight=np.ascontiguousarray(lexicon[2], np.float64),
        patterns=_patterns([int(c) for c in codes], largest),
    )
