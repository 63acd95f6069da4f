"""Cases of a split grammar over a forest, what the kernels make of them by name, and how it is checked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from naive import forest as naive
from naive.cky import cell_of
from naive.enumerate import Forest as Every
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split import forest, forest_scores
from secateur.kernels.split.forest import NONE, Forest
from secateur.kernels.split.forest_scores import Posteriors
from secateur.kernels.split.tree_em import Blocks
from secateur.testing.strategies import anchors, blocks, grammars, sentences

MANY = 50_000  # choices of sub-symbols, more than which are not listed
BYTES = 1 << 30

Bools = npt.NDArray[np.bool_]
Weighted = list[tuple[naive.Steps, naive.Number]]  # derivations with their probabilities
seeds = st.integers(0, 1 << 32)


@dataclass(frozen=True)
class Case:
    grammar: PCFG
    words: naive.Ids
    blocks: Blocks
    chart: Any = field(repr=False)
    weighted: Weighted  # all there are
    anchors: Anchors = NO_ANCHORS

    def items(self) -> list[naive.Item]:
        """Of the chart."""
        return items_of_chart(self.chart)

    def build(self, base_kept: Bools | None = None, node_kept: Bools | None = None) -> Forest:
        everything = np.ones(len(self.chart.label), bool)
        return forest.build(
            self.grammar.rules,
            self.chart,
            self.words,
            everything if base_kept is None else base_kept,
            everything if node_kept is None else node_kept,
        )


def items_of_chart(chart: Any) -> list[naive.Item]:
    found = [(-1, -1, -1)] * len(chart.label)
    for k in range(1, chart.words + 1):
        for i in range(k):
            for item in range(chart.cell_begin[cell_of(i, k)], chart.cell_end[cell_of(i, k)]):
                found[item] = (int(chart.label[item]), i, k)
    return found


def chart_of(grammar: PCFG, words: naive.Ids, scores: Anchors = NO_ANCHORS) -> Any:
    n = len(words)
    return cky.chart_of(grammar.rules, words, np.ones((n + 1, n + 1), bool), scores, BYTES)


def case_of(
    grammar: PCFG, words: list[str], split: Blocks, many: int = MANY, scores: Anchors = NO_ANCHORS
) -> Case:
    ids = grammar.lexicon.encode(words)
    every = Every(grammar, ids)
    assume(0 < every.size() <= 1000)
    derivations = [d.steps for d in every.derivations()]
    assume(sum(naive.choices(split, steps) for steps in derivations) <= many)
    weighted = [(steps, naive.probability(grammar, split, ids, steps, scores)) for steps in derivations]
    return Case(grammar, ids, split, chart_of(grammar, ids), weighted, scores)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Sentences that have derivations, if not always with some probability; half of them with anchors."""
    grammar = draw(grammars(rules=9))
    words = draw(sentences(longest=5, unknown=False))
    scores = draw(st.just(NO_ANCHORS) | anchors(grammar, len(words)))
    return case_of(grammar, words, draw(blocks(grammar)), scores=scores)


def exact(split: Blocks) -> Blocks:
    """The same in fractions."""
    binary, unary, lexical = (
        np.array([*map(Fraction, p.tolist()), None])[:-1] for p in (split.binary, split.unary, split.lexical)
    )
    return split._replace(binary=binary, unary=unary, lexical=lexical)


def possible(split: Blocks) -> Blocks:
    """The same with no rule impossible: however far apart anchors are, sub-symbols of one item are not."""
    binary, unary, lexical = (np.maximum(p, 1e-9) for p in (split.binary, split.unary, split.lexical))
    return split._replace(binary=binary, unary=unary, lexical=lexical)


def times(scores: Anchors, factor: float) -> Anchors:
    """Further apart."""
    return Anchors(*(part * np.float32(factor) for part in scores))


