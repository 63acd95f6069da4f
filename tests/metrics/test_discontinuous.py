"""Discontinuous scores: against disco-dop's figures, a plain twin, and by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.metrics import PROPER, DiscontinuousParameters, Matches, Parameters, confidence, sum_matches
from secateur.metrics.discontinuous import DiscontinuousScores, DiscontinuousScoring, discontinuous
from secateur.metrics.position_sets import has_gap, read_discontinuous_parameters
from secateur.metrics.scores import SCORING
from secateur.treebanks.formats import discbracket
from secateur.treebanks.formats.discbracket import read_tree
from secateur.treebanks.tree import Leaf, Tree

DATA = Path(__file__).parent / "data"


def trees(name: str) -> Iterator[Tree]:
    with (DATA / name).open(encoding="utf-8") as lines:
        yield from discbracket.read(lines)


def scores(parameters: DiscontinuousParameters = PROPER) -> DiscontinuousScores:
    return discontinuous(trees("garden-gold.dbr"), trees("garden-system.dbr"), parameters)


# disco-dop --------------------------------------------------------------------------------------------------


def test_disco_dop_to_the_last_digit() -> None:
    """What its evaluation prints for these trees of the garden."""
    found = scores()
    total, figures = found.total, found.total.figures()
    assert (total.sentences, max(each.length for each in found.sentences)) == (80, 39)
    assert (total.gold, total.gapped_gold, total.test, total.gapped_test) == (995, 102, 1029, 116)
    printed = {
        "recall": "94.07",
        "precision": "90.96",
        "f1": "92.49",
        "exact_match": "25.00",
        "tag_accuracy": "100.00",
        "discontinuous_recall": "96.08",
        "discontinuous_precision": "84.48",
        "discontinuous_f1": "89.91",
        "discontinuous_exact_match": "71.19",
    }
    assert {name: f"{figures[name]:.2f}" for name in printed} == printed
    assert figures["coverage"] == 100
    assert found.figures() == {"F1": figures["f1"], "discontinuous F1": figures["discontinuous_f1"]}


def test_disco_dop_with_discontinuous_brackets_only() -> None:
    found = scores(replace(PROPER, only=True))
    total, figures = found.total, found.total.figures()
    assert (total.scored, total.gold, total.test) == (59, 102, 116)
    assert [f"{figures[name]:.2f}" for name in ("recall", "precision", "f1", "exact_match")] == [
        "96.08", "84.48", "89.91", "71.19"
    ]  # fmt: skip
    assert found.accuracy == found.figures()["discontinuous F1"]


def test_the_usual_parameters_are_those_of_disco_dop(data: Path) -> None:
    found = read_discontinuous_parameters(data / "disc-samples" / "proper.prm")
    assert replace(found, evalb=replace(found.evalb, name=PROPER.evalb.name)) == PROPER


# A plain twin -----------------------------------------------------------------------------------------------

WORDS = ["cat", ",", "-", "the", "-LRB-"]
TAGS = ["NN", "punct", "RB", "$,"]
LABELS = ["S", "NP", "ADVP", "PRT", "ROOT", "NOPARSE"]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Two trees of the same words, with tags of their own."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7))

    def node(positions: list[int], depth: int) -> Tree:
        if len(positions) == 1 and (depth > 2 or draw(st.booleans())):
            return Tree(draw(st.sampled_from(TAGS)), (Leaf(positions[0], words[positions[0]]),))
        groups: dict[int, list[int]] = {}
        for position in positions:
            groups.setdefault(position if depth > 2 else draw(st.integers(0, 2)), []).append(position)
        children = tuple(node(group, depth + 1) for group in sorted(groups.values()))
        return Tree(draw(st.sampled_from(LABELS)), children)

    gold = node(list(range(len(words))), 0)
    return gold, gold if draw(st.booleans()) else node(list(range(len(words))), 0)


def plainly(gold: Tree, test: Tree) -> dict[str, int]:
    """Every phrase as a set of words, compared with every other."""
    left_out = {"NOPARSE", "TOP", "ROOT", "VROOT", "punct", "$,"}
    tagged = [(node.label, node.words()[0], node.indices()[0]) for node in gold.preterminals()]
    kept = sorted(p for tag, word, p in tagged if tag not in left_out and word not in (",", "-", "-LRB-"))

    def phrases(tree: Tree) -> list[tuple[str, tuple[int, ...]]]:
        found = []
        for node in tree.nodes():
            covered = tuple(kept.index(p) for p in node.indices() if p in kept)
            if not node.is_preterminal and node.label not in left_out and covered:
                found.append((node.label.replace("PRT", "ADVP"), covered))
        return found

    def gapped(found: list[tuple[str, tuple[int, ...]]]) -> list[tuple[str, tuple[int, ...]]]:
        return [(label, ix) for label, ix in found if list(ix) != list(range(ix[0], ix[-1] + 1))]

    def matched(one: list[tuple[str, tuple[int, ...]]], other: list[tuple[str, tuple[int, ...]]]) -> int:
        free = list(other)
        for each in one:
            if each in free:
                free.remove(each)
        return len(other) - len(free)

    right, found = phrases(gold), phrases(test)
    tags = dict(zip(test.indices(), test.tags(), strict=True))
    return {
        "words": len(kept),
        "tags": sum(tag == tags[p] for tag, _, p in tagged if p in kept),
        "gold": len(right),
        "test": len(found),
        "matched": matched(right, found),
        "exact": int(sorted(right) == sorted(found)),
        "gapped_gold": len(gapped(right)),
        "gapped_test": len(gapped(found)),
        "gapped_matched": matched(gapped(right), gapped(found)),
        "gapped": int(bool(gapped(right) or gapped(found))),
    }


@given(st.lists(pairs(), min_size=1, max_size=4))
def test_equals_its_plain_twin(given: list[tuple[Tree, Tree]]) -> None:
    found = discontinuous([gold for gold, _ in given], [test for _, test in given])
    for each, (gold, test) in zip(found.sentences, given, strict=True):
        expected = plainly(gold, test)
        assert {name: getattr(each, name) for name in expected} == expected
        assert each.gapped_exact <= each.gapped
        assert each.gapped_matched <= each.matched <= min(each.gold, each.test)
        assert each.failures == int("NOPARSE" in {node.label for node in test.nodes()})
    assert found.total == sum(found.sentences[1:], found.sentences[0])
    assert sum_matches(row.counts for row in found.by_length([2, 4])) == found.total
    assert found.remarks() == [] or found.total.retagged


@given(pairs())
def test_all_nodes(pair: tuple[Tree, Tree]) -> None:
    """As in the 2018 paper: nothing is left out."""

    def everything(tree: Tree) -> Counter[tuple[str, tuple[int, ...]]]:
        labels = ["TOP" if tree.label == "ROOT" else tree.label, *(node.label for node in tree.nodes())]
        del labels[1]  # the root's own
        nodes = zip(labels, tree.nodes(), strict=True)
        return Counter((label.replace("PRT", "ADVP"), node.indices()) for label, node in nodes)

    gold, test = map(everything, pair)
    (found,) = DiscontinuousScoring(all_nodes=True).score([pair[0]], [pair[1]]).sentences
    assert (found.gold, found.test) == (gold.total(), test.total())
    assert found.matched == (gold & test).total()
    assert found.words == len(pair[0].leaves())


@given(st.sets(st.integers(0, 12), min_size=1))
def test_gaps(positions: set[int]) -> None:
    expected = len(positions) != max(positions) - min(positions) + 1
    assert has_gap(sum(1 << position for position in positions)) == expected


# By hand ----------------------------------------------------------------------------------------------------

GOLD = "(ROOT (S (VP (W 0=what) (V 3=say)) (, 1=,) (P 2=you)) (. 4=.))"


def one(gold: str, test: str, parameters: DiscontinuousParameters = PROPER) -> Matches:
    return discontinuous([read_tree(gold)], [read_tree(test, empty=True)], parameters).sentences[0]


def test_a_gap_of_nothing_but_punctuation_is_none() -> None:
    text = "(ROOT (S (VP (W 0=what) (V 2=say)) (P 3=you)) (, 1=,))"
    found = one(text, text)
    assert (found.gold, found.gapped_gold, found.exact, found.gapped_exact) == (2, 0, 1, 0)


def test_the_gold_tags_say_what_is_punctuation() -> None:
    test = GOLD.replace("(, 1=,)", "(X 1=,)").replace("(. 4=.)", "(X 4=.)")
    found = one(GOLD, test, replace(PROPER, delete_words=frozenset()))
    assert (found.errors, found.retagged, found.words, found.tags, found.matched) == (0, 1, 3, 3, 2)
    assert one(GOLD, GOLD.replace("(P 2", "(, 2")).tags == 2
    remarks = discontinuous(
        [read_tree(GOLD)], [read_tree(test)], replace(PROPER, delete_words=frozenset())
    ).remarks()
    assert remarks == ["1 sentence with other words tagged as punctuation than in gold: scored by gold tags"]


def test_a_parse_without_punctuation_is_scored() -> None:
    found = one(GOLD, "(ROOT (S (VP (W 0=what) (V 2=say)) (P 1=you)))")
    assert (found.errors, found.matched, found.gold, found.gapped_matched) == (0, 2, 2, 1)


def test_other_words_are_not_scored() -> None:
    found = discontinuous([read_tree(GOLD)], [read_tree(GOLD.replace("you", "they"))])
    assert found.total == Matches(sentences=1, errors=1, length=5)
    assert found.nothing_scored
    assert found.remarks() == ["1 sentence not scored: gold and parsed words differ"]


def test_brackets_in_words_may_be_spelt_in_two_ways() -> None:
    gold = read_tree("(ROOT (S (a 0=-LSB-) (-LRB- 1=-LRB-) (b 2=y)))")
    words = [Tree("a", (Leaf(0, "["),)), Tree("-LRB-", (Leaf(1, "("),)), Tree("b", (Leaf(2, "y"),))]
    (found,) = discontinuous([gold], [Tree("ROOT", (Tree("S", tuple(words)),))]).sentences
    assert (found.errors, found.words, found.matched) == (0, 2, 1)


def test_without_a_parse() -> None:
    """Gold brackets count all the same; a substitute is scored for what it is."""
    found = one(GOLD, "(TOP )")
    assert (found.failures, found.errors, found.gold, found.test, found.tags, found.words) == (
        1,
        0,
        2,
        0,
        0,
        3,
    )
    marked = one(GOLD, GOLD.replace("(S ", "(NOPARSE "))
    assert (marked.failures, marked.gold, marked.test, marked.matched) == (1, 2, 1, 1)
    told = discontinuous([read_tree(GOLD)] * 2, [read_tree(GOLD)] * 2, failed=[True, False])
    assert (told.total.failures, told.total.matched, told.total.figures()["coverage"]) == (1, 4, 50)


def test_a_label_counts_once_for_each_time() -> None:
    double = "(ROOT (S (S (a 0=x) (b 1=y))))"
    assert one(double, "(ROOT (S (a 0=x) (b 1=y)))").matched == 1
    assert one(double, double).matched == 2


def test_unlabelled_and_equal() -> None:
    gold, test = "(ROOT (S (ADVP (a 0=x)) (b 1=y)))", "(ROOT (X (PRT (a 0=x)) (b 1=y)))"
    assert one(gold, test).matched == 1
    assert one(gold, test, replace(PROPER, evalb=replace(PROPER.evalb, labelled=False))).matched == 2
    pairs = frozenset({("A", "B"), ("B", "C"), ("D", "E"), ("S", "X"), ("C", "D")})
    joined = DiscontinuousParameters(Parameters(equal_labels=pairs))
    assert one("(S (A (a 0=x) (b 1=y)))", "(X (E (a 0=x) (b 1=y)))", joined).exact == 1


def test_what_cannot_be_scored() -> None:
    tree = read_tree(GOLD)
    for golds, tests, what in (
        ([tree] * 3, [tree], "3 gold trees but 1 to score"),
        ([tree], [tree] * 2, "1 gold trees but 2 to score"),
        ([tree], [Tree("S", (Leaf(0, "a"), Leaf(1, "b")))], 'sentence 1: no tag stands over "a"'),
    ):
        with pytest.raises(InputError, match=what):
            discontinuous(golds, tests)


# Scores -----------------------------------------------------------------------------------------------------


def test_scores_for_the_commands() -> None:
    found = scores()
    assert found.protocol == (
        "position sets, usual parameters, labelled, punctuation ignored by gold tags and words, all lengths"
    )
    low, high = found.interval()
    assert low < found.accuracy < high
    assert found.intervals()["F1"] == (low, high) == confidence([each.all for each in found.sentences])
    low, high = found.intervals()["discontinuous F1"]
    assert low < found.figures()["discontinuous F1"] < high
    rows = {row[0]: row[1:] for row in found.summary().rows}
    assert rows["labelled F1"] == (found.accuracy, found.up_to_cutoff.all.f1)
    assert rows["discontinuous gold brackets"] == (102, 102)
    table = found.each()
    assert {len(row) for row in table.rows} == {len(table.columns)}
    assert len(table.rows) == 80
    by_length = found.lengths()
    assert {len(row) for row in by_length.rows} == {len(by_length.columns)}
    assert sum(row[1] for row in by_length.rows) == 80  # type: ignore[misc]
    everything = found.to_dict()
    assert everything["total"]["discontinuous_f1"] == found.total.discontinuous.f1
    assert len(everything["sentences"]) == 80
    assert "sentences" not in found.to_dict(sentences=False)


def test_without_discontinuous_brackets_there_is_no_figure_by_length() -> None:
    tree = read_tree("(ROOT (S (a 0=x) (b 1=y)))")
    found = discontinuous([tree], [tree])
    assert found.lengths().rows == [("1-10", 1, 100.0, 100.0, 100.0, "-")]
    assert found.figures() == {"F1": 100.0, "discontinuous F1": 0.0}
    assert found.intervals()["discontinuous F1"] == (0.0, 0.0)


def test_every_result_says_how_it_was_taken() -> None:
    said = {
        replace(PROPER, only=only, all_nodes=nodes, evalb=evalb).protocol()
        for only in (False, True)
        for nodes in (False, True)
        for evalb in (PROPER.evalb, Parameters(), replace(PROPER.evalb, labelled=False))
    }
    assert len(said) == 12
    assert "punctuation counted" in DiscontinuousParameters(Parameters()).protocol()


def test_the_scoring_of_the_annotation(tmp_path: Path) -> None:
    assert SCORING["discontinuous"] is DiscontinuousScoring
    path = tmp_path / "own.prm"
    path.write_text("DELETE_LABEL ROOT\nDISC_ONLY 1\nCUTOFF_LEN 10\n")
    judge = DiscontinuousScoring(prm=path)
    assert judge.said().startswith("position sets, own.prm, labelled, punctuation counted, discontinuous")
    found = judge.score([read_tree(GOLD)], [read_tree(GOLD)], failed=[False])
    assert (found.total.gold, found.accuracy, found.parameters.evalb.cutoff) == (1, 100.0, 10)
    assert "all nodes" in DiscontinuousScoring(all_nodes=True).said()


# Parameter files --------------------------------------------------------------------------------------------


def test_every_keyword(tmp_path: Path) -> None:
    path = tmp_path / "x.prm"
    path.write_text(
        "# one\nDEBUG 0\nMAX_ERROR 3\nCUTOFF_LEN 70\nLABELED 0\nDISC_ONLY 0\nDELETE_LABEL #\n"
        "DELETE_LABEL_FOR_LENGTH X\nDELETE_WORD #\nDELETE_WORD --\nEQ_LABEL A B\nEQ_WORD a b\n"
    )
    assert read_discontinuous_parameters(path) == DiscontinuousParameters(
        Parameters(
            name="x.prm",
            delete_labels=frozenset({"#"}),
            delete_for_length=frozenset({"X"}),
            equal_labels=frozenset({("A", "B")}),
            equal_words=frozenset({("a", "b")}),
            labelled=False,
            cutoff=70,
            max_error=3,
        ),
        delete_words=frozenset({"#", "--"}),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("DELETE_WORDS x", 'unknown keyword "DELETE_WORDS"'),
        ("DELETE_WORD", "DELETE_WORD has 0 values"),
        ("DELETE_WORD a b", "DELETE_WORD has 2 values"),
        ("DISC_ONLY yes", 'DISC_ONLY is 0 or 1, not "yes"'),
        ("CUTOFF_LEN x", '"x" is not a whole number'),
    ],
)
def test_bad_lines_are_located(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.prm"
    path.write_text(f"# one\nDELETE_WORD .\n{line}\n")
    with pytest.raises(InputError, match=message) as caught:
        read_discontinuous_parameters(path)
    assert caught.value.where == f"{path}:3"
    with pytest.raises(InputError, match="cannot be read"):
        read_discontinuous_parameters(tmp_path / "none.prm")
