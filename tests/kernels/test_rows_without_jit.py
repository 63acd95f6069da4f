"""Run as plain Python tagger and labeller give the same results: this file is the test and the script."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.kinds.arcs.labels import Labeller
from secateur.kinds.arcs.tagger import Tagger
from secateur.treebanks.garden import garden
from without_jit import needs_compiled, plain_results


def results() -> dict[str, Any]:
    trees = [sample.dependencies for sample in garden(16)]
    with np.errstate(over="ignore"):  # of keys, which are meant to overflow
        tagger = Tagger.train(trees[:12], epochs=2, often=2, sure=4)
        labeller = Labeller.train(trees[:12], epochs=2, often=2)
        return {
            "mistakes": [tagger.mistakes, labeller.mistakes],
            "weights": [tagger.rows.weight.tolist(), labeller.rows.weight.tolist()],
            "tags": tagger.tag([tree.words for tree in trees]),
            "labels": labeller.label(trees),
        }


@needs_compiled
def test_same_results_without_compilation() -> None:
    plain, compiled = plain_results(__file__), json.loads(json.dumps(results()))
    assert plain["mistakes"] == compiled["mistakes"]
    assert plain == compiled


if __name__ == "__main__":
    print(json.dumps(results()))
