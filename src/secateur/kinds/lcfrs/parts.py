"""The parts of a model of discontinuous phrases: those of phrases, for trees in which a node that covers
several blocks of words is as many nodes (`treebanks.blocks`)."""

from __future__ import annotations

from secateur.kinds.pcfg.parts import read, sizes, write

__all__ = ["read", "sizes", "write"]
