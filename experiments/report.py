"""What the experiment scripts share: options, where results go, tables and pictures.

A script writes into its --out and nowhere else; pages.py writes the documentation.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import secateur as sec
from secateur.errors import InputError
from secateur.metrics import COLLINS

ROOT = Path(__file__).resolve().parent.parent
DATA = ("gum", "ptb-sample", "ptb-r0", "garden")  # in the order of the tables
Surrogate = Literal["dp", "cp"]
Grammar = Literal["coarse", "fine"]  # fine: split
OUT = ROOT / "experiments" / "out"  # what a run leaves, unless told otherwise; not in the repository
RESULTS = ROOT / "experiments" / "results"  # what the documentation shows

WHERE = "folder of results, models, tables and pictures; nothing is written outside it"
Row = dict[str, Any]  # what was measured in one setting
Sections = dict[str, str]  # Markdown by the name of its place on a page


@dataclass(frozen=True, slots=True)
class Case:
    """Which run of which data, and where what is found about it goes."""

    data: str
    surrogate: Surrogate = "dp"
    grammar: Grammar = "coarse"
    out: Path = OUT
    again: bool = False  # even if the results are there
    jobs: int = 1
    limit: int | None = None  # training trees; half as many of dev and test

    @property
    def name(self) -> str:
        return f"{self.data}-{self.surrogate}{self._suffix('-')}"

    def section(self, script: str) -> str:
        """Of the page, where a script writes about all cases of this grammar."""
        return script + self._suffix("_")

    def picture(self, experiment: str) -> str:
        """The name of a picture of all surrogates."""
        return f"{experiment}-{self.data}{self._suffix('-')}"

    def _suffix(self, mark: str) -> str:
        """What was found about coarse grammars goes without."""
        return "" if self.grammar == "coarse" else mark + self.grammar

    def file(self, experiment: str) -> Path:
        return self.out / f"{experiment}-{self.name}.json"

    def result(self, experiment: str, make: Callable[[], Any]) -> Any:
        """What was found before, or what `make` finds, stored."""
        return result_in(self.file(experiment), make, again=self.again)


def stored(out: Path, experiment: str, grammar: Grammar) -> dict[Case, Any]:
    """What a folder holds of all cases with this grammar."""
    cases = (Case(data, s, grammar, out) for data in DATA for s in get_args(Surrogate))
    return {case: read_json(case.file(experiment)) for case in cases if case.file(experiment).exists()}


def by_grammar(
    out: Path, experiment: str, section: str, show: Callable[[Grammar, dict[Case, Any]], str]
) -> Sections:
    """A section for each grammar that anything is stored of."""
    found = {grammar: stored(out, experiment, grammar) for grammar in get_args(Grammar)}
    return {next(iter(r)).section(section): show(grammar, r) for grammar, r in found.items() if r}


@dataclass(frozen=True, slots=True)
class Evalb:
    """As all results were scored: what a parse tags as punctuation does not count, right or wrong.

    So a sentence where that leaves other words than in gold is left out; a model's own dial is by gold tags.
    """

    def said(self) -> str:
        return COLLINS.protocol()

    def score(
        self, gold: Iterable[sec.Tree], found: Iterable[sec.Tree], *, failed: Sequence[bool] | None = None
    ) -> sec.Evaluation:
        return sec.evaluate(gold, found, COLLINS, failed=failed or ())


@dataclass(frozen=True, slots=True)
class Pictures:
    """Where pictures are drawn: nowhere, if only the text is asked for."""

    folder: Path | None = None
    address: str = "images"  # of the folder, from the page

    def __call__(self, name: str, draw: Callable[[], Any], *, dpi: int = 110) -> str:
        """The Markdown of a picture, which is drawn now."""
        if self.folder is not None:
            save_figure(draw(), self.folder / f"{name}.png", dpi=dpi)
        return f"![{name}]({self.address}/{name}.png)\n"


def leave(out: Path, sections: Callable[[Path, Pictures], Sections]) -> None:
    """Write what a script shows of a folder's results into that folder."""
    pages = out / "pages"
    for name, text in sections(out, Pictures(pages / "images")).items():
        write(pages / f"{name}.md", text)
        print(f"wrote {pages / name}.md")


