"""A scorer that costs: an agenda asks it about what comes first, charts about all that they build."""

import time
import zlib
from itertools import combinations

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

import secateur as sec
from secateur.kinds.pcfg.dear import DearParser, ask_all

SIZE = 1 << 16
trees = sec.garden.treebank(500)
train, test = trees[:400], trees[400:440]
grammar = sec.induce(train)


def features(words, i, k, label):
    """Pairs of what is at the boundaries of a span."""
    at = ("<", "<", *words, ">", ">")
    atoms = [f"{place}{at[place]}" for place in ()]
    near = (i, i + 1, i + 2, i + 3, k, k + 1, k + 2, k + 3)
    atoms = [str(k - i), *(f"{number} {at[place]}" for number, place in enumerate(near))]
    return [zlib.crc32(f"{label} {a} {b}".encode()) % SIZE for a, b in combinations(atoms, 2)]


def learned(trees):
    """How likely it is that a phrase which charts build is in the tree."""
    rows, gold = [], []
    for tree in trees:
        there = {(span.i, span.k, span.label) for span in tree.spans()}

        def seen(words, *phrase, there=there):
            rows.append(features(words, *phrase))
            gold.append(phrase in there)
            return 0.0

        ask_all(grammar, tree.words(), seen)
    width = len(rows[0])
    data = np.ones(len(rows) * width), np.ravel(rows), np.arange(0, len(rows) * width + 1, width)
    return LogisticRegression(max_iter=300).fit(csr_matrix(data, (len(rows), SIZE)), gold)


model = learned([tree for tree in train if len(tree.words()) <= 16][:150])
weights, bias = model.coef_[0], model.intercept_[0]


def scorer(words, i, k, label):
    return -float(np.logaddexp(0.0, -weights[features(words, i, k, label)].sum() - bias))


def by_chart(tree):
    scores, calls = ask_all(grammar, tree.words(), scorer)
    return charts.parse(tree, anchors=scores), calls


def by_agenda(tree):
    found = agenda.parse(tree)
    return found, found.notes["calls"]


charts, agenda = sec.Parser(grammar), DearParser(grammar, scorer)
ways = {"grammar": lambda tree: (charts.parse(tree), 0), "charts": by_chart, "agenda": by_agenda}
for name, way in ways.items():
    way(test[0])  # compiles
    started = time.process_time()
    found, calls = zip(*map(way, test))
    ms = 1000 * (time.process_time() - started) / len(test)
    f1 = sec.evaluate(test, [one.tree for one in found]).total.f1
    score = sum(one.score for one in found)
    print(f"{name:8} F1 {f1:.2f}  score {score:.3f}  calls {sum(calls) / len(test):5.0f}  {ms:6.2f} ms a sentence")
