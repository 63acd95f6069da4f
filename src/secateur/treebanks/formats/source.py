"""Where text comes from: a file or standard input, plain or gzipped, in any encoding, line by line."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from os import PathLike
from typing import Any

from secateur.errors import InputError

_BLOCK = 1 << 16  # bytes read at a time
_GZIP = b"\x1f\x8b"  # how gzipped content starts
_FIX_DAMAGED = "copy or download it again"
LONGEST_LINE = 1 << 28  # characters: whatever has longer ones is no text, and memory stays bounded
_OF_FOLDERS = (".xml", ".xml.gz")  # what is read of a folder
_MODEL = "model.toml"  # what a model has
_DIGITS = re.compile(r"([0-9]+)")
# Python has them among the encodings of text, but they are of names of hosts and of literals, not of files.
_NOT_OF_FILES = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})


class Folder(Iterator[str]):
    """The files of a treebank in many of them, in the order in which people number them.

    As an iterator it gives the lines of all of them; `files` keeps them apart.
    """

    def __init__(self, path: str | PathLike[str], *, encoding: str) -> None:
        self._encoding = encoding
        self._paths = [os.path.join(path, file) for file in _files_in(path)]
        self._lines = (line for _, lines in self.files() for line in lines)

    @property
    def first(self) -> str:
        """The path of the first."""
        return self._paths[0]

    def __next__(self) -> str:
        return next(self._lines)

    def files(self) -> Iterator[tuple[str, Iterator[str]]]:
        """The path and the lines of each."""
        return ((path, lines(path, encoding=self._encoding)) for path in self._paths)


def is_folder(path: str | PathLike[str]) -> bool:
    """Whether this is a folder of treebank files, and not a model."""
    if not os.path.isdir(path) or os.path.exists(os.path.join(path, _MODEL)):
        return False
    return bool(_files_in(path))


def _files_in(path: str | PathLike[str]) -> list[str]:
    try:
        found = [file for file in os.listdir(path) if file.endswith(_OF_FOLDERS)]
    except OSError as error:
        what = f"cannot be opened: {error.strerror}"
        raise InputError(what, where=str(path), fix="check the path and its permissions") from None
    return sorted(found, key=_in_order)


def _in_order(file: str) -> tuple[list[int | str], str]:
    """2.xml comes before 10.xml."""
    parts = _DIGITS.split(file)  # others and digits in turn
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], file


def name_of(path: str | PathLike[str]) -> str:
    """How messages call it."""
    return "<stdin>" if path == "-" else str(path)


def lines(path: str | PathLike[str], *, encoding: str = "utf-8") -> Iterator[str]:
    """The lines of a file, or of standard input for "-", each with its newline.

    Gzipped content and a byte order mark are recognised. A line ends at \\n, \\r\\n or \\r and nowhere else.
    """
    name, decoder = name_of(path), _decoder(encoding)
    count = 0  # lines given out
    pieces: list[str] = []  # of the line at hand
    size = 0  # of these
    held = ""  # a \r that may be the half of \r\n
    for block in _blocks(path, name):
        if b"\0" in block and not _has_nulls(encoding):
            pieces.append(block[: block.index(b"\0")].decode(encoding, "replace"))
            raise _binary(_where(name, count, pieces))
        text, fault = _decoded(decoder, block)
        text = held + text
        held = "\r" if block and not fault and text.endswith("\r") else ""
        text = text[: len(text) - len(held)].replace("\r\n", "\n").replace("\r", "\n")
        complete, newline, rest = text.rpartition("\n")
        if newline:
            yield from io.StringIO("".join(pieces) + complete + newline)
            count += complete.count("\n") + 1
            pieces.clear()
            size = 0
        pieces.append(rest)
        size += len(rest)
        if fault is not None:
            raise _undecodable(fault, _where(name, count, pieces), encoding)
        if size > LONGEST_LINE:
            raise _too_long(f"{name}:{count + 1}")
    if last := "".join(pieces):
        yield last


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        kind = codecs.lookup(encoding).name
        if kind.replace("_", "-") not in _NOT_OF_FILES:
            " ".encode(encoding)  # refuses what is not an encoding of text
            return codecs.getincrementaldecoder("utf-8-sig" if kind == "utf-8" else encoding)()
    except (LookupError, ValueError):  # the latter for names that cannot be one
        pass
    fix = "use a name such as utf-8, latin-1 or utf-16"
    raise InputError(f"unknown encoding {encoding!r}", fix=fix)


def _decoded(decoder: codecs.IncrementalDecoder, block: bytes) -> tuple[str, UnicodeError | None]:
    """The text of a block, empty at the end; or as much as is right of it, and the fault behind that."""
    state = decoder.getstate()
    try:
        return decoder.decode(block, final=not block), None
    except UnicodeDecodeError as error:
        right = len(block) - (len(error.object) - error.start)  # object: with the bytes that were kept back
        decoder.setstate(state)
        try:
            return decoder.decode(block[: max(right, 0)]), error
        except UnicodeError as first:
            return "", first
    except UnicodeError as error:  # no byte order mark
        return "", error


def _has_nulls(encoding: str) -> bool:
    """Whether text in this encoding is full of zero bytes."""
    return codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


def _blocks(path: str | PathLike[str], name: str) -> Iterator[bytes]:
    """The bytes, unzipped, with an empty block at the end."""
    with ExitStack() as stack:
        raw = _open(path, name, stack)
        try:
            stream: io.BufferedReader | gzip.GzipFile = raw
            if raw.peek(2)[:2] == _GZIP:
                stream = stack.enter_context(gzip.GzipFile(fileobj=raw))
            while block := stream.read1(_BLOCK):
                yield block
        except EOFError:
            raise InputError("the gzipped file ends too early", where=name, fix=_FIX_DAMAGED) from None
        except (OSError, zlib.error) as error:
            raise InputError(f"cannot be read: {error}", where=name, fix=_FIX_DAMAGED) from None
    yield b""


def _open(path: str | PathLike[str], name: str, stack: ExitStack) -> io.BufferedReader:
    if path == "-":
        stdin: Any = getattr(sys.stdin, "buffer", None)  # None itself where a program starts without it
        if stdin is None or stdin.closed:
            fix = "pipe text in, or name a file"
            raise InputError("standard input is closed", where=name, fix=fix)
        if isinstance(stdin, io.BufferedReader):
            return stdin
        reader: io.BufferedReader = io.BufferedReader(stdin)
        stack.callback(reader.detach)  # or else it would close standard input
        return reader
    try:
        return stack.enter_context(open(path, "rb"))
    except FileNotFoundError:
        raise InputError("no such file", where=name, fix="check the path") from None
    except IsADirectoryError:
        raise InputError("this is a directory", where=name, fix="name the files in it") from None
    except OSError as error:
        what = f"cannot be opened: {error.strerror}"
        raise InputError(what, where=name, fix="check the path and its permissions") from None
    except ValueError:  # a zero byte, half a character
        raise InputError("this cannot be a file's name", where=repr(name), fix="check the path") from None


def _where(name: str, count: int, pieces: list[str]) -> str:
    """The place after the pieces of text, which come after that many lines."""
    text = "".join(pieces)
    return f"{name}:{count + 1 + text.count(chr(10))}:{len(text) - text.rfind(chr(10))}"


def _binary(where: str) -> InputError:
    fix = "give a text file; for text in UTF-16 say --encoding utf-16"
    return InputError("binary content (a zero byte)", where=where, fix=fix)


def _too_long(where: str) -> InputError:
    what = f"a line of more than {LONGEST_LINE:,} characters"
    return InputError(what, where=where, fix="check that this is text, or break it into lines")


def _undecodable(error: UnicodeError, where: str, encoding: str) -> InputError:
    if not isinstance(error, UnicodeDecodeError):
        kind = codecs.lookup(encoding).name
        fix = f"say --encoding {kind}-le or {kind}-be if it is one of these, or utf-8"
        return InputError(f"no byte order mark at the start, as {encoding} must have", where=where, fix=fix)
    byte = error.object[error.start]
    other = "utf-8" if codecs.lookup(encoding).name != "utf-8" else "latin-1"
    fix = f"say --encoding {other} (or what the file is in), or convert the file"
    return InputError(f"the byte 0x{byte:02x} is not valid in {encoding}", where=where, fix=fix)
