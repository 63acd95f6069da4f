"""From a dependency treebank to a model with a dial.

1. Weights that serve any choice of templates rank these: forward selection on held-out trees, then groups.
2. Weights that serve every stage, on all trees, and without each fold.
3. DAgger from the oracle, at several costs of locking what is wrong: the frontier's policies.
4. All of them, every stage without decisions, and all templates at once are measured on the other held-out
   half: heads right (UAS), templates computed, words/s.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from secateur.errors import InputError
from secateur.features.arc import ArcFeatures
from secateur.features.stages import Groups
from secateur.kernels.perceptron.mira import Arcs
from secateur.kinds.arcs.filters import train_filters
from secateur.kinds.arcs.labels import Labeller
from secateur.kinds.arcs.model import PROJECTIVE, DependencyModel, policy_name
from secateur.kinds.arcs.parser import ArcParser
from secateur.kinds.arcs.policies import DaggerRound, dagger
from secateur.kinds.arcs.ranking import Ranking, grouped, paired, prefixes, rank, rank_siblings
from secateur.kinds.arcs.settings import ArcSettings
from secateur.kinds.arcs.tagger import Tagger, jackknife
from secateur.kinds.arcs.weights import ALL_ARCS, any_weights, staged_weights
from secateur.kinds.pcfg.trainer import Step, Tell
from secateur.metrics.attachment import attachment
from secateur.models import dial as frontier
from secateur.models.dial import Point
from secateur.models.run import Folder
from secateur.search.core import Example, Policy, Weights
from secateur.search.parallel import Engine
from secateur.tasks.arc_locking.corpus import corpus_of, corpus_tags
from secateur.tasks.arc_locking.filter import ArcFilter, filter_templates, likely, with_gold
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcLocking, ArcModels
from secateur.treebanks.dependency_bank import DependencyBank
from secateur.treebanks.dependency_tree import NO_LABEL, DependencyTree
from secateur.treebanks.text import has_penn_spelling

RANKED = 300  # held-out sentences that templates are ranked on, at most
RANKED_SIBLINGS = 60
LEARNED = 6.0  # the first filter's margin where the second order is learned
_SETTINGS = "settings"  # of a tagger or labeller, in JSON, beside its arrays
LEAST = 0.3  # seconds: short runs are timed again until then


def train_arcs(
    train: DependencyBank,
    dev: DependencyBank | None = None,
    *,
    settings: ArcSettings | None = None,
    features: ArcFeatures | None = None,
    work: Path | None = None,
    engine: Engine | None = None,
    tell: Tell = lambda step: None,
) -> DependencyModel:
    """A model with a frontier. With a `work` folder, a stopped run goes on there."""
    settings = settings or ArcSettings()
    checksum = train.checksum()
    if dev is None:
        train, dev, _ = train.split(dev=0.1, test=0.0, seed=settings.seed)
    trainer = ArcTrainer(train, dev, settings, features=features, work=work, engine=engine, tell=tell)
    tagger = trainer.tagger()
    if settings.tags == "predicted":
        trainer.retag(tagger)
    labeller = trainer.labeller()
    groups = trainer.groups()
    filters = trainer.filters(groups)
    task = trainer.task(groups, trainer.weights(groups, filters), filters)
    parts = trainer.parts(groups)
    policies: dict[str, Policy] = {}
    log: list[dict[str, Any]] = []
    for number, cost in enumerate(settings.policy_costs):
        policy, rounds = trainer.policy(number, cost, task, parts)
        policies[policy_name(number)] = policy
        log.append({"name": policy_name(number), "cost": cost, "rounds": [r._asdict() for r in rounds]})
    notes = {
        "trees": len(train),
        "held out": len(dev),
        "judged on": len(trainer.judging),
        "checksum": checksum,
        "penn": has_penn_spelling(train.vocabulary()),
        **{k: v for k, v in asdict(settings).items() if v is not None},
        "margins": settings.filter_margins,
        "costs": settings.policy_costs,
    }
    model = DependencyModel(
        trainer.features,
        groups,
        task.models,
        task.limits,
        policies,
        (),
        tagger,
        labeller,
        notes,
        log,
        filters,
        settings.filter_margins,
    )
    return replace(model, points=frontier.with_tradeoffs(trainer.measure(model)))


class ArcTrainer:
    """Trees, settings and a folder; every finished piece is kept there, so that a run can go on."""

    def __init__(
        self,
        train: DependencyBank,
        dev: DependencyBank,
        settings: ArcSettings,
        *,
        features: ArcFeatures | None = None,
        work: Path | None = None,
        engine: Engine | None = None,
        tell: Tell = lambda step: None,
    ) -> None:
        if len(dev) < 2 or len(train) < settings.folds:
            raise InputError(
                f"{len(train)} training and {len(dev)} held-out sentences",
                fix=f"give {settings.folds} or more to train with, and --dev with 2 or more",
            )
        self.settings, self.tell = settings, tell
        self.features = features or ArcFeatures()
        self.trees = train
        self.stopping, self.judging = dev[::2], dev[1::2]
        self.engine = engine or Engine()
        self.jobs = self.engine.jobs
        self.folder = Folder(work, _fingerprint(train, dev, settings, self.features))
        self.limits = LengthLimits.from_trees(train)
        self.done = 0
        self.total = 4 + settings.order + settings.folds + len(settings.policy_costs) * settings.iterations

    def tagger(self) -> Tagger:
        """Of all trees, for text without tags."""
        found: Tagger = self._kept(
            "tagger", Tagger, lambda: Tagger.train(self.trees, seed=self.settings.seed)
        )
        self._finished(f"tagger: {len(found.classes):,} classes")
        return found

    def labeller(self) -> Labeller | None:
        """Of all trees; None where they have no labels."""
        if not set(self.trees.labels()) - {NO_LABEL}:
            return None
        found: Labeller = self._kept(
            "labeller", Labeller, lambda: Labeller.train(self.trees, seed=self.settings.seed)
        )
        self._finished(f"labeller: {len(found.labels):,} labels")
        return found

    def _kept(self, name: str, kind: Any, make: Callable[[], Any]) -> Any:
        """A stored tagger or labeller, or a new one, stored."""
        made: list[Any] = []

        def arrays() -> Mapping[str, Any]:
            made.append(make())
            settings = json.dumps(made[0].settings()).encode()
            return {**made[0].arrays(), _SETTINGS: np.frombuffer(settings, np.uint8)}

        stored = dict(self.folder.arrays(name, arrays))
        settings = json.loads(stored.pop(_SETTINGS).tobytes())
        return made[0] if made else kind.from_arrays(stored, settings)

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

    def _ranked(self, name: str, make: Any) -> Ranking:
        stored = self.folder.numbers(name, lambda: asdict(make()))
        found = Ranking(tuple(map(tuple, stored["units"])), tuple(stored["accuracy"]))
        names = self.features.templates
        self._finished(f"{name}: first {names[found.templates[0]]!r}, last {names[found.templates[-1]]!r}")
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
        return rank_siblings(
            self.features, weights, held, single_root=self.settings.single_root, jobs=self.jobs
        )

    @property
    def _templates(self) -> int:
        return len(self.features.templates)

    def filters(self, groups: Groups) -> tuple[ArcFilter, ...]:
        """Of all trees."""
        found = self._stored_filters("filters", groups, self.trees)
        self._finished("filters: " + ", ".join(f"{len(own.templates)} templates" for own in found))
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

        stored = self.folder.arrays(name, make)
        return tuple(
            ArcFilter(filter_templates(self.features, ranked, count), stored[f"{number}"], margin)
            for number, (count, margin) in enumerate(zip(settings.filters, margins, strict=True))
        )

    def weights(self, groups: Groups, filters: tuple[ArcFilter, ...]) -> Weights:
        """Of all trees."""
        return self._stored("weights", groups, self.trees, filters)

    def parts(self, groups: Groups) -> list[tuple[ArcLocking, list[Example]]]:
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
        self, number: int, cost: float, task: ArcLocking, parts: list[tuple[ArcLocking, list[Example]]]
    ) -> tuple[Policy, list[DaggerRound]]:
        name = policy_name(number)

        def report(r: DaggerRound) -> None:
            self._finished(
                f"{name} round {r.number}, cost {cost:g}: UAS {100 * r.accuracy:.2f}, "
                f"{r.features:.1%} of the templates, {r.decisions:,} decisions"
            )

        resume = self.folder.checkpoint(name, task.dim)
        self.done += 0 if resume is None else len(resume.rounds) - 1
        return dagger(
            task,
            parts,
            self.examples(task, self.stopping),
            cost=cost,
            iterations=self.settings.iterations,
            seed=self.settings.seed,
            engine=self.engine,
            resume=resume,
            save=partial(self.folder.save_checkpoint, name),
            report=report,
        )

    def measure(self, model: DependencyModel) -> list[Point]:
        """All points on the judging half."""
        points = [measure(name, model, self.judging, repeat=self.settings.repeat) for name in model.names]
        for p in points:
            self._finished(
                f"{p.name}: UAS {p.accuracy:.2f}, {p.words_per_second:,.0f} words/s, "
                f"{p.kept:.1%} of the templates",
                fits=0,
            )
        return points

    def _stored(
        self, name: str, groups: Groups, trees: Sequence[DependencyTree], filters: tuple[ArcFilter, ...]
    ) -> Weights:
        weights = self.folder.policy(
            name, 1 << self.settings.bits, lambda: Policy(self._fit(name, groups, trees, filters))
        ).weights
        self._finished(f"{name}: trained on {len(trees):,} sentences")
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
        self._finished(f"{name}, pass {epoch}: {right:.1%} of the heads right while training", fits=0)

    def _finished(self, text: str, fits: int = 1) -> None:
        self.done += fits
        self.tell(Step(text, self.done, self.total, 0))


def _fingerprint(
    train: DependencyBank, dev: DependencyBank, settings: ArcSettings, features: ArcFeatures
) -> str:
    """Of all that the pieces of a run depend on."""
    chosen = {**asdict(settings), "margins": settings.filter_margins, "costs": settings.policy_costs}
    about = json.dumps([train.checksum(), dev.checksum(), chosen, features.templates])
    whole = hashlib.sha256(about.encode())
    # What views make of the words: a changed function is another run.
    for tree in train:
        whole.update(features.rows.of([(tree.words, tree.tags, tree.coarse)]).tobytes())
    return whole.hexdigest()


def measure(name: str, model: DependencyModel, trees: Sequence[DependencyTree], *, repeat: int) -> Point:
    """An operating point: UAS, templates, and CPU time of one process, best of `repeat` runs or more."""
    parser = ArcParser(model, name)
    parses = list(parser.pipe(trees))  # also compiles, before the clock starts
    spent: list[float] = []
    while len(spent) < repeat or sum(spent) < LEAST:
        started = time.process_time()
        for _ in parser.pipe(trees):
            pass
        spent.append(max(time.process_time() - started, 1e-9))
    scores = attachment(trees, [parse.tree for parse in parses])
    low, high = scores.confidence()
    computed = sum(parse.work.features for parse in parses)
    full = sum(model.whole.full_cost(model.whole.encode(t.words, t.tags, t.coarse)) for t in trees)
    return Point(
        name,
        accuracy=scores.uas,
        low=low,
        high=high,
        mpush=computed / len(trees) / 1e6,
        words_per_second=sum(len(tree) for tree in trees) / min(spent),
        seconds_per_sentence=min(spent) / len(trees),
        kept=computed / full,
        failures=sum(parse.fell_back for parse in parses) / len(trees),
    )
