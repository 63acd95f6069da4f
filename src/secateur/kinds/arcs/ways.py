"""The ways to parse with staged features: up to which stage, behind which filters, with which policy.

Points are `full` (all templates at once, no decisions), `static-K` (the templates up to stage K, from 0),
`filter-N` (all templates, on what the filters leave with their N-th margins), `filter-N-K` (those up to stage
K), `dagger-N` of a policy, behind the filters with their first margins, and `dagger-N+filter-M` with others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from secateur.features.arc import ArcFeatures
from secateur.features.stages import Groups
from secateur.kernels.arcs.locking import META
from secateur.kernels.arcs.stages import ALWAYS, LAST, NEVER
from secateur.kinds.arcs.parts import ArcParts
from secateur.models.point import Way
from secateur.search.core import Policy
from secateur.tasks.arc_locking.task import ArcLocking

FULL = "full"
PROJECTIVE = {"always": ALWAYS, "last": LAST, "never": NEVER}  # in which stages arcs must not cross
# Where nothing is to be decided: a policy without features that locks nothing.
_NO_DECISIONS = Policy(np.zeros(META, np.float32))


def policy_name(number: int) -> str:
    """Of a policy."""
    return f"dagger-{number}"


def name_of(way: Way) -> str:
    """Of a way's point."""
    if "policy" in way:
        return f"{way['policy']}+filter-{way['filter']}" if way.get("filter") else str(way["policy"])
    last = f"-{way['last']}" if "last" in way else ""
    if "filter" in way:
        return f"filter-{way['filter']}{last}"
    return f"static{last}" if last else FULL


def ways(parts: ArcParts, policies: Iterable[str]) -> dict[str, Way]:
    """By the names of their points; the first computes all templates of all arcs."""
    stages = range(len(parts.groups) - 1)
    margins = range(len(parts.margins))
    found: list[Way] = [{}, *({"last": stage} for stage in stages)]
    for number in margins:
        found += [{"filter": number}, *({"filter": number, "last": stage} for stage in stages)]
    policies = list(policies)
    if parts.margins:
        found += [{"policy": policy, "filter": number} for number in margins for policy in policies]
    else:
        found += [{"policy": policy} for policy in policies]
    return {name_of(way): way for way in found}


def policy_of(way: Way, policies: Mapping[str, Policy]) -> Policy:
    """What locks arcs along a way."""
    return policies[str(way["policy"])] if "policy" in way else _NO_DECISIONS


def task_of(parts: ArcParts, way: Way, policies: Mapping[str, Policy]) -> ArcLocking:
    """The search of a way, ready to run with its policy."""
    hashed = len(policy_of(way, policies).weights) - META
    chosen = [parts.margins[int(way["filter"])]] if "filter" in way else []
    return ArcLocking(
        parts.features,
        parts.groups if "policy" in way else _together(parts.features, parts.groups, way.get("last")),
        parts.models,
        parts.limits,
        single_root=parts.single_root,
        projective=PROJECTIVE[parts.projective],
        bits=hashed.bit_length() - 1 if hashed else None,
        filters=tuple(
            replace(own, margin=margin)
            for margins in chosen
            for own, margin in zip(parts.filters, margins, strict=True)
        ),
    )


def whole_task(parts: ArcParts) -> ArcLocking:
    """The search with all templates: what work is compared with."""
    return task_of(parts, {}, {})


def _together(features: ArcFeatures, groups: Groups, last: object) -> Groups:
    """The templates up to a stage at once, those of siblings after the others."""
    until = None if last is None else int(str(last)) + 1
    templates = [t for group in groups[:until] for t in group]
    first = tuple(t for t in templates if t < features.first)
    second = tuple(t for t in templates if t >= features.first)
    return (first, second) if second else (first,)
