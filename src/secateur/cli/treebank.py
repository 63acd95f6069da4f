"""secateur treebank: check, info, convert, draw, garden."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from secateur import formats
from secateur.cli import inputs
from secateur.cli.terminal import (
    Encoding,
    From,
    Json,
    Keep,
    Output,
    Quiet,
    Seed,
    err,
    print_json,
    print_pairs,
    print_table,
    progress,
    sink,
)
from secateur.errors import InputError
from secateur.garden import Dependencies, Sample, garden
from secateur.trees import Tree

app = typer.Typer(help="Check, describe, convert and draw treebanks; grow one.", no_args_is_help=True)

File = Annotated[str, typer.Argument(help='A treebank file, or "-" for standard input.')]
Files = Annotated[list[str], typer.Argument(help='Treebank files, or "-" for standard input.')]


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
        print(f"{trees:,} trees, {len(faults):,} faults")
    if faults:
        raise typer.Exit(1)


@app.command()
def info(
    file: File, *, keep: Keep = None, from_: From = None, encoding: Encoding = "utf-8", json: Json = False
) -> None:
    """Sizes, lengths, labels and tags of a treebank, as it is after normalization."""
    treebank = inputs.read_treebank(file, format=from_, encoding=encoding, keep=keep)
    description = treebank.describe()._asdict()
    if json:
        labels, tags = treebank.labels(), treebank.tags()
        print_json({**description, "checksum": treebank.checksum(), "labels": labels, "tags": tags})
        return
    print_pairs({**description, "checksum": treebank.checksum()[:16]})
    for name, counts in (("label", treebank.labels()), ("tag", treebank.tags())):
        print_table("", [name, "count"], counts.most_common(15))


@app.command()
def convert(
    file: File,
    *,
    to: Annotated[TreeFormat, typer.Option("--to", help="Output format.")] = TreeFormat.brackets,
    normalize: Annotated[bool, typer.Option("--normalize", help="Normalize as for training.")] = False,
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
    """Rewrite a treebank in another format, normalized or as it is; faulty trees are skipped and listed."""
    faults: list[InputError] = []
    step = inputs.normalization(keep) if normalize else None
    trees = formats.read(file, format=from_, encoding=encoding, on_error=None if strict else faults.append)
    with sink(output) as out:
        for tree in progress(trees, "converting", quiet=quiet):
            made = step(tree) if step else tree
            if made is None or (max_length and len(made.leaves()) > max_length):
                continue
            if to is TreeFormat.brackets:
                _check_continuous(made)
                print(formats.brackets.write(made, indent=indent), file=out)
            else:
                print(formats.write(made, to.value), file=out)
    for fault in faults:
        err.print(str(fault), markup=False)
    if faults:
        raise typer.Exit(1)


@app.command()
def draw(
    file: File,
    *,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="The first tree to draw, from 1.")] = 1,
    count: Annotated[int, typer.Option("--count", min=1, help="How many trees.")] = 1,
    svg: Annotated[bool, typer.Option("--svg", help="SVG instead of text (one tree).")] = False,
    normalize: Annotated[bool, typer.Option("--normalize", help="Normalize as for training.")] = False,
    keep: Keep = None,
    output: Output = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
) -> None:
    """Draw trees in the terminal, or one as SVG."""
    from secateur import draw as drawing

    step = inputs.normalization(keep) if normalize else None
    chosen = list(islice(formats.read(file, format=from_, encoding=encoding), number - 1, number - 1 + count))
    if not chosen:
        raise InputError(f"there is no tree number {number}", where=file, fix="count trees from 1")
    with sink(output) as out:
        for tree in chosen[:1] if svg else chosen:
            made = (step(tree) if step else tree) or tree
            print(drawing.svg(made) if svg else drawing.text(made), file=out)


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
            for line in _lines(sample, to):
                print(line, file=out)


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


def _check_continuous(tree: Tree) -> None:
    if tree.is_discontinuous:
        raise InputError("Penn brackets have no discontinuous trees", fix="convert --to discbracket")
