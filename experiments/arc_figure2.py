"""Scoring against searching (figure 2 of the 2013 paper): where a parser with all templates spends its time.

    SECATEUR_DATA=... python experiments/arc_figure2.py --data ptb-sample-dep
    python experiments/arc_figure2.py --data garden --limit 200        no data needed

Dev sentences in classes of five lengths. Scoring: all templates on all arcs that the length dictionary leaves
(and, with --order 2, on these arcs with each sibling). Searching: the best tree whose arcs may cross, the
best projective one by Eisner's algorithm, and that with siblings, each on the scores found before. Encoding
is not in it, nor what a call from Python costs: a class of sentences is one call. CPU time, best of several.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from arc_table1 import ArcCase, Row, arguments, bank, case_of, one_section
from report import ROOT, Pictures, Sections, leave, new_figure, start, table

# Scoring and searching apart from each other: kernels alone, which no public name times.
from secateur.kernels.arcs.eisner import best_projective
from secateur.kernels.arcs.eisner_siblings import best_projective_siblings
from secateur.kernels.arcs.features import AROUND, no_shares, score_parts
from secateur.kernels.arcs.mst import best_tree
from secateur.kernels.arcs.parts import arc_parts
from secateur.kernels.perceptron.mira import Corpus, sentence_at, sibling_scores
from secateur.kinds.arcs.parts import ArcParts
from secateur.plots.frontier import LEARNED, UNPRUNED
from secateur.search.arrays import Ints
from secateur.tasks.arc_locking.corpus import corpus_of
from secateur.treebanks.dependency_tree import DependencyTree

sys.path.append(str(ROOT / "benchmarks"))
from turns import in_turn

NAME = "arc-figure2"
WIDTH = 5  # lengths in a class
ARCS, SIBLINGS = "scoring arcs", "scoring siblings"
CROSSING, PROJECTIVE, SECOND = "search, crossing", "search, projective", "search, second order"
SCORED = {CROSSING: (ARCS,), PROJECTIVE: (ARCS,), SECOND: (ARCS, SIBLINGS)}  # for each of them
TITLES = {
    CROSSING: "first order, arcs may cross",
    PROJECTIVE: "first order, projective",
    SECOND: "second order, projective",
}


class Scores(NamedTuple):
    """Of S sentences, one after the other."""

    allowed: Any  # [A] bool, of each sentence [n+1, n+1]
    arcs: Any  # [A] float32, likewise
    start: Ints  # [S+1]
    siblings: Any  # [B] float32, of each sentence [n+1, n+1, n+1]
    sibling_start: Ints  # [S+1]


@njit(cache=True, nogil=True)
def score_arcs(patterns: Any, group: Any, weights: Any, corpus: Any, scores: Any) -> None:
    for i in range(scores.start.shape[0] - 1):
        a, b = scores.start[i], scores.start[i + 1]
        sentence = sentence_at(corpus, i)
        size = sentence.keys.shape[1] - AROUND + 1
        parts = arc_parts(scores.allowed[a:b].reshape((size, size)))
        found = np.zeros(parts.head.shape[0], np.float32)
        score_parts(patterns, group, sentence, no_shares(patterns, sentence), parts, weights, found)
        dense, modifier, head = scores.arcs[a:b].reshape((size, size)), parts.modifier, parts.head
        for r in range(found.shape[0]):
            dense[modifier[r], head[r]] = found[r]


@njit(cache=True, nogil=True)
def score_siblings(patterns: Any, group: Any, weights: Any, corpus: Any, scores: Any) -> None:
    for i in range(scores.start.shape[0] - 1):
        sentence = sentence_at(corpus, i)
        size = sentence.keys.shape[1] - AROUND + 1
        allowed = scores.allowed[scores.start[i] : scores.start[i + 1]].reshape((size, size))
        shares = no_shares(patterns, sentence)
        found = sibling_scores(patterns, group, weights, sentence, shares, allowed)
        scores.siblings[scores.sibling_start[i] : scores.sibling_start[i + 1]] = found.ravel()


@njit(cache=True, nogil=True)
def search_arcs(projective: Any, single_root: Any, scores: Any) -> int:
    """How many sentences have a tree."""
    trees = 0
    for i in range(scores.start.shape[0] - 1):
        own = scores.arcs[scores.start[i] : scores.start[i + 1]]
        size = int(np.sqrt(own.shape[0]))
        dense, heads = own.reshape((size, size)), np.empty(size, np.int32)
        if projective:
            trees += best_projective(dense, single_root, heads)
        else:
            trees += best_tree(dense, single_root, heads)
    return trees


@njit(cache=True, nogil=True)
def search_siblings(single_root: Any, scores: Any) -> int:
    """How many sentences have a tree."""
    trees = 0
    for i in range(scores.start.shape[0] - 1):
        own = scores.arcs[scores.start[i] : scores.start[i + 1]]
        size = int(np.sqrt(own.shape[0]))
        siblings = scores.siblings[scores.sibling_start[i] : scores.sibling_start[i + 1]]
        heads, cube = np.empty(size, np.int32), siblings.reshape((size, size, size))
        trees += best_projective_siblings(own.reshape((size, size)), cube, single_root, heads)
    return trees


def is_second(parts: ArcParts) -> bool:
    return any(template >= parts.features.first for group in parts.groups for template in group)


def room(parts: ArcParts, trees: Sequence[DependencyTree]) -> Scores:
    sizes = np.array([len(tree) + 1 for tree in trees])
    start, cube = (np.concatenate(([0], np.cumsum(sizes**power))) for power in (2, 3))
    allowed = np.concatenate([parts.limits.allowed(tree.tags).ravel() for tree in trees])
    impossible = np.full(start[-1], -np.inf, np.float32)
    siblings = np.empty(cube[-1] if is_second(parts) else 0, np.float32)
    return Scores(allowed, impossible, start, siblings, cube)


def pieces(parts: ArcParts, corpus: Corpus, scores: Scores) -> dict[str, Callable[[], Any]]:
    """What is timed, each on what those before it left."""
    features, models, root = parts.features, parts.models, parts.single_root
    arcs = features.group(range(features.first))
    found: dict[str, Callable[[], Any]] = {
        ARCS: partial(score_arcs, features.compiled, arcs, models.crossing, corpus, scores),
        CROSSING: partial(search_arcs, False, root, scores),
        PROJECTIVE: partial(search_arcs, True, root, scores),
    }
    if is_second(parts):
        siblings = features.group(range(features.first, len(features.templates)))
        weights = models.siblings if len(models.siblings) else models.crossing
        found[SIBLINGS] = partial(score_siblings, features.compiled, siblings, weights, corpus, scores)
        found[SECOND] = partial(search_siblings, root, scores)
    return found


def measure(parts: ArcParts, trees: Sequence[DependencyTree], repeat: int) -> list[Row]:
    """A row for each class of lengths."""
    rows: list[Row] = []
    for first in range(1, max(map(len, trees)) + 1, WIDTH):
        own = [tree for tree in trees if first <= len(tree) < first + WIDTH]
        if not own:
            continue
        scores = room(parts, own)
        timed = pieces(parts, corpus_of(parts.features, own), scores)
        seconds = in_turn(timed, repeat)
        rows.append(
            {
                "length": f"{first}-{first + WIDTH - 1}",
                "sentences": len(own),
                "arcs": int(np.isfinite(scores.arcs).sum()),
                "seconds": seconds,
            }
        )
    return rows


def searches(rows: Sequence[Row]) -> list[str]:
    return [search for search in SCORED if search in rows[0]["seconds"]]


def scoring(row: Row, search: str) -> float:
    """The seconds of scoring for a search."""
    return float(sum(row["seconds"][piece] for piece in SCORED[search]))


def with_sum(rows: Sequence[Row]) -> list[Row]:
    """The rows, and all of them together."""
    together = {key: sum(row[key] for row in rows) for key in ("sentences", "arcs")}
    seconds = {piece: sum(row["seconds"][piece] for row in rows) for piece in rows[0]["seconds"]}
    return [*rows, {"length": "all", **together, "seconds": seconds}]


def draw(rows: Sequence[Row]) -> Any:
    shown = searches(rows)
    figure, axes = new_figure(1, len(shown), size=(4.6 * len(shown), 4.2))
    lengths = [int(row["length"].split("-")[0]) + WIDTH // 2 for row in rows]
    for panel, search in zip(axes.flat, shown, strict=True):
        for label, marker, colour, seconds in (
            ("scoring", "o", UNPRUNED, [scoring(row, search) for row in rows]),
            ("searching", "s", LEARNED, [row["seconds"][search] for row in rows]),
        ):
            each = [1e3 * s / row["sentences"] for s, row in zip(seconds, rows, strict=True)]
            panel.plot(lengths, each, f"{marker}-", color=colour, label=label)
        panel.set(yscale="log", xlabel="words", ylabel="ms (CPU) a sentence")
        panel.set_title(TITLES[search], loc="left", fontsize=10)
        panel.legend(frameon=False, fontsize=8)
    for panel in axes.flat:
        panel.sharey(axes[0, 0])
    return figure


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, partial(show, pictures))


def show(pictures: Pictures, name: str, rows: Sequence[Row]) -> str:
    header = ["words", "sentences", "arcs", *rows[0]["seconds"]]
    header += [f"scoring's share, {TITLES[search]}" for search in searches(rows)]
    lines = []
    for row in with_sum(rows):
        count, seconds = row["sentences"], row["seconds"]
        lines.append([row["length"], f"{count}", f"{row['arcs'] / count:,.0f}"])
        lines[-1] += [f"{1e6 * spent / count:,.1f}" for spent in seconds.values()]
        for search in searches(rows):
            scored = scoring(row, search)
            lines[-1].append(f"{scored / (scored + seconds[search]):.1%}")
    picture = pictures(f"{NAME}-{name}", partial(draw, rows))
    return f"{picture}\n{name}, dev, arcs and µs a sentence:\n\n{table(header, lines)}"


def run(case: ArcCase, *, repeat: int = 20) -> None:
    case.result(NAME, lambda: measure(case.model().parts, bank(case.data, "dev"), repeat))
    leave(case.out, sections)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--repeat", type=int, default=20, help="timing runs")
    chosen = parser.parse_args()
    run(case_of(chosen), repeat=chosen.repeat)


if __name__ == "__main__":
    start(main)