def arguments(
    doc: str | None, *, surrogate: Surrogate = "dp", grammar: Grammar | None = None
) -> argparse.ArgumentParser:
    """The options that all scripts have; a script may add its own. One about one grammar names it."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=DATA, default="garden")
    parser.add_argument("--surrogate", choices=get_args(Surrogate), default=surrogate)
    if grammar is None:
        parser.add_argument("--grammar", choices=get_args(Grammar), default="coarse", help="fine: split")
    else:
        parser.set_defaults(grammar=grammar)
    parser.add_argument("--out", type=Path, default=OUT, help=WHERE)
    parser.add_argument("--again", action="store_true", help="measure even if the results are there")
    parser.add_argument("--jobs", type=int, default=1, help="processes; 0 means all cores")
    parser.add_argument("--limit", type=int, help="training trees; half as many of dev and test")
    return parser


def case_of(chosen: argparse.Namespace) -> Case:
    """From parsed arguments."""
    return Case(
        chosen.data,
        chosen.surrogate,
        chosen.grammar,
        chosen.out,
        chosen.again,
        chosen.jobs or os.cpu_count() or 1,
        chosen.limit,
    )


def start(main: Callable[[], None]) -> None:
    """Run a script; wrong input ends it with one line."""
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")


def result_in(file: Path, make: Callable[[], Any], *, again: bool) -> Any:
    """What is stored in a file, or what `make` finds, stored there."""
    if again or not file.exists():
        write_json(file, make())
    return read_json(file)


@dataclass(frozen=True)
class Book:
    """Rows by unit, a line each: what is there is not measured again."""

    file: Path
    units: dict[str, list[Row]]

    @classmethod
    def opened(cls, file: Path, about: Row) -> Book:
        """The settings of all rows come first. Half a line, of a run that was killed, is nothing."""
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        whole = [line for line in text.splitlines(keepends=True) if line.endswith("\n")]
        whole = whole or [json.dumps(about) + "\n"]
        if json.loads(whole[0]) != about:
            fix = "delete the file, or measure as before"
            raise InputError("rows of other settings", where=str(file), fix=fix)
        write(file, "".join(whole))
        return cls(file, {line["unit"]: line["rows"] for line in map(json.loads, whole[1:])})

    def unit(self, name: str, make: Callable[[], Iterable[Row]]) -> list[Row]:
        if name not in self.units:
            started = time.process_time()
            rows = list(make())
            spent = round(time.process_time() - started, 1)
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"unit": name, "seconds": spent, "rows": rows}) + "\n")
            self.units[name] = rows
            print(f"{name}: {spent} s", flush=True)
        return self.units[name]


def read_json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def write_json(file: Path, content: Any) -> None:
    """The file appears whole or not at all."""
    write(file, json.dumps(content, indent=1, allow_nan=False) + "\n")


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(file.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(file)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def filled(page: str, section: str, text: str, *, where: str) -> str:
    """The page with text between the section's two markers."""
    begin, end = f"<!-- {section}: begin -->", f"<!-- {section}: end -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise InputError(f"no section {section}", where=where, fix=f"write {begin} and {end} into it")
    return f"{before}{begin}\n{text.strip()}\n{end}{after}"


def save_figure(figure: Any, file: Path, *, dpi: int) -> None:
    from matplotlib import pyplot

    file.parent.mkdir(parents=True, exist_ok=True)
    if figure.get_layout_engine() is None:
        figure.tight_layout()
    figure.savefig(file, dpi=dpi)
    pyplot.close(figure)


def new_figure(rows: int, columns: int, *, size: tuple[float, float]) -> tuple[Any, Any]:
    """A figure and its [rows, columns] axes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False)
    for one in axes.flat:
        one.spines[["top", "right"]].set_visible(False)
        one.grid(True, color="0.92", linewidth=0.8)
        one.set_axisbelow(True)
    return figure, axes
