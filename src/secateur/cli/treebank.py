"""secateur treebank: check, info, convert, draw, garden."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from secateur import formats
from secateur.cli import inputs
from secateur.cli.options import Encoding, From, Json, Keep, Output, Quiet, Seed
from secateur.cli.terminal import count as count_of
from secateur.cli.terminal import err, print_json, print_pairs, print_table, progress, sink
from secateur.errors import InputError
from secateur.garden import Dependencies, Sample, garden
from secateur.normalization import Normalization
from secateur.trees import Tree

app = typer.Typer(help="Check, describe, convert and draw treebanks; grow one.", no_args_is_help=True)

File = Annotated[str, typer.Argument(help='A treebank file, or "-" for standard input.')]
Files = Annotated[list[str], typer.Argument(help='Treebank files, or "-" for standard input.')]
Normalize = Annotated[bool, typer.Option("--normalize", help="Normalize the trees as for training.")]

# What people call the fields of a treebank's description.
FIGURES = {
    "sentences": "sentences",
    "words": "words",
    "types": "different words",
    "hapaxes": "words seen once",
    "tags": "different tags",
    "labels": "different labels",
    "max_length": "longest sentence, words",
    "mean_length": "mean length, words",
    "discontinuous": "discontinuous trees",
    "unary_chains": "unary chains",
}


class TreeFormat(StrEnum):
    brackets = "brackets"
    discbracket = "discbracket"


class Annotation(StrEnum):
    brackets = "brackets"
    discbracket = "discbracket"
    conllu = "conllu"


@app.command()
def check(files: Files, *, from_: From = None, encoding: Encoding = "utf-8", json: Json = False) -> None:
    """Read treebanks and list every fault with file:line:column; exit code 1 if there is any."""
    faults: list[InputError] = []
    trees = 0
    for file in files:
        try:
            for _ in formats.read(file, format=from_, encoding=encoding, on_error=faults.append):
                trees += 1
        except InputError as unreadable:
            faults.append(unreadable)
    if json:
        found = [{"where": fault.where, "what": fault.what, "fix": fault.fix} for fault in faults]
        print_json({"trees": trees, "faults": found})
    else:
        for fault in faults:
            print(fault)
        print(f"{count_of(trees, 'tree')}, {count_of(len(faults), 'fault')}")
    if faults:
        raise typer.Exit(1)


@app.command()
def info(
    files: Files, *, keep: Keep = None, from_: From = None, encoding: Encoding = "utf-8", json: Json = False
) -> None:
    """Sizes, lengths, labels and tags of a treebank, as it is after normalization."""
    steps = inputs.normalization(keep)
    treebank = inputs.read_treebank(files, format=from_, encoding=encoding, steps=steps)
    description, checksum = treebank.describe()._asdict(), treebank.checksum()
    labels, tags = treebank.labels(), treebank.tags()
    if json:
        print_json({**description, "checksum": checksum, "labels": labels, "tags": tags})
        return
    print_pairs({FIGURES[field]: value for field, value in description.items()} | {"checksum": checksum[:16]})
    for name, counts in (("label", labels), ("tag", tags)):
        print()
        print_table([name, "count"], counts.most_common(15))
        if len(counts) > 15:
            print(f"and {len(counts) - 15} more: --json lists all")


@app.command()
def convert(
    file: File,
    *,
    to: Annotated[TreeFormat, typer.Option("--to", help="Output format.")] = TreeFormat.brackets,
    normalize: Normalize = False,
    keep: Keep = None,
    indent: Annotated[bool, typer.Option("--indent", help="Brackets over several lines.")] = False,
    max_length: Annotated[
        int | None, typer.Option("--max-length", min=1, help="Drop longer sentences.")
    ] = None,
    output: Output = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first fault instead of skipping.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Rewrite a treebank in another format, normalized or as it is.

    Trees that cannot be read or written are skipped and listed, and the exit code is 1.
    """
    if indent and to is not TreeFormat.brackets:
        raise typer.BadParameter(f"--indent is for brackets; {to.value} has one tree a line")
    faults: list[InputError] = []
    step = _step(normalize, keep)
    trees = formats.read(file, format=from_, encoding=encoding, on_error=None if strict else faults.append)
    written = 0
    with sink(output) as out:
        for number, tree in enumerate(progress(trees, "converting", quiet=quiet), 1):
            made = step(tree) if step else tree
            if made is None or (max_length and len(made.leaves()) > max_length):
                continue
            try:
                with inputs.located(f"{formats.source.name_of(file)}, tree {number}"):
                    out.write(_written(made, to, indent))
            except InputError as unfit:
                if strict:
                    raise
                faults.append(unfit)
                continue
            written += 1
    for fault in faults:
        err.print(str(fault))
    if not quiet:
        err.print(f"{count_of(written, 'tree')} written, {count_of(len(faults), 'fault')}")
    if faults:
        raise typer.Exit(1)


