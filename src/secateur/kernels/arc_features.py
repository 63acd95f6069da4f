"""Scores and features of arcs, and of arcs with an adjacent sibling, by hashed patterns.

A pattern's key is a sum of parts: what it takes from around the head, around the modifier, around the
sibling, and of what stands between. Each part is a 64-bit hash made once for each word, so that an arc costs
one addition and one look-up. The highest bits of the key name a weight. The weight with the direction and
length of the arc stands on the same line of 16, so that the two templates of a pattern share a line of the
cache: bare in slot s, with distance d (1 to 14) in slot s + d modulo 16.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .hashing import mix

# The parts of a key, in the order in which a pattern's atoms stand.
HEAD, MODIFIER, SIBLING, BETWEEN = range(4)
# What a pattern looks at between its two ends.
NOTHING, EACH, TAG_SET, VERBS, POINTS = range(5)
# The two templates of a pattern, as bits.
BARE, FAR = 1, 2

LINE = np.uint64(15)
FEW = 1  # parts are few where so many times their number is not more than the words
MOST = 3  # verbs or points between are counted so far

# Columns stand for: what is before the root, the root, the n words, what is behind them, no sibling.
AROUND = 4  # columns that are no words


class Patterns(NamedTuple):
    """Q patterns of A atoms in all."""

    seed: np.ndarray  # [Q] uint64
    ptr: np.ndarray  # [Q, 5] uint32, where the atoms of each part start; the next part's start ends them
    column: np.ndarray  # [A] uint32, which view
    offset: np.ndarray  # [A] int64, -1, 0 or 1
    between: np.ndarray  # [Q] uint32, one of NOTHING .. POINTS


class Sentence(NamedTuple):
    """The words of a sentence as keys."""

    keys: np.ndarray  # [views, n + 4] uint64; the first view is the coarse tag
    is_verb: np.ndarray  # [n + 1] bool, by position; the root is none
    is_point: np.ndarray  # [n + 1] bool


class Group(NamedTuple):
    """Templates to be computed together."""

    pattern: np.ndarray  # [G] uint32
    wanted: np.ndarray  # [G] uint32, BARE, FAR or both


@njit(cache=True, nogil=True)
def part_keys(seed, ptr, column, offset, q, part, keys, out):
    """out[q, p]: the part's share in the key of pattern q when it is around position p.

    share = seed folded with every atom; nothing where there are no atoms, but the head's is there always.
    """
    places = keys.shape[1] - 2  # positions 0 to n, and none at n + 1
    first, last = ptr[q, part], ptr[q, part + 1]
    if first == last and part != HEAD:
        for p in range(places):
            out[q, p] = np.uint64(0)
        return
    state = mix(seed[q], np.uint64(part + 1))
    for p in range(places):
        out[q, p] = state
    for a in range(first, last):
        view, shift = column[a], offset[a] + 1
        for p in range(places - 1):
            out[q, p] = mix(out[q, p], keys[view, p + shift])
        out[q, places - 1] = mix(out[q, places - 1], keys[view, places + 1])


@njit(cache=True, nogil=True)
def tag_sets(keys, out):
    """out[l, r]: a hash of the set of keys strictly between the positions l < r.

    out[l, r+1] = out[l, r] + key(r) if r is the first of its kind behind l
    """
    n = keys.shape[0] - AROUND
    for r in range(1, n + 1):
        earlier = r - 1  # the nearest position before with the same key
        while earlier > 0 and keys[earlier + 1] != keys[r + 1]:
            earlier -= 1
        out[r - 1, r] = np.uint64(0)
        for left in range(r):
            out[left, r + 1] = out[left, r] + (keys[r + 1] if earlier <= left else np.uint64(0))


@njit(cache=True, nogil=True)
def counts_before(flags):
    """out[p]: how many of the positions before p are flagged."""
    out = np.zeros(flags.shape[0] + 1, np.int64)
    for p in range(flags.shape[0]):
        out[p + 1] = out[p] + flags[p]
    return out


@njit(inline="always")
def far(bare, distance):
    """The index with distance, on the same line."""
    return (bare & ~LINE) | ((bare + np.uint64(distance)) & LINE)


class Keys(NamedTuple):
    """The shares of patterns in the keys of a sentence's parts, made when they are first asked for."""

    made: np.ndarray  # [Q] bool
    made_each: np.ndarray  # [Q] bool
    made_sets: np.ndarray  # [1] bool
    head: np.ndarray  # [Q, n+2] uint64
    modifier: np.ndarray  # [Q, n+2]
    sibling: np.ndarray  # [Q, n+2], or nothing in the first order
    each: np.ndarray  # [Q, n+2], of words between, where the pattern looks at each
    sets: np.ndarray  # [n+1, n+2] uint64
    verbs: np.ndarray  # [n+2] int64
    points: np.ndarray  # [n+2] int64


