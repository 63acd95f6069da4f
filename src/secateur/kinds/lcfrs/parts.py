"""The parts of a model of discontinuous phrases, and their files. One of them may be missing.

Blocks: the parts of a model of phrases, for trees in which a node that covers several blocks of words is as
many nodes (`treebanks.blocks`), in the files that `kinds.pcfg.parts` names.

Deduction:
plcfrs.gr.gz      a PLCFRS as text
coarse.gr.gz      the PCFG that is parsed with first, if there is one
items.json        the coarse symbol of each component, the templates that policies about items see, which
                  these are, and which are about the coarse grammar's spans

Ranker:
ranker.json       how often which children are heads, and the like
ranker.npz        the weights of features of whole trees
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import NamedTuple

from secateur.errors import InputError
from secateur.features.item import ItemFeatures
from secateur.features.span import SpanFeatures, View
from secateur.features.tree import TreeFeatures
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lcfrs.text import parse_plcfrs, write_plcfrs
from secateur.grammar.text import parse_grammar, write_grammar
from secateur.kinds.lcfrs.coarse import CoarseToFine
from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.ranker import Ranker
from secateur.kinds.pcfg import parts as blocks
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.models.storage import Content, Store, weights_file

GRAMMAR, COARSE, ITEMS = "plcfrs.gr.gz", "coarse.gr.gz", "items.json"
RANKER, RANKER_WEIGHTS = "ranker.json", "ranker.npz"
MOST, MOST_BITS, LARGEST = 1000, 24, 1e12  # trees to rank, bits of features, trust


@dataclass(frozen=True)
class LcfrsParts:
    """What there is to parse with, but for policies; one at least."""

    blocks: PcfgParts | None = None
    deduction: Deduction | None = None
    ranker: Ranker | None = None  # of trees by blocks

    def fits(self, dim: int) -> bool:
        """Whether policies may have so many features: all have as many."""
        if self.blocks is not None:
            return self.blocks.fits(dim)
        features = None if self.deduction is None else self.deduction.features
        return features is not None and features.dim == dim


def from_grammar(grammar: PLCFRS) -> LcfrsParts:
    """A mere grammar, with binary rules: one that cannot have them is refused."""
    return LcfrsParts(deduction=Deduction(grammar.binarized()))


def sizes(parts: LcfrsParts) -> dict[str, int]:
    """What there is of them, by name."""
    found = blocks.sizes(parts.blocks) if parts.blocks is not None else {}
    if parts.deduction is None:
        return found
    grammar = parts.deduction.grammar
    return {
        **found,
        "symbols of the PLCFRS": len(grammar.symbols),
        "its largest fan-out": int(grammar.fanout.max()),
        "its binary rules": len(grammar.binary.weight),
        "its unary rules": len(grammar.unary.weight),
    }


class _Items(NamedTuple):
    """items.json."""

    components: tuple[str, ...]  # coarse symbols
    templates: tuple[str, ...]  # none: no policies
    bits: int
    conjoined: bool
    labelled: bool
    policies: tuple[str, ...]
    masks: tuple[str, ...]  # policies about spans of the coarse grammar
    behind: str  # empty: none of them


def read(store: Store, views: Mapping[str, View]) -> LcfrsParts:
    """The parts of a model; `views` brings the functions of templates that users added."""
    own = blocks.read(store, views) if store.has(blocks.GRAMMAR) or not store.has(GRAMMAR) else None
    deduction = _deduction(store, own) if store.has(GRAMMAR) else None
    return LcfrsParts(own, deduction, _ranker(store) if own is not None and store.has(RANKER) else None)


class _Ranking(NamedTuple):
    """ranker.json."""

    heads: dict[str, dict[str, float]]
    bits: int
    trust: float
    among: int


def _ranker(store: Store) -> Ranker:
    given = store.json(RANKER, _Ranking)
    with store.blamed(RANKER):
        if not 1 <= given.bits <= MOST_BITS or not 1 <= given.among <= MOST or not abs(given.trust) < LARGEST:
            raise InputError(f"{given.bits} bits, {given.among} trees, {given.trust:g} for what grammars say")
    weights = store.weights(RANKER_WEIGHTS, 1 << given.bits)
    return Ranker(TreeFeatures(given.heads, given.bits), weights, given.trust, given.among)


def _deduction(store: Store, own: PcfgParts | None) -> Deduction:
    with store.blamed(GRAMMAR):
        grammar = parse_plcfrs(store.lines(GRAMMAR), name=str(store.folder / GRAMMAR)).binarized()
    if not store.has(ITEMS):
        return Deduction(grammar)
    given = store.json(ITEMS, _Items)
    coarse = None
    if store.has(COARSE):
        with store.blamed(COARSE):
            pcfg = parse_grammar(store.lines(COARSE), name=str(store.folder / COARSE), dialects=("secateur",))
        with store.blamed(ITEMS):
            coarse = CoarseToFine(pcfg, grammar, given.components)
    if not given.templates and not given.masks:
        return Deduction(grammar, coarse)
    with store.blamed(ITEMS):
        if own is None:
            raise InputError("features without a vocabulary")
        if given.masks and coarse is None:
            raise InputError("policies about spans without a coarse grammar")
        if given.behind and given.behind not in given.masks:
            raise InputError(f"{given.behind!r} is not among the policies about spans")
        if not given.templates:
            return Deduction(grammar, coarse, spans=own.features, masks=given.masks)
        spans = SpanFeatures(own.features.vocabulary, given.templates, bits=given.bits)
        features = ItemFeatures.of_grammar(grammar, spans, conjoined=given.conjoined, labelled=given.labelled)
        if features.dim != own.features.dim:
            raise InputError(f"{given.bits} bits of features, where spans have others")
    behind = given.behind or None
    return Deduction(grammar, coarse, features, given.policies, own.features, given.masks, behind)


def write(parts: LcfrsParts) -> dict[str, Content]:
    """The files of a model."""
    found = blocks.write(parts.blocks) if parts.blocks is not None else {}
    if parts.ranker is not None:
        features, weights, trust, among = (getattr(parts.ranker, one.name) for one in fields(parts.ranker))
        found[RANKER] = json.dumps(_Ranking(features.heads, features.bits, trust, among)._asdict())
        found[RANKER_WEIGHTS] = weights_file(weights)
    deduction = parts.deduction
    if deduction is None:
        return found
    found[GRAMMAR] = partial(write_plcfrs, deduction.grammar)
    features, coarse = deduction.features, deduction.coarse
    if coarse is not None:
        found[COARSE] = partial(write_grammar, coarse.grammar)
    if coarse is not None or features is not None:
        items = _Items(
            coarse.names if coarse is not None else (),
            features.spans.templates if features is not None else (),
            features.spans.bits if features is not None else 0,
            features is not None and features.conjoined,
            features is not None and features.labelled,
            deduction.policies,
            deduction.masks,
            deduction.behind or "",
        )
        found[ITEMS] = json.dumps(items._asdict(), indent=1)
    return found
