"""What a model of phrases can be told: how to train, to parse, and to look at a sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from secateur.errors import InputError
from secateur.models import kind
from secateur.options import check_choice, check_counts, check_number, number_of, option

if TYPE_CHECKING:
    from secateur.features.span import SpanFeatures
    from secateur.grammar.binarize import Binarization
    from secateur.grammar.latent.grammar import SplitPCFG
    from secateur.grammar.pcfg import PCFG
    from secateur.kinds.pcfg.order_learning import OrderSchedule
    from secateur.kinds.pcfg.split import SplitSettings

COARSE, FINE = "coarse", "fine"
LEVELS = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train a grammar and a frontier of pruning policies."""

    grammar: str | PCFG | SplitPCFG = option(
        FINE, "fine: split into sub-symbols; coarse: the trees' own; or a grammar file.", type=str
    )
    levels: int = option(LEVELS, "Levels of splitting a fine grammar, at most.", low=1, counts="levels")
    products: int = option(
        1, "Fine grammars, from as many seeds, that judge together.", low=1, counts="products"
    )
    surrogate: Literal["dp", "cp"] = option("dp", "dp: expected recall and kept spans; cp: F1 and items.")
    points: int = option(
        8, "Baselines along the frontier, and LOLS runs from them.", low=3, counts="operating points"
    )
    iterations: int = option(10, "Rounds of LOLS for each, at most.", low=1, counts="iterations")
    tasks: Literal["spans", "agenda"] = option(
        "spans", "spans: policies that prune; agenda: points of an agenda in orders that are learned too."
    )
    max_length: int = option(
        40, "Leave out longer training sentences.", low=3, counts="words as the longest training sentence"
    )
    minibatch: int | None = option(
        None, "Sentences a round; all by default.", low=1, counts="sentences a round"
    )
    left: float = 0.9  # of the best accuracy, at the fast end of the sweep
    patience: int = 5
    regularizer: float | None = None  # None: as usual
    least_seen: int = 2  # features of fewer sentences than this get no weight
    carry: float | None = None  # weight of the baseline's labels in LOLS; None: as suits the grammar
    folds: int = number_of("folds", 2, low=1)  # a sentence is visited by a policy trained without its fold
    rollouts: Literal["all", "some"] = "all"  # some: 2n for a sentence of n words
    # Of a split grammar's hierarchy, from which roll-outs see it.
    rollout_level: int = number_of("as the level of roll-outs", 0, low=0)
    exploration: float = 0.0  # roll-in temperature
    binarization: Binarization | None = None  # None: no history, and as suits the grammar
    split: SplitSettings | None = None  # how a fine one is split; None: as usual
    features: SpanFeatures | None = None  # templates of your own
    orders: OrderSchedule | None = None  # how orders of an agenda are learned; None: as usual
    repeat: int = number_of("timing runs", 3, low=1)
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("surrogate", self.surrogate, ("dp", "cp"))
        check_choice("tasks", self.tasks, ("spans", "agenda"))
        check_choice("roll-outs", self.rollouts, ("all", "some"))
        if self.grammar != FINE and (self.levels, self.products) != (LEVELS, 1):
            fix = "leave levels and products out, or take a fine grammar"
            raise InputError("levels and products are of a grammar that is split", fix=fix)
        if not 0.0 < check_number("left", self.left) < 1.0:
            raise InputError(f"{self.left} of the accuracy left", fix="give a share between 0 and 1")
        check_counts(self)
        if not isinstance(self.grammar, str):
            _check_grammar(self.grammar)

    @property
    def splitting(self) -> SplitSettings | None:
        """How the grammar is to be split; None: not at all."""
        if self.grammar != FINE:
            return None
        from secateur.kinds.pcfg.split import SplitSettings

        found = self.split or SplitSettings()
        found = replace(found, binarization=self.binarization or found.binarization)
        return replace(found, levels=self.levels, products=self.products, seed=self.seed)

    @property
    def ordering(self) -> OrderSchedule:
        """How orders of an agenda are to be learned."""
        from secateur.kinds.pcfg.order_learning import OrderSchedule

        found = self.orders or OrderSchedule()
        return replace(found, learning=replace(found.learning, seed=self.seed))