def run(made: Forest, split: Blocks, scores: Anchors = NO_ANCHORS) -> tuple[float, Posteriors]:
    """The log of the sentence's probability, and posteriors; nothing in them is infinite, or no number."""
    inside = forest_scores.inside(made, split, scores)
    found = forest_scores.outside(made, split, inside, scores)
    for part in (inside.base, inside.node, *found):
        assert np.isfinite(part).all()
        assert (part >= 0.0).all()
    if made.top < 0 or inside.node[made.top, 0] == 0.0:
        return -math.inf, found
    return math.log(inside.node[made.top, 0]) + int(inside.power[made.top]) * math.log(2.0), found


def log_of(p: float | Fraction) -> float:
    """Fractions may be far below what a number holds."""
    if not p:
        return -math.inf
    return math.log(p) if isinstance(p, float) else math.log(p.numerator) - math.log(p.denominator)


def items_of(made: Forest) -> list[naive.Item]:
    """Of a forest: by cells, narrow ones first, none of which holds nothing."""
    cells = [(i, k) for i, k in made.cell.tolist()]
    assert cells == sorted(set(cells), key=lambda cell: (cell[1] - cell[0], cell[0]))
    sizes = np.diff(made.item_ptr.astype(int)).tolist()
    assert min(sizes, default=1) > 0
    spans = [cell for cell, size in zip(cells, sizes, strict=True) for _ in range(size)]
    found = [(x, i, k) for x, (i, k) in zip(made.label.tolist(), spans, strict=True)]
    assert len(set(found)) == len(found) == len(made.entry)
    return found


def in_cells(made: Forest, ptr: naive.Ids, heads: Iterable[int]) -> bool:
    """Whether hyperedges are with the cells of their heads."""
    cells = np.repeat(np.arange(len(made.cell)), np.diff(made.item_ptr.astype(int)))
    return [int(cells[head]) for head in heads] == np.repeat(
        np.arange(len(made.cell)), np.diff(ptr.astype(int))
    ).tolist()


def binaries_of(grammar: PCFG, made: Forest) -> list[naive.Binary]:
    items = items_of(made)
    found = []
    for rule, head, left, right in made.binary.tolist():
        (x, i, k), (y, begin, j), (z, middle, end) = items[head], items[left], items[right]
        assert (i, j, k) == (begin, middle, end)
        assert (x, y, z) == tuple(getattr(grammar.binary, name)[rule] for name in ("parent", "left", "right"))
        found.append((rule, i, j, k))
    assert len(set(found)) == len(found)
    assert in_cells(made, made.binary_ptr, made.binary[:, 1].tolist())
    return found


def unaries_of(grammar: PCFG, made: Forest) -> list[naive.Unary]:
    items = items_of(made)
    found = []
    for rule, head, child in made.unary.tolist():
        (x, *span), (y, *below) = items[head], items[child]
        assert span == below
        assert (x, y) == (grammar.unary.parent[rule], grammar.unary.child[rule])
        found.append((rule, *span))
    assert len(set(found)) == len(found)
    assert in_cells(made, made.unary_ptr, made.unary[:, 1].tolist())
    return found


def tags_of(grammar: PCFG, words: naive.Ids, made: Forest) -> set[naive.Item]:
    """Items that have a lexical entry: the one of their symbol and word."""
    found = set()
    for (x, i, k), entry in zip(items_of(made), made.entry.tolist(), strict=True):
        if entry != NONE:
            assert grammar.lexicon.tag[entry] == x
            assert grammar.lexicon.ptr[words[i]] <= entry < grammar.lexicon.ptr[words[i] + 1]
            assert k == i + 1
            found.add((x, i, k))
    return found


def named(grammar: PCFG, made: Forest, found: Posteriors) -> naive.Posteriors:
    """Posteriors by what they are of, those of 0 included."""
    items = items_of(made)
    names = (binaries_of(grammar, made), unaries_of(grammar, made), items, items)
    return naive.Posteriors(
        math.nan,
        *(dict(zip(part, p.tolist(), strict=True)) for part, p in zip(names, found, strict=True)),  # type: ignore[arg-type]
    )


