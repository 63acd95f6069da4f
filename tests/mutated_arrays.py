"""What may be wrong with the arrays of a model: types, shapes, numbers, names, and what they claim to be."""

from __future__ import annotations

import io
import random
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from mutations import BOMB, Change, flipped, made

# Arrays -----------------------------------------------------------------------------------------------------


def _loaded(data: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        return dict(stored)


def _npz(arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _with_array(file: str, name: str, make: Callable[[Any, random.Random], Any]) -> Change:
    def change(data: bytes, rng: random.Random) -> bytes:
        arrays = _loaded(data)
        with np.errstate(all="ignore"):
            arrays[name] = make(arrays[name], rng)
        return _npz(arrays)

    return made(file, change)


def _put(value: Any, share: float = 0.0) -> Callable[[Any, random.Random], Any]:
    """A value at a random place, or at a share of all places."""

    def make(array: Any, rng: random.Random) -> Any:
        changed = array.copy()
        flat = changed.reshape(-1)
        if flat.size:
            places = rng.sample(range(flat.size), max(1, int(share * flat.size)))
            flat[places] = np.array(value).astype(array.dtype)
        return changed

    return make


def _extreme(array: Any, *, high: bool) -> Any:
    if array.dtype.kind == "f":
        return np.finfo(array.dtype).max * (1 if high else -1)
    if array.dtype.kind in "iu":
        return np.iinfo(array.dtype).max if high else np.iinfo(array.dtype).min
    return high


_ARRAYS: dict[str, Callable[[Any, random.Random], Any]] = {
    "f8": lambda a, rng: a.astype(np.float64),
    "i8": lambda a, rng: a.astype(np.int64),
    "u1": lambda a, rng: a.astype(np.uint8),
    "complex": lambda a, rng: a.astype(complex),
    "texts": lambda a, rng: a.astype(str),
    "objects": lambda a, rng: a.astype(object),
    "records": lambda a, rng: np.zeros(a.shape, [("a", "i4"), ("b", "f4")]),
    "byte order": lambda a, rng: a.astype(a.dtype.newbyteorder()),
    "byte order said": lambda a, rng: a.view(a.dtype.newbyteorder()),
    "one more axis": lambda a, rng: a[..., None],
    "no axis": lambda a, rng: a.reshape(-1)[0] if a.size else np.zeros((), a.dtype),
    "flat": lambda a, rng: a.reshape(-1),
    "turned": lambda a, rng: np.asfortranarray(a.T),
    "nothing": lambda a, rng: a[:0],
    "one short": lambda a, rng: a[:-1],
    "one short at the front": lambda a, rng: a[1:],
    "narrower": lambda a, rng: a[..., :-1],
    "one longer": lambda a, rng: np.concatenate([a, a[-1:]]),
    "twice": lambda a, rng: np.concatenate([a, a]),
    "reversed": lambda a, rng: a[::-1],
    "mixed": lambda a, rng: a[rng.sample(range(len(a)), len(a))],
    "NaN": _put(np.nan),
    "all NaN": _put(np.nan, 1.0),
    "inf": _put(np.inf),
    "-inf": _put(-np.inf),
    "largest": lambda a, rng: _put(_extreme(a, high=True))(a, rng),
    "all largest": lambda a, rng: _put(_extreme(a, high=True), 1.0)(a, rng),
    "least": lambda a, rng: _put(_extreme(a, high=False))(a, rng),
    "all least": lambda a, rng: _put(_extreme(a, high=False), 1.0)(a, rng),
    "a 0": _put(0),
    "zeros": _put(0, 1.0),
    "ones": _put(1, 1.0),
    "some ones": _put(1, 0.1),
    "some 7": _put(7, 0.1),
    "at the limit": lambda a, rng: a * 0 + _signed(a.shape, rng, 9.9e11).astype(a.dtype),
    "tiny": _put(1e-45, 1.0),
    "a bit": lambda a, rng: np.frombuffer(flipped(a.tobytes(), rng), a.dtype).reshape(a.shape),
}
_BITS = (np.nan, np.inf, -np.inf, 3e38, 9.9e11, -9.9e11, 1e-45)  # of packed weights
_DIMS = (0, 1, 2, 15, 16, 17, 1 << 10, (1 << 13) + 1, 1 << 27, (1 << 32) - 1)


def _first(value: int) -> Callable[[Any, random.Random], Any]:
    def make(array: Any, rng: random.Random) -> Any:
        changed = array.copy()
        changed[0, 0] = value
        return changed

    return make


def _signed(shape: tuple[int, ...], rng: random.Random, value: float) -> Any:
    """A number in all places, above or below 0 by chance."""
    return value * np.random.default_rng(rng.randrange(1 << 30)).choice([-1.0, 1.0], shape)


def _bits(value: float, *, everywhere: bool) -> Callable[[Any, random.Random], Any]:
    def make(array: Any, rng: random.Random) -> Any:
        changed = array.copy()
        count = array.shape[1] - 1
        values = _signed((count,), rng, value).astype(np.float32).view(np.uint32)
        chosen = slice(None) if everywhere else rng.sample(range(count), min(count, 1))
        changed[1, 1:][chosen] = values[chosen]
        return changed

    return make


def of_arrays(folder: Path, file: str) -> Iterator[tuple[str, Change]]:
    names = sorted(_loaded((folder / file).read_bytes()))
    for name in names:
        for what, make in _ARRAYS.items():
            yield f"{name}, {what}", _with_array(file, name, make)
        yield f"{name} missing", made(file, partial(_renamed, name=name, other=None))
        yield f"{name} renamed", made(file, partial(_renamed, name=name, other=f"{name}s"))
        for shape in ("(1000000000000,)", "(99999, 99999)", "(0,)", "(-1,)", "()", "(2, 1)"):
            yield f"{name} claims {shape}", made(file, partial(_claimed, name=name, shape=shape))
        yield f"{name} twice", made(file, partial(_doubled, name=name))
    yield "an array more", made(file, lambda data, rng: _npz({**_loaded(data), "more": np.zeros(3)}))
    yield "no arrays", made(file, lambda data, rng: _npz({}))
    yield "a bomb", made(file, lambda data, rng: _bomb(names[-1]))
    if names == ["weights"]:
        for value in _BITS:
            yield f"a weight {value}", _with_array(file, "weights", _bits(value, everywhere=False))
            yield f"all weights {value}", _with_array(file, "weights", _bits(value, everywhere=True))
        for dim in _DIMS:
            yield f"dim {dim}", _with_array(file, "weights", _first(dim))


def _renamed(data: bytes, rng: random.Random, name: str, other: str | None) -> bytes:
    arrays = _loaded(data)
    array = arrays.pop(name)
    return _npz(arrays | ({} if other is None else {other: array}))


def _claimed(data: bytes, rng: random.Random, name: str, shape: str) -> bytes:
    """Another shape in the header of an array, which has its old numbers."""
    packed = {key: _npy(array) for key, array in _loaded(data).items()}
    header = re.sub(rb"'shape': \([^)]*\)", f"'shape': {shape}".encode(), packed[name][10:128])
    packed[name] = packed[name][:10] + header[:118].ljust(117) + b"\n" + packed[name][128:]
    return _zip(list(packed.items()))


def _doubled(data: bytes, rng: random.Random, name: str) -> bytes:
    arrays = [(key, _npy(array)) for key, array in _loaded(data).items()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _zip([*arrays, (name, _npy(np.zeros(3)))])


def _npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _zip(members: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(f"{name}.npy", content)
    return buffer.getvalue()


@cache
def _bomb(name: str) -> bytes:
    """An array of nothing but zeros, of which there are very many."""
    count = BOMB // 8
    buffer = io.BytesIO()
    header = {"descr": "<u4", "fortran_order": False, "shape": (2, count)}
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(f"{name}.npy", "w", force_zip64=True) as stream,
    ):
        np.lib.format.write_array_header_1_0(stream, header)
        for _ in range(BOMB >> 20):
            stream.write(bytes(1 << 20))
    return buffer.getvalue()
