"""From a treebank to the split grammar that does best on held-out trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from secateur.grammar.latent.grammar import SplitPCFG, product
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.split import LevelDone, SplitSettings, SplitTraining
from secateur.metrics.scores import Scoring
from secateur.models.measure import tried
from secateur.models.run import Run
from secateur.treebanks.bank import Bank
from secateur.treebanks.tree import Tree


@dataclass(frozen=True, slots=True)
class Fine:
    """A split grammar, and how its level was chosen."""

    grammar: SplitPCFG
    level: int
    accuracy: tuple[float, ...]  # on held-out trees, of each level from 0 on


def fine_grammar(
    run: Run, train: Bank[Tree], dev: Bank[Tree], settings: SplitSettings, scoring: Scoring[Tree]
) -> Fine:
    """Split level by level, from as many seeds as there are products; keep the level that parses `dev` best,
    where they judge together.

    The first of a product parses alone too: it is the one that does so best.
    """
    accuracy_of = partial(_f1, dev=dev, scoring=scoring, jobs=run.engine.jobs)
    run.plan({"level": settings.levels * settings.products})
    seeds = range(settings.seed, settings.seed + settings.products)
    every = [_levels(run, train, replace(settings, seed=seed)) for seed in seeds]
    levels = range(min(map(len, every)))
    accuracy = tuple(accuracy_of(product([one[n] for one in every])) for n in levels)
    level = max(levels, key=lambda n: accuracy[n])
    about = ", ".join(f"level {number} {f1:.2f}" for number, f1 in enumerate(accuracy))
    run.told(f"F1 on held-out trees: {about}")
    grammars = [one[level] for one in every]
    if len(grammars) > 1:
        alone = [accuracy_of(grammar) for grammar in grammars]
        run.told(
            f"alone: {', '.join(f'seed {seed} {f1:.2f}' for seed, f1 in zip(seeds, alone, strict=True))}"
        )
        order = sorted(range(len(grammars)), key=lambda n: -alone[n])
        grammars = [grammars[n] for n in order]
    return Fine(product(grammars), level, accuracy)


def _levels(run: Run, train: Bank[Tree], settings: SplitSettings) -> list[SplitPCFG]:
    """The grammars of all levels from one seed; what it took to train them is given back."""

    def told(done: LevelDone) -> None:
        if done.round is not None:
            run.told(_line(settings.seed, done), minor=True)
        else:
            run.told(_line(settings.seed, done), "level" if done.level and not done.remark else "")

    found = SplitTraining(train, settings=settings, run=run.part(f"split-{settings.seed}"), tell=told).fit()
    run.skip("level", settings.levels + 1 - len(found.levels_))
    return [found.grammar(level) for level in range(len(found.levels_))]


def _line(seed: int, done: LevelDone) -> str:
    name = f"seed {seed}, level {done.level}"
    if done.round is not None:
        return f"{name}, {done.round.step} {done.round.number}: log likelihood {done.likelihood:,.0f}"
    if done.remark:
        return done.remark
    return f"{name}: {done.sub_symbols:,} sub-symbols, log likelihood {done.likelihood:,.0f}"


def _f1(grammar: SplitPCFG, dev: Bank[Tree], scoring: Scoring[Tree], jobs: int) -> float:
    return tried(Parser(grammar), dev, scoring, jobs=jobs).scores.accuracy
