"""Attachment scores the slow way: from the lines of two CoNLL files, a list of facts for every word."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

PENN = {"``", "''", ":", ",", ".", "-LRB-", "-RRB-"}


class Figures(NamedTuple):
    words: int
    uas: float
    las: float
    complete: float


def is_punctuation(columns: list[str], how: str) -> bool:
    if how == "tag":
        return columns[3] == "PUNCT" or columns[4] in PENN
    if how == "characters":
        kinds = {unicodedata.category(character) for character in columns[1]}
        return kinds <= {"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"}
    return False


def sentences(text: str) -> list[list[list[str]]]:
    found: list[list[list[str]]] = [[]]
    for line in text.split("\n"):
        if not line:
            found.append([])
        elif line.split("\t")[0].isdigit():
            found[-1].append(line.split("\t"))
    return [sentence for sentence in found if sentence]


def figures(gold: str, parsed: str, how: str, subtypes: bool) -> Figures:
    heads: list[bool] = []
    both: list[bool] = []
    complete: list[bool] = []
    for right, tried in zip(sentences(gold), sentences(parsed), strict=True):
        here: list[bool] = []
        for a, b in zip(right, tried, strict=True):
            assert a[1] == b[1]
            if is_punctuation(a, how):
                continue
            labels = [a[7], b[7]] if subtypes else [a[7].split(":")[0], b[7].split(":")[0]]
            here.append(a[6] == b[6])
            both.append(a[6] == b[6] and labels[0] == labels[1])
        heads.extend(here)
        complete.append(False not in here)
    share = [100 * sum(facts) / len(facts) if facts else 0.0 for facts in (heads, both, complete)]
    return Figures(len(heads), *share)
