"""Stores: what they read, and what they refuse and why."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from secateur.errors import InputError
from secateur.models import storage
from secateur.models.arrays import LARGEST, check_weights, unpack_arrays
from secateur.models.files import Policies, read_log, read_points, read_policies, save
from secateur.models.forms import formed, parse_json
from secateur.models.point import Point
from secateur.models.storage import (
    Schema,
    Spec,
    Store,
    check_arrays,
    pack_arrays,
    pack_weights,
    unpack_weights,
    weights_file,
)
from secateur.search.core import Policy

POINT = Point("exact", {"decode": "viterbi"}, 70.0, 68.0, 72.0, 0.5, 2000.0, 0.01, 1.0, 0.0)
SCHEMA: Schema = {
    "ptr": Spec("u4", ("rows+1",), ends="cells"),
    "column": Spec("u2", ("cells",), below="classes"),
    "weight": Spec("f4", ("cells",), low=-10.0, most=10.0),
    "square": Spec("f8", ("rows", "rows", 2)),
}


def good() -> dict[str, Any]:
    return {
        "ptr": np.array([0, 2, 2, 3], np.uint32),
        "column": np.array([0, 4, 1], np.uint16),
        "weight": np.array([1.5, -2.0, 10.0], np.float32),
        "square": np.zeros((3, 3, 2)),
    }


# Arrays -----------------------------------------------------------------------------------------------------


def test_arrays_as_the_schema_says() -> None:
    found, taken = unpack_arrays(pack_arrays(good()), SCHEMA, {"classes": 5}, room=1 << 20)
    for name, array in good().items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
        assert found[name].flags.writeable  # as kernels were compiled for
        assert found[name].flags.c_contiguous
    assert taken > sum(array.nbytes for array in good().values())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ptr": np.array([0, 2, 1, 3], np.uint32)}, "lead from 0 to 3"),
        ({"ptr": np.array([1, 2, 2, 3], np.uint32)}, "lead from 0 to 3"),
        ({"ptr": np.array([0, 2, 2, 4], np.uint32)}, "lead from 0 to 3"),
        ({"ptr": np.array([], np.uint32)}, "ptr is empty"),
        ({"ptr": np.array([0, 2, 3], np.uint32)}, "square has the shape"),
        ({"ptr": np.array([0, 2, 2, 3], np.int64)}, "type int64, not u4"),
        ({"column": np.array([0, 5, 1], np.uint16)}, "holds 5, where there are 5"),
        ({"column": np.array([0, 1], np.uint16)}, "weight has the shape"),
        ({"weight": np.array([1, np.nan, 1], np.float32)}, "not finite"),
        ({"weight": np.array([1, -np.inf, 1], np.float32)}, "not finite"),
        ({"weight": np.array([1, 11, 1], np.float32)}, "above 10"),
        ({"weight": np.array([1, -11, 1], np.float32)}, "below -10"),
        ({"weight": np.array(1, np.float32)}, "0 dimensions"),
        ({"weight": np.array(["a", "b", "c"])}, "type"),
        ({"square": np.zeros((3, 3, 3))}, "square has the shape"),
        ({"more": np.zeros(1)}, "arrays, not 4|does not belong"),
    ],
)
def test_arrays_that_are_not(change: dict[str, Any], message: str) -> None:
    wrong = good() | change
    with pytest.raises(ValueError, match=message):
        check_arrays(wrong, SCHEMA, {"classes": 5})
    with pytest.raises(ValueError, match=message):
        unpack_arrays(pack_arrays(wrong), SCHEMA, {"classes": 5}, room=1 << 20)


@pytest.mark.parametrize("name", SCHEMA)
def test_no_array_is_missing(name: str) -> None:
    wrong = good()
    del wrong[name]
    with pytest.raises(ValueError, match=f"the array {name} is missing"):
        check_arrays(wrong, SCHEMA, {"classes": 5})
    with pytest.raises(ValueError, match=f"the array {name} is missing"):
        unpack_arrays(pack_arrays(wrong), SCHEMA, {"classes": 5}, room=1 << 20)


def test_arrays_of_objects_are_never_made() -> None:
    wrong = {**good(), "weight": np.array([print, 1, 2], object)}
    with pytest.raises(ValueError, match=r"no array of a model|type"):
        unpack_arrays(pack_arrays(wrong), SCHEMA, {"classes": 5}, room=1 << 20)


def test_the_byte_order_of_another_machine_is_understood() -> None:
    foreign = {name: array.astype(array.dtype.newbyteorder()) for name, array in good().items()}
    found, _ = unpack_arrays(pack_arrays(foreign), SCHEMA, {"classes": 5}, room=1 << 20)
    for name, array in good().items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype.isnative


def test_no_more_is_unpacked_than_there_is_room_for() -> None:
    large = pack_arrays({"weight": np.zeros(1 << 20, np.float32)})
    assert len(large) < 1 << 13
    schema = {"weight": Spec("f4", ("n",))}
    with pytest.raises(ValueError, match="too much for such a model"):
        unpack_arrays(large, schema, room=1 << 21)
    assert unpack_arrays(large, schema, room=1 << 23)[0]["weight"].shape == (1 << 20,)


@given(arrays_of.arrays(np.float32, st.integers(0, 50), elements=st.sampled_from([0.0, 1.5, -2.25, 1e-30])))
def test_weights_are_packed_and_unpacked(weights: np.ndarray) -> None:
    packed = pack_weights(weights)
    assert packed.shape == (2, np.count_nonzero(weights) + 1)
    np.testing.assert_array_equal(unpack_weights(packed), weights)
    np.testing.assert_array_equal(unpack_weights(packed, len(weights)), weights)
    with pytest.raises(ValueError, match="features, where there are"):
        unpack_weights(packed, len(weights) + 1)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((0, 0), 2, "do not exist"),
        ((0, 0), 1 << 31, "features"),
        ((1, 0), 1, "features"),
        ((0, 1), 4, "one twice"),
        ((0, 2), 9, "do not exist"),
        ((1, 1), 0x7FC00000, "not finite"),  # NaN
        ((1, 1), 0x7F800000, "not finite"),  # infinity
        ((1, 2), 0x7F000000, "too large"),
    ],
)
def test_weights_that_are_none(place: tuple[int, int], value: int, message: str) -> None:
    packed = pack_weights(np.array([0, 1, 0, 0, -2, 0], np.float32))
    assert check_weights(packed) == 6
    packed[place] = value
    with pytest.raises(ValueError, match=message):
        unpack_weights(packed)
    with pytest.raises(ValueError, match="no weights"):
        check_weights(packed.astype(np.int64))
    assert LARGEST < 2e38


# Forms ------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    name: str
    number: int


@dataclass(frozen=True)
class Whole:
    pairs: tuple[Pair, ...]
    way: Mapping[str, str | int | float]
    share: float
    kind: Literal["a", "b"]
    perhaps: float | None
    rest: list[object]


WHOLE = {
    "pairs": [{"name": "x", "number": 1}],
    "way": {"mask": "lols-3", "level": 2, "least": 0.5},
    "share": 1,
    "kind": "a",
    "perhaps": None,
    "rest": [1, "x", [True, None]],
}


def test_values_take_the_form_of_their_type() -> None:
    found = formed(parse_json(json.dumps(WHOLE)), Whole)
    assert found == Whole((Pair("x", 1),), WHOLE["way"], 1.0, "a", None, WHOLE["rest"])  # type: ignore[arg-type]
    assert isinstance(found.share, float)
    assert type(found.way["level"]) is int


@pytest.mark.parametrize(
    "change",
    [
        {"pairs": {}},
        {"pairs": [{"name": "x"}]},
        {"pairs": [{"name": "x", "number": 1, "more": 1}]},
        {"pairs": [{"name": 1, "number": 1}]},
        {"pairs": [{"name": "x", "number": True}]},
        {"pairs": [{"name": "x", "number": 1.0}]},
        {"pairs": [{"name": "\ud800", "number": 1}]},
        {"way": {"mask": None}},
        {"way": {"\udfff": 1}},
        {"way": []},
        {"share": "1"},
        {"share": float("nan")},
        {"share": float("inf")},
        {"share": 10**400},
        {"share": True},
        {"kind": "c"},
        {"kind": []},
        {"perhaps": "no"},
        {"rest": "text"},
        {"more": 1},
    ],
)
def test_values_of_another_form_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        formed(parse_json(json.dumps(WHOLE | change)), Whole)
    for name in WHOLE:
        with pytest.raises(ValueError, match=f"no '{name}'"):
            formed({key: value for key, value in WHOLE.items() if key != name}, Whole)


@pytest.mark.parametrize("text", ["", "{", "[1,]", "[" * 50_000, '{"a": 1, "a": 2}', "9" * 5000, "\ufeff{}"])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse_json(text)


def test_lists_within_lists_have_an_end() -> None:
    deep: Any = []
    for _ in range(30):
        deep = [deep]
    with pytest.raises(ValueError, match="without end"):
        formed(deep, object)


# Stores -----------------------------------------------------------------------------------------------------


def stored(folder: Path, **files: bytes) -> Store:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return Store(folder, {name: hashlib.sha256(content).hexdigest() for name, content in files.items()})


def refused(message: str) -> Any:
    return pytest.raises(InputError, match=message)


def test_files_are_those_that_were_saved(tmp_path: Path) -> None:
    store = stored(tmp_path, a="é\n".encode(), b=b"[1, 2]")
    assert store.has("a")
    assert not store.has("c")
    assert store.text("a") == "é\n"
    with refused("b  damaged: no file of such a model; copy the model again"):
        store.finish()
    assert store.json("b", list[int]) == [1, 2]
    store.finish()
    (tmp_path / "a").write_text("other")
    with refused("not the file this model was saved with"):
        store.text("a")
    (tmp_path / "a").unlink()
    with refused("missing"):
        store.text("a")
    with refused("missing"):
        store.text("c")
    (tmp_path / "c").write_text("new")
    with refused("not a file this model was saved with"):
        store.has("c")


def test_only_regular_files_of_the_folder_are_opened(tmp_path: Path) -> None:
    inside = tmp_path / "model"
    inside.mkdir()
    (tmp_path / "secret").write_text("secret")
    store = Store(inside)
    (inside / "link").symlink_to("../secret")
    os.mkfifo(inside / "pipe")
    (inside / "folder").mkdir()
    (inside / "zero").symlink_to("/dev/zero")
    (inside / "loop").symlink_to("loop")
    (inside / "fine").write_text("fine")
    (inside / "own").symlink_to("fine")
    for name in ("link", "pipe", "folder", "zero", "loop", "../secret", str(tmp_path / "secret"), "..", "."):
        with refused("damaged"):
            store.text(name)
    assert store.text("own") == "fine"
    with open(inside / "huge", "wb") as stream:
        stream.truncate(storage.TEXT + 1)
    with refused("too much for such a file"):
        store.text("huge")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"a\n\nb\n", mtime=0), "without anything"),
        (gzip.compress(b"a\n   \nb\n", mtime=0), "without anything"),
        (gzip.compress(b"a\n\xff\n", mtime=0), "not UTF-8"),
        (gzip.compress(b"a\n\0\n", mtime=0), "zero byte"),
        (gzip.compress(b"a" * (storage.LINE + 1), mtime=0), "without end"),
        (gzip.compress(b"a" * (3 * storage.LINE), mtime=0), "without end"),
        (gzip.compress(b"a\n", mtime=0)[:-1], "too early"),
        (gzip.compress(b"a\n", mtime=0) + b"b", "behind its end"),
        (gzip.compress(b"a\n", mtime=0) * 2, "behind its end"),
        (b"a\n", "incorrect header"),
        (b"", "too early"),
    ],
)
def test_lines_that_are_none(content: bytes, message: str, tmp_path: Path) -> None:
    with refused(rf"a\.gz  damaged: .*{message}"):
        list(stored(tmp_path, **{"a.gz": content}).lines("a.gz"))


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs", "Z", "Cc"]), min_size=1)
    )
)
def test_lines_are_read_as_they_were_written(lines: list[str]) -> None:

    text = "".join(f"{line}\n" for line in lines).encode()
    with tempfile.TemporaryDirectory() as place:
        store = stored(Path(place), **{"a.gz": gzip.compress(text), "a": text})
        assert list(store.lines("a.gz")) == list(store.lines("a")) == lines


def test_a_bomb_of_lines_is_refused_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "ROOM", 1 << 20)
    bomb = gzip.compress(b"a rule\n" * (10 << 20))
    seen = 0
    with refused("more to unpack"):
        for _ in stored(tmp_path, **{"a.gz": bomb}).lines("a.gz"):
            seen += 1
    assert seen * 7 < (1 << 20) + 65 * len(bomb)


# What every model has ---------------------------------------------------------------------------------------


def saved(folder: Path, **policies: np.ndarray) -> Store:
    made = {name: Policy(np.asarray(weights, np.float32)) for name, weights in policies.items()}
    save(folder, {}, made, [POINT], [{"round": 1, "reward": float("nan")}])
    return Store(folder, json.loads((folder / "checksums.json").read_text()))


def test_policies_are_made_long_when_asked_for(tmp_path: Path) -> None:
    store = saved(tmp_path, one=np.array([0, 2, 0, 1]), two=np.zeros(4))
    policies = read_policies(store, lambda dim: dim == 4)
    assert isinstance(policies, Policies)
    assert list(policies) == ["one", "two"]
    assert "three" not in policies
    assert not policies._made
    assert policies["one"].weights.tolist() == [0, 2, 0, 1]
    assert policies["one"] is policies["one"]
    with refused(r"one\.npz  damaged: a policy of 4 features, which do not fit"):
        read_policies(store, lambda dim: dim == 5)
    (tmp_path / "policies" / "three.npz").write_bytes(weights_file(np.zeros(4, np.float32)))
    with refused(r"three\.npz  not a file this model was saved with"):
        read_policies(store, lambda dim: True)


def test_points_and_log(tmp_path: Path) -> None:
    store = saved(tmp_path)
    assert read_points(store) == [POINT]
    assert read_log(store)[0]["round"] == 1
    for name, content in (
        ("frontier.json", []),
        ("frontier.json", [1]),
        ("frontier.json", {}),
        ("frontier.json", [{"name": "exact"}]),
        ("frontier.json", [{**store.json("frontier.json", list[dict[str, object]])[0], "more": 1}]),
        ("log.json", [[]]),
        ("log.json", ""),
    ):
        file = tmp_path / name
        before = file.read_text()
        file.write_text(json.dumps(content))
        with refused(f"{name}  damaged"):
            (read_points if name == "frontier.json" else read_log)(Store(tmp_path))
        file.write_text(before)


def test_names_that_would_lead_elsewhere_are_not_written(tmp_path: Path) -> None:
    for name in ("../up", "a/b", "..", "", ".hidden"):
        with refused("no name for a file"):
            save(tmp_path / "model", {}, {name: Policy(np.zeros(4, np.float32))}, [POINT], [])
    assert not (tmp_path / "model").exists()


def test_what_an_interrupted_save_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "partial-old.npz").write_bytes(b"half")
    (tmp_path / "partial-model.toml").write_bytes(b"half")
    saved(tmp_path, one=np.zeros(4))
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        *("checksums.json", "frontier.json", "log.json", "one.npz")
    ]
