"""What tests that run twice share: in this process compiled, in another one as plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from secateur.grammar.pcfg import PCFG
from secateur.kernels.split.tree_em import Blocks

# Of words a and b.
GRAMMAR = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""

needs_compiled = pytest.mark.skipif(
    "NUMBA_DISABLE_JIT" in os.environ, reason="there is nothing compiled to compare with"
)


def plain_results(file: str) -> Any:
    """What a test's file prints when it runs by itself, nothing compiled."""
    path = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    run = subprocess.run(
        [sys.executable, "-W", "error", file],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def assert_same_without_compilation(file: str, compiled: Any) -> None:
    """What a test's file finds in this process is what it prints when it runs by itself."""
    assert plain_results(file) == json.loads(json.dumps(compiled))


def random_words(grammar: PCFG, rng: np.random.Generator, words: int) -> npt.NDArray[np.uint32]:
    """Of GRAMMAR."""
    return grammar.lexicon.encode(["ab"[w] for w in rng.integers(0, 2, words)])


def random_mask(rng: np.random.Generator, words: int, density: float) -> npt.NDArray[np.bool_]:
    """In which everything may begin or end the sentence."""
    mask = rng.random((words + 1, words + 1)) < density
    mask[0] = mask[:, words] = True
    return mask


def random_blocks(grammar: PCFG, rng: np.random.Generator, zeros: float, splits: Mapping[str, int]) -> Blocks:
    """Numbers for every rule and choice of sub-symbols, this share of them 0."""
    k = np.array([splits[name] for name in grammar.symbols], np.uint32)
    sizes = (
        k[grammar.binary.parent] * k[grammar.binary.left] * k[grammar.binary.right],
        k[grammar.unary.parent] * k[grammar.unary.child],
        k[grammar.lexicon.tag],
    )
    parts: list[np.ndarray] = []
    for size in sizes:
        parts.append(np.append(0, np.cumsum(size)).astype(np.uint64))
        parts.append(rng.random(int(size.sum())) * (rng.random(int(size.sum())) >= zeros))
    return Blocks(k, *parts)
