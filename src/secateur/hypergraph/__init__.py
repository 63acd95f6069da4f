"""Hypergraphs and the dynamic programs over them: build, weigh, run.

    builder = Builder()
    builder.add("NP", label="birds")                # a hyperedge without tails: an axiom
    builder.add("VP", label="sing")
    builder.add("S", ["NP", "VP"], label="clause")
    forest = builder.build(goal="S").weigh({"birds": -1.0, "sing": -2.0, "clause": -0.5}.__getitem__)
    forest.viterbi()                                # Derivation(value=-3.5, hyperedges=(2, 0, 1))

Hyperedges keep the numbers they were added with; nodes are renumbered bottom-up. A derivation is a tree: a
node that is a tail twice is derived twice. Of several best ways to make a node the hyperedge with the
smallest number is taken, in Viterbi and in everything that must agree with it.

Cycles are allowed: a node may be needed to make itself. The best derivation is then found best-first, and
sums over the infinitely many derivations are solved for; what has no best or no sum is refused. Large
hypergraphs come from arrays (`Hypergraph.from_arrays`), without an object for each node or hyperedge.
"""

from __future__ import annotations

from secateur.hypergraph.builder import Builder
from secateur.hypergraph.change import Change
from secateur.hypergraph.derivation import Derivation
from secateur.hypergraph.graph import Hypergraph
from secateur.hypergraph.links import Links
from secateur.hypergraph.posterior import Posterior
from secateur.hypergraph.several import Several
from secateur.hypergraph.weighted import Weighted

__all__ = ["Builder", "Change", "Derivation", "Hypergraph", "Links", "Posterior", "Several", "Weighted"]
