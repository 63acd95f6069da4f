"""From a treebank to the split grammar that does best on held-out trees."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    accuracy: tuple[float, ...]  # of max-rule trees for held-out ones, of each level from 0 on


def fine_grammar(
    run: Run, train: Bank[Tree], dev: Bank[Tree], settings: SplitSettings, scoring: Scoring[Tree]
) -> Fine:
    """Split level by level; keep the level that parses `dev` best. With products, so from several seeds.

    The first of a product parses alone too: it is the one that does so best.
    """
    run.plan({"level": settings.levels * settings.products})
    first = _split(run, train, settings)
    accuracy = tuple(_f1(first.grammar(level), dev, scoring) for level in range(len(first.levels_)))
    level = max(range(len(accuracy)), key=lambda one: accuracy[one])
    about = ", ".join(f"level {number} {f1:.2f}" for number, f1 in enumerate(accuracy))
    run.told(f"F1 on held-out trees: {about}")
    found = [(accuracy[level], first.grammar(level))]
    for other in range(1, settings.products):
        own = replace(settings, seed=settings.seed + other, levels=max(level, 1))
        run.skip("level", settings.levels - own.levels)
        grammar = _split(run, train, own).grammar(level)
        found.append((_f1(grammar, dev, scoring), grammar))
        run.told(f"F1 on held-out trees, seed {own.seed}: level {level} {found[-1][0]:.2f}")
    found.sort(key=lambda pair: -pair[0])
    return Fine(product([grammar for _, grammar in found]), level, accuracy)


def _split(run: Run, train: Bank[Tree], settings: SplitSettings) -> SplitTraining:
    def told(done: LevelDone) -> None:
        if done.round is not None:
            run.told(_line(settings.seed, done), minor=True)
        else:
            run.told(_line(settings.seed, done), "level" if done.level and not done.remark else "")

    found = SplitTraining(train, settings=settings, run=run.part(f"split-{settings.seed}"), tell=told).fit()
    run.skip("level", settings.levels + 1 - len(found.levels_))
    return found


def _line(seed: int, done: LevelDone) -> str:
    name = f"seed {seed}, level {done.level}"
    if done.round is not None:
        return f"{name}, {done.round.step} {done.round.number}: log likelihood {done.likelihood:,.0f}"
    if done.remark:
        return done.remark
    return f"{name}: {done.sub_symbols:,} sub-symbols, log likelihood {done.likelihood:,.0f}"


def _f1(grammar: SplitPCFG, trees: Bank[Tree], scoring: Scoring[Tree]) -> float:
    return tried(Parser(grammar), trees, scoring).scores.accuracy
