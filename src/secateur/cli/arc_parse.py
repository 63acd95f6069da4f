"""What `secateur parse` does with a dependency model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from secateur.cli.frontier import choose
from secateur.cli.inputs import Unparsed
from secateur.cli.options import Dial
from secateur.cli.tally import Tally
from secateur.cli.terminal import err, progress, sink
from secateur.treebanks import formats
from secateur.treebanks.formats.conll import CONLLU, gap_after

if TYPE_CHECKING:
    from secateur.kinds.arcs.parser import ArcParser, DependencyParse
    from secateur.models.limits import Limits


class How(NamedTuple):
    """What to write, and where."""

    to: str | None  # None: the format that was read, and CoNLL-U for text
    output: Path | None
    jobs: int
    quiet: bool


def parser_of(path: str, dial: Dial, limits: Limits, *, retag: bool) -> tuple[ArcParser, str]:
    """A model's parser, and the name of its point."""
    from secateur.kinds.arcs.model import load_dependency_model
    from secateur.kinds.arcs.parser import ArcParser

    model = load_dependency_model(path)
    point = choose(path, model, dial).name
    return ArcParser(model, point, limits=limits, retag=retag), point


def parse(parser: ArcParser, given: Unparsed, how: How, setting: str, *, typing: bool) -> None:
    """Parse and write; `typing`: someone types the sentences and waits for each."""
    from secateur.kinds.arcs.parser import BATCH

    if typing and not how.quiet:
        err.print("Type sentences, a line each; Ctrl-D ends.")
    form = how.to or given.format or CONLLU.name
    tally = Tally("templates", lambda work: work.features)
    fell_back = 0
    with sink(how.output) as out:
        found = parser.pipe(given.sentences, jobs=how.jobs, batch=1 if typing else BATCH)
        for parsed, text in _shown(progress(found, "parsing", quiet=how.quiet), form):
            tally.add(len(parsed.tree), parsed)
            fell_back += parsed.fell_back
            out.write(text)
    if not how.quiet:
        tally.report(setting)
        if fell_back:
            err.print(
                f"{fell_back:,} fell back: locked arcs left no tree, that of the stage before was taken"
            )


def _shown(found: Iterator[DependencyParse], form: str) -> Iterator[tuple[DependencyParse, str]]:
    """Each parse with its text: one write, so that an interrupt cannot leave half a sentence."""
    from secateur.treebanks.draw import arcs as draw_arcs

    last = ""
    for number, parsed in enumerate(found, 1):
        if form == "json":
            yield parsed, json.dumps(fields(number, parsed), ensure_ascii=False) + "\n"
        elif form == "drawn":
            yield parsed, draw_arcs.text(parsed.tree) + "\n\n"
        else:
            text = formats.DEPENDENCY_FORMATS[form].write(parsed.tree)
            yield parsed, gap_after(last) + text
            last = text


def fields(number: int, parsed: DependencyParse) -> dict[str, Any]:
    """For machines."""
    tree = parsed.tree
    return {
        "sentence": number,
        "words": tree.words,
        "tags": tree.tags,
        "coarse": tree.coarse,
        "heads": tree.heads,
        "labels": tree.labels,
        "stage": parsed.stage,
        "templates": parsed.work.features,
        "fell_back": parsed.fell_back,
        "failed": parsed.failed,
        "degraded": parsed.degraded,
        "seconds": parsed.seconds,
    }
