"""Agenda parsing with a split grammar, by score: time, pops and hyperedges by sentence length, beside CKY.

    python benchmarks/agenda.py                    a grammar of the garden
    SECATEUR_DATA=... python benchmarks/agenda.py  one of ptb-sample
    python benchmarks/agenda.py --levels 3 --work FOLDER

CPU time per sentence on one core, best of several runs, all in turn on the same sentences: cky.viterbi on the
grammar of sub-symbols and the block kernel, which fill charts; an agenda by uniform cost, whose score must be
CKY's bit for bit; one that drops what is worse by 8 than the best of its span; and one that then goes on with
1.5 times that until there is a parse. Then the exact ones that look ahead: A* with what is outside from one
level's chart, of the rules' largest sub-rules, and hierarchical A*, over that level and over all; their time
includes it. A push is a hyperedge that was built; those of a chart for an estimate are not counted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from blocks import grammar_of

# Kernels alone, on a split grammar that is no model's: no public name runs them.
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.hierarchy import Hierarchy
from secateur.grammar.latent.padded import padded_of
from secateur.kernels.agenda.hierarchy import Climbed
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.parse import Found, first_parse
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, How, uniform_cost
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split import viterbi as block_viterbi
from turns import in_turn

BUCKETS = ((1, 15), (16, 40))
UNLIMITED = 1 << 40
WAYS = {"uniform cost": EXACT, "delta 8": How(8.0), "delta 8, 12, ...": How(8.0, widen=1.5)}
AHEAD = ("A*, one level", "HA*, two levels", "HA*, all levels")
BEFORE_LAST = 1  # of the hierarchy, which level looks ahead


def measured(grammar: sec.SplitPCFG, sentences: Sequence[Sequence[str]], repeat: int) -> list[dict[str, Any]]:
    """The figures of a bucket, a row a way."""
    flat, padded = grammar.flat(), padded_of(grammar.coarse, grammar.blocks)
    rules, joins, symbols = flat.rules, joins_of(flat.rules), len(flat.symbols)
    given = [
        (flat.lexicon.encode(words), np.ones((len(words) + 1, len(words) + 1), np.bool_), NO_ANCHORS)
        for words in sentences
    ]

    def by_agenda(how: How) -> list[Found]:
        return [
            Found(*first_parse(rules, joins, *one, uniform_cost(len(one[0]), symbols), how, NO_LIMITS))
            for one in given
        ]

    before = max(len(grammar.ancestry) - BEFORE_LAST, 0)
    bounds, two, every = (
        Bounds.of(grammar, flat, before),
        Hierarchy.of(grammar, [before]),
        Hierarchy.of(grammar),
    )

    def bounded() -> list[Found]:
        found = []
        for one in given:
            order = uniform_cost(len(one[0]), symbols)
            order = order._replace(outside=bounds.estimate(one[0]).outside, seen=bounds.seen)
            found.append(Found(*first_parse(rules, joins, *one, order, EXACT, NO_LIMITS)))
        return found

    agendas: dict[str, Callable[[], Sequence[Found | Climbed]]] = {
        **{name: lambda how=how: by_agenda(how) for name, how in WAYS.items()},
        AHEAD[0]: bounded,
        AHEAD[1]: lambda: [two.parse(one[0]) for one in given],
        AHEAD[2]: lambda: [every.parse(one[0]) for one in given],
    }
    runs: dict[str, Callable[[], Sequence[Any]]] = dict(agendas)
    runs["CKY"] = lambda: [cky.viterbi(rules, *one, UNLIMITED) for one in given]
    runs["blocks"] = lambda: [block_viterbi.viterbi(padded, *one, UNLIMITED) for one in given]
    spent = in_turn(runs, repeat)
    best = [float(found[1]) for found in runs["CKY"]()]
    rows = []
    for name in runs:
        row: dict[str, Any] = {"way": name, "sentences": len(given), "ms": 1000 * spent[name] / len(given)}
        if name in agendas:
            found = agendas[name]()
            pushes, scores = sum(one.pushes for one in found), [float(one.score) for one in found]
            is_exact = name == "uniform cost" or name in AHEAD
            assert not is_exact or scores == best, "scores differ from those of CKY"
            row["pops"] = round(sum(one.pops for one in found) / len(found))
            row["pushes"] = round(pushes / len(found))
            row["Mpushes/s"] = pushes / spent[name] / 1e6
            row["as good as CKY"] = sum(a == b for a, b in zip(scores, best, strict=True))
        rows.append(row)
    return rows


def shown(row: dict[str, Any]) -> str:
    figures = (f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" for value in [*row.values()][2:])
    return f"{row['words']:6} {row['way']:17}" + "".join(f"{one:>14}" for one in figures)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--levels", type=int, default=5)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--limit", type=int, default=50, help="sentences of each length")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--work", type=Path, help="where the trained levels are kept")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    grammar, sentences = grammar_of(chosen.levels, chosen.seed, chosen.work)
    print(repr(grammar), flush=True)
    heads = ("sentences", "ms", "pops", "pushes", "Mpushes/s", "as good as CKY")
    print(f"{'words':6} {'way':17}" + "".join(f"{one:>14}" for one in heads))
    rows = []
    for first, last in BUCKETS:
        words = [one for one in sentences if first <= len(one) <= last][: chosen.limit]
        for row in measured(grammar, words, chosen.repeat) if words else ():
            rows.append({"words": f"{first}-{last}", **row})
            print(shown(rows[-1]), flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
