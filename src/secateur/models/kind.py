"""Kind: what joins the parts of a parser (a grammar, weights) with an annotation and what is decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from secateur.models.limits import Limits
    from secateur.models.parse import SentenceParser
    from secateur.models.point import Figures, Point, Way
    from secateur.models.run import Run
    from secateur.models.storage import Content, Store
    from secateur.search.core import Policy
    from secateur.treebanks.annotation import Annotation
    from secateur.treebanks.bank import Bank
    from secateur.treebanks.sentence import Sentence

P = TypeVar("P")
T = TypeVar("T")

Views = Mapping[str, Callable[..., str]]  # functions of a user's own templates, by name


@dataclass(frozen=True)
class Trained(Generic[P]):
    """What a recipe made."""

    parts: P
    policies: Mapping[str, Policy]
    points: Sequence[Point]
    notes: Mapping[str, Any] = field(default_factory=dict)  # on what and how it was trained
    log: Sequence[Mapping[str, Any]] = ()  # the rounds of learning


class Using(Protocol):
    """How a parser is used; a dataclass of options, one for each kind."""

    @property
    def is_json(self) -> bool:
        """Whether there is more to say of a sentence than a tree can."""

    @property
    def is_several(self) -> bool:
        """Whether a sentence may have several trees."""

    def said(self) -> str:
        """For protocols: what is special about it, if anything is."""


class Look(NamedTuple):
    """What there is to see of a sentence."""

    text: str
    fields: Mapping[str, Any]  # for machines
    svg: str
    drawing: str = ""  # stands before the text, where a terminal has room for it
    width: int = 0  # columns that the drawing wants


class Kind(Protocol[P, T]):
    """A kind of model. `settings`, `using` and `looking` are dataclasses of options."""

    name: str
    annotation: Annotation[T]
    figures: Figures
    settings: type[Any]  # of training; all kinds have `seed`
    using: type[Any]  # of parsing
    looking: type[Any]  # of looking at a sentence

    def read(self, store: Store, views: Views) -> P:
        """The parts from the files of a model."""

    def write(self, parts: P) -> Mapping[str, Content]:
        """The files of the parts."""

    def ways(self, parts: P, policies: Mapping[str, Policy]) -> Mapping[str, Way]:
        """The ways to parse with the parts, by the names of their points; the first looks at everything."""

    def parser(
        self, parts: P, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Any
    ) -> SentenceParser[T]:
        """A parser that goes one of the ways."""

    def train(self, run: Run, train: Bank[T], dev: Bank[T], settings: Any) -> Trained[P]:
        """The recipe: steps and their order."""

    def quick(self, seed: int) -> Any:
        """Settings of a training that is done soon, to see what a model can do."""

    def measured(self, notes: Mapping[str, Any]) -> Any:
        """The `using` with which the points of a model were measured, from what it notes."""

    def sizes(self, parts: P) -> dict[str, int]:
        """What there is of the parts, by name."""

    def fits(self, parts: P) -> Callable[[int], bool]:
        """Whether a number of weights suits a policy of these parts."""

    def look(
        self,
        parts: P,
        way: Way,
        policies: Mapping[str, Policy],
        sentence: Sentence,
        gold: T | None,
        looking: Any,
        using: Any,
    ) -> Look:
        """What a way does with a sentence."""
