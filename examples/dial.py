"""Train once, then turn the dial: one sentence parsed at three prices of work, and drawn."""

import secateur as sec
from secateur.kinds.pcfg.parser import model_parser
from secateur.kinds.pcfg.recipe import Settings
from secateur.treebanks.draw import phrases as draw

trees = sec.garden.treebank(500)
settings = Settings(points=3, iterations=2, repeat=1, max_length=20)
model = sec.train(trees[:400], dev=trees[400:], settings=settings, grammar=None)

sentence = "The girl sold a book and the boy bought the old car ."
for tradeoff in (100_000, 10_000, 0):  # F1 points that a million pushes a sentence must bring
    point = model.choose(tradeoff=tradeoff).point
    parse = model_parser(model, point.name)(sentence)
    print(f"{tradeoff:6} F1/Mpush: {point.name}, F1 {point.accuracy:.2f} with {1e6 * point.mpush:.0f} pushes")
    print(f"{'no parse' if parse.failed else 'parsed'} with {parse.work.pushes} pushes")
    print(draw.text(parse.tree), end="\n\n")
