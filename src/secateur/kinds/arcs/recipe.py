"""From dependency trees to a model with a dial.

1. Weights that serve any choice of templates rank these: forward selection on held-out trees, then groups.
2. Weights that serve every stage, on all trees, and without each fold.
3. DAgger from the oracle, at several costs of locking what is wrong: the frontier's policies.
4. All of them, every stage without decisions, and all templates at once are measured on the other held-out
   half: heads right (UAS), templates computed, words/s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.arc import ArcFeatures
from secateur.features.stages import Groups
from secateur.kernels.perceptron.mira import Arcs
from secateur.kinds.arcs import KIND
from secateur.kinds.arcs.filters import filters_schema, train_filters
from secateur.kinds.arcs.labels import Labeller
from secateur.kinds.arcs.parts import ArcParts
from secateur.kinds.arcs.policies import DaggerRound, dagger
from secateur.kinds.arcs.ranking import Ranking, grouped, paired, prefixes, rank
from secateur.kinds.arcs.settings import ArcSettings, Using
from secateur.kinds.arcs.tagger import Tagger, jackknife
from secateur.kinds.arcs.ways import PROJECTIVE, policy_name
from secateur.kinds.arcs.weights import ALL_ARCS, any_weights, staged_weights
from secateur.models.curve import with_tradeoffs
from secateur.models.kind import Trained
from secateur.models.measure import measure_all
from secateur.models.run import Run, fingerprint
from secateur.models.training import noted
from secateur.search.arrays import Weights
from secateur.search.core import Example, Policy
from secateur.tasks.arc_locking.corpus import corpus_of, corpus_tags
from secateur.tasks.arc_locking.filter import ArcFilter, filter_templates, likely, with_gold
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcLocking, ArcModels
from secateur.treebanks.bank import Bank
from secateur.treebanks.dependencies import DependencyBank
from secateur.treebanks.dependency_tree import NO_LABEL, DependencyTree
from secateur.treebanks.text import has_penn_spelling

RANKED = 300  # held-out sentences that templates are ranked on, at most
RANKED_SIBLINGS = 60
LEARNED = 6.0  # the first filter's margin where the second order is learned

Stored = TypeVar("Stored", Tagger, Labeller)


def train(
    run: Run, train: Bank[DependencyTree], dev: Bank[DependencyTree], settings: ArcSettings
) -> Trained[ArcParts]:
    """A tagger, a labeller, a staged parser and policies for it."""
    trainer = ArcTrainer(run, train, dev, settings)
    tagger = trainer.tagger()
    if settings.tags == "predicted":
        trainer.retag(tagger)
    labeller = trainer.labeller()
    groups = trainer.groups()
    filters = trainer.filters(groups)
    task = trainer.task(groups, trainer.weights(groups, filters), filters)
    apart = trainer.apart(groups)
    policies: dict[str, Policy] = {}
    log: list[dict[str, Any]] = []
    for number, cost in enumerate(settings.policy_costs):
        policy, rounds = trainer.policy(number, cost, task, apart)
        policies[policy_name(number)] = policy
        log.append({"name": policy_name(number), "cost": cost, "rounds": [r._asdict() for r in rounds]})
    parts = ArcParts(
        trainer.features,
        groups,
        task.models,
        task.limits,
        filters,
        settings.filter_margins,
        tagger,
        labeller,
        settings.single_root,
        settings.projective,
        has_penn_spelling(train.vocabulary()),
    )
    # Where tags are predicted, the parser makes them once more, so that tagging is timed too.
    points = measure_all(
        run, KIND, parts, policies, dev[1::2], using=Using(settings.tags), repeat=settings.repeat
    )
    notes = {
        "judged on": len(trainer.judging),
        **noted(settings, "features"),
        "margins": settings.filter_margins,
        "costs": settings.policy_costs,
    }
    return Trained(parts, policies, with_tradeoffs(points), notes, log)


class _Codec(Generic[Stored]):
    """A tagger or labeller in arrays, its settings as JSON beside them."""

    def __init__(self, kind: type[Stored]) -> None:
        self.kind: type[Stored] = kind

    def pack(self, piece: Stored) -> Mapping[str, npt.NDArray[Any]]:
        settings = json.dumps(piece.settings()).encode()
        return {**piece.arrays(), "settings": np.frombuffer(settings, np.uint8)}

    def unpack(self, arrays: Mapping[str, npt.NDArray[Any]]) -> Stored:
        stored = dict(arrays)
        return self.kind.from_arrays(stored, json.loads(stored.pop("settings").tobytes()))


class ArcTrainer:
    """Trees, settings and a run, which keeps every finished piece."""

    def __init__(
        self, run: Run, train: Bank[DependencyTree], dev: Bank[DependencyTree], settings: ArcSettings
    ) -> None:
        if len(train) < settings.folds:
            raise InputError(f"{len(train)} training sentences", fix=f"give {settings.folds} or more")
        self.run, self.settings = run, settings
        self.features = settings.features or ArcFeatures()
        self.trees = train
        self.stopping, self.judging = dev[::2], dev[1::2]
        self.jobs = run.engine.jobs
        run.claim(_fingerprint(train, dev, settings, self.features))
        self.limits = LengthLimits.from_trees(train)
        run.plan(
            {
                "tagger": 1,
                "labeller": 1,
                "ranking": settings.order,
                "filters": 1,
                "weights": 1 + settings.folds,
                "round": len(settings.policy_costs) * settings.iterations,
            }
        )

    def tagger(self) -> Tagger:
        """Of all trees, for text without tags."""

        def make() -> Tagger:
            return Tagger.train(self.trees, seed=self.settings.seed)

        found = self.run.piece("tagger", make, _Codec(Tagger))
        self.run.told(f"tagger: {len(found.classes):,} classes", "tagger")
        return found

    def labeller(self) -> Labeller | None:
        """Of all trees; None where they have no labels."""
        if not set(self.trees.labels()) - {NO_LABEL}:
            self.run.skip("labeller", 1)
            return None

        def make() -> Labeller:
            return Labeller.train(self.trees, seed=self.settings.seed)

        found = self.run.piece("labeller", make, _Codec(Labeller))
        self.run.told(f"labeller: {len(found.labels):,} labels", "labeller")
        return found

    def retag(self, tagger: Tagger) -> None:
        """Learn and judge with tags as for new text: those of training sentences by taggers without them."""
        self.trees = DependencyBank(jackknife(self.trees, seed=self.settings.seed, threads=self.jobs))
        self.stopping = DependencyBank(tagger.retag(self.stopping))
        self.judging = DependencyBank(tagger.retag(self.judging))
        self.limits = LengthLimits.from_trees(self.trees)

    def groups(self) -> Groups:
        """Templates in the order of their use."""
        ranking = self._ranked("ranking", self._rank)
        if self.settings.even is None:
            found = prefixes(paired(ranking), self.settings.ends)
        else:
            found = grouped(ranking, self.settings.even)
        if self.settings.order == 1:
            return found
        siblings = paired(self._ranked("ranking-siblings", partial(self._rank_siblings, found)))
        return (*found, *prefixes(siblings, self.settings.sibling_ends))

    def _ranked(self, name: str, make: Callable[[], Ranking]) -> Ranking:
        stored = self.run.numbers(name, lambda: asdict(make()))
        found = Ranking.checked(stored, self.features, self.run.file(f"{name}.json"))
        names = self.features.templates
        first, last = (names[found.templates[place]] for place in (0, -1))
        self.run.told(f"{name}: first {first!r}, last {last!r}", "ranking")
        return found

    def _rank(self) -> Ranking:
        held = corpus_of(self.features, self.stopping[:RANKED])
        units = [(template,) for template in range(self.features.first)]
        weights = any_weights(
            self.features,
            corpus_of(self.features, self.trees),
            units,
            single_root=self.settings.single_root,
            epochs=self.settings.epochs,
            bits=self.settings.bits,
            seed=self.settings.seed,
            report=partial(self._epoch, "weights of any templates"),
        )
        return rank(self.features, weights, held, single_root=self.settings.single_root, jobs=self.jobs)

    def _rank_siblings(self, arcs: Groups) -> Ranking:
        """Given all templates of arcs."""
        held = corpus_of(self.features, self.stopping[:RANKED_SIBLINGS])
        groups = (tuple(range(self.features.first)), tuple(range(self.features.first, self._templates)))
        filters = self._stored_filters("filters", arcs, self.trees)
        weights = self._fit("weights of siblings", groups, self.trees, filters, shares=(0.0, 1.0))
        single_root = self.settings.single_root
        return rank(self.features, weights, held, siblings=True, single_root=single_root, jobs=self.jobs)

    @property
    def _templates(self) -> int:
        return len(self.features.templates)

    def filters(self, groups: Groups) -> tuple[ArcFilter, ...]:
        """Of all trees."""
        found = self._stored_filters("filters", groups, self.trees)
        self.run.told("filters: " + ", ".join(f"{len(own.templates)} templates" for own in found), "filters")
        return found

    def _stored_filters(
        self, name: str, groups: Groups, trees: Sequence[DependencyTree]
    ) -> tuple[ArcFilter, ...]:
        ranked, settings = [t for group in groups for t in group], self.settings
        if not settings.filters:
            return ()
        margins = settings.filter_margins[0]

        def make() -> dict[str, Any]:
            found = train_filters(
                self.features,
                trees,
                self.limits,
                ranked,
                settings.filters,
                margins,
                seed=settings.seed,
            )
            return {f"{number}": own.weights for number, own in enumerate(found)}

        stored = self.run.arrays(name, make, filters_schema(len(settings.filters)))
        return tuple(
            ArcFilter(filter_templates(self.features, ranked, count), stored[f"{number}"], margin)
            for number, (count, margin) in enumerate(zip(settings.filters, margins, strict=True))
        )

    def weights(self, groups: Groups, filters: tuple[ArcFilter, ...]) -> Weights:
        """Of all trees."""
        return self._stored("weights", groups, self.trees, filters)

    def apart(self, groups: Groups) -> list[tuple[ArcLocking, list[Example]]]:
        """Folds, each with a parser that has not seen it."""

        def part(fold: int) -> tuple[ArcLocking, list[Example]]:
            others = [tree for i, tree in enumerate(self.trees) if i % self.settings.folds != fold]
            filters = self._stored_filters(f"filters-{fold}", groups, others)
            task = self.task(groups, self._stored(f"weights-{fold}", groups, others, filters), filters)
            return task, self.examples(task, self.trees[fold :: self.settings.folds])

        with ThreadPoolExecutor(self.jobs) as threads:  # the kernels let go of the interpreter
            return list(threads.map(part, range(self.settings.folds)))

    def task(self, groups: Groups, weights: Weights, filters: tuple[ArcFilter, ...] = ()) -> ArcLocking:
        return ArcLocking(
            self.features,
            groups,
            ArcModels(weights),
            self.limits,
            single_root=self.settings.single_root,
            projective=PROJECTIVE[self.settings.projective],
            bits=self.settings.policy_bits,
            filters=filters,
        )

    def examples(self, task: ArcLocking, trees: Sequence[DependencyTree]) -> list[Example]:
        return [
            Example(task.encode(t.words, t.tags, t.coarse), np.array([-1, *t.heads], np.int32)) for t in trees
        ]

    def policy(
        self, number: int, cost: float, task: ArcLocking, apart: list[tuple[ArcLocking, list[Example]]]
    ) -> tuple[Policy, list[DaggerRound]]:
        name = policy_name(number)

        def report(r: DaggerRound) -> None:
            self.run.told(
                f"{name} round {r.number}, cost {cost:g}: UAS {100 * r.accuracy:.2f}, "
                f"{r.features:.1%} of the templates, {r.decisions:,} decisions",
                "round",
                minor=r.number < self.settings.iterations,
            )

        resume = self.run.checkpoint(name, task.dim)
        if resume is not None:
            self.run.found("round", len(resume.rounds) - 1)
        return dagger(
            task,
            apart,
            self.examples(task, self.stopping),
            cost=cost,
            iterations=self.settings.iterations,
            seed=self.settings.seed,
            engine=self.run.engine,
            resume=resume,
            save=partial(self.run.save_checkpoint, name),
            report=report,
        )

    def _stored(
        self, name: str, groups: Groups, trees: Sequence[DependencyTree], filters: tuple[ArcFilter, ...]
    ) -> Weights:
        weights = self.run.weights(
            name, 1 << self.settings.bits, lambda: self._fit(name, groups, trees, filters)
        )
        self.run.told(f"{name}: trained on {len(trees):,} sentences", "weights")
        return weights

    def _fit(
        self,
        name: str,
        groups: Groups,
        trees: Sequence[DependencyTree],
        filters: tuple[ArcFilter, ...] = (),
        shares: Sequence[float] | None = None,
    ) -> Weights:
        return staged_weights(
            self.features,
            corpus_of(self.features, trees),
            groups,
            arcs=self._arcs(trees, filters),
            projective=PROJECTIVE[self.settings.projective],
            single_root=self.settings.single_root,
            epochs=self.settings.epochs,
            shuffles=self.settings.shuffles,
            bits=self.settings.bits,
            seed=self.settings.seed,
            shares=shares,
            report=partial(self._epoch, name),
        )

    def _arcs(self, trees: Sequence[DependencyTree], filters: tuple[ArcFilter, ...]) -> Arcs:
        """What the second order learns among: with all arcs there would be too many siblings."""
        if self.settings.order == 1 or not filters:
            return ALL_ARCS
        first = replace(filters[0], margin=LEARNED)
        corpus, tags = corpus_of(self.features, trees), corpus_tags(self.limits, trees)
        return with_gold(likely(self.features, [first], corpus, tags, self.limits), corpus)

    def _epoch(self, name: str, epoch: int, right: float) -> None:
        self.run.told(f"{name}, pass {epoch}: {right:.1%} of the heads right while training", minor=True)


def _fingerprint(
    train: Bank[DependencyTree], dev: Bank[DependencyTree], settings: ArcSettings, features: ArcFeatures
) -> str:
    """Of all that the pieces of a run depend on."""
    free = ("features", "repeat", "points")
    chosen = {one.name: getattr(settings, one.name) for one in fields(settings) if one.name not in free}
    chosen |= {"margins": settings.filter_margins, "costs": settings.policy_costs}
    # What views make of the words: a changed function is another run.
    seen = (features.rows.of([(tree.words, tree.tags, tree.coarse)]) for tree in train)
    return fingerprint(train.checksum(), dev.checksum(), chosen, features.templates, *seen)
