"""What may be wrong with the texts of a model: JSON of other types and names, lines that are none."""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from mutations import BOMB, Change, made

# JSON -------------------------------------------------------------------------------------------------------

_TEXTS = {
    "null": "null",
    "true": "true",
    "-1": "-1",
    "0": "0",
    "1e999": "1e999",
    "NaN": "NaN",
    "a huge number": "9" * 400,
    "an endless number": "9" * 6000,
    "no text": '""',
    "half a character": '"\\ud800"',
    "a long text": f'"{"x" * 300_000}"',
    "a way out": '"../../../etc/passwd"',
    "a line end": '"a\\nb\\tc"',
    "foreign": '"Ünïcödé 木 \\u202e"',
    "a list": "[]",
    "an object": "{}",
    "a list of lists": "[[[[1]]]]",
    "lists without end": "[" * 20_000 + "]" * 20_000,
}
_MARK = "@@here@@"


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values stand, the first few of each list and object only."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    for key, each in list(inner)[:12]:
        yield from _paths(each, (*path, key))


def _replaced(data: bytes, rng: random.Random, path: tuple[Any, ...], text: str) -> bytes:
    whole = json.loads(data)
    if not path:
        return text.encode()
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = _MARK
    return json.dumps(whole).replace(f'"{_MARK}"', text).encode()


def _keyed(data: bytes, rng: random.Random, path: tuple[Any, ...], how: str) -> bytes:
    whole = json.loads(data)
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    value = inner.pop(path[-1])
    if isinstance(inner, dict):
        if how == "renamed":
            inner[f"{path[-1]}s"] = value
        elif how == "doubled":
            inner |= {path[-1]: value, f"more than {path[-1]}": value}
    elif how != "dropped":
        inner.insert(path[-1], value)
        inner.insert(path[-1], value)
    return json.dumps(whole).encode()


def of_json(folder: Path, file: str) -> Iterator[tuple[str, Change]]:
    for path in _paths(json.loads((folder / file).read_bytes())):
        where = "/".join(map(str, path)) or "all"
        for what, text in _TEXTS.items():
            yield f"{where} is {what}", made(file, partial(_replaced, path=path, text=text))
        for how in ("dropped", "renamed", "doubled") if path else ():
            yield f"{where} {how}", made(file, partial(_keyed, path=path, how=how))
    yield "no JSON", made(file, lambda data, rng: data[1:])
    yield "latin-1", made(file, lambda data, rng: data.replace(b'"', '"é'.encode("latin-1"), 1))
    yield "utf-16", made(file, lambda data, rng: data.decode().encode("utf-16"))
    yield "a byte order mark", made(file, lambda data, rng: b"\xef\xbb\xbf" + data)


# Lines ------------------------------------------------------------------------------------------------------


def _on_lines(file: str, make: Callable[[list[bytes], random.Random], list[bytes]]) -> Change:
    def change(data: bytes, rng: random.Random) -> bytes:
        lines = (gzip.decompress(data) if file.endswith(".gz") else data).split(b"\n")
        text = b"\n".join(make(lines, rng))
        return gzip.compress(text) if file.endswith(".gz") else text

    return made(file, change)


def _line(make: Callable[[bytes], bytes]) -> Callable[[list[bytes], random.Random], list[bytes]]:
    """One line made into another."""

    def change(lines: list[bytes], rng: random.Random) -> list[bytes]:
        at = rng.randrange(len(lines))
        return [*lines[:at], make(lines[at]), *lines[at + 1 :]]

    return change


def _number(text: bytes) -> Callable[[list[bytes], random.Random], list[bytes]]:
    return _line(lambda line: re.sub(rb"-?[0-9]+(\.[0-9e-]+)?$", text, line))


