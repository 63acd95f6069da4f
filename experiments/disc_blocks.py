"""Grammars of blocks: what their symbols should tell of a discontinuous tree, chosen on dev.

    python experiments/disc_blocks.py --seeds 0 1 --only usual open
    python experiments/disc_blocks.py --words --only open
    python experiments/disc_blocks.py --model alpino.model --ways lols-1+viterbi-3 exact+product
    python experiments/disc_blocks.py

Each variant marks or binarizes the trees of blocks in another way, is split from several seeds, and parses
all of dev: by each grammar alone at several levels, and by their product. With --words, how words are
smoothed is changed in finished grammars; with --model, ways to parse with a trained model. Test is not read.

What came of it: Binarization("right", owed=True), which is "open", and products of four.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import secateur as sec
from report import OUT, Pictures, Sections, read_json, start, table, write_json

# Parts without public names: what is tried here is how trees are made binary, before there is a model.
from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.grammar import SplitPCFG, product
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.latent.words import WordSmoothing
from secateur.kinds.lcfrs.parser import BlockParser
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.metrics.discontinuous import DiscontinuousScoring, Matches
from secateur.models.loading import load_model
from secateur.models.measure import clock, tried
from secateur.models.run import Run
from secateur.treebanks.blocks import parsed, split
from secateur.treebanks.tree import Leaf, Tree, new_tree

NAME = "disc-blocks-alpino"
SHORT = 25  # words
LEVEL = 4


@dataclass(frozen=True, slots=True)
class Marking(Binarization):
    """Binarization with marks in labels, all of which go when a parse is put together."""

    marks: tuple[str, ...] = ()

    def __call__(self, tree: Tree) -> Tree:
        return self._binary(_marked(tree, "", self.marks))

    def _binary(self, node: Tree) -> Tree:
        if node.is_preterminal:
            return node
        children = [self._binary(child) for child in node.children if isinstance(child, Tree)]
        if "head" in self.marks:
            return self._outward(node, children)
        right = self.direction == "right"
        while len(children) > 2:
            at = slice(-2, None) if right else slice(0, 2)
            before = children[: len(children) - 2] if right else children[2:]
            children[at] = [Tree(self._name(node.label, children[at], before, right), tuple(children[at]))]
        return Tree(node.label, tuple(children), node.rel)

    def _outward(self, node: Tree, children: list[Tree]) -> Tree:
        """From the head: first what follows, then what stands before it."""
        head = next((n for n, child in enumerate(children) if child.rel == "hd"), 0)
        inner, side = children[head], "r"
        own = _plain(node.label)
        for child in children[head + 1 :]:
            whole = len(children) == 2 or (head == 0 and child is children[-1])
            label = node.label if whole else f"{own}|<{side}>"
            inner = Tree(label, (inner, child), node.rel if whole else "")
        for child in reversed(children[:head]):
            whole = child is children[0]
            inner = Tree(node.label if whole else f"{own}|<l>", (child, inner), node.rel if whole else "")
        return inner if len(children) > 1 else Tree(node.label, tuple(children), node.rel)

    def _name(self, label: str, covered: Sequence[Tree], others: Sequence[Tree], right: bool) -> str:
        """Of the symbol over some children; `others` stand before them, or after."""
        kept = []
        if self.h:
            kept += [child.label for child in (covered[:1] if right else covered[-1:])]
        if "open" in self.marks:
            kept += sorted(_owed(covered, others) if right else _owed(others, covered))
        own = _plain(label) if "bare" in self.marks else label
        return f"{own}|<{'-'.join(kept)}>" if kept else f"@{own}"


def _plain(label: str) -> str:
    return label.partition("^<")[0]


def _owed(later: Sequence[Tree], earlier: Sequence[Tree]) -> set[str]:
    """Blocks among what comes later whose beginnings stand among what comes earlier."""
    begun = {(p.plain, p.block) for each in earlier for p in _parts(each)}
    found = [p for each in later for p in _parts(each) if p.block]
    return {f"{p.plain}*{p.block}" for p in found if p.block and (p.plain, p.block - 1) in begun}


def _parts(node: Tree) -> Iterator[Any]:
    """A child, or those that a made symbol covers."""
    if "|<" not in node.label and not node.label.startswith("@"):
        yield parsed(_plain(node.label))
        return
    for child in node.children:
        if isinstance(child, Tree):
            yield from _parts(child)


def _marked(node: Tree, above: str, marks: Sequence[str]) -> Tree:
    if node.is_preterminal:
        telling = [mark for mark in marks if _tells(mark, node)]
        said = [node.rel if mark == "tag-rel" else parsed(above).plain for mark in telling]
        return new_tree(_with(node.label, said), node.children, node.rel)
    children = tuple(
        child if isinstance(child, Leaf) else _marked(child, node.label, marks) for child in node.children
    )
    said = [node.rel] if "rel" in marks else []
    blocks = [parsed(_plain(child.label)) for child in children if isinstance(child, Tree)]
    if "parents" in marks:
        said += sorted({p.plain for p in blocks if p.block})
    if "gapped" in marks and any(p.block is not None for p in blocks):
        said.append("gap")
    if "across" in marks:
        said += _across(blocks)
    if "above" in marks and parsed(node.label).block is not None:
        said.append(parsed(above).plain)
    if "vertical" in marks and above:
        said.append(parsed(above).plain)
    return new_tree(_with(node.label, said), children, node.rel)


def _across(blocks: Sequence[Any]) -> list[str]:
    """Those among a node's blocks whose company is in another block of the node, if it is in any."""
    there = {(p.plain, p.block) for p in blocks}
    orphans = {p for p in blocks if p.block and (p.plain, p.block - 1) not in there}
    begun = {p for p in blocks if p.block == 0 and (p.plain, 1) not in there}
    return sorted(f"{p.plain}*{p.block}" for p in orphans | begun)


