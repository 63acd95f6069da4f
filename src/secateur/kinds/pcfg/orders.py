"""Orders: the priorities that a model has for the items of its grammar, by name.

With an order may come a policy that goes on past the first parse (`kinds.pcfg.halting_learning`).

All see the same features, of the items of one level of the grammar. One is always there: the boundary
estimate of Caraballo and Charniak (1998), which is counted; others are learned (`kinds.pcfg.order_learning`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.features.priority import PriorityFeatures, PrioritySettings
from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.projection import seen_from
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.halting import SEEN
from secateur.models.storage import Array, Schema, Spec, is_own
from secateur.tasks.agenda_order.task import Halting
from secateur.treebanks.tree import Tree

BOUNDARY = "boundary"
HALTING = "-halting"  # behind the name of an order, in names of points
MERITS = ("words", "label | word before", "word after | label")
_LARGEST = 1e6
_LEAST = 1e-30  # of a probability whose logarithm is taken
_MOST = 1.0 + 1e-9


class EarlierSettings(NamedTuple):
    """What models say that were saved before there were dynamic features: these have none."""

    marks: Literal["both", "against", "none"]
    inside: Literal["whole", "by sentence", "over best"]
    merit: bool
    outside: bool
    shares: bool


class FeatureNotes(NamedTuple):
    """What `PriorityFeatures.notes` says."""

    settings: EarlierSettings | PrioritySettings
    labels: tuple[str, ...]
    tags: tuple[str, ...]
    patterns: tuple[tuple[str, ...], ...]
    bounds: None


class Notes(NamedTuple):
    """orders.json."""

    names: tuple[str, ...]
    features: FeatureNotes


@dataclass(frozen=True, eq=False)
class Orders:
    """Weights by name; features as they are stored: to make a grammar of sub-symbols takes a while."""

    grammar: PCFG | SplitPCFG  # of the model
    names: tuple[str, ...]
    notes: Mapping[str, Any]
    arrays: Mapping[str, Array]
    weights: Array  # [orders, dim]
    halting: Array | None = None  # [orders, SEEN] policies that end searches in them; zeros: none

    @classmethod
    def counted(cls, grammar: PCFG | SplitPCFG, trees: Iterable[Tree], binarization: Binarization) -> Orders:
        """From normalized trees, the boundary estimate alone."""
        flat = items_of(grammar)
        settings = PrioritySettings(merit=True)
        found = PriorityFeatures.learned(flat, trees, binarization, settings=settings)
        return cls(grammar, (BOUNDARY,), found.notes(), found.arrays(), found.start(*MERITS)[None])

    @classmethod
    def restored(
        cls,
        grammar: PCFG | SplitPCFG,
        notes: Notes,
        arrays: Mapping[str, Array],
        halting: Array | None = None,
    ) -> Orders:
        """InputError where they do not fit the grammar, or each other."""
        features = {**notes.features._asdict(), "settings": asdict(_settings(notes))}
        own = {name: array for name, array in arrays.items() if name != "weights"}
        weights = arrays["weights"]
        # Labels, tags and words are those of the unsplit grammar.
        rules = grammar.coarse if isinstance(grammar, SplitPCFG) else grammar
        if weights.shape[1] != PriorityFeatures.restored(rules, features, own).dim:
            raise InputError("weights of other features", fix="take those trained with this grammar")
        return cls(grammar, notes.names, features, own, weights, halting)

    @cached_property
    def features(self) -> PriorityFeatures:
        return PriorityFeatures.restored(items_of(self.grammar), self.notes, self.arrays)

    def with_learned(self, found: Mapping[str, Array]) -> Orders:
        """The same, and others by name, as weights of the same features."""
        return replace(self, names=(*self.names, *found), weights=np.stack((*self.weights, *found.values())))

    def with_halting(self, found: Mapping[str, Array]) -> Orders:
        """The same with policies that end searches in some."""
        none = np.zeros(SEEN, np.float32)
        rows = np.stack([found.get(name, none) for name in self.names])
        return replace(self, halting=rows if rows.any() else None)

    @property
    def halted(self) -> tuple[str, ...]:
        """The orders that have such policies."""
        if self.halting is None:
            return ()
        return tuple(name for name, row in zip(self.names, self.halting, strict=True) if row.any())

    def halting_of(self, name: str) -> Halting:
        assert self.halting is not None, "who has such ways has such policies"
        return Halting(self.halting[self.names.index(name)].astype(np.float64))

    def weights_of(self, name: str) -> Array:
        found: Array = self.weights[self.names.index(name)]
        return found

    def to_arrays(self) -> dict[str, Array]:
        return {**self.arrays, "weights": self.weights}

    def to_notes(self) -> dict[str, Any]:
        return {"names": self.names, "features": self.notes}


def items_of(grammar: PCFG | SplitPCFG) -> PCFG:
    """The grammar whose symbols are items: of a split one that of a level below the last."""
    if isinstance(grammar, PCFG):
        return grammar
    return flat_of(grammar, order_level(grammar))


def flat_of(grammar: PCFG | SplitPCFG, level: int | None) -> PCFG:
    """The grammar of a level's symbols; 0 are those of the trees."""
    if isinstance(grammar, PCFG):
        if level is not None:
            raise InputError("levels are those of split grammars", fix="leave the level out")
        return grammar
    if level == 0:
        return grammar.coarse
    return grammar.flat() if level is None else seen_from(grammar.alone, level).flat()