@njit(cache=True, nogil=True)
def no_keys(patterns, sentence, has_siblings):
    """Room for all patterns; none is made yet."""
    count, places = patterns.seed.shape[0], sentence.keys.shape[1] - 2
    return Keys(
        np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
        np.zeros(1, np.bool_),
        np.empty((count, places), np.uint64),
        np.empty((count, places), np.uint64),
        np.empty((count if has_siblings else 0, places), np.uint64),
        np.empty((count, places), np.uint64),
        np.empty((places - 1, places), np.uint64),
        counts_before(sentence.is_verb),
        counts_before(sentence.is_point),
    )


@njit(cache=True, nogil=True)
def make_keys(patterns, group, sentence, keys):
    """The shares of a group's patterns that are not there yet, made once for each word."""
    seed, ptr, column, offset = (
        patterns.seed,
        patterns.ptr,
        patterns.column,
        patterns.offset,
    )
    made, head, modifier, sibling = keys.made, keys.head, keys.modifier, keys.sibling
    texts = sentence.keys
    for q in group.pattern:
        if made[q]:
            continue
        made[q] = True
        part_keys(seed, ptr, column, offset, q, HEAD, texts, head)
        part_keys(seed, ptr, column, offset, q, MODIFIER, texts, modifier)
        if sibling.shape[0]:
            part_keys(seed, ptr, column, offset, q, SIBLING, texts, sibling)


@njit(cache=True, nogil=True)
def make_between(patterns, group, sentence, keys):
    """What a group's patterns need to look at what stands between, made once."""
    between, made_each, made_sets = patterns.between, keys.made_each, keys.made_sets
    for q in group.pattern:
        if between[q] == EACH and not made_each[q]:
            made_each[q] = True
            part_keys(
                patterns.seed,
                patterns.ptr,
                patterns.column,
                patterns.offset,
                q,
                BETWEEN,
                sentence.keys,
                keys.each,
            )
        if between[q] == TAG_SET and not made_sets[0]:
            made_sets[0] = True
            tag_sets(sentence.keys[0], keys.sets)


@njit(inline="always")
def share(ptr, column, offset, q, part, keys, state, p):
    """The part's share when it is around position p, as part_keys has it; `state` is the folded seed."""
    places = keys.shape[1] - 2
    for a in range(ptr[q, part], ptr[q, part + 1]):
        place = places + 1 if p == places - 1 else p + 1 + offset[a]
        state = mix(state, keys[column[a], place])
    return state


@njit(cache=True, nogil=True)
def keys_of_few(seed, ptr, column, offset, q, keys, head, modifier, sibling, out):
    """out[r]: the key of pattern q at a part, but for what stands between; only these parts are looked at."""
    has_modifier = ptr[q, MODIFIER] < ptr[q, MODIFIER + 1]
    has_sibling = sibling.shape[0] > 0 and ptr[q, SIBLING] < ptr[q, SIBLING + 1]
    of_head, of_modifier = (
        mix(seed[q], np.uint64(HEAD + 1)),
        mix(seed[q], np.uint64(MODIFIER + 1)),
    )
    of_sibling = mix(seed[q], np.uint64(SIBLING + 1))
    for r in range(head.shape[0]):
        key = share(ptr, column, offset, q, HEAD, keys, of_head, np.int64(head[r]))
        if has_modifier:
            key += share(
                ptr,
                column,
                offset,
                q,
                MODIFIER,
                keys,
                of_modifier,
                np.int64(modifier[r]),
            )
        if has_sibling:
            key += share(ptr, column, offset, q, SIBLING, keys, of_sibling, np.int64(sibling[r]))
        out[r] = key


@njit(inline="always")
def keys_of_all(heads, modifiers, siblings, q, head, modifier, sibling, out):
    """As keys_of_few, from shares that are there."""
    if sibling.shape[0]:
        for r in range(head.shape[0]):
            out[r] = heads[q, head[r]] + modifiers[q, modifier[r]] + siblings[q, sibling[r]]
    else:
        for r in range(head.shape[0]):
            out[r] = heads[q, head[r]] + modifiers[q, modifier[r]]


@njit(cache=True, nogil=True)
def add_summaries(keys, kind, parts, out):
    """Take into the keys what stands between, where it is one value."""
    start, end = parts.start, parts.end
    if kind == TAG_SET:
        sets = keys.sets
        for r in range(start.shape[0]):
            out[r] += mix(np.uint64(TAG_SET), sets[start[r], end[r]])
    else:
        before = keys.verbs if kind == VERBS else keys.points
        for r in range(start.shape[0]):
            count = before[end[r]] - before[start[r] + 1]
            out[r] += mix(np.uint64(kind), np.uint64(min(count, MOST)))


# Arrays are taken out of tuples before loops: within them each access would cost a count of references.


