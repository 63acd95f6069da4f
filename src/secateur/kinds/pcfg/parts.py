"""The parts of a model that parses phrases with a grammar, and their files:

grammar.gr.gz     the grammar as text, or what it is without sub-symbols
split.npz         the probabilities of its sub-symbols, if it is a split one
features.json     the templates that policies see, and how many bits their hashes have
vocabulary.txt    the words that templates tell apart
orders.json       names of orders of an agenda, and what their features are, if there are some
orders.npz        their weights, and what was counted
halting.npz       policies that go on past the first parse, if there are some
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from secateur.features.span import SpanFeatures, View
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG
from secateur.grammar.text import parse_grammar, write_grammar
from secateur.kinds.pcfg import orders as agenda
from secateur.kinds.pcfg.orders import Orders
from secateur.kinds.pcfg.store import SCHEMA, from_arrays, sizes_of, to_arrays
from secateur.models.storage import Content, Store, pack_arrays

GRAMMAR, SPLIT, FEATURES, VOCABULARY = "grammar.gr.gz", "split.npz", "features.json", "vocabulary.txt"
ORDERS, ORDER_ARRAYS, HALTING = "orders.json", "orders.npz", "halting.npz"


@dataclass(frozen=True)
class PcfgParts:
    """What there is to parse with, but for policies."""

    grammar: PCFG | SplitPCFG
    features: SpanFeatures
    orders: Orders | None = None

    @property
    def rules(self) -> PCFG:
        """The grammar, or the unsplit one of a split grammar."""
        return self.grammar.coarse if isinstance(self.grammar, SplitPCFG) else self.grammar

    def fits(self, dim: int) -> bool:
        """Whether policies may have so many features."""
        return dim == self.features.dim


def from_grammar(grammar: PCFG | SplitPCFG) -> PcfgParts:
    """A mere grammar, which no policy comes with."""
    return PcfgParts(grammar, SpanFeatures(frozenset()))


def sizes(parts: PcfgParts) -> dict[str, int]:
    """What there is of them, by name."""
    grammar = parts.rules
    found = {
        "grammar symbols": len(grammar.symbols),
        "binary rules": len(grammar.binary.weight),
        "unary rules": len(grammar.unary.weight),
        "words the policies know": len(parts.features.vocabulary),
        "feature templates": len(parts.features.templates),
    }
    return found | ({"orders": len(parts.orders.names)} if parts.orders is not None else {})


class _Templates(NamedTuple):
    """features.json."""

    templates: tuple[str, ...]
    bits: int


def read(store: Store, views: Mapping[str, View]) -> PcfgParts:
    """The parts of a model; `views` brings the functions of templates that users added."""
    given = store.json(FEATURES, _Templates)
    words = store.text(VOCABULARY).split("\n")[:-1]
    with store.blamed(FEATURES):
        features = SpanFeatures(frozenset(words), given.templates, dict(views), given.bits)
    grammar = _grammar(store)
    return PcfgParts(grammar, features, _orders(store, grammar))


def write(parts: PcfgParts) -> dict[str, Content]:
    """The files of a model."""
    features = parts.features
    files: dict[str, Content] = {
        GRAMMAR: partial(write_grammar, parts.rules),
        FEATURES: json.dumps({"templates": features.templates, "bits": features.bits}, indent=1),
        VOCABULARY: "".join(f"{word}\n" for word in sorted(features.vocabulary)),
    }
    if isinstance(parts.grammar, SplitPCFG):
        files[SPLIT] = pack_arrays(to_arrays(parts.grammar))
    if parts.orders is not None:
        files[ORDERS] = json.dumps(parts.orders.to_notes(), indent=1)
        files[ORDER_ARRAYS] = pack_arrays(parts.orders.to_arrays())
        if parts.orders.halting is not None:
            files[HALTING] = pack_arrays({"halting": parts.orders.halting})
    return files


def _grammar(store: Store) -> PCFG | SplitPCFG:
    with store.blamed(GRAMMAR):
        rules = parse_grammar(store.lines(GRAMMAR), name=str(store.folder / GRAMMAR), dialects=("secateur",))
    if not store.has(SPLIT):
        return rules
    arrays = store.arrays(SPLIT, SCHEMA, sizes_of(rules))
    with store.blamed(SPLIT):
        return from_arrays(rules, arrays)


def _orders(store: Store, grammar: PCFG | SplitPCFG) -> Orders | None:
    if not store.has(ORDERS):
        return None
    notes = store.json(ORDERS, agenda.Notes)
    rules = grammar.coarse if isinstance(grammar, SplitPCFG) else grammar
    with store.blamed(ORDERS):
        agenda.checked(notes)
    sizes, halting = agenda.sizes_of(notes, rules), None
    arrays = store.arrays(ORDER_ARRAYS, agenda.schema_of(notes), sizes)
    if store.has(HALTING):
        halting = store.arrays(HALTING, agenda.halting_schema(), sizes)["halting"]
    with store.blamed(ORDER_ARRAYS):
        return Orders.restored(grammar, notes, arrays, halting)
