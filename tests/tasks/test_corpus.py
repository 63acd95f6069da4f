"""Many sentences at once: the same keys, flags and tags as of each by itself, and as made text by text."""

from __future__ import annotations

import pickle
import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.features.arc import VIEWS, ArcFeatures, Token
from secateur.features.patterns import key_of
from secateur.features.tokens import AROUND, Remembered, TokenRows, normal_form, text_keys
from secateur.kernels.perceptron.mira import sentence_at
from secateur.tasks.arc_locking.corpus import corpus_of, corpus_tags, unparsed_corpus
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.treebanks.dependency_tree import DependencyTree

FEATURES = ArcFeatures(
    views={"length": lambda token: str(len(token.word))}, patterns=("length[h] tag[m]", "word[b]")
)
WORDS = st.sampled_from(
    ["ash", "1990", "٣", "", " ", "\x01", "\x04", "ÆØÅ", "樹", "🌳", "e\u0301", "x" * 300]
)
TAGS = st.sampled_from(["NN", "VB", ",", "\x01", "\x04", "", "VERB", "PUNCT"])


@st.composite
def sentences(draw: st.DrawFn) -> DependencyTree:
    tokens = draw(st.lists(st.tuples(st.one_of(WORDS, st.text(max_size=6)), TAGS, TAGS), min_size=1))
    words, tags, coarse = (tuple(column) for column in zip(*tokens, strict=True))
    return DependencyTree(words, tags, coarse, tuple(range(len(words))), ("_",) * len(words))


@given(st.lists(sentences(), max_size=6))
def test_a_batch_is_its_sentences(trees: list[DependencyTree]) -> None:
    corpus = corpus_of(FEATURES, trees)
    assert len(corpus.start) == len(trees) + 1
    for i, ((a, b), tree) in enumerate(zip(pairwise(corpus.start.tolist()), trees, strict=True)):
        alone = ArcFeatures(FEATURES.patterns, FEATURES.siblings, FEATURES.views).sentence(
            tree.words, tree.tags, tree.coarse
        )
        for column, own in zip(sentence_at(corpus, i), alone, strict=True):
            assert column.dtype == own.dtype
            np.testing.assert_array_equal(column, own)
        assert corpus.heads[a:b].tolist() == [-1, *tree.heads, -1, -1, -1]
        assert not corpus.is_verb[a + len(tree) + 1 : b].any()
        assert not corpus.is_point[a + len(tree) + 1 : b].any()


@given(sentences())
def test_keys_are_hashes_of_texts(tree: DependencyTree) -> None:
    sentence = FEATURES.sentence(tree.words, tree.tags, tree.coarse)
    views = {**VIEWS, **FEATURES.views}
    tokens = [*map(Token, tree.words, tree.tags, tree.coarse)]
    for name, keys in zip(FEATURES.view_names, sentence.keys.tolist(), strict=True):
        texts = [t.word if t in AROUND else views[name](t) for t in (*AROUND[:2], *tokens, *AROUND[2:])]
        assert keys == [key_of(text) for text in texts]
    assert sentence.is_verb.tolist() == [False, *(t.coarse in ("VERB", "VB") for t in tokens)]
    assert sentence.is_point.tolist() == [False, *(t.coarse in ("PUNCT", ",") for t in tokens)]


def test_keys_stay_what_they_are() -> None:
    """Models on disk hold weights by these numbers."""
    assert key_of("oak") == 0xC6DB2E2D892B42A2
    assert np.frombuffer(text_keys["oak"], np.uint64).tolist() == [key_of("oak")]


@given(st.text())
def test_digits_are_all_the_same(word: str) -> None:
    assert normal_form(word) == "".join("0" if letter.isdecimal() else letter for letter in word)


@given(st.lists(sentences(), max_size=4))
def test_tags_of_a_batch(trees: list[DependencyTree]) -> None:
    limits = LengthLimits(("NN", ",", ""), np.zeros((5, 5, 2), np.int32))
    start, tags = unparsed_corpus(FEATURES, trees).start, corpus_tags(limits, trees)
    assert (tags.dtype, len(tags)) == (np.int32, start[-1])
    for a, tree in zip(start.tolist(), trees, strict=False):
        number = {"NN": 1, ",": 2, "": 3}
        assert tags[a : a + len(tree) + 4].tolist() == [0, *(number.get(t, 4) for t in tree.tags), 0, 0, 0]
        assert tags[a : a + len(tree) + 1].tolist() == limits.numbers(tree.tags).tolist()


def test_columns_of_a_sentence_are_of_one_length() -> None:
    with pytest.raises(ValueError, match="shorter"):
        FEATURES.sentence(["an", "oak"], ["DT"], ["DT", "NN"])


def test_when_too_many_are_remembered_all_are_forgotten() -> None:
    made: list[str] = []

    def make(word: str) -> bytes:
        made.append(word)
        return word.encode()

    rows = Remembered(make, most=2)
    assert [rows.joined(word) for word in ("aba", "abc", "cab")] == [b"aba", b"abc", b"cab"]
    assert made == ["a", "b", "c", "a", "b"]
    assert len(rows) <= 2


def test_threads_may_share_what_is_remembered() -> None:
    """Also while it is being forgotten."""
    rows = TokenRows(lambda token: b"".join(key_of(text).to_bytes(8, "little") for text in token), most=7)
    columns = [[f"{kind}{n % 11}" for n in range(300)] for kind in "wtc"]
    expected = rows.of([(columns[0], columns[1], columns[2])])
    found = []

    def look() -> None:
        found.extend(rows.of([(columns[0], columns[1], columns[2])]) for _ in range(20))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all((rows == expected).all() for rows in found)


def test_features_travel_with_what_they_remember() -> None:
    features = ArcFeatures()
    one = features.sentence(["oaks"], ["NNS"], ["NN"])
    again = pickle.loads(pickle.dumps(features))
    assert again == features
    np.testing.assert_array_equal(again.sentence(["oaks"], ["NNS"], ["NN"]).keys, one.keys)
    np.testing.assert_array_equal(
        again.sentence(["elms"], ["NNS"], ["NN"]).keys, features.sentence(["elms"], ["NNS"], ["NN"]).keys
    )
