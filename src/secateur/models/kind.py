"""Kind: what joins the parts of a parser (a grammar, weights) with an annotation and what is decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast

from secateur.options import Options

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


class Settings(Options, Protocol):
    """How to train; a dataclass of options, one for each kind."""

    @property
    def seed(self) -> int: ...


class Using(Options, Protocol):
    """How a parser is used; a dataclass of options, one for each kind."""

    __slots__ = ()

    @property
    def is_json(self) -> bool:
        """Whether there is more to say of a sentence than a tree can."""
        return False

    @property
    def is_several(self) -> bool:
        """Whether a sentence may have several trees."""
        return False

    def said(self) -> str:
        """For protocols: what is special about it, if anything is."""
        return ""


class Look(NamedTuple):
    """What there is to see of a sentence."""

    text: str
    fields: Mapping[str, Any]  # for machines
    svg: str
    drawing: str = ""  # stands before the text, where a terminal has room for it
    width: int = 0  # columns that the drawing wants


class LookedAt(NamedTuple, Generic[P, T]):
    """A sentence, and the way to parse it that is of interest."""

    parts: P
    way: Way
    policies: Mapping[str, Policy]
    sentence: Sentence
    gold: T | None
    looking: Any
    using: Any
    notes: Mapping[str, Any]  # what the model says of its training


class Kind(Protocol[P, T]):
    """A kind of model. `settings`, `using` and `looking` are dataclasses of options."""

    @property
    def name(self) -> str: ...

    @property
    def annotation(self) -> Annotation[T]: ...

    @property
    def figures(self) -> Figures: ...

    @property
    def settings(self) -> type[Settings]:
        """Of training."""

    @property
    def using(self) -> type[Using]:
        """Of parsing."""

    @property
    def looking(self) -> type[Options]:
        """Of looking at a sentence."""

    def read(self, store: Store, views: Views) -> P:
        """The parts from the files of a model."""

    def write(self, parts: P) -> Mapping[str, Content]:
        """The files of the parts."""

    def ways(self, parts: P, policies: Mapping[str, Policy]) -> Mapping[str, Way]:
        """The ways to parse with the parts, by the names of their points; the first looks at everything."""

    def parser(
        self, parts: P, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
    ) -> SentenceParser[T]:
        """A parser that goes one of the ways."""

    def train(self, run: Run, train: Bank[T], dev: Bank[T], settings: Settings) -> Trained[P]:
        """The recipe: steps and their order."""

    @property
    def quick(self) -> Callable[[int], Settings]:
        """From a seed, settings of a training that is done soon, to see what a model can do."""

    @property
    def measured(self) -> Callable[[Mapping[str, Any]], Using]:
        """From what a model notes, the `using` with which its points were measured."""

    def sizes(self, parts: P) -> dict[str, int]:
        """What there is of the parts, by name."""

    def fits(self, parts: P) -> Callable[[int], bool]:
        """Whether a number of weights suits a policy of these parts."""

    def look(self, looked_at: LookedAt[P, T]) -> Look:
        """What a way does with a sentence."""


@dataclass(frozen=True)
class FolderKind(Generic[P, T]):
    """A kind that is a folder with a module for each thing: `settings`, `parts`, `ways`, `parser`, `recipe`,
    `look`.

    They are imported when they are used: a command that only wants to know the options has them at once.
    """

    name: str
    annotation: Annotation[T]
    figures: Figures
    settings: type[Settings]
    folder: str  # the package

    @property
    def using(self) -> type[Using]:
        return cast("type[Using]", self._module("settings").Using)

    @property
    def looking(self) -> type[Options]:
        return cast("type[Options]", self._module("settings").Looking)

    @property
    def quick(self) -> Callable[[int], Settings]:
        return cast("Callable[[int], Settings]", self._module("settings").quick)

    @property
    def measured(self) -> Callable[[Mapping[str, Any]], Using]:
        return cast("Callable[[Mapping[str, Any]], Using]", self._module("settings").measured)

    def read(self, store: Store, views: Views) -> P:
        return cast(P, self._module("parts").read(store, views))

    def write(self, parts: P) -> Mapping[str, Content]:
        return cast("Mapping[str, Content]", self._module("parts").write(parts))

    def from_grammar(self, grammar: object) -> P:
        """The parts of a mere grammar, where the kind has grammars."""
        return cast(P, self._module("parts").from_grammar(grammar))

    def sizes(self, parts: P) -> dict[str, int]:
        return cast("dict[str, int]", self._module("parts").sizes(parts))

    def fits(self, parts: P) -> Callable[[int], bool]:
        return cast("Callable[[int], bool]", parts.fits)  # type: ignore[attr-defined]

    def ways(self, parts: P, policies: Mapping[str, Policy]) -> Mapping[str, Way]:
        return cast("Mapping[str, Way]", self._module("ways").ways(parts, policies))

    def parser(
        self, parts: P, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
    ) -> SentenceParser[T]:
        made = self._module("parser").parser_of(parts, way, policies, limits, using)
        return cast("SentenceParser[T]", made)

    def train(self, run: Run, train: Bank[T], dev: Bank[T], settings: Settings) -> Trained[P]:
        return cast("Trained[P]", self._module("recipe").train(run, train, dev, settings))

    def look(self, looked_at: LookedAt[P, T]) -> Look:
        return cast(Look, self._module("look").look(looked_at))

    def _module(self, name: str) -> Any:
        return import_module(f"{self.folder}.{name}")
