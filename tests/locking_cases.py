"""Random staged parsers, policies and sentences whose sums are exact: weights are eighths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from secateur.features.arc import ArcFeatures
from secateur.kernels.arcs.locking import META
from secateur.kernels.arcs.stages import ALWAYS, LAST, NEVER
from secateur.search.core import FREE, Force, Policy
from secateur.tasks.arc_locking.filter import ArcFilter
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcInput, ArcLocking, ArcModels

# One pattern of each kind. Those of siblings look at each word between, as the only ones that may.
FEATURES = ArcFeatures(
    patterns=(
        "tag[h] tag[m]",
        "word[h] tag[m+1]",
        "bias",
        "tag[h] tag[b] tag[m]",
        "coarse[h] coarse{b} coarse[m]",
        "coarse[h] verbs coarse[m]",
        "points word[m]",
        "tag[h-1] tag[h] word[m]",
    ),
    siblings=("tag[s] tag[m]", "word[h] tag[s] tag[m]", "coarse[s] coarse[b] coarse[m]", "tag[s+1] word[m]"),
)
BETWEEN = 3, 10  # the patterns of each word between
WORDS = ("oaks", "elm", "grows", "grew", ",", "slowly")
TAGS = ("NNS", "NN", "VBZ", "VBD", ",", "RB")
BITS, POLICY_BITS = 12, 10


class Case(NamedTuple):
    task: ArcLocking
    x: ArcInput
    gold: np.ndarray  # [n+1] int32
    policy: Policy
    force: Force

    @property
    def words(self) -> int:
        return len(self.gold) - 1


def eighths(rng: np.random.Generator, size: int, spread: int = 16) -> np.ndarray:
    return (rng.integers(-spread, spread + 1, size) / 8).astype(np.float32)


def random_groups(rng: np.random.Generator, templates: range, count: int) -> list[tuple[int, ...]]:
    """Some of the templates, in groups of at least one."""
    chosen = rng.permutation(np.asarray(templates))[: rng.integers(count, len(templates) + 1)]
    cuts = np.sort(rng.choice(np.arange(1, len(chosen)), count - 1, replace=False)) if count > 1 else []
    return [tuple(group.tolist()) for group in np.split(chosen, cuts)] if count else []


def random_task(rng: np.random.Generator, limits: LengthLimits | None = None) -> ArcLocking:
    first, second = int(rng.integers(1, 5)), int(rng.integers(0, 4))
    groups = random_groups(rng, range(FEATURES.first), first)
    groups += random_groups(rng, range(FEATURES.first, len(FEATURES.templates)), second)
    models = [eighths(rng, 1 << BITS if rng.random() < share else 0) for share in (1.0, 0.5, 0.5)]
    return ArcLocking(
        FEATURES,
        tuple(groups),
        ArcModels(*models),
        limits or LengthLimits.none(),
        single_root=bool(rng.random() < 0.5),
        projective=int(rng.choice([NEVER, LAST, LAST, ALWAYS])),
        last=int(rng.integers(-1, len(groups))) if rng.random() < 0.3 else -1,
        bits=POLICY_BITS if rng.random() < 0.8 else None,
        filters=tuple(random_filter(rng) for _ in range(rng.integers(3))),
    )


def random_filter(rng: np.random.Generator) -> ArcFilter:
    """Margins are eighths too, so that some arcs are just at them."""
    templates = rng.permutation(FEATURES.first)[: rng.integers(1, 6)]
    bits = int(rng.integers(6, 10))
    return ArcFilter(tuple(templates.tolist()), eighths(rng, 1 << bits), int(rng.integers(0, 40)) / 8)


def random_policy(rng: np.random.Generator, dim: int) -> Policy:
    """Some lock often, some seldom, some draw, some follow the oracle."""
    weights = eighths(rng, dim, 8)
    weights[-META:] += rng.choice([-1.0, -0.5, 0.0, 0.5])
    temperature = float(rng.choice([0.0, 0.0, 1.0]))
    return Policy(weights, temperature, float(rng.choice([0.0, 0.0, 0.5, 1.0])))


def random_case(seed: int, longest: int = 7) -> Case:
    rng = np.random.default_rng(seed)
    task = random_task(rng)
    n = 1 if rng.random() < 0.05 else int(rng.integers(2, longest + 1))
    tags = [TAGS[i] for i in rng.integers(len(TAGS), size=n)]
    words = [WORDS[i] for i in rng.integers(len(WORDS), size=n)]
    x = task.encode(words, tags, [tag[:2] for tag in tags])
    x.allowed[:] = rng.random(x.allowed.shape) < rng.choice([1.0, 1.0, 0.9, 0.7, 0.5])
    gold = np.array([-1, *(rng.integers(n + 1) for _ in range(n))], np.int32)
    force = FREE
    if rng.random() < 0.4:
        force = Force(int(rng.integers(0, 2 * n)), int(rng.integers(2)))
    return Case(task, x, gold, random_policy(rng, task.dim), force)
