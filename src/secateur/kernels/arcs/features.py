"""Scores and features of arcs, and of arcs with an adjacent sibling, by hashed patterns.

A pattern takes something from around the head, around the modifier, around the sibling, and from what stands
between. Each of these shares is a 64-bit hash of a few atoms, made once for each word and shared by all
patterns that take the same; the key of a pattern at an arc is
    key = (seed ^ share of head ^ share of modifier ^ share of sibling ^ what is between) * an odd number
and its highest bits name a weight. The weight with the direction and length of the arc stands on the same
line of 16, so that the two templates of a pattern share a line of the cache: bare in slot s, with distance d
(1 to 14) in slot s + d modulo 16.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.hashing import MIX, mix

# The shares of a key, in the order in which a pattern has them.
HEAD, MODIFIER, SIBLING, BETWEEN = range(4)
# What a pattern looks at between its two ends.
NOTHING, EACH, TAG_SET, VERBS, POINTS = range(5)
# The two templates of a pattern, as bits.
BARE, FAR = 1, 2

LINE = np.uint64(15)
MOST = 3  # verbs or points between are counted so far

# Columns stand for: what is before the root, the root, the n words, what is behind them, no sibling.
AROUND = 4  # columns that are no words


class Patterns(NamedTuple):
    """Q patterns, whose shares are among Z sets of A atoms in all."""

    seed: np.ndarray  # [Q] uint64
    share: np.ndarray  # [Q, 4] uint32, a set for each of HEAD .. BETWEEN; 0 is the empty one
    between: np.ndarray  # [Q] uint32, one of NOTHING .. POINTS
    set_seed: np.ndarray  # [Z] uint64; sets of different roles are different
    set_ptr: np.ndarray  # [Z+1] uint32
    column: np.ndarray  # [A] uint32, which view
    offset: np.ndarray  # [A] int64, -1, 0 or 1


class Sentence(NamedTuple):
    """The words of a sentence as keys."""

    keys: np.ndarray  # [views, n + 4] uint64; the first view is the coarse tag
    is_verb: np.ndarray  # [n + 1] bool, by position; the root is none
    is_point: np.ndarray  # [n + 1] bool


class Group(NamedTuple):
    """Templates to be computed together."""

    pattern: np.ndarray  # [G] uint32
    wanted: np.ndarray  # [G] uint32, BARE, FAR or both


class Shares(NamedTuple):
    """What patterns take from a sentence, made when it is first asked for."""

    made: np.ndarray  # [Z] bool
    of_word: np.ndarray  # [Z, n+2] uint64, of a set around a position; n + 1 is no sibling
    made_sets: np.ndarray  # [1] bool
    sets: np.ndarray  # [n+1, n+2] uint64, of the tags between two positions
    verbs: np.ndarray  # [n+2] int64, before a position
    points: np.ndarray  # [n+2] int64


@njit(cache=True, nogil=True)
def no_shares(patterns, sentence):
    """Room for all; nothing is made yet but the empty set."""
    count, places = patterns.set_seed.shape[0], sentence.keys.shape[1] - 2
    shares = Shares(
        np.zeros(count, np.bool_),
        np.empty((count, places), np.uint64),
        np.zeros(1, np.bool_),
        np.empty((places - 1, places), np.uint64),
        counts_before(sentence.is_verb),
        counts_before(sentence.is_point),
    )
    shares.made[0] = True
    shares.of_word[0, :] = 0
    return shares


@njit(cache=True, nogil=True)
def make_shares(patterns, group, sentence, shares):
    """What a group's patterns take and is not there yet."""
    share_of, between, made, of_word = patterns.share, patterns.between, shares.made, shares.of_word
    set_seed, set_ptr, column, offset = patterns.set_seed, patterns.set_ptr, patterns.column, patterns.offset
    keys = sentence.keys
    places = keys.shape[1] - 2
    for q in group.pattern:
        for role in range(4):
            z = share_of[q, role]
            if made[z]:
                continue
            # share = the seed of the set folded with every atom
            made[z] = True
            for p in range(places):
                of_word[z, p] = set_seed[z]
            for a in range(set_ptr[z], set_ptr[z + 1]):
                view, shift = column[a], offset[a] + 1
                for p in range(places - 1):
                    of_word[z, p] = mix(of_word[z, p], keys[view, p + shift])
                of_word[z, places - 1] = mix(of_word[z, places - 1], keys[view, places + 1])
        if between[q] == TAG_SET and not shares.made_sets[0]:
            shares.made_sets[0] = True
            tag_sets(keys[0], shares.sets)


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


