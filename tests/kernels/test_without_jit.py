"""Run as plain Python the kernels give the same results: this file is the test and the script it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from secateur.grammar.induce import induce
from secateur.grammar.latent.corpus import corpus_of
from secateur.grammar.latent.splitmerge import Schedule, SplitMerge
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kinds.pcfg.parser import Parser
from secateur.treebanks.formats.brackets import read_tree

GRAMMAR = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""


def results() -> list[dict[str, Any]]:
    """Parses of a few sentences: short, masked, anchored, and one of more than 64 words."""
    parser = Parser(PCFG.from_text(GRAMMAR))
    labels = len(parser.grammar.symbols)
    rng = np.random.default_rng(3)
    found = []
    for n, anchored, density in (
        (1, False, 1.0),
        (6, False, 0.9),
        (7, True, 1.0),
        (9, True, 0.9),
        (66, False, 0.2),
    ):
        words = [("a", "b")[w] for w in rng.integers(0, 2, n)]
        mask = rng.random((n + 1, n + 1)) < density
        mask[0] = mask[:, n] = True
        scores = NO_ANCHORS
        if anchored:
            tag, span = rng.normal(size=(n, labels)), rng.normal(size=(n * (n + 1) // 2, labels))
            tag[rng.random(tag.shape) < 0.1] = -np.inf
            scores = Anchors(span.astype(np.float32), tag.astype(np.float32))
        parse = parser.parse(words, mask=mask, anchors=scores)
        case: dict[str, Any] = {"tree": str(parse), "score": parse.score, "work": parse.work}
        if n < 10:
            best = parser.kbest(words, 5, anchors=scores)
            marginals = parser.marginals(words, anchors=scores)
            case |= {
                "best": [[str(b), b.score] for b in best],
                "recall": str(parser.max_recall(words, anchors=scores)),
            }
            if marginals is not None:
                case |= {"total": marginals.log_total, "table": marginals.table.tolist()}
        found.append(case)
    return found


def split_results() -> dict[str, Any]:
    """What EM expects of two trees whose symbols were just split, and what it makes of it."""
    treebank = [
        read_tree("(ROOT (S (A (t a)) (B (t b) (A (B (A (t a) (u b)))))))"),
        read_tree("(ROOT (S (t b) (A (u a))))"),
    ]
    grammar = induce(treebank)
    trainer = SplitMerge(corpus_of(treebank, grammar), grammar, schedule=Schedule(noise=0.9))
    halves = trainer._split(trainer.start(), np.random.default_rng(5))
    counts, likelihood, losses = trainer.expect(halves.blocks, halves.mass)
    level = trainer._estimate(halves, 3)
    parts = (*counts[2::2], losses.ravel(), *level.blocks[2::2], level.mass.ravel())
    return {"total": [likelihood, level.likelihood], "table": np.concatenate(parts).tolist()}


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="there is nothing compiled to compare with")
def test_same_results_without_compilation() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, __file__], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    plain, compiled = json.loads(run.stdout), json.loads(json.dumps([*results(), split_results()]))
    assert len(plain) == len(compiled) == 6
    assert any("table" in case for case in compiled)
    for a, b in zip(plain, compiled, strict=True):
        for name in ("total", "table"):
            # Sums of real numbers may round differently; Viterbi scores may not.
            np.testing.assert_allclose(a.pop(name, 0.0), b.pop(name, 0.0), rtol=1e-12, atol=1e-15)
        assert a == b


if __name__ == "__main__":
    print(json.dumps([*results(), split_results()]))
