from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks.formats import brackets, discbracket
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Leaf, Tree
from treebanks.formats.strategies import any_trees

FORESTS = st.lists(any_trees(), max_size=6)
CAT = "(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept))))"
ASK = "(S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you))"


def numbered(count: int) -> Treebank:
    return Treebank([Tree("NN", (Leaf(0, str(i)),)) for i in range(count)], name="numbers")


def words(treebank: Treebank) -> list[int]:
    return [int(tree.words()[0]) for tree in treebank]


@given(FORESTS)
def test_holds_what_was_put_in(forest: list[Tree]) -> None:
    treebank = Treebank(iter(forest))
    assert len(treebank) == len(forest)
    assert list(treebank) == forest
    assert [treebank[i] for i in range(len(forest))] == forest
    assert [treebank[-i - 1] for i in range(len(forest))] == forest[::-1]
    assert list(treebank[1:]) == forest[1:]
    assert list(treebank[::-2]) == forest[::-2]


def test_holds_trees_of_any_shape() -> None:
    odd = [
        Tree("TOP", ()),
        Tree("NP", (Leaf(0, "a"), Leaf(1, "b"))),
        Tree("S", (Tree("X", ()), Tree("NN", (Leaf(3, "c d"),)), Leaf(4, ""))),
        Tree("S", tuple(Tree("NN", (Leaf(i, "w"),)) for i in range(40_000))),
    ]
    assert list(Treebank(odd)) == odd
    assert Treebank(odd).lengths().tolist() == [0, 2, 2, 40_000]


def test_index_out_of_range() -> None:
    with pytest.raises(IndexError):
        numbered(3)[3]


@given(FORESTS)
def test_counts_agree_with_the_trees(forest: list[Tree]) -> None:
    treebank = Treebank(forest)
    tags = Counter(tag for tree in forest for tag in tree.tags())
    labels = Counter(n.label for tree in forest for n in tree.nodes() if not n.is_preterminal)
    vocabulary = Counter(word for tree in forest for word in tree.words())
    lengths = [len(tree.words()) for tree in forest]
    assert treebank.tags() == tags
    assert treebank.labels() == labels
    assert treebank.vocabulary() == vocabulary
    assert treebank.lengths().tolist() == lengths
    found = treebank.describe()
    assert found.sentences == len(forest)
    assert found.words == sum(lengths)
    assert found.types == len(vocabulary)
    assert found.hapaxes == list(vocabulary.values()).count(1)
    assert (found.tags, found.labels) == (len(tags), len(labels))
    assert found.max_length == max(lengths, default=0)
    assert found.mean_length == (sum(lengths) / len(lengths) if lengths else 0)
    assert found.discontinuous == sum(tree.is_discontinuous for tree in forest)


def test_unary_chains_are_runs_of_phrases_below_the_root() -> None:
    texts = [
        "(ROOT (S (NP (NN a)) (VP (VB b))))",  # none: the root does not count, nor do tags
        "(ROOT (S (VP (VP (SBAR (S (VB a) (VB b)))))))",  # one
        "(ROOT (S (NP (QP (CD a))) (VP (S (VP (VB b))))))",  # two
    ]
    chains = [Treebank([brackets.read_tree(text)]).describe().unary_chains for text in texts]
    assert chains == [0, 1, 2]


@given(FORESTS, FORESTS)
def test_equality_checksum_and_parts(first: list[Tree], second: list[Tree]) -> None:
    whole, one, two = Treebank(first + second), Treebank(first, name="x"), Treebank(second)
    for part, same in ((whole[: len(first)], one), (whole[len(first) :], two)):
        assert part == same
        assert part.checksum() == same.checksum()
        assert part.vocabulary() == same.vocabulary()
        assert part.labels() == same.labels()
        assert part.describe() == same.describe()
    assert (one == two) == (first == second)
    assert (one.checksum() == two.checksum()) == (first == second)


def test_not_equal_to_a_list() -> None:
    assert numbered(2) != list(numbered(2))


@given(FORESTS, st.data())
def test_pickle_takes_only_the_part(forest: list[Tree], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(forest)))
    part = Treebank(forest, name="x")[cut:]
    again = pickle.loads(pickle.dumps(part))
    assert list(again) == forest[cut:]
    assert again.name == "x"