def _tells(mark: str, tag: Tree) -> bool:
    return mark in ("tag-above", "tag-rel") or (mark == "tag-head" and tag.rel == "hd")


def _with(label: str, said: Sequence[str]) -> str:
    return f"{label}^<{'-'.join(said)}>" if said else label


@dataclass(frozen=True, slots=True)
class Variant:
    binarization: Binarization
    schedule: Schedule = field(default_factory=Schedule)


def _marks(*marks: str, h: int = 0, direction: Any = "right") -> Variant:
    return Variant(Marking(direction, h, marks=marks))


VARIANTS = {
    "usual": Variant(Binarization("right")),
    "left": Variant(Binarization("left")),
    "h1": Variant(Binarization("right", h=1)),
    "v2": Variant(Binarization("right", v=2)),
    "open": _marks("open"),
    "head": _marks("head"),
    "parents": _marks("parents"),
    "gapped": _marks("gapped"),
    "above": _marks("above"),
    "rel": _marks("rel"),
    "tag-head": _marks("tag-head"),
    "tag-above": _marks("tag-above"),
    "tag-rel": _marks("tag-rel"),
    "open, tag-head": _marks("open", "tag-head"),
    "open, tag-head, above": _marks("open", "tag-head", "above"),
    "open, tag-rel": _marks("open", "tag-rel"),
    "open, rel, tag-head": _marks("open", "rel", "bare", "tag-head"),
    "tag-head, head": _marks("head", "tag-head"),
    "open, left, tag-head": _marks("open", "tag-head", direction="left"),
    "open, left": _marks("open", direction="left"),
    "open, gapped": _marks("open", "gapped"),
    "open, above": _marks("open", "above"),
    "open, across": _marks("open", "across"),
    "open, h1": _marks("open", h=1),
    "open, across, tag-head": _marks("open", "across", "tag-head"),
    "smooth rules 0.05": Variant(Binarization("right"), Schedule(smooth_rules=0.05)),
}

