"""A split grammar laid out for the block kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.grammar.pcfg import PCFG

if TYPE_CHECKING:
    from secateur.kernels.split.blocks import Padded
    from secateur.kernels.split.tree_em import Blocks

LANES = 8  # as the kernels have it

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class _Rows(NamedTuple):
    """Rules as vectors over eight parents, in order of rule, parents' block and children."""

    rule: Ints  # [M]
    block: Ints  # [M] of the parents
    children: tuple[Ints, ...]  # [M] each: sub-symbols
    prob: Floats  # [M, 8]


def _possible(
    ptr: npt.NDArray[np.uint64], flat: Floats, sizes: list[Ints]
) -> tuple[Ints, list[Ints], Floats]:
    """Rule, sub-symbols and probability of each rule of sub-symbols that has any.

    sizes: how many sub-symbols each place of a rule has, the parent first, as the blocks are laid out.
    """
    found = np.flatnonzero(flat > 0)
    rule = np.searchsorted(ptr.astype(np.int64), found, side="right") - 1
    rest = found - ptr.astype(np.int64)[rule]
    places: list[Ints] = []
    for size in reversed(sizes):
        rest, place = np.divmod(rest, size[rule])
        places.insert(0, place)
    return rule, places, flat[found]


def _rows(rule: Ints, parent: Ints, children: list[Ints], prob: Floats, first: Ints) -> _Rows:
    """first [rules]: the first block of each rule's parent."""
    columns = [rule, first[rule] + parent // LANES, *children]
    order = np.lexsort(columns[::-1])
    columns = [column[order] for column in columns]
    fresh = _fresh(*columns)
    vectors = np.zeros((int(fresh.sum()), LANES))
    vectors[np.cumsum(fresh) - 1, parent[order] % LANES] = prob[order]
    rule, block, *children = (column[fresh] for column in columns)
    return _Rows(rule, block, tuple(children), vectors)


def _fresh(*columns: Ints) -> npt.NDArray[np.bool_]:
    """[M] whether a row differs from the one before."""
    fresh = np.ones(len(columns[0]), bool)
    fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return fresh


def _offsets(owner: Ints, owners: int) -> npt.NDArray[np.uint32]:
    """Where each owner's rows begin: [M] sorted -> [owners + 1]."""
    return np.searchsorted(owner, np.arange(owners + 1)).astype(np.uint32)


def _log(prob: Floats) -> npt.NDArray[np.float32]:
    with np.errstate(divide="ignore"):
        return np.log(prob).astype(np.float32).ravel()


def _ids(values: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    return values.astype(np.uint32)


def padded_of(coarse: PCFG, blocks: Blocks) -> Padded:
    """A split grammar as the block kernels see it: unsplit rules, and probabilities for sub-symbols."""
    from secateur.kernels.split.blocks import Padded

    splits = blocks.splits.astype(np.int64)
    block_ptr = np.concatenate(([0], np.cumsum(-(-splits // LANES))))
    return Padded(
        start=coarse.number[coarse.start],
        block_ptr=_ids(block_ptr),
        **_binary(coarse, blocks, splits, block_ptr),
        **_unary(coarse, blocks, splits, block_ptr),
        **_lexical(coarse, blocks, splits),
    )


def _binary(coarse: PCFG, blocks: Blocks, splits: Ints, block_ptr: Ints) -> dict[str, npt.NDArray[Any]]:
    left, right, parent = (ids.astype(np.int64) for ids in coarse.binary[:3])
    rules = len(left)
    sizes = [splits[x] for x in (parent, left, right)]
    rule, (a, b, c), prob = _possible(blocks.binary_ptr, blocks.binary, sizes)
    rows = _rows(rule, a, [b, c], prob, block_ptr[parent])
    fresh = _fresh(left, right)
    pair_of, pairs = np.cumsum(fresh) - 1, int(fresh.sum())
    first = np.flatnonzero(fresh)
    b, c = rows.children
    strip_ptr, strip_left, strip_right, at = _strips(pair_of[rows.rule], pairs, b, c)
    flip_ptr, flip_right, flip_left, flipped = _strips(pair_of[rows.rule], pairs, c, b)
    pair = np.repeat(np.arange(pairs), np.diff(strip_ptr))
    other = np.repeat(np.arange(pairs), np.diff(flip_ptr))
    blocks_left, blocks_right = block_ptr[left[first]], block_ptr[right[first]]
    new_group = _fresh(rows.rule, rows.block)
    return {
        "pair_ptr": _offsets(left[first], len(splits)),
        "pair_right": _ids(right[first]),
        "pair_rule": _ids(np.append(first, rules)),
        "pair_size": np.bincount(pair_of[rule], minlength=pairs).astype(np.uint64),
        "strip_ptr": _ids(strip_ptr),
        "strip_left": _ids(LANES * blocks_left[pair] + strip_left),
        "strip_right": _ids(blocks_right[pair] + strip_right),
        "flip_ptr": _ids(flip_ptr),
        "flip_right": _ids(LANES * blocks_right[other] + flip_right),
        "flip_left": _ids(blocks_left[other] + flip_left),
        "rule_parent": _ids(parent),
        "rule_left": _ids(left),
        "rule_right": _ids(right),
        "rule_pair": _ids(pair_of),
        "made_ptr": _offsets(np.sort(parent), len(splits)),
        "made": _ids(np.argsort(parent, kind="stable")),
        "group_ptr": _offsets(rows.rule[new_group], rules),
        "group_block": _ids(rows.block[new_group]),
        "row_ptr": _ids(np.append(np.flatnonzero(new_group), len(rows.rule))),
        "row_at": _ids(at),
        "row_flip": _ids(flipped),
        "weight": _log(rows.prob),
        "prob": rows.prob.ravel(),
    }


def _strips(pair: Ints, pairs: int, one: Ints, many: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Strips of one sub-symbol of a child and eight of the other, for the pair and children of each row.

    Returns where each pair's begin, their one sub-symbol, their block, and each row's place in its pair's.
    """
    keys, strip = np.unique(np.stack((pair, many // LANES, one)), axis=1, return_inverse=True)
    owner, block, single = keys
    ptr = _offsets(owner, pairs).astype(np.int64)
    return ptr, single, block, LANES * (strip.ravel() - ptr[pair]) + many % LANES


def _unary(coarse: PCFG, blocks: Blocks, splits: Ints, block_ptr: Ints) -> dict[str, npt.NDArray[Any]]:
    child, parent = (ids.astype(np.int64) for ids in coarse.unary[:2])
    rule, (a, b), prob = _possible(blocks.unary_ptr, blocks.unary, [splits[parent], splits[child]])
    rows = _rows(rule, a, [b], prob, block_ptr[parent])
    new_group = _fresh(rows.rule, rows.block)
    return {
        "unary_ptr": _offsets(child, len(splits)),
        "unary_parent": _ids(parent),
        "unary_child": _ids(child),
        "unary_size": np.bincount(rule, minlength=len(child)).astype(np.uint64),
        "unary_group_ptr": _offsets(rows.rule[new_group], len(child)),
        "unary_block": _ids(rows.block[new_group]),
        "unary_row_ptr": _ids(np.append(np.flatnonzero(new_group), len(rows.rule))),
        "unary_lane": _ids(LANES * block_ptr[child[rows.rule]] + rows.children[0]),
        "unary_weight": _log(rows.prob),
        "unary_prob": rows.prob.ravel(),
    }


def _lexical(coarse: PCFG, blocks: Blocks, splits: Ints) -> dict[str, npt.NDArray[Any]]:
    lexicon = coarse.lexicon
    tag = lexicon.tag.astype(np.int64)
    entry, (a,), prob = _possible(blocks.lexical_ptr, blocks.lexical, [splits[tag]])
    at = np.concatenate(([0], np.cumsum(LANES * -(-splits[tag] // LANES))))
    vectors = np.zeros(at[-1])
    vectors[at[entry] + a] = prob
    return {
        "lex_ptr": lexicon.ptr,
        "lex_tag": _ids(tag),
        "lex_size": np.bincount(entry, minlength=len(tag)).astype(np.uint64),
        "lex_at": _ids(at[:-1]),
        "lex_weight": _log(vectors),
        "lex_prob": vectors,
    }
