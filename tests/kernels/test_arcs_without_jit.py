"""Run as plain Python the kernels over arcs give the same results: this file is the test and the script."""

from __future__ import annotations

import json

import numpy as np

from arc_cases import random_case
from secateur.kernels.arcs import (
    eisner,
    eisner_siblings,
    matrix_tree,
    mst,
)
from secateur.kernels.arcs import (
    inside as arc_inside,
)
from secateur.kernels.arcs import (
    inside_siblings as arc_inside_siblings,
)
from without_jit import needs_compiled, plain_results


def results() -> dict[str, list[list[float]]]:
    exact, rounded = [], []
    for seed, (n, open_share) in enumerate(((1, 1.0), (2, 1.0), (5, 0.7), (8, 1.0), (9, 0.6), (6, 0.2))):
        for single_root in (False, True):
            case = random_case(n, seed, open_share, 3.0, single_root)
            score, sibling, _ = case
            heads, margin, table = np.zeros((4, n + 1), np.int32), np.zeros(n + 1), np.empty((n + 1, n + 1))
            found = [
                mst.best_tree(score, single_root, heads[0]),
                mst.tree_margins(score, single_root, heads[1], margin),
                eisner.best_projective(score, single_root, heads[2]),
                eisner_siblings.best_projective_siblings(score, sibling, single_root, heads[3]),
            ]
            exact += [
                list(map(bool, found)),
                *(row for row, some in zip(heads.tolist(), found, strict=True) if some),
            ]
            if found[1]:
                rounded.append(margin.tolist())
            for sums in (
                mst.tree_max_marginals,
                matrix_tree.tree_marginals,
                arc_inside.arc_marginals,
                arc_inside.arc_max_marginals,
            ):
                rounded.append([float(sums(score, single_root, table)), *table.ravel().tolist()])
            for sums in (arc_inside_siblings.sibling_marginals, arc_inside_siblings.sibling_max_marginals):
                rounded.append([float(sums(score, sibling, single_root, table)), *table.ravel().tolist()])
    return {"exact": exact, "rounded": rounded}


@needs_compiled
def test_same_results_without_compilation() -> None:
    plain, compiled = plain_results(__file__), results()
    assert plain["exact"] == compiled["exact"]
    assert len(compiled["exact"]) > 40, "most have trees"
    for a, b in zip(plain["rounded"], compiled["rounded"], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


if __name__ == "__main__":
    print(json.dumps(results()))