_LINES: dict[str, Callable[[list[bytes], random.Random], list[bytes]]] = {
    "a line less": lambda lines, rng: lines[:1] + lines[2:],
    "no first line": lambda lines, rng: lines[1:],
    "one line": lambda lines, rng: lines[:1],
    "a line twice": _line(lambda line: line + b"\n" + line),
    "mixed": lambda lines, rng: rng.sample(lines, len(lines)),
    "mixed behind the first": lambda lines, rng: lines[:1] + rng.sample(lines[1:], len(lines) - 1),
    "reversed": lambda lines, rng: lines[::-1],
    "an empty line": _line(lambda line: b""),
    "a long line": _line(lambda line: line + b"x" * (3 << 20)),
    "a long chain": _line(lambda line: b"S" + b" -> S" * 100_000 + b" -1.0"),
    "a zero byte": _line(lambda line: line[:3] + b"\0" + line[3:]),
    "latin-1": _line(lambda line: line + "é".encode("latin-1")),
    "half a character": _line(lambda line: line + b"\xed\xa0\x80"),
    "foreign": _line(lambda line: line.replace(b" ", "\u3000".encode())),
    "a way out": _line(lambda line: b"../../../etc/passwd"),
    "brackets": _line(lambda line: b"(" + line + b")"),
    "a word more": _line(lambda line: line + b" more"),
    "a word less": _line(lambda line: line.rpartition(b" ")[0]),
    "words swapped": _line(lambda line: b" ".join(line.split()[::-1])),
    "upper case": _line(bytes.upper),
    **{
        f"a number is {text}": _number(text.encode())
        for text in ("nan", "inf", "-inf", "-1e308", "1e999", "1")
    },
    "a cycle": lambda lines, rng: [*lines[:1], b"S -> S -0.0", b"NP -> NP 0.0", *lines[1:]],
    "a heading": _line(lambda line: b"# stage 99, of siblings"),
    "a bare heading": _line(lambda line: b"# "),
    "a template": _line(lambda line: b"tag[q] word[h+9]"),
}
_BOMBS = {"newlines": b"\n", "blanks": b" \n", "one line": b"x", "rules": b"A -> B -1\n"}
_FIRST_LINES = {
    "of Berkeley": lambda line: line.replace(b"format=secateur", b"format=Berkeley"),
    "split": lambda line: line.replace(b"format=secateur", b"format=secateur-split"),
    "without a start": lambda line: line.replace(b"start=", b"begin="),
    "another start": lambda line: line.replace(b"start=", b"start=X"),
    "counts": lambda line: re.sub(rb"nLex=\d+", b"nLex=" + b"9" * 5000, line),
    "split symbols": lambda line: line + b" split=yes",
}


def of_lines(file: str) -> Iterator[tuple[str, Change]]:
    for what, make in _LINES.items():
        for luck in range(2):
            yield f"{what} {luck}", _on_lines(file, make)
    if file.endswith(".gz"):
        for what, change in _FIRST_LINES.items():
            yield what, _on_lines(file, partial(_at_first, change))
        yield "not gzipped", made(file, lambda data, rng: gzip.decompress(data))
        yield "gzipped twice", made(file, lambda data, rng: gzip.compress(data))
        yield "more behind", made(file, lambda data, rng: data + data)
        for what, piece in (
            ("newlines", b"\n"),
            ("blanks", b" \n"),
            ("one line", b"x"),
            ("rules", b"A -> B -1\n"),
        ):
            yield f"a bomb of {what}", made(file, partial(_gzip_bomb, piece=piece))


def _at_first(change: Callable[[bytes], bytes], lines: list[bytes], rng: random.Random) -> list[bytes]:
    return [change(lines[0]), *lines[1:]]


def _gzip_bomb(data: bytes, rng: random.Random, piece: bytes) -> bytes:
    return _gzipped(gzip.decompress(data).partition(b"\n")[0] + b"\n", piece)


@cache
def _gzipped(head: bytes, piece: bytes) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    block = piece * ((1 << 20) // len(piece))
    return b"".join(
        [packer.compress(head), *(packer.compress(block) for _ in range(BOMB >> 20)), packer.flush()]
    )
