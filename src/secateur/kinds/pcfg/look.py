"""What a way to parse does with a sentence: chart, decisions, features."""

from __future__ import annotations

import io
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.kinds.pcfg.look_order import look_at_order
from secateur.kinds.pcfg.parser import chart_parser_of
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.ways import ORDER, ways, without_mask
from secateur.metrics.evalb.evaluation import PhraseScoring
from secateur.metrics.scores import Scoring
from secateur.models.kind import Look, LookedAt
from secateur.models.limits import Limits
from secateur.models.parse import Parse
from secateur.models.point import Way
from secateur.options import Options, offers
from secateur.plots import chart as plot
from secateur.plots.chart import Chart
from secateur.plots.explain import Explanation, explain
from secateur.plots.lines import aligned, described
from secateur.search.arrays import Bools
from secateur.search.core import Policy
from secateur.tasks.span_pruning.task import SpanPruning
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

SPANS, FEATURES = 4, 5  # shown where no span is asked for


class Shape(NamedTuple):
    """How trees that a grammar knows relate to those that people have; here they are the same."""

    apart: Callable[[Tree], Tree] = lambda tree: tree  # from people's to the grammar's
    together: Callable[[Tree], Tree] = lambda tree: tree
    scoring: Scoring[Tree] = PhraseScoring()


class Finding(NamedTuple):
    """A sentence as a way parses it, and as it would be without pruning."""

    chart: Chart
    parse: Parse[Tree]
    unpruned: Parse[Tree]
    gold: Tree | None
    gold_score: float | None  # of the gold tree by the grammar of the way; None where it has none
    f1: float | None  # against the gold tree


def look(looked_at: LookedAt[PcfgParts, Tree], shape: Shape = Shape()) -> Look:  # noqa: B008  immutable
    """Parse along a way and without pruning; the spans that were kept, used, and gold; what decided."""
    parts, way, policies, sentence, gold, looking, using, notes = looked_at
    _check_using(using)
    if ORDER in way:
        return look_at_order(looked_at)
    spelt = sentence.spelt(parts.rules.lexicon.index)
    spans = None if gold is None else _gold_spans(parts, shape.apart(gold), notes)
    found = _shaped(_found(parts, way, policies, spelt, gold, spans), shape)
    mask = way.get("mask")
    policy = None if mask is None else policies[str(mask)]
    explained = _explained(parts, policy, found.chart, spelt, looking.span)
    told = [str(found.parse.tree), *_summary(found)]
    text = "\n".join([*told, *_features(found.chart, explained, whole=looking.span is not None)])
    svg = plot.svg(found.chart, title=f"{mask or 'nothing pruned'}, {way['decode']}")
    return Look(text, _fields(found, explained), svg, _drawn(found.chart), plot.width(found.chart))


def _check_using(using: Options) -> None:
    """Refuse what makes no difference to what is shown."""
    given = [one.name for one in offers(type(using)) if getattr(using, one.name) != one.default]
    if given:
        what = f"{' and '.join(given)}: what is decided is shown as it is without"
        raise InputError(what, fix="leave it out, or parse with it")


def _found(
    parts: PcfgParts,
    way: Way,
    policies: Mapping[str, Policy],
    sentence: Sentence,
    gold: Tree | None,
    spans: Bools | None,  # of the gold tree
) -> Finding:
    n = len(sentence)
    parser = chart_parser_of(parts, way, policies, Limits(), Using())
    parser.parse(sentence)  # loads the kernels before the clock starts
    parse = parser.parse(sentence)
    if parse.degraded:
        raise InputError(f"{n} words are too many for one chart", fix="give a shorter sentence")
    kept, scores = np.ones((n + 1, n + 1), np.bool_), None
    if parser.policy is not None and parser.features is not None:
        scores = parser.features.scores(parser.features.columns(sentence.penn), parser.policy.weights)
        kept = scores > 0
    kept[0, n] = True  # the whole sentence is never pruned
    used = np.zeros((n + 1, n + 1), np.bool_)
    if not parse.failed:
        binary = chart_parser_of(parts, way, policies, Limits(), Using(binarized=True)).parse(sentence).tree
        for _, i, k in binary.spans():
            used[i, k] = True
    exact = next(iter(ways(parts, ()).values()))
    unpruned = chart_parser_of(parts, exact, {}, Limits(), Using()).parse(sentence)
    score = None if gold is None or spans is None else _score_within(parts, way, sentence, gold, spans)
    return Finding(Chart(sentence.tokens, kept, used, spans, scores), parse, unpruned, gold, score, None)


def _shaped(found: Finding, shape: Shape) -> Finding:
    """With trees as people have them."""
    parse, unpruned = (replace(one, tree=shape.together(one.tree)) for one in (found.parse, found.unpruned))
    f1 = None if found.gold is None else shape.scoring.score([found.gold], [parse.tree]).accuracy
    return found._replace(parse=parse, unpruned=unpruned, f1=f1)


def _gold_spans(parts: PcfgParts, gold: Tree, notes: Mapping[str, Any]) -> Bools:
    """[n + 1, n + 1] the spans of the gold tree, made binary as the training trees were."""
    if gold.is_discontinuous:
        raise InputError("the gold tree is discontinuous: it has no spans", fix="give a continuous tree")
    return SpanPruning(parts.rules, parts.features, Binarization.from_notes(notes)).gold(gold).spans


def _score_within(parts: PcfgParts, way: Way, sentence: Sentence, gold: Tree, spans: Bools) -> float | None:
    """The best score over the gold tree's own spans: below the parse's, the model is wrong; above, the
    search missed it."""
    exact = chart_parser_of(parts, without_mask(way), {}, Limits(), Using())
    found = exact.parse(sentence, mask=spans)
    return None if found.failed else found.score