def test_pickle_of_a_small_part_is_small() -> None:
    assert len(pickle.dumps(numbered(5000)[:1])) < 2000


def test_checksum_is_the_same_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(f"{CAT}\n{CAT}\n")
    one = Treebank.read(path)
    path.write_text((brackets.write(one[0], indent=True) + "\n\n") * 2)
    two = Treebank.read(path)
    path.write_text((discbracket.write(one[0]) + "\n") * 2)
    three = Treebank.read(path)
    assert (
        one.checksum()
        == two.checksum()
        == three.checksum()
        == ("54c365f95be436de01e9c6a20dd51b262a2810a06afd2b4147ae81ecb0a2fb86")
    )
    assert one == two == three


def test_read_normalizes_and_reports(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(f"( (NP-SBJ (NN a)))\n(S (NN a)))\n( (NP (-NONE- *)))\n{CAT}\n")
    errors: list[InputError] = []
    treebank = Treebank.read(path, normalization=Normalization(), on_error=errors.append)
    assert [str(tree) for tree in treebank] == ["(ROOT (NP (NN a)))", CAT]
    assert treebank.name == str(path)
    assert [error.where for error in errors] == [f"{path}:2:11"]
    raw = Treebank.read(path, on_error=errors.append)
    assert len(raw) == 3
    assert raw.normalize(Normalization()) == treebank
    with pytest.raises(InputError):
        Treebank.read(path)


def test_split_in_order() -> None:
    train, dev, test = numbered(20).split()
    assert (words(train), words(dev), words(test)) == (list(range(16)), [16, 17], [18, 19])
    train, dev, test = numbered(20)[10:].split(dev=0, test=0.5)
    assert (words(train), words(dev), words(test)) == ([10, 11, 12, 13, 14], [], [15, 16, 17, 18, 19])
    assert train.name == "numbers"


@given(st.integers(3, 60), st.integers(0, 5))
def test_split_at_random(count: int, seed: int) -> None:
    parts = numbered(count).split(dev=0.2, test=0.1, seed=seed)
    assert sorted(word for part in parts for word in words(part)) == list(range(count))
    assert all(len(part) for part in parts)
    assert parts == numbered(count).split(dev=0.2, test=0.1, seed=seed)


def test_split_at_random_depends_on_the_seed() -> None:
    assert numbered(50).split(seed=1) != numbered(50).split(seed=2)


def test_too_few_to_split() -> None:
    assert [len(part) for part in numbered(3).split()] == [1, 1, 1]
    for treebank in (numbered(2), numbered(0)):
        with pytest.raises(InputError, match="too few"):
            treebank.split()
    with pytest.raises(InputError):
        numbered(9).split(dev=0.5, test=0.5)
    with pytest.raises(InputError):
        numbered(9).split(dev=-0.1)


@given(st.integers(2, 20), st.data())
def test_folds(count: int, data: st.DataObject) -> None:
    folds = list(numbered(count).folds(data.draw(st.integers(2, count))))
    assert [word for _, fold in folds for word in words(fold)] == list(range(count))
    for rest, fold in folds:
        assert len(fold) >= 1
        assert sorted(words(rest) + words(fold)) == list(range(count))


def test_folds_refuse_what_cannot_be() -> None:
    for count in (1, 6):
        with pytest.raises(InputError):
            next(numbered(5).folds(count))


@given(FORESTS, st.integers(0, 4), st.integers(0, 6))
def test_filter(forest: list[Tree], low: int, high: int) -> None:
    found = Treebank(forest)[1:].filter(min_length=low, max_length=high)
    assert list(found) == [tree for tree in forest[1:] if low <= len(tree.words()) <= high]


def test_parts_share_the_arrays() -> None:
    treebank = numbered(100)
    part = treebank.filter()[10:].split(seed=3)[0]
    assert np.shares_memory(part._packed.symbol, treebank._packed.symbol)


def test_discontinuous_sentences_are_counted() -> None:
    forest = [brackets.read_tree(CAT), discbracket.read_tree(ASK), brackets.read_tree(CAT)]
    assert Treebank(forest).describe().discontinuous == 1
    assert Treebank(forest)[::2].describe().discontinuous == 0
