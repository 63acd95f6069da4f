"""secateur treebank: check, info, convert, draw, garden."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from secateur.cli import inputs
from secateur.cli.options import Json, Output, Quiet, Seed, Source
from secateur.cli.spread import Given
from secateur.cli.terminal import count as count_of
from secateur.cli.terminal import err, print_faults, print_json, print_pairs, print_table, progress, sink
from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.annotation import Annotation, read_files
from secateur.treebanks.dependencies import DEPENDENCIES
from secateur.treebanks.formats import Opened
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.reading import ANNOTATIONS, annotation_of

if TYPE_CHECKING:
    from secateur.treebanks.traces import Resolver

T = TypeVar("T")

HELP = "Check, describe, convert and draw treebanks; grow one."

File = Annotated[str, typer.Argument(help='A treebank file, or "-" for standard input.')]
Files = Annotated[list[str], typer.Argument(help='Treebank files, or "-" for standard input.')]
Continuous = Annotated[
    bool, typer.Option("--continuous", help="Make discontinuous trees continuous, for --to brackets.")
]
Traces = Annotated[
    bool, typer.Option("--traces", help="Attach what was moved at its trace, for --to discbracket.")
]
HeadTable = Annotated[
    Path | None, typer.Option("--head-rules", help="A table of heads for trees that become dependencies.")
]
Normalize = Annotated[bool, typer.Option("--normalize", help="Read the trees as for training.")]

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
}


Target = StrEnum("Target", {name: name for name in sorted(formats.ALL_FORMATS)})  # type: ignore[misc]
BRACKETS = Target("brackets")


def check(
    files: Files,
    *,
    reading: Given,
    source: Source,
    json: Json = False,
) -> None:
    """Read treebanks and list every fault with file:line:column; exit code 1 if there is any."""
    faults: list[InputError] = []
    trees = 0
    for file in files:
        try:
            opened = source.opened(file)
            annotation = ANNOTATIONS[opened.annotation]
            how = inputs.reading_of(annotation, reading)
            trees += sum(1 for _ in annotation.trees(opened, how.faulty(), faults.append, unparsed=True))
        except InputError as unreadable:
            faults.append(unreadable)
    print_faults(faults, {"tree": trees}, json)


def info(
    files: Files,
    *,
    reading: Given,
    source: Source,
    json: Json = False,
) -> None:
    """Sizes, lengths, labels and tags of a treebank, as it is read for training."""
    opened = [source.opened(file) for file in files]
    annotation = annotation_of(opened)
    bank = read_files(annotation, opened, inputs.reading_of(annotation, reading))
    description, special, checksum = bank.describe()._asdict(), bank.special(), bank.checksum()
    labels, tags = bank.labels(), bank.tags()
    if json:
        named = {name.replace(" ", "_").replace("-", "_"): value for name, value in special.items()}
        found = {"annotation": annotation.name, **description, **named, "checksum": checksum}
        print_json({**found, "labels": labels, "tags": tags})
        return
    rows: dict[str, object] = {FIGURES[field]: value for field, value in description.items()}
    print_pairs({"annotation": annotation.name, **rows, **special, "checksum": checksum[:16]})
    for name, counts in (("label", labels), ("tag", tags)):
        print()
        print_table([name, "count"], counts.most_common(15))
        if len(counts) > 15:
            print(f"and {len(counts) - 15} more: --json lists all")


def convert(
    file: File,
    *,
    to: Annotated[
        Target | None,
        typer.Option("--to", help="Output format; brackets, or the format of dependencies, if not given."),
    ] = None,
    normalize: Normalize = False,
    continuous: Continuous = False,
    traces: Traces = False,
    indent: Annotated[bool, typer.Option("--indent", help="Brackets over several lines.")] = False,
    head_rules: HeadTable = None,
    max_length: Annotated[
        int | None, typer.Option("--max-length", min=1, help="Drop longer sentences.")
    ] = None,
    reading: Given,
    output: Output = None,
    source: Source,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first fault instead of skipping.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Rewrite a treebank in another format, normalized or as it is; trees become dependencies by head rules.

    Trees that cannot be read or written are skipped and listed, and the exit code is 1.
    """
    faults: list[InputError] = []
    opened = source.opened(file)
    annotation = ANNOTATIONS[opened.annotation]
    how = _how(annotation, reading, normalize)
    resolver = _resolver(annotation, to, normalize) if traces else None
    writer = Writer.of(opened, annotation, to, continuous, indent, head_rules, normalize)
    with sink(output) as out:
        trees = annotation.trees(opened, how, None if strict else faults.append, unparsed=True)
        trees = resolver.resolved(trees) if resolver else trees
        for number, tree in enumerate(progress(trees, "converting", quiet=quiet), 1):
            try:
                with inputs.located(f"{opened.name}, tree {number}"):
                    text = "" if _is_long(annotation, tree, max_length) else writer.text(tree)
            except InputError as unfit:
                if strict:
                    raise
                faults.append(unfit)
                continue
            out.write(writer.following(text))
        out.write(writer.end())
    for fault in faults:
        err.print(str(fault))
    if not quiet:
        for line in resolver.said() if resolver else ():
            err.print(line)
        err.print(f"{count_of(writer.written, 'tree')} written, {count_of(len(faults), 'fault')}")
    if faults:
        raise typer.Exit(1)


