"""EVALB: the reference cases, a slow twin over random trees, and what must hold of any score."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from naive.evalb import evalb, is_retagged
from secateur.errors import InputError
from secateur.metrics import (
    COLLINS,
    Counts,
    Parameters,
    Status,
    crossing_spans,
    evaluate,
    match_spans,
    prepare,
    score,
    sum_counts,
)
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.text import escape
from secateur.treebanks.tree import Leaf, Span, Tree

untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PLAIN = replace(COLLINS, root=False)
# Labels that overlap in a chain (equality is not transitive), equal words, and quotes one side may delete.
QUOTING = Parameters(
    delete_labels=frozenset({"TOP", "-NONE-", ",", ".", "''"}),
    delete_for_length=frozenset({"-NONE-", "''"}),
    equal_labels=frozenset({("ADVP", "PRT"), ("PRT", "PP"), ("X", "TOP")}),
    equal_words=frozenset({("a", "b"), ("b", "c")}),
    quote_labels=frozenset({"''", "POS", "NN"}),
    root=False,
)
PHRASES = ("S", "NP", "NP-SBJ", "NP=2", "ADVP", "PRT", "PP", "X", "TOP", "-NONE-", "")
# Words with the tags they may bear: counted, deleted, or either.
COUNTED = ("NN", "NN-X", "PRT", "ADVP", "POS")
WORDS = (
    *((word, COUNTED) for word in "aabbc"),
    *((word, (",", ".", "-NONE-", "TOP")) for word in "ab"),
    *((word, ("POS", "''")) for word in "'/"),
    *((word, COUNTED) for word in ("[", "x]")),
)
Word = tuple[str, tuple[str, ...]]


def cases() -> list[Path]:
    data = os.environ.get("SECATEUR_DATA")
    return sorted(Path(data, "evalb-cases").glob("*.json")) if data else []


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem) for path in cases()]
    or [pytest.param(None, marks=pytest.mark.skip(reason="SECATEUR_DATA is unset"))],
)
@pytest.mark.parametrize("parameters", [COLLINS, PLAIN], ids=["root", "plain"])
def test_reference_case(path: Path, parameters: Parameters) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    golds, tests = (
        [read_tree(pair[side], empty=True) for pair in case["input"]["pairs"]] for side in ("gold", "test")
    )
    found = evaluate(golds, tests, parameters)
    assert [sentence.to_dict() for sentence in found.sentences] == case["expected"]["sentences"]
    figures = found.total.to_dict()
    renamed = {"complete": "complete_match", "no_crossing": "without_crossing"}
    for name, expected in case["expected"]["totals"].items():
        assert figures[renamed.get(name, name)] == expected, name


# Random trees: a shape of nested lists first, so that two trees can stand over the same words.


def sentences() -> st.SearchStrategy[list[Word]]:
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)


@st.composite
def trees(draw: st.DrawFn, words: list[Word]) -> Tree:
    """Any tree over the words, chains included."""

    def build(i: int, k: int, depth: int) -> Tree:
        if k - i == 1 and (depth > 4 or draw(st.booleans())):
            word, tags = words[i]
            return Tree(draw(st.sampled_from(tags)), (Leaf(i, word),))
        inner = st.integers(i + 1, k - 1)
        cuts = draw(st.sets(inner, min_size=int(depth > 2))) if k - i > 1 else set()
        children = tuple(build(a, b, depth + 1) for a, b in pairwise([i, *sorted(cuts), k]))
        return Tree(draw(st.sampled_from(PHRASES)), children)

    tree = build(0, len(words), 0)
    return Tree("TOP", (tree,)) if draw(st.booleans()) else tree


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Two trees over the same words, now and then over words of their own."""
    words = draw(sentences())
    others = words if draw(st.integers(0, 9)) else draw(sentences())
    if draw(st.booleans()):
        others = [(escape(word), tags) for word, tags in others]
    return draw(trees(words)), draw(trees(others))


BY_GOLD = tuple(replace(parameters, by_gold_tags=True) for parameters in (PLAIN, QUOTING))


