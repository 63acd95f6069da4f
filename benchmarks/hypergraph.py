"""A large hypergraph in arrays: seconds of every dynamic program over it, and the memory it takes.

    python benchmarks/hypergraph.py                  20 million binary hyperedges over 2 million nodes
    python benchmarks/hypergraph.py --cycles         a pair of unary hyperedges more for a tenth of the nodes
    python benchmarks/hypergraph.py --hyperedges 1000000 --nodes 100000

Heads are drawn evenly, tails among the nodes below, near ones more often. CPU seconds of one run each,
compiled before on a small hypergraph; memory is what the system says the process holds (peak: held at most).
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from secateur.hypergraph import Hypergraph, Weighted
from secateur.hypergraph.semiring import Semiring

FLIPS = 2000
COLUMNS = 4


def arrays(nodes: int, hyperedges: int, cycles: bool) -> tuple[int, Any, Any, Any]:
    """Goal, head, ptr and tail: a tenth of the nodes are axioms, the others are made by binary hyperedges."""
    rng = np.random.default_rng(1)
    axioms = max(2, nodes // 10)
    made = np.sort(rng.integers(axioms, nodes, hyperedges, dtype=np.uint32))
    made[-1] = nodes - 1
    share = rng.random((hyperedges, 2), dtype=np.float32) ** 2
    tail = ((1 - share) * made[:, None]).astype(np.uint32).clip(0, made[:, None] - 1)
    head = np.concatenate((np.arange(axioms, dtype=np.uint32), made))
    arity = np.concatenate((np.zeros(axioms, np.uint32), np.full(hyperedges, 2, np.uint32)))
    tails = tail.ravel()
    if cycles:
        # Node 10 i makes node 10 i + 1 and the other way round.
        first = np.arange(axioms // 10 * 10, nodes - 1, 10, dtype=np.uint32)
        head = np.concatenate((head, first, first + 1))
        arity = np.concatenate((arity, np.ones(2 * len(first), np.uint32)))
        tails = np.concatenate((tails, first + 1, first))
    ptr = np.zeros(len(head) + 1, np.uint32)
    np.cumsum(arity, out=ptr[1:])
    return nodes - 1, head, ptr, tails


def weights_for(head: Any) -> Any:
    """Below 0, and those into a node sum to less than 1."""
    rng = np.random.default_rng(2)
    return np.log(rng.random(len(head)) * 0.9) - np.log(np.bincount(head)[head])


def held() -> float:
    """Megabytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def flips(forest: Weighted) -> Any:
    """Hyperedges of the best derivation and others in turn: flipped, read and undone."""
    best = forest.viterbi()
    assert best is not None
    change = forest.change()
    rng = np.random.default_rng(3)
    chosen = [*best.hyperedges[: FLIPS // 2], *rng.integers(0, len(forest.graph), FLIPS // 2).tolist()]

    def run() -> str:
        reworked = 0
        for h in chosen:
            change.flip(h)
            reworked += change.reworked
            change.undo()
        return (
            f"{len(chosen)} flips, {reworked / len(chosen):.1f} nodes each, {change.work:,} hyperedges built"
        )

    return run


def report(nodes: int, hyperedges: int, cycles: bool, tell: Callable[[str], Any]) -> None:
    goal, head, ptr, tail = arrays(nodes, hyperedges, cycles)
    weights = weights_for(head)
    tell(f"{len(head):,} hyperedges, {nodes:,} nodes; arrays given: {held():,.0f} MB held")
    tell(f"{'':24}{'seconds':>9}{'MB held':>9}")

    def timed(name: str, run: Callable[[], Any], said: Callable[[Any], str] = lambda found: "") -> Any:
        start = time.process_time()
        found = run()
        spent = time.process_time() - start
        tell(f"{name:24}{spent:9.2f}{held():9,.0f}  {said(found)}")
        return found

    graph = timed("build", lambda: Hypergraph.from_arrays(goal, head, ptr, tail))
    forest = timed("weigh", lambda: graph.weigh(weights))
    timed("inside, BOOLEAN", lambda: forest.inside(Semiring.BOOLEAN))
    timed("inside, VITERBI", lambda: forest.inside(Semiring.VITERBI))
    timed("viterbi", forest.viterbi, lambda best: f"{best.value:.2f}, {len(best.hyperedges)} hyperedges")
    timed("inside, LOG", forest.inside, lambda value: f"{value[goal]:.4f}")
    timed("posterior", forest.posterior, lambda found: f"{found.hyperedges.sum():.2f} hyperedges expected")
    several = graph.weigh_several(weights[:, None] + np.arange(COLUMNS) * -0.01)
    timed(f"inside, {COLUMNS} weightings", several.inside)
    timed(f"posterior, {COLUMNS} weightings", several.posterior)
    del several
    timed("expectations, 4 amounts", lambda: forest.expectations(np.ones((len(head), 4))))
    timed("10 best", lambda: forest.kbest(10), lambda found: f"{found[-1].value:.2f}")
    run = timed("change", lambda: flips(forest))
    timed("change, flips", run, str)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--nodes", type=int, default=2_000_000)
    options.add_argument("--hyperedges", type=int, default=20_000_000)
    options.add_argument("--cycles", action="store_true")
    chosen = options.parse_args()
    report(1000, 5000, chosen.cycles, lambda line: None)
    report(chosen.nodes, chosen.hyperedges, chosen.cycles, lambda line: print(line, flush=True))
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
