"""Store: the files of a model, opened for reading by someone who does not trust them.

Only regular files of the folder are opened, and each is what it was when the model was saved. Sizes are
checked before anything is read or unpacked; nothing in it is executable. Whatever is wrong is said with the
file's name.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from secateur.errors import InputError
from secateur.models.arrays import (
    PACKED,
    Array,
    Packed,
    Schema,
    Spec,
    check_arrays,
    check_weights,
    pack_arrays,
    pack_weights,
    unpack_arrays,
    unpack_weights,
)
from secateur.models.forms import formed, parse_json
from secateur.search.arrays import Weights

__all__ = [
    "Array",
    "Content",
    "Packed",
    "Schema",
    "Spec",
    "Store",
    "check_arrays",
    "damaged",
    "formed",
    "is_own",
    "pack_arrays",
    "pack_weights",
    "read_bytes",
    "unpack_weights",
    "weights_file",
]

Content = str | bytes | Callable[[Path], None]  # what stands in a file, or what writes it
Form = TypeVar("Form")

AGAIN = "copy the model again"
TEXT = 1 << 28  # bytes of a text, at most
FILE = 1 << 31  # and of any file
LINE = 1 << 20  # and of a line
ROOM = 1 << 28  # bytes that small files may unpack to
RATIO = 64  # and further ones, for each byte that was read
_BLOCK = 1 << 18
_OWN = re.compile(r"(?:policies/)?\w[\w.+-]{0,200}")
_GZIP = 31  # what zlib calls a gzipped file
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # no waiting for a pipe


def is_own(name: str) -> bool:
    """Whether a name is that of a file in the folder, not of one outside it."""
    return _OWN.fullmatch(name) is not None


def damaged(path: Path, problem: object) -> InputError:
    return InputError(f"damaged: {problem}", where=str(path), fix=AGAIN)


def read_bytes(folder: Path, name: str, *, most: int = FILE) -> bytes:
    """The bytes of a regular file in a folder; OSError where it cannot be opened."""
    file = folder / name
    inside = os.path.join(os.path.realpath(folder), "")
    if not is_own(name) or not os.path.realpath(file).startswith(inside):
        raise damaged(file, "not a file of the model's own folder")
    with open(os.open(file, _FLAGS), "rb") as stream:
        about = os.fstat(stream.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise damaged(file, "not a regular file")
        if about.st_size > most:
            raise damaged(file, f"{about.st_size:,} bytes, which is too much for such a file")
        return stream.read(about.st_size)


class Store:
    """A folder of a model. Without digests, its files are those that are there."""

    def __init__(self, folder: Path, digests: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.digests = digests
        self._read: set[str] = set()
        self._room = ROOM

    def has(self, name: str) -> bool:
        """Whether the model has such a file; one that is there and not listed is refused."""
        there = os.path.lexists(self.folder / name)
        if self.digests is None or name in self.digests:
            return there or self.digests is not None
        if there:
            raise InputError(
                "not a file this model was saved with",
                where=str(self.folder / name),
                fix=f"{AGAIN}; parts cannot be exchanged between models",
            )
        return False

    def names(self, under: str, ending: str) -> list[str]:
        """The files in a folder of the model, with an ending that is not a part of what is returned."""
        place = self.folder / under
        there = [f"{under}/{name}" for name in os.listdir(place)] if place.is_dir() else []
        found = {name for name in (*there, *(self.digests or ())) if name.startswith(f"{under}/")}
        own = sorted(name for name in found if name.endswith(ending) and self.has(name))
        return [name.removeprefix(f"{under}/").removesuffix(ending) for name in own]

    def text(self, name: str) -> str:
        """A file in UTF-8."""
        with self.blamed(name):
            return self._bytes(name, TEXT).decode()

    def lines(self, name: str) -> Iterator[str]:
        """The lines of a file in UTF-8, gzipped if its name ends in .gz; none is empty, none very long."""
        data = self._bytes(name, TEXT)
        with self.blamed(name):
            rest = b""
            for block in _unzipped(data) if name.endswith(".gz") else (data,):
                self._take(len(block))
                complete, newline, rest = (rest + block).rpartition(b"\n")
                if newline:
                    yield from _lines(complete)
                elif len(rest) > LINE:
                    raise ValueError("a line without end")
            if rest:
                yield from _lines(rest)

    def json(self, name: str, form: type[Form]) -> Form:
        """What a file says, in the form of a type: see models/forms.py."""
        text = self.text(name)
        with self.blamed(name):
            return formed(parse_json(text), form)

    def arrays(self, name: str, schema: Schema, sizes: Mapping[str, int] | None = None) -> dict[str, Array]:
        """Arrays as the schema says: see models/arrays.py."""
        data = self._bytes(name, FILE)
        with self.blamed(name):
            found, taken = unpack_arrays(data, schema, sizes, room=self._room)
            self._take(taken)
            return found

    def packed(self, name: str, dim: int | None = None) -> Packed:
        """Weights as they are stored, checked."""
        found = self.arrays(name, PACKED)["weights"]
        with self.blamed(name):
            check_weights(found, dim)
        return found

    def weights(self, name: str, dim: int | None = None) -> Weights:
        """Weights over `dim` features, or over as many as there were."""
        found = self.packed(name, dim)
        with self.blamed(name):
            self._take(4 * int(found[0, 0]))
            return unpack_weights(found)

    @contextmanager
    def blamed(self, name: str) -> Iterator[None]:
        """What is wrong in here is the fault of this file."""
        file = self.folder / name
        try:
            yield
        except InputError as error:
            if error.where.startswith(str(file)):
                raise
            raise damaged(file, error.what) from None
        except UnicodeDecodeError as error:
            raise damaged(file, f"not UTF-8: {error.reason} at byte {error.start}") from None
        except (ValueError, zlib.error) as problem:
            raise damaged(file, problem) from None

    def finish(self) -> None:
        """Refuse what the model lists and nobody reads."""
        for name in sorted((self.digests or {}).keys() - self._read):
            raise damaged(self.folder / name, "no file of such a model")

    def _bytes(self, name: str, most: int) -> bytes:
        file = self.folder / name
        if not self.has(name):
            raise InputError("a file of the model is missing", where=str(file), fix=AGAIN)
        try:
            data = read_bytes(self.folder, name, most=most)
        except FileNotFoundError:
            raise InputError("a file of the model is missing", where=str(file), fix=AGAIN) from None
        except OSError as problem:
            raise damaged(file, problem.strerror) from None
        if self.digests is not None and hashlib.sha256(data).hexdigest() != self.digests[name]:
            raise InputError(
                "not the file this model was saved with",
                where=str(file),
                fix=f"{AGAIN}; grammars, weights and policies cannot be exchanged between models",
            )
        self._read.add(name)
        self._room += RATIO * len(data)
        return data

    def _take(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise ValueError("more to unpack than such a model has")


def weights_file(weights: Weights) -> bytes:
    """What stands in a file of weights."""
    return pack_arrays({"weights": pack_weights(weights)})


def _unzipped(data: bytes) -> Iterator[bytes]:
    """A gzipped file in blocks, so that one that is too large is never unpacked as a whole."""
    unzip = zlib.decompressobj(_GZIP)
    for begin in range(0, len(data), _BLOCK):
        piece = data[begin : begin + _BLOCK]
        while piece:
            if unzip.eof:
                raise ValueError("there is more behind its end")
            yield unzip.decompress(piece, _BLOCK)
            piece = unzip.unconsumed_tail or unzip.unused_data
    while not unzip.eof:
        block = unzip.decompress(b"", _BLOCK)
        if not block:
            raise ValueError("it ends too early")
        yield block


def _lines(block: bytes) -> list[str]:
    lines = block.decode().split("\n")
    if max(map(len, lines)) > LINE:
        raise ValueError("a line without end")
    if not all(map(str.strip, lines)):
        raise ValueError("a line without anything in it")
    if b"\0" in block:
        raise ValueError("a zero byte")
    return lines
