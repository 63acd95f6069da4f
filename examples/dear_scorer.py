"""A scorer that costs: an agenda asks it about what comes first, charts about all that they build."""

import time
import zlib
from itertools import combinations

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

import secateur as sec
from secateur.kinds.pcfg.dear import DearParser, ask_all

SIZE = 1 << 18
trees = sec.garden.treebank(1000)
train, test = trees[:920], trees[920:]
grammar = sec.induce(train)
charts = sec.Parser(grammar)


def features(words, i, k, label):
    """Pairs and triples of what is at the boundaries of a span: this is what takes its time."""
    at = ("<", "<", *words, ">", ">")
    near = (i, i + 1, i + 2, i + 3, k, k + 1, k + 2, k + 3)
    atoms = [str(k - i), *(f"{number} {at[place]}" for number, place in enumerate(near))]
    groups = (*combinations(atoms, 2), *combinations(atoms, 3))
    return [zlib.crc32(f"{label} {group}".encode()) % SIZE for group in groups]


def learned(trees):
    """Which phrases are in the tree, of all that are in the trees which the grammar likes best?"""
    rows, gold = [], []
    for tree in trees:
        right = {(span.i, span.k, span.label) for span in tree.spans()}
        best = charts.kbest(tree.words(), 10)
        phrases = right.union((span.i, span.k, span.label) for one in best for span in one.tree.spans())
        rows += [features(tree.words(), *phrase) for phrase in sorted(phrases)]
        gold += [phrase in right for phrase in sorted(phrases)]
    width = len(rows[0])
    data = np.ones(len(rows) * width), np.ravel(rows), np.arange(0, len(rows) * width + 1, width)
    return LogisticRegression(C=1.0, max_iter=300).fit(csr_matrix(data, (len(rows), SIZE)), gold)


model = learned([tree for tree in train if len(tree.words()) <= 25])
weights, bias = model.coef_[0], model.intercept_[0]


def scorer(words, i, k, label):
    """The log odds of a phrase that is less likely than not; for others there is no reward."""
    return min(float(weights[features(words, i, k, label)].sum() + bias), 0.0)


def by_chart(tree):
    scores, calls = ask_all(grammar, tree.words(), scorer)
    return charts.parse(tree, anchors=scores), calls


def by_agenda(tree):
    found = agenda.parse(tree)
    return found, found.notes["calls"]


agenda = DearParser(grammar, scorer)
ways = {"grammar": lambda tree: (charts.parse(tree), 0), "charts": by_chart, "agenda": by_agenda}
for name, way in ways.items():
    way(test[0])  # compiles
    started = time.process_time()
    found, calls = zip(*map(way, test), strict=True)
    ms = 1000 * (time.process_time() - started) / len(test)
    f1 = sec.evaluate(test, [one.tree for one in found]).total.f1
    score = sum(one.score for one in found)
    print(f"{name:8} F1 {f1:.2f}  score {score:.4f}  calls {sum(calls) / len(test):4.0f}  {ms:6.2f} ms")
