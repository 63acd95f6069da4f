"""What a model of dependencies can be told: how to train, to parse, and to look at a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from secateur.errors import InputError
from secateur.models import kind
from secateur.options import check_choice, check_counts, number_of, option

if TYPE_CHECKING:
    from secateur.features.arc import ArcFeatures

Projective = Literal["always", "last", "never"]
Tagging = Literal["gold", "predicted"]
Margins = tuple[tuple[float, ...], ...]

# By order. The second gains more from an arc that is right, and has more time to spend on it.
MARGINS: dict[int, Margins] = {
    1: ((5.5, 4.0), (4.5, 3.0), (4.0, 2.0)),
    2: ((6.0, 4.5), (6.0, 4.0), (5.0, 3.5), (4.5, 3.0)),
}
COSTS = {1: (1.0, 1.5, 2.0, 4.0), 2: (4.0, 8.0, 16.0, 32.0)}


@dataclass(frozen=True, slots=True)
class ArcSettings:
    """How to train a dependency parser and its policies."""

    order: int = option(1, "1: arcs alone; 2: with their siblings.", low=1, high=2)
    projective: Projective = option(
        "always", "In which stages arcs must not cross; never: they may in the result."
    )
    tags: Tagging = option(
        "predicted",
        "Tags that the parser learns with and the dial is measured with; a tagger is trained anyway.",
    )
    points: int | None = option(
        None, "Policies, each twice as careful as the one before; 4 by default.", low=1, counts="policies"
    )
    iterations: int = option(20, "Rounds of DAgger for each.", low=1, counts="rounds of DAgger")
    ends: tuple[int, ...] = (24,)  # patterns of the first order that a stage has; the last has all
    sibling_ends: tuple[int, ...] = (14,)
    # As in the paper: so many stages, accuracy growing evenly, templates one by one.
    even: int | None = number_of("stages", None, low=1)
    filters: tuple[int, ...] = (8, 24)  # patterns of each filter; none: no filters
    margins: Margins = ()  # the filters' points, the widest first; none: as suits the order
    single_root: bool = True
    costs: tuple[float, ...] = ()  # of locking a wrong arc; one policy each; none: as suits the order
    epochs: int = number_of("passes over the trees", 12, low=1)
    # Trainings, with the sentences in another order, whose weights are averaged.
    shuffles: int = number_of("orders of the sentences", 2, low=1)
    bits: int = 24
    folds: int = number_of("folds", 4, low=2)
    policy_bits: int | None = None  # None: policies see scores and margins alone
    features: ArcFeatures | None = None  # patterns of your own
    repeat: int = number_of("timing runs", 3, low=1)
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("order", self.order, (1, 2))
        check_choice("projective", self.projective, ("always", "last", "never"))
        check_choice("tags", self.tags, ("gold", "predicted"))
        for name in ("ends", "sibling_ends", "filters", "margins", "costs"):
            value = getattr(self, name)
            if not isinstance(value, tuple | list):
                raise TypeError(f"{name}: give a tuple, such as (8, 24), not {value!r}")
        check_counts(self)
        for ends in (self.ends, self.sibling_ends):
            if any(b <= a for a, b in pairwise((0, *ends))):
                raise InputError(f"stages of {ends} patterns", fix="give growing numbers above 0")
        if any(len(margins) != len(self.filters) for margins in self.filter_margins):
            raise InputError(
                f"margins {self.filter_margins} of {len(self.filters)} filters",
                fix="give one for each filter",
            )
        if self.order == 2 and self.projective == "never":
            raise InputError("crossing arcs of the second order", fix="take order 1, or projective trees")
        if min(self.policy_costs) <= 0:
            raise InputError("a cost of a wrong lock that is not positive", fix="give costs above 0")

    @property
    def filter_margins(self) -> Margins:
        """Those given, or those that suit the order; none without filters."""
        return (self.margins or MARGINS[self.order]) if self.filters else ()

    @property
    def policy_costs(self) -> tuple[float, ...]:
        """Those given, or as many as there shall be policies, or those that suit the order."""
        usual = COSTS[self.order]
        if self.points is not None and not self.costs:
            return tuple(usual[0] * 2.0**n for n in range(self.points))
        return self.costs or usual


@dataclass(frozen=True, slots=True)
class Using(kind.Using):
    """How a parser of dependencies is used."""

    tags: Tagging | None = option(
        None,
        "gold: as the input has them; predicted: the model's own. Words without tags get its own anyway.",
    )

    def __post_init__(self) -> None:
        check_choice("tags", self.tags, (None, "gold", "predicted"))

    def said(self) -> str:
        return "" if self.tags is None else f"{self.tags} tags"


@dataclass(frozen=True, slots=True)
class Looking:
    """What to see of a sentence: there is nothing to choose."""


def quick(seed: int) -> ArcSettings:
    """For a training that is done soon."""
    return ArcSettings(points=2, iterations=5, epochs=4, shuffles=1, bits=20, folds=2, repeat=1, seed=seed)


def measured(notes: Mapping[str, Any]) -> Using:
    """As the points of a dial were measured."""
    return Using(tags=notes.get("tags", "gold"))
