"""Discontinuous phrases: trees in which the words of a node need not stand together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from secateur.treebanks import formats
from secateur.treebanks.phrases import Phrases, Treebank
from secateur.treebanks.tree import Tree


class DiscontinuousBank(Treebank):
    """Discontinuous trees under a name, packed."""

    __slots__ = ()

    annotation: ClassVar[str] = formats.DISCONTINUOUS


class Discontinuous(Phrases):
    """Brackets with positions; see `Annotation`. The trees are those of phrases, less tame."""

    name = formats.DISCONTINUOUS
    formats: tuple[str, ...] = ("discbracket",)

    def bank(self, trees: Iterable[Tree], name: str = "") -> DiscontinuousBank:
        return DiscontinuousBank(trees, name=name)

    def grown(self, count: int, *, seed: int = 0) -> Iterator[Tree]:
        from secateur.treebanks.garden import garden

        return (sample.discontinuous for sample in garden(count, seed=seed))


DISCONTINUOUS = Discontinuous()
