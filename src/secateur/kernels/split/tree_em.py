"""Inside and outside over trees that are known but for the sub-symbols of their nodes.

Each symbol x has K_x sub-symbols; a rule has a probability for each choice of them, in one dense block. A
node's inside scores are divided by their sum, so that long trees stay in range: the sums' logs are the
likelihood. (A sub-symbol 1e-308 times less likely than its sibling counts as impossible.)
A node is in its tree for certain: the expected counts of its rule sum to 1, and outside scores may have any
scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

LEXICAL, UNARY, BINARY = 0, 1, 2
FAST = {"reassoc", "contract", "nsz"}
LEAST = 1e-30  # a smaller probability is none: numbers at the end of the range are slow, and tell nothing


class Nodes(NamedTuple):
    """The nodes of many trees, children before their parents. T trees, M nodes."""

    ptr: np.ndarray  # [T+1] uint32, nodes of a tree
    kind: np.ndarray  # [M] uint8
    symbol: np.ndarray  # [M] uint32
    rule: np.ndarray  # [M] uint32, binary rule, unary rule or lexical entry
    left: np.ndarray  # [M] uint32, the first child, counted from the tree's first node
    right: np.ndarray  # [M] uint32


class Blocks(NamedTuple):
    """A number for each rule and choice of sub-symbols: probabilities, or counts. N symbols, R rules."""

    splits: np.ndarray  # [N] uint32, K_x
    binary_ptr: np.ndarray  # [R+1] uint64, block [K_x, K_y, K_z] of a rule x -> y z
    binary: np.ndarray  # float64
    unary_ptr: np.ndarray  # [U+1] uint64, block [K_x, K_y] of a rule x -> y
    unary: np.ndarray  # float64
    lexical_ptr: np.ndarray  # [L+1] uint64, block [K_t] of an entry t -> word
    lexical: np.ndarray  # float64


@njit(cache=True, nogil=True, fastmath=FAST)
def inside_tree(nodes, first, last, blocks, inside, scale):
    """Fill inside[node, sub-symbol] for one tree; its log-likelihood, or -inf."""
    splits = blocks.splits
    binary_ptr, binary = blocks.binary_ptr, blocks.binary
    unary_ptr, unary = blocks.unary_ptr, blocks.unary
    lexical_ptr, lexical = blocks.lexical_ptr, blocks.lexical
    total = 0.0
    for m in range(first, last):
        own = inside[m - first]
        size = splits[nodes.symbol[m]]
        kind, rule = nodes.kind[m], nodes.rule[m]
        if kind == LEXICAL:
            at = lexical_ptr[rule]
            for a in range(size):
                own[a] = lexical[at + np.uint64(a)]
        elif kind == UNARY:
            # in(x_a) = sum over b of p(x_a -> y_b) in(y_b)
            below = inside[nodes.left[m]]
            at = unary_ptr[rule]
            wide = splits[nodes.symbol[first + nodes.left[m]]]
            for a in range(size):
                found = 0.0
                for b in range(wide):
                    found += unary[at + np.uint64(b)] * below[b]
                own[a] = found
                at += np.uint64(wide)
        else:
            # in(x_a) = sum over b, c of p(x_a -> y_b z_c) in(y_b) in(z_c)
            left, right = inside[nodes.left[m]], inside[nodes.right[m]]
            at = binary_ptr[rule]
            high = splits[nodes.symbol[first + nodes.left[m]]]
            wide = splits[nodes.symbol[first + nodes.right[m]]]
            for a in range(size):
                found = 0.0
                for b in range(high):
                    inner = 0.0
                    for c in range(wide):
                        inner += binary[at + np.uint64(c)] * right[c]
                    found += inner * left[b]
                    at += np.uint64(wide)
                own[a] = found
        whole = 0.0
        for a in range(size):
            whole += own[a]
        if not whole > 0.0:
            return -np.inf
        scale[m - first] = whole
        for a in range(size):
            own[a] /= whole
        total += np.log(whole)
    return total


@njit(cache=True, nogil=True, fastmath=FAST)
def outside_tree(nodes, first, last, blocks, inside, scale, outside, counts):
    """Fill outside[node, sub-symbol], up to scale, and add the expected counts of the rules."""
    splits = blocks.splits
    binary_ptr, binary, unary_ptr, unary = blocks.binary_ptr, blocks.binary, blocks.unary_ptr, blocks.unary
    outside[: last - first] = 0.0
    outside[last - 1 - first, 0] = 1.0
    for m in range(last - 1, first - 1, -1):
        own = outside[m - first]
        size = splits[nodes.symbol[m]]
        kind, rule = nodes.kind[m], nodes.rule[m]
        # All ways through this node; the parent's scale is anyone's.
        whole = 0.0
        for a in range(size):
            whole += own[a] * inside[m - first, a]
        for a in range(size):
            own[a] /= whole
        if kind == LEXICAL:
            at = blocks.lexical_ptr[rule]
            for a in range(size):
                counts.lexical[at + np.uint64(a)] += own[a] * inside[m - first, a]
        elif kind == UNARY:
            below, under = inside[nodes.left[m]], outside[nodes.left[m]]
            at = unary_ptr[rule]
            wide = splits[nodes.symbol[first + nodes.left[m]]]
            for a in range(size):
                share = own[a] / scale[m - first]
                for b in range(wide):
                    ways = share * unary[at + np.uint64(b)]
                    under[b] += ways
                    counts.unary[at + np.uint64(b)] += ways * below[b]
                at += np.uint64(wide)
        else:
            # out(y_b) = sum over a, c of out(x_a) p(x_a -> y_b z_c) in(z_c); out(z_c) likewise
            left, right = inside[nodes.left[m]], inside[nodes.right[m]]
            out_left, out_right = outside[nodes.left[m]], outside[nodes.right[m]]
            count = counts.binary
            at = binary_ptr[rule]
            high = splits[nodes.symbol[first + nodes.left[m]]]
            wide = splits[nodes.symbol[first + nodes.right[m]]]
            for a in range(size):
                share = own[a] / scale[m - first]
                for b in range(high):
                    both = share * left[b]
                    inner = 0.0
                    for c in range(wide):
                        p = binary[at + np.uint64(c)]
                        ways = p * right[c]
                        inner += ways
                        out_right[c] += both * p
                        count[at + np.uint64(c)] += both * ways
                    out_left[b] += share * inner
                    at += np.uint64(wide)


@njit(cache=True, nogil=True)
def merge_losses(nodes, first, last, splits, inside, outside, mass, losses):
    """Add what each pair of sub-symbols 2p, 2p+1 costs in log-likelihood if it is made one, node by node.

    mass [N, K] says how often each is used: a pair's inside score is the mean by it, outside the sum.
    """
    for m in range(first, last):
        x = nodes.symbol[m]
        own, out = inside[m - first], outside[m - first]
        whole = 0.0
        for a in range(splits[x]):
            whole += own[a] * out[a]
        for p in range(splits[x] // 2):
            a, b = 2 * p, 2 * p + 1
            used = mass[x, a] + mass[x, b]
            if used <= 0.0:
                continue
            one = (mass[x, a] * own[a] + mass[x, b] * own[b]) / used * (out[a] + out[b])
            # Summed anew, not subtracted from the whole: what is left may be far below its rounding.
            for c in range(splits[x]):
                if c // 2 != p:
                    one += own[c] * out[c]
            losses[x, p] += np.log(whole / one) if one > 0.0 else np.inf


@njit(cache=True, nogil=True)
def expect(nodes, trees, blocks, counts, mass, losses):
    """Add the expected counts of some trees (by number), and, where `losses` has rows, what merging costs.

    Returns the log-likelihood and how many trees have none.
    """
    most = 0
    for t in trees:
        most = max(most, np.int64(nodes.ptr[t + 1]) - np.int64(nodes.ptr[t]))
    widest = np.int64(blocks.splits.max())
    inside = np.empty((most, widest))
    outside = np.empty((most, widest))
    scale = np.empty(most)
    total = 0.0
    lost = 0
    for t in trees:
        first, last = np.int64(nodes.ptr[t]), np.int64(nodes.ptr[t + 1])
        found = inside_tree(nodes, first, last, blocks, inside, scale)
        if found == -np.inf:
            lost += 1
            continue
        total += found
        outside_tree(nodes, first, last, blocks, inside, scale, outside, counts)
        if losses.shape[0]:
            merge_losses(nodes, first, last, blocks.splits, inside, outside, mass, losses)
    return total, lost


@njit(cache=True, nogil=True)
def normalize(counts, binary_parent, unary_parent, lexical_parent, blocks):
    """Write probabilities: counts divided by those of all rules of the same parent. Returns these, [N, K]."""
    splits = counts.splits
    mass = np.zeros((splits.shape[0], splits.max()))
    groups = (
        (binary_parent, counts.binary_ptr, counts.binary, blocks.binary),
        (unary_parent, counts.unary_ptr, counts.unary, blocks.unary),
        (lexical_parent, counts.lexical_ptr, counts.lexical, blocks.lexical),
    )
    for parent, ptr, count, _ in groups:
        for r in range(parent.shape[0]):
            size = (ptr[r + 1] - ptr[r]) // splits[parent[r]]
            for a in range(splits[parent[r]]):
                at = ptr[r] + np.uint64(a) * size
                for e in range(at, at + size):
                    mass[parent[r], a] += count[e]
    for parent, ptr, count, p in groups:
        for r in range(parent.shape[0]):
            size = (ptr[r + 1] - ptr[r]) // splits[parent[r]]
            for a in range(splits[parent[r]]):
                at = ptr[r] + np.uint64(a) * size
                whole = mass[parent[r], a]
                for e in range(at, at + size):
                    p[e] = count[e] / whole if count[e] > LEAST * whole else 0.0
    return mass
