"""Random split grammars with the hierarchy their sub-symbols come from."""

from __future__ import annotations

import numpy as np

from naive import tree_em as naive
from secateur.grammar.latent.projection import Floats
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.split.tree_em import Blocks

Ancestry = tuple[tuple[Ids, ...], ...]


def entries(grammar: PCFG) -> list[tuple[str, str, bool]]:
    """What the lexical blocks are of."""
    lexicon = grammar.lexicon
    return [
        (grammar.symbols[lexicon.tag[e]], word, False)
        for w, word in enumerate(lexicon.words)
        for e in range(lexicon.ptr[w], lexicon.ptr[w + 1])
    ]


def random_ancestry(grammar: PCFG, levels: int, rng: np.random.Generator) -> Ancestry:
    """Each sub-symbol has one or two descendants at the next level; the start is never split."""
    sizes = np.ones(len(grammar.symbols), int)
    found = []
    for _ in range(levels):
        rows = []
        for name, x in grammar.number.items():
            two = rng.integers(1, 3, sizes[x]) if name != grammar.start else np.ones(1, int)
            rows.append(np.repeat(np.arange(sizes[x], dtype=np.uint32), two))
            sizes[x] = len(rows[-1])
        found.append(tuple(rows))
    return tuple(found)


def random_split(
    grammar: PCFG, levels: int, rng: np.random.Generator, *, zeros: float, proper: bool
) -> tuple[Blocks, Floats, Ancestry]:
    """Probabilities, masses and ancestry; in some, sub-symbols are not used at all."""
    ancestry = random_ancestry(grammar, levels, rng)
    splits = {name: len(ancestry[-1][x]) if levels else 1 for name, x in grammar.number.items()}
    rules = [rule for part in naive.layout(grammar, entries(grammar), splits) for rule in part]
    p = {rule: float(rng.random()) for rule in rules}
    if proper:
        p = naive.normalized(p)
    mass = rng.random((len(splits), max(splits.values()))) * 100.0
    mass[rng.random(mass.shape) < zeros] = 0.0
    return naive.to_blocks(grammar, entries(grammar), splits, p), mass, ancestry
