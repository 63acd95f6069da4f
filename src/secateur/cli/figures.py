"""The figures of a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lexicon import UNKNOWN
from secateur.grammar.pcfg import PCFG

if TYPE_CHECKING:
    from secateur.grammar.latent.grammar import SplitPCFG


def report(grammar: PCFG | SplitPCFG | PLCFRS) -> dict[str, Any]:
    """Sizes; of a PLCFRS also how large its items are, and what it takes to parse with it."""
    if not isinstance(grammar, PCFG | PLCFRS):
        return {**report(grammar.coarse), **_of_split(grammar)}
    made = grammar.intermediate if isinstance(grammar, PCFG) else grammar.made
    found: dict[str, Any] = {
        "start": grammar.start,
        "symbols": len(grammar.symbols),
        "made by binarization": int(made.sum()),
        "tags": int(grammar.tags.sum()),
        "binary rules": len(grammar.binary.weight),
        "unary rules": len(grammar.unary.weight),
        "composed unaries": sum(map(bool, grammar.unary.path)),
        "words": _words(grammar),
        "unknown-word classes": len(grammar.lexicon.words) - _words(grammar),
        "lexical entries": len(grammar.lexicon.weight),
    }
    return found if isinstance(grammar, PCFG) else {**found, **_of_fanouts(grammar)}


def _of_split(grammar: SplitPCFG) -> dict[str, Any]:
    """What a split grammar has more."""
    blocks = grammar.blocks
    numbers = sum(len(part) for part in (blocks.binary, blocks.unary, blocks.lexical))
    return {
        "levels of splits": len(grammar.ancestry),
        "sub-symbols": int(blocks.splits.sum()),
        "probabilities": numbers,
    }


def _words(grammar: PCFG | PLCFRS) -> int:
    """Words, without the classes that stand for unknown ones."""
    return sum(word.partition("-")[0] != UNKNOWN for word in grammar.lexicon.words)


def complexity(grammar: PLCFRS) -> int:
    """To parse n words takes time up to n to this power: a rule's is the sum of its symbols' fan-outs.

    Longer rules count as they are when they have been made binary.
    """
    binary, fanout = grammar.binarized().binary, grammar.binarized().fanout
    sums = fanout[binary.parent] + fanout[binary.left] + fanout[binary.right]
    return int(max(sums.max(initial=0), 2 * grammar.fanout[grammar.unary.parent].max(initial=0), 1))


def _of_fanouts(grammar: PLCFRS) -> dict[str, Any]:
    """What a PLCFRS has more; rules are of the fan-out of the symbol on the left."""
    fanout = grammar.fanout
    parents = np.concatenate([rules.parent for rules in (grammar.binary, grammar.unary, grammar.long)])
    found: dict[str, Any] = {
        "longer rules": len(grammar.long.weight),
        "chains": "yes" if grammar.chains else "no",
        "fan-out": int(fanout.max()),
        "parsing complexity": complexity(grammar),
    }
    for what, sizes in (("symbols", fanout), ("rules", fanout[parents])):
        known, counts = np.unique(sizes, return_counts=True)
        pairs = zip(known.tolist(), counts.tolist(), strict=True)
        found |= {f"{what} of fan-out {size}": count for size, count in pairs}
    return found
