"""secateur parse: sentences in, trees out."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Any

import typer

from secateur.cli import arc_parse, inputs
from secateur.cli.options import Dial, Encoding, FromText, Jobs, Json, Output, Quiet, cores, refuse, with_dial
from secateur.cli.tally import Tally
from secateur.cli.terminal import err, progress, sink
from secateur.treebanks.text import Sentence


class OnLong(StrEnum):
    degrade = "degrade"
    flat = "flat"
    skip = "skip"


class To(StrEnum):
    penn = "penn"
    conllu = "conllu"
    conllx = "conllx"
    drawn = "drawn"
    json = "json"


@with_dial
def parse(
    model: Annotated[str, typer.Argument(help="A grammar file, or a model directory.")],
    text: Annotated[
        str,
        typer.Argument(
            help='A file of tokens (a sentence a line) or trees; "-": standard input; a sentence in quotes.',
        ),
    ] = "-",
    *,
    raw: Annotated[
        bool, typer.Option("--raw", help="The text is plain: split it into sentences and words.")
    ] = False,
    from_: FromText = None,
    to: Annotated[
        To | None,
        typer.Option(
            "--to",
            help="penn: a tree a line; conllu or conllx; drawn: for people; json: an object a tree.",
        ),
    ] = None,
    output: Output = None,
    kbest: Annotated[
        int | None,
        typer.Option("--kbest", "-k", min=1, help="The k best trees of each sentence, then a blank line."),
    ] = None,
    marginals: Annotated[
        float | None,
        typer.Option(
            "--marginals", min=0.0, max=1.0, help="Instead of trees, spans at least this likely, as JSON."
        ),
    ] = None,
    max_recall: Annotated[
        bool,
        typer.Option("--max-recall", "--mbr", help="The tree of maximum expected recall."),
    ] = False,
    retag: Annotated[
        bool,
        typer.Option("--retag", help="Of dependencies: new tags also for sentences that have tags."),
    ] = False,
    binarized: Annotated[
        bool, typer.Option("--binarized", help="Leave the trees binarized, as the grammar has them.")
    ] = False,
    on_long: Annotated[
        OnLong,
        typer.Option(
            "--on-long",
            help="Longer ones: degrade parses them in pieces, flat makes a flat tree, skip an empty tree.",
        ),
    ] = OnLong.degrade,
    max_length: Annotated[
        int, typer.Option("--max-length", min=1, help="Words of the longest sentence parsed whole.")
    ] = 250,
    dial: Dial,
    jobs: Jobs = 1,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Parse sentences with a grammar, or with a model at the point its dial is set to.

    The n-th line of tokens, or the n-th tree, gives the n-th tree of the output.
    A blank line, or a tree without words, gives an empty tree, as in "(ROOT )".

    A dependency model reads CoNLL-U and CoNLL-X, of which it changes heads and labels only, or text, whose
    blank lines it passes over.
    """
    from secateur.models.limits import Limits

    limits = Limits(words=max_length, on_long=on_long.value)
    if inputs.is_dependency_model(model):
        refuse(
            {
                "--kbest": kbest is not None,
                "--marginals": marginals is not None,
                "--max-recall": max_recall,
                "--binarized": binarized,
                "--to penn": to is To.penn,
            },
            "models of phrases",
        )
        found_format = To.json if json else to
        parser, choice = arc_parse.parser_of(model, dial, limits, retag=retag)
        arc_parse.parse(
            parser,
            inputs.dependency_sentences(text, raw=raw, format=from_, encoding=encoding),
            arc_parse.How(found_format and found_format.value, output, cores(jobs), quiet),
            f"{model}, point {choice}",
            typing=text == "-" and sys.stdin.isatty(),
        )
        return
    refuse(
        {"--retag": retag, "--to conllu": to is To.conllu, "--to conllx": to is To.conllx},
        "models of dependencies",
    )
    method, options = _method(kbest, marginals, max_recall, binarized)
    parser, point, remark = inputs.read_parser(model, dial, limits, binarized)
    if remark:
        err.print(f"{model}: {remark}", markup=False)
    if text == "-" and sys.stdin.isatty() and not quiet:
        err.print("Type sentences, a line each; Ctrl-D ends.")
    given = inputs.sentences(text, raw=raw, format=from_, encoding=encoding)
    form = To.json if json or marginals is not None else to or To.penn
    tally = Tally("pushes", lambda work: work.pushes)
    with sink(output) as out:
        found = _results(parser, given, cores(jobs), method, options)
        for number, (sentence, results) in enumerate(progress(found, "parsing", quiet=quiet), 1):
            tally.add(len(sentence.tokens), results[0])
            # One write: an interrupt cannot leave half a line.
            out.write(_shown(number, results, form, marginals, spaced=bool(kbest)))
    if not quiet:
        name = MAX_RULE if method == "parse" and parser.split is not None else _NAMES[method]
        tally.report(f"{model}, point {point}" if point else f"{model}, {name}")


