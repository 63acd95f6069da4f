"""The one clock, and what is measured with it."""

from __future__ import annotations

import gc
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import secateur as sec
from secateur.cli import main
from secateur.errors import InputError
from secateur.metrics.evalb.evaluation import PhraseScoring
from secateur.models import measure
from secateur.models.limits import Limits
from secateur.models.measure import Timing, clock, measured, quiet_collector, tried
from secateur.models.parse import BATCH, Parse, SentenceParser
from secateur.search.core import Work
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Leaf, Tree
from toy_model import TREES, toy_model

SENTENCES = [Sentence.of(["the", "cat"] * 3) for _ in range(5)]
GOLD = sec.Treebank(sec.read_tree(line) for line in TREES.splitlines())


class Slow(SentenceParser[Tree]):
    """Takes as long as it is told, and knows whether the collector was on."""

    annotation = PHRASES

    def __init__(self, now: list[float], *seconds: float) -> None:
        self.limits, self.using = Limits(), toy_model().kind.using()
        self.now, self.seconds, self.calls = now, list(seconds), 0
        self.collected: set[bool] = set()

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        self.now[0] += self.seconds[min(self.calls, len(self.seconds) - 1)]
        self.calls += 1
        self.collected.add(gc.isenabled())
        return [Parse(self.flat(s), Work(pushes=len(s), kept=1), 0.5, -1.0) for s in sentences]

    def nothing(self, sentence: Sentence) -> Tree:
        return Tree("ROOT", ())

    def flat(self, sentence: Sentence) -> Tree:
        return Tree("ROOT", tuple(Tree("X", (Leaf(n, w),)) for n, w in enumerate(sentence.leaves)))

    def joined(self, sentence: Sentence, parts: Sequence[tuple[int, Tree]]) -> Tree:
        return self.flat(sentence)

    def whole(self, tree: Tree) -> int:
        return len(tree.leaves())


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """CPU seconds, as tests have them."""
    found = [7.0]
    monkeypatch.setattr(measure.time, "process_time", lambda: found[0])
    return found


def test_only_timed_runs_count(now: list[float]) -> None:
    """The first loads the kernels."""
    parser = Slow(now, 100.0, 3.0, 2.0, 4.0)
    timing = clock({"a": parser}, SENTENCES, repeat=3)["a"]
    assert list(timing.runs) == [3.0, 2.0, 4.0]
    assert timing.best == 2.0
    assert timing.spread == pytest.approx(0.5)
    assert parser.calls == 4


