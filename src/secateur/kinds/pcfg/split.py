"""From a treebank to a split grammar, level by level; every level is kept, so that a stopped run goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import induce
from secateur.grammar.latent.corpus import corpus_of
from secateur.grammar.latent.grammar import SplitPCFG, finish
from secateur.grammar.latent.splitmerge import Level, Round, Schedule, SplitMerge
from secateur.grammar.latent.words import WordSmoothing
from secateur.kinds.pcfg.store import MOST
from secateur.models.run import Run, fingerprint
from secateur.models.storage import Array, Schema, Spec, check_arrays
from secateur.treebanks.bank import Bank
from secateur.treebanks.tree import Tree

FEWEST = 20  # nodes for a sub-symbol, on average: with fewer, there is nothing to tell halves apart by


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """How a split grammar is made."""

    levels: int = 5  # at most: the best of them on held-out trees is taken
    products: int = 1  # grammars from so many seeds, which judge a tree's rules together
    binarization: Binarization = field(default_factory=lambda: Binarization("right"))
    schedule: Schedule = field(default_factory=Schedule)
    words: WordSmoothing = field(default_factory=WordSmoothing)
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.levels, self.products) < 1:
            raise InputError(f"{self.levels} levels, {self.products} products", fix="give 1 or more of each")


@dataclass(frozen=True, slots=True)
class LevelDone:
    """A level that was finished, or a round of EM on the way to it."""

    level: int
    sub_symbols: int
    likelihood: float
    round: Round | None = None
    remark: str = ""


class SplitTraining:
    """The levels of one treebank's split grammar."""

    def __init__(
        self,
        trees: Bank[Tree],
        *,
        settings: SplitSettings | None = None,
        run: Run | None = None,
        tell: Callable[[LevelDone], None] = lambda _: None,
    ) -> None:
        self.settings = settings or SplitSettings()
        self.run = run or Run()
        self.tell = tell
        self.levels_: list[Level] = []
        binarization = self.settings.binarization
        grammar = induce(trees, binarization=binarization)
        self.trainer = SplitMerge(
            corpus_of((binarization(tree) for tree in trees), grammar),
            grammar,
            schedule=self.settings.schedule,
            seed=self.settings.seed,
            jobs=self.run.engine.jobs,
            tell=lambda one: tell(LevelDone(len(self.levels_), 0, one.likelihood, one)),
        )
        self.run.claim(_fingerprint(trees, self.settings))

    def fit(self) -> SplitTraining:
        """All levels that the settings ask for, and the treebank can bear."""
        while len(self.levels_) <= self.settings.levels:
            number = len(self.levels_)
            if number and self._too_few():
                self.tell(
                    LevelDone(
                        number - 1,
                        int(self.levels_[-1].blocks.splits.sum()),
                        self.levels_[-1].likelihood,
                        remark=f"too few trees for level {number}: staying at level {number - 1}",
                    )
                )
                break
            level = self.run.piece(f"level-{number}", self._next, _Levels(self.trainer))
            self.levels_.append(level)
            self.tell(LevelDone(number, int(level.blocks.splits.sum()), level.likelihood))
        return self

    def grammar(self, level: int | None = None) -> SplitPCFG:
        """The grammar of a level; by default the last."""
        last = len(self.levels_) - 1
        level = last if level is None else level
        if not 0 <= level <= last:
            raise InputError(f"level {level} was not trained", fix=f"choose from 0 to {last}")
        return finish(self.trainer, self.levels_[: level + 1], smoothing=self.settings.words)

    def _next(self) -> Level:
        trainer = self.trainer
        made = trainer.next(self.levels_) if self.levels_ else trainer.start()
        return trainer.unpack(trainer.pack(made))  # as a run that is resumed has it

    def _too_few(self) -> bool:
        return len(self.trainer.corpus.nodes.kind) < FEWEST * 2 * int(self.levels_[-1].blocks.splits.sum())


_LEVEL: Schema = {
    "splits": Spec("u4", ("symbols",), low=1, below=MOST),
    **{name: Spec("f8", (f"of {name} rules",), low=0.0) for name in ("binary", "unary", "lexical")},
    "mass": Spec("f8", ("symbols", "sub-symbols"), low=0.0),
    "origin": Spec("u4", ("of all symbols",), below=MOST),
    "likelihood": Spec("f8", ()),
}


class _Levels:
    """How levels are stored."""

    def __init__(self, trainer: SplitMerge) -> None:
        self.trainer = trainer

    def pack(self, piece: Level) -> dict[str, Array]:
        return self.trainer.pack(piece)

    def unpack(self, arrays: Mapping[str, Array]) -> Level:
        checked = check_arrays(arrays, _LEVEL, {"symbols": len(self.trainer.grammar.symbols)})
        found = self.trainer.unpack(checked)
        for name, part in self.trainer.pack(found).items():
            if part.shape != checked[name].shape:
                raise ValueError(f"{name} has the shape {checked[name].shape}, not {part.shape}")
        return found


def _fingerprint(trees: Bank[Tree], settings: SplitSettings) -> str:
    """Of all that a level depends on; how many there shall be, and the words' smoothing, may change later."""
    fixed = {k: v for k, v in asdict(settings).items() if k not in ("levels", "products", "words")}
    return fingerprint(trees.checksum(), fixed)