@njit(cache=True, nogil=True)
def score_parts(patterns, group, sentence, keys, parts, weights, scores):
    """Add to the scores [R] of parts what the templates of a group say.

    Where parts are few, shares that are not there yet are made for them alone.
    """
    total = scores.shape[0]
    few = FEW * total <= keys.head.shape[1]
    if not few:
        make_keys(patterns, group, sentence, keys)
    make_between(patterns, group, sentence, keys)
    seed, ptr, column, offset, between = (
        patterns.seed,
        patterns.ptr,
        patterns.column,
        patterns.offset,
        patterns.between,
    )
    made, heads, modifiers, siblings, each = (
        keys.made,
        keys.head,
        keys.modifier,
        keys.sibling,
        keys.each,
    )
    head, modifier, sibling, distance = (
        parts.head,
        parts.modifier,
        parts.sibling,
        parts.distance,
    )
    start, end, texts = parts.start, parts.end, sentence.keys
    pattern, wanted = group.pattern, group.wanted
    shift = key_shift(weights.shape[0])
    key = np.empty(total, np.uint64)
    for g in range(pattern.shape[0]):
        q, kind, want = pattern[g], between[pattern[g]], wanted[g]
        if few and not made[q]:
            keys_of_few(seed, ptr, column, offset, q, texts, head, modifier, sibling, key)
        else:
            keys_of_all(heads, modifiers, siblings, q, head, modifier, sibling, key)
        if kind == EACH:
            _add_each(weights, shift, want, key, q, each, start, end, distance, scores)
            continue
        if kind != NOTHING:
            add_summaries(keys, kind, parts, key)
        if want == BARE | FAR:
            for r in range(total):
                bare = key[r] >> shift
                scores[r] += weights[bare] + weights[far(bare, distance[r])]
        elif want == BARE:
            for r in range(total):
                scores[r] += weights[key[r] >> shift]
        else:
            for r in range(total):
                scores[r] += weights[far(key[r] >> shift, distance[r])]


@njit(cache=True, nogil=True)
def _add_each(weights, shift, wanted, key, q, each, start, end, distance, scores):
    """Sums over the words between."""
    for r in range(scores.shape[0]):
        common, found = key[r], np.float32(0)
        for b in range(start[r] + 1, end[r]):
            bare = (common + each[q, b]) >> shift
            if wanted & BARE:
                found += weights[bare]
            if wanted & FAR:
                found += weights[far(bare, distance[r])]
        scores[r] += found


@njit(cache=True, nogil=True)
def part_rows(patterns, group, sentence, keys, parts, count):
    """The features of parts as indices of `count` weights: [R+1] where each part's start, and the indices."""
    make_between(patterns, group, sentence, keys)
    seed, ptr_of, column, offset, between = (
        patterns.seed,
        patterns.ptr,
        patterns.column,
        patterns.offset,
        patterns.between,
    )
    pattern, wanted, each = group.pattern, group.wanted, keys.each
    head, modifier, sibling, distance = (
        parts.head,
        parts.modifier,
        parts.sibling,
        parts.distance,
    )
    start, end, texts = parts.start, parts.end, sentence.keys
    shift = key_shift(count)
    total = start.shape[0]
    ptr = np.zeros(total + 1, np.int64)
    for r in range(total):
        inner = max(np.int64(end[r]) - np.int64(start[r]) - 1, 0)
        ptr[r + 1] = ptr[r]
        for g in range(pattern.shape[0]):
            times = inner if between[pattern[g]] == EACH else 1
            ptr[r + 1] += times * (2 if wanted[g] == BARE | FAR else 1)
    rows = np.empty(ptr[total], np.uint32)
    at = ptr[:-1].copy()  # the next free place of each part
    key = np.empty(total, np.uint64)
    for g in range(pattern.shape[0]):
        q, kind, want = pattern[g], between[pattern[g]], wanted[g]
        keys_of_few(seed, ptr_of, column, offset, q, texts, head, modifier, sibling, key)
        if kind != NOTHING and kind != EACH:
            add_summaries(keys, kind, parts, key)
        for r in range(total):
            if kind != EACH:
                at[r] = _add_rows(rows, at[r], key[r] >> shift, want, distance[r])
                continue
            for b in range(start[r] + 1, end[r]):
                at[r] = _add_rows(rows, at[r], (key[r] + each[q, b]) >> shift, want, distance[r])
    return ptr, rows


@njit(inline="always")
def _add_rows(rows, at, bare, wanted, distance):
    if wanted & BARE:
        rows[at] = bare
        at += 1
    if wanted & FAR:
        rows[at] = far(bare, distance)
        at += 1
    return at


@njit(inline="always")
def key_shift(count):
    """From keys of 64 bits to indices of `count` weights, a power of two."""
    bits = 0
    while (1 << bits) < count:
        bits += 1
    return np.uint64(64 - bits)
