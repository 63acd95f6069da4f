"""Dynamic feature selection in dependency parsing (He, Daume III and Eisner 2013).

A site is an arc of the best tree at a stage; TAKE locks it, DECLINE asks for the next group of templates.
The policy is asked between two searches, from the arc with the highest score down.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.arc import ArcFeatures
from secateur.features.stages import Groups, stages_of
from secateur.kernels.arcs import locking as kernel
from secateur.kernels.arcs.features import Sentence, no_shares
from secateur.kernels.arcs.filter import Filters, likely_arcs
from secateur.kernels.arcs.stages import ALWAYS, Rules, Stages
from secateur.search.arrays import Bools, Floats, Ints, Sites, Weights
from secateur.search.core import FREE, Episode, Force, Outcome, Policy, Rows, Trace, Work
from secateur.tasks.arc_locking import filter as arc_filter
from secateur.tasks.arc_locking.filter import ArcFilter
from secateur.tasks.arc_locking.limits import LengthLimits

Heads = npt.NDArray[np.int32]  # [n+1], that of word m at m; -1 for the root
BITS = 20  # of a policy's hashed features


class ArcInput(NamedTuple):
    """A sentence as the kernels see it."""

    sentence: Sentence
    allowed: Bools  # [n+1, n+1] arcs that are not too long, modifier first


class Dependencies(NamedTuple):
    """What a parse found."""

    heads: Heads
    stage: int  # after which it was found, from 0
    fell_back: bool  # no projective tree was left: this one is of the stage before


_NO_WEIGHTS = np.empty(0, np.float32)


@dataclass(frozen=True, eq=False)
class ArcModels:
    """Weights over all templates: one array for all stages, or one for each kind of search."""

    crossing: Weights  # [2^b] of the stages where arcs may cross, and of those without weights of their own
    projective: Weights = field(default_factory=_NO_WEIGHTS.copy)
    siblings: Weights = field(default_factory=_NO_WEIGHTS.copy)


@dataclass(frozen=True)
class ArcLocking:
    """Staged parsing: groups of templates, weights, and rules of what trees are wanted."""

    arc_features: ArcFeatures
    groups: Groups  # templates of each stage
    models: ArcModels
    limits: LengthLimits
    single_root: bool = True
    projective: int = ALWAYS  # in which stages of the first order; NEVER: arcs may cross in the result too
    last: int = -1  # stop after this stage; -1: the last there is
    bits: int | None = (
        BITS  # of a policy's hashed features; None: it sees the stage, scores and margins alone
    )
    filters: tuple[ArcFilter, ...] = ()  # bar arcs before the first stage, one after the other

    @property
    def dim(self) -> int:
        return self._hashed + kernel.META

    @property
    def nothing(self) -> int:
        """The feature that stands for templates not computed."""
        return self.dim - 1

    @property
    def _hashed(self) -> int:
        return 0 if self.bits is None else 1 << self.bits

    @cached_property
    def stages(self) -> Stages:
        if len(self.groups) > kernel.STAGES:
            raise InputError(
                f"{len(self.groups)} groups of templates", fix=f"a policy has room for {kernel.STAGES} stages"
            )
        return stages_of(self.arc_features, self.groups)

    @cached_property
    def rules(self) -> Rules:
        if self.last >= len(self.groups):
            raise InputError(
                f"stage {self.last} of {len(self.groups)}", fix="count stages from 0; -1 is the last there is"
            )
        last = len(self.groups) - 1 if self.last < 0 else self.last
        return Rules(self.single_root, int(self.projective), last)

    def weights(self, policy: Policy) -> kernel.Weights:
        """All weights that a parse takes."""
        models = self.models
        return kernel.Weights(
            models.crossing, models.projective, models.siblings, policy.weights, self._filters
        )

    @cached_property
    def _filters(self) -> Filters:
        return arc_filter.compiled(self.arc_features, self.filters)

    def encode(self, words: Sequence[str], tags: Sequence[str], coarse: Sequence[str]) -> ArcInput:
        return ArcInput(self.arc_features.sentence(words, tags, coarse), self.limits.allowed(tags))

    def run(
        self, x: ArcInput, policy: Policy, force: Force = FREE, *, gold: Heads | None = None, seed: int = 0
    ) -> Outcome:
        return self._run(x, policy, force, gold, seed, _NO_LOG)[0]

    def roll_in(
        self, x: ArcInput, policy: Policy, force: Force = FREE, *, gold: Heads | None = None, seed: int = 0
    ) -> Episode:
        room = self._most(x)
        log = _log(room)
        outcome, count = self._run(x, policy, force, gold, seed, log)
        site, state, action = (column[:count].copy() for column in log)
        return Episode(outcome, Trace(site, state, np.arange(count + 1), action, True), seed)

    def features(self, x: ArcInput, site: Sites, state: Floats) -> Rows:
        return Rows(
            kernel.site_rows(self.arc_features.compiled, self.stages, x.sentence, site, state, self._hashed)
        )

    def is_gold(self, site: Sites, gold: Heads) -> Bools:
        right: Bools = gold[site[:, 2]] == site[:, 1]
        return right

    def passed(self, x: ArcInput) -> Ints:
        """[n+1, n+1] 0 for an arc that is too long, 1 for one that the first filter bars, and so on."""
        patterns = self.arc_features.compiled
        passed = np.empty(x.allowed.shape, np.int8)
        shares, behind = no_shares(patterns, x.sentence), np.empty(x.allowed.shape, np.float32)
        likely_arcs(patterns, self._filters, x.sentence, shares, x.allowed, passed, behind)
        return passed.astype(np.int64)

    def full_cost(self, x: ArcInput) -> int:
        """Templates on all allowed arcs (and siblings): what a parser without decisions computes."""
        return int(kernel.full_cost(x.allowed, self.stages, self.rules))

    def _most(self, x: ArcInput) -> int:
        """Decisions, at most."""
        return (self.rules.last + 1) * len(x.allowed)

    def _run(
        self, x: ArcInput, policy: Policy, force: Force, gold: Heads | None, seed: int, log: kernel.Log
    ) -> tuple[Outcome, int]:
        started = time.perf_counter()
        if policy.oracle_rate > 0 and gold is None:
            raise ValueError("a policy with an oracle rate needs gold")
        draws = _NO_DRAWS
        if policy.temperature > 0 or policy.oracle_rate > 0:
            draws = np.random.default_rng((seed, 1)).random((2, self._most(x)))
        choices = kernel.Choices(
            float(policy.temperature),
            float(policy.oracle_rate),
            _NO_GOLD if gold is None else gold,
            draws,
            int(force.step),
            int(force.action),
        )
        heads = np.full(len(x.allowed), -1, np.int32)
        ending, stage, computed, decisions = kernel.lock_or_all(
            self.arc_features.compiled,
            self.stages,
            self.weights(policy),
            self.rules,
            choices,
            x.sentence,
            x.allowed,
            heads,
            log,
        )
        found = Dependencies(heads, int(stage), ending == kernel.NO_TREE)
        failed = ending == kernel.NO_TREE and stage == 0
        work = Work(features=int(computed))
        return Outcome(None if failed else found, work, time.perf_counter() - started), int(decisions)


_NO_GOLD = np.empty(0, np.int32)
_NO_DRAWS = np.empty((2, 0))


def _log(room: int) -> kernel.Log:
    """Room for so many decisions."""
    return kernel.Log(np.empty((room, 4), np.int32), np.empty((room, kernel.STATE)), np.empty(room, np.int64))


_NO_LOG = _log(0)
