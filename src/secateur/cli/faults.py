"""What a parser would trip over in a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lexicon import UNKNOWN
from secateur.grammar.pcfg import PCFG, TOLERANCE, Ids

if TYPE_CHECKING:
    from secateur.grammar.latent.grammar import SplitPCFG

Bools = npt.NDArray[np.bool_]


def faults(grammar: PCFG | SplitPCFG | PLCFRS, file: str) -> list[InputError]:
    """Improper symbols, symbols that derive nothing, symbols that are never reached, no unknown words; longer
    rules that cannot be made binary."""
    if not isinstance(grammar, PCFG | PLCFRS):
        return _of_split(grammar, file)
    found = [
        (f"the rules of {name} sum to {mass:.4f}, more than 1", "lower their weights")
        for name, mass in grammar.improper()
    ]
    if isinstance(grammar, PLCFRS):
        try:
            grammar.binarized()
        except InputError as problem:
            found.append((problem.what, problem.fix))
    return [*(InputError(what, where=file, fix=fix) for what, fix in found), *_gaps(grammar, file)]


def _of_split(grammar: SplitPCFG, file: str) -> list[InputError]:
    """Improper sub-symbols, and what the unsplit grammar lacks.

    In our own format sums are checked on reading. In a Berkeley export unaries stand for chains of any
    length, so that binary rules alone are looked at.
    """
    coarse, blocks = grammar.coarse, grammar.blocks
    sums = np.zeros((len(coarse.symbols), int(blocks.splits.max())))
    for rule, parent in enumerate(coarse.binary.parent.tolist()):
        block = blocks.binary[int(blocks.binary_ptr[rule]) : int(blocks.binary_ptr[rule + 1])]
        splits = int(blocks.splits[parent])
        sums[parent, :splits] += block.reshape(splits, -1).sum(axis=1)
    found = [
        InputError(
            f"the binary rules of {coarse.symbols[x]}_{a} sum to {sums[x, a]:.4f}, more than 1",
            where=file,
            fix="lower their weights",
        )
        for x, a in np.argwhere(sums > 1.0 + TOLERANCE).tolist()
    ]
    return [*found, *_gaps(coarse, file)]


def _gaps(grammar: PCFG | PLCFRS, file: str) -> list[InputError]:
    found = []
    derives, reached = _useful(grammar)
    for ok, what, fix in (
        (derives, "derives no words", "add rules for it, or delete those that use it"),
        (reached, f"is never reached from {grammar.start}", "use it in a rule, or delete its own"),
    ):
        found += [(f"{grammar.symbols[s]} {what}", fix) for s in np.flatnonzero(~ok)]
    if UNKNOWN not in grammar.lexicon.index:
        what = "no entry for unknown words: sentences with a new word have no parse"
        found.append((what, f"add entries such as `TAG -> {UNKNOWN} weight`"))
    return [InputError(what, where=file, fix=fix) for what, fix in found]


class _Rules(NamedTuple):
    """Rules with any number of children."""

    parent: Ids  # [R]
    child: Ids  # one after the other
    size: npt.NDArray[np.int64]  # [R] how many are a rule's


def _rules(grammar: PCFG | PLCFRS) -> _Rules:
    binary, unary = grammar.binary, grammar.unary
    two = np.stack([binary.left, binary.right], axis=1).ravel()
    parts = [
        _Rules(binary.parent, two, np.full(len(binary.parent), 2)),
        _Rules(unary.parent, unary.child, np.full(len(unary.parent), 1)),
    ]
    if isinstance(grammar, PLCFRS):
        ptr = grammar.long.ptr.astype(np.int64)
        parts.append(_Rules(grammar.long.parent, grammar.long.child, ptr[1:] - ptr[:-1]))
    return _Rules._make(map(np.concatenate, zip(*parts, strict=True)))


def _useful(grammar: PCFG | PLCFRS) -> tuple[Bools, Bools]:
    """[N] whether a symbol derives words, and whether the start symbol leads to it."""
    parent, child, size = _rules(grammar)
    rule = np.repeat(np.arange(len(parent)), size)  # of each child
    derives = grammar.tags.copy()
    reached = np.zeros(len(grammar.symbols), bool)
    reached[grammar.number[grammar.start]] = True
    before = -1
    while before < derives.sum() + reached.sum():
        before = derives.sum() + reached.sum()
        derives[parent[np.bincount(rule[derives[child]], minlength=len(parent)) == size]] = True
        reached[child[reached[parent[rule]]]] = True
    return derives, reached
