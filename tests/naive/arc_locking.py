"""Parsing with dynamic feature selection in sets and dicts, every score summed anew from its features.

From algorithm 1 of He, Daume III and Eisner (2013). An arc is (head, modifier). Trees are found by the
kernels' decoders, whose order among equals is theirs; that none is better is seen by listing all trees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from naive import arcs as listing
from secateur.features.arc import ArcFeatures
from secateur.kernels.arcs import eisner, eisner_siblings, mst
from secateur.kernels.arcs import features as kernel
from secateur.kernels.arcs.features import Sentence
from secateur.kernels.arcs.locking import CLASSES, NEAR, STAGES
from secateur.kernels.arcs.parts import arc_parts, sibling_parts
from secateur.kernels.arcs.stages import ALWAYS, LAST, NEVER

Arc = tuple[int, int]  # head, modifier
Part = tuple[int, int, int]  # head, modifier, sibling; n + 1 for none
Rows = dict[tuple[int, Part], list[int]]  # by template and part; an arc has the sibling -1
LISTED = 5  # words of the longest sentences whose trees are all looked at


class Setting(NamedTuple):
    """What is given beside the sentence."""

    groups: list[list[int]]  # templates of each stage
    first: int  # how many groups are of the first order
    unseen: set[int]  # templates that policies do not see
    weights: list[np.ndarray]  # for trees that may cross, projective ones, siblings; each may be empty
    policy: np.ndarray  # hashed, then by stage, and the last
    single_root: bool
    projective: int  # NEVER, LAST or ALWAYS
    last: int


class Decision(NamedTuple):
    site: tuple[int, int, int, int]
    state: tuple[float, float, float, float]
    action: int


class Parse(NamedTuple):
    heads: list[int]  # [n+1]
    ending: str
    stage: int
    computed: int
    decisions: list[Decision]


def rows_of(features: ArcFeatures, sentence: Sentence, count: int, *, siblings: bool) -> Rows:
    """The features of all parts, as indices of `count` weights."""
    n = sentence.keys.shape[1] - kernel.AROUND
    allowed = np.ones((n + 1, n + 1), bool)
    found: Rows = {}
    orders = [(range(features.first), arc_parts(allowed))]
    if siblings:
        orders.append((range(features.first, len(features.templates)), sibling_parts(allowed)))
    for templates, parts in orders:
        sibling = parts.sibling if len(parts.sibling) else np.full(len(parts.head), -1)
        named = list(zip(parts.head.tolist(), parts.modifier.tolist(), sibling.tolist(), strict=True))
        for template in templates:
            shares = kernel.no_shares(features.compiled, sentence)
            group = features.group([template])
            ptr, rows = kernel.part_rows(features.compiled, group, sentence, shares, parts, count)
            for r, part in enumerate(named):
                found[template, part] = rows[ptr[r] : ptr[r + 1]].tolist()
    return found


def filtered(
    filters: Iterable[tuple[Rows, Iterable[int], np.ndarray, float]], allowed: set[Arc]
) -> tuple[list[set[Arc]], dict[Arc, float], int]:
    """What is left after each filter, how far arcs were behind in the last that saw them, templates computed.

    A filter: rows, templates, weights and margin. It sees the arcs to words that have two or more.
    """
    left, behind, computed = [allowed], {}, 0
    for rows, templates, weights, margin in filters:
        seen = {(h, m) for h, m in left[-1] if len(left) == 1 or sum(x == m for _, x in left[-1]) > 1}
        score = {arc: total(rows, weights, templates, (*arc, -1)) for arc in seen}
        behind |= {(h, m): score[h, m] - max(score[a] for a in seen if a[1] == m) for h, m in seen}
        computed += len(seen) * len(list(templates))
        left.append({arc for arc in left[-1] if arc not in seen or behind[arc] >= -margin})
    return left, behind, computed


def total(rows: Rows, weights: np.ndarray, templates: Iterable[int], part: Part) -> float:
    return sum(float(weights[row]) for template in templates for row in rows[template, part])


def crosses(one: Arc, other: Arc) -> bool:
    """Drawn above the words, with the root at the left."""
    (a, b), (c, d) = sorted(one), sorted(other)
    return a < c < b < d or c < a < d < b


class Graph:
    """Arcs that are not barred, those that are locked, and the best tree."""

    def __init__(self, n: int, open_arcs: set[Arc], single_root: bool, projective: bool) -> None:
        self.n, self.open, self.single_root, self.projective = n, open_arcs, single_root, projective
        self.locked: set[Arc] = set()
        self.tree: set[Arc] = set()

    @property
    def words(self) -> list[int]:
        """That are not locked."""
        done = {m for _, m in self.locked}
        return [m for m in range(1, self.n + 1) if m not in done]

    def heads(self, word: int) -> list[int]:
        return sorted(h for h, m in self.open if m == word)

    def leads_up(self, word: int, to: int) -> bool:
        """Whether locked arcs lead from a word up to another, or it is that one."""
        above = {m: h for h, m in self.locked}
        while word != to and word in above:
            word = above[word]
        return word == to

    def conflicts(self, arc: Arc, locked: Arc) -> bool:
        """With an arc that was just locked, or a cycle with any."""
        h, m = arc
        return (
            (m == locked[1] and h != locked[0])
            or self.leads_up(h, m)
            or (self.projective and crosses(arc, locked))
            or (self.single_root and h == 0 == locked[0] and m != locked[1])
        )

    def lock(self, arc: Arc) -> None:
        self.locked.add(arc)
        self.open = {a for a in self.open if a in self.tree or not self.conflicts(a, arc)}
        self.lock_last()

    def lock_last(self) -> None:
        """Lock what has no rival, until there is no such arc."""
        for word in self.words:
            if len(self.heads(word)) == 1:
                self.lock((self.heads(word)[0], word))
                return self.lock_last()

    def siblings(self, arc: Arc) -> list[int]:
        """Which child of h can be next to m: a locked one hides all behind it, and that there is none."""
        h, m = arc
        found = []
        for s in range(m + 1, h) if m < h else range(m - 1, h, -1):
            if (h, s) in self.open:
                found.append(s)
            if (h, s) in self.locked:
                return found
        return [*found, self.n + 1]

    def open_parts(self) -> list[Part]:
        """Of the second order: those that are not in every tree."""
        return [
            (*arc, s)
            for arc in sorted(self.open)
            for s in self.siblings(arc)
            if arc not in self.locked or len(self.siblings(arc)) > 1
        ]


def best_tree(
    n: int,
    scores: dict[Arc, float],
    siblings: dict[Part, float] | None = None,
    *,
    projective: bool,
    single_root: bool,
) -> list[int] | None:
    """[n+1]; what has no score is barred."""
    score = np.full((n + 1, n + 1), -np.inf, np.float32)
    for (h, m), value in scores.items():
        score[m, h] = value
    heads = np.full(n + 1, -1, np.int32)
    sibling = None
    if siblings is not None:
        sibling = np.full((n + 1, n + 1, n + 1), -np.inf, np.float32)
        for (h, m, s), value in siblings.items():
            sibling[m, h, s if s <= n else h] = value
        found = eisner_siblings.best_projective_siblings(score, sibling, single_root, heads)
    else:
        find = eisner.best_projective if projective else mst.best_tree
        found = find(score, single_root, heads)
    if n <= LISTED:
        listed = listing.trees(n, projective or siblings is not None, single_root)
        totals = listing.totals(listed, score, sibling)
        assert found == (totals.max() > -np.inf)
        if found:
            own = (listed.heads == heads[1:]).all(axis=1)
            assert own.sum() == 1
            assert totals[own][0] == totals.max()
    return heads.tolist() if found else None


def is_projective(setting: Setting, stage: int) -> bool:
    """Whether trees whose arcs cross are left out, in a stage of the first order."""
    if setting.projective == LAST:
        return stage == setting.first - 1
    return setting.projective == ALWAYS


def class_of(x: float) -> int:
    """Three classes for every doubling of the distance from just before 0, half of them on either side."""
    place = math.copysign(3 * math.log2(1 + abs(x) / NEAR), x)
    return min(max(math.floor(place) + CLASSES // 2, 0), CLASSES - 1)


def policy_score(setting: Setting, rows: Rows, stage: int, decision: Decision) -> float:
    """The sum of the policy's weights of all features of a decision."""
    _, h, m, s = decision.site
    policy = setting.policy
    size = 1 + 4 * CLASSES
    hashed = len(policy) - 1 - STAGES * size
    at_stage = policy[hashed + stage * size : hashed + (stage + 1) * size]
    features = [0, *(1 + number * CLASSES + class_of(x) for number, x in enumerate(decision.state))]
    found = sum(float(at_stage[f]) for f in features)
    if not hashed:
        return found
    seen = [[t for t in group if t not in setting.unseen] for group in setting.groups]
    computed = [t for group in seen[: stage + 1] for t in group]
    arcs = [t for group in seen[: min(stage + 1, setting.first)] for t in group]
    found += total(rows, policy, arcs, (h, m, -1))
    found += total(rows, policy, [t for t in computed if t not in arcs], (h, m, s))
    return found + float(policy[-1]) * (sum(map(len, seen)) - len(computed))