# How words are smoothed, otherwise than usual.
WORDS: list[dict[str, float]] = [
    {},
    {"shared": 0.5},
    {"shared": 2.0},
    {"shared": 32.0},
    {"rare": 5},
    {"rare": 25},
    {"frequent": 30},
    {"frequent": 300},
    {"known": 0.1},
    {"known": 2.0},
    {"least": 2, "ending": 3.0},
    {"least": 10},
    {"ending": 40.0},
]

Row = dict[str, Any]


def figures(make: Callable[[], Parser], trees: Any) -> Row:
    """What a parser finds: F1 and discontinuous F1 of short sentences and of all; blocks without company."""
    parser = make()
    whole = tried(BlockParser(parser), trees, DiscontinuousScoring())
    short = trees.filter(max_length=SHORT)
    words = sum(len(tree.leaves()) for tree in short)
    started = time.process_time()
    some = tried(BlockParser(parser), short, DiscontinuousScoring())
    seconds = time.process_time() - started
    row = {"words/s, about": round(words / seconds)}
    for name, trial in (("short", some), ("all", whole)):
        total = trial.scores.total
        gapped = total.discontinuous
        found = {
            "F1": total.all.f1,
            "discontinuous F1": gapped.f1,
            "recall": gapped.recall,
            "precision": gapped.precision,
        }
        row[name] = {key: round(value, 2) for key, value in found.items()}
    blocks = [parser.parse(tree.words()).tree for tree in trees]
    row["alone"] = [sum(one) for one in zip(*map(alone, blocks), strict=True)]
    row["failed"] = sum(parse.failed for parse in whole.parses)
    return row


def alone(tree: Tree) -> tuple[int, int, int]:
    """Later blocks that join nothing, first blocks that nothing joins, and all first blocks."""
    labels = [parsed(node.label) for node in tree.nodes() if not node.is_preterminal]
    first = [p.plain for p in labels if p.block == 0]
    second = [p.plain for p in labels if p.block == 1]
    names = set(first) | set(second)
    lost = sum(max(second.count(name) - first.count(name), 0) for name in names)
    unmet = sum(max(first.count(name) - second.count(name), 0) for name in names)
    return lost, unmet, len(first)


def smoothed(variant: Variant, seed: int, folder: Path, train: Any, dev: Any) -> Row:
    """Of one seed's grammar, with words smoothed in several ways."""
    settings = SplitSettings(
        levels=LEVEL, binarization=variant.binarization, schedule=variant.schedule, seed=seed
    )
    training = SplitTraining(train, settings=settings, run=Run(folder / f"split-{seed}")).fit()
    rows: Row = {}
    for options in WORDS:
        training.settings = replace(settings, words=WordSmoothing(**options))  # type: ignore[arg-type]
        found = tried(BlockParser(Parser(training.grammar(LEVEL))), dev, DiscontinuousScoring()).scores
        short = Matches.sum(one for one in found.sentences if one.length <= SHORT)
        name = ", ".join(f"{key} {value:g}" for key, value in options.items()) or "usual"
        rows[name] = {"short": _both(short), "all": _both(found.total)}
        print(f"  seed {seed}, {name}: {rows[name]}", flush=True)
    return rows


def along(model: Any, name: str, dev: Any) -> Row:
    """What a way of a model finds."""
    parser = model.parser(name)
    found = tried(parser, dev, DiscontinuousScoring())
    sentences = [parser.annotation.sentence(tree) for tree in dev.filter(max_length=SHORT)]
    speed = sum(map(len, sentences)) / clock({name: parser}, sentences, repeat=1)[name].best
    short = Matches.sum(one for one in found.scores.sentences if one.length <= SHORT)
    row = {"short": _both(short), "all": _both(found.scores.total), "failed": round(found.failures, 4)}
    print(f"  {name}: {row}, {speed:,.0f} words/s", flush=True)
    return {**row, "words/s of short ones": round(speed)}


