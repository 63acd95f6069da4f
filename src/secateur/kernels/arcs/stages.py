"""Stages of dependency parsing: groups of templates, one added at each, and which trees are searched then."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .eisner import best_projective
from .eisner_siblings import best_projective_siblings
from .features import BARE, FAR, Group
from .mst import best_tree

# In which stages of the first order trees are projective. With NEVER, arcs may cross in the result.
NEVER, LAST, ALWAYS = range(3)


class Stages(NamedTuple):
    """K groups of templates, those of the first order first; and those of them that policies see too."""

    pattern: np.ndarray  # [G] uint32
    wanted: np.ndarray  # [G] uint32
    ptr: np.ndarray  # [K+1] int64
    seen_pattern: np.ndarray  # [G'] uint32
    seen_wanted: np.ndarray  # [G'] uint32
    seen_ptr: np.ndarray  # [K+1] int64
    seen_count: np.ndarray  # [K+1] int64, seen templates before each group
    first: int  # how many groups are of the first order


class Rules(NamedTuple):
    """What trees are asked for."""

    single_root: bool
    projective: int  # NEVER, LAST or ALWAYS: in which stages of the first order arcs must not cross
    last: int  # stop after this stage


@njit(cache=True, nogil=True)
def group_of(stages, first, last):
    """The templates of the stages first .. last - 1."""
    a, b = stages.ptr[first], stages.ptr[last]
    return Group(stages.pattern[a:b], stages.wanted[a:b])


@njit(cache=True, nogil=True)
def seen_group(stages, first, last):
    """Those of the templates of the stages first .. last - 1 that policies see."""
    a, b = stages.seen_ptr[first], stages.seen_ptr[last]
    return Group(stages.seen_pattern[a:b], stages.seen_wanted[a:b])


@njit(cache=True, nogil=True)
def templates_of(group):
    """How many templates are in a group."""
    count = 0
    for wanted in group.wanted:
        count += 2 if wanted == BARE | FAR else 1
    return count


@njit(cache=True, nogil=True)
def search(stage, stages, rules, score, sibling, heads):
    """The best tree of a stage; False where there is none.

    In the second order, projective trees with siblings; in the first, as the rules say: trees whose arcs may
    cross are found faster, but arcs locked in one may leave no projective tree.
    """
    if stage >= stages.first:
        return best_projective_siblings(score, sibling, rules.single_root, heads)
    if rules.projective == ALWAYS or (rules.projective == LAST and stage == stages.first - 1):
        return best_projective(score, rules.single_root, heads)
    return best_tree(score, rules.single_root, heads)