@njit(cache=True, nogil=True)
def add_summaries(shares, kind, start, end, out):
    """Take into the keys what stands between, where it is one value."""
    if kind == TAG_SET:
        sets = shares.sets
        for r in range(out.shape[0]):
            out[r] ^= mix(np.uint64(TAG_SET), sets[start[r], end[r]])
    else:
        before = shares.verbs if kind == VERBS else shares.points
        for r in range(out.shape[0]):
            count = before[end[r]] - before[start[r] + 1]
            out[r] ^= mix(np.uint64(kind), np.uint64(min(count, MOST)))


@njit(inline="always")
def sum_shares(seed, share_of, of_word, q, head, modifier, sibling, out):
    """out[r]: the key of pattern q at a part before it is multiplied, without what stands between."""
    own, of_head, of_modifier = seed[q], share_of[q, HEAD], share_of[q, MODIFIER]
    for r in range(out.shape[0]):
        out[r] = own ^ of_word[of_head, head[r]] ^ of_word[of_modifier, modifier[r]]
    of_sibling = share_of[q, SIBLING]
    if of_sibling:
        for r in range(out.shape[0]):
            out[r] ^= of_word[of_sibling, sibling[r]]


@njit(inline="always")
def far(bare, distance):
    """The index with distance, on the same line."""
    return (bare & ~LINE) | ((bare + np.uint64(distance)) & LINE)


@njit(inline="always")
def key_shift(count):
    """From keys of 64 bits to indices of `count` weights, a power of two."""
    bits = 0
    while (1 << bits) < count:
        bits += 1
    return np.uint64(64 - bits)


# Arrays are taken out of tuples before loops: within them each access would cost a count of references.


@njit(cache=True, nogil=True)
def score_parts(patterns, group, sentence, shares, parts, weights, scores):
    """Add to the scores [R] of parts what the templates of a group say."""
    make_shares(patterns, group, sentence, shares)
    seed, share_of, between, of_word = patterns.seed, patterns.share, patterns.between, shares.of_word
    head, modifier, sibling, distance = parts.head, parts.modifier, parts.sibling, parts.distance
    start, end, pattern, wanted = parts.start, parts.end, group.pattern, group.wanted
    shift = key_shift(weights.shape[0])
    total = scores.shape[0]
    key = np.empty(total, np.uint64)
    for g in range(pattern.shape[0]):
        q, kind, want = pattern[g], between[pattern[g]], wanted[g]
        sum_shares(seed, share_of, of_word, q, head, modifier, sibling, key)
        if kind == EACH:
            _add_each(weights, shift, want, key, share_of[q, BETWEEN], of_word, start, end, distance, scores)
            continue
        if kind != NOTHING:
            add_summaries(shares, kind, start, end, key)
        if want == BARE | FAR:
            for r in range(total):
                bare = (key[r] * MIX) >> shift
                scores[r] += weights[bare] + weights[far(bare, distance[r])]
        elif want == BARE:
            for r in range(total):
                scores[r] += weights[(key[r] * MIX) >> shift]
        else:
            for r in range(total):
                scores[r] += weights[far((key[r] * MIX) >> shift, distance[r])]


@njit(cache=True, nogil=True)
def _add_each(weights, shift, wanted, key, z, of_word, start, end, distance, scores):
    """Sums over the words between."""
    for r in range(scores.shape[0]):
        common, found = key[r], np.float32(0)
        for b in range(start[r] + 1, end[r]):
            bare = ((common ^ of_word[z, b]) * MIX) >> shift
            if wanted & BARE:
                found += weights[bare]
            if wanted & FAR:
                found += weights[far(bare, distance[r])]
        scores[r] += found


@njit(cache=True, nogil=True)
def part_rows(patterns, group, sentence, shares, parts, count):
    """The features of parts as indices of `count` weights: [R+1] where each part's start, and the indices."""
    make_shares(patterns, group, sentence, shares)
    seed, share_of, between, of_word = patterns.seed, patterns.share, patterns.between, shares.of_word
    head, modifier, sibling, distance = parts.head, parts.modifier, parts.sibling, parts.distance
    start, end, pattern, wanted = parts.start, parts.end, group.pattern, group.wanted
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
        sum_shares(seed, share_of, of_word, q, head, modifier, sibling, key)
        if kind != NOTHING and kind != EACH:
            add_summaries(shares, kind, start, end, key)
        for r in range(total):
            if kind != EACH:
                at[r] = _add_rows(rows, at[r], (key[r] * MIX) >> shift, want, distance[r])
                continue
            for b in range(start[r] + 1, end[r]):
                bare = ((key[r] ^ of_word[share_of[q, BETWEEN], b]) * MIX) >> shift
                at[r] = _add_rows(rows, at[r], bare, want, distance[r])
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
