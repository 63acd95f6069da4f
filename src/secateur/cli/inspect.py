"""secateur inspect: what a model is, and what it does with a sentence: chart, decisions, features."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import Console

from secateur.cli import arc_inspect, inputs
from secateur.cli.frontier import choose, print_points
from secateur.cli.options import Dial, Encoding, Json, ModelFolder, Quiet, check_svg, refuse, with_dial
from secateur.cli.terminal import count, err, print_json, print_pairs, sink
from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.text import Sentence
from secateur.treebanks.tree import Tree

if TYPE_CHECKING:
    from secateur.cli.frontier import AnyModel
    from secateur.kinds.pcfg.model import Model
    from secateur.kinds.pcfg.parser import Parse
    from secateur.models.dial import Point
    from secateur.plots.chart import Chart
    from secateur.plots.explain import Explanation

SPANS, FEATURES = 4, 5  # shown where no span is asked for


class Finding(NamedTuple):
    """A sentence as a model's point parses it, and as it would be without pruning."""

    point: Point
    chart: Chart
    parse: Parse
    unpruned: Parse


@with_dial
def inspect(
    model: ModelFolder,
    sentence: Annotated[
        str | None,
        typer.Argument(help='A sentence in quotes; "-": standard input. Without: the model itself.'),
    ] = None,
    *,
    gold: Annotated[
        str | None,
        typer.Option("--gold", help="The sentence's gold tree in brackets, or a file that has it."),
    ] = None,
    span: Annotated[
        str | None, typer.Option("--span", help="i,k: the features of the span from word i up to word k.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", help="Also draw the chart, of any length.", callback=check_svg)
    ] = None,
    dial: Dial,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What a model is; or what it prunes in a sentence, and the features that decided.

    Of a dependency model: the stage at which each arc was settled, and what that took.
    """
    from secateur.kinds.arcs.model import DependencyModel
    from secateur.kinds.loading import load_any

    loaded = load_any(model)
    if sentence is None:
        if gold or span or svg or dial:
            raise typer.BadParameter("there is no sentence: options for one have no effect")
        _show_model(str(model), loaded, json)
        return
    if isinstance(loaded, DependencyModel):
        refuse({"--gold": bool(gold), "--span": bool(span), "--svg": bool(svg)}, "models of phrases")
        arc_inspect.inspect(str(model), loaded, choose(str(model), loaded, dial), sentence, encoding, json)
        return
    given = _sentence(sentence, encoding)
    point = choose(str(model), loaded, dial)
    tree = None if gold is None else read_gold(gold, given, encoding, loaded.normalization)
    spelt = given.spelt(loaded.rules.lexicon.index)
    found = look(loaded, point, spelt, tree)
    explained = _explained(loaded, found, spelt, span)
    if svg:
        from secateur.plots import chart

        with sink(svg) as out:
            out.write(chart.svg(found.chart, title=f"{model}, point {found.point.name}"))
    if json:
        print_json({"model": str(model), **_fields(found, explained)})
    else:
        _show_chart(str(model), found)
        _show_features(found.chart, explained, whole=span is not None)
    if svg and not quiet:
        err.print(f"written: {svg}")


# The model --------------------------------------------------------------------------------------------------


def _show_model(name: str, model: AnyModel, json: bool) -> None:
    sizes = model.sizes()
    if json:
        points = [asdict(point) for point in model.points]
        frontier = [point.name for point in model.frontier]
        print_json(
            {
                "model": name,
                "settings": dict(model.settings),
                "sizes": sizes,
                "protocol": model.protocol,
                "points": points,
                "frontier": frontier,
            }
        )
        return
    print_pairs({"model": name, **{key: _plain(value) for key, value in model.settings.items()}})
    print()
    print_pairs(sizes)
    print(f"\nprotocol: {model.protocol}\n")
    print_points(model.frontier, {}, model.figures)


def _plain(value: object) -> object:
    """Settings as they were given: 1000, not 1,000."""
    return f"{value:g}" if isinstance(value, float) else str(value)


# What is given ----------------------------------------------------------------------------------------------


def _sentence(text: str, encoding: str) -> Sentence:
    found = inputs.sentences(text, raw=False, format=None, encoding=encoding)
    name = formats.source.name_of(text)
    given = list(islice((one for one in found if one.tokens), 2))
    if not given:
        raise InputError("no sentence", where=name, fix="give one in quotes")
    if len(given) > 1:
        raise InputError("more than one sentence", where=name, fix="give one in quotes")
    return given[0]


def read_gold(gold: str, sentence: Sentence, encoding: str, steps: Normalization) -> Tree:
    """The gold tree of a sentence, normalized: from brackets, or the one of a file that has its words."""
    is_file = gold == "-" or Path(gold).exists()
    if not is_file and not gold.lstrip().startswith("("):
        raise InputError("no such file, and no tree in brackets", where=gold, fix="check the path")
    with inputs.located("--gold"):
        read = (
            formats.read(gold, encoding=encoding) if is_file else formats.brackets.read([gold], name="--gold")
        )
        normalized = (tree for tree in map(steps, read) if tree is not None)
        first = None
        for tree in normalized:
            if Sentence.of(tree.words()).penn == sentence.penn:
                return _continuous(tree)
            first = first or tree
    if first is None:
        raise InputError("no tree with words", where="--gold", fix="give the sentence's tree")
    what = "none of its trees has the words of the sentence" if is_file else _difference(first, sentence)
    raise InputError(what, where=gold if is_file else "--gold", fix="give the tree of this very sentence")


def _continuous(tree: Tree) -> Tree:
    if tree.is_discontinuous:
        raise InputError("the tree is discontinuous: it has no spans", fix="give a continuous tree")
    return tree


def _difference(tree: Tree, sentence: Sentence) -> str:
    gold, given = tree.words(), sentence.penn
    for place, (one, other) in enumerate(zip(gold, given, strict=False), 1):
        if one != other:
            return f"word {place} is {one!r} in the tree but {other!r} in the sentence"
    return f"{count(len(gold), 'word')} in the tree but {len(given)} in the sentence"


# What is found ----------------------------------------------------------------------------------------------


def look(model: Model, point: Point, sentence: Sentence, gold: Tree | None) -> Finding:
    """Parse at a point and without pruning; the spans that were kept, used, and gold."""
    import numpy as np

    from secateur.kinds.pcfg.parser import model_parser
    from secateur.plots.chart import Chart
    from secateur.tasks.span_pruning.task import SpanPruning

    n = len(sentence.penn)
    parser = model_parser(model, point.name)
    parser.parse(sentence)  # loads the kernels before the clock starts
    parse = parser.parse(sentence)
    if parse.degraded:
        raise InputError(f"{n} words are too many for one chart", fix="give a shorter sentence")
    kept, scores = np.ones((n + 1, n + 1), np.bool_), None
    policy = model.policy(point.name)
    if policy is not None:
        columns = model.features.columns(sentence.penn)
        scores = model.features.scores(columns, policy.weights)
        kept = scores > 0
    kept[0, n] = True  # the whole sentence is never pruned
    used = np.zeros((n + 1, n + 1), np.bool_)
    if not parse.failed:
        tree = model_parser(model, point.name, binarized=True).parse(sentence).tree
        for _, i, k in tree.spans():
            used[i, k] = True
    spans = None
    if gold is not None:
        spans = SpanPruning(model.rules, model.features, model.binarization).gold(gold).spans
    chart = Chart(sentence.tokens, kept, used, spans, scores)
    return Finding(point, chart, parse, model_parser(model, model.unpruned).parse(sentence))


def _explained(model: Model, found: Finding, sentence: Sentence, span: str | None) -> list[Explanation]:
    from secateur.plots.explain import explain

    asked = None if span is None else _span(span, len(sentence.penn))
    policy = model.policy(found.point.name)
    if policy is None:
        if asked:
            fix = "choose another with --point"
            raise InputError(f"the point {found.point.name} prunes nothing: no features decide", fix=fix)
        return []
    spans = [asked] if asked else found.chart.doubtful()[:SPANS]
    return [explain(model.features, policy.weights, sentence.penn, i, k) for i, k in spans]


def _span(text: str, n: int) -> tuple[int, int]:
    if not re.fullmatch(r"\s*\d+\s*,\s*\d+\s*", text):
        raise typer.BadParameter(f"{text!r} is no span: write it as 2,5")
    i, k = map(int, text.split(","))
    if not (i < k <= n and 1 < k - i < n):
        raise InputError(
            f"span ({i}, {k}) of {count(n, 'word')} is none to decide on",
            fix=f"give i,k with k at most {n}, over 2 to {n - 1} words"
            if n > 2
            else "give a longer sentence",
        )
    return i, k


# What is shown ----------------------------------------------------------------------------------------------


def _fields(found: Finding, explained: Sequence[Explanation]) -> dict[str, Any]:
    point, chart, parse, unpruned = found
    scores = chart.scores
    spans = [
        {
            "i": i,
            "k": k,
            "state": chart.state(i, k).name,
            "gold": None if chart.gold is None else bool(chart.gold[i, k]),
            "score": None if scores is None or k - i == len(chart.words) else float(scores[i, k]),
        }
        for i, k in chart.spans()
    ]
    return {
        "point": asdict(point),
        "words": list(chart.words),
        "tree": str(parse.tree),
        "failed": parse.failed,
        "score": None if parse.failed else parse.score,
        "seconds": parse.seconds,
        "pushes": parse.work.pushes,
        "unpruned": {
            "tree": str(unpruned.tree),
            "failed": unpruned.failed,
            "score": None if unpruned.failed else unpruned.score,
            "pushes": unpruned.work.pushes,
        },
        "spans": spans,
        "features": [
            {**one._asdict(), "contributions": [part._asdict() for part in one.contributions]}
            for one in explained
        ],
    }


def _show_chart(model: str, found: Finding) -> None:
    from secateur.plots import chart

    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    print(f"{model}, point {found.point.name}\n")
    wide = chart.width(found.chart)
    if not console.is_terminal or wide <= console.width:
        console.print(chart.text(found.chart))
    else:
        print(f"the chart is {wide} columns wide, more than this terminal: draw it with --svg")
    print()
    print(found.parse.tree)
    for line in _summary(found):
        print(line)


def _summary(found: Finding) -> list[str]:
    chart, parse, unpruned = found.chart, found.parse, found.unpruned
    decided = chart.decided()
    kept = parse.work.kept
    pushes, all_pushes = parse.work.pushes, unpruned.work.pushes
    parts = [
        f"kept {kept:,} of {count(len(decided), 'span')}"
        + (f" ({kept / len(decided):.1%})" if decided else ""),
        f"{pushes:,} of {all_pushes:,} pushes unpruned"
        + (f" ({pushes / all_pushes:.1%})" if all_pushes else ""),
        "no parse" if parse.failed else f"score {parse.score:.3f}",
        f"{parse.seconds:.5f} s",
    ]
    lines = [", ".join(parts)]
    if chart.gold is not None:
        gold = [s for s in decided if chart.gold[s]]
        lines.append(
            f"gold: {sum(bool(chart.kept[s]) for s in gold)} of {count(len(gold), 'span')} kept, "
            f"{sum(bool(chart.used[s]) for s in gold)} in the parse"
        )
    if unpruned.failed:
        lines.append("unpruned: no parse either" if parse.failed else "unpruned: no parse")
    elif str(parse.tree) == str(unpruned.tree):
        lines.append("unpruned: the same tree")
    else:
        lines.append(f"unpruned: {unpruned.tree}, score {unpruned.score:.3f}")
    return lines


def _show_features(chart: Chart, explained: Sequence[Explanation], *, whole: bool) -> None:
    """The weightiest templates of each span; or the whole sum, with all digits of the weights."""
    if chart.scores is None:
        print("\nThis point prunes nothing: no features decide.")
    for one in explained:
        words = " ".join(chart.shown[one.i : one.k])
        state = chart.state(one.i, one.k).value
        print(f'\nspan {one.i},{one.k} "{words}": {state}, score {one.score:+.4f} (kept above 0)')
        ranked = sorted(one.contributions, key=lambda part: -abs(part.weight))
        shown, rest = (ranked, []) if whole else (ranked[:FEATURES], ranked[FEATURES:])
        digits = 8 if whole else 4
        rows = [(part.template, f"{part.weight:+.{digits}f}", part.saw) for part in shown]
        if rest:
            other = math.fsum(part.weight for part in rest)
            rows.append((count(len(rest), "more template"), f"{other:+.{digits}f}", ""))
        if whole:
            rows.append(("sum", f"{one.score:+.{digits}f}", ""))
        _print_features(rows)


def _print_features(rows: Sequence[tuple[str, str, str]]) -> None:
    """What was seen stands last, on the left of its column, for it may be long."""
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    for name, weight, saw in rows:
        print(f"  {name:<{first}}  {weight:>{second}}  {saw}".rstrip())
