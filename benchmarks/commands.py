"""What the commands cost beside the parsing they do, each figure with the bar that it must keep.

    python benchmarks/commands.py                       small models of the garden, one of every kind
    python benchmarks/commands.py --model M --trees T   a model of your own, with gold trees; or several

CPU seconds of a command and of all processes it starts, the least of several runs, in turn. Start-up is what
the same command takes for one sentence. The frontier's promise is what the model's own dial says of a point.
Models of the garden are trained here, each in a process of its own just before it is looked at (machines
drift within minutes); others may have been measured on another machine: then `bench`, which measures here,
tells more. bench and evaluate parse the trees that the frontier was measured on (the garden's), or those
given.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import secateur as sec
from secateur.models.kind import Kind
from secateur.models.table import KINDS, kind_named
from turns import in_turn, of_children

TRAINED, HELD_OUT = 1000, 600  # trees of the garden
TIMED = 5  # runs that the dial of a model of the garden is timed by
SECATEUR = [sys.executable, "-m", "secateur"]
# At most so many times ..., or so many seconds.
PROMISE, AGREEMENT, JOBS = 1.5, 1.1, 1.2
IMPORT, FIRST_TREE = 0.05, 2.0


@dataclass(frozen=True)
class Figure:
    """Of a model, or of the package alone."""

    model: str
    what: str
    value: float
    bar: float  # at most
    unit: str  # x: times; s: CPU seconds
    seen: dict[str, float]  # what it comes from

    @property
    def is_kept(self) -> bool:
        return self.value <= self.bar

    def cells(self) -> tuple[str, ...]:
        form = ".3f" if self.unit == "s" else ".2f"
        seen = ", ".join(f"{name} {value:,.4g}" for name, value in self.seen.items())
        value, bar = (f"{number:{form}} {self.unit}" for number in (self.value, self.bar))
        return self.model, self.what, value, bar, "" if self.is_kept else "OVER", seen


@dataclass(frozen=True)
class Case:
    """A model, and what it is to parse."""

    name: str
    model: Path
    text: Path  # sentences, a line each
    one: Path  # the first of them
    words: int  # of all of them
    gold: Path  # trees for bench and evaluate


# Models and texts -------------------------------------------------------------------------------------------


def grown(name: str, folder: Path, sentences: int) -> Case:
    """A model of the garden, trained now, and sentences that it has not seen."""
    print(f"training a model of kind {name} ...", file=sys.stderr, flush=True)
    alone = multiprocessing.get_context("spawn").Process(target=train, args=(name, folder))
    alone.start()
    alone.join()
    if alone.exitcode:
        sys.exit(f"training ended with {alone.exitcode}")
    kind = kind_named(name)
    _, dev, others = garden(kind, sentences)
    # The dial is measured on every second tree of what is held out: see the recipes.
    return laid_out(name, folder / name, kind, others, dev[1::2], folder)


def train(name: str, folder: Path) -> None:
    kind = kind_named(name)
    train, dev, _ = garden(kind, 0)
    sec.train(train, dev=dev, kind=name, settings=replace(kind.quick(0), repeat=TIMED)).save(folder / name)


def garden(kind: Kind[Any, Any], sentences: int) -> tuple[Any, Any, list[Any]]:
    """To train, to hold out, and so many others."""
    first = TRAINED + HELD_OUT
    made = kind.annotation.grown(first + sentences)
    trees = list(kind.annotation.normalized(made, kind.annotation.reading()))
    train, dev = (kind.annotation.bank(trees[a:b]) for a, b in ((0, TRAINED), (TRAINED, first)))
    return train, dev, trees[first:]


def given(model: Path, trees: Path, folder: Path, sentences: int) -> Case:
    """A model of one's own; sentences are those of the trees, over and over until there are enough."""
    kind, gold = sec.Model.load(model).kind, sec.read(trees)
    return laid_out(str(model), model, kind, islice(cycle(gold), sentences), gold, folder)


def laid_out(
    name: str, model: Path, kind: Kind[Any, Any], parsed: Iterable[Any], gold: Iterable[Any], folder: Path
) -> Case:
    """Texts and trees, written into the folder."""
    annotation = kind.annotation
    sentences = [annotation.words(tree) for tree in parsed]
    place = Path(tempfile.mkdtemp(dir=folder))
    text, one, right = (place / file for file in ("text.txt", "one.txt", "gold.trees"))
    text.write_text("".join(f"{' '.join(words)}\n" for words in sentences), encoding="utf-8")
    one.write_text(f"{' '.join(sentences[0])}\n", encoding="utf-8")
    with right.open("w", encoding="utf-8") as out:
        before = ""
        for tree in gold:
            now = annotation.text(tree, annotation.formats[0])
            out.write((annotation.gap(before) if before else "") + now)
            before = now
    return Case(name, model, text, one, sum(map(len, sentences)), right)


# Figures ----------------------------------------------------------------------------------------------------