@app.command()
def draw(
    file: File,
    *,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="The first tree to draw, from 1.")] = 1,
    count: Annotated[int, typer.Option("--count", min=1, help="How many trees.")] = 1,
    svg: Annotated[bool, typer.Option("--svg", help="SVG instead of text, for one tree.")] = False,
    normalize: Normalize = False,
    keep: Keep = None,
    output: Output = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
) -> None:
    """Draw trees in the terminal, or one as SVG."""
    from secateur import draw as drawing

    if svg and count > 1:
        raise typer.BadParameter("an SVG file holds one tree: leave out --count")
    step = _step(normalize, keep)
    trees = formats.read(file, format=from_, encoding=encoding)
    before = sum(1 for _ in islice(trees, number - 1))
    chosen = list(islice(trees, count))
    if not chosen:
        name = formats.source.name_of(file)
        what = f"there is no tree number {number}: the file has {count_of(before, 'tree')}"
        raise InputError(what, where=name, fix=f"choose from 1 to {before}")
    with sink(output) as out:
        for place, tree in enumerate(chosen):
            made = (step(tree) if step else tree) or tree
            gap = "\n" if place else ""
            out.write(f"{gap}{drawing.svg(made) if svg else drawing.text(made)}\n")


@app.command("garden")
def grow(
    count: Annotated[int, typer.Argument(min=1, help="How many sentences.")] = 100,
    *,
    to: Annotated[Annotation, typer.Option("--to", help="Which annotation.")] = Annotation.brackets,
    skip: Annotated[int, typer.Option("--skip", min=0, help="Leave out the first so many.")] = 0,
    output: Output = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Grow an English-like treebank: Penn-style, discontinuous or dependency trees of the same sentences."""
    with sink(output) as out:
        samples = islice(garden(skip + count, seed=seed), skip, None)
        for sample in progress(samples, "growing", total=count, quiet=quiet):
            out.write("".join(f"{line}\n" for line in _lines(sample, to)))


def _step(normalize: bool, keep: list[str] | None) -> Normalization | None:
    if keep and not normalize:
        raise typer.BadParameter("--keep needs --normalize")
    return inputs.normalization(keep) if normalize else None


def _written(tree: Tree, to: TreeFormat, indent: bool) -> str:
    text = formats.brackets.write(tree, indent=True) if indent else formats.write(tree, to.value)
    return f"{text}\n"


def _lines(sample: Sample, to: Annotation) -> Iterator[str]:
    if to is Annotation.brackets:
        yield formats.brackets.write(sample.penn)
    elif to is Annotation.discbracket:
        yield formats.write(sample.discontinuous, "discbracket")
    else:
        yield from _conllu(sample.dependencies)
        yield ""


def _conllu(sentence: Dependencies) -> Iterator[str]:
    rows = zip(sentence.words, sentence.tags, sentence.heads, sentence.labels, strict=True)
    for number, (word, tag, head, label) in enumerate(rows, 1):
        yield "\t".join((str(number), word, "_", "_", tag, "_", str(head), label, "_", "_"))