@untimed
@given(pairs(), st.sampled_from([PLAIN, QUOTING, replace(QUOTING, labelled=False), *BY_GOLD]))
def test_slow_twin_agrees(pair: tuple[Tree, Tree], parameters: Parameters) -> None:
    gold, test = pair
    found = score(gold, test, parameters)
    assert found.to_dict() == evalb(str(gold), str(test), parameters)
    assert found.counts.retagged == is_retagged(str(gold), str(test), parameters)


def test_a_parse_with_other_tags_is_scored_by_the_gold_tags() -> None:
    gold = read_tree("(TOP (S (NP (NN owls)) (, ,) (VP (VBP sing) (ADVP (RB well))) (. .)))")
    test = read_tree("(TOP (S (NP (NN owls) (NN ,)) (VP (VBP sing) (ADVP (, well))) (. .)))")
    assert score(gold, test).status is Status.ERROR
    assert score(gold, test).counts.retagged == 0
    parameters = replace(COLLINS, by_gold_tags=True)
    status, counts = score(gold, test, parameters)
    assert status is Status.SCORED
    assert (counts.retagged, counts.words, counts.tags) == (1, 3, 2)
    assert (counts.gold, counts.test, counts.matched) == (4, 4, 4)  # the comma is in no span any more
    assert score(prepare(gold, parameters), prepare(test, parameters), parameters) == (status, counts)
    # Other words: as before.
    other = read_tree("(TOP (S (NP (NN owls)) (, ,) (VP (VBP sang) (RB well)) (. .)))")
    assert score(gold, other, parameters) == score(gold, other)
    assert score(gold, gold, parameters) == score(gold, gold)


def test_brackets_may_be_spelt_in_either_way() -> None:
    gold, test = (read_tree(f"(TOP (NP (NN a) (-LRB- {w}) (NN b)))") for w in ("[", "-LSB-"))
    assert score(gold, test).status is Status.ERROR
    for pair in ((gold, test), (test, gold)):
        status, counts = score(*pair, replace(COLLINS, by_gold_tags=True))
        assert (status, counts.words, counts.f1, counts.retagged) == (Status.SCORED, 3, 100, 0)


@untimed
@given(pairs())
def test_by_gold_tags_every_parse_of_the_words_is_scored(pair: tuple[Tree, Tree]) -> None:
    gold, test = pair
    assume([*map(escape, gold.words())] == [*map(escape, test.words())] and prepare(gold).words)
    found = score(gold, test, BY_GOLD[0])
    plain = score(gold, test, PLAIN)
    assert found.status is Status.SCORED
    assert found.counts.words == len(prepare(gold).words)
    if not found.counts.retagged and gold.words() == test.words():
        assert found == plain


def test_points_are_scored_on_the_same_sentences() -> None:
    gold = [read_tree(f"(TOP (NP (NN a) {'(NN b)' * n} (, ,) (NN c)))") for n in range(5)]
    parses = [
        read_tree(f"(TOP (NP (NN a) {'(NN b)' * n} ({tag} ,) (NN c)))") for n, tag in enumerate(",:NXX")
    ]
    plain = evaluate(gold, parses)
    assert (plain.total.valid, plain.total.errors) == (2, 3)
    found = evaluate(gold, parses, replace(COLLINS, by_gold_tags=True))
    assert (found.total.valid, found.total.errors, found.total.retagged) == (5, 0, 3)
    assert found.to_dict()["total"]["retagged"] == 3
    assert "punctuation ignored by gold tags" in found.protocol


def test_nothing_scored() -> None:
    tree, other = read_tree("(TOP (NP (NN a)))"), read_tree("(TOP (NP (NN b)))")
    assert evaluate([tree], [other]).nothing_scored
    assert evaluate([], []).nothing_scored
    assert not evaluate([tree, tree], [other, tree]).nothing_scored


@untimed
@given(sentences().flatmap(trees))
def test_a_tree_agrees_with_itself(tree: Tree) -> None:
    assume(prepare(tree).words)
    status, counts = score(tree, tree)
    assert status is Status.SCORED
    assert counts.gold == counts.test == counts.matched == len(prepare(tree).spans)
    assert (counts.tags, counts.crossing, counts.complete) == (counts.words, 0, 1)
    assert counts.f1 == (100 if counts.gold else 0)


