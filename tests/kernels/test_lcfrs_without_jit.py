"""Run as plain Python deduction gives the same results: this file is the test and the script it runs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kinds.lcfrs.exact import PlcfrsParser
from without_jit import assert_same_without_compilation, needs_compiled

GRAMMAR = """
    S(X Y) -> S(X) S(Y) 0.25
    S(W X Y Z) -> D(W, Y) S(X) S(Z) 0.25
    S(X Y Z) -> D(X, Z) S(Y) 0.25
    D(X, Y) -> S(X) T(Y) 0.5
    S(X) -> T(X) 0.125
    T(X) -> S(X) 0.25
    S('a') -> 0.125
    T('b') -> 0.75
"""


def results() -> list[Any]:
    """Parses of a few sentences, exhaustive and best-first."""
    grammar = PLCFRS.from_text(GRAMMAR)
    found = []
    with np.errstate(over="ignore"):  # hashes are meant to
        for best_first in (False, True):
            parser = PlcfrsParser(grammar, best_first=best_first)
            for words in ("a", "b a", "a b a b a", "a a b c", "a a b b a a b"):
                parse = parser(words)
                found.append([str(parse.tree), parse.score, parse.work])
    return found


@needs_compiled
def test_same_results_without_compilation() -> None:
    assert_same_without_compilation(__file__, results())


if __name__ == "__main__":
    print(json.dumps(results()))