MAX_RULE = "max-rule, coarse to fine"  # of split grammars
_NAMES = {
    "parse": "exact Viterbi",
    "kbest": "k best",
    "marginals": "marginals",
    "max_recall": "maximum recall",
}


def _method(
    kbest: int | None, marginals: float | None, max_recall: bool, binarized: bool
) -> tuple[str, dict[str, Any]]:
    if sum((kbest is not None, marginals is not None, max_recall)) > 1:
        raise typer.BadParameter("choose one of --kbest, --marginals and --max-recall")
    if binarized and (max_recall or marginals is not None):
        raise typer.BadParameter("--binarized has no effect with --max-recall and --marginals")
    if kbest is not None:
        return "kbest", {"k": kbest}
    if marginals is not None:
        return "marginals", {}
    return ("max_recall" if max_recall else "parse"), {}


def _results(
    parser: Any, given: Iterable[Sentence], jobs: int, method: str, options: dict[str, Any]
) -> Iterator[tuple[Sentence, list[Any]]]:
    """Each sentence with its results, a list of one unless k best were asked for; empty ones included."""
    waiting: deque[Sentence] = deque()

    def words() -> Iterator[Sentence]:
        for sentence in given:
            waiting.append(sentence)
            if sentence.tokens:
                yield sentence

    for result in parser.pipe(words(), jobs=jobs, method=method, **options):
        while not waiting[0].tokens:
            yield waiting.popleft(), [_nothing(parser, method)]
        yield waiting.popleft(), result if isinstance(result, list) else [result]
    while waiting:
        yield waiting.popleft(), [_nothing(parser, method)]


def _nothing(parser: Any, method: str) -> Any:
    """What stands for a sentence without words."""
    from secateur.kinds.pcfg.parser import Parse
    from secateur.search.core import Work
    from secateur.treebanks.tree import Tree

    grammar = parser.grammar
    root = grammar.plain[grammar.number[grammar.start]]
    return None if method == "marginals" else Parse(Tree(root, ()), -float("inf"), Work(), 0.0, failed=True)


def _shown(number: int, results: list[Any], form: To, threshold: float | None, *, spaced: bool) -> str:
    """The lines of one sentence."""
    from secateur.treebanks.draw import phrases as draw

    if form is To.drawn:
        return "".join(f"{draw.text(result.tree)}\n\n" for result in results)
    if form is To.penn:
        return "".join(f"{result.tree}\n" for result in results) + ("\n" if spaced else "")
    if threshold is not None:
        return _json(number, _spans(results[0], threshold))
    return "".join(_json(number, _fields(rank, result)) for rank, result in enumerate(results, 1))


def _json(number: int, fields: dict[str, Any]) -> str:
    return jsonlib.dumps({"sentence": number, **fields}, ensure_ascii=False) + "\n"


def _fields(rank: int, result: Any) -> dict[str, Any]:
    return {
        "rank": rank,
        "tree": str(result.tree),
        "score": result.score if result.score > -float("inf") else None,
        "failed": result.failed,
        "degraded": result.degraded,
        "pushes": result.work.pushes,
        "items": result.work.items,
        "seconds": result.seconds,
    }


def _spans(result: Any, threshold: float) -> dict[str, Any]:
    if result is None:
        return {"failed": True, "log_total": None, "spans": []}
    spans = [[span.label, span.i, span.k, round(p, 6)] for span, p in result.above(threshold)]
    return {"failed": False, "log_total": result.log_total, "spans": spans}