def check(case: Case, made: Forest, weighted: Weighted) -> Posteriors:
    """A forest's scores are those of these derivations."""
    log, found = run(made, case.blocks, case.anchors)
    expected = naive.posteriors(weighted)
    ours = named(case.grammar, made, found)
    assert log == pytest.approx(log_of(expected.total), rel=1e-9, abs=1e-9)
    for p, sums in zip(ours[1:], expected[1:], strict=True):
        assert sums.keys() <= p.keys()
        # What is nothing must be nothing.
        assert p == pytest.approx(dict.fromkeys(p, 0.0) | sums, rel=1e-9, abs=1e-290)
    if expected.total:
        check_sums(made, found)
    check_best(ours, *forest_scores.max_rule(made, found), weighted)
    return found


def check_sums(made: Forest, found: Posteriors) -> None:
    """The top is certain; a base's hyperedges make it up, and a node's unaries are no more than it."""
    assert found.node[made.top] == pytest.approx(1.0, rel=1e-12)
    binary, unary = np.zeros(len(made.label)), np.zeros(len(made.label))
    np.add.at(binary, made.binary[:, 1], found.binary)
    np.add.at(unary, made.unary[:, 1], found.unary)
    built = made.entry == NONE
    np.testing.assert_allclose(binary[built], found.base[built], rtol=1e-12, atol=1e-300)
    assert (unary <= found.node * (1 + 1e-12) + 1e-300).all()
    # As a base without a unary over it an item is a node as well.
    under = np.zeros(len(made.label))
    np.add.at(under, made.unary[:, 2], found.unary)
    np.testing.assert_allclose(found.node - unary, found.base - under, rtol=1e-9, atol=1e-12)


def check_best(found: naive.Posteriors, steps: npt.NDArray[np.int64], log: float, weighted: Weighted) -> None:
    """A derivation, and none has a larger product of posteriors; there are no steps where none has any."""
    products = {derivation: naive.product_of(found, derivation) for derivation, _ in weighted}
    highest = max(products.values(), default=0.0)
    if highest == 0.0:
        assert (steps.shape, log) == ((0, 5), -math.inf)
        return
    assert log == pytest.approx(math.log(highest), rel=1e-9, abs=1e-12)
    assert products[tuple(map(tuple, steps.tolist()))] == pytest.approx(highest, rel=1e-9)


def exp_blocks(grammar: PCFG) -> Blocks:
    """The grammar's own probabilities, one sub-symbol each."""
    parts: list[Any] = []
    for weight in (grammar.binary.weight, grammar.unary.weight, grammar.lexicon.weight):
        parts += [np.arange(len(weight) + 1, dtype=np.uint64), np.exp(weight)]
    return Blocks(np.ones(len(grammar.symbols), np.uint32), *parts)


def even_blocks(grammar: PCFG, k: int) -> Blocks:
    """The grammar's own probabilities, with k sub-symbols that are the same for each symbol but the start."""
    plain = exp_blocks(grammar)
    splits = np.full(len(grammar.symbols), k, np.uint32)
    splits[grammar.number[grammar.start]] = 1
    parts: list[Any] = []
    for p, symbols in (
        (plain.binary, (grammar.binary.parent, grammar.binary.left, grammar.binary.right)),
        (plain.unary, (grammar.unary.parent, grammar.unary.child)),
        (plain.lexical, (grammar.lexicon.tag,)),
    ):
        below = np.prod([splits[column] for column in symbols[1:]], axis=0, dtype=np.int64)
        sizes = splits[symbols[0]] * below
        parts += [np.append(0, np.cumsum(sizes)).astype(np.uint64), np.repeat(p / below, sizes)]
    return Blocks(splits, *parts)
