"""How to train on dependencies."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from secateur.errors import InputError
from secateur.kinds.arcs.model import PROJECTIVE
from secateur.kinds.arcs.weights import BITS, EPOCHS, SHUFFLES

Projective = Literal["always", "last", "never"]
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

    order: int = 1  # 2: with adjacent siblings
    ends: tuple[int, ...] = (24,)  # patterns of the first order that a stage has; the last has all
    sibling_ends: tuple[int, ...] = (14,)
    even: int | None = None  # as in the paper: so many stages, accuracy growing evenly, templates one by one
    filters: tuple[int, ...] = (8, 24)  # patterns of each filter; none: no filters
    margins: Margins = ()  # the filters' points, the widest first; none: as suits the order
    projective: Projective = "always"  # in which stages arcs must not cross; never: they may in the result
    single_root: bool = True
    tags: Literal["gold", "predicted"] = "gold"  # what the parser learns with; a tagger is trained anyway
    costs: tuple[float, ...] = ()  # of locking a wrong arc; one policy each; none: as suits the order
    epochs: int = EPOCHS
    shuffles: int = SHUFFLES  # trainings, with the sentences in another order, whose weights are averaged
    bits: int = BITS
    folds: int = 4
    iterations: int = 20
    policy_bits: int | None = None  # None: policies see scores and margins alone
    repeat: int = 3  # timing runs
    seed: int = 0

    def __post_init__(self) -> None:
        if self.order not in (1, 2):
            raise InputError(f"order {self.order}", fix="choose 1 or 2")
        for what, number, least in (
            ("passes over the trees", self.epochs, 1),
            ("orders of the sentences", self.shuffles, 1),
            ("folds", self.folds, 2),
            ("rounds of DAgger", self.iterations, 1),
            ("timing runs", self.repeat, 1),
            ("stages", 1 if self.even is None else self.even, 1),
        ):
            if number < least:
                raise InputError(f"{number} {what}", fix=f"ask for {least} or more")
        for ends in (self.ends, self.sibling_ends):
            if any(b <= a for a, b in pairwise((0, *ends))):
                raise InputError(f"stages of {ends} patterns", fix="give growing numbers above 0")
        if any(len(margins) != len(self.filters) for margins in self.filter_margins):
            raise InputError(
                f"margins {self.filter_margins} of {len(self.filters)} filters",
                fix="give one for each filter",
            )
        if self.projective not in PROJECTIVE:
            raise InputError(f"projective {self.projective!r}", fix="choose " + ", ".join(PROJECTIVE))
        if self.order == 2 and self.projective == "never":
            raise InputError("crossing arcs of the second order", fix="take order 1, or projective trees")
        if self.tags not in ("gold", "predicted"):
            raise InputError(f"unknown tags {self.tags!r}", fix="choose gold or predicted")
        if min(self.policy_costs) <= 0:
            raise InputError("a cost of a wrong lock that is not positive", fix="give costs above 0")

    @property
    def filter_margins(self) -> Margins:
        """Those given, or those that suit the order; none without filters."""
        return (self.margins or MARGINS[self.order]) if self.filters else ()

    @property
    def policy_costs(self) -> tuple[float, ...]:
        """Those given, or those that suit the order."""
        return self.costs or COSTS[self.order]
