"""Exhaustive parsing with a split grammar: the block kernels against loops over its sub-symbols.

    python benchmarks/blocks.py                    a split grammar of the garden
    SECATEUR_DATA=... python benchmarks/blocks.py  one of ptb-sample
    python benchmarks/blocks.py --work FOLDER      keeps the trained levels there for the next run

CPU time per sentence on one core, best of several runs, all in turn on the same sentences: (a) the plain
left-child loop of left_child.py and (b) cky.viterbi, both on the grammar of sub-symbols, and (c) the block
kernel; then inside and outside sums, with what they need. Scores must agree bit for bit, sums to 1e-9.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from left_child import left_child_loop

# Kernels alone, on a split grammar that is no model's: no public name runs them.
from secateur.grammar.latent.padded import padded_of
from secateur.kernels.cky import inside as cky_inside
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split import (
    inside as block_inside,
)
from secateur.kernels.split import (
    posteriors as block_posteriors,
)
from secateur.kernels.split import (
    viterbi as block_viterbi,
)
from secateur.kinds.pcfg.split import SplitTraining
from secateur.models.run import Run
from secateur.treebanks.normalization import AS_IN_THE_PAPER
from turns import in_turn

UNLIMITED = 1 << 40
TREES = 2000  # of the garden


def grammar_of(levels: int, seed: int, work: Path | None) -> tuple[sec.SplitPCFG, list[list[str]]]:
    """A split grammar, and sentences it has not seen."""
    if "SECATEUR_DATA" in os.environ:
        folder = Path(os.environ["SECATEUR_DATA"]) / "ptb-sample"
        train, test = (
            sec.read(folder / f"{part}.mrg", normalization=AS_IN_THE_PAPER) for part in ("train", "test")
        )
    else:
        grown = sec.garden.treebank(TREES + 200).normalize(AS_IN_THE_PAPER)
        train, test = grown[:TREES], grown[TREES:]
    settings = sec.SplitSettings(levels=levels, seed=seed)
    training = SplitTraining(train, settings=settings, run=Run(work)).fit()
    return training.grammar(), [t.words() for t in test]


def flat_sums(rules: Any, words: Any, mask: Any) -> float:
    """Inside and outside of the grammar of sub-symbols; the log of the sentence's probability."""
    chart = cky.chart_of(rules, words, mask, NO_ANCHORS, UNLIMITED)
    n = len(words)
    top = cky.item_of(chart, 0, n, rules.start)
    if top < 0:
        return float("-inf")
    steps = cky.trace(rules, chart, NO_ANCHORS, 0, n, rules.start)
    word, gap = cky_inside.scales(rules, chart, steps, NO_ANCHORS)
    _, total, *rows = cky_inside.inside(rules, chart, words, NO_ANCHORS, word, gap)
    cky_inside.outside(rules, chart, NO_ANCHORS, gap, *rows)
    return float(np.log(total[top]) + word.sum() + gap.sum())


def block_sums(padded: Any, words: Any, mask: Any) -> float:
    scores = block_inside.inside(padded, words, mask, NO_ANCHORS, UNLIMITED)
    block_posteriors.outside(padded, scores, NO_ANCHORS)
    return float(scores.log_total)


def compare(grammar: sec.SplitPCFG, sentences: list[list[str]], repeat: int) -> dict[str, Any]:
    """All programs on the same sentences."""
    rules, padded = grammar.flat().rules, padded_of(grammar.coarse, grammar.blocks)
    given = [
        (grammar.coarse.lexicon.encode(words), np.ones((len(words) + 1,) * 2, np.bool_))
        for words in sentences
    ]

    def plain() -> list[Any]:
        return [left_child_loop(rules, *one)[0] for one in given]

    def flat() -> list[Any]:
        return [cky.viterbi(rules, *one, NO_ANCHORS, UNLIMITED)[1] for one in given]

    def blocks() -> list[Any]:
        return [block_viterbi.viterbi(padded, *one, NO_ANCHORS, UNLIMITED)[2] for one in given]

    def sums() -> list[float]:
        return [flat_sums(rules, *one) for one in given]

    def sums_by_blocks() -> list[float]:
        return [block_sums(padded, *one) for one in given]

    # The plain loop adds in another order: it rounds otherwise.
    assert np.allclose(plain(), flat(), rtol=1e-5), "the plain loop scores differently"
    assert flat() == blocks(), "the block kernel scores differently"
    assert np.allclose(sums(), sums_by_blocks(), rtol=1e-9), "the sums differ"
    times = in_turn({"plain": plain, "flat": flat, "blocks": blocks}, repeat)
    times |= in_turn({"sums": sums, "sums by blocks": sums_by_blocks}, repeat)
    row: dict[str, Any] = {
        "sub-symbols": int(grammar.blocks.splits.sum()),
        "rules": len(rules.rule_weight),
        "rows of eight": len(padded.row_at),
        "sentences": len(given),
        "words": sum(map(len, sentences)),
    }
    row |= {f"{name} ms": 1000 * seconds / len(given) for name, seconds in times.items()}
    row["plain/blocks"] = times["plain"] / times["blocks"]
    row["flat/blocks"] = times["flat"] / times["blocks"]
    row["sums/sums by blocks"] = times["sums"] / times["sums by blocks"]
    return row


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--levels", type=int, default=4)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--work", type=Path, help="a folder for trained levels")
    options.add_argument("--limit", type=int, default=40, help="sentences")
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    grammar, sentences = grammar_of(chosen.levels, chosen.seed, chosen.work)
    row = compare(grammar, sentences[: chosen.limit], chosen.repeat)
    print(
        "\n".join(f"{k:>20} {v:,.2f}" if isinstance(v, float) else f"{k:>20} {v:,}" for k, v in row.items())
    )
    print("scores agree bit for bit, and sums to 1e-9")
    if chosen.json:
        chosen.json.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