def is_admissible(order: object, grammar: PCFG) -> bool:
    """Whether no derivation is worth more than the priority of one of its items: by score, or by that and
    such bounds, if no weight is above 0."""
    weights = (grammar.rules.rule_weight, grammar.rules.unary_weight, grammar.rules.lex_weight)
    if max(one.max(initial=-np.inf) for one in weights) > 0.0:
        return False
    return order is None or (isinstance(order, Bounds) and order.admissible)


def order_level(grammar: PCFG | SplitPCFG) -> int:
    """Of the hierarchy; 0 are the unsplit symbols."""
    return 0 if isinstance(grammar, PCFG) else max(len(grammar.ancestry) - 1, 0)


def checked(notes: Notes) -> Notes:
    """ValueError where a model cannot have such orders."""
    names, features = notes.names, notes.features
    if not names or len(set(names)) < len(names) or not all(map(is_own, names)) or "+" in "".join(names):
        raise ValueError("names of orders that are none")
    if any(name.endswith(HALTING) for name in names):
        raise ValueError(f"an order with a name in {HALTING}")
    if _settings(notes).bounded or _settings(notes).shares:
        raise ValueError("features that are not saved with models")
    if not all(features.patterns):
        raise ValueError("a pattern without signs")
    return notes


def schema_of(notes: Notes) -> Schema:
    """Of arrays with T tags and C labels."""
    before = ("tags+2", "labels")
    found: dict[str, Spec] = {
        "weights": Spec("f4", ("orders", "features"), low=-_LARGEST, most=_LARGEST),
        "tag": Spec("u4", ("words+1",), below=len(notes.features.tags) + 2),
        "before": Spec("f8", before, low=-_LARGEST, most=0.0),
        "after": Spec("f8", before, low=-_LARGEST, most=0.0),
    }
    if _settings(notes).merit:
        tags = "tags+1"
        found["merit-tags"] = Spec("f8", (tags, tags, tags), low=_LEAST, most=_MOST)
        found["merit-usual"] = Spec("f8", (tags,), low=_LEAST, most=_MOST)
        found["merit-label"] = Spec("f8", ("labels",), low=-_LARGEST, most=0.0)
        for name in ("merit-before", "merit-after"):
            found[name] = Spec("f8", (tags, "labels"), low=_LEAST, most=_MOST)
    return found


def halting_schema() -> Schema:
    return {"halting": Spec("f4", ("orders", SEEN), low=-_LARGEST, most=_LARGEST)}


def sizes_of(notes: Notes, rules: PCFG) -> dict[str, int]:
    """What the schema has to know."""
    features = notes.features
    return {
        "orders": len(notes.names),
        "words": len(rules.lexicon.words),
        "tags": len(features.tags),
        "labels": len(features.labels),
    }


def _settings(notes: Notes) -> PrioritySettings:
    found = notes.features.settings
    return PrioritySettings(**found._asdict()) if isinstance(found, EarlierSettings) else found
