"""Arrays on disk: what a file may hold is said beforehand, and checked before any of it is unpacked.

A schema names the arrays of a file. Each has a type, a shape in numbers and named sizes ("rows", "rows+1"),
and a range; a size that is not given is what the first array with it has. A kernel that gets such arrays gets
no index beyond them, and no number that is not finite.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.search.arrays import Weights

Array = npt.NDArray[Any]
Packed = npt.NDArray[np.uint32]  # [2, active + 1]

LARGEST = 1e12  # no weight is larger: sums of many must stay finite in float32
MOST_WEIGHTS = 1 << 27  # and no table of them longer

_PIECE = 1 << 20  # bytes unpacked at a time
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<>|]?[a-zA-Z]\d+)', 'fortran_order': False, 'shape': \(((?:\d{1,18},? ?)*)\), \} *\n"
)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    LookupError,
)


@dataclass(frozen=True, slots=True)
class Spec:
    """What an array must be like. Numbers are finite in any case."""

    dtype: str  # "f4": of the machine's own byte order, into which others are brought
    shape: tuple[int | str, ...]
    low: float | None = None  # the least there may be
    most: float | None = None  # the largest
    below: int | str | None = None  # what all are smaller than
    ends: str = ""  # numbers that start at 0, never fall and end at this size


Schema = Mapping[str, Spec]
PACKED: Schema = {"weights": Spec("u4", (2, "columns"))}


# Checking ---------------------------------------------------------------------------------------------------


def check_arrays(
    arrays: Mapping[str, Array], schema: Schema, sizes: Mapping[str, int] | None = None
) -> dict[str, Array]:
    """The arrays, in the machine's own byte order; ValueError where they are not as the schema says."""
    _check_names(arrays, schema)
    known = dict(sizes or {})
    for name, spec in schema.items():
        _check_shape(name, arrays[name].dtype, arrays[name].shape, spec, known)
    return _checked(arrays, schema, known)


def _checked(arrays: Mapping[str, Array], schema: Schema, sizes: Mapping[str, int]) -> dict[str, Array]:
    found = {name: _native(arrays[name], np.dtype(spec.dtype)) for name, spec in schema.items()}
    for name, spec in schema.items():
        _check_values(name, found[name], spec, sizes)
    return found


def _check_names(given: Iterable[str], schema: Schema) -> None:
    names = set(given)
    for name in sorted(schema.keys() - names):
        raise ValueError(f"the array {name} is missing")
    for name in sorted(names - schema.keys()):
        raise ValueError(f"an array {name[:60]!r} that does not belong there")


def _check_shape(
    name: str, dtype: np.dtype[Any], shape: tuple[int, ...], spec: Spec, sizes: dict[str, int]
) -> None:
    """A size that is not known yet becomes known."""
    if dtype.newbyteorder("=") != np.dtype(spec.dtype):
        raise ValueError(f"{name} has numbers of the type {dtype}, not {spec.dtype}")
    if len(shape) != len(spec.shape):
        raise ValueError(f"{name} has {len(shape)} dimensions, not {len(spec.shape)}")
    for found, wanted in zip(shape, spec.shape, strict=True):
        least = wanted
        if isinstance(wanted, str):
            size, _, more = wanted.partition("+")
            least = sizes.setdefault(size, found - int(more or 0)) + int(more or 0)
            if sizes[size] < 0:
                raise ValueError(f"{name} is empty")
        if found != least:
            raise ValueError(f"{name} has the shape {shape}, where {wanted} is {least}")


def _native(array: Array, dtype: np.dtype[Any]) -> Array:
    if dtype == np.bool_:  # whatever stands for True
        return np.not_equal(np.ascontiguousarray(array).view(np.uint8), 0)
    return np.ascontiguousarray(array.astype(dtype, copy=False)).reshape(array.shape)


def _check_values(name: str, array: Array, spec: Spec, sizes: Mapping[str, int]) -> None:
    if not array.size or array.dtype == np.bool_:
        return
    least, most = array.min(), array.max()
    if not (np.isfinite(least) and np.isfinite(most)):
        raise ValueError(f"{name} holds numbers that are not finite")
    below = sizes[spec.below] if isinstance(spec.below, str) else spec.below
    if spec.low is not None and least < spec.low:
        raise ValueError(f"{name} holds {least}, below {spec.low}")
    if spec.most is not None and most > spec.most:
        raise ValueError(f"{name} holds {most}, above {spec.most}")
    if below is not None and int(most) >= below:
        raise ValueError(f"{name} holds {most}, where there are {below}")
    if spec.ends and (array[0] != 0 or array[-1] != sizes[spec.ends] or (array[1:] < array[:-1]).any()):
        raise ValueError(f"{name} does not lead from 0 to {sizes[spec.ends]}")


# Files ------------------------------------------------------------------------------------------------------


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """As npz."""
    buffer = io.BytesIO()
    ordered: dict[str, Any] = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    np.savez_compressed(buffer, **ordered)
    return buffer.getvalue()


