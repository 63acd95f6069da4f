"""secateur parse: sentences in, trees out."""

from __future__ import annotations

import gc
import json as jsonlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Annotated, Generic, NamedTuple, TypeVar

import typer

from secateur.cli import inputs
from secateur.cli.options import Dial, Jobs, Json, Output, Quiet, Source
from secateur.cli.settings import choose
from secateur.cli.spread import Given
from secateur.cli.tally import Tally
from secateur.cli.terminal import err, progress, sink
from secateur.errors import InputError
from secateur.treebanks import formats

if TYPE_CHECKING:
    from secateur.models.parse import Parse, SentenceParser
    from secateur.treebanks.annotation import Annotation
    from secateur.treebanks.sentence import Sentence

T = TypeVar("T")

COMPLETE = "complete"  # what a parser notes of a search that came to its end
DRAWN, JSON = "drawn", "json"
FORMS = (*formats.ALL_FORMATS, DRAWN, JSON)
_SELDOM = 100_000  # objects more than before: a batch of trees has a few thousand, and then they are gone


class OnLong(StrEnum):
    degrade = "degrade"
    flat = "flat"
    skip = "skip"


def _check_form(value: str | None) -> str | None:
    if value is not None and value not in FORMS:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(FORMS)}")
    return value


Raw = Annotated[bool, typer.Option("--raw", help="The text is plain: split it into sentences and words.")]
To = Annotated[
    str | None,
    typer.Option(
        "--to",
        help=f"{', '.join(formats.ALL_FORMATS)}; drawn: for people; json: an object a tree.",
        callback=_check_form,
    ),
]
Long = Annotated[
    OnLong,
    typer.Option(
        "--on-long", help="Longer ones: degrade parses them in pieces, flat makes a flat tree, skip none."
    ),
]
Longest = Annotated[
    int, typer.Option("--max-length", min=1, help="Words of the longest sentence parsed whole.")
]


def parse(
    model: Annotated[str, typer.Argument(help="A model directory, or a grammar file.")],
    text: Annotated[
        str,
        typer.Argument(
            help='A file of tokens (a sentence a line) or trees; "-": standard input; a sentence in quotes.',
        ),
    ] = "-",
    *,
    raw: Raw = False,
    to: To = None,
    output: Output = None,
    on_long: Long = OnLong.degrade,
    max_length: Longest = 250,
    dial: Dial,
    using: Given,
    jobs: Jobs = 1,
    source: Source,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Parse sentences with a model at the point its dial is set to, or with a grammar.

    The n-th line of tokens, or the n-th tree, gives the n-th tree of the output; a blank line, or a tree
    without words, gives an empty one, as in "(ROOT )". Of CoNLL, only heads, labels, and tags that were asked
    for or missing change.
    """
    from secateur.models.limits import Limits
    from secateur.models.parse import batches, cores
    from secateur.search.workers import spread

    loaded = inputs.read_model(model)
    point = choose(model, loaded, dial)
    limits = Limits(words=max_length, on_long=on_long.value)
    with inputs.located(model):
        parser = loaded.parser(point.name if point else None, limits=limits, **using.of(loaded.kind.name))
    warn = None if quiet else err.print
    given = inputs.sentences(text, source, raw=raw, warn=warn)
    form = _form(JSON if json else to, given.format, parser)
    typing = text == "-" and sys.stdin is not None and sys.stdin.isatty()
    if typing and not quiet:
        err.print("Type sentences, a line each; Ctrl-D ends.")
    tally = Tally(loaded.kind.figures)
    portions = batches(enumerate(given.sentences, 1), 1 if typing else 600, lambda one: len(one[1]))
    with sink(output) as out, _rare_collections():
        found = spread(Shown(parser, form, loaded.kind.figures.work), portions, cores(jobs))
        shown = progress(found, "parsing", quiet=quiet, size=lambda portion: portion.size)
        _write(out, shown, parser.annotation, form, tally)
    if not quiet:
        tally.report(f"{model}, point {point.name}" if point else f"{model}, {loaded.unpruned}")


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Within, the interpreter looks seldom for cycles: trees have none, and it would look at each of them."""
    before = gc.get_threshold()
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _form(asked: str | None, given: str, parser: SentenceParser[T]) -> str:
    """What to write: as asked, or as read, or what text becomes."""
    own = parser.annotation.formats
    if asked is not None and asked in formats.ALL_FORMATS and asked not in own:
        fix = f"use --to {' or --to '.join((*own, DRAWN, JSON))}"
        raise InputError(f"{parser.annotation.name} cannot be written as {asked}", fix=fix)
    if parser.using.is_json:
        return JSON
    return asked or (given if given in own else own[0])


class Portion(NamedTuple):
    """What is left of some sentences: the text to write, and figures for the summary."""

    text: str
    size: int  # sentences; those without words are in no other figure
    sentences: int
    words: int
    failed: int
    fell_back: int
    degraded: int
    cut: int  # by a limit or a deadline
    work: int


@dataclass(frozen=True)
class Shown(Generic[T]):
    """Sentences to their text; travels to the workers, from which a text comes back sooner than trees."""

    parser: SentenceParser[T]
    form: str
    work: str

    def __call__(self, numbered: Sequence[tuple[int, Sentence]]) -> Portion:
        sentences = [sentence for _, sentence in numbered]
        answers = self.parser.answers(sentences)
        lengths = list(map(len, sentences))
        best = [found[0] for found, length in zip(answers, lengths, strict=True) if length]
        return Portion(
            "".join(self._apart(numbered, answers)),
            len(sentences),
            len(best),
            sum(lengths),
            sum(parse.failed for parse in best),
            sum(parse.fell_back for parse in best),
            sum(parse.degraded for parse in best),
            sum(parse.notes.get("status", COMPLETE) != COMPLETE for parse in best),
            sum(map(attrgetter(f"work.{self.work}"), best)),
        )

    def _apart(
        self, numbered: Sequence[tuple[int, Sentence]], answers: Sequence[Sequence[Parse[T]]]
    ) -> Iterator[str]:
        """The texts of sentences that have one, and what stands between."""
        last = ""
        for (number, _), found in zip(numbered, answers, strict=True):
            text = self._text(number, found)
            if text:
                yield gap(self.parser.annotation, self.form, last)
                yield text
                last = text

    def _text(self, number: int, found: Sequence[Parse[T]]) -> str:
        annotation = self.parser.annotation
        if self.form == JSON:
            rows = ({"sentence": number, "rank": rank, **p.fields()} for rank, p in enumerate(found, 1))
            return "".join(jsonlib.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if self.form == DRAWN:
            return "".join(f"{annotation.draw(p.tree)}\n\n" for p in found)
        trees = [formats.numbered(p.tree, number, self.form) for p in found]
        text = "".join([annotation.text(tree, self.form) for tree in trees])
        return text + "\n" if self.parser.using.is_several else text


def gap(annotation: Annotation[T], form: str, before: str) -> str:
    """What stands between a text, if there is one before, and the next."""
    return annotation.gap(before) if before and form in formats.ALL_FORMATS else ""


def _write(
    out: IO[str], found: Iterable[Portion], annotation: Annotation[T], form: str, tally: Tally
) -> None:
    last = ""
    opening, closing = formats.around(form)
    for portion in found:
        tally.add(portion)
        if portion.text:
            before = gap(annotation, form, last) if last else opening
            # One write: an interrupt cannot leave half a line.
            out.write(before + portion.text)
            last = portion.text
    out.write(closing if last else opening + closing)