def _check_grammar(grammar: object) -> None:
    from secateur.grammar.latent.grammar import SplitPCFG
    from secateur.grammar.pcfg import PCFG

    if not isinstance(grammar, PCFG | SplitPCFG):
        known = f'"{FINE}", "{COARSE}", the name of a file, a PCFG or a SplitPCFG'
        raise TypeError(f"grammar is {known}, not {grammar!r}")


@dataclass(frozen=True, slots=True)
class Using(kind.Using):
    """How a parser of phrases is used."""

    kbest: int | None = option(
        None, "The k best trees of each sentence, then a blank line.", low=1, also="-k", counts="best trees"
    )
    marginals: float | None = option(
        None, "With trees of maximum recall, as JSON: spans at least this likely.", low=0.0, high=1.0
    )
    max_recall: bool = option(False, "The tree of maximum expected recall.", also="--mbr")
    binarized: bool = option(False, "Leave the trees binarized, as the grammar has them.")
    certify: bool = option(False, "Say of each tree, as JSON does, whether it is known to be the best.")
    deadline: str | float | None = option(
        None, "The best tree that there is after so long, as in 5ms or 0.1s; of every sentence.", type=str
    )

    def __post_init__(self) -> None:
        if sum((self.kbest is not None, self.marginals is not None, self.max_recall)) > 1:
            raise InputError("more than one of kbest, marginals and max_recall", fix="choose one")
        check_counts(self)
        if self.marginals is not None and not 0.0 <= check_number("marginals", self.marginals) <= 1.0:
            raise InputError(f"marginals from {self.marginals}", fix="give a probability")
        if self.binarized and (self.max_recall or self.marginals is not None):
            raise InputError("binarized has no effect with max_recall and marginals", fix="leave it out")
        if self.certify and (self.kbest is not None or self.max_recall or self.marginals is not None):
            raise InputError("certify is for the best derivation's tree", fix="leave it out")
        if self.certify and self.deadline is not None:
            raise InputError("certify takes its time, a deadline or not", fix="leave one of them out")
        if self.deadline is not None:
            if self.kbest is not None or self.max_recall or self.marginals is not None:
                what = "a deadline is for the best tree, not for kbest, marginals and max_recall"
                raise InputError(what, fix="leave it out")
            _ = self.seconds  # says what is wrong with it

    @property
    def seconds(self) -> float | None:
        """Until the deadline."""
        return None if self.deadline is None else seconds_of(self.deadline)

    @property
    def is_json(self) -> bool:
        return self.marginals is not None

    @property
    def is_several(self) -> bool:
        return self.kbest is not None

    def said(self) -> str:
        if self.deadline is not None:
            return f"deadline {1000 * (self.seconds or 0.0):g} ms"
        return "maximum recall" if self.max_recall else ""


def seconds_of(deadline: object) -> float:
    """Of a deadline: a number, or a text such as 5ms or 0.1s."""
    if isinstance(deadline, str):
        fix = "write it with its unit, as 5ms or 0.1s"
        said = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s)", deadline.strip())
        if said is None:
            raise InputError(f"a deadline of {deadline!r}", fix=fix)
        found = float(said[1]) * (1e-3 if said[2] == "ms" else 1.0)
    else:
        found = check_number("a deadline", deadline)
    if not 0.0 < found < math.inf:
        raise InputError(f"a deadline of {deadline!r}", fix="give more than nothing, and less than ever")
    return found


@dataclass(frozen=True, slots=True)
class Looking:
    """What to see of a sentence."""

    span: str | None = option(None, "i,k: the features of the span from word i up to word k.")


def quick(seed: int) -> Settings:
    """Unsplit: to compile what makes and parses with sub-symbols takes a minute more."""
    return Settings(grammar=COARSE, points=4, iterations=1, max_length=30, repeat=1, seed=seed)


def measured(notes: Mapping[str, Any]) -> Using:
    """As the points of a dial are measured."""
    return Using()
