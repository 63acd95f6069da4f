"""Loads and parses with mutated models, each in a process of its own, and says what became of it.

Run by itself: python mutated_models.py FOLDER SEED COUNT; prints a line of JSON for each mutation. A process
that takes too long is ended by the clock, one that needs too much memory by its limit, and one that crashes
is known by its signal.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import secateur as sec
from mutated_arrays import of_arrays
from mutated_texts import of_json, of_lines
from mutations import Mutation, of_about, of_any, of_checksums
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.latent.grammar import product
from secateur.grammar.latent.splitmerge import Schedule
from secateur.kernels.arcs.locking import META
from secateur.kinds.pcfg import KIND
from secateur.kinds.pcfg.orders import Orders
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.kinds.pcfg.ways import ways
from secateur.models.model import Model
from secateur.models.point import Point
from secateur.search.core import Policy
from secateur.treebanks.dependency_tree import find_fault
from toy_dependencies import toy_dependency_model
from toy_lcfrs import toy_lcfrs_model
from toy_model import toy_model

SECONDS = 20.0
ROOM = 1 << 30  # bytes more than the model itself takes
GOOD = ("refused", "parsed")
SENTENCES = (
    ["the", "cat", "saw", "a", "bird", "in", "the", "tree", "."],
    [
        "She",
        "walked",
        "slowly",
        ",",
        "and",
        "the",
        "old",
        "gardener",
        "who",
        "slept",
        "dreamed",
        "of",
        "42",
        ".",
    ],
    ["Zyzzyva", "!"],
)


class Base(NamedTuple):
    """A model to begin with, and points to parse at."""

    name: str
    model: Any
    points: tuple[str, ...]


@cache
def bases() -> list[Base]:
    """Small models of all kinds."""
    first, second = toy_dependency_model(filters=True), toy_dependency_model(siblings=True)
    rng = np.random.default_rng(0)
    hashed = Policy(rng.normal(size=META + (1 << 10)).astype(np.float32))
    full, _, policy, static = second.points
    more = {**second.policies, "dagger-1": hashed}
    models = second.parts.models
    own = replace(models, siblings=models.crossing[::-1].copy())
    another = replace(policy, name="dagger-1", way={"policy": "dagger-1"})
    second = replace(
        second,
        policies=more,
        parts=replace(second.parts, models=own),
        points=[full, policy, static, another],
    )
    return [
        Base("coarse", toy_model(), ("careful", "exact")),
        Base(
            "split",
            _split_model(),
            ("keep", "keep+product", "exact+max-rule", "boundary", "pg-1+keep+viterbi-12"),
        ),
        Base("first", first, ("full", "dagger-0")),
        Base("second", second, ("full", "dagger-0", "dagger-1")),
        Base("lcfrs", toy_lcfrs_model(), ("careful", "exact+plcfrs", "coarse-0+items+plcfrs")),
    ]


def _split_model() -> Model[Any, Any]:
    trees = sec.garden.treebank(80)
    quick = Schedule(split_rounds=3, merge_rounds=2, smooth_rounds=1)
    grammars = [
        SplitTraining(trees[:60], settings=SplitSettings(levels=2, schedule=quick, seed=seed)).fit().grammar()
        for seed in range(2)
    ]
    words = Counter(word for tree in trees for word in tree.words())
    features = SpanFeatures.from_words(words, bits=12)
    weights = np.random.default_rng(1).normal(size=features.dim).astype(np.float32) + np.float32(0.5)
    grammar = product(grammars)
    orders = Orders.counted(grammar, trees[:60], SplitSettings().binarization)
    parts = PcfgParts(grammar, features, orders.with_learned({"pg-1": 0.9 * orders.weights[0]}))
    points = [
        Point(name, way, 70.0 + n, 68.0, 80.0, 0.5 + n, 2000.0, 0.01, 1.0, 0.0)
        for n, (name, way) in enumerate(ways(parts, ["keep"]).items())
    ]
    settings = {"trees": 60, "checksum": "x"}
    return Model(KIND, parts, {"keep": Policy(weights)}, points, settings)


def mutations(folder: Path) -> list[Mutation]:
    """Of every file of a model: of any file, and of one of its kind."""
    found: list[Mutation] = []
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    for file in files:
        if file == "card.md":
            continue
        changes = dict(of_any(file))
        if file.endswith(".npz"):
            changes |= dict(of_arrays(folder, file))
        elif file.endswith(".json"):
            changes |= dict(of_json(folder, file))
        else:
            changes |= dict(of_lines(file))
        found += [Mutation(f"{file}: {name}", change) for name, change in changes.items()]
    found += [Mutation(f"model.toml: {name}", change) for name, change in of_about()]
    found += [Mutation(f"checksums.json: {name}", change) for name, change in of_checksums()]
    return found


def parse_with(folder: Path, points: tuple[str, ...]) -> str:
    """What becomes of a model: refused, parsed, or what is wrong."""
    try:
        for point in points:
            parser = None  # one model at a time
            parser = sec.load(folder, point=point)
            for words in SENTENCES:
                fault = _fault(parser.parse(words).tree, words)
                if fault:
                    return f"no tree: {fault}"
    except InputError as error:
        whole = error.fix and "\n" not in str(error)
        str(error).encode()
        return "refused" if whole else f"a poor message: {error}"
    except BaseException:
        return f"traceback: {traceback.format_exc(limit=-6)}"
    return "parsed"


def _fault(tree: Any, words: list[str]) -> str:
    str(tree).encode()
    if isinstance(tree, sec.Tree):
        return "" if tree.words() == words and len(tree.tags()) == len(words) else str(tree)
    fault = find_fault(tree.heads, several_roots=True)
    if fault or len(tree.labels) != len(words) or tree.words != tuple(words):
        return str(tree)
    return ""


def tried(base: Base, saved: Path, mutation: Mutation) -> str:
    """The same in a child of this process, with limits."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "mutated.model"
        shutil.copytree(saved, folder)
        mutation.apply(folder)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            _limit_memory()
            os.write(writing, parse_with(folder, base.points).encode(errors="replace")[:60_000])
            os._exit(0)
        os.close(writing)
        with open(reading, "rb") as stream:
            said = stream.read().decode(errors="replace")
        _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "hang" if number == signal.SIGALRM else f"crash: {signal.Signals(number).name}"
    return said or "nothing said"


def _limit_memory() -> None:
    """So many bytes more than now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main(shelf: Path, seed: int, count: int) -> None:
    everything: list[list[tuple[Base, Path, Mutation]]] = []
    rng = random.Random(seed)
    for base in bases():
        saved = shelf / f"{base.name}.model"
        base.model.save(saved)
        assert parse_with(saved, base.points) == "parsed", base.name  # and all kernels are there now
        found = [(base, saved, mutation) for mutation in mutations(saved)]
        for _, of_file in groupby(found, key=lambda one: one[2].name.partition(":")[0]):
            everything.append(list(of_file))
            rng.shuffle(everything[-1])
    # Of every file as many, as far as there are.
    in_turn = [one for turn in zip_longest(*everything) for one in turn if one is not None]
    print(json.dumps({"mutations": len(in_turn)}), flush=True)
    for base, saved, mutation in in_turn[:count]:
        outcome = tried(base, saved, mutation)
        print(json.dumps({"model": base.name, "mutation": mutation.name, "outcome": outcome}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