@untimed
@given(pairs())
def test_swapping_the_trees_swaps_precision_and_recall(pair: tuple[Tree, Tree]) -> None:
    there, back = score(*pair), score(*reversed(pair))
    assume(there.status is Status.SCORED)
    a, b = there.counts, back.counts
    assert (a.precision, a.recall, a.matched) == (b.recall, b.precision, b.matched)
    assert a.f1 == pytest.approx(b.f1)
    assert a.matched <= min(a.gold, a.test)


@untimed
@given(st.lists(st.tuples(pairs(), st.integers(0, 2)), max_size=6))
def test_counts_add_up_over_any_partition(parts: list[tuple[tuple[Tree, Tree], int]]) -> None:
    whole = evaluate([gold for (gold, _), _ in parts], [test for (_, test), _ in parts])
    groups = [sum_counts(score(*pair).counts for pair, group in parts if group == g) for g in range(3)]
    assert groups[0] + groups[1] + groups[2] == whole.total == sum_counts(groups)
    total = whole.total
    assert total.sentences == total.valid + total.errors + total.skipped == len(parts)


def test_figures_of_a_hand_made_pair() -> None:
    gold = read_tree("(TOP (S (NP (DT the) (NN owl)) (VP (VBD sang) (PP (IN in) (NP (NN rain)))) (. .)))")
    test = read_tree("(TOP (S (NP (DT the) (NN owl) (VBD sang)) (VP (IN in) (NP (NNS rain))) (. .)))")
    counts = score(gold, test).counts
    assert (counts.gold, counts.test, counts.matched, counts.crossing) == (5, 4, 2, 1)
    assert (counts.length, counts.words, counts.tags) == (6, 5, 4)
    assert (counts.precision, counts.recall) == (50, 40)
    assert counts.f1 == pytest.approx(400 / 9)
    assert (counts.complete_match, counts.without_crossing, counts.up_to_two_crossing) == (0, 0, 100)
    assert (counts.tag_accuracy, counts.average_crossing) == (80, 1)


@pytest.mark.parametrize(
    ("gold", "test", "status"),
    [
        ("(TOP (NP (NN a)))", "(TOP (NP (, a)))", Status.SKIPPED),  # no counted word in the parse
        ("(TOP (NP (NN a)))", "(TOP )", Status.SKIPPED),
        ("(TOP (NP (NN a) (NN b)))", "(TOP (NP (NN a) (, b)))", Status.ERROR),  # counted on one side only
        ("(TOP (NP (NN a)))", "(TOP (NP (NN b)))", Status.ERROR),
        ("(TOP (NP (, a)))", "(TOP (NP (NN a)))", Status.ERROR),
        ("(TOP )", "(TOP (NP (NN a)))", Status.ERROR),
        ("(TOP (NP (, a) (NN b)))", "(TOP (NP (: a) (NN b)))", Status.SCORED),
    ],
)
def test_status(gold: str, test: str, status: Status) -> None:
    found = score(read_tree(gold, empty=True), read_tree(test, empty=True))
    assert found.status is status
    if status is not Status.SCORED:
        assert found.to_dict() == dict.fromkeys(found.to_dict(), 0) | {
            "status": status,
            "length": prepare(read_tree(gold, empty=True)).length,
        }


@pytest.mark.parametrize("outer", ["", "ROOT", "VROOT", "S1"])
def test_other_outer_labels_count_as_top(outer: str) -> None:
    gold = read_tree("(TOP (S (NP (NN a)) (VP (VB b))))")
    test = Tree(outer, gold.children)
    assert score(gold, test).counts.f1 == 100
    assert score(gold, test).counts.test == 3
    assert score(gold, test, PLAIN).counts.test == 4
    inner = Tree("TOP", (Tree("ROOT", gold.children),))  # only the outermost bracket is renamed
    assert score(gold, inner).counts.test == 4


