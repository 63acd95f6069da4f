"""Banks of every annotation: sequences, their parts, equality, checksums, and what travels."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks.annotation import Annotation
from secateur.treebanks.bank import Bank
from secateur.treebanks.dependencies import DEPENDENCIES
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.discontinuous import DISCONTINUOUS
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.reading import ANNOTATIONS
from secateur.treebanks.tree import Leaf, Tree
from treebanks.formats.strategies import TAGS, WORDS, any_trees, trees


@st.composite
def dependency_trees(draw: st.DrawFn) -> DependencyTree:
    words = tuple(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)))
    tags, coarse, labels = (tuple(draw(st.sampled_from(TAGS)) for _ in words) for _ in range(3))
    heads = tuple(draw(st.integers(0, len(words))) for _ in words)
    return DependencyTree(words, tags, coarse, heads, labels)


class Case(NamedTuple):
    annotation: Annotation[Any]
    forests: st.SearchStrategy[list[Any]]
    one: Any  # from a word, a tree

    def bank(self, trees: Iterable[Any], name: str = "") -> Bank[Any]:
        return self.annotation.bank(trees, name)

    def numbered(self, count: int) -> Bank[Any]:
        return self.bank((self.one(str(number)) for number in range(count)), "numbers")

    def words(self, trees: Iterable[Any]) -> list[str]:
        return [word for tree in trees for word in self.annotation.words(tree)]

    def numbers(self, trees: Iterable[Any]) -> list[int]:
        return list(map(int, self.words(trees)))


def _phrase(word: str) -> Tree:
    return Tree("NN", (Leaf(0, word),))


def _dependency(word: str) -> DependencyTree:
    return DependencyTree((word,), ("NN",), ("N",), (0,), ("root",))


CASES = {
    "phrases": Case(PHRASES, st.lists(trees(), max_size=6), _phrase),
    "discontinuous": Case(DISCONTINUOUS, st.lists(any_trees(), max_size=6), _phrase),
    "dependencies": Case(DEPENDENCIES, st.lists(dependency_trees(), max_size=6), _dependency),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


each = pytest.mark.parametrize("name", CASES)


def test_every_annotation_is_tried() -> None:
    assert CASES.keys() == ANNOTATIONS.keys()


# A sequence -------------------------------------------------------------------------------------------------


@each
@given(data=st.data())
def test_holds_what_was_put_in(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    forest = data.draw(case.forests)
    bank = case.bank(iter(forest), "x")
    assert bank.annotation == name
    assert (len(bank), list(bank)) == (len(forest), forest)
    assert [bank[n] for n in range(len(forest))] == forest
    assert [bank[-n - 1] for n in range(len(forest))] == forest[::-1]
    for part in (slice(1, None), slice(None, None, -2), slice(2, 4), slice(0, 0)):
        assert list(bank[part]) == forest[part]
        assert type(bank[part]) is type(bank)
        assert bank[part].name == "x"
    assert repr(bank) == f"<{type(bank).__name__} 'x': {len(forest)} trees>"


def test_index_out_of_range(case: Case) -> None:
    for wrong in (3, -4):
        with pytest.raises(IndexError):
            case.numbered(3)[wrong]
    with pytest.raises(IndexError):
        case.numbered(3)[1:2][1]


# Counts -----------------------------------------------------------------------------------------------------


@each
@given(data=st.data())
def test_counts_are_those_of_the_trees(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    forest = data.draw(case.forests)
    words = case.annotation.words
    vocabulary, lengths = Counter(case.words(forest)), [len(words(tree)) for tree in forest]
    bank = case.bank(forest)
    assert bank.vocabulary() == vocabulary
    assert bank.lengths().tolist() == lengths
    found = bank.describe()
    assert (found.sentences, found.words) == (len(forest), sum(lengths))
    assert (found.types, found.hapaxes) == (len(vocabulary), list(vocabulary.values()).count(1))
    assert (found.tags, found.labels) == (len(bank.tags()), len(bank.labels()))
    assert found.max_length == max(lengths, default=0)
    assert found.mean_length == pytest.approx(sum(lengths) / len(lengths) if lengths else 0)
    assert all(isinstance(count, int) and count >= 0 for count in bank.special().values())


@each
@given(data=st.data())
def test_parts_count_as_if_they_were_alone(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    forest = data.draw(case.forests)
    chosen = slice(data.draw(st.integers(0, 3)), data.draw(st.integers(0, 6)), data.draw(st.integers(1, 2)))
    part, alone = case.bank(forest)[chosen], case.bank(forest[chosen], "another name")
    assert part == alone
    assert part.checksum() == alone.checksum()
    assert (part.vocabulary(), part.tags(), part.labels()) == (
        alone.vocabulary(),
        alone.tags(),
        alone.labels(),
    )
    assert (part.describe(), part.special()) == (alone.describe(), alone.special())


# Equality and checksums -------------------------------------------------------------------------------------


@each
@given(data=st.data())
def test_equal_banks_and_no_others_have_equal_checksums(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    first, second = data.draw(case.forests), data.draw(case.forests)
    one, two = case.bank(first, "a"), case.bank(second, "b")
    assert (one == two) == (first == second)
    assert (one.checksum() == two.checksum()) == (first == second)
    assert one == case.bank(first, "b")
    assert one.checksum() == case.bank(first, "b").checksum()


def test_order_matters(case: Case) -> None:
    bank = case.numbered(4)
    assert bank != bank[::-1]
    assert bank.checksum() != bank[::-1].checksum()
    assert bank == bank[::-1][::-1]


def test_a_bank_equals_no_list_and_no_other_annotation(case: Case) -> None:
    assert case.numbered(2) != list(case.numbered(2))
    assert case.numbered(0) != []
    others = [other.numbered(0) for other in CASES.values() if other is not case]
    assert all(case.numbered(0) != other for other in others)
    with pytest.raises(TypeError, match="unhashable"):
        hash(case.numbered(1))


# What travels -----------------------------------------------------------------------------------------------


@each
@given(data=st.data())
def test_pickled_it_is_the_same(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    forest = data.draw(case.forests)
    part = case.bank(forest, "x")[data.draw(st.integers(0, 6)) :]
    again = pickle.loads(pickle.dumps(part))
    assert type(again) is type(part)
    assert again == part
    assert (again.name, again.checksum(), list(again)) == ("x", part.checksum(), list(part))


def test_a_small_part_of_a_large_bank_is_small(case: Case) -> None:
    assert len(pickle.dumps(case.numbered(5000)[:1])) < 2000


def test_parts_share_their_trees(case: Case) -> None:
    bank = case.numbered(100)
    assert bank.filter()[10:].split(seed=3)[0]._shelf is bank._shelf


# Cut into parts ---------------------------------------------------------------------------------------------


def test_split_in_order(case: Case) -> None:
    parts = case.numbered(20).split()
    assert [case.numbers(part) for part in parts] == [list(range(16)), [16, 17], [18, 19]]
    parts = case.numbered(20)[10:].split(dev=0, test=0.5)
    assert [case.numbers(part) for part in parts] == [[10, 11, 12, 13, 14], [], [15, 16, 17, 18, 19]]
    assert {part.name for part in parts} == {"numbers"}


@each
@given(count=st.integers(3, 60), seed=st.integers(0, 5))
def test_split_at_random(name: str, count: int, seed: int) -> None:
    case = CASES[name]
    parts = case.numbered(count).split(dev=0.2, test=0.1, seed=seed)
    assert sorted(number for part in parts for number in case.numbers(part)) == list(range(count))
    assert all(len(part) for part in parts)
    assert all(case.numbers(part) == sorted(case.numbers(part)) for part in parts)  # in their order
    assert parts == case.numbered(count).split(dev=0.2, test=0.1, seed=seed)


def test_a_split_depends_on_the_seed(case: Case) -> None:
    assert case.numbered(50).split(seed=1) != case.numbered(50).split(seed=2)


def test_too_few_to_split(case: Case) -> None:
    assert [len(part) for part in case.numbered(3).split()] == [1, 1, 1]
    for few in (2, 0):
        with pytest.raises(InputError, match=f"{few} trees are too few to split; give a larger treebank"):
            case.numbered(few).split()
    for shares in ({"dev": 0.5, "test": 0.5}, {"dev": -0.1}, {"dev": 0.9}):
        with pytest.raises(InputError, match=r"use shares such as 0\.1"):
            case.numbered(9).split(**shares)


@each
@given(count=st.integers(2, 20), data=st.data())
def test_folds(name: str, count: int, data: st.DataObject) -> None:
    case = CASES[name]
    folds = list(case.numbered(count).folds(data.draw(st.integers(2, count))))
    assert [number for _, fold in folds for number in case.numbers(fold)] == list(range(count))
    for rest, fold in folds:
        assert len(fold) >= 1
        assert sorted(case.numbers(rest) + case.numbers(fold)) == list(range(count))


def test_folds_refuse_what_cannot_be(case: Case) -> None:
    for count in (1, 6):
        with pytest.raises(InputError, match="use from 2 to 5 folds"):
            next(case.numbered(5).folds(count))


@each
@given(data=st.data(), low=st.integers(0, 4), high=st.integers(0, 6))
def test_filter(name: str, data: st.DataObject, low: int, high: int) -> None:
    case = CASES[name]
    forest, words = data.draw(case.forests), case.annotation.words
    bank = case.bank(forest)[1:]
    assert list(bank.filter(min_length=low, max_length=high)) == [
        tree for tree in forest[1:] if low <= len(words(tree)) <= high
    ]
    assert list(bank.filter(max_length=high)) == [t for t in forest[1:] if 1 <= len(words(t)) <= high]


def test_a_bank_takes_trees_one_by_one(case: Case) -> None:
    """So that a large file is never there twice."""
    alive: list[int] = []

    def grown() -> Iterator[Any]:
        for number in range(5):
            alive.append(number)
            yield case.one(str(number))

    bank = case.bank(grown())
    assert alive == list(range(5))
    assert np.array_equal(bank.lengths(), np.ones(5))
