"""Scores and features of items: hashed templates over each component, and what the whole item has.

A template's hash over an interval (kernels/cky/features.py) is mixed with a salt that says which component it
is of, and of what kind of item: once for all kinds, once for the item's own. Bucket 0 is nobody's: it stands
for components that an item does not have.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from secateur.kernels.cky.features import (
    ON_BOTH,
    ON_LEFT,
    ON_RIGHT,
    fill_buckets,
    width_class,
)

ALL = 0xFFFFFFFF  # in place of a mask: whole hashes
LONGEST = 40  # sentences from here on count as equally long
# What an item has beside its components: its being there, the length of the sentence, positions covered,
# positions from the first to the last, and a class of those covered.
BIAS, WORDS, SIZE, LENGTH, BUCKET = range(5)
ITEM_FEATURES = 5
_MIX = np.uint32(0x9E3779B1)
_OTHER = np.uint32(0x85EBCA6B)


@njit(inline="always")
def bucket_of(key, salt, mask):
    """The bucket of a feature; never 0."""
    h = np.uint32((np.uint32(key) ^ np.uint32(salt)) * _MIX)
    h = np.uint32((h ^ (h >> np.uint32(15))) * _OTHER)
    h = np.uint32((h ^ (h >> np.uint32(13))) & np.uint32(mask))
    return h if h else np.uint32(1)


@njit(inline="always")
def item_key(kind, value):
    """Of what an item has beside its components, before it is salted."""
    return np.uint32(kind * 1024 + value + 1)


@njit(cache=True, nogil=True)
def bias_bucket(mask):
    """Of the feature that every item has."""
    return bucket_of(item_key(BIAS, 0), np.uint32(0), mask)


@njit(cache=True, nogil=True)
def interval_scores(templates, columns, salts, weights, mask, joint):
    """[S, n+1, n+1] what the templates over an interval (i, k), i < k, add up to under each salt [S]; unless
    `joint`, only those that look at one end."""
    n = columns.shape[1] - 2
    slots = salts.shape[0]
    found = np.zeros((slots, n + 1, n + 1))
    by_left, by_right, by_width = np.zeros((slots, n + 1)), np.zeros((slots, n + 1)), np.zeros((slots, n + 1))
    buckets = np.empty((n, n + 1), np.uint32)
    for t in range(templates.depends.shape[0]):
        depends = templates.depends[t]
        if depends == ON_BOTH:
            if not joint:
                continue
            fill_buckets(templates, columns, t, n, n, buckets)
            for s in range(slots):
                for i in range(n):
                    for k in range(i + 1, n + 1):
                        found[s, i, k] += weights[bucket_of(buckets[i, k], salts[s], mask)]
        elif depends == ON_LEFT:
            fill_buckets(templates, columns, t, n, 1, buckets)
            for s in range(slots):
                for i in range(n):
                    by_left[s, i] += weights[bucket_of(buckets[i, i + 1], salts[s], mask)]
        else:
            fill_buckets(templates, columns, t, 1, n, buckets)
            into = by_right if depends == ON_RIGHT else by_width
            for s in range(slots):
                for k in range(1, n + 1):
                    into[s, k] += weights[bucket_of(buckets[0, k], salts[s], mask)]
    for s in range(slots):
        for i in range(n):
            for k in range(i + 1, n + 1):
                found[s, i, k] += by_width[s, k - i] + by_left[s, i] + by_right[s, k]
    return found


@njit(cache=True, nogil=True)
def interval_hashes(templates, columns):
    """[T, n, n+1] the templates' hashes over the intervals (i, k), i < k."""
    n = columns.shape[1] - 2
    found = np.empty((templates.depends.shape[0], n, n + 1), np.uint32)
    for t in range(templates.depends.shape[0]):
        fill_buckets(templates, columns, t, n, n, found[t])
    return found


