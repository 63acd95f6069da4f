"""From a treebank to the split grammar that does best on held-out trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from secateur import metrics
from secateur.grammar.latent.grammar import SplitPCFG, product
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.split import LevelDone, SplitSettings, SplitTraining
from secateur.kinds.pcfg.trainer import Step, Tell
from secateur.treebanks.bank import Treebank

EACH = 10  # a line is told every so many rounds of EM


@dataclass(frozen=True, slots=True)
class Fine:
    """A split grammar, and how its level was chosen."""

    grammar: SplitPCFG
    level: int
    accuracy: tuple[float, ...]  # max-rule F1 on held-out trees, of each level from 0 on


def fine_grammar(
    train: Treebank,
    dev: Treebank,
    *,
    settings: SplitSettings | None = None,
    work: Path | None = None,
    jobs: int = 1,
    tell: Tell = lambda step: None,
) -> Fine:
    """Split level by level; keep the level that parses `dev` best. With products, so from several seeds.

    The first of a product parses alone too: it is the one that does so best.
    """
    settings = settings or SplitSettings()
    total = settings.levels * settings.products
    first = _split(train, settings, work, jobs, tell, total)
    accuracy = tuple(_f1(first.grammar(level), dev) for level in range(len(first.levels_)))
    level = max(range(len(accuracy)), key=lambda one: accuracy[one])
    about = ", ".join(f"level {number} {f1:.2f}" for number, f1 in enumerate(accuracy))
    tell(Step(f"F1 on held-out trees: {about}", settings.levels, total, 0))
    found = [(accuracy[level], first.grammar(level))]
    for other in range(1, settings.products):
        own = replace(settings, seed=settings.seed + other, levels=max(level, 1))
        grammar = _split(train, own, work, jobs, tell, total, other * settings.levels).grammar(level)
        found.append((_f1(grammar, dev), grammar))
        about = f"F1 on held-out trees, seed {own.seed}: level {level} {found[-1][0]:.2f}"
        tell(Step(about, (other + 1) * settings.levels, total, 0))
    found.sort(key=lambda pair: -pair[0])
    return Fine(product([grammar for _, grammar in found]), level, accuracy)


def _split(
    train: Treebank,
    settings: SplitSettings,
    work: Path | None,
    jobs: int,
    tell: Tell,
    total: int,
    before: int = 0,
) -> SplitTraining:
    def told(done: LevelDone) -> None:
        if done.round is not None and (done.level == 0 or done.round.number % EACH):
            return
        tell(Step(_line(settings.seed, done), before + done.level - (done.round is not None), total, 0))

    folder = None if work is None else work / f"split-{settings.seed}"
    return SplitTraining(train, settings=settings, work=folder, jobs=jobs, tell=told).fit()


def _line(seed: int, done: LevelDone) -> str:
    name = f"seed {seed}, level {done.level}"
    if done.round is not None:
        return f"{name}, {done.round.step} {done.round.number}: log likelihood {done.likelihood:,.0f}"
    if done.remark:
        return done.remark
    return f"{name}: {done.sub_symbols:,} sub-symbols, log likelihood {done.likelihood:,.0f}"


def _f1(grammar: SplitPCFG, trees: Treebank) -> float:
    parser = Parser(grammar)
    parses = [parser.parse(tree.words()) for tree in trees]
    found = metrics.evaluate(trees, [p.tree for p in parses], failed=[p.failed for p in parses])
    return found.total.f1