def _both(total: Matches) -> list[float]:
    return [round(total.all.f1, 2), round(total.discontinuous.f1, 2)]


def measure(variant: Variant, seeds: Sequence[int], folder: Path, train: Any, dev: Any, known: Row) -> Row:
    grammars: list[SplitPCFG] = []
    rows: Row = known
    for seed in seeds:
        settings = SplitSettings(
            levels=LEVEL, binarization=variant.binarization, schedule=variant.schedule, seed=seed
        )
        started = time.process_time()
        training = SplitTraining(train, settings=settings, run=Run(folder / f"split-{seed}")).fit()
        spent = time.process_time() - started
        grammars.append(training.grammar(LEVEL))
        if f"seed {seed}" in rows:
            continue
        own: Row = {"cpu": round(spent), "symbols": len(grammars[-1].coarse.symbols)}
        for level in (3, LEVEL):
            grammar = training.grammar(level)
            own[f"level {level}"] = figures(lambda grammar=grammar: Parser(grammar), dev)
            print(f"  seed {seed} level {level}: {own[f'level {level}']}", flush=True)
        rows[f"seed {seed}"] = own
    if len(seeds) > 1:
        name = f"product of {len(seeds)}"
        rows[name] = figures(lambda: Parser(product(grammars)), dev)
        print(f"  {name}: {rows[name]}", flush=True)
    return rows


def sections(out: Path, pictures: Pictures) -> Sections:
    file = out / f"{NAME}.json"
    return {"disc_blocks": show(read_json(file))} if file.exists() else {}


def show(found: Row) -> str:
    """The last level of every variant that was tried."""
    rows = []
    for variant, tried_ones in found.items():
        for name, row in tried_ones.items():
            last = row.get(f"level {LEVEL}", row)
            if variant != "dial" and "short" in last:
                short, whole = last["short"], last["all"]
                shown = [short[key] for key in ("F1", "discontinuous F1", "recall", "precision")]
                shown += [whole[key] for key in ("F1", "discontinuous F1")]
                rows.append([variant, name, *(f"{figure:.1f}" for figure in shown)])
    header = ["symbols tell", "grammars", f"F1, at most {SHORT} words", "discontinuous", "its recall"]
    return table([*header, "its precision", "F1, all", "discontinuous"], rows)


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--only", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument("--words", action="store_true", help="only how words are smoothed")
    parser.add_argument("--model", type=Path, help="only ways of this model")
    parser.add_argument("--ways", nargs="+", default=[], help="of the model; by default those of its dial")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args()
    data = Path(os.environ["SECATEUR_DATA"]) / "alpino"
    train, dev = (sec.read(data / f"{name}.xml") for name in ("train", "dev"))
    blocks = sec.Treebank(map(split, train), name="blocks")
    file = chosen.out / f"{NAME}.json"
    if chosen.model is not None:
        known: Row = read_json(file) if file.exists() else {}
        model = load_model(chosen.model)
        found_ways = {
            name: along(model, name, dev) for name in chosen.ways or [p.name for p in model.frontier]
        }
        write_json(file, {**known, "dial": {**known.get("dial", {}), **found_ways}})
        return
    for name in chosen.only:
        found: Row = read_json(file) if file.exists() else {}
        print(name, flush=True)
        folder = chosen.out / "runs" / NAME / name.replace(" ", "")
        row = found.get(name, {})
        if chosen.words:
            every = {f"seed {s}": smoothed(VARIANTS[name], s, folder, blocks, dev) for s in chosen.seeds}
            row["words"] = {**row.get("words", {}), **every}
        else:
            row = measure(VARIANTS[name], chosen.seeds, folder, blocks, dev, row)
        write_json(file, {**found, name: row})


if __name__ == "__main__":
    start(main)