@njit(cache=True, nogil=True)
def item_scores(n, salts, weights, mask, bias_only):
    """([S, n+1], [S, n+1]) what items under each salt [S] get by the positions they cover, with what does not
    depend on these, and by the positions from their first to their last."""
    slots = salts.shape[0]
    size, length = np.zeros((slots, n + 1)), np.zeros((slots, n + 1))
    for s in range(slots):
        free = np.float64(weights[bucket_of(item_key(BIAS, 0), salts[s], mask)])
        if bias_only:
            size[s, 1:] = free
            continue
        free += weights[bucket_of(item_key(WORDS, min(n, LONGEST)), salts[s], mask)]
        for k in range(1, n + 1):
            size[s, k] = free + weights[bucket_of(item_key(SIZE, k), salts[s], mask)]
            size[s, k] += weights[bucket_of(item_key(BUCKET, width_class(k)), salts[s], mask)]
            length[s, k] = weights[bucket_of(item_key(LENGTH, k), salts[s], mask)]
    return size, length


@njit(cache=True, nogil=True)
def bounds_of(positions):
    """([R, 2F], [R]) boundaries of sets of 128 bits [R, 2], and how many components they have."""
    rows = positions.shape[0]
    parts = np.zeros(rows, np.int64)
    most = 1
    for r in range(rows):
        inside = False
        for p in range(129):
            is_in = p < 128 and positions[r, p >> 6] >> np.uint64(p & 63) & np.uint64(1) != 0
            parts[r] += is_in and not inside
            inside = is_in
        most = max(most, parts[r])
    found = np.zeros((rows, 2 * most), np.uint8)
    for r in range(rows):
        b, inside = 0, False
        for p in range(129):
            is_in = p < 128 and positions[r, p >> 6] >> np.uint64(p & 63) & np.uint64(1) != 0
            if is_in != inside:
                found[r, b] = p
                b += 1
            inside = is_in
    return found, parts


@njit(inline="always")
def whole_item(row, w, n, size, length, salt, mask):
    """What the whole item has, under a salt."""
    row[w + BIAS] = bucket_of(item_key(BIAS, 0), salt, mask)
    row[w + WORDS] = bucket_of(item_key(WORDS, min(n, LONGEST)), salt, mask)
    row[w + SIZE] = bucket_of(item_key(SIZE, size), salt, mask)
    row[w + LENGTH] = bucket_of(item_key(LENGTH, length), salt, mask)
    row[w + BUCKET] = bucket_of(item_key(BUCKET, width_class(size)), salt, mask)


@njit(cache=True, nogil=True)
def item_rows(hashes, ends, bound, parts, shared, own, first, salts, mask, conjoined):
    """[R, w] the buckets of items: of as many components as there are salts `shared` [F], 0 for those that
    are not there, and of the whole item (salt 0 for all kinds alike, salts[R] for its own); where
    `conjoined`, once more under the item's own salts, the components' from own[first[R]] on: of these the
    templates `ends`, which look at one end."""
    templates, n = hashes.shape[0], hashes.shape[1]
    most, again = shared.shape[0], ends.shape[0] if conjoined else 0
    width = most * (templates + again) + (2 * ITEM_FEATURES if conjoined else ITEM_FEATURES + 1)
    found = np.zeros((parts.shape[0], width), np.uint32)
    for r in range(parts.shape[0]):
        row, f, size = found[r], parts[r], 0
        for part in range(f):
            i, k = np.int64(bound[r, 2 * part]), np.int64(bound[r, 2 * part + 1])
            size += k - i
            w = part * templates
            for t in range(templates):
                row[w + t] = bucket_of(hashes[t, i, k], shared[part], mask)
            w = most * templates + part * again
            for e in range(again):
                row[w + e] = bucket_of(hashes[ends[e], i, k], own[first[r] + part], mask)
        w = most * (templates + again)
        length = np.int64(bound[r, 2 * f - 1]) - np.int64(bound[r, 0])
        whole_item(row, w, n, size, length, np.uint32(0), mask)
        w += ITEM_FEATURES
        if conjoined:
            whole_item(row, w, n, size, length, salts[r], mask)
        else:
            row[w] = bucket_of(item_key(BIAS, 0), salts[r], mask)
    return found