def test_all_parsers_take_turns(now: list[float]) -> None:
    """What slows the machine down for a while slows all of them."""
    order: list[str] = []

    def watched(name: str) -> Slow:
        parser = Slow(now, 1.0)
        search = parser.search

        def told(sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
            order.append(name)
            return search(sentences)

        parser.search = told  # type: ignore[method-assign]
        return parser

    clock({"a": watched("a"), "b": watched("b")}, SENTENCES, repeat=3)
    assert order == ["a", "b"] * 4


def test_short_runs_are_repeated(now: list[float]) -> None:
    parser = Slow(now, 0.01)
    runs = clock({"a": parser}, SENTENCES, repeat=3)["a"].runs
    assert len(runs) == pytest.approx(measure.LEAST / 0.01, abs=3)
    assert sum(runs) >= measure.LEAST


def test_one_long_run_will_do(now: list[float]) -> None:
    slow, quick = Slow(now, measure.LONG + 1), Slow(now, 1.0)
    found = clock({"slow": slow, "quick": quick}, SENTENCES, repeat=5)
    assert len(found["slow"].runs) == 1
    assert len(found["quick"].runs) == 5


def test_a_run_is_over_all_sentences(now: list[float]) -> None:
    """In portions, of which the first alone warms up."""
    many = SENTENCES * (2 * BATCH // 7 // len(SENTENCES) + 1)
    parser = Slow(now, 0.0, 1.0)
    (run,) = clock({"a": parser}, many, repeat=1)["a"].runs
    assert run == parser.calls - 1 >= 2


@pytest.mark.parametrize("was", [True, False])
def test_the_collector_is_off_and_then_as_it_was(now: list[float], was: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if was else gc.disable)()
        parser = Slow(now, 1.0)
        clock({"a": parser}, SENTENCES, repeat=1)
        assert gc.isenabled() == was
        tried(parser, GOLD, PhraseScoring())
        assert gc.isenabled() == was
        with pytest.raises(ZeroDivisionError), quiet_collector():
            raise ZeroDivisionError
        assert gc.isenabled() == was
        assert parser.collected == {False}
    finally:
        (gc.enable if before else gc.disable)()


def test_nothing_to_measure() -> None:
    parser = toy_model().parser()
    with pytest.raises(InputError, match="no sentences to time"):
        clock({"a": parser}, [], repeat=1)
    with pytest.raises(InputError, match="0 timing runs; ask for 1 or more"):
        clock({"a": parser}, SENTENCES, repeat=0)
    with pytest.raises(InputError, match="no trees; give a treebank"):
        tried(parser, sec.Treebank([]), PhraseScoring())


def test_a_point_is_what_was_measured(now: list[float]) -> None:
    parser, figures = Slow(now, 1.0), toy_model().kind.figures
    trial = tried(parser, GOLD, PhraseScoring())
    words = sum(len(tree.words()) for tree in GOLD)
    point = measured("slow", {"mask": "m"}, parser, figures, trial, Timing([2.0, 4.0]))
    assert (point.name, point.way) == ("slow", {"mask": "m"})
    assert point.words_per_second == words / 2.0
    assert point.seconds_per_sentence == 2.0 / len(GOLD)
    assert point.work == pytest.approx(words / len(GOLD) / 1e6)
    assert point.kept == len(GOLD) / words
    assert point.accuracy == trial.scores.accuracy == 0.0
    assert point.failures == 0.0
    assert trial.untimed.best == pytest.approx(0.5 * len(GOLD))


def test_commands_and_training_have_one_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`bench`, `evaluate` and the points of the frontier cannot disagree but by what the machine does."""
    model, words = toy_model(), sum(len(tree.words()) for tree in GOLD)
    model.save(tmp_path / "toy.model")
    (tmp_path / "gold.mrg").write_text(TREES)
    asked: list[list[str]] = []

    def one(parsers: Any, sentences: Any, **options: Any) -> dict[str, Timing]:
        asked.append([" ".join(sentence.tokens) for sentence in sentences])
        return {name: Timing([0.5]) for name in parsers}

    def said(*args: object) -> Any:
        monkeypatch.setattr(sys, "argv", ["secateur", *map(str, args)])
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        assert not code
        return json.loads(capsys.readouterr().out)

    monkeypatch.setattr(measure, "clock", one)
    given = (tmp_path / "toy.model", tmp_path / "gold.mrg", "--point", "careful", "--json")
    bench = said("bench", *given)["points"]["careful"]["words_per_second"]
    evaluated = said("evaluate", *given)["settings"][0]["words_per_second"]
    way = model.ways()["careful"]
    parsers = {"careful": (way, model.measured_parser("careful"))}
    (point,) = measure.measure(parsers, GOLD, model.kind.figures, PhraseScoring(), repeat=1)
    assert bench == evaluated == point.words_per_second == words / 0.5
    assert asked[0] == asked[1] == asked[2] == [" ".join(tree.words()) for tree in GOLD]


# CPU time is for figures that people compare: all of them are taken in one place.
CLOCKS = {
    "process_time": {"models/measure.py", "cli/bench.py", "cli/doctor.py"},  # bench: of each sentence
    "perf_counter": {
        "models/parse.py",  # what a parse took
        "kinds/arcs/parser.py",
        "kinds/lcfrs/exact.py",
        "kinds/lcfrs/parser.py",
        "kinds/pcfg/parser.py",
        "kinds/pcfg/agenda.py",
        "kinds/pcfg/dear.py",
        "kinds/pcfg/deadline.py",
        "tasks/arc_locking/task.py",
        "tasks/hyperedge_pruning/task.py",
        "tasks/span_pruning/task.py",
        "tasks/agenda_order/task.py",
        "tasks/agenda_order/halting.py",
        "search/learners.py",  # what a round took
        "search/gradient.py",
        "cli/tally.py",
        "cli/doctor.py",
    },
}


@pytest.mark.parametrize("name", CLOCKS)
def test_there_is_no_other_clock(name: str) -> None:
    source = Path(sec.__file__).parent
    texts = {str(file.relative_to(source)): file.read_text(encoding="utf-8") for file in source.rglob("*.py")}
    assert {file for file, text in texts.items() if re.search(rf"\b{name}\b", text)} <= CLOCKS[name]
    assert not any(re.search(r"\btime\.time\(|\btimeit\b", text) for text in texts.values())
