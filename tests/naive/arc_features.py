"""Features of arcs as texts, one at a time, from the description of the patterns alone."""

from __future__ import annotations

import re


def length_class(length: int) -> str:
    return str(length) if length <= 5 else ("6-10" if length <= 10 else ">10")


def views(token):
    """Of (word, tag, coarse tag)."""
    word = "".join("0" if c.isdigit() else c for c in token[0])
    return {"word": word, "prefix": word[:5], "suffix": word[-3:], "tag": token[1], "coarse": token[2]}


def value(atom, sentence, h, m, s):
    """What an atom says; None stands for no sibling."""
    view, node, offset = re.fullmatch(r"(\w+)\[([hms])([+-]1)?\]", atom).groups()
    position = {"h": h, "m": m, "s": s}[node]
    if position is None:
        return "no sibling"
    position += int(offset or 0)
    if position < 0:
        return "before"
    if position == 0:
        return "root"
    if position > len(sentence):
        return "after"
    return views(sentence[position - 1])[view]


def count(sentence, between, wanted):
    return min(3, sum(sentence[b - 1][2] in wanted for b in between))


def features(pattern, sentence, h, m, s=None, siblings=False):
    """All (pattern, values, distance) of one arc, with and without distance."""
    nearest = (s if s is not None else h) if siblings else h
    between = range(min(nearest, m) + 1, max(nearest, m))
    if siblings and s is None:
        between = range(0)
    atoms = pattern.split()
    fixed = tuple(value(a, sentence, h, m, s) for a in atoms if "[b]" not in a and "[" in a and a != "bias")
    found = []
    each = [a for a in atoms if "[b]" in a]
    if each:
        view = each[0].split("[")[0]
        found = [(*fixed, "each", views(sentence[b - 1])[view]) for b in between]
    elif "coarse{b}" in atoms:
        found = [(*fixed, "set", *sorted({sentence[b - 1][2] for b in between}))]
    elif "verbs" in atoms:
        found = [(*fixed, "verbs", count(sentence, between, {"VB", "MD", "VERB", "AUX", "V"}))]
    elif "points" in atoms:
        found = [
            (*fixed, "points", count(sentence, between, {",", ".", ":", "``", "''", "PUNCT", "-L", "-R"}))
        ]
    else:
        found = [fixed]
    distance = ("right" if h < m else "left", length_class(abs(nearest - m)))
    return [(pattern, siblings, values, far) for values in found for far in (None, distance)]
