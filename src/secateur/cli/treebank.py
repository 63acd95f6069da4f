"""secateur treebank: check, info, convert, draw, garden."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.options import Encoding, From, Json, Keep, Output, Quiet, Seed, SeveralRoots
from secateur.cli.terminal import count as count_of
from secateur.cli.terminal import err, print_json, print_pairs, print_table, progress, sink
from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.bank import Treebank
from secateur.treebanks.dependency_bank import DependencyBank
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.formats.brackets import OnError
from secateur.treebanks.formats.conll import gap_after
from secateur.treebanks.garden import Sample, garden
from secateur.treebanks.head_rules import YAMADA_MATSUMOTO, HeadRules, to_dependencies
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.tree import Tree

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
    "coarse_tags": "different coarse tags",
    "non_projective": "non-projective trees",
    "several_roots": "trees with several roots",
}


class Target(StrEnum):
    brackets = "brackets"
    discbracket = "discbracket"
    conllu = "conllu"
    conllx = "conllx"


class Annotation(StrEnum):
    brackets = "brackets"
    discbracket = "discbracket"
    conllu = "conllu"


@app.command()
def check(
    files: Files,
    *,
    from_: From = None,
    encoding: Encoding = "utf-8",
    several_roots: SeveralRoots = False,
    json: Json = False,
) -> None:
    """Read treebanks and list every fault with file:line:column; exit code 1 if there is any."""
    faults: list[InputError] = []
    trees = 0
    for file in files:
        try:
            opened = formats.opened(file, format=from_, encoding=encoding)
            trees += sum(1 for _ in _read(opened, faults.append, several_roots))
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
    files: Files,
    *,
    keep: Keep = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    several_roots: SeveralRoots = False,
    json: Json = False,
) -> None:
    """Sizes, lengths, labels and tags of a treebank, as it is after normalization; or of dependencies."""
    opened = [formats.opened(file, format=from_, encoding=encoding) for file in files]
    treebank: Treebank | DependencyBank
    if any(file.has_dependencies for file in opened):
        if keep:
            raise typer.BadParameter("--keep is for trees; dependencies are not normalized")
        treebank = inputs.read_dependencies(opened, several_roots=several_roots)
    else:
        treebank = inputs.read_trees(opened, inputs.normalization(keep))
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
    to: Annotated[
        Target | None,
        typer.Option("--to", help="Output format; brackets, or the format of dependencies, if not given."),
    ] = None,
    normalize: Normalize = False,
    keep: Keep = None,
    indent: Annotated[bool, typer.Option("--indent", help="Brackets over several lines.")] = False,
    head_rules: Annotated[
        Path | None, typer.Option("--head-rules", help="A table of heads for trees that become dependencies.")
    ] = None,
    max_length: Annotated[
        int | None, typer.Option("--max-length", min=1, help="Drop longer sentences.")
    ] = None,
    output: Output = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    several_roots: SeveralRoots = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first fault instead of skipping.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Rewrite a treebank in another format, normalized or as it is; trees become dependencies by head rules.

    Trees that cannot be read or written are skipped and listed, and the exit code is 1.
    """
    if indent and to not in (None, Target.brackets):
        raise typer.BadParameter(f"--indent is for brackets, not for {to}")
    faults: list[InputError] = []
    step = _step(normalize, keep)
    opened = formats.opened(file, format=from_, encoding=encoding)
    target = to or (Target(opened.format) if opened.has_dependencies else Target.brackets)
    writer = _writer(opened, target, step, indent, head_rules)
    written, last = 0, ""
    with sink(output) as out:
        trees = _read(opened, None if strict else faults.append, several_roots)
        for number, tree in enumerate(progress(trees, "converting", quiet=quiet), 1):
            try:
                with inputs.located(f"{opened.name}, tree {number}"):
                    text = writer(tree, max_length)
            except InputError as unfit:
                if strict:
                    raise
                faults.append(unfit)
                continue
            if text:
                out.write((gap_after(last) if target in formats.DEPENDENCY_FORMATS else "") + text)
                last = text
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
    from secateur.treebanks.draw import phrases as drawing

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
            out.write(_grown(sample, to))


def _step(normalize: bool, keep: list[str] | None) -> Normalization | None:
    if keep and not normalize:
        raise typer.BadParameter("--keep needs --normalize")
    return inputs.normalization(keep) if normalize else None


def _read(
    file: formats.Opened, on_error: OnError | None, several_roots: bool
) -> Iterator[Tree] | Iterator[DependencyTree]:
    if file.has_dependencies:
        return file.dependencies(on_error=on_error, heads="optional", several_roots=several_roots)
    return file.trees(on_error=on_error)


# The text of a tree, empty for one that is left out: it is longer than allowed, or nothing is left of it.
Writer = Callable[[Any, int | None], str]


def _writer(
    file: formats.Opened, to: Target, step: Normalization | None, indent: bool, head_rules: Path | None
) -> Writer:
    """How trees of the file become text."""
    is_dependency = to in formats.DEPENDENCY_FORMATS
    if step and (is_dependency or file.has_dependencies):
        raise typer.BadParameter("--normalize is for trees that stay trees")
    if head_rules and (file.has_dependencies or not is_dependency):
        raise typer.BadParameter("--head-rules is for trees that become dependencies")
    if not is_dependency:
        if file.has_dependencies:
            fix = "use --to conllu or --to conllx"
            raise InputError(f"dependencies cannot become {to.value}", where=file.name, fix=fix)
        return lambda tree, top: _written(step(tree) if step else tree, to, indent, top)
    form = formats.DEPENDENCY_FORMATS[to]
    if file.has_dependencies:
        return lambda tree, top: form.write(tree) if not top or len(tree) <= top else ""
    rules = HeadRules.read(head_rules) if head_rules else YAMADA_MATSUMOTO

    def depend(tree: Tree, top: int | None) -> str:
        made = to_dependencies(tree, rules)
        return form.write(made) if not top or len(made) <= top else ""

    return depend


def _written(tree: Tree | None, to: Target, indent: bool, max_length: int | None) -> str:
    if tree is None or (max_length and len(tree.leaves()) > max_length):
        return ""
    text = formats.brackets.write(tree, indent=True) if indent else formats.write(tree, to.value)
    return f"{text}\n"


def _grown(sample: Sample, to: Annotation) -> str:
    if to is Annotation.conllu:
        return formats.conll.CONLLU.write(sample.dependencies)
    tree = sample.penn if to is Annotation.brackets else sample.discontinuous
    return f"{formats.write(tree, to.value)}\n"
