"""What the experiment scripts share: options, where results go, and tables in the documentation."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from secateur.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
DATA = ("gum", "ptb-sample", "ptb-r0", "garden")  # in the order of the tables
Surrogate = Literal["dp", "cp"]
Grammar = Literal["coarse", "fine"]  # fine: split
OUT = ROOT / "experiments" / "results"
DOCS = ROOT / "docs"


@dataclass(frozen=True, slots=True)
class Case:
    """Which run of which data, and where what is found about it goes."""

    data: str
    surrogate: Surrogate = "dp"
    grammar: Grammar = "coarse"
    out: Path = OUT
    docs: Path = DOCS
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

    def results(self, experiment: str) -> dict[Case, Any]:
        """What is stored of all cases of this grammar."""
        cases = (replace(self, data=data, surrogate=s) for data in DATA for s in get_args(Surrogate))
        files = {case: case.file(experiment) for case in cases}
        return {case: json.loads(f.read_text(encoding="utf-8")) for case, f in files.items() if f.exists()}


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
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--docs", type=Path, default=DOCS)
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
        chosen.docs,
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


def fill(page: Path, section: str, text: str) -> None:
    """Put text between the section's two markers."""
    begin, end = f"<!-- {section}: begin -->", f"<!-- {section}: end -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise InputError(f"no section {section}", where=str(page), fix=f"write {begin} and {end} into it")
    write(page, f"{before}{begin}\n{text.strip()}\n{end}{after}")


def save_figure(figure: Any, docs: Path, name: str, *, dpi: int = 110) -> str:
    """Write docs/images/NAME.png; the Markdown of a page in a folder beside it."""
    from matplotlib import pyplot

    file = docs / "images" / f"{name}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    if figure.get_layout_engine() is None:
        figure.tight_layout()
    figure.savefig(file, dpi=dpi)
    pyplot.close(figure)
    return f"![{name}](../images/{name}.png)\n"


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
