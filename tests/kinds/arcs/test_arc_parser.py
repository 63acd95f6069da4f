"""Dependency parsing as users see it: words, tags, text, streams and long sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from secateur.errors import InputError
from secateur.kinds.arcs.parser import ArcParser
from secateur.kinds.arcs.parts import ArcParts
from secateur.kinds.arcs.ways import FULL
from secateur.metrics import attachment
from secateur.models import parse as parsing
from secateur.models.limits import Limits
from secateur.models.model import Model
from secateur.tasks.arc_locking.history import ALONE, LAST, LOCKED, fates
from secateur.treebanks.dependency_tree import NO_LABEL, DependencyTree
from secateur.treebanks.draw import arcs as draw_arcs
from secateur.treebanks.formats.conll import CONLLX
from toy_dependencies import grown, toy_dependency_model

POINTS = (FULL, "static-0", "static-1", "dagger-0")
Made = Model[ArcParts, DependencyTree]


def parser_at(model: Made, point: str, *, limits: Limits | None = None, tags: Any = None) -> ArcParser:
    parser = model.parser(point, limits=limits, tags=tags)
    assert isinstance(parser, ArcParser)
    return parser


@pytest.fixture(scope="module")
def model() -> Made:
    return toy_dependency_model()


@pytest.mark.parametrize("point", POINTS)
def test_batches_and_jobs_change_nothing(model: Made, point: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parser, trees = parser_at(model, point), grown(30, seed=5)
    alone = [parser.parse(tree) for tree in trees]
    for words, jobs in ((parsing.BATCH, 1), (1, 1), (40, 2), (40, 0)):
        monkeypatch.setattr(parsing.batches, "__defaults__", (words, len))
        piped = list(parser.pipe(iter(trees), jobs=jobs))
        assert [(p.tree, p.work, p.notes) for p in piped] == [(p.tree, p.work, p.notes) for p in alone]
    for tree, parsed in zip(trees, alone, strict=True):
        outcome = parser.task.run(parser.task.encode(tree.words, tree.tags, tree.coarse), parser.policy)
        assert outcome.parts is not None
        assert parsed.tree.heads == tuple(outcome.parts.heads[1:].tolist())
        assert parsed.work.features == outcome.work.features
        parsed.tree.check()


@pytest.mark.parametrize("tags", [None, "gold", "predicted"])
def test_mixed_batches_are_their_sentences(model: Made, tags: Any) -> None:
    """Tagged and untagged, short and long, plain and strange."""
    trees = [tree for tree in grown(20, seed=5) if len(tree) <= 20]
    joined = tuple(w for tree in trees for w in tree.words)
    odd = ("\x01", "樹", "e\u0301", "(", "1990", " ", "x" * 200)
    none = ("_",) * len(odd)
    given = [
        trees[0],
        joined,
        DependencyTree(odd, none, none, (), ()),
        DependencyTree(odd, odd, odd, (), ()),
        ["oak"],
        trees[1].without_heads(),
        "The cat (a dog) slept.",
    ]
    for on_long in ("skip", "flat", "degrade"):
        parser = parser_at(model, "dagger-0", limits=Limits(words=20, on_long=on_long), tags=tags)
        alone, piped = [parser.parse(one) for one in given], list(parser.pipe(given))
        assert [replace(p, seconds=0) for p in piped] == [replace(p, seconds=0) for p in alone]
        assert [p.degraded for p in piped] == [False, True, *[False] * 5]
        assert piped[2].tree.words == odd


def test_decisions_save_templates_and_keep_most_heads(model: Made) -> None:
    trees = grown(60, seed=5)
    found = {point: list(parser_at(model, point).pipe(trees)) for point in POINTS}
    uas = {point: attachment(trees, [p.tree for p in parses]).uas for point, parses in found.items()}
    work = {point: sum(p.work.features for p in parses) for point, parses in found.items()}
    assert work["static-0"] < work["dagger-0"] < work[FULL]
    assert uas["static-0"] < uas["dagger-0"]
    assert uas["dagger-0"] > uas[FULL] - 3


def test_tags_are_kept_and_labels_new(model: Made) -> None:
    parser, tree = parser_at(model, FULL), grown(1, seed=5)[0]
    odd = tree.with_tags(("NN",) * len(tree))
    assert parser.parse(odd).tree.tags == odd.tags
    assert parser.parse(tree.words, tree.tags).tree.tags == tree.tags
    assert NO_LABEL not in parser.parse(tree).tree.labels
    bare = (
        parser_at(replace(model, parts=replace(model.parts, labeller=None)), FULL)
        .parse(tree.without_heads())
        .tree
    )
    assert set(bare.labels) == {NO_LABEL}
    assert bare.heads == parser.parse(tree).tree.heads


def test_words_without_tags_get_them_from_the_tagger(model: Made) -> None:
    assert model.parts.tagger is not None
    tree = grown(1, seed=5)[0]
    ((tags, coarse),) = model.parts.tagger.tag([tree.words])
    parser = parser_at(model, FULL)
    assert parser.parse(tree.words).tree == parser.parse(tree.words, tags, coarse).tree
    nothing = tree.with_tags(("_",) * len(tree), ("_",) * len(tree))
    assert parser.parse(nothing).tree.tags == tags
    odd = tree.with_tags(("NN",) * len(tree))
    assert parser_at(model, FULL, tags="predicted").parse(odd).tree.tags == tags


def test_without_a_tagger_words_need_tags(model: Made) -> None:
    untagged = replace(model, parts=replace(model.parts, tagger=None))
    with pytest.raises(InputError, match="no tagger; give a tag for every word"):
        parser_at(untagged, FULL).parse(["oaks", "grow"])
    assert parser_at(untagged, FULL).parse(["oaks", "grow"], ["NNS", "VBP"]).tree.words == ("oaks", "grow")
    with pytest.raises(InputError, match="no tagger"):
        parser_at(untagged, FULL, tags="predicted")
    with pytest.raises(InputError, match="coarse tags without"):
        parser_at(model, FULL).parse(["oaks", "grow"], coarse=["NN", "VB"])
    with pytest.raises(InputError, match="1 values for 2 words"):
        parser_at(model, FULL).parse(["oaks", "grow"], ["NNS"])
    with pytest.raises(InputError, match="empty sentence"):
        parser_at(model, FULL).parse([])


def test_raw_text_keeps_its_spelling_and_is_seen_in_the_models(model: Made) -> None:
    parsed = parser_at(model, FULL)("The cat (a dog) slept.")
    assert parsed.tree.words == ("The", "cat", "(", "a", "dog", ")", "slept", ".")
    assert [p.tree for p in parser_at(model, FULL).pipe(["The cat (a dog) slept."])] == [parsed.tree]
    seen = parser_at(model, FULL).parse(["The", "cat", "-LRB-", "a", "dog", "-RRB-", "slept", "."]).tree
    assert (parsed.tree.tags, parsed.tree.heads) == (seen.tags, seen.heads)
    assert str(parsed).splitlines()[2].startswith("3\t(\t")
    plain = replace(model, parts=replace(model.parts, penn=False))
    (seen,) = parser_at(plain, FULL).seen([plain.kind.annotation.sentence(parsed.tree)])
    assert seen.words == parsed.tree.words


def test_the_text_it_came_from_stays(model: Made) -> None:
    text = "1\toaks\toak\tNN\tNNS\tx=y\t_\t_\t_\t_\n2\tgrow\tgrow\tVB\tVBP\t_\t_\t_\t_\t_\n\n"
    (tree,) = CONLLX.read(text.splitlines(keepends=True), heads="optional")
    parsed = parser_at(model, FULL).parse(tree).tree
    lines = CONLLX.write(parsed).splitlines()
    assert [line.split("\t")[:6] for line in lines[:2]] == [
        line.split("\t")[:6] for line in text.splitlines()[:2]
    ]
    assert [int(line.split("\t")[6]) for line in lines[:2]] == list(parsed.heads)


def test_long_sentences(model: Made) -> None:
    trees = grown(12, seed=5)
    words = tuple(w for tree in trees for w in tree.words)
    tags = tuple(t for tree in trees for t in tree.tags)
    pieces = parser_at(model, FULL, limits=Limits(words=30)).parse(words, tags)
    assert (pieces.degraded, pieces.failed) == (True, False)
    pieces.tree.check()
    flat = parser_at(model, FULL, limits=Limits(words=30, on_long="flat")).parse(words, tags)
    assert (flat.degraded, flat.failed) == (True, True)
    flat.tree.check()
    skipped = parser_at(model, FULL, limits=Limits(words=30, on_long="skip")).parse(words, tags)
    assert (skipped.tree.heads, skipped.degraded, skipped.failed) == ((), True, True)
    mixed = parser_at(model, FULL, limits=Limits(words=30)).pipe(
        [trees[0], trees[0].with_tags(trees[0].tags)]
    )
    assert [p.degraded for p in mixed] == [False, False]
    siblings = toy_dependency_model(siblings=True)
    small = parser_at(siblings, FULL, limits=Limits(chart_bytes=4 * 21**3)).parse(words[:40], tags[:40])
    assert small.degraded
    small.tree.check()


@pytest.mark.parametrize("siblings", [False, True])
def test_histories_add_up(siblings: bool) -> None:
    model = toy_dependency_model(siblings=siblings)
    seen = set()
    for point in POINTS:
        parser = parser_at(model, point)
        for tree in grown(20, seed=5):
            x = parser.task.encode(tree.words, tree.tags, tree.coarse)
            outcome = parser.task.run(x, parser.policy)
            history = fates(parser.task, x, parser.policy)
            assert outcome.parts is not None
            assert [fate.head for fate in history] == outcome.parts.heads[1:].tolist()
            assert sum(fate.templates for fate in history) == outcome.work.features
            assert max(fate.stage for fate in history) <= outcome.parts.stage
            if point == "dagger-0":
                seen |= {fate.how for fate in history}
            elif not siblings:
                assert {fate.how for fate in history} == {LAST}
    assert seen == {LOCKED, ALONE, LAST}


def test_trees_are_drawn() -> None:
    tree = DependencyTree(
        ("she", "saw", "an", "oak"),
        ("PRP", "VBD", "DT", "NN"),
        ("PR", "VB", "DT", "NN"),
        (2, 0, 4, 2),
        ("nsubj", "root", "det", "obj"),
    )
    assert draw_arcs.text(tree) == "\n".join(
        (
            " ┌─► she  PRP  nsubj",
            "┌┴─* saw  VBD  root",
            "│┌─► an   DT   det",
            "└┴─► oak  NN   obj",
        )
    )
    crossing = tree.with_heads((3, 4, 0, 3), tree.labels)
    assert "┼" in draw_arcs.text(crossing)
    assert draw_arcs.text(tree.without_heads()).splitlines()[0].split() == ["she", "PRP"]
