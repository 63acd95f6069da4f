"""Groups of templates as the kernels have them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.arc import ArcFeatures
from secateur.kernels.arcs.features import EACH
from secateur.kernels.arcs.stages import Stages

Groups = tuple[tuple[int, ...], ...]  # templates of each stage; those of the second order come last


def check_groups(features: ArcFeatures, groups: Sequence[Sequence[int]]) -> None:
    """Refuse groups without templates, with unknown ones or one twice, and arcs behind siblings."""
    count, first = len(features.templates), features.first
    if not groups or not all(groups):
        raise InputError("a group without templates", fix="give each one or more")
    for group in groups:
        if not all(0 <= t < count for t in group) or len(set(group)) < len(group):
            raise InputError("a group with a template that is not there, or twice", fix="give others")
        if min(group) < first <= max(group):
            raise InputError("a group of arcs and of siblings", fix="make two of it")
    kinds = [group[0] >= first for group in groups]
    if kinds[0] or kinds != sorted(kinds):
        raise InputError("siblings before arcs", fix="groups of the second order come last")


def first_order_groups(features: ArcFeatures, groups: Sequence[Sequence[int]]) -> int:
    """How many groups are of the first order."""
    return sum(max(group) < features.first for group in groups)


def stages_of(features: ArcFeatures, groups: Sequence[Sequence[int]]) -> Stages:
    """Policies see all templates but those of each word between."""
    made = [features.group(group) for group in groups]
    between = features.compiled.between
    seen = []
    for group in made:
        wanted = between[group.pattern] != EACH
        seen.append(group._replace(pattern=group.pattern[wanted], wanted=group.wanted[wanted]))
    return Stages(
        np.concatenate([group.pattern for group in made]),
        np.concatenate([group.wanted for group in made]),
        _starts([len(group.pattern) for group in made]),
        np.concatenate([group.pattern for group in seen]),
        np.concatenate([group.wanted for group in seen]),
        _starts([len(group.pattern) for group in seen]),
        _starts([int(np.bitwise_count(group.wanted).sum()) for group in seen]),
        first_order_groups(features, groups),
    )


def _starts(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
