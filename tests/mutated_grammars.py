"""Small PLCFRSs in all formats, and what may go wrong with their files."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

TEXT = """\
format=secateur-lcfrs start=S chains=no nBinary=2 nUnary=2 nLong=1 nLex=4
V -> N M 0,1 -0.25
S -> V N 010 -0.5
S -> N 0 -1.5
W -> P -> Q -> V 0,0 -1.0
S -> N M N 012 -0.75
===== SYMBOLS =====
M 1 M
N 1 N
S 1 S
V 2 V
W 2 W
===== LEXICON =====
N -> UNK -2.0
N -> a -1.0
M -> b -0.5
N -> b -1.5
"""
BY_HAND = """\
# by hand

S(X Y Z) -> VP(X, Z) NP(Y) 0.5
S(X Y) -> NP(X) V(Y) 0.25
VP(X, Y) -> V(X) NP(Y)
NP(X Y Z) -> NP(X) V(Y) NP(Z) [0.25]
NP('a') -> 0.25
NP("UNK") -> 0.5
V('b') ->
"""
RULES = """\
S\tVP_2\tNP\t010\t1/2
S\tNP\tV\t01\t0.5
VP_2\tV\tNP\t0,1\t1/1
VP\tV\tV|<NP>_2\t101\t1
V|<NP>_2\tNP\tV\t1,0\t1/3
"""
LEXICON = """\
a\tNP 1/4
b\tV 2/3\tNP\t1e-1
UNK\tNP 1/2
"""
_ODD = ("", "->", "=====", "nan", "inf", "-inf", "0,,1", "9" * 30, "99999", "0,1,0,1", "-", "\t", "made")
_ODD += ("S", "é", "²", "0.0.1", "(", ")", "'", "S(X", "X, X", "#", "1/0", "3/2", "\0", "\u2028", "\x85", "=")
_ODD += ("format=secateur-lcfrs", "format=secateur", "0" * 40, ",".join("01" * 20), "(" * 400, "-1e400")


def write(folder: Path) -> list[Path]:
    """A file of each, the second of disco-dop's aside."""
    contents = {"g.gr": TEXT, "h.gr": BY_HAND, "d.rules": RULES, "d.lex": LEXICON}
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return [folder / name for name in ("g.gr", "h.gr", "d.rules")]


def mutated(folder: Path, seed: int) -> Path:
    """A grammar in one of the formats, with something wrong in one of its files or two of them."""
    rng = random.Random(seed)
    path = rng.choice(write(folder))
    files = [path] if path.suffix == ".gr" else [path, path.with_suffix(".lex")]
    for file in rng.sample(files, rng.randint(1, len(files))):
        text = file.read_text(encoding="utf-8")
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            text = _changed(text, rng)
        data = text.encode()
        if rng.random() < 0.1:
            data = data[: rng.randrange(len(data) + 1)] + bytes([rng.randrange(256)])
        if rng.random() < 0.1:
            data = gzip.compress(data, mtime=0)[: rng.choice((-1, -9, None))]
        file.write_bytes(data)
    if rng.random() < 0.03 and len(files) > 1:
        rng.choice(files).unlink()
    return path


def _changed(text: str, rng: random.Random) -> str:
    """Characters, fields or lines lost, doubled, changed or in another order."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    fields = lines[at].split(" ")
    place = rng.randrange(len(fields))
    match rng.randrange(8):
        case 0:
            del lines[at]
        case 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        case 2:
            lines[at] = " ".join([*fields[:place], rng.choice(_ODD), *fields[place + 1 :]])
        case 3:
            lines[at] = " ".join(fields[:place] + fields[place + 1 :])
        case 4:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
        case 5:
            rng.shuffle(fields)
            lines[at] = " ".join(fields)
        case 6:
            rng.shuffle(lines)
        case _:
            where = rng.randrange(len(text) + 1)
            return text[:where] + rng.choice(_ODD) + text[where + rng.randrange(4) :]
    return "\n".join(lines)
