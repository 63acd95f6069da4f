"""The parts of a model that parses dependencies by locking arcs, and their files:

parser.json            which trees are wanted, the tags with limits, the margins of filters
patterns.txt           the patterns of arcs, and those of siblings
groups.txt             the templates of each stage, by name
weights-*.npz          weights that are not 0, of each kind of search that has its own
limits.npz             the longest arc between two tags
filters.txt            the templates of filters, by name, if there are any
filter-*.npz           their weights
tagger.npz, .json      the tagger, if there is one
labeller.npz, .json    the labeller, likewise
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from secateur.features.arc import ArcFeatures, View
from secateur.features.stages import Groups, check_groups, first_order_groups
from secateur.kernels.arcs.features import LINE
from secateur.kernels.arcs.locking import META, STAGES
from secateur.kinds.arcs.labels import Labeller
from secateur.kinds.arcs.tagger import Tagger
from secateur.models.arrays import MOST_WEIGHTS
from secateur.models.storage import Content, Schema, Spec, Store, pack_arrays, weights_file
from secateur.search.arrays import Weights
from secateur.tasks.arc_locking.filter import ArcFilter
from secateur.tasks.arc_locking.limits import UNLIMITED, LengthLimits
from secateur.tasks.arc_locking.task import ArcModels

PARSER, PATTERNS, GROUPS, LIMITS, FILTERS = (
    "parser.json",
    "patterns.txt",
    "groups.txt",
    "limits.npz",
    "filters.txt",
)
SEARCHES = "crossing", "projective", "siblings"
WIDEST = 1e30  # margin of a filter
SMALL = 1 << 24  # weights of a filter, at most

Part = TypeVar("Part", Tagger, Labeller)
_LIMITS: Schema = {"longest": Spec("i4", ("tags+2", "tags+2", 2), low=0, most=UNLIMITED)}
_TITLE = re.compile(r"(?:stage|filter) (\d{1,3}), of (arcs|siblings)")


@dataclass(frozen=True)
class ArcParts:
    """What there is to parse with, but for policies."""

    features: ArcFeatures
    groups: Groups
    models: ArcModels
    limits: LengthLimits
    filters: tuple[ArcFilter, ...] = ()
    margins: tuple[tuple[float, ...], ...] = ()  # that the filters are used with, the widest first
    tagger: Tagger | None = None
    labeller: Labeller | None = None
    single_root: bool = True
    projective: str = "always"  # in which stages arcs must not cross: always, last or never
    penn: bool = False  # whether the training text has the spelling of the Penn Treebank

    def fits(self, dim: int) -> bool:
        """Whether policies may have so many features: META, and hashed ones or none."""
        return dim == META or _is_table(dim - META)


def sizes(parts: ArcParts) -> dict[str, int]:
    """What there is of them, by name."""
    weights = (parts.models.crossing, parts.models.projective, parts.models.siblings)
    return {
        "stages": len(parts.groups),
        **{f"templates of stage {stage}": len(group) for stage, group in enumerate(parts.groups)},
        "weights": sum(int(np.count_nonzero(own)) for own in weights),
        **{f"templates of filter {n}": len(own.templates) for n, own in enumerate(parts.filters)},
        "tags with limits": len(parts.limits.tags),
        "pairs of tags of the tagger": len(parts.tagger.classes) if parts.tagger else 0,
        "labels of the labeller": len(parts.labeller.labels) if parts.labeller else 0,
    }


class _Parser(NamedTuple):
    """parser.json."""

    single_root: bool
    projective: Literal["always", "last", "never"]
    penn: bool
    tags: tuple[str, ...]
    margins: tuple[tuple[float, ...], ...]


def read(store: Store, views: Mapping[str, View]) -> ArcParts:
    """The parts of a model; `views` brings the functions of patterns that users added."""
    given = store.json(PARSER, _Parser)
    with store.blamed(PATTERNS):
        features = _features(_sections_of(store.text(PATTERNS)), views)
    groups = _groups(store, GROUPS, features)
    with store.blamed(GROUPS):
        check_groups(features, groups)
        if len(groups) > STAGES:
            raise ValueError(f"{len(groups)} stages, where policies have room for {STAGES}")
        if given.projective == "never" and first_order_groups(features, groups) < len(groups):
            raise ValueError("stages of the second order, where arcs may cross")
    limits = store.arrays(LIMITS, _LIMITS, {"tags": len(given.tags)})
    return ArcParts(
        features,
        groups,
        ArcModels(*(_weights(store, search) for search in SEARCHES)),
        LengthLimits(given.tags, limits["longest"].astype(np.int32, copy=False)),
        _filters(store, features, given.margins),
        given.margins,
        _part(store, Tagger),
        _part(store, Labeller),
        given.single_root,
        given.projective,
        given.penn,
    )


def write(parts: ArcParts) -> dict[str, Content]:
    """The files of a model."""
    features = parts.features
    given = _Parser(
        parts.single_root,
        parts.projective,  # type: ignore[arg-type]
        parts.penn,
        parts.limits.tags,
        tuple(map(tuple, parts.margins)),
    )
    files: dict[str, Content] = {
        PARSER: json.dumps(given._asdict(), ensure_ascii=False, indent=1),
        PATTERNS: _text({"arcs": features.patterns, "siblings": features.siblings}),
        GROUPS: _groups_text(features, parts.groups, "stage"),
        LIMITS: pack_arrays({"longest": parts.limits.longest}),
    }
    for search in SEARCHES:
        weights: Weights = getattr(parts.models, search)
        if len(weights):
            files[_weights_file(search)] = weights_file(weights)
    if parts.filters:
        files[FILTERS] = _groups_text(features, tuple(own.templates for own in parts.filters), "filter")
        files |= {_filter_file(n): weights_file(own.weights) for n, own in enumerate(parts.filters)}
    for part in (parts.tagger, parts.labeller):
        if part is not None:
            name = type(part).__name__.lower()
            files[f"{name}.npz"] = pack_arrays(part.arrays())
            files[f"{name}.json"] = json.dumps(part.settings(), ensure_ascii=False)
    return files


# Weights, filters, tagger and labeller ----------------------------------------------------------------------


def _is_table(size: int) -> bool:
    """Whether hashes of features can name so many weights: a power of two, in lines of the cache."""
    return size > int(LINE) and size & (size - 1) == 0


def _table(store: Store, name: str, most: int = MOST_WEIGHTS) -> Weights:
    weights = store.weights(name)
    with store.blamed(name):
        if not _is_table(len(weights)) or len(weights) > most:
            raise ValueError(f"{len(weights):,} weights, which is too many or no power of two")
    return weights


def _weights_file(search: str) -> str:
    return f"weights-{search}.npz"


def _weights(store: Store, search: str) -> Weights:
    """Of a kind of search; all but the first may do without their own."""
    name = _weights_file(search)
    if search != SEARCHES[0] and not store.has(name):
        return np.empty(0, np.float32)
    return _table(store, name)


def _filter_file(number: int) -> str:
    return f"filter-{number}.npz"


def _filters(
    store: Store, features: ArcFeatures, margins: tuple[tuple[float, ...], ...]
) -> tuple[ArcFilter, ...]:
    """With their first margins."""
    groups = _groups(store, FILTERS, features) if store.has(FILTERS) else ()
    with store.blamed(PARSER):
        if any(len(row) != len(groups) for row in margins) or bool(groups) != bool(margins):
            raise ValueError(f"margins that are not those of {len(groups)} filters")
        if any(abs(margin) > WIDEST for row in margins for margin in row):
            raise ValueError("a margin that is too wide")
    with store.blamed(FILTERS):
        if groups:
            check_groups(features, groups)
        if any(template >= features.first for group in groups for template in group):
            raise ValueError("a filter that looks at siblings")
    tables = [_table(store, _filter_file(number), SMALL) for number in range(len(groups))]
    return tuple(ArcFilter(*own) for own in zip(groups, tables, margins[0] if margins else (), strict=True))


def _part(store: Store, kind: type[Part]) -> Part | None:
    name = kind.__name__.lower()
    if not (store.has(f"{name}.npz") or store.has(f"{name}.json")):
        return None
    given = store.json(f"{name}.json", kind.form)
    with store.blamed(f"{name}.json"):
        sizes = kind.sizes(given)
    arrays = store.arrays(f"{name}.npz", kind.schema, sizes)
    with store.blamed(f"{name}.npz"):
        return kind.made(arrays, given)


# Patterns and templates as text: a line each, under headings ------------------------------------------------


def _text(sections: Mapping[str, Iterable[str]]) -> str:
    return "\n".join(
        f"# {title}\n" + "".join(f"{line}\n" for line in lines) for title, lines in sections.items()
    )


def _sections_of(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in filter(None, text.split("\n")):
        if line.startswith("# "):
            if line[2:] in found:
                raise ValueError(f"{line[:60]!r} stands there twice")
            lines = found.setdefault(line[2:], [])
        elif not found:
            raise ValueError("it starts without a heading")
        else:
            lines.append(line)
    return {title: tuple(lines) for title, lines in found.items()}


def _features(sections: Mapping[str, tuple[str, ...]], views: Mapping[str, View]) -> ArcFeatures:
    if set(sections) != {"arcs", "siblings"}:
        raise ValueError("patterns of arcs and patterns of siblings are not all there is")
    return ArcFeatures(sections["arcs"], sections["siblings"], dict(views))


def _groups_text(features: ArcFeatures, groups: Groups, title: str) -> str:
    names = features.templates
    return _text(
        {
            f"{title} {number}, of {'arcs' if max(group) < features.first else 'siblings'}": [
                names[t] for t in group
            ]
            for number, group in enumerate(groups)
        }
    )


def _groups(store: Store, name: str, features: ArcFeatures) -> Groups:
    """A pattern of arcs and one of siblings may have the same text: headings tell which is meant."""
    names, first = features.templates, features.first
    numbers = {
        "arcs": {name: t for t, name in enumerate(names[:first])},
        "siblings": {name: t for t, name in enumerate(names[first:], first)},
    }
    groups = []
    with store.blamed(name):
        for number, (title, lines) in enumerate(_sections_of(store.text(name)).items()):
            found = _TITLE.fullmatch(title)
            if not found or int(found[1]) != number:
                raise ValueError(f"{title[:60]!r} where number {number} should be")
            known = numbers[found[2]]
            for line in lines:
                if line not in known:
                    raise ValueError(f"the template {line[:120]!r} is none of the model's patterns")
            groups.append(tuple(known[line] for line in lines))
    return tuple(groups)
