"""What may be wrong with the files of a model: every file in many ways, its checksum mended afterwards.

Those of any file are here, and those of model.toml and checksums.json; others in mutated_arrays.py and
mutated_texts.py. Their names are always the same, and so is what they do.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

CHECKSUMS = "checksums.json"
LARGE = 1 << 28  # bytes of a file whose checksum nobody will ever look at
BOMB = 700 << 20  # bytes that a few packed ones unpack to

Change = Callable[[Path, random.Random], None]  # of a folder


class Mutation(NamedTuple):
    """A change with a name, made in a model's folder; its luck depends on its name."""

    name: str
    change: Change

    def apply(self, folder: Path) -> None:
        self.change(folder, random.Random(self.name))
        repair(folder)


def repair(folder: Path) -> None:
    """Checksums of the files as they are now, as far as there are any."""
    listed = folder / CHECKSUMS
    with contextlib.suppress(OSError, ValueError, AttributeError, TypeError, RecursionError):
        if not listed.is_file() or listed.stat().st_size > LARGE:
            return
        promised = json.loads(listed.read_bytes())
        for name in promised:
            file = folder / name
            if isinstance(promised[name], str) and file.is_file() and file.stat().st_size < LARGE:
                promised[name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        listed.write_text(json.dumps(promised))


def made(file: str, make: Callable[[bytes, random.Random], bytes]) -> Change:
    """A file's bytes made into others."""

    def change(folder: Path, rng: random.Random) -> None:
        (folder / file).write_bytes(make((folder / file).read_bytes(), rng))

    return change


# Any file ---------------------------------------------------------------------------------------------------


def flipped(data: bytes, rng: random.Random, count: int = 1) -> bytes:
    changed = bytearray(data)
    for _ in range(count if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def of_any(file: str) -> Iterator[tuple[str, Change]]:
    yield from ((f"flipped {n}", made(file, partial(flipped, count=n))) for n in (1, 2, 20))
    yield "emptied", made(file, lambda data, rng: b"")
    yield "half", made(file, lambda data, rng: data[: len(data) // 2])
    yield "a byte short", made(file, lambda data, rng: data[:-1])
    yield "longer", made(file, lambda data, rng: data + rng.randbytes(50))
    yield "noise", made(file, lambda data, rng: rng.randbytes(len(data)))
    yield "zeros", made(file, lambda data, rng: bytes(len(data)))
    yield "deleted", lambda folder, rng: (folder / file).unlink()
    yield "forgotten", lambda folder, rng: _forget(folder, file, keep=False)
    yield "unlisted", lambda folder, rng: _forget(folder, file, keep=True)
    yield "another's", lambda folder, rng: _another(folder, file, rng)
    for name, place in _INSTEAD.items():
        yield name, partial(_instead, file, place)


def _forget(folder: Path, file: str, *, keep: bool) -> None:
    promised = json.loads((folder / CHECKSUMS).read_text())
    promised.pop(file, None)
    (folder / CHECKSUMS).write_text(json.dumps(promised))
    if not keep:
        (folder / file).unlink()


def _another(folder: Path, file: str, rng: random.Random) -> None:
    others = sorted(folder.rglob(f"*{Path(file).suffix}"))
    (folder / file).write_bytes(rng.choice(others).read_bytes())


def _sparse_file(path: Path) -> None:
    with open(path, "wb") as stream:
        stream.truncate(5 << 30)


def _link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


_INSTEAD: dict[str, Callable[[Path], None]] = {
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "huge": _sparse_file,
    "a link to what never ends": _link_to("/dev/zero"),
    "a link to nothing": _link_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to the outside": _link_to("/etc/hostname"),
}


def _instead(file: str, place: Callable[[Path], None], folder: Path, rng: random.Random) -> None:
    (folder / file).unlink()
    place(folder / file)


# model.toml and checksums.json ------------------------------------------------------------------------------


def of_about() -> Iterator[tuple[str, Change]]:
    for what, old, new in (
        ("format 1", b"format = 2", b"format = 1"),
        ("format as text", b"format = 2", b'format = "2"'),
        ("format 2.0", b"format = 2", b"format = 2.0"),
        ("format true", b"format = 2", b"format = true"),
        ("no format", b"format = 2", b""),
        ("no kind", b"kind =", b"sort ="),
        ("kind of lists", b"kind =", b"kind = [[1]] #"),
        ("kind of a table", b"kind =", b"kind = {a = 1} #"),
        ("kind unknown", b"kind = ", b'kind = "crystal-ball" #'),
        ("kind of the other", b"kind = ", b'kind = "arcs" #'),
        ("kind of the one", b"kind = ", b'kind = "pcfg" #'),
        ("not made", b'"made by"', b'"made of"'),
        ("no settings", b"[settings]", b"[other]"),
        ("settings of settings", b"[settings]", b"[[settings]]"),
        ("settings of a date", b"[settings]", b'[settings]\n"day" = 2020-01-01'),
        ("settings of nan", b"[settings]", b'[settings]\n"nan" = nan'),
        ("settings of lists", b"[settings]", b'[settings]\n"deep" = ' + b"[" * 3000 + b"]" * 3000),
        ("settings of tables", b"[settings]", b"[settings" + b".a" * 3000 + b"]"),
        ("settings of a huge number", b"[settings]", b'[settings]\n"huge" = ' + b"9" * 6000),
        ("settings twice", b"[settings]", b"[settings]\n[settings]"),
        ("checksum a number", b'"checksum" = ', b'"checksum" = 7 #'),
        ("judged a text", b'"judged on" = ', b'"judged on" = "no one" #'),
        ("latin-1", b"[settings]", '# é\n[settings]'.encode("latin-1")),
    ):  # fmt: skip
        yield what, made("model.toml", lambda data, rng, old=old, new=new: data.replace(old, new, 1))


def of_checksums() -> Iterator[tuple[str, Change]]:
    def listed(name: str, digest: Any) -> Change:
        def change(folder: Path, rng: random.Random) -> None:
            promised = json.loads((folder / CHECKSUMS).read_text())
            (folder / CHECKSUMS).write_text(json.dumps({**promised, name: digest}))

        return change

    names = (
        *("..", ".", "", "../x", "/etc/hostname", "/dev/zero", "~", "a\\b", "a\0b", "C:x", "con", "x" * 5000),
        *("policies", "policies/..", "policies/../../x", "policies/x/y.npz", "policies/ü.npz"),
        *("more.txt", "card.md", "checksums.json", "work/run.json"),
    )
    for name in names:
        yield f"lists {name[:30]!r}", listed(name, "0" * 64)
    for digest in (None, 1, [], {}, "", "x", "0" * 64, "Ü"):
        yield f"a digest {digest!r}", listed("model.toml", digest)
    yield "a file more", _added("more.txt")
    yield "a policy more", _added("policies/more.npz")
    yield "policies elsewhere", _moved_policies


def _added(name: str) -> Change:
    def change(folder: Path, rng: random.Random) -> None:
        (folder / name).write_bytes(b"more")
        promised = json.loads((folder / CHECKSUMS).read_text())
        (folder / CHECKSUMS).write_text(json.dumps({**promised, name: ""}))

    return change


def _moved_policies(folder: Path, rng: random.Random) -> None:
    shutil.move(folder / "policies", folder.parent / "elsewhere")
    (folder / "policies").symlink_to(folder.parent / "elsewhere")
