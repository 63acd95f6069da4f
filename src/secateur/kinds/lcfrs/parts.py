"""The parts of a model of discontinuous phrases: those of phrases, for trees in which a node that covers
several blocks of words is as many nodes (`treebanks.blocks`). A mere grammar is a PLCFRS."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lcfrs.text import write_plcfrs
from secateur.kinds.pcfg import parts as blocks
from secateur.kinds.pcfg.parts import GRAMMAR, PcfgParts, read
from secateur.models.storage import Content

__all__ = ["LcfrsParts", "PlcfrsParts", "from_grammar", "read", "sizes", "write"]


@dataclass(frozen=True)
class PlcfrsParts:
    """A grammar, which no policy comes with."""

    grammar: PLCFRS

    def fits(self, dim: int) -> bool:
        """Whether policies may have so many features."""
        return False


LcfrsParts = PcfgParts | PlcfrsParts


def from_grammar(grammar: PLCFRS) -> PlcfrsParts:
    """A mere grammar, with binary rules: one that cannot have them is refused."""
    return PlcfrsParts(grammar.binarized())


def sizes(parts: LcfrsParts) -> dict[str, int]:
    """What there is of them, by name."""
    if isinstance(parts, PcfgParts):
        return blocks.sizes(parts)
    grammar = parts.grammar
    return {
        "grammar symbols": len(grammar.symbols),
        "largest fan-out": int(grammar.fanout.max()),
        "binary rules": len(grammar.binary.weight),
        "unary rules": len(grammar.unary.weight),
    }


def write(parts: LcfrsParts) -> dict[str, Content]:
    """The files of a model."""
    if isinstance(parts, PcfgParts):
        return blocks.write(parts)
    return {GRAMMAR: partial(write_plcfrs, parts.grammar)}