def draw(
    file: File,
    *,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="The first tree to draw, from 1.")] = 1,
    count: Annotated[int, typer.Option("--count", min=1, help="How many trees.")] = 1,
    svg: Annotated[bool, typer.Option("--svg", help="SVG instead of text, for one tree.")] = False,
    normalize: Normalize = False,
    reading: Given,
    output: Output = None,
    source: Source,
) -> None:
    """Draw trees in the terminal, or one as SVG."""
    if svg and count > 1:
        raise typer.BadParameter("an SVG file holds one tree: leave out --count")
    opened = source.opened(file)
    annotation = ANNOTATIONS[opened.annotation]
    trees = annotation.trees(opened, _how(annotation, reading, normalize), unparsed=True)
    before = sum(1 for _ in islice(trees, number - 1))
    chosen = list(islice(trees, count))
    if not chosen:
        what = f"there is no tree number {number}: the file has {count_of(before, 'tree')}"
        raise InputError(what, where=opened.name, fix=f"choose from 1 to {before}")
    with sink(output) as out:
        for place, tree in enumerate(chosen):
            gap = "\n" if place else ""
            out.write(f"{gap}{annotation.svg(tree) if svg else annotation.draw(tree)}\n")


def grow(
    count: Annotated[int, typer.Argument(min=1, help="How many sentences.")] = 100,
    *,
    to: Annotated[Target, typer.Option("--to", help="Which format, and so which annotation.")] = BRACKETS,
    skip: Annotated[int, typer.Option("--skip", min=0, help="Leave out the first so many.")] = 0,
    output: Output = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Grow an English-like treebank: Penn-style, discontinuous or dependency trees of the same sentences."""
    annotation = ANNOTATIONS[formats.ANNOTATIONS[to.value]]
    opening, closing = formats.around(to.value)
    with sink(output) as out:
        trees = islice(annotation.grown(skip + count, seed=seed), skip, None)
        out.write(opening)
        for number, tree in enumerate(progress(trees, "growing", total=count, quiet=quiet), 1):
            out.write(annotation.text(formats.numbered(tree, number, to.value), to.value))
        out.write(closing)


def _how(annotation: Annotation[Any], reading: Given, normalize: bool) -> Any:
    """None: as the trees stand."""
    own = reading.of(annotation.name)
    if annotation is DEPENDENCIES:
        if normalize:
            raise typer.BadParameter("--normalize is for trees of phrases")
        return annotation.reading(**own)
    if own and not normalize:
        raise typer.BadParameter("--keep needs --normalize")
    return annotation.reading(**own) if normalize else None


def _resolver(annotation: Annotation[Any], to: Target | None, normalize: bool) -> Resolver:
    """What resolves traces, if the trees can have some and are written with what comes of it."""
    if annotation is DEPENDENCIES:
        raise typer.BadParameter("--traces is for trees of phrases")
    if normalize:
        raise typer.BadParameter("--normalize removes the traces that --traces needs")
    if to is None or formats.ANNOTATIONS[to.value] != formats.DISCONTINUOUS:
        raise typer.BadParameter("--traces makes discontinuous trees: say --to discbracket")
    from secateur.treebanks.traces import Resolver

    return Resolver()


def _is_long(annotation: Annotation[T], tree: T, longest: int | None) -> bool:
    return longest is not None and len(annotation.words(tree)) > longest


class Writer:
    """How trees of a file become text."""

    def __init__(self, text: Callable[[Any], str], gap: Callable[[str], str], target: str) -> None:
        self._text, self._gap, self._target = text, gap, target
        self._before, self._closing = formats.around(target)  # what stands before the next tree, behind all
        self.written = 0

    def text(self, tree: Any) -> str:
        """Of the next tree."""
        return self._text(formats.numbered(tree, self.written + 1, self._target))

    def following(self, text: str) -> str:
        """A tree's text with what stands before it; nothing for nothing."""
        if not text:
            return ""
        self.written += 1
        before, self._before = self._before, self._gap(text)
        return before + text

    def end(self) -> str:
        """What stands behind all trees."""
        return self._closing if self.written else self._before + self._closing

    @classmethod
    def of(
        cls,
        file: Opened,
        annotation: Annotation[Any],
        to: Target | None,
        continuous: bool,
        indent: bool,
        head_rules: Path | None,
        normalize: bool,
    ) -> Writer:
        target = to.value if to else file.format if annotation is DEPENDENCIES else "brackets"
        wanted = ANNOTATIONS[formats.ANNOTATIONS[target]]
        becomes = wanted is DEPENDENCIES and annotation is not DEPENDENCIES
        if indent and target != "brackets":
            raise typer.BadParameter(f"--indent is for brackets, not for {target}")
        if head_rules and not becomes:
            raise typer.BadParameter("--head-rules is for trees that become dependencies")
        if continuous and target != "brackets":
            raise typer.BadParameter("--continuous is for --to brackets")
        if normalize and becomes:
            raise typer.BadParameter("--normalize is for trees that stay trees")
        if annotation is DEPENDENCIES and wanted is not DEPENDENCIES:
            fix = "use --to conllu or --to conllx"
            raise InputError(f"dependencies cannot become {target}", where=file.name, fix=fix)
        step = _depended(head_rules) if becomes else _continuous() if continuous else (lambda tree: tree)
        if indent:
            return cls(lambda tree: PHRASES.indented(step(tree)), wanted.gap, target)
        return cls(lambda tree: wanted.text(step(tree), target), wanted.gap, target)


def _depended(head_rules: Path | None) -> Callable[[Any], Any]:
    from secateur.treebanks.head_rules import YAMADA_MATSUMOTO, HeadRules, to_dependencies

    rules = HeadRules.read(head_rules) if head_rules else YAMADA_MATSUMOTO
    return lambda tree: to_dependencies(tree, rules)


def _continuous() -> Callable[[Any], Any]:
    from secateur.treebanks.continuous import continuous

    return continuous
