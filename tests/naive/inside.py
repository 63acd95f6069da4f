"""Inside scores in log space, for sentences too long to enumerate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from naive.cky import entries_of
from secateur.grammar.pcfg import PCFG


def log_inside(grammar: PCFG, words: npt.NDArray[np.uint32]) -> float:
    """log of the summed probability of all derivations of the sentence; -inf where there is none."""
    n, labels = len(words), len(grammar.symbols)
    left, right, parent, weight = grammar.binary
    child, over, unary_weight = grammar.unary[:3]
    lexicon = grammar.lexicon
    node = np.full((n + 1, n + 1, labels), -np.inf)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            base = np.full(labels, -np.inf)
            if width == 1:
                word = int(words[i])
                for e, (x, _) in enumerate(entries_of(grammar, word), int(lexicon.ptr[word])):
                    base[x] = lexicon.weight[e]
            else:
                # [splits, rules]
                inner = node[i, i + 1 : k][:, left] + node[i + 1 : k, k][:, right]
                np.logaddexp.at(base, parent, np.logaddexp.reduce(inner, axis=0) + weight)
            total = base.copy()
            np.logaddexp.at(total, over, base[child] + unary_weight)
            node[i, k] = total
    return float(node[0, n, grammar.symbols.index(grammar.start)])
