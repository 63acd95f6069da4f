"""A template of one's own: how the words around a span's boundaries end. In training, parsing and saving."""

import tempfile

import numpy as np

import secateur as sec
from secateur.features.span import TEMPLATES, SpanFeatures

VIEWS = {"ending": lambda word: word[-3:]}  # a view: any function from a word to a text
OWN = (*TEMPLATES, "ending[i-1] ending[i]", "ending[k-1] ending[k]")  # of spans (i, k)

trees = sec.garden.treebank(600)
train, dev, test = trees[:400], trees[400:500], trees[500:]
features = SpanFeatures.from_words(train.vocabulary(), templates=OWN, views=VIEWS)
settings = sec.Settings(grammar="coarse", points=3, iterations=2, repeat=1, max_length=20, features=features)
model = sec.train(train, dev=dev, settings=settings)
point = model.choose(tradeoff=10_000).point.name

words = ["She", "was", "feeding", "the", "dog", "."]
ends = np.array([(0, k) for k in range(2, len(words))], np.int32)
buckets = features.rows(features.columns(words), ends)[:, -1]  # of the last template
for (_, k), weight in zip(ends.tolist(), model.policies[point].weights[buckets], strict=True):
    print(f"{weight:+.2f} for a span that ends at ...{words[k - 1][-3:]} | ...{words[k][-3:]}")


def f1(model):
    parses = list(model.parser(point).pipe(tree.words() for tree in test))
    return sec.evaluate(test, [p.tree for p in parses], failed=[p.failed for p in parses]).total.f1


with tempfile.TemporaryDirectory() as folder:
    model.save(folder)
    again = sec.Model.load(folder, views=VIEWS)  # templates are saved as text, functions are not
    count = len(again.parts.features.templates)
    print(f"{count} templates: F1 {f1(model):.2f}, saved and loaded {f1(again):.2f}")
