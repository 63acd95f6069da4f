"""What an agenda does with a sentence: which items are popped when, and which are in the tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from secateur.errors import InputError
from secateur.kinds.pcfg.agenda_points import agenda_parser_of
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.pops import Pop
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.ways import ORDER
from secateur.metrics.evalb.evaluation import PhraseScoring
from secateur.models.kind import Look, LookedAt
from secateur.models.limits import Limits
from secateur.models.parse import Parse
from secateur.plots import chart as plot
from secateur.plots.chart import Chart
from secateur.search.arrays import Bools
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

SHOWN = 60  # pops; of more, those in the tree
PARTS = 10  # of the time, in each of which so many were in the tree


def look_at_order(looked_at: LookedAt[PcfgParts, Tree]) -> Look:
    """Parse along a way by agenda."""
    parts, way, policies, given, gold, looking, _, _ = looked_at
    if looking.span is not None:
        raise InputError("no features of spans decide in which order items are popped", fix="leave span out")
    sentence = given.spelt(parts.rules.lexicon.index)
    parser = agenda_parser_of(parts, way, policies, Limits(), Using())
    parser.parse(sentence)  # loads the kernels before the clock starts
    parse = parser.parse(sentence)
    if parse.degraded:
        raise InputError(f"{len(sentence)} words are too many", fix="give a shorter sentence")
    pops = parser.pops(sentence)
    text = "\n".join([str(parse.tree), *_summary(parse, pops, gold), "", *_lines(pops, sentence)])
    rows = [pop._asdict() for pop in pops]
    fields = {**parse.fields(), "gold": None if gold is None else {"tree": str(gold)}, "pops": rows}
    title = f"{way[ORDER]}: kept is what was popped"
    return Look(text, fields, plot.svg(_chart(sentence, pops, gold), title=title))


def _summary(parse: Parse[Tree], pops: Sequence[Pop], gold: Tree | None) -> list[str]:
    used = sum(pop.used for pop in pops)
    score = "no parse" if parse.failed else f"score {parse.score:.3f}"
    work = f"{len(pops):,} pops, {used:,} of them in the tree, {parse.work.pushes:,} pushes"
    lines = [f"{work}, {score}, {parse.seconds:.5f} s"]
    if parse.certified:
        lines.append("this is the grammar's best parse")
    counts = [sum(pops[p].used for p in part) for part in np.array_split(np.arange(len(pops)), PARTS)]
    lines.append(f"in the tree, of each tenth of the pops: {' '.join(map(str, counts))}")
    if gold is not None:
        f1 = PhraseScoring().score([gold], [parse.tree]).accuracy
        lines += [f"gold: {gold}", f"gold: F1 {f1:.2f}"]
    return lines


def _lines(pops: Sequence[Pop], sentence: Sentence) -> list[str]:
    """A line for each pop; of many for those in the tree, or where there is none for the first."""
    shown, what = pops, ""
    if len(pops) > SHOWN:
        shown, what = [pop for pop in pops if pop.used], ", those in the tree"
    if not shown:
        shown, what = pops[:SHOWN], f", the first {SHOWN}"
    lines = [f"pops{what}: number, * in the tree, priority, score, item"]
    for pop in shown:
        mark, unary = "*" if pop.used else " ", " by a unary" if pop.over else ""
        words = " ".join(sentence.tokens[pop.i : pop.k])
        item = f'{pop.symbol} {pop.i},{pop.k}{unary} "{words}"'
        lines.append(f"{pop.number:6,} {mark} {pop.priority:10.3f} {pop.score:10.3f}  {item}")
    return lines


def _chart(sentence: Sentence, pops: Sequence[Pop], gold: Tree | None) -> Chart:
    n = len(sentence)
    kept, used = np.zeros((2, n + 1, n + 1), np.bool_)
    for pop in pops:
        kept[pop.i, pop.k] = True
        used[pop.i, pop.k] |= pop.used
    return Chart(sentence.tokens, kept, used, None if gold is None else _spans(gold, n))


def _spans(gold: Tree, n: int) -> Bools:
    found = np.zeros((n + 1, n + 1), np.bool_)
    for _, i, k in gold.spans():
        found[i, k] = True
    return found
