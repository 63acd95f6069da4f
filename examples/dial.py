"""Train once, then turn the dial: one sentence parsed at three prices of work, and drawn."""

import secateur as sec

trees = sec.garden.treebank(500)
settings = sec.Settings(grammar="coarse", points=3, iterations=2, repeat=1, max_length=20)
model = sec.train(trees[:400], dev=trees[400:], settings=settings)

sentence = "The girl sold a book and the boy bought the old car ."
for tradeoff in (100_000, 10_000, 0):  # F1 points that a million pushes a sentence must bring
    point = model.choose(tradeoff=tradeoff).point
    parse = model.parser(point.name)(sentence)
    print(f"{tradeoff:6} F1/Mpush: {point.name}, F1 {point.accuracy:.2f} with {1e6 * point.work:.0f} pushes")
    print(f"{'no parse' if parse.failed else 'parsed'} with {parse.work.pushes} pushes")
    print(parse.annotation.draw(parse.tree), end="\n\n")
