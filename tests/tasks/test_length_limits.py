"""The dictionary of arc lengths, by its definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from secateur.tasks.arc_locking.limits import NEW, LengthLimits
from secateur.treebanks import garden
from secateur.treebanks.dependency_tree import DependencyTree, coarse_of

UNKNOWN = "NO SUCH TAG"


def tree_of(tags: Sequence[str], heads: Sequence[int]) -> DependencyTree:
    words = tuple(f"w{i}" for i in range(len(tags)))
    return DependencyTree(words, tuple(tags), tuple(map(coarse_of, tags)), tuple(heads), ("_",) * len(tags))


def longest_seen(trees: Sequence[DependencyTree], head: str, tag: str, head_first: bool, coarse: bool) -> int:
    """ "" is the root; 0 where there is no such arc."""
    lengths = [0]
    for tree in trees:
        tags = ("", *(tree.coarse if coarse else tree.tags))
        for m, h in enumerate(tree.heads, 1):
            if tags[h] == head and tags[m] == tag and (h < m) == head_first:
                lengths.append(abs(h - m))
    return max(lengths)


def allows(
    trees: Sequence[DependencyTree], tags: Sequence[str], h: int, m: int, known: set[str], strict: bool
) -> bool:
    head, tag = ("", *tags)[h], tags[m - 1]
    if not {head, tag} <= known | {""}:
        return True
    most = longest_seen(trees, head, tag, h < m, False)
    if not strict:
        of_coarse = longest_seen(trees, coarse_of(head), coarse_of(tag), h < m, True)
        most = max(most, min(of_coarse, 2 * most + 1 if most else NEW))
    return abs(h - m) <= most


@pytest.mark.parametrize("strict", [True, False])
def test_arcs_are_no_longer_than_those_seen(strict: bool) -> None:
    trees = [sample.dependencies for sample in garden.garden(24)]
    seen, new = trees[:16], trees[16:20]
    limits = LengthLimits.from_trees(seen, strict=strict)
    known = {tag for tree in seen for tag in tree.tags}
    assert set(limits.tags) == known
    left_out = 0
    for tree in (*new, seen[0]):
        tags = (*tree.tags[:12], UNKNOWN)
        n = len(tags)
        expected = np.zeros((n + 1, n + 1), bool)
        for m in range(1, n + 1):
            heads = [h for h in range(n + 1) if h != m]
            found = [h for h in heads if allows(seen, tags, h, m, known, strict)]
            expected[m, found or heads] = True
            left_out += n - len(found)
        np.testing.assert_array_equal(limits.allowed(tags), expected)
    assert left_out > 100


@pytest.mark.parametrize("strict", [True, False])
def test_every_arc_seen_is_allowed(strict: bool) -> None:
    trees = [sample.dependencies for sample in garden.garden(40)]
    limits = LengthLimits.from_trees(trees, strict=strict)
    for tree in trees:
        allowed = limits.allowed(tree.tags)
        assert all(allowed[m, h] for m, h in enumerate(tree.heads, 1))
        assert not allowed[0].any()
        assert not allowed.diagonal().any()


def test_directions_are_apart() -> None:
    limits = LengthLimits.from_trees([tree_of(("DT", "JJ", "NN"), (3, 3, 0))], strict=True)
    expected = [
        [False, False, False, False, False],
        [False, False, False, True, False],  # DT: NN up to 2 behind it
        [False, False, False, True, False],  # JJ: NN next to it
        [True, False, False, False, False],  # NN: the root, 3 before it
        [True, True, True, True, False],  # NN, for which the root is too far: all there are
    ]
    assert limits.allowed(("DT", "JJ", "NN", "NN")).tolist() == expected


def test_tags_never_seen_have_no_limit() -> None:
    limits = LengthLimits.from_trees([tree_of(("DT", "NN"), (2, 0))], strict=True)
    found = limits.allowed((UNKNOWN, "DT", "DT", "DT", "NN", "DT"))
    assert found[1].tolist() == [True, False, True, True, True, True, True]
    assert found[:, 1].tolist() == [False, False, True, True, True, True, True]
    assert found[4].tolist() == [False, True, False, False, False, True, False]
    assert found[2].tolist() == [False, True, False, False, False, False, False]


def test_a_word_without_any_arc_has_all() -> None:
    limits = LengthLimits.from_trees([tree_of(("DT", "NN"), (2, 0))], strict=True)
    found = limits.allowed(("NN", "DT", "DT"))
    assert found[1].tolist() == [True, False, False, False]
    for m in (2, 3):
        assert found[m].tolist() == [h != m for h in range(4)]


def test_small_treebanks_get_room() -> None:
    """Twice the length and one, if their coarse tags have been as far apart; else what these have."""
    far = tree_of(("NNS", "RB", "RB", "RB", "RB", "RB", "VBD"), (7, 7, 7, 7, 7, 7, 0))
    near = tree_of(("NN", "RB", "VBZ"), (3, 3, 0))
    limits = LengthLimits.from_trees([far, near])
    tags = ("NN", "NNP", "NN", "NNS", "RB", "RB", "VBZ", "VBD")
    found = limits.allowed(tags)
    assert found[2].sum() == len(tags), "NNP is new"
    # NN: 5 = 2 * 2 + 1; NNS, never seen with VBZ: 3
    assert [m for m in (1, 3, 4) if found[m, 7]] == [3, 4]
    assert found[4, 8]
    assert not found[3, 8], "VBD was never the head of NN: up to 3"


def test_no_limits_allow_everything() -> None:
    found = LengthLimits.none().allowed(("A", "B", "C"))
    expected = ~np.eye(4, dtype=bool)
    expected[0] = False
    np.testing.assert_array_equal(found, expected)
