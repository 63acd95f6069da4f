"""Span features: the 16 templates, the hash, and scores that agree with the features one by one."""

from __future__ import annotations

import mmh3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.features import span
from secateur.features.span import BEGIN, END, TEMPLATES, SpanFeatures, shape, text_key
from secateur.grammar.lexicon import signature
from secateur.kernels.hashing import murmur3
from secateur.tasks.span_pruning.task import sites_of

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
        if words[p] in features.vocabulary:
            return text_key(words[p])
        known_lower = words[p].lower() in features.vocabulary
        return text_key(signature(words[p], initial=p == 0, known_lower=known_lower))

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


# Several atoms on a side, sizes with and without a side, all words before another atom; in order of place.
MANY_ATOMS = (
    "word[i-1] word[i] shape[k-1] word[k]",
    "shape[i] width length",
    "word[k] length",
    "word[i] length",
    "shape[i-1] word[i:k] shape[k] width",
    "width length",
)


@given(WORDS, st.sampled_from((TEMPLATES, MANY_ATOMS)))
def test_rows_are_the_hashed_templates_and_scores_their_sums(
    words: list[str], templates: tuple[str, ...]
) -> None:
    features = SpanFeatures(frozenset({"the", "Dog", "--", "nato"}), templates=templates, bits=12)
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


def test_what_is_seen_of_a_word() -> None:
    features = SpanFeatures(frozenset({"the", "zorb"}), views={"tail": lambda word: word[-1:]})
    words = ["Zorb", "the", "Zorb"]
    assert [features.seen("shape", words, p) for p in range(-1, 4)] == [BEGIN, "Xxx", "xx", "Xxx", END]
    assert [features.seen("tail", words, p) for p in range(3)] == ["b", "e", "b"]
    assert features.seen("word", words, 1) == "the"
    assert features.seen("word", words, 0) == signature("Zorb", initial=True, known_lower=True)
    assert features.seen("word", words, 2) == signature("Zorb", initial=False, known_lower=True)


@given(WORDS)
def test_what_is_seen_of_a_word_is_what_its_key_is_made_of(words: list[str]) -> None:
    features = SpanFeatures(
        frozenset({"the", "--"}),
        templates=("word[i] shape[i] tail[i]",),
        views={"tail": lambda word: word[-1:]},
    )
    columns = features.columns(words)
    for row, view in enumerate(features.view_names):
        for p in range(-1, len(words) + 1):
            assert text_key(features.seen(view, words, p)) == columns[row, p + 1]


def test_wrong_templates_say_what_is_wrong() -> None:
    with pytest.raises(InputError, match="suffix"):
        _ = SpanFeatures(frozenset(), templates=("suffix[i]",)).compiled
    with pytest.raises(InputError, match="more than one view of all words"):
        _ = SpanFeatures(frozenset(), templates=("word[i:k] shape[i:k]",)).compiled
    with pytest.raises(InputError, match="no atom"):
        _ = SpanFeatures(frozenset(), templates=("word[j]",)).compiled


@pytest.mark.parametrize(
    ("templates", "bits", "message"),
    [
        ((), 8, "no templates"),
        (("bias", ""), 8, "without atoms"),
        (("bias", "wrd[i] word{k}"), 8, "no atom"),
        (("bias",), 0, "0 bits"),
        (("bias",), 60, "60 bits"),
    ],
)
def test_wrong_features_are_refused_before_they_are_used(
    templates: tuple[str, ...], bits: int, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        SpanFeatures(frozenset(), templates=templates, bits=bits)


def test_templates_without_words() -> None:
    features = SpanFeatures(frozenset(), templates=("bias", "width"), bits=8)
    columns = features.columns(["a", "b", "c"])
    assert columns.shape == (0, 5)
    assert features.rows(columns, sites_of(3)).shape == (2, 2)


def test_what_is_remembered_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"w{number}" for number in range(20)]
    plenty = SpanFeatures(frozenset(words[:5]))
    little = SpanFeatures(frozenset(words[:5]))
    expected = plenty.columns(words)
    assert np.array_equal(plenty.columns(words), expected)
    monkeypatch.setattr(span, "REMEMBERED", 4)
    for _ in range(2):
        assert np.array_equal(little.columns(words), expected)
        assert len(little._keys) <= 4
    # The last word stands elsewhere and is unknown: only its class as a first word may differ.
    assert np.array_equal(little.columns(words[::-1])[:, 2:-1], expected[:, 1:-2][:, ::-1])