def test_quotes_deleted_on_one_side_are_restored() -> None:
    gold = read_tree("(TOP (NP (NP (NNS owls)) (POS ') (NN song)))")
    test = read_tree("(TOP (NP (NP (NNS owls) ('' ')) (NN song)))")
    assert score(gold, test, COLLINS).status is Status.ERROR
    parameters = replace(COLLINS, quote_labels=frozenset({"POS", "''"}))
    assert score(gold, test, parameters).to_dict() == {
        "status": 0,
        "length": 3,
        "words": 3,
        "tags": 2,
        "gold": 2,
        "test": 2,
        "matched": 1,
        "crossing": 0,
    }


def test_trees_that_evalb_cannot_read() -> None:
    crossed = Tree("S", (Tree("X", (Tree("A", (Leaf(0, "a"),)), Tree("C", (Leaf(2, "c"),)))),))
    crossed = Tree("S", (*crossed.children, Tree("B", (Leaf(1, "b"),))))
    with pytest.raises(InputError, match="discontinuous"):
        prepare(crossed)
    with pytest.raises(InputError, match="tag over each word"):
        prepare(Tree("NP", (Tree("DT", (Leaf(0, "the"),)), Leaf(1, "owl"))))


def test_span_functions() -> None:
    gold = [Span("S", 0, 4), Span("NP", 0, 2), Span("NP", 0, 2), Span("VP", 2, 4)]
    test = [Span("S", 0, 4), Span("NP", 0, 2), Span("X", 1, 3), Span("Y", 2, 4)]
    assert match_spans(gold, test) == 2
    assert match_spans(gold, test, labelled=False) == 3
    assert match_spans(gold, test, equal=frozenset({("VP", "Y")})) == 3
    assert crossing_spans(gold, test) == 1


def test_unequal_numbers_of_trees() -> None:
    tree = read_tree("(TOP (NP (NN a)))")
    with pytest.raises(InputError, match="3 gold trees but 1 to score"):
        evaluate([tree] * 3, [tree])
    with pytest.raises(InputError, match="1 gold trees but 3 to score"):
        evaluate(iter([tree]), iter([tree] * 3))


def test_evaluation_by_length_and_cutoff() -> None:
    def flat(n: int) -> Tree:
        return read_tree(f"(TOP (NP {'(NN a)' * n} (. .)))")

    lengths = [1, 3, 9, 10, 39, 40, 60]
    found = evaluate(map(flat, lengths), map(flat, lengths), failed=[True, False, True])
    rows = found.by_length((10, 20, 41))
    assert [(row.name, row.counts.sentences) for row in rows] == [
        ("1-10", 3),
        ("11-20", 1),
        ("21-41", 2),
        ("42+", 1),
    ]
    assert sum_counts(row.counts for row in rows) == found.total
    assert found.up_to_cutoff.sentences == 5  # the stop counts for the length: 41 words are too many
    assert found.total.failures == 2
    with pytest.raises(InputError, match="grow"):
        found.by_length((10, 10))
    # A class without sentences has no figures, and no row.
    assert [row.name for row in found.by_length((20, 30, 35, 70))] == ["1-20", "36-70"]


def test_evaluation_as_data() -> None:
    tree = read_tree("(TOP (NP (NN a)))")
    found = evaluate([tree, tree], [tree, read_tree("(TOP (NP (NN b)))")])
    data = json.loads(json.dumps(found.to_dict()))
    assert data["protocol"] == found.protocol == COLLINS.protocol()
    assert (data["total"]["f1"], data["total"]["errors"], data["cutoff"]) == (100, 1, 40)
    assert [sentence["status"] for sentence in data["sentences"]] == [0, 1]
    assert "sentences" not in found.to_dict(sentences=False)
    assert not found.too_many_errors
    strict = replace(COLLINS, max_error=0)
    wrong = [read_tree("(TOP (NP (NN b)))")] * 2
    assert not evaluate([tree], wrong[:1], strict).too_many_errors  # the program stops one error late
    assert evaluate([tree] * 2, wrong, strict).too_many_errors


def test_sum_of_nothing() -> None:
    assert sum_counts([]) == Counts()
    assert all(value == 0 for value in Counts().to_dict().values())
