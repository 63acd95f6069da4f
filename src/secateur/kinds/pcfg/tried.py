"""Sentences that parsers are tried with, to see how long they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.treebanks.sentence import Sentence

TRIED = 64  # words of the sentences that tell how long all but the search of an agenda takes
UNKNOWN = "xyzzying"


class Pace(NamedTuple):
    """Seconds before the search and after it, of a sentence of TRIED words."""

    before: float
    after: float

    def of(self, words: int) -> Pace:
        """As many spans or as many words more, whichever is worse."""
        share = max(words / TRIED, (words / TRIED) ** 2)
        return Pace(self.before * share, self.after * share)


def to_try(grammar: PCFG, lengths: Sequence[int]) -> list[Sentence]:
    """Of words that the grammar knows, at random, and of words that it does not know: these may have many
    tags, and take longer."""
    rng, known = np.random.default_rng(0), list(grammar.lexicon.words)
    both = (
        rng.choice(known, n).tolist() if is_known else [UNKNOWN] * n for n in lengths for is_known in (1, 0)
    )
    return [Sentence.of(words) for words in both]
