"""Phrases by CKY with a PCFG, split or not; spans are pruned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from secateur.kinds.pcfg.settings import COARSE, Looking, Settings, Using, measured
from secateur.models.point import Figures, Way
from secateur.treebanks.phrases import PHRASES

if TYPE_CHECKING:
    from secateur.kinds.pcfg.parser import Parser
    from secateur.kinds.pcfg.parts import PcfgParts
    from secateur.models.kind import Look, Trained, Views
    from secateur.models.limits import Limits
    from secateur.models.run import Run
    from secateur.models.storage import Content, Store
    from secateur.search.core import Policy
    from secateur.treebanks.bank import Bank
    from secateur.treebanks.sentence import Sentence
    from secateur.treebanks.tree import Tree


class Pcfg:
    """See `Kind`; what takes long to import is imported when it is used."""

    name = "pcfg"
    annotation = PHRASES
    figures = Figures("F1", "pushes", "push", "kept", "spans kept", "without a parse")
    settings = Settings
    using = Using
    looking = Looking

    def read(self, store: Store, views: Views) -> PcfgParts:
        from secateur.kinds.pcfg import parts

        return parts.read(store, views)

    def write(self, parts: PcfgParts) -> Mapping[str, Content]:
        from secateur.kinds.pcfg.parts import write

        return write(parts)

    def from_file(self, path: str | PathLike[str]) -> PcfgParts:
        """A grammar file, which no policy comes with."""
        from secateur.features.span import SpanFeatures
        from secateur.grammar.text import read_any
        from secateur.kinds.pcfg.parts import PcfgParts

        return PcfgParts(read_any(path), SpanFeatures(frozenset()))

    def ways(self, parts: PcfgParts, policies: Mapping[str, Policy]) -> dict[str, Way]:
        from secateur.kinds.pcfg.ways import ways

        return ways(parts.grammar, policies)

    def parser(
        self, parts: PcfgParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
    ) -> Parser:
        from secateur.kinds.pcfg.parser import parser_of

        return parser_of(parts, way, policies, limits, using)

    def train(self, run: Run, train: Bank[Tree], dev: Bank[Tree], settings: Settings) -> Trained[PcfgParts]:
        from secateur.kinds.pcfg.recipe import train as recipe

        return recipe(run, train, dev, settings)

    def quick(self, seed: int) -> Settings:
        # Unsplit: to compile what makes and parses with sub-symbols takes a minute more.
        return Settings(grammar=COARSE, points=4, iterations=1, max_length=30, repeat=1, seed=seed)

    def measured(self, notes: Mapping[str, Any]) -> Using:
        return measured(notes)

    def sizes(self, parts: PcfgParts) -> dict[str, int]:
        grammar = parts.rules
        return {
            "grammar symbols": len(grammar.symbols),
            "binary rules": len(grammar.binary.weight),
            "unary rules": len(grammar.unary.weight),
            "words the policies know": len(parts.features.vocabulary),
            "feature templates": len(parts.features.templates),
        }

    def fits(self, parts: PcfgParts) -> Callable[[int], bool]:
        return parts.fits

    def look(
        self,
        parts: PcfgParts,
        way: Way,
        policies: Mapping[str, Policy],
        sentence: Sentence,
        gold: Tree | None,
        looking: Looking,
        using: Using,
    ) -> Look:
        from secateur.kinds.pcfg.look import look

        return look(parts, way, policies, sentence, gold, looking)


KIND = Pcfg()
