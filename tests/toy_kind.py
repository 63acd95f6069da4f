"""A third kind of model, as small as can be: a sequence tagger whose trees are flat. Its dial has two points:
`careful` looks at each word and the tag before it, `hasty` at the word alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from secateur.metrics.evalb.evaluation import PhraseScoring
from secateur.models.curve import with_tradeoffs
from secateur.models.kind import Look, Trained
from secateur.models.limits import Limits
from secateur.models.measure import measure
from secateur.models.parse import Parse, SentenceParser
from secateur.models.point import Figures, Way
from secateur.models.run import Run, fingerprint
from secateur.options import check_least, option
from secateur.search.core import Policy, Work
from secateur.treebanks.bank import Bank
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Leaf, Tree

Table = dict[str, dict[str, int]]  # how often each tag was seen in a context


@dataclass(frozen=True)
class ToySettings:
    least: int = option(1, "Leave out contexts seen less often.", low=1)
    seed: int = 0

    def __post_init__(self) -> None:
        check_least({"as the least count": (self.least, 1)})


@dataclass(frozen=True)
class Using:
    is_json = is_several = False

    def said(self) -> str:
        return ""


Looking = dataclass(frozen=True)(type("Looking", (), {}))


class ToyParser(SentenceParser[Tree]):
    annotation = PHRASES

    def __init__(self, table: Table, way: Way, limits: Limits, using: Using) -> None:
        self.table, self.way, self.limits, self.using = table, way, limits, using

    def __repr__(self) -> str:
        return f"<ToyParser: {self.way['look']}>"

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        return [self._one(s) if len(s) <= self.limits.words else None for s in sentences]

    def _one(self, sentence: Sentence) -> Parse[Tree]:
        tags, looks = ["START"], 0
        for word in sentence.penn:
            contexts = [f"{tags[-1]} {word}", word, ""] if self.way["look"] == "careful" else [word, ""]
            found = next(self.table[context] for context in contexts if context in self.table)
            looks += len(contexts)
            tags.append(max(found, key=lambda tag: (found[tag], tag)))
        tree = chunked(tags[1:], sentence.leaves)
        return Parse(tree, Work(pushes=looks), 1e-6, -float(looks), annotation=PHRASES)

    def nothing(self, sentence: Sentence) -> Tree:
        return Tree("ROOT", ())

    def flat(self, sentence: Sentence) -> Tree:
        return self._one(sentence).tree

    def joined(self, sentence: Sentence, parts: Sequence[tuple[int, Tree]]) -> Tree:
        return chunked([tag for _, part in parts for tag in part.tags()], sentence.leaves)

    def whole(self, tree: Tree) -> int:
        return 3 * len(tree.leaves())


class Toy:
    name, annotation, settings, using, looking = "toy", PHRASES, ToySettings, Using, Looking
    figures = Figures("F1", "pushes", "look-up", "pushes", "contexts", "without a parse")

    def read(self, store: Any, views: Any) -> Table:
        return store.json("table.json", dict[str, dict[str, int]])

    def write(self, parts: Table) -> dict[str, str]:
        return {"table.json": json.dumps(parts)}

    def ways(self, parts: Table, policies: Mapping[str, Policy]) -> dict[str, Way]:
        return {"careful": {"look": "careful"}, "hasty": {"look": "hasty"}}

    def parser(self, parts: Table, way: Way, policies: Any, limits: Limits, using: Using) -> ToyParser:
        return ToyParser(parts, way, limits, using)

    def train(self, run: Run, train: Bank[Tree], dev: Bank[Tree], settings: ToySettings) -> Trained[Table]:
        run.claim(fingerprint(train.checksum(), dev.checksum(), settings.least))
        run.plan({"pass": 3})
        table: Table = {}
        for kind in range(3):  # contexts of no word, of the word, and with the tag before it
            table |= run.numbers(f"pass-{kind}", partial(counted, train, kind, settings.least))
            run.told(f"pass {kind}: {len(table)} contexts", "pass")
        ways = self.ways(table, {}).items()
        parsers = {name: (way, ToyParser(table, way, Limits(), Using())) for name, way in ways}
        points = measure(parsers, dev[1::2], self.figures, PhraseScoring(), repeat=1)
        return Trained(table, {}, with_tradeoffs(points), {"judged on": len(dev[1::2])})

    def quick(self, seed: int) -> ToySettings:
        return ToySettings(seed=seed)

    def measured(self, notes: Mapping[str, Any]) -> Using:
        return Using()

    def sizes(self, parts: Table) -> dict[str, int]:
        return {"contexts": len(parts)}

    def fits(self, parts: Table) -> Any:
        return lambda dim: False

    def look(self, looked_at: Any) -> Look:
        parse = ToyParser(looked_at.parts, looked_at.way, Limits(), Using()).parse(looked_at.sentence)
        return Look(str(parse), parse.fields(), parse.svg())


def chunked(tags: Sequence[str], words: Sequence[str]) -> Tree:
    """Runs of nouns and what belongs to them are phrases."""
    nodes = [Tree(tag, (Leaf(n, word),)) for n, (tag, word) in enumerate(zip(tags, words, strict=True))]
    runs = [(is_noun, tuple(run)) for is_noun, run in groupby(nodes, lambda node: node.label[0] in "DJNP")]
    parts = [part for noun, run in runs for part in ((Tree("NP", run),) if noun else run)]
    return Tree("ROOT", (Tree("S", tuple(parts)),))


def counted(trees: Bank[Tree], kind: int, least: int) -> Table:
    """How often each tag was seen in the contexts of one kind."""
    found: dict[str, Counter[str]] = {}
    for tree in trees:
        words, tags = Sentence.of(tree.words()).penn, tree.tags()
        for word, before, tag in zip(words, ["START", *tags[:-1]], tags, strict=True):
            found.setdefault(("", word, f"{before} {word}")[kind], Counter())[tag] += 1
    return {context: dict(tags) for context, tags in found.items() if tags.total() >= least}


KIND = Toy()
