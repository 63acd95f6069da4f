"""The parts of a model that parses phrases with a grammar, and their files:

grammar.gr.gz     the grammar as text, or what it is without sub-symbols
split.npz         the probabilities of its sub-symbols, if it is a split one
features.json     the templates that policies see, and how many bits their hashes have
vocabulary.txt    the words that templates tell apart
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
from secateur.kinds.pcfg.store import SCHEMA, from_arrays, sizes_of, to_arrays
from secateur.models.storage import Content, Store, pack_arrays

GRAMMAR, SPLIT, FEATURES, VOCABULARY = "grammar.gr.gz", "split.npz", "features.json", "vocabulary.txt"


@dataclass(frozen=True)
class PcfgParts:
    """What there is to parse with, but for policies."""

    grammar: PCFG | SplitPCFG
    features: SpanFeatures

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
    return {
        "grammar symbols": len(grammar.symbols),
        "binary rules": len(grammar.binary.weight),
        "unary rules": len(grammar.unary.weight),
        "words the policies know": len(parts.features.vocabulary),
        "feature templates": len(parts.features.templates),
    }


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
    return PcfgParts(_grammar(store), features)


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
    return files


def _grammar(store: Store) -> PCFG | SplitPCFG:
    with store.blamed(GRAMMAR):
        rules = parse_grammar(store.lines(GRAMMAR), name=str(store.folder / GRAMMAR), dialects=("secateur",))
    if not store.has(SPLIT):
        return rules
    arrays = store.arrays(SPLIT, SCHEMA, sizes_of(rules))
    with store.blamed(SPLIT):
        return from_arrays(rules, arrays)
