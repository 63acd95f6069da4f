"""An averaged perceptron with texts for features and a dictionary for weights."""

from __future__ import annotations

from collections import defaultdict


class Perceptron:
    """Weights change in `learn`; after `average` they are their mean over the starts of all sentences."""

    def __init__(self, classes: int, margin: float) -> None:
        self.classes = range(classes)
        self.margin = margin
        self.weights: dict = defaultdict(float)
        self.total: dict = defaultdict(float)
        self.sentences = 0

    def start_sentence(self) -> None:
        self.sentences += 1
        for key, weight in self.weights.items():
            self.total[key] += weight

    def average(self) -> None:
        self.weights = defaultdict(float, {k: total / self.sentences for k, total in self.total.items()})

    def scores(self, features) -> list[float]:
        return [sum(self.weights.get((f, c), 0.0) for f in features) for c in self.classes]

    def best(self, features, allowed) -> int:
        """The first of the best."""
        scores = self.scores(features)
        return max(allowed, key=lambda c: (scores[c], -c))

    def learn(self, features, gold, allowed) -> None:
        scores = self.scores(features)
        others = [c for c in allowed if c != gold]
        if not others:
            return
        rival = max(others, key=lambda c: (scores[c], -c))
        if scores[gold] < scores[rival] + self.margin:
            for f in features:
                self.weights[f, gold] += 1.0
                self.weights[f, rival] -= 1.0
