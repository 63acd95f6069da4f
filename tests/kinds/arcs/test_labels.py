"""The labeller: against a slow twin, and what a user may rely on."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from naive.labeller import NaiveLabeller
from secateur.errors import InputError
from secateur.kinds.arcs.labels import PATTERNS, Labeller
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.garden import garden

TREES = [sample.dependencies for sample in garden(60)]
OTHERS = [sample.dependencies for sample in garden(60, seed=1)]


@pytest.fixture(scope="module")
def labeller() -> Labeller:
    return Labeller.train(TREES, epochs=4)


@pytest.mark.parametrize("margin", [1, 5])
def test_same_as_the_twin(margin):
    rng = np.random.default_rng(3)
    orders = [rng.permutation(25).tolist() for _ in range(3)]
    naive = NaiveLabeller(TREES[:25], PATTERNS, orders=orders, margin=margin, often=4)
    fast = Labeller.train(TREES[:25], epochs=3, seed=3, margin=margin, often=4)
    assert list(fast.mistakes) == naive.mistakes
    assert naive.mistakes[0] > naive.mistakes[-1]
    assert fast.label(OTHERS[:25]) == [naive.label(tree) for tree in OTHERS[:25]]


def test_learns_what_it_sees_and_what_is_like_it(labeller):
    assert labeller.mistakes[0] > 5 * labeller.mistakes[-1]
    found = labeller.label(OTHERS)
    right = sum(
        a == b
        for tree, labels in zip(OTHERS, found, strict=True)
        for a, b in zip(tree.labels, labels, strict=True)
    )
    assert right > 0.9 * sum(map(len, OTHERS))


def test_labels_do_not_come_from_those_there(labeller):
    bare = [replace(tree, labels=("_",) * len(tree)) for tree in OTHERS]
    assert labeller.label(bare) == labeller.label(OTHERS)


def test_many_at_once_are_as_one_by_one(labeller):
    assert labeller.label(OTHERS) == [labeller.label([tree])[0] for tree in OTHERS]
    unparsed = [tree.without_heads() for tree in OTHERS]
    assert labeller.label_found(unparsed, [tree.heads for tree in OTHERS]) == labeller.label(OTHERS)


def test_pairs_of_tags_seen_often_have_no_other_label():
    often = DependencyTree(("ash", "grows"), ("N", "V"), ("N", "V"), (2, 0), ("subject", "root"))
    other = DependencyTree(("ash", "tall"), ("N", "J"), ("N", "J"), (0, 1), ("root", "modifier"))
    labeller = Labeller.train([often] * 3 + [other], epochs=0, often=3)
    assert labeller.label([often]) == [("subject", "root")]
    # Without training all weights are 0, and the first label is chosen where none is ruled out.
    assert labeller.label([other]) == [("modifier", "modifier")]


def test_tags_never_seen(labeller):
    strange = DependencyTree(("\x02", "ÆØÅ"), ("?", "!"), ("?", "!"), (2, 0), ("", ""))
    (labels,) = labeller.label([strange])
    assert set(labels) <= set(labeller.labels)


def test_nothing_and_one_word(labeller):
    nothing = DependencyTree((), (), (), (), ())
    single = DependencyTree(("Rain",), ("NN",), ("NN",), (0,), ("_",))
    assert labeller.label([]) == []
    assert labeller.label([nothing, single, nothing]) == [(), ("root",), ()]


def test_several_roots(labeller):
    tree = DependencyTree(("Rain", "falls"), ("NN", "VBZ"), ("NN", "VB"), (0, 0), ("_", "_"))
    assert len(labeller.label([tree])[0]) == 2


@pytest.mark.parametrize("trees", [[], [replace(tree, labels=("_",) * len(tree)) for tree in TREES[:3]]])
def test_no_labels_to_learn(trees):
    with pytest.raises(InputError, match="no labels to learn"):
        Labeller.train(trees)


def test_only_trees_have_labels(labeller):
    with pytest.raises(InputError, match="without heads"):
        labeller.label([TREES[0].without_heads()])
    pair = DependencyTree(("Rain", "falls"), ("NN", "VBZ"), ("NN", "VB"), (2, 1), ("_", "_"))
    with pytest.raises(InputError, match="cycle"):
        labeller.label([pair])
    with pytest.raises(InputError, match="out of range"):
        Labeller.train([replace(pair, heads=(3, 0), labels=("a", "b"))])


def test_same_seed_same_labeller():
    first, second, other = (Labeller.train(TREES[:20], epochs=2, seed=seed) for seed in (4, 4, 5))
    for name, array in first.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[name])
    assert first.settings() == second.settings()
    assert not np.array_equal(first.rows.weight, other.rows.weight)


def test_stored_and_loaded(labeller, tmp_path):
    np.savez(tmp_path / "labels.npz", **labeller.arrays())
    settings = json.loads(json.dumps(labeller.settings()))
    with np.load(tmp_path / "labels.npz", allow_pickle=False) as stored:
        loaded = Labeller.from_arrays(stored, settings)
    assert loaded.label(OTHERS) == labeller.label(OTHERS)
    assert loaded.mistakes == labeller.mistakes


def test_parts_that_do_not_fit_are_refused(labeller):
    arrays, settings = labeller.arrays(), labeller.settings()
    with pytest.raises(ValueError, match="allowed has the shape"):
        Labeller.from_arrays(arrays, {**settings, "labels": settings["labels"][1:]})
    with pytest.raises(ValueError, match="without any label"):
        Labeller.from_arrays({**arrays, "allowed": np.zeros_like(arrays["allowed"])}, settings)
    with pytest.raises(ValueError, match="weight has the shape"):
        Labeller.from_arrays({**arrays, "weight": arrays["weight"][1:]}, settings)
    with pytest.raises(ValueError, match="no tags of what is no word"):
        Labeller.from_arrays(arrays, {**settings, "coarse": settings["coarse"][::-1]})


def test_labels_that_only_tell_the_root_need_no_features() -> None:
    def labels(tree: DependencyTree) -> tuple[str, ...]:
        return tuple("dep" if head else "top" for head in tree.heads)

    plain = [replace(tree, labels=labels(tree)) for tree in TREES[:20]]
    labeller = Labeller.train(plain, epochs=1)
    stored = Labeller.from_arrays(labeller.arrays(), labeller.settings())
    for own in (labeller, stored):
        assert own.label(OTHERS) == [labels(tree) for tree in OTHERS]
        assert (own.allowed.sum(axis=2) == 1).all()
    # One arc with another label, and features decide again.
    odd = tuple("odd" if label == "dep" else label for label in plain[0].labels)
    other = Labeller.train([*plain, replace(plain[0], labels=odd)], epochs=1)
    assert (other.allowed.sum(axis=2) > 1).any()
