"""Policies that need no learner: keep everything, or move the threshold of one that is there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from secateur.errors import InputError
from secateur.search.core import Policy
from secateur.tasks.hyperedge_pruning.task import HyperedgePruning


def keep_all(task: HyperedgePruning) -> Policy:
    """Keeps everything: the policy that the 2018 paper starts from."""
    weights = np.zeros(task.dim, np.float32)
    weights[task.item_features.bias] = 1.0
    return Policy(weights)


def thresholded(policy: Policy, task: HyperedgePruning, threshold: float) -> Policy:
    """Keeps what scores more than the threshold under `policy`, as exactly as float32 can say it."""
    if not np.isfinite(threshold):
        raise InputError(f"a threshold of {threshold}", fix="give a finite one; keep_all keeps everything")
    weights = policy.weights.copy()
    weights[task.item_features.bias] -= threshold
    return replace(policy, weights=weights)
