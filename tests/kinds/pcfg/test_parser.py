"""The parser: trees for words, whatever the words."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naive.cky import viterbi
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.derivation import build_tree
from secateur.grammar.pcfg import PCFG
from secateur.grammar.text import write_grammar
from secateur.kernels.cky.rules import Anchors
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.ways import UNPRUNED
from secateur.models.limits import Limits
from secateur.models.loading import load
from secateur.models.parse import Parse
from secateur.search.core import Policy, Work
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Leaf, Tree
from toy_model import toy_model

GRAMMAR = """
    ROOT -> S 1.0
    S -> NP VP 0.8 | S CS 0.1 | S STOP 0.1
    CS -> C S 1.0
    NP -> D N 0.6 | NP PP 0.2 | N 0.2
    VP -> V NP 0.4 | VP PP 0.2 | V 0.3 | V NP PP 0.1
    PP -> P NP 1.0
    D -> 'the' 1.0
    N -> 'hill' 0.3 | 'birds' 0.5 | 'saw' 0.2
    V -> 'saw' 0.9 | 'birds' 0.1
    P -> 'with' 1.0
    C -> 'and' 1.0
    STOP -> '.' 1.0
"""
CLAUSE = ["birds", "saw", "the", "hill", "with", "birds", "."]
NONE = np.zeros((0, 0), np.float32)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(PCFG.from_text(GRAMMAR))


def assert_whole(parse: Parse[Tree], words: list[str]) -> None:
    """A tree over exactly these words, in order, each under a tag and under nothing else that is a tag."""
    nodes = list(parse.tree.nodes())
    assert [leaf for node in nodes for leaf in node.children if isinstance(leaf, Leaf)] == [
        Leaf(position, word) for position, word in enumerate(words)
    ]
    assert all(node.children for node in nodes)
    assert all(node.is_preterminal or all(isinstance(c, Tree) for c in node.children) for node in nodes)


def test_parse(parser: Parser) -> None:
    parse = parser.parse(["birds", "saw", "the", "hill"])
    assert str(parse) == "(ROOT (S (NP (N birds)) (VP (V saw) (NP (D the) (N hill)))))"
    assert parse.score == pytest.approx(np.log(0.8 * 0.2 * 0.5 * 0.4 * 0.9 * 0.6 * 0.3))
    assert not parse.failed
    assert not parse.degraded
    assert parse.seconds > 0.0


def test_raw_text_and_surface_words(parser: Parser) -> None:
    """Leaves are the words of the text, although the grammar sees them in Penn spelling."""
    grammar = PCFG.from_text("S -> L A 1.0 \n L -> '-LRB-' 1.0 \n A -> '``' 1.0")
    parse = Parser(grammar).parse(["(", "“"])
    assert not parse.failed
    assert str(parse) == "(S (L -LRB-) (A “))"
    assert parser("Birds saw the hill.").tree.words() == ["Birds", "saw", "the", "hill", "."]


def test_long_rules_are_restored(parser: Parser) -> None:
    words = ["birds", "saw", "birds", "with", "birds"]
    assert "(VP (V saw) (NP (N birds)) (PP (P with) (NP (N birds))))" in {
        str(node) for parse in parser.kbest(words, 9) for node in parse.tree.nodes()
    }
    binarized = Parser(parser.grammar, binarized=True).kbest(words, 9)
    labels = {node.label for parse in binarized for node in parse.tree.nodes()}
    assert "VP|<V-NP>" in labels


def test_mask_and_anchors_reach_the_kernel(parser: Parser) -> None:
    words = ["birds", "saw", "the", "hill", "with", "birds"]
    n, labels = len(words), len(parser.grammar.symbols)
    rng = np.random.default_rng(0)
    span, tag = rng.normal(size=(n * (n + 1) // 2, labels)), rng.normal(size=(n, labels))
    mask = np.ones((n + 1, n + 1), np.bool_)
    mask[2, 6] = False
    ids = parser.grammar.lexicon.encode(words)
    given = Anchors(span.astype(np.float32), tag.astype(np.float32))
    expected = viterbi(parser.grammar, ids, mask, given)
    # float64 and other memory orders are taken as well.
    for anchors in (given, Anchors(np.asfortranarray(given.span), given.tag.astype(np.float64))):
        parse = parser.parse(words, mask=np.asfortranarray(mask), anchors=anchors)
        assert parse.score == expected.score
        # 21 spans, but the whole one, 6 words and the pruned one.
        assert parse.work == Work(pushes=expected.pushes, items=expected.items, kept=13)
        assert parse.tree == build_tree(parser.grammar, np.array(expected.steps), words)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"mask": np.ones((3, 3), np.bool_)}, r"the mask has shape \(3, 3\) for 1 words; make it \(2, 2\)"),
        ({"anchors": Anchors(np.zeros((3, 3), np.float32), NONE)}, "span anchors have shape"),
        ({"anchors": Anchors(NONE, np.zeros((3, 3), np.float32))}, "tag anchors have shape"),
        ({"anchors": Anchors(NONE, np.full((1, 13), np.nan, np.float32))}, "tag anchors hold NaN"),
        ({"anchors": Anchors(np.full((1, 13), np.inf, np.float32), NONE)}, "span anchors hold NaN"),
    ],
)
def test_wrong_shapes_and_values(parser: Parser, options: dict[str, Any], complaint: str) -> None:
    assert len(parser.grammar.symbols) == 13
    with pytest.raises(InputError, match=complaint):
        parser.parse(["birds"], **options)


@pytest.mark.parametrize("method", ["parse", "max_recall", "marginals"])
def test_wrong_sentences(parser: Parser, method: str) -> None:
    with pytest.raises(InputError, match="an empty sentence"):
        getattr(parser, method)([])
    with pytest.raises(InputError, match="not one token"):
        getattr(parser, method)(["the hill"])


def test_wrong_limits() -> None:
    with pytest.raises(InputError, match="unknown on_long 'drop'; choose degrade or flat or skip"):
        Limits(on_long="drop")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a limit of 0 words"):
        Limits(words=0)


def test_no_parse_gives_the_flat_tree(parser: Parser) -> None:
    parse = parser.parse(["saw", "the", "gnu"])
    assert parse.failed
    assert not parse.degraded
    assert parse.score == -np.inf
    assert str(parse) == "(ROOT (V saw) (D the) (X gnu))"
    assert parser.marginals(["saw", "the", "gnu"]) is None
    assert parser.max_recall(["saw", "the", "gnu"]).failed


@pytest.mark.parametrize("length", [2, 7, 20])
@pytest.mark.parametrize("chart_bytes", [1, 5_000, 50_000, 1 << 30])
def test_too_little_memory_degrades(parser: Parser, length: int, chart_bytes: int) -> None:
    words = (CLAUSE * 3)[:length]
    small = Parser(parser.grammar, limits=Limits(chart_bytes=chart_bytes))
    parse = small.parse(words)
    assert_whole(parse, words)
    if chart_bytes in (1, 1 << 30):
        assert parse.degraded == (chart_bytes == 1)
    if not parse.degraded:
        assert parse.tree == parser.parse(words).tree
    assert_whole(small.kbest(words, 2)[0], words)
    assert_whole(small.max_recall(words), words)


def test_degraded_pieces_keep_their_tags() -> None:
    """Even where the start symbol is itself a tag, so that a piece is no more than a word and its tag."""
    grammar = PCFG.from_text("S -> S S 0.4 | 'yes' 0.6")
    parse = Parser(grammar, limits=Limits(chart_bytes=1)).parse(["yes"] * 5)
    assert_whole(parse, ["yes"] * 5)
    assert parse.tree.tags() == ["S"] * 5


def test_cut_after_punctuation(parser: Parser) -> None:
    """Pieces end after a stop where there is one, so each is a sentence here."""
    small = Parser(parser.grammar, limits=Limits(words=9))
    parse = small.parse(CLAUSE * 3)
    assert parse.degraded
    assert not parse.failed
    assert_whole(parse, CLAUSE * 3)
    one = parser.parse(CLAUSE)
    assert [str(child) for child in parse.tree.children] == [str(one.tree.children[0])] * 3
    assert parse.score == pytest.approx(3 * one.score)
    assert parse.work == Work(*(3 * count for count in one.work))


@pytest.mark.parametrize("on_long", ["degrade", "flat", "skip"])
@pytest.mark.parametrize("method", ["parse", "max_recall", "kbest"])
def test_ten_thousand_words(parser: Parser, on_long: Any, method: str) -> None:
    words = (CLAUSE * 1500)[:10_000]
    long = Parser(parser.grammar, limits=Limits(words=9, on_long=on_long))
    parse = long.kbest(words, 2)[0] if method == "kbest" else getattr(long, method)(words)
    assert parse.degraded
    if on_long == "skip":
        assert parse.tree == Tree("ROOT", ())
        assert parse.failed
        return
    assert_whole(parse, words)
    assert parse.failed == (on_long == "flat")
    assert parse.tree.label == "ROOT"
    assert (max(len(node.children) for node in parse.tree.nodes()) == 10_000) == (on_long == "flat")


def test_too_long_has_no_marginals(parser: Parser) -> None:
    assert Parser(parser.grammar, limits=Limits(words=6)).marginals(CLAUSE) is None


def test_pipe_in_two_processes_equals_one(parser: Parser) -> None:
    """In order, whatever the portions, with failures and degraded parses among them."""
    rng = np.random.default_rng(5)
    sentences: list[list[str] | Sentence] = [
        [CLAUSE[w] for w in rng.integers(0, 7, size)] for size in rng.integers(1, 30, 60)
    ]
    sentences[10:20] = [CLAUSE[:6]] * 10
    sentences[3] = Sentence.of(CLAUSE)
    limited = Parser(parser.grammar, limits=Limits(words=25))
    here = list(limited.pipe(sentences))
    there = list(limited.pipe(iter(sentences), jobs=2))
    assert len(here) == 60
    assert any(p.failed for p in here)
    assert any(p.degraded for p in here)
    assert any(not p.failed for p in here)
    for a, b in zip(here, there, strict=True):
        assert (a.tree, a.score, a.work, a.failed, a.degraded) == (
            b.tree,
            b.score,
            b.work,
            b.failed,
            b.degraded,
        )


def test_parses_travel(parser: Parser) -> None:
    parse = parser.parse(CLAUSE)
    assert pickle.loads(pickle.dumps(parse)) == parse


# Views of one's own: a saved model knows their names only.
VIEWS = {"ending": lambda word: word[-2:], "start": lambda word: word[:1]}
SENTENCE = ["the", "bird", "saw", "a", "cat", "."]


@pytest.fixture
def viewing(tmp_path: Path) -> Path:
    """A model whose policy "own" keeps the spans that end in a word with "at", and no others."""
    toy = toy_model()
    features = SpanFeatures(frozenset(), ("ending[k-1]", "start[i] word[i]"), VIEWS, bits=16)
    weights = np.zeros(features.dim, np.float32)
    row = features.rows(features.columns(SENTENCE), np.array([[3, 5]], np.int32))
    weights[row[0, 0]] = 1.0
    own = replace(toy.points[-1], name="own", way={"mask": "own", "decode": "viterbi"})
    parts = PcfgParts(toy.parts.grammar, features)
    model = replace(toy, parts=parts, policies={"own": Policy(weights)}, points=[toy.points[0], own])
    model.save(tmp_path / "own.model")
    return tmp_path / "own.model"


def test_load_takes_views(viewing: Path) -> None:
    parser = load(viewing, views=VIEWS, point="own")
    assert parser.parse(SENTENCE).work.kept == 4  # (0, 5), (1, 5), (2, 5) and (3, 5)
    other = load(viewing, views={**VIEWS, "ending": lambda word: "at"}, point="own")
    assert other.parse(SENTENCE).work.kept == 14  # all that are decided


def test_missing_views_are_named(viewing: Path) -> None:
    with pytest.raises(
        InputError, match=r'with it: ending, start; .*views=\{"ending": \.\.\., "start": \.\.\.\}'
    ):
        load(viewing, point="own")
    with pytest.raises(InputError, match=r'with it: start; .*load\(path, views=\{"start": \.\.\.\}\)'):
        load(viewing, views={"ending": VIEWS["ending"]}, point="own")
    # Without pruning, nobody looks.
    assert load(viewing, point=UNPRUNED).parse(SENTENCE).work.kept == 14


def test_a_grammar_has_no_views(parser: Parser, tmp_path: Path) -> None:
    write_grammar(parser.grammar, tmp_path / "toy.gr")
    assert load(tmp_path / "toy.gr").parse(CLAUSE).tree.words() == CLAUSE
    with pytest.raises(InputError, match="leave the views out"):
        load(tmp_path / "toy.gr", views=VIEWS)


def test_known_grammars_parse_the_sample(data: Any) -> None:
    """Every short test sentence has a parse; the shortest have the score of the slow twin."""
    from secateur.grammar.text import read_grammar

    grammar = read_grammar(data / "wsj-grammars" / "eng.R0.gr.gz")
    test = Treebank.read(data / "ptb-sample" / "test.mrg").filter(max_length=15)
    assert len(test) > 50
    parser = Parser(grammar)
    for parse in parser.pipe(tree.words() for tree in test):
        assert not parse.failed
        assert np.isfinite(parse.score)
    shortest = sorted(test, key=lambda tree: (len(tree.words()), str(tree)))[:5]
    for tree in shortest:
        parse = parser.parse(tree.words())
        expected = viterbi(grammar, grammar.lexicon.encode(Sentence.of(tree.words()).penn))
        assert parse.score == expected.score
        n = len(tree.words())
        kept = max(n * (n - 1) // 2 - 1, 0)
        assert parse.work == Work(pushes=expected.pushes, items=expected.items, kept=kept)
        assert parse.tree == build_tree(grammar, np.array(expected.steps), tree.words())


def test_words_of_the_grammar_are_not_respelt() -> None:
    """Treebanks that write quotes and brackets as they are in the text find them again."""
    rules = """
        ROOT -> Q S 0.5 | B S 0.5
        S -> V V 1.0
        V -> 'go' 1.0
        Q -> '"' 0.5 | '``' 0.5
        B -> '[' 0.5 | '-LRB-' 0.5
    """
    parser = Parser(PCFG.from_text(rules))
    for word, tag, leaf in (('"', "Q", '"'), ("“", "Q", "“"), ("[", "B", "-LSB-"), ("(", "B", "-LRB-")):
        parse = parser.parse([word, "go", "go"])
        assert not parse.failed
        assert parse.tree.tags()[0] == tag
        assert parse.tree.words()[0] == leaf
    assert Parser(PCFG.from_text(rules)).marginals(["[", "go", "go"]) is not None
