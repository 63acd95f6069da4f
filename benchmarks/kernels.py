"""Speed of the kernels as ratios in one run: the Viterbi kernel against the plain left-child loop.

    python benchmarks/kernels.py                    the garden
    SECATEUR_DATA=... python benchmarks/kernels.py  also ptb-sample, gum and the WSJ grammars found there
    python benchmarks/kernels.py --nltk             also NLTK's ViterbiParser on short sentences

CPU time on one core, best of several runs, both in turn on the same sentences; pushes must agree exactly.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import secateur as sec
from left_child import left_child_loop

# The kernel alone: no public name runs it.
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.treebanks.normalization import AS_IN_THE_PAPER
from turns import best

UNLIMITED = 1 << 40


class Case(NamedTuple):
    name: str
    grammar: sec.PCFG
    sentences: list[list[str]]


def cases(limit: int) -> Iterator[Case]:
    """Coarse grammars with held-out sentences of theirs."""
    grown = sec.garden.treebank(2000 + limit).normalize(AS_IN_THE_PAPER)
    yield Case("garden", sec.induce(grown[:2000]), [tree.words() for tree in grown[2000:]])
    if "SECATEUR_DATA" not in os.environ:
        return
    data = Path(os.environ["SECATEUR_DATA"])
    test: list[list[str]] = []
    for name in ("gum", "ptb-sample"):
        train, others = (
            sec.read(data / name / f"{part}.mrg", normalization=AS_IN_THE_PAPER) for part in ("train", "test")
        )
        test = [tree.words() for tree in others[:limit]]
        yield Case(name, sec.induce(train), test)
    for name in ("R0", "R2", "R2.P1"):
        few = test[:limit] if name == "R0" else test[: limit // 5]
        yield Case(f"WSJ {name}", sec.read_grammar(data / "wsj-grammars" / f"eng.{name}.gr.gz"), few)


def compare(case: Case, repeat: int) -> dict[str, Any]:
    """Both programs on one case."""
    rules = case.grammar.rules
    given = [
        (case.grammar.lexicon.encode(words), np.ones((len(words) + 1,) * 2, np.bool_))
        for words in case.sentences
    ]
    words = sum(map(len, case.sentences))
    left_child_loop(rules, *given[0])
    cky.viterbi(rules, *given[0], NO_ANCHORS, UNLIMITED)
    plain, slow = best(lambda: [left_child_loop(rules, *one) for one in given], repeat)
    kernel, fast = best(lambda: [cky.viterbi(rules, *one, NO_ANCHORS, UNLIMITED) for one in given], repeat)
    pushes = sum(int(one[1]) for one in slow)
    assert pushes == sum(int(one[2]) for one in fast), "the two programs count differently"
    assert all(a[0] == b[1] for a, b in zip(slow, fast, strict=True)), "the two programs score differently"
    return {
        "case": case.name,
        "symbols": len(case.grammar.symbols),
        "rules": len(case.grammar.binary.weight),
        "sentences": len(given),
        "Mpush/sentence": pushes / len(given) / 1e6,
        "left-child Mpush/s": pushes / plain / 1e6,
        "kernel Mpush/s": pushes / kernel / 1e6,
        "ratio": plain / kernel,
        "kernel words/s": words / kernel,
    }


def against_nltk(case: Case, longest: int = 9, count: int = 3) -> dict[str, Any]:
    """NLTK's ViterbiParser on the shortest sentences it can do in reasonable time, same grammar."""
    from nltk.grammar import PCFG, Nonterminal, ProbabilisticProduction
    from nltk.parse import ViterbiParser

    grammar, lexicon = case.grammar, case.grammar.lexicon
    names = [Nonterminal(name) for name in grammar.symbols]
    chosen = [words for words in case.sentences if 5 <= len(words) <= longest][:count]
    used = {number for words in chosen for number in lexicon.encode(words).tolist()}
    weights = np.exp(grammar.binary.weight), np.exp(grammar.unary.weight), np.exp(lexicon.weight)
    rules = [
        ProbabilisticProduction(names[x], [names[y], names[z]], prob=w)
        for y, z, x, w in zip(*(c.tolist() for c in grammar.binary[:3]), weights[0].tolist(), strict=True)
    ]
    rules += [
        ProbabilisticProduction(names[x], [names[y]], prob=w)
        for y, x, w in zip(*(c.tolist() for c in grammar.unary[:2]), weights[1].tolist(), strict=True)
    ]
    for number in used:
        for entry in range(lexicon.ptr[number], lexicon.ptr[number + 1]):
            tag, word = names[lexicon.tag[entry]], lexicon.words[number]
            rules.append(ProbabilisticProduction(tag, [word], prob=float(weights[2][entry])))
    # NLTK insists on sums of 1, which a lexicon cut down to these sentences has not.
    PCFG.EPSILON = 2.0
    parser = ViterbiParser(PCFG(Nonterminal(grammar.start), rules))
    tokens = [[lexicon.words[number] for number in lexicon.encode(words)] for words in chosen]
    ours = sec.Parser(grammar)
    ours.parse(chosen[0])
    slow, _ = best(lambda: [next(iter(parser.parse(words)), None) for words in tokens], 1)
    fast, _ = best(lambda: [ours.parse(words) for words in chosen for _ in range(20)], 3)
    return {"case": case.name, "words": sum(map(len, chosen)), "NLTK s": slow, "ratio": slow / (fast / 20)}


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--limit", type=int, default=200, help="sentences a case")
    options.add_argument("--nltk", action="store_true")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    rows = []
    for case in cases(chosen.limit):
        rows.append(compare(case, chosen.repeat))
        print(
            "  ".join(f"{k} {v:,.2f}" if isinstance(v, float) else f"{k} {v}" for k, v in rows[-1].items()),
            flush=True,
        )
        if chosen.nltk and case.name in ("garden", "ptb-sample"):
            rows.append(against_nltk(case))
            print("  NLTK ViterbiParser:", rows[-1], flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
