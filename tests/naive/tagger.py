"""The tagger word by word, from the description of its patterns alone."""

from __future__ import annotations

import re
from collections import Counter

from naive.perceptron import Perceptron


def shape(word):
    text = "".join("X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdigit() else c for c in word)
    return re.sub(r"(.)\1+", r"\1", text)


class NaiveTagger:
    def __init__(self, trees, patterns, *, orders, margin, often, sure):
        pairs = [list(zip(tree.tags, tree.coarse, strict=True)) for tree in trees]
        self.classes = sorted({pair for row in pairs for pair in row})
        self.patterns = patterns
        self.count(trees, pairs, often, sure)
        self.perceptron = Perceptron(len(self.classes), margin)
        self.mistakes = []
        for order in orders:
            self.mistakes.append(0)
            for i in order:
                self.perceptron.start_sentence()
                gold = [self.classes.index(pair) for pair in pairs[i]]
                found = self.choose(trees[i].words, gold)
                self.mistakes[-1] += sum(a != b for a, b in zip(found, gold, strict=True))
        self.perceptron.average()

    def count(self, trees, pairs, often, sure):
        self.usual, self.fixed = {}, {}
        seen = [
            (w, self.classes.index(p))
            for t, row in zip(trees, pairs, strict=True)
            for w, p in zip(t.words, row, strict=True)
        ]
        for word in {word for word, _ in seen}:
            counts = Counter(c for other, c in seen if other == word)
            total = sum(counts.values())
            if total >= often:
                self.usual[word] = tuple(c for c, n in counts.most_common() if n / total >= 0.05)
            if total >= sure and len(counts) == 1:
                self.fixed[word] = next(iter(counts))

    def view(self, name, words, p):
        if not 0 <= p < len(words):
            return ("before",) if p < 0 else ("behind",)  # no word
        if name == "usual":
            return self.usual.get(words[p]) or (shape(words[p]), words[p][-2:])
        word = "".join("0" if c.isdigit() else c for c in words[p])
        if name == "shape":
            return shape(word)
        if name in ("word", "lower"):
            return word if name == "word" else word.lower()
        kind, length = name[:-1], int(name[-1])
        return (word[:length] if kind == "prefix" else word[-length:]).lower()

    def features(self, words, p, found):
        made = []
        for pattern in self.patterns:
            values = []
            for atom in pattern.split():
                if atom in ("last", "last2"):
                    back = 1 if atom == "last" else 2
                    values.append(found[p - back] if p >= back else None)
                else:
                    name, offset = re.fullmatch(r"(\w+)\[w([+-]\d)?\]", atom).groups()
                    values.append(self.view(name, words, p + int(offset or 0)))
            made.append((pattern, *values))
        return made

    def choose(self, words, gold=None):
        """Classes for the words; learns on the way where the true ones are given."""
        found = []
        for p, word in enumerate(words):
            best = self.fixed.get(word)
            if best is None:
                features = self.features(words, p, found)
                best = self.perceptron.best(features, self.perceptron.classes)
                if gold is not None:
                    self.perceptron.learn(features, gold[p], self.perceptron.classes)
            found.append(best)
        return found

    def tag(self, words):
        pairs = [self.classes[c] for c in self.choose(words)]
        return tuple(fine for fine, _ in pairs), tuple(coarse for _, coarse in pairs)
