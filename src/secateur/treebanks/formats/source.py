"""Where text comes from: a file or standard input, plain or gzipped, in any encoding, line by line."""

from __future__ import annotations

import codecs
import gzip
import io
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
    held = ""  # a \r that may be the half of \r\n
    for block in _blocks(path, name):
        if b"\0" in block and not _has_nulls(encoding):
            pieces.append(block[: block.index(b"\0")].decode(encoding, "replace"))
            raise _binary(_where(name, count, pieces))
        fault: UnicodeDecodeError | None = None
        try:
            text = held + decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            fault = error
            text = held + error.object[: error.start].decode(error.encoding, "replace")
        held = "\r" if block and not fault and text.endswith("\r") else ""
        text = text[: len(text) - len(held)].replace("\r\n", "\n").replace("\r", "\n")
        complete, newline, rest = text.rpartition("\n")
        if newline:
            yield from io.StringIO("".join(pieces) + complete + newline)
            count += complete.count("\n") + 1
            pieces.clear()
        pieces.append(rest)
        if fault is not None:
            raise _undecodable(fault, _where(name, count, pieces), encoding)
    if last := "".join(pieces):
        yield last


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        " ".encode(encoding)  # refuses what is not an encoding of text
        is_utf8 = codecs.lookup(encoding).name == "utf-8"
        return codecs.getincrementaldecoder("utf-8-sig" if is_utf8 else encoding)()
    except LookupError:
        fix = "use a name such as utf-8, latin-1 or utf-16"
        raise InputError(f'unknown encoding "{encoding}"', fix=fix) from None


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
        stdin: Any = sys.stdin.buffer
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


def _where(name: str, count: int, pieces: list[str]) -> str:
    """The place after the pieces of text, which come after that many lines."""
    text = "".join(pieces)
    return f"{name}:{count + 1 + text.count(chr(10))}:{len(text) - text.rfind(chr(10))}"


def _binary(where: str) -> InputError:
    fix = "give a text file; for text in UTF-16 say --encoding utf-16"
    return InputError("binary content (a zero byte)", where=where, fix=fix)


def _undecodable(error: UnicodeDecodeError, where: str, encoding: str) -> InputError:
    byte = error.object[error.start]
    other = "utf-8" if codecs.lookup(encoding).name != "utf-8" else "latin-1"
    fix = f"say --encoding {other} (or what the file is in), or convert the file"
    return InputError(f"the byte 0x{byte:02x} is not valid in {encoding}", where=where, fix=fix)