def _explained(
    parts: PcfgParts, policy: Policy | None, chart: Chart, sentence: Sentence, span: str | None
) -> list[Explanation]:
    asked = None if span is None else _span(span, len(sentence))
    if policy is None:
        if asked:
            raise InputError(
                "this point prunes nothing: no features decide", fix="choose another with --point"
            )
        return []
    spans = [asked] if asked else chart.doubtful()[:SPANS]
    features = parts.features
    return [explain(features, policy.weights, sentence.penn, i, k) for i, k in spans]


def _span(text: str, n: int) -> tuple[int, int]:
    if not re.fullmatch(r"\s*\d+\s*,\s*\d+\s*", text):
        raise InputError(f"{text!r} is no span", fix="write it as 2,5")
    i, k = map(int, text.split(","))
    if not (i < k <= n and 1 < k - i < n):
        able = f"give i,k with k at most {n}, over 2 to {n - 1} words" if n > 2 else "give a longer sentence"
        raise InputError(f"span ({i}, {k}) of {n} words is none to decide on", fix=able)
    return i, k


# For machines -----------------------------------------------------------------------------------------------


def _fields(found: Finding, explained: Sequence[Explanation]) -> dict[str, Any]:
    chart, unpruned = found.chart, found.unpruned
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
        **found.parse.fields(),
        "unpruned": unpruned.fields(),
        "gold": None if found.gold is None else {"tree": str(found.gold), "score": found.gold_score},
        "spans": spans,
        "features": [
            {**one._asdict(), "contributions": [part._asdict() for part in one.contributions]}
            for one in explained
        ],
    }


# For people -------------------------------------------------------------------------------------------------


def _drawn(chart: Chart) -> str:
    """With colours, if it is a terminal that will show it."""
    drawn, wide = io.StringIO(), plot.width(chart) + 1
    colours = Console(file=sys.stdout).is_terminal
    Console(file=drawn, highlight=False, width=wide, force_terminal=colours).print(plot.text(chart))
    return drawn.getvalue()


def _summary(found: Finding) -> list[str]:
    chart, parse, unpruned = found.chart, found.parse, found.unpruned
    decided = chart.decided()
    kept = parse.work.kept
    pushes, all_pushes = parse.work.pushes, unpruned.work.pushes
    parts = [
        f"kept {kept:,} of {len(decided):,} spans" + (f" ({kept / len(decided):.1%})" if decided else ""),
        f"{pushes:,} of {all_pushes:,} pushes unpruned"
        + (f" ({pushes / all_pushes:.1%})" if all_pushes else ""),
        "no parse" if parse.failed else f"score {parse.score:.3f}",
        f"{parse.seconds:.5f} s",
    ]
    lines = [", ".join(parts)]
    if unpruned.failed:
        lines.append("unpruned: no parse either" if parse.failed else "unpruned: no parse")
    elif str(parse.tree) == str(unpruned.tree):
        lines.append("unpruned: the same tree")
    else:
        lines.append(f"unpruned: {unpruned.tree}, score {unpruned.score:.3f}")
    return [*lines, *_against_gold(found)]


def _against_gold(found: Finding) -> list[str]:
    """Which gold spans were pruned, which constituents missed, and whose fault that is."""
    chart, gold = found.chart, found.gold
    if gold is None or chart.gold is None:
        return []
    own = [s for s in chart.decided() if chart.gold[s]]
    pruned = [s for s in own if not chart.kept[s]]
    parsed = set(found.parse.tree.constituents())
    missed = [one for one in gold.constituents() if one not in parsed]
    kept = f"{len(own) - len(pruned):,} of {len(own):,} spans kept"
    lines = [f"gold: {gold}", f"gold: F1 {found.f1:.2f}, {kept}"]
    words = chart.shown
    if pruned:
        lines.append(
            "gold spans pruned: " + "; ".join(f'{i},{k} "{" ".join(words[i:k])}"' for i, k in pruned)
        )
    if missed:
        told = (described(one, words) for one in missed)
        lines.append("gold constituents missed: " + "; ".join(told))
    score = found.parse.score
    if missed and found.gold_score is not None and score is not None and not found.parse.failed:
        verdict = (
            "the grammar prefers the parse (model error)"
            if found.gold_score <= score
            else "the gold tree would score higher (search error)"
        )
        lines.append(f"score of the gold spans' best tree: {found.gold_score:.3f}; {verdict}")
    elif missed and found.gold_score is None:
        lines.append("the grammar has no derivation over the gold tree's spans (model error)")
    return lines


def _features(chart: Chart, explained: Sequence[Explanation], *, whole: bool) -> list[str]:
    """The weightiest templates of each span; or the whole sum, with all digits of the weights."""
    lines = [] if chart.scores is not None else ["", "This point prunes nothing: no features decide."]
    for one in explained:
        words = " ".join(chart.shown[one.i : one.k])
        state = chart.state(one.i, one.k).value
        lines += ["", f'span {one.i},{one.k} "{words}": {state}, score {one.score:+.4f} (kept above 0)']
        ranked = sorted(one.contributions, key=lambda part: -abs(part.weight))
        shown, rest = (ranked, []) if whole else (ranked[:FEATURES], ranked[FEATURES:])
        digits = 8 if whole else 4
        rows = [(part.template, f"{part.weight:+.{digits}f}", part.saw) for part in shown]
        if rest:
            other = math.fsum(part.weight for part in rest)
            many = f"{len(rest)} more template{'s' * (len(rest) > 1)}"
            rows.append((many, f"{other:+.{digits}f}", ""))
        if whole:
            rows.append(("sum", f"{one.score:+.{digits}f}", ""))
        lines += aligned(rows)
    return lines
