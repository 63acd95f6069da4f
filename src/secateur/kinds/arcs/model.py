"""DependencyModel: a staged dependency parser and a frontier of policies for it, in one directory.

The files are those of every model (models/files.py) and of its parts (kinds/arcs/parts.py).

Its points are `full` (all templates at once, no decisions), `static-K` (the templates up to stage K, from 0),
`filter-N` (all templates, on what the filters leave with their N-th margins), `filter-N-K` (those up to stage
K), `dagger-N` of a policy, behind the filters with their first margins, and `dagger-N+filter-M` with others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from secateur.errors import InputError
from secateur.features.arc import ArcFeatures, View
from secateur.features.stages import Groups
from secateur.kernels.arcs.locking import META
from secateur.kernels.arcs.stages import ALWAYS, LAST, NEVER
from secateur.kinds.arcs import parts
from secateur.kinds.arcs.labels import Labeller
from secateur.kinds.arcs.tagger import Tagger
from secateur.metrics.attachment import AttachmentScores
from secateur.models import dial as frontier
from secateur.models import files as model_files
from secateur.models.dial import Choice, Figures, Point
from secateur.models.storage import Content, damaged
from secateur.search.core import Policy
from secateur.tasks.arc_locking.filter import ArcFilter
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcLocking, ArcModels

KIND = model_files.ARC_LOCKING
FULL = "full"
_STATIC, _POLICY, _FILTER = "static-", "dagger-", "filter-"
PROJECTIVE = {"always": ALWAYS, "last": LAST, "never": NEVER}  # in which stages arcs must not cross
# Where nothing is to be decided: a policy without features that locks nothing.
_NO_DECISIONS = Policy(np.zeros(META, np.float32))

Static = tuple[int | None, Sequence[Sequence[float]]]


def static_name(stage: int) -> str:
    """The point that stops after a stage, without decisions."""
    return f"{_STATIC}{stage}"


def filter_name(number: int, stage: int | None = None) -> str:
    """The point of filters with some margins, and all templates, or those up to a stage."""
    return f"{_FILTER}{number}" if stage is None else f"{_FILTER}{number}-{stage}"


def policy_name(number: int) -> str:
    """The point of a policy."""
    return f"{_POLICY}{number}"


@dataclass(frozen=True)
class DependencyModel:
    """What training on dependencies made."""

    kind: ClassVar[str] = KIND
    figures: ClassVar[Figures] = frontier.ARCS
    features: ArcFeatures
    groups: Groups
    models: ArcModels
    limits: LengthLimits
    policies: Mapping[str, Policy]  # by the names of their points
    points: Sequence[Point]
    tagger: Tagger | None = None
    labeller: Labeller | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    log: Sequence[Mapping[str, Any]] = ()
    filters: Sequence[ArcFilter] = ()
    margins: Sequence[Sequence[float]] = ()  # that the filters are used with, the widest first

    @property
    def frontier(self) -> list[Point]:
        """The points worth having, the fastest first."""
        return frontier.pareto(self.points, self.figures)

    @property
    def unpruned(self) -> str:
        """The point without a policy, with all templates."""
        return FULL

    @property
    def protocol(self) -> str:
        """How the figures of the points were taken: as `secateur train` takes them."""
        scores = AttachmentScores("include", True, ())
        tags = self.settings.get("tags", "gold")
        taken = frontier.protocol(f"{scores.protocol}, {tags} tags", "sentences", self.settings)
        return f"{taken}, tagging not counted"

    @property
    def is_penn(self) -> bool:
        """Whether the training text had the spelling of the Penn Treebank, with -LRB- for a bracket."""
        return bool(self.settings.get("penn", False))

    def choose(self, **dial: Any) -> Choice:
        """The dial, see `frontier.choose`: one request at most; the most accurate point without any."""
        return frontier.choose(self.points, figures=self.figures, **dial)

    def policy(self, point: str) -> Policy:
        """What locks arcs at a point."""
        return self.policies[self._decided[point][0]] if point in self._decided else _NO_DECISIONS

    def task(self, point: str) -> ArcLocking:
        """The parser of a point, ready to run with its policy."""
        decided = point in self._decided
        hashed = len(self.policy(point).weights) - META
        last, margins = (None, self._decided[point][1]) if decided else self._static(point)
        return ArcLocking(
            self.features,
            self.groups if decided else self._together(last),
            self.models,
            self.limits,
            single_root=bool(self.settings.get("single_root", True)),
            projective=PROJECTIVE[self.settings.get("projective", "always")],
            bits=hashed.bit_length() - 1 if hashed else None,
            filters=tuple(
                replace(own, margin=margin)
                for chosen in margins
                for own, margin in zip(self.filters, chosen, strict=True)
            ),
        )

    @cached_property
    def whole(self) -> ArcLocking:
        """The parser with all templates: what work is compared with."""
        return self.task(FULL)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all points that it can be used at."""
        return (*self.without_policies, *self._decided)

    @cached_property
    def _decided(self) -> dict[str, tuple[str, Sequence[Sequence[float]]]]:
        """The points with decisions: their policy, and the margins of their filters."""
        found = {name: (name, self.margins[:1]) for name in self.policies}
        for number in range(1, len(self.margins)):
            own = self.margins[number : number + 1]
            found |= {f"{name}+{filter_name(number)}": (name, own) for name in self.policies}
        return found

    @cached_property
    def without_policies(self) -> dict[str, Static]:
        """The points without decisions: their last stage, None for all, and the margins of their filters."""
        stages = range(len(self.groups) - 1)
        found: dict[str, Static] = {FULL: (None, self.margins[:0])}
        found |= {static_name(stage): (stage, self.margins[:0]) for stage in stages}
        for number in range(len(self.margins)):
            own = self.margins[number : number + 1]
            found[filter_name(number)] = (None, own)
            found |= {filter_name(number, stage): (stage, own) for stage in stages}
        return found

    def _static(self, point: str) -> Static:
        if point not in self.without_policies:
            raise InputError(f"no operating point {point!r}", fix=f"choose from {', '.join(self.names)}")
        return self.without_policies[point]

    def _together(self, last: int | None) -> Groups:
        """The templates up to a stage at once, those of siblings after the others."""
        templates = [t for group in self.groups[: None if last is None else last + 1] for t in group]
        first = tuple(t for t in templates if t < self.features.first)
        second = tuple(t for t in templates if t >= self.features.first)
        return (first, second) if second else (first,)

    def sizes(self) -> dict[str, int]:
        """What there is of it, by name."""
        weights = [getattr(self.models, search) for search in parts.SEARCHES]
        return {
            "stages": len(self.groups),
            **{f"templates of stage {stage}": len(group) for stage, group in enumerate(self.groups)},
            "weights": sum(int(np.count_nonzero(w)) for w in weights),
            **{f"templates of filter {n}": len(own.templates) for n, own in enumerate(self.filters)},
            "tags with limits": len(self.limits.tags),
            "pairs of tags of the tagger": len(self.tagger.classes) if self.tagger else 0,
            "labels of the labeller": len(self.labeller.labels) if self.labeller else 0,
            "points measured": len(self.points),
            "points on the frontier": len(self.frontier),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the directory."""
        own = parts.ArcParts(
            self.features,
            self.groups,
            self.models,
            self.limits,
            tuple(self.filters),
            tuple(map(tuple, self.margins)),
            self.tagger,
            self.labeller,
            bool(self.settings.get("single_root", True)),
            self.settings.get("projective", "always"),
            self.is_penn,
        )
        files: dict[str, Content] = {
            **parts.write(own),
            model_files.CARD: self.card(),
            model_files.ABOUT: model_files.about_text(KIND, self.settings),
        }
        model_files.save(path, files, self.policies, self.points, self.log)

    def card(self) -> str:
        """What this model is, on what it was trained, how fast and how accurate."""
        return frontier.card(self.settings, self.frontier, self.figures)


def load_dependency_model(
    path: str | PathLike[str], *, views: Mapping[str, View] | None = None
) -> DependencyModel:
    """Read a model directory; `views` brings the functions of patterns that users added."""
    about = model_files.read_about(path)
    store = model_files.open_model(path, about, (KIND,))
    own = parts.read(store, views or {})
    ways = {"single_root": own.single_root, "projective": own.projective, "penn": own.penn}
    settings = model_files.settings_of(about)
    model = DependencyModel(
        own.features,
        own.groups,
        own.models,
        own.limits,
        model_files.read_policies(store, own.fits),
        model_files.read_points(store),
        own.tagger,
        own.labeller,
        {key: ways.get(key, value) for key, value in settings.items()},
        model_files.read_log(store),
        own.filters,
        own.margins,
    )
    store.finish()
    for point in model.points:
        if point.name not in model.names:
            raise damaged(
                store.folder / model_files.POINTS, f"the point {point.name[:60]!a} is none of the model's"
            )
    return model
