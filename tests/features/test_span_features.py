"""Span features: the 16 templates, the hash, and scores that agree with the features one by one."""

from __future__ import annotations

import mmh3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.features.span import TEMPLATES, SpanFeatures, shape, text_key
from secateur.kernels.hashing import murmur3
from secateur.tasks.span_pruning import sites_of

WORDS = st.lists(
    st.sampled_from(["the", "Dog", "barks", "12,5", "--", "x1", "NATO", "ran", "."]), min_size=1, max_size=9
)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=12))
def test_the_hash_is_murmur3(key: list[int]) -> None:
    words = np.array(key, np.uint32)
    assert int(murmur3(words)) == mmh3.hash(words.astype("<u4").tobytes(), 0, signed=False)


def test_there_are_sixteen_templates() -> None:
    assert len(TEMPLATES) == len(set(TEMPLATES)) == 16


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("the", "xx"),
        ("Dog", "Xxx"),
        ("NATO", "XX"),
        ("12,500", "dd,dd"),
        ("--", "--"),
        ("B-52s", "X-ddx"),
        ("...", "..."),
    ],
)
def test_shapes(word: str, expected: str) -> None:
    assert shape(word) == expected


def naive_row(features: SpanFeatures, words: list[str], i: int, k: int) -> list[int]:
    """Each template's key spelt out and hashed by mmh3."""
    n = len(words)

    def seen(view: str, p: int) -> int:
        if p < 0 or p >= n:
            return text_key("\x02" if p < 0 else "\x03")
        if view == "shape":
            return text_key(shape(words[p]))
        return features._key("first" if p == 0 and words[p] not in features.vocabulary else "word", words[p])

    places = {"i-1": i - 1, "i": i, "k-1": k - 1, "k": k}
    bucket = 2 if k - i <= 2 else k - i if k - i <= 5 else 6 if k - i <= 10 else 7 if k - i <= 20 else 8
    found = []
    for number, template in enumerate(features.templates):
        key = [number]
        for atom in template.split():
            if atom == "width":
                key.append(bucket)
            elif atom == "length":
                key.append(min(n, 40))
            elif atom.endswith("[i:k]"):
                key += [seen(atom[:-5], p) for p in range(i, k)]
            elif atom != "bias":
                view, _, place = atom.partition("[")
                key.append(seen(view, places[place.rstrip("]")]))
        data = np.array(key, "<u4").tobytes()
        found.append(mmh3.hash(data, 0, signed=False) & (features.dim - 1))
    return found


@given(WORDS)
def test_rows_are_the_hashed_templates_and_scores_their_sums(words: list[str]) -> None:
    features = SpanFeatures(frozenset({"the", "Dog", "--"}), bits=12)
    weights = np.random.default_rng(1).standard_normal(features.dim).astype(np.float32)
    columns = features.columns(words)
    sites = sites_of(len(words))
    rows = features.rows(columns, sites)
    scores = features.scores(columns, weights)
    for (i, k), row in zip(sites.tolist(), rows.tolist(), strict=True):
        assert row == naive_row(features, words, i, k)
        assert scores[i, k] == pytest.approx(float(weights[row].astype(float).sum()), abs=1e-9)


def test_a_template_of_ones_own() -> None:
    features = SpanFeatures(
        frozenset(),
        templates=(*TEMPLATES, "suffix[k-1] word[k] width"),
        views={"suffix": lambda word: word[-2:]},
        bits=20,
    )
    one = features.rows(features.columns(["a", "walking", "b", "c"]), np.array([[0, 2]], np.int32))[0]
    two = features.rows(features.columns(["a", "jumping", "b", "c"]), np.array([[0, 2]], np.int32))[0]
    assert one[-1] == two[-1]
    weights = np.zeros(features.dim, np.float32)
    weights[one[-1]] = 3.0
    assert features.scores(features.columns(["a", "singing", "b", "c"]), weights)[0, 2] == 3.0


def test_wrong_templates_say_what_is_wrong() -> None:
    with pytest.raises(InputError, match="suffix"):
        _ = SpanFeatures(frozenset(), templates=("suffix[i]",)).compiled
    with pytest.raises(InputError, match="no atom"):
        _ = SpanFeatures(frozenset(), templates=("word[j]",)).compiled
