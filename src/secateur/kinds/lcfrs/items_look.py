"""What a way that deduces does with a sentence: items kept, pruned, used and gold, what decided, the tree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from secateur.features.item import ItemFeatures
from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.kernels.lcfrs.parse import Limits as ChartLimits
from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.parser import parser_of
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.settings import Using
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.models.kind import Look, LookedAt
from secateur.models.limits import GIB, Limits
from secateur.models.parse import Parse
from secateur.models.point import Way
from secateur.plots.chart import State
from secateur.plots.lines import aligned, described
from secateur.search.arrays import Bools, Sites
from secateur.search.core import Policy
from secateur.tasks.hyperedge_pruning.policies import keep_all
from secateur.tasks.hyperedge_pruning.space import IS_UNARY, SYMBOL, positions_of
from secateur.tasks.hyperedge_pruning.task import Decided, HyperedgePruning
from secateur.treebanks.draw import phrases as draw
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Constituent, Tree

ITEMS, FEATURES = 6, 4  # shown
ROOM = ChartLimits(memory=GIB)  # of the derivation graph


class Item(NamedTuple):
    """A decision, and what became of it."""

    constituent: Constituent
    is_unary: bool  # whether unary rules may make it, or binary ones
    state: State
    gold: bool | None
    score: float | None  # the policy's; above 0 is kept
    contributions: Sequence[tuple[str, float]]  # of the features, the weightiest first


class Finding(NamedTuple):
    """A sentence as a way parses it."""

    parse: Parse[Tree]
    items: Sequence[Item]
    gold: Tree | None
    f1: float | None


def look(looked_at: LookedAt[LcfrsParts, Tree]) -> Look:
    """Parse along the way, and look at the whole derivation graph behind it."""
    found = _found(looked_at)
    words = [draw.printable(word) for word in looked_at.sentence.tokens]
    lines = [str(found.parse.tree), *_summary(found), *_against_gold(found, words)]
    lines += _features(found, words)
    drawn = draw.text(found.parse.tree)
    width = max(map(draw.cells, drawn.splitlines()), default=0)
    return Look("\n".join(lines), _fields(found), draw.svg(found.parse.tree), drawn, width)


def _found(looked_at: LookedAt[LcfrsParts, Tree]) -> Finding:
    parts, way, policies, sentence, gold = looked_at[:5]
    deduction = parts.deduction
    assert deduction is not None, "a way that deduces has a PLCFRS"
    parse = parser_of(parts, way, policies, Limits(), Using()).parse(sentence)
    task = _task(deduction, way, policies)
    spelt = sentence.spelt(deduction.grammar.lexicon.index)
    policy = policies[str(way["mask"])] if "mask" in way else None
    items = _items(task, policy, spelt, gold)
    f1 = None if gold is None else DiscontinuousScoring().score([gold], [parse.tree]).accuracy
    return Finding(parse, items, gold, f1)


def _task(deduction: Deduction, way: Way, policies: Mapping[str, Policy]) -> HyperedgePruning:
    """What the way searches, but for what a policy about items leaves out."""
    nothing = SpanFeatures(frozenset(), ("bias",), bits=4)
    return HyperedgePruning(
        deduction.grammar,
        deduction.features or ItemFeatures.of_grammar(deduction.grammar, nothing),
        Binarization.from_notes(deduction.grammar.notes),
        bounding=deduction.bounding(way, policies),
        limits=ROOM,
    )


def _items(
    task: HyperedgePruning, policy: Policy | None, sentence: Sentence, gold: Tree | None
) -> list[Item]:
    """What the search met, in its order; scores and features only where a policy decides."""
    x = task.encode(sentence.penn)
    decided = task.decide(x, policy or keep_all(task))
    site, taken = decided.space.site[decided.open], decided.taken[decided.open]
    right = None if gold is None else task.is_gold(site, task.gold(gold))
    used = _used(decided)[decided.open]
    named = zip(site[:, SYMBOL].tolist(), _sets(site), strict=True)
    constituents = [
        Constituent(task.grammar.symbols[symbol], tuple(p for p in range(len(sentence)) if among >> p & 1))
        for symbol, among in named
    ]
    told = _told(task, policy, sentence, site) if policy is not None else [[]] * len(site)
    return [
        Item(
            constituent,
            bool(site[n, IS_UNARY]),
            _state(bool(taken[n]), bool(used[n]), right is not None and bool(right[n])),
            None if right is None else bool(right[n]),
            math.fsum(weight for _, weight in told[n]) if policy is not None else None,
            told[n],
        )
        for n, constituent in enumerate(constituents)
    ]


def _state(taken: bool, used: bool, gold: bool) -> State:
    if used:
        return State.used
    if taken:
        return State.kept
    return State.lost if gold else State.pruned


def _used(decided: Decided) -> Bools:
    """[D] the decisions that the best derivation rests on."""
    best = decided.change.viterbi()
    space = decided.space
    is_best = np.zeros(len(space.cost), bool)
    is_best[list(best.hyperedges) if best is not None else []] = True
    return np.add.reduceat(is_best[space.hyperedge], space.ptr[:-1]) > 0 if len(space.site) else is_best[:0]


def _sets(site: Sites) -> list[int]:
    return [low | high << 64 for low, high in positions_of(site).tolist()]


def _told(
    task: HyperedgePruning, policy: Policy, sentence: Sentence, site: Sites
) -> list[list[tuple[str, float]]]:
    """The features of each decision and what they weigh, the weightiest first."""
    features, names = task.item_features, task.item_features.names
    symbol = site[:, SYMBOL].astype(np.int64)
    rows = features.rows(features.columns(sentence.penn), symbol, positions_of(site))
    found = []
    for row, weights in zip(rows.bucket.tolist(), rows.products(policy.weights).tolist(), strict=True):
        own = [(names[c], weight) for c, weight in enumerate(weights) if row[c]]
        found.append(sorted(own, key=lambda pair: -abs(pair[1])))
    return found


# For people and machines ------------------------------------------------------------------------------------


def _summary(found: Finding) -> list[str]:
    parse, items = found.parse, found.items
    kept = sum(item.state in (State.used, State.kept) for item in items)
    parts = [
        f"kept {kept:,} of {len(items):,} items" + (f" ({kept / len(items):.1%})" if items else ""),
        f"{parse.work.pushes:,} hyperedges",
        "no parse" if parse.failed else f"score {parse.score:.3f}" if parse.score is not None else "",
        "found another way" if parse.fell_back else "",
        f"{parse.seconds:.5f} s",
    ]
    return [", ".join(filter(None, parts))]


def _against_gold(found: Finding, words: Sequence[str]) -> list[str]:
    """Which gold items were pruned, and which constituents missed."""
    if found.gold is None:
        return []
    own = [item for item in found.items if item.gold]
    pruned = [item for item in own if item.state is State.lost]
    parsed = set(found.parse.tree.constituents())
    missed = [one for one in found.gold.constituents() if one not in parsed]
    lines = [
        f"gold: {found.gold}",
        f"gold: F1 {found.f1:.2f}, {len(own) - len(pruned):,} of {len(own):,} items kept",
    ]
    for what, told in (
        ("items pruned", [item.constituent for item in pruned]),
        ("constituents missed", missed),
    ):
        if told:
            lines.append(f"gold {what}: " + "; ".join(described(one, words) for one in told))
    return lines


def _features(found: Finding, words: Sequence[str]) -> list[str]:
    """The weightiest features of the items that were lost, or nearest to the threshold."""
    scored = [item for item in found.items if item.score is not None]
    if not scored:
        return ["", "No policy about items decides at this point."]
    scored.sort(key=lambda item: (item.state is not State.lost, abs(item.score or 0.0)))
    lines = []
    for item in scored[:ITEMS]:
        how = " (unary)" if item.is_unary else ""
        about = f"{item.state.value}, score {item.score:+.4f} (kept above 0)"
        lines += ["", f"item {described(item.constituent, words)}{how}: {about}"]
        rows = [(name, f"{weight:+.4f}", "") for name, weight in item.contributions[:FEATURES]]
        rest = item.contributions[FEATURES:]
        if rest:
            other = math.fsum(weight for _, weight in rest)
            rows.append((f"{len(rest)} more features", f"{other:+.4f}", ""))
        lines += aligned(rows)
    return lines


def _fields(found: Finding) -> Mapping[str, Any]:
    return {
        **found.parse.fields(),
        "gold": None if found.gold is None else {"tree": str(found.gold), "f1": found.f1},
        "items": [
            {
                "symbol": item.constituent.label,
                "positions": list(item.constituent.indices),
                "unary": item.is_unary,
                "state": item.state.name,
                "gold": item.gold,
                "score": item.score,
            }
            for item in found.items
        ],
    }
