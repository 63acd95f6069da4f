"""Features of items: the paper's families, tables that add up to what rows say, and what is told apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcfrs_cases import grammars, sentences
from secateur.errors import InputError
from secateur.features.item import PAPER, TEMPLATES, ItemFeatures
from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kernels.lcfrs import parse as kernel
from secateur.kernels.lcfrs.features import bounds_of
from secateur.kernels.lcfrs.gate import scores_of
from secateur.tasks.hyperedge_pruning.graph import graph_of

VOCABULARY = frozenset("abc")
# Per interval: boundary words, their four conjunctions, those of shapes; per item: its label, the sentence's
# length, positions covered, positions from first to last, and their class.
FAMILIES = {"boundary words": 2, "conjunctions": 4, "shapes": 4}
WHOLE = ("label", "sentence length", "span size", "span length", "width bucket")


def features(grammar: PLCFRS, *, conjoined: bool, labelled: bool = True) -> ItemFeatures:
    spans = SpanFeatures(VOCABULARY, templates=TEMPLATES if conjoined else PAPER, bits=16)
    return ItemFeatures.of_grammar(grammar, spans, conjoined=conjoined, labelled=labelled)


def test_the_eight_families_of_the_paper_for_every_interval() -> None:
    """8 families: three of each interval, up to the grammar's fan-out, and five of the whole item."""
    grammar = PLCFRS.from_text(
        "S(x y z) -> VP(x, z) A(y)\nVP(x, y) -> B(x) C(y)\nA('a') -> 1\nB('b') -> 1\nC('c') -> 1"
    )
    own = features(grammar, conjoined=False)
    most = int(grammar.fanout.max())
    assert most == 2
    assert len(PAPER) == sum(FAMILIES.values())
    assert len(FAMILIES) + len(WHOLE) == 8
    columns = own.columns(["b", "a", "c"])
    number = grammar.number
    symbols = np.array([number["VP"], number["S"]])
    rows = own.rows(columns, symbols, np.array([[0b101, 0], [0b111, 0]], np.uint64)).bucket
    # And what every item has.
    assert rows.shape == (2, most * len(PAPER) + len(WHOLE) + 1)
    assert (rows[0] > 0).all()
    assert (rows[1] == 0).sum() == len(PAPER)  # no second interval
    assert len(set(rows[0].tolist())) == rows.shape[1]  # each is a feature of its own


def test_an_interval_of_a_word_is_another_one_as_the_second() -> None:
    grammar = PLCFRS.from_text(
        "S(x y z) -> VP(x, z) A(y)\nVP(x, y) -> B(x) C(y)\nA('a') -> 1\nB('a') -> 1\nC('a') -> 1"
    )
    own = features(grammar, conjoined=False)
    columns = own.columns(["a", "a", "a"])
    row = own.rows(columns, np.array([grammar.number["VP"]]), np.array([[0b101, 0]], np.uint64)).bucket[0]
    words = row[:2], row[len(PAPER) : len(PAPER) + 2]
    assert words[0].tolist() != words[1].tolist()


@given(st.booleans(), st.booleans(), st.data())
def test_tables_add_up_to_what_rows_say(conjoined: bool, labelled: bool, data: st.DataObject) -> None:
    grammar = data.draw(grammars())
    text = data.draw(sentences())
    words = grammar.lexicon.encode(text)
    graph = graph_of(grammar, words, kernel.chart_of(grammar.rules, words, keep_uses=True))
    own = features(grammar, conjoined=conjoined, labelled=labelled)
    weights = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-9, 9, own.dim)
    weights = (weights / 8).astype(np.float32)  # sums are exact
    columns, symbol = own.columns(text), graph.symbol.astype(np.int64)
    rows = own.rows(columns, symbol, graph.positions)
    bound, parts = bounds_of(graph.positions)
    scores = scores_of(own.gate(columns, weights, grammar.rules), symbol, bound, parts)
    assert np.array_equal(scores, rows.scores(weights))
    assert (rows.bucket == own.bias).any(axis=1).all()
    assert rows.bucket.shape[1] == len(own.names)
    if not labelled:
        unnamed = own.rows(columns, np.full(len(symbol), -1), graph.positions)
        assert np.array_equal(unnamed.bucket, rows.bucket)


@given(st.lists(st.integers(0, (1 << 128) - 1).filter(bool), min_size=1, max_size=9))
def test_boundaries_are_those_of_runs(sets: list[int]) -> None:
    low = (1 << 64) - 1
    bound, parts = bounds_of(np.array([[each & low, each >> 64] for each in sets], np.uint64))
    for each, row, count in zip(sets, bound.tolist(), parts.tolist(), strict=True):
        text = f"0{each:0128b}0"[::-1]
        flips = [p for p in range(129) if text[p] != text[p + 1]]
        assert (count, row[: len(flips)]) == (len(flips) // 2, flips)


def test_wrong_labels_are_refused() -> None:
    with pytest.raises(InputError, match="1 labels, 2 fan-outs"):
        ItemFeatures(SpanFeatures(VOCABULARY), ("A",), (1, 2))