def run(command: Sequence[str]) -> str:
    """What a command writes."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def asked(*arguments: str | Path) -> Any:
    """The JSON that a command of ours writes."""
    return json.loads(run([*SECATEUR, *map(str, arguments), "--json", "--quiet"]))


def parsing(case: Case, text: Path, point: str, jobs: int = 1) -> list[str]:
    given = ["parse", case.model, text, "--point", point, "--jobs", jobs, "--quiet"]
    return [*SECATEUR, *map(str, given)]


def cpu(commands: dict[str, list[str]], repeat: int) -> dict[str, float]:
    return in_turn({name: partial(run, own) for name, own in commands.items()}, repeat, of_children)


def package(repeat: int) -> Figure:
    """What the import of the package adds to a bare interpreter."""
    python = {"import": "import secateur", "nothing": "pass"}
    spent = cpu({name: [sys.executable, "-c", code] for name, code in python.items()}, repeat)
    value = max(spent["import"] - spent["nothing"], 0.0)
    return Figure("", "import secateur", value, IMPORT, "s", spent)


def figures(case: Case, repeat: int) -> Iterator[Figure]:
    """All of a model."""
    model = sec.Model.load(case.model)
    fastest, exact = model.choose(fastest=True).point.name, model.unpruned
    spent = parse_seconds(case, (fastest, exact), repeat)
    speeds = {point: words_per_second(case, point, repeat) for point in dict.fromkeys((fastest, exact))}
    parsed = spent[f"{fastest} all"] - spent[f"{fastest} one"]
    for source in ("frontier", "bench"):
        promised = case.words / speeds[fastest][source]
        seen = {"parse": parsed, "promised": promised}
        what = f"parse at {fastest}, start-up aside, by {source}"
        yield Figure(case.name, what, parsed / promised, PROMISE, "x", seen)
    for point, seen in speeds.items():
        value = max(seen.values()) / min(seen.values())
        yield Figure(case.name, f"words/s at {point}", value, AGREEMENT, "x", seen)
        one, two = spent[f"{point} all"], spent[f"{point} two"]
        yield Figure(case.name, f"--jobs 2 at {point}", two / one, JOBS, "x", {"1": one, "2": two})
    seen = first_tree(case, repeat)
    yield Figure(case.name, "first tree, in Python", seen["Python"], FIRST_TREE, "s", seen)
    seen = {"parse": spent[f"{fastest} one"]}
    yield Figure(case.name, "first tree, by the command", seen["parse"], FIRST_TREE, "s", seen)


def parse_seconds(case: Case, points: Iterable[str], repeat: int) -> dict[str, float]:
    """Of the text with one job and with two, and of one sentence, by "point what"."""
    commands: dict[str, list[str]] = {}
    for point in points:
        commands[f"{point} one"] = parsing(case, case.one, point)
        commands[f"{point} all"] = parsing(case, case.text, point)
        commands[f"{point} two"] = parsing(case, case.text, point, jobs=2)
    return cpu(commands, repeat)


def words_per_second(case: Case, point: str, repeat: int) -> dict[str, float]:
    """Of a point, by the command that says it; bench and evaluate in turn, the best of each."""
    every = {p["name"]: p for p in asked("frontier", case.model, "--all")["points"]}
    best = {"frontier": every[point]["words_per_second"], "bench": 0.0, "evaluate": 0.0}
    for _ in range(repeat):
        bench = asked("bench", case.model, case.gold, "--point", point, "--sentences", 1_000_000)
        [judged] = asked("evaluate", case.model, case.gold, "--point", point)["settings"]
        found = {"bench": bench["points"][point], "evaluate": judged}
        best |= {name: max(best[name], own["words_per_second"]) for name, own in found.items()}
    return best


def first_tree(case: Case, repeat: int) -> dict[str, float]:
    """From an interpreter without anything to the tree of a sentence."""
    code = "import sys, secateur; print(secateur.load(sys.argv[1])(sys.argv[2]))"
    text = case.one.read_text(encoding="utf-8").strip()
    return cpu({"Python": [sys.executable, "-c", code, str(case.model), text]}, repeat)


# Showing ----------------------------------------------------------------------------------------------------


def show(found: Sequence[Figure]) -> None:
    header = ("model", "what", "figure", "at most", "", "from")
    lines = [header, *(figure.cells() for figure in found)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--model", type=Path, action="append", default=[], help="a model directory")
    options.add_argument("--trees", type=Path, action="append", default=[], help="gold trees for it")
    options.add_argument("--kind", action="append", choices=list(KINDS), help="of the garden's models (all)")
    options.add_argument("--sentences", type=int, default=5000)
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    if len(chosen.model) != len(chosen.trees):
        options.error("give --trees for each --model")
    found = [package(chosen.repeat)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        own = zip(chosen.model, chosen.trees, strict=True)
        cases = [partial(given, model, trees, folder, chosen.sentences) for model, trees in own]
        if not cases:
            cases = [partial(grown, name, folder, chosen.sentences) for name in chosen.kind or KINDS]
        for case in cases:
            found += figures(case(), chosen.repeat)
    show(found)
    if chosen.json:
        rows = [asdict(figure) | {"is_kept": figure.is_kept} for figure in found]
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
