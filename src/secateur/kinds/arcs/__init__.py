"""Dependencies in stages of features; arcs are locked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from secateur.kinds.arcs.settings import ArcSettings, Looking, Using, measured
from secateur.models.point import Figures, Way
from secateur.treebanks.dependencies import DEPENDENCIES

if TYPE_CHECKING:
    from secateur.kinds.arcs.parser import ArcParser
    from secateur.kinds.arcs.parts import ArcParts
    from secateur.models.kind import Look, Trained, Views
    from secateur.models.limits import Limits
    from secateur.models.run import Run
    from secateur.models.storage import Content, Store
    from secateur.search.core import Policy
    from secateur.treebanks.bank import Bank
    from secateur.treebanks.dependency_tree import DependencyTree
    from secateur.treebanks.sentence import Sentence


class Arcs:
    """See `Kind`; what takes long to import is imported when it is used."""

    name = "arcs"
    annotation = DEPENDENCIES
    figures = Figures("UAS", "features", "template", "features", "templates", "fell back")
    settings = ArcSettings
    using = Using
    looking = Looking

    def read(self, store: Store, views: Views) -> ArcParts:
        from secateur.kinds.arcs import parts

        return parts.read(store, views)

    def write(self, parts: ArcParts) -> Mapping[str, Content]:
        from secateur.kinds.arcs.parts import write

        return write(parts)

    def ways(self, parts: ArcParts, policies: Mapping[str, Policy]) -> dict[str, Way]:
        from secateur.kinds.arcs.ways import ways

        return ways(parts, policies)

    def parser(
        self, parts: ArcParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
    ) -> ArcParser:
        from secateur.kinds.arcs.parser import ArcParser

        return ArcParser(parts, way, policies, limits=limits, using=using)

    def train(
        self, run: Run, train: Bank[DependencyTree], dev: Bank[DependencyTree], settings: ArcSettings
    ) -> Trained[ArcParts]:
        from secateur.kinds.arcs.recipe import train as recipe

        return recipe(run, train, dev, settings)

    def quick(self, seed: int) -> ArcSettings:
        return ArcSettings(
            points=2, iterations=5, epochs=4, shuffles=1, bits=20, folds=2, repeat=1, seed=seed
        )

    def measured(self, notes: Mapping[str, Any]) -> Using:
        return measured(notes)

    def sizes(self, parts: ArcParts) -> dict[str, int]:
        weights = (parts.models.crossing, parts.models.projective, parts.models.siblings)
        return {
            "stages": len(parts.groups),
            **{f"templates of stage {stage}": len(group) for stage, group in enumerate(parts.groups)},
            "weights": sum(int((own != 0).sum()) for own in weights),
            **{f"templates of filter {n}": len(own.templates) for n, own in enumerate(parts.filters)},
            "tags with limits": len(parts.limits.tags),
            "pairs of tags of the tagger": len(parts.tagger.classes) if parts.tagger else 0,
            "labels of the labeller": len(parts.labeller.labels) if parts.labeller else 0,
        }

    def fits(self, parts: ArcParts) -> Callable[[int], bool]:
        return parts.fits

    def look(
        self,
        parts: ArcParts,
        way: Way,
        policies: Mapping[str, Policy],
        sentence: Sentence,
        gold: DependencyTree | None,
        looking: Looking,
        using: Using,
    ) -> Look:
        from secateur.kinds.arcs.look import look

        return look(parts, way, policies, sentence, gold, using)


KIND = Arcs()