def parse(
    setting: Setting,
    rows: Rows,
    policy_rows: Rows,
    n: int,
    allowed: set[Arc],
    behind: dict[Arc, float],
    decide: Callable[[int, float, int, int], bool],
) -> Parse:
    """behind: how far arcs are behind in filters. decide(step, score, head, modifier): whether to lock."""
    graph = Graph(n, set(allowed), setting.single_root, setting.projective != NEVER)
    computed = 0
    decisions: list[Decision] = []
    before = dict.fromkeys(allowed, 0.0)
    heads = [-1] * (n + 1)
    for stage in range(setting.last + 1):
        second = stage >= setting.first
        weights = setting.weights[0]
        if stage >= setting.first - 1 and setting.projective != NEVER and len(setting.weights[1]):
            weights = setting.weights[1]
        if second and len(setting.weights[2]):
            weights = setting.weights[2]
        size = len(setting.groups[stage])
        # All groups so far with the weights of this stage; only the new one, on what is open, counts.
        of_arcs = [t for group in setting.groups[: min(stage + 1, setting.first)] for t in group]
        scores = {arc: total(rows, weights, of_arcs, (*arc, -1)) for arc in graph.open}
        siblings = None
        if second:
            more = [t for group in setting.groups[setting.first : stage + 1] for t in group]
            parts = [(*arc, s) for arc in graph.open for s in graph.siblings(arc)]
            siblings = {part: total(rows, weights, more, part) for part in parts}
            computed += size * len(graph.open_parts())
        else:
            computed += size * sum(len(graph.heads(m)) for m in graph.words if len(graph.heads(m)) > 1)
        found = best_tree(
            n, scores, siblings, projective=is_projective(setting, stage), single_root=setting.single_root
        )
        if found is None:
            return Parse(heads, "no tree", stage, computed, decisions)
        heads = found
        graph.tree = {(heads[m], m) for m in range(1, n + 1)}
        if stage == setting.last:
            break
        value = dict(scores)
        if siblings is not None:
            for arc in graph.open:
                value[arc] += max(siblings[(*arc, s)] for s in graph.siblings(arc))
        graph.lock_last()
        tree_siblings = listing.siblings(tuple(heads[1:]))
        for m in sorted(graph.words, key=lambda m: (-value[heads[m], m], m)):
            if m not in graph.words:
                continue
            arc = (heads[m], m)
            rivals = [(h, m) for h in graph.heads(m) if h != heads[m]]
            margin = value[arc] - max(value[rival] for rival in rivals)
            of_filters = behind.get(arc, 0.0) - max(behind.get(rival, 0.0) for rival in rivals)
            s = tree_siblings[m - 1] if tree_siblings[m - 1] != heads[m] else n + 1
            state = (value[arc], before[arc], margin, of_filters)
            decision = Decision((stage, *arc, s), state, 0)
            score = policy_score(setting, policy_rows, stage, decision)
            locks = decide(len(decisions), score, *arc)
            decisions.append(decision._replace(action=int(locks)))
            if locks:
                graph.lock(arc)
        if not graph.words:
            return Parse(heads, "all locked", stage, computed, decisions)
        before = value
    return Parse(heads, "all stages", setting.last, computed, decisions)
