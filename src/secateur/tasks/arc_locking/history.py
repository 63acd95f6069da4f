"""When the arc to each word of a sentence was settled, and what that took: a run, watched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from secateur.kernels.arcs import graph as kernel
from secateur.kernels.arcs.stages import group_of, templates_of
from secateur.search.arrays import Bools, Ints, Sites
from secateur.search.core import TAKE, Policy
from secateur.tasks.arc_locking.task import ArcInput, ArcLocking, Heads

LOCKED, ALONE, LAST = "locked", "no rival", "last stage"


class Fate(NamedTuple):
    """What became of the arc to a word."""

    head: int
    stage: int  # after which it was settled, from 0
    how: (
        str  # LOCKED by the policy; left ALONE by what was locked before, or by its length; at the LAST stage
    )
    rivals: int  # other arcs to the word at the first stage
    templates: int  # computed on all arcs to the word


def fates(task: ArcLocking, x: ArcInput, policy: Policy) -> list[Fate]:
    """One for each word. The run is repeated up to each stage, which gives the tree that was there then."""
    episode = task.roll_in(x, policy)
    found = episode.outcome.parts
    assert found is not None
    # A run that fell back has computed a group more than its tree is of.
    trees = _trees(task, x, policy, found.stage)
    return _watch(
        task, _opened(task, x, trees[0]), trees, episode.trace.site, episode.trace.action, found.heads
    )


def _trees(task: ArcLocking, x: ArcInput, policy: Policy, last: int) -> list[Heads]:
    """The tree of each stage."""
    trees = []
    for stage in range(last + 1):
        parts = replace(task, last=stage).run(x, policy).parts
        assert parts is not None
        trees.append(parts.heads)
    return trees


def _opened(task: ArcLocking, x: ArcInput, heads: Heads) -> Bools:
    """The arcs of the first stage: those that passed as much as all arcs of its tree did."""
    passed = task.passed(x)
    opened: Bools = passed >= passed[np.arange(1, len(heads)), heads[1:]].min()
    return opened


def _watch(
    task: ArcLocking,
    allowed: Bools,
    trees: Sequence[Heads],
    site: Sites,
    action: Ints,
    heads: Heads,
) -> list[Fate]:
    """The same locks once more, on arcs without scores."""
    n = len(allowed) - 1
    graph = kernel.new_graph(allowed, False)
    rivals = graph.count - 1
    stage_of, how = np.full(n + 1, len(trees) - 1), [LAST] * (n + 1)
    templates = np.zeros(n + 1, np.int64)
    for stage, tree in enumerate(trees):
        templates += _cost(task, graph, stage)
        if stage == len(trees) - 1 and stage == task.rules.last:
            break
        graph.head[:] = tree
        parts = kernel.open_parts(graph)
        own = site[:, 0] == stage
        taken = site[own & (action == TAKE), 2].tolist()
        alone = [m for m in range(1, n + 1) if graph.count[m] == 1 and not graph.locked[m]]
        for m in (*alone, *taken):
            before = graph.locked.copy()
            if not before[m]:
                kernel.lock(graph, parts, m, task.rules)
            for word in np.flatnonzero(graph.locked & ~before).tolist():
                stage_of[word], how[word] = stage, LOCKED if word in taken else ALONE
    return [
        Fate(int(heads[m]), int(stage_of[m]), how[m], int(rivals[m]), int(templates[m]))
        for m in range(1, n + 1)
    ]


def _cost(task: ArcLocking, graph: kernel.Graph, stage: int) -> Ints:
    """[n+1] the templates of a stage's group, computed on the parts of each word that are open."""
    of_group = int(templates_of(group_of(task.stages, stage, stage + 1)))
    if stage >= task.stages.first:
        modifier = kernel.open_siblings(graph).modifier.astype(np.int64)
        own: Ints = np.bincount(modifier, minlength=len(graph.count))
    else:
        own = np.where(graph.locked | (graph.count == 1), 0, graph.count)
    return own * of_group
