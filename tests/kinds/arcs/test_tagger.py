"""The tagger: against a slow twin, and what a user may rely on."""

from __future__ import annotations

import json

import numpy as np
import pytest

from naive.tagger import NaiveTagger
from secateur.errors import InputError
from secateur.features.patterns import compiled
from secateur.kinds.arcs.tagger import PATTERNS, Tagger, jackknife, shape
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.garden import garden

TREES = [sample.dependencies for sample in garden(60)]
OTHERS = [sample.dependencies for sample in garden(60, seed=1)]


def sentence(text: str) -> DependencyTree:
    """From words such as ash/NN/N."""
    words, tags, coarse = zip(*(token.split("/") for token in text.split()), strict=True)
    return DependencyTree(words, tags, coarse, (), ())


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger.train(TREES, epochs=4)


@pytest.mark.parametrize("margin", [1, 5])
def test_same_as_the_twin(margin):
    rng = np.random.default_rng(3)
    orders = [rng.permutation(25).tolist() for _ in range(3)]
    options = {"margin": margin, "often": 3, "sure": 6}
    naive = NaiveTagger(TREES[:25], PATTERNS, orders=orders, **options)
    fast = Tagger.train(TREES[:25], epochs=3, seed=3, **options)
    assert fast.lexicon.fixed == naive.fixed
    assert naive.fixed
    assert list(fast.mistakes) == naive.mistakes
    assert naive.mistakes[0] > naive.mistakes[-1]
    given = [tree.words for tree in OTHERS[:25]]
    assert fast.tag(given) == [naive.tag(words) for words in given]


def test_learns_what_it_sees_and_what_is_like_it(tagger):
    assert tagger.mistakes[0] > 5 * tagger.mistakes[-1]
    assert len(tagger.rows.keys) > 4096  # the table has grown
    found = tagger.tag([tree.words for tree in OTHERS])
    right = sum(
        a == b
        for tree, (tags, _) in zip(OTHERS, found, strict=True)
        for a, b in zip(tree.tags, tags, strict=True)
    )
    assert right > 0.85 * sum(map(len, OTHERS))


def test_fine_and_coarse_tags_fit(tagger):
    seen = {pair for tree in TREES for pair in zip(tree.tags, tree.coarse, strict=True)}
    found = {pair for tags in tagger.tag([tree.words for tree in OTHERS]) for pair in zip(*tags, strict=True)}
    assert found <= seen


def test_one_fine_tag_may_have_several_coarse_ones():
    trees = [sentence("to/TO/PART grow/VB/VERB"), sentence("off/RP/ADP to/TO/ADP Kew/NNP/PROPN")] * 8
    tagger = Tagger.train(trees, epochs=5)
    assert tagger.retag(trees[:2]) == trees[:2]


def test_many_at_once_are_as_one_by_one(tagger):
    given = [tree.words for tree in OTHERS]
    assert tagger.tag(given) == [tagger.tag([words])[0] for words in given]


def test_same_seed_same_tagger():
    first, second, other = (Tagger.train(TREES[:20], epochs=2, seed=seed) for seed in (4, 4, 5))
    for name, array in first.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[name])
    assert first.settings() == second.settings()
    assert not np.array_equal(first.rows.weight, other.rows.weight)


def test_nothing_one_word_and_unknown_words(tagger):
    assert tagger.tag([]) == []
    assert tagger.tag([[], ["Quincunxes"], []])[::2] == [((), ()), ((), ())]
    (tags, coarse), (more, _) = tagger.tag([["zyzzyva"], ["\x01", "", "ÆØÅ", "樹"]])
    assert len(tags) == len(coarse) == 1
    assert len(more) == 4


def test_stored_and_loaded(tagger, tmp_path):
    np.savez(tmp_path / "tagger.npz", **tagger.arrays())
    settings = json.loads(json.dumps(tagger.settings()))
    with np.load(tmp_path / "tagger.npz", allow_pickle=False) as stored:
        loaded = Tagger.from_arrays(stored, settings)
    given = [tree.words for tree in OTHERS]
    assert loaded.tag(given) == tagger.tag(given)
    assert loaded.mistakes == tagger.mistakes


def test_parts_that_do_not_fit_are_refused(tagger):
    arrays, settings = tagger.arrays(), tagger.settings()
    with pytest.raises(ValueError, match="ptr has the shape"):
        Tagger.from_arrays({**arrays, "keys": arrays["keys"][1:]}, settings)
    with pytest.raises(ValueError, match="where there are 3"):
        Tagger.from_arrays(arrays, {**settings, "classes": settings["classes"][:3], "fixed": {}})
    with pytest.raises(ValueError, match="class"):
        Tagger.from_arrays(arrays, {**settings, "fixed": {"ash": 1000}})
    with pytest.raises(ValueError, match="missing"):
        Tagger.from_arrays({}, settings)
    with pytest.raises(ValueError, match="all alike"):
        Tagger.from_arrays({**arrays, "keys": np.zeros_like(arrays["keys"])}, settings)
    with pytest.raises(ValueError, match="'fixed'"):
        Tagger.from_arrays(arrays, {**settings, "fixed": {"ash": True}})


def test_the_byte_order_of_another_machine_is_understood(tagger):
    """A pointer in the wrong order was read as it stood, and crashed."""
    foreign = {name: array.astype(array.dtype.newbyteorder()) for name, array in tagger.arrays().items()}
    given = [tree.words for tree in OTHERS]
    assert Tagger.from_arrays(foreign, tagger.settings()).tag(given) == tagger.tag(given)


@pytest.mark.parametrize("trees", [[], [DependencyTree((), (), (), (), ())]])
def test_no_tags_to_learn(trees):
    with pytest.raises(InputError, match="no tags to learn"):
        Tagger.train(trees)


def test_jackknifed_tags_come_from_the_other_folds():
    trees = [sentence("ash/A/A elm/A/A")] * 4 + [sentence("ash/B/B elm/B/B")] * 4
    found = jackknife(trees, folds=2, epochs=2)
    assert [tree.tags for tree in found] == [("B", "B")] * 4 + [("A", "A")] * 4
    assert [tree.words for tree in found] == [tree.words for tree in trees]


def test_jackknifing_keeps_trees_and_does_not_depend_on_threads():
    found = jackknife(TREES[:12], folds=3, epochs=1, threads=3)
    assert found == jackknife(TREES[:12], folds=3, epochs=1, threads=1)
    assert [tree.heads for tree in found] == [tree.heads for tree in TREES[:12]]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Ash", "Xx"), ("elms", "x"), ("1990s", "0x"), ("U.S.", "X.X."), ("A-12", "X-0"), ("", "")],
)
def test_shapes(word, expected):
    assert shape(word) == expected


@pytest.mark.parametrize("pattern", ["colour[w]", "word[x]", "word", "first"])
def test_wrong_patterns_are_named(pattern):
    with pytest.raises(InputError) as error:
        compiled(("word[w] last", f"{pattern} last"), views=("word",), places="w", values=("last",))
    assert repr(pattern) in str(error.value)
