"""The labeller arc by arc, from the description of its patterns alone."""

from __future__ import annotations

import re

from naive.arc_features import length_class
from naive.perceptron import Perceptron

NONE = "none"


def view(name, tree, p):
    if p == NONE or not 1 <= p <= len(tree):
        place = {NONE: "nowhere", 0: "root"}.get(p, "before" if p != NONE and p < 0 else "behind")
        return (place,)  # like no word
    word = "".join("0" if c.isdigit() else c for c in tree.words[p - 1]).lower()
    return {
        "tag": tree.tags[p - 1],
        "coarse": tree.coarse[p - 1],
        "word": word,
        "prefix": word[:4],
        "suffix": word[-3:],
    }[name]


def features(patterns, tree, m):
    h = tree.heads[m - 1]
    children = {p: [c for c, head in enumerate(tree.heads, 1) if head == p] for p in range(len(tree) + 1)}
    before = [c for c in children[h] if c < m]
    after = [c for c in children[h] if c > m]
    left, right = [c for c in children[m] if c < m], [c for c in children[m] if c > m]
    places = {
        "h": h,
        "m": m,
        "s": before[-1] if before else NONE,
        "n": after[0] if after else NONE,
        "l": left[0] if left else NONE,
        "r": right[-1] if right else NONE,
    }
    side = "right" if h < m else "left"
    values = {
        "side": side,
        "distance": (side, length_class(abs(h - m))),
        "between": frozenset(tree.coarse[min(h, m) : max(h, m) - 1]),
        "children": (min(len(left), 3), min(len(right), 3)),
    }
    made = []
    for pattern in patterns:
        found = []
        for atom in pattern.split():
            if atom in values:
                found.append(values[atom])
            else:
                name, place, offset = re.fullmatch(r"(\w+)\[(\w)([+-]\d)?\]", atom).groups()
                found.append(view(name, tree, places[place] + int(offset) if offset else places[place]))
        made.append((pattern, *found))
    return made


class NaiveLabeller:
    def __init__(self, trees, patterns, *, orders, margin, often):
        self.labels = sorted({label for tree in trees for label in tree.labels})
        self.patterns = patterns
        self.seen = {}
        for tree in trees:
            for m, label in enumerate(tree.labels, 1):
                self.seen.setdefault(self.pair(tree, m), []).append(self.labels.index(label))
        self.often = often
        self.perceptron = Perceptron(len(self.labels), margin)
        self.mistakes = []
        for order in orders:
            self.mistakes.append(0)
            for i in order:
                self.perceptron.start_sentence()
                for m, label in enumerate(trees[i].labels, 1):
                    gold, allowed = self.labels.index(label), self.allowed(trees[i], m)
                    arc = features(self.patterns, trees[i], m)
                    self.mistakes[-1] += self.perceptron.best(arc, allowed) != gold
                    self.perceptron.learn(arc, gold, allowed)
        self.perceptron.average()

    @staticmethod
    def pair(tree, m):
        return view("coarse", tree, tree.heads[m - 1]), tree.coarse[m - 1]

    def allowed(self, tree, m):
        seen = self.seen.get(self.pair(tree, m), [])
        return sorted(set(seen)) if len(seen) >= self.often else list(range(len(self.labels)))

    def label(self, tree):
        return tuple(
            self.labels[self.perceptron.best(features(self.patterns, tree, m), self.allowed(tree, m))]
            for m in range(1, len(tree) + 1)
        )
