"""As plain Python hierarchical A* gives the same results: this file is the test and the script it runs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.hierarchy import looked_through
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.hierarchy import hierarchical
from secateur.kernels.agenda.levels import levels_of
from secateur.kernels.agenda.priorities import How, Limits
from split_cases import random_split
from without_jit import needs_compiled, plain_results

GRAMMAR = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""


def results() -> list[Any]:
    """Parses of a few sentences: exact, pruned, masked, and cut off by either limit."""
    grammar, rng, found = PCFG.from_text(GRAMMAR), np.random.default_rng(3), []
    blocks, mass, ancestry = random_split(grammar, 2, rng, zeros=0.0, proper=True)
    every, seen = looked_through(SplitPCFG(grammar, blocks, mass, ancestry), [0, 1])
    levels = levels_of([one.rules for one in every], seen)
    for n, how, limits, density in (
        (1, How(), Limits(), 1.0),
        (7, How(), Limits(), 1.0),
        (9, How(0.3, widen=2.0), Limits(), 0.9),
        (9, How(), Limits(pops=300), 1.0),
        (25, How(2.0), Limits(bytes=1 << 20), 0.2),
    ):
        words = every[-1].lexicon.encode(["ab"[w] for w in rng.integers(0, 2, n)])
        mask = rng.random((n + 1, n + 1)) < density
        parsed = hierarchical(levels, words, mask, how, limits, log=True)
        work = (parsed.pops, parsed.pushes, parsed.items, parsed.status)
        logged = (parsed.pops_of, parsed.log, parsed.log_key)
        found.append([parsed.steps.tolist(), float(parsed.score), *map(int, work)])
        found.append([array.tolist() for array in logged])
    return found


@needs_compiled
def test_same_results_without_compilation() -> None:
    assert plain_results(__file__) == json.loads(json.dumps(results()))


if __name__ == "__main__":
    print(json.dumps(results()))
