"""Small grammars written by hand, with probabilities.

    S -> NP VP 1.0
    NP -> 'she' 0.4 | Det N 0.6
    VP -> V NP PP [0.3]           # square brackets around a probability are fine

Words stand in quotes. Rules with more than two symbols are binarized; a rule that mixes words and symbols
gets a tag for each of its words; unary chains are composed. `#` starts a comment.
"""

from __future__ import annotations

import math
import re

from secateur.errors import InputError
from secateur.grammar.pcfg import PCFG
from secateur.grammar.unaries import compose

_TOKEN = re.compile(
    r"""\s*(?:('[^']*'|"[^"]*")|(\|)|\[?(\d*\.?\d+(?:[eE][-+]?\d+)?)\]?(?=\s|\||$)|([^\s|]+))"""
)


def read(text: str, *, start: str | None = None) -> PCFG:
    """The grammar of a text; the start symbol is the first rule's unless given."""
    binary: list[tuple[str, str, str, float]] = []
    unary: list[tuple[str, str, float]] = []
    lexical: list[tuple[str, str, float]] = []
    quoted: set[str] = set()
    seen: set[tuple[str, ...]] = set()
    halves: dict[str, tuple[str, str]] = {}  # what made symbols stand for
    for number, line in enumerate(text.splitlines(), 1):
        content = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if not content:
            continue
        parent, arrow, rest = content.partition("->")
        parent = parent.strip()
        if not arrow or len(parent.split()) != 1:
            raise _wrong(line, number)
        start = start or parent
        for right, weight in _alternatives(rest, line, number):
            if (parent, *right) in seen:
                raise InputError(
                    f"duplicate rule: {parent} -> {' '.join(right)}",
                    where=f"line {number}",
                    fix="keep one of them, or add their probabilities",
                )
            seen.add((parent, *right))
            if len(right) == 1 and _is_word(right[0]):
                lexical.append((parent, right[0][1:-1], weight))
                continue
            quoted.update(symbol for symbol in right if _is_word(symbol))
            if len(right) == 1:
                unary.append((parent, right[0], weight))
                continue
            # X -> a b c becomes X -> X|<a-b> c and X|<a-b> -> a b.
            left = right[0]
            for m in range(2, len(right)):
                made = f"{parent}|<{'-'.join(right[:m])}>"
                half = (left, right[m - 1])
                while halves.setdefault(made, half) != half:  # A-B C and A B-C read the same
                    made += "'"
                left = made
            binary.append((parent, left, right[-1], weight))
    binary += [(made, *half, 0.0) for made, half in halves.items()]
    lexical += [(word, word[1:-1], 0.0) for word in sorted(quoted)]
    if start is None:
        raise InputError("a grammar without rules", fix="write one rule a line, for example: S -> NP VP 1.0")
    return PCFG.build(start, binary, compose(unary), lexical, {"format": "secateur"})


def _alternatives(rest: str, line: str, number: int) -> list[tuple[list[str], float]]:
    """The right-hand sides of a line with their log weights."""
    found: list[tuple[list[str], float]] = []
    right: list[str] = []
    weight: float | None = None
    for word, bar, probability, symbol in _TOKEN.findall(rest.strip()):
        if bar:
            found.append(_one(right, weight, line, number))
            right, weight = [], None
        elif weight is not None:
            raise _wrong(line, number)
        elif probability:
            weight = float(probability)
        else:
            right.append(word or symbol)
    found.append(_one(right, weight, line, number))
    return found


def _one(right: list[str], weight: float | None, line: str, number: int) -> tuple[list[str], float]:
    if not right or weight is None or not 0.0 < weight <= 1.0:
        raise _wrong(line, number)
    return right, math.log(weight)


def _is_word(symbol: str) -> bool:
    return symbol[0] in "'\"" and len(symbol) > 2


def _wrong(line: str, number: int) -> InputError:
    return InputError(
        f"not a rule: {line.strip()[:60]!r}",
        where=f"line {number}",
        fix="a rule reads `S -> NP VP 0.9`, the probability above 0 and at most 1, words in quotes",
    )