class _Header(NamedTuple):
    """What a file says of an array."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    size: int  # bytes of the header itself

    @property
    def numbers(self) -> int:
        return math.prod(self.shape)


def unpack_arrays(
    data: bytes, schema: Schema, sizes: Mapping[str, int] | None = None, *, room: int
) -> tuple[dict[str, Array], int]:
    """From npz: arrays as the schema says, and their bytes, at most `room`; else ValueError."""
    try:
        with ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(io.BytesIO(data)))
            members = _members(archive, schema)
            streams = {name: stack.enter_context(archive.open(info)) for name, info in members.items()}
            headers = {name: _header(name, stream) for name, stream in streams.items()}
            known = dict(sizes or {})
            for name, spec in schema.items():
                _check_shape(name, headers[name].dtype, headers[name].shape, spec, known)
            taken = sum(info.file_size for info in members.values())
            if taken > room:
                raise ValueError(f"{taken:,} bytes of arrays, which is too much for such a model")
            for name, header in headers.items():
                if members[name].file_size != header.size + header.numbers * header.dtype.itemsize:
                    raise ValueError(f"{name} has not as many numbers as it says")
            arrays = {name: _read(streams[name], header) for name, header in headers.items()}
    except _BROKEN as problem:
        raise ValueError(f"no readable arrays ({problem})") from None
    return _checked(arrays, schema, known), taken


def _members(archive: zipfile.ZipFile, schema: Schema) -> dict[str, zipfile.ZipInfo]:
    """By the names of the arrays."""
    members = archive.infolist()
    if len(members) > len(schema):
        raise ValueError(f"{len(members)} arrays, not {len(schema)}")
    found = {info.filename.removesuffix(".npy"): info for info in members}
    _check_names(found, schema)
    for info in members:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise ValueError(f"{info.filename} is packed in another way than models are")
    return found


def _header(name: str, stream: IO[bytes]) -> _Header:
    start = stream.read(len(_MAGIC) + 2)
    text = stream.read(int.from_bytes(start[len(_MAGIC) :], "little"))
    found = _HEADER.fullmatch(text)
    if not start.startswith(_MAGIC) or found is None:
        raise ValueError(f"{name} is no array of a model")
    try:
        dtype = np.dtype(found[1].decode())
    except TypeError:
        raise ValueError(f"{name} has numbers of no known type") from None
    shape = tuple(int(size) for size in found[2].decode().replace(",", " ").split())
    return _Header(dtype, shape, len(start) + len(text))


def _read(stream: IO[bytes], header: _Header) -> Array:
    array = np.empty(header.numbers, header.dtype)
    place = array.view(np.uint8)
    at = 0
    while at < len(place):
        piece = stream.read(min(_PIECE, len(place) - at))
        if not piece:
            raise EOFError("it ends too early")
        place[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
        at += len(piece)
    if stream.read(1):  # the end also tells whether the bytes are those that were written
        raise ValueError("there is more than the arrays")
    return array.reshape(header.shape)


# Weights, most of which are 0 -------------------------------------------------------------------------------


def pack_weights(weights: Weights) -> Packed:
    """How many there are, above a 0; then the places of those that are not 0, each above its bits."""
    active = np.flatnonzero(weights)
    packed = np.zeros((2, len(active) + 1), np.uint32)
    packed[0, 0], packed[0, 1:] = len(weights), active
    packed[1, 1:] = np.asarray(weights, np.float32)[active].view(np.uint32)
    return packed


def check_weights(packed: Array, dim: int | None = None) -> int:
    """How many weights there are; ValueError where these are none, or not as many as they should be."""
    if packed.dtype != np.uint32 or packed.ndim != 2 or packed.shape[0] != 2 or not packed.shape[1]:
        raise ValueError("no weights in it")
    size, active = int(packed[0, 0]), packed[0, 1:]
    if packed[1, 0] or not 0 <= size <= MOST_WEIGHTS:
        raise ValueError(f"weights of {size:,} features")
    if dim is not None and size != dim:
        raise ValueError(f"weights of {size:,} features, where there are {dim:,}")
    if len(active) and (int(active[-1]) >= size or (active[1:] <= active[:-1]).any()):
        raise ValueError("weights of features that do not exist, or of one twice")
    values = np.ascontiguousarray(packed[1, 1:]).view(np.float32)
    if len(values) and not max(-values.min(), values.max()) <= LARGEST:
        raise ValueError("weights that are too large or not finite")
    return size


def unpack_weights(packed: Packed, dim: int | None = None) -> Weights:
    """All weights again; ValueError where these are none, or not as many as they should be."""
    weights = np.zeros(check_weights(packed, dim), np.float32)
    weights[packed[0, 1:]] = np.ascontiguousarray(packed[1, 1:]).view(np.float32)
    return weights
