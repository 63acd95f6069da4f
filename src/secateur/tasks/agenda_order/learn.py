"""The 2012 paper's learners of priorities, as settings of `search.gradient.PolicyGradient`.

    learner     credit            the oracle leads             the paper
    D-          all that comes    always                       apprenticeship by classification, delayed
    I-          at once           always                       apprenticeship by classification
    D+          all that comes    less by a factor every pass  oracle-infused policy gradient, delayed
    I+          at once           less by a factor every pass  oracle-infused policy gradient
    plain       at once           never                        policy gradient with shaped rewards
    delayed     all that comes    never                        policy gradient
    dagger      what the oracle would have popped, wherever the policy is; it leads as with I+

Other discounts between are a setting. Sums of what is to come grow with the sentence as the number of steps
does: gradients of delayed rewards are divided by the oracle's length twice, others once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.kernels.agenda.priorities import UNLIMITED, Limits
from secateur.search.checkpoint import Round
from secateur.search.core import Accuracy, Example, Reward
from secateur.search.gradient import Falling, PolicyGradient
from secateur.search.learners import by_reward
from secateur.search.parallel import Engine
from secateur.tasks.agenda_order.sampling import DrawnOrder, Price, Rewarded
from secateur.tasks.agenda_order.task import AgendaOrder
from secateur.treebanks.tree import Tree

Name = Literal["D-", "I-", "D+", "I+", "plain", "delayed", "dagger"]
LEARNERS: tuple[Name, ...] = ("D-", "I-", "D+", "I+", "plain", "delayed", "dagger")
DELAYED, ALWAYS, NEVER = ("D-", "D+", "delayed"), ("D-", "I-"), ("plain", "delayed")


@dataclass(frozen=True, slots=True)
class Weaned:
    """An oracle rate that begins with 1 and falls by a factor every pass; after so many passes it is 0."""

    by: float
    passes: int

    def __call__(self, number: int) -> float:
        return float(self.by ** (number - 1)) if number <= self.passes else 0.0


@dataclass(frozen=True, kw_only=True)
class OrderSettings:
    """How priorities are learned."""

    learner: Name = "I+"
    rewarded: Rewarded = "oracle"
    tradeoff: float = 1e-6  # what a unit of work costs, in right things
    price: Price = "pops"
    discount: float | None = None  # None: the learner's own
    passes: int = 25
    alone: int = 0  # of these, the last ones: at an oracle rate of 0
    trajectories: int = 5  # runs of a sentence in a pass
    temperature: float = 1.0
    wean: float = 0.8  # what the oracle's rate falls by
    step: float = 0.05
    slower: float = 0.1
    longest: float = 5.0  # a step's gradient is cut there
    batch: int = 1  # sentences a step
    baseline: bool = True
    delta: float = np.inf  # what drawn runs drop
    pops: int = UNLIMITED  # where drawn runs end
    keep: Literal["last", "best"] = "last"  # which pass's policy
    seed: int = 0

    def __post_init__(self) -> None:
        if self.learner not in LEARNERS:
            raise InputError(f'no learner "{self.learner}"', fix=f"there are {', '.join(LEARNERS)}")
        if not self.temperature > 0:
            raise InputError(f"a temperature of {self.temperature}", fix="draw at one above 0")
        if not 0 <= self.gamma <= 1:
            raise InputError(
                f"a discount of {self.gamma}", fix="it is from 0 (at once) to 1 (all that comes)"
            )
        if not 0 <= self.alone <= self.passes or self.trajectories < 1:
            raise InputError(
                f"{self.alone} of {self.passes} passes alone, {self.trajectories} runs of a sentence",
                fix="take 0 to all passes, and 1 run or more",
            )

    @property
    def gamma(self) -> float:
        """The discount."""
        return float(self.learner in DELAYED) if self.discount is None else self.discount

    @property
    def oracle_rate(self) -> float | Callable[[int], float]:
        if self.learner in ALWAYS or self.learner in NEVER:
            return float(self.learner in ALWAYS)
        return Weaned(self.wean, self.passes - self.alone)


class Prepared(NamedTuple):
    """Examples to learn from."""

    examples: list[Example]
    nearly: int  # of them, those whose gold tree has no derivation: the oracle's is the nearest to it
    left_out: int  # sentences for which the oracle has none


def examples(task: AgendaOrder, trees: Iterable[Tree]) -> Prepared:
    """Of normalized trees."""
    found = [Example(task.encode(tree.words()), task.gold(tree)) for tree in trees]
    kept = [example for example in found if len(example.gold.items.steps)]
    nearly = sum(not example.gold.items.whole for example in kept)
    return Prepared(kept, nearly, len(found) - len(kept))


def drawn_order(task: AgendaOrder, settings: OrderSettings) -> DrawnOrder:
    """What such a learner draws from."""
    return DrawnOrder(
        task,
        settings.rewarded,
        settings.price,
        labels=settings.learner == "dagger",
        by_length=1 + (settings.gamma == 1.0),
        how=task.how._replace(delta=min(task.how.delta, settings.delta)),
        limits=Limits(pops=settings.pops),
    )


def order_learner(settings: OrderSettings, *, engine: Engine | None = None) -> PolicyGradient:
    """To be fitted to a `drawn_order` with `reward_of`."""
    return PolicyGradient(
        iterations=settings.passes,
        patience=settings.passes + 1,
        samples=1 if settings.learner in ALWAYS else settings.trajectories,
        batch=settings.batch,
        discount=settings.gamma,
        temperature=settings.temperature,
        oracle_rate=settings.oracle_rate,
        step=Falling(settings.step, settings.slower),
        longest=settings.longest,
        baseline=settings.baseline,
        prefer=_latest if settings.keep == "last" else by_reward,
        seed=settings.seed,
        engine=engine or Engine(),
    )


def reward_of(accuracy: Accuracy, settings: OrderSettings) -> Reward:
    """With the price that drawn runs pay."""
    return Reward(accuracy, settings.price, settings.tradeoff)


def _latest(round: Round) -> tuple[float, ...]:
    return (float(round.number),)
