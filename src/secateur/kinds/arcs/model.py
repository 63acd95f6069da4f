"""DependencyModel: a staged dependency parser and a frontier of policies for it, in one directory.

    model.toml        format, kind, settings, checksum of the training trees
    patterns.txt      the patterns of arcs, and those of siblings
    groups.txt        the templates of each stage, by name
    weights-*.npz     weights that are not 0, of each kind of search that has its own
    limits.npz        the longest arc between two tags
    filters.txt, .npz      the templates of filters, by name; their weights, and margins
    tagger.npz, .json      the tagger, if there is one
    labeller.npz, .json    the labeller, likewise
    policies/*.npz, frontier.json, log.json, card.md, checksums.json    as in every model

Its points are `full` (all templates at once, no decisions), `static-K` (the templates up to stage K, from 0),
`filter-N` (all templates, on what the filters leave with their N-th margins), `filter-N-K` (those up to stage
K), `dagger-N` of a policy, behind the filters with their first margins, and `dagger-N+filter-M` with others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from secateur.errors import InputError
from secateur.features.arc import ArcFeatures, View
from secateur.features.stages import Groups
from secateur.kernels.arcs.locking import META
from secateur.kernels.arcs.stages import ALWAYS, LAST, NEVER
from secateur.kinds.arcs.labels import Labeller
from secateur.kinds.arcs.tagger import Tagger
from secateur.metrics.attachment import AttachmentScores
from secateur.models import dial as frontier
from secateur.models import files as model_files
from secateur.models.dial import Choice, Figures, Point
from secateur.models.files import (
    about_text,
    damaged,
    pack_arrays,
    pack_weights,
    unpack_arrays,
    unpack_weights,
)
from secateur.search.core import Policy
from secateur.tasks.arc_locking.filter import ArcFilter
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcLocking, ArcModels

KIND = model_files.ARC_LOCKING
FULL = "full"
_STATIC, _POLICY, _FILTER = "static-", "dagger-", "filter-"
_SEARCHES = "crossing", "projective", "siblings"
PROJECTIVE = {"always": ALWAYS, "last": LAST, "never": NEVER}  # in which stages arcs must not cross
# Where nothing is to be decided: a policy without features that locks nothing.
_NO_DECISIONS = Policy(np.zeros(META, np.float32))

Stored = TypeVar("Stored", Tagger, Labeller)
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
        weights = [getattr(self.models, search) for search in _SEARCHES]
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
        files: dict[str, model_files.Content] = {
            "patterns.txt": _sections({"arcs": self.features.patterns, "siblings": self.features.siblings}),
            "groups.txt": _groups_text(self.features, self.groups),
            "limits.npz": pack_arrays({"tags": np.array(self.limits.tags), "longest": self.limits.longest}),
            model_files.CARD: self.card(),
            model_files.ABOUT: about_text(KIND, {"settings": self.settings}),
        }
        for search in _SEARCHES:
            weights = getattr(self.models, search)
            if len(weights):
                files[_weights_file(search)] = pack_weights(weights)
        if self.filters:
            groups = tuple(own.templates for own in self.filters)
            files["filters.txt"] = _groups_text(self.features, groups, title="filter")
            weights = {f"weights-{number}": own.weights for number, own in enumerate(self.filters)}
            files["filters.npz"] = pack_arrays({**weights, "margins": np.array(self.margins, np.float64)})
        for name, part in (("tagger", self.tagger), ("labeller", self.labeller)):
            if part is not None:
                files[f"{name}.npz"] = pack_arrays(part.arrays())
                files[f"{name}.json"] = json.dumps(part.settings(), ensure_ascii=False)
        model_files.save(path, files, self.policies, self.points, self.log)

    def card(self) -> str:
        """What this model is, on what it was trained, how fast and how accurate."""
        return frontier.card(self.settings, self.frontier, self.figures)


def load_dependency_model(
    path: str | PathLike[str], *, views: Mapping[str, View] | None = None
) -> DependencyModel:
    """Read a model directory; `views` brings the functions of patterns that users added."""
    folder = Path(path)
    about = model_files.read_about(folder)
    model_files.check(folder, about, KIND)
    texts = _read_sections(folder / "patterns.txt")
    features = ArcFeatures(texts.get("arcs", ()), texts.get("siblings", ()), dict(views or {}))
    limits = unpack_arrays(folder / "limits.npz")
    return DependencyModel(
        features,
        _read_groups(folder / "groups.txt", features),
        ArcModels(*(_read_weights(folder / _weights_file(search)) for search in _SEARCHES)),
        LengthLimits(tuple(limits["tags"].tolist()), limits["longest"]),
        model_files.read_policies(folder),
        model_files.read_points(folder),
        _read_part(folder / "tagger.npz", Tagger),
        _read_part(folder / "labeller.npz", Labeller),
        about["settings"],
        model_files.read_log(folder),
        *_read_filters(folder, features),
    )


def _weights_file(search: str) -> str:
    return f"weights-{search}.npz"


def _read_weights(file: Path) -> Any:
    return unpack_weights(file) if file.exists() else np.empty(0, np.float32)


def _read_filters(
    folder: Path, features: ArcFeatures
) -> tuple[tuple[ArcFilter, ...], tuple[tuple[float, ...], ...]]:
    if not (folder / "filters.txt").exists():
        return (), ()
    groups, stored = _read_groups(folder / "filters.txt", features), unpack_arrays(folder / "filters.npz")
    margins = tuple(map(tuple, stored["margins"].tolist()))
    filters = zip(groups, margins[0], strict=True)
    return tuple(ArcFilter(g, stored[f"weights-{n}"], m) for n, (g, m) in enumerate(filters)), margins


def _read_part(file: Path, kind: type[Stored]) -> Stored | None:
    if not file.exists():
        return None
    try:
        settings = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        return kind.from_arrays(unpack_arrays(file), settings)
    except (OSError, ValueError, KeyError) as problem:
        raise damaged(file, problem) from None


# Patterns and templates as text: a line each, under headings ------------------------------------------------


def _sections(sections: Mapping[str, Iterable[str]]) -> str:
    return "\n".join(
        f"# {title}\n" + "".join(f"{line}\n" for line in lines) for title, lines in sections.items()
    )


def _read_sections(file: Path) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in filter(None, file.read_text(encoding="utf-8").split("\n")):
        if line.startswith("# "):
            lines = found.setdefault(line[2:], [])
        elif not found:
            raise damaged(file, "it starts without a heading")
        else:
            lines.append(line)
    return {title: tuple(lines) for title, lines in found.items()}


def _groups_text(features: ArcFeatures, groups: Groups, title: str = "stage") -> str:
    names = features.templates
    return _sections(
        {
            f"{title} {number}, of {'arcs' if max(group) < features.first else 'siblings'}": [
                names[t] for t in group
            ]
            for number, group in enumerate(groups)
        }
    )


def _read_groups(file: Path, features: ArcFeatures) -> Groups:
    """A pattern of arcs and one of siblings may have the same text: headings tell which is meant."""
    names, first = features.templates, features.first
    numbers = {
        "arcs": {name: t for t, name in enumerate(names[:first])},
        "siblings": {name: t for t, name in enumerate(names[first:], first)},
    }
    groups = []
    for title, lines in _read_sections(file).items():
        known = numbers.get(title.rpartition(" ")[2], {})
        for line in lines:
            if line not in known:
                raise InputError(
                    f"the template {line!r} is none of the model's patterns",
                    where=str(file),
                    fix="copy the model again",
                )
        groups.append(tuple(known[line] for line in lines))
    return tuple(groups)
