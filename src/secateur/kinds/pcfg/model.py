"""Model: a grammar and a frontier of pruning policies for it, in one directory of readable files.

The files are those of every model (models/files.py) and of its parts (kinds/pcfg/parts.py). Nothing in it is
executable; a damaged file is refused with its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from secateur.features.span import SpanFeatures, View
from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG
from secateur.kinds.pcfg import parts
from secateur.metrics.evalb.parameters import COLLINS
from secateur.models import dial as frontier
from secateur.models import files as model_files
from secateur.models.dial import Choice, Figures, Point
from secateur.models.storage import Content, damaged
from secateur.search.core import Policy
from secateur.treebanks.normalization import Normalization

KIND = model_files.SPAN_PRUNING
UNPRUNED = "exact"  # the point of the grammar without a policy
# A split grammar's points may end with how it decodes; without that, it is Viterbi with the unsplit grammar.
VITERBI, MAX_RULE, PRODUCT = "", "+max-rule", "+product"


def decoders(grammar: PCFG | SplitPCFG) -> tuple[str, ...]:
    """The ways to parse with a grammar, the fastest first."""
    if isinstance(grammar, PCFG):
        return (VITERBI,)
    return (VITERBI, MAX_RULE, PRODUCT) if grammar.others else (VITERBI, MAX_RULE)


def grammar_at(grammar: PCFG | SplitPCFG, point: str) -> PCFG | SplitPCFG:
    """What of a grammar a point parses with."""
    if isinstance(grammar, PCFG) or point.endswith(PRODUCT):
        return grammar
    return replace(grammar, others=()) if point.endswith(MAX_RULE) else grammar.coarse


@dataclass(frozen=True)
class Model:
    """What training made."""

    kind: ClassVar[str] = KIND
    figures: ClassVar[Figures] = frontier.TREES
    grammar: PCFG | SplitPCFG
    features: SpanFeatures
    policies: Mapping[str, Policy]  # by the names of their points, without how these decode
    points: Sequence[Point]
    settings: Mapping[str, Any] = field(default_factory=dict)
    log: Sequence[Mapping[str, Any]] = ()

    @property
    def frontier(self) -> list[Point]:
        """The points worth having, the fastest first."""
        return frontier.pareto(self.points)

    def policy(self, point: str) -> Policy | None:
        """What prunes at a point; None: nothing is pruned."""
        return self.policies.get(point.partition("+")[0])

    @property
    def unpruned(self) -> str:
        """The point without a policy, with the whole grammar."""
        return UNPRUNED + decoders(self.grammar)[-1]

    @property
    def protocol(self) -> str:
        """How the figures of the points were taken: as `secateur train` takes them."""
        return frontier.protocol(COLLINS.protocol(), "trees", self.settings)

    @property
    def rules(self) -> PCFG:
        """The grammar, or the unsplit one of a split grammar."""
        return self.grammar.coarse if isinstance(self.grammar, SplitPCFG) else self.grammar

    def sizes(self) -> dict[str, int]:
        """What there is of it, by name."""
        grammar = self.rules
        return {
            "grammar symbols": len(grammar.symbols),
            "binary rules": len(grammar.binary.weight),
            "unary rules": len(grammar.unary.weight),
            "words the policies know": len(self.features.vocabulary),
            "feature templates": len(self.features.templates),
            "feature weights, all policies": sum(
                int(np.count_nonzero(p.weights)) for p in self.policies.values()
            ),
            "points measured": len(self.points),
            "points on the frontier": len(self.frontier),
        }

    @property
    def binarization(self) -> Binarization:
        """How training made its trees binary; the default where that was not recorded."""
        return Binarization.from_notes(self.settings)

    @property
    def normalization(self) -> Normalization:
        """What was done to the training trees; the default where that was not recorded."""
        return Normalization.from_notes(self.settings)

    def choose(self, **dial: Any) -> Choice:
        """The dial, see `frontier.choose`: one request at most; the most accurate point without any."""
        return frontier.choose(self.points, figures=self.figures, **dial)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the directory."""
        files: dict[str, Content] = {
            **parts.write(parts.PcfgParts(self.grammar, self.features)),
            model_files.CARD: self.card(),
            model_files.ABOUT: model_files.about_text(KIND, self.settings),
        }
        model_files.save(path, files, self.policies, self.points, self.log)

    def card(self) -> str:
        """What this model is, on what it was trained, how fast and how accurate."""
        return frontier.card(self.settings, self.frontier, self.figures)


def load_model(path: str | PathLike[str], *, views: Mapping[str, View] | None = None) -> Model:
    """Read a model directory; `views` brings the functions of templates that users added."""
    about = model_files.read_about(path)
    store = model_files.open_model(path, about, (KIND,))
    found = parts.read(store, views or {})
    policies = model_files.read_policies(store, found.fits)
    points, log = model_files.read_points(store), model_files.read_log(store)
    store.finish()
    model = Model(found.grammar, found.features, policies, points, model_files.settings_of(about), log)
    known = {*policies, UNPRUNED}
    for point in points:
        policy, _, way = point.name.partition("+")
        if policy not in known or f"+{way}" not in (*decoders(found.grammar), "+"):
            raise damaged(
                store.folder / model_files.POINTS, f"the point {point.name[:60]!a} is none of the model's"
            )
    return model
