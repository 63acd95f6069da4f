"""Span masks: what any pruner of spans, learned or classic, hands to the parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.search.arrays import Bools
from secateur.search.core import Policy


class Spans(Protocol):
    """Says which spans of a sentence the parser may build."""

    def mask(self, words: Sequence[str]) -> Bools:
        """[n+1, n+1] from words in Penn spelling: mask[i, k] keeps the span (i, k); width 1 and n always."""


@dataclass(frozen=True)
class LearnedMask:
    """The spans that a linear policy keeps."""

    features: SpanFeatures
    policy: Policy

    def mask(self, words: Sequence[str]) -> Bools:
        return settled(self.features.scores(self.features.columns(words), self.policy.weights) > 0)


def settled(mask: Bools) -> Bools:
    """The mask with single words and the whole sentence kept, and nothing where there is no span."""
    kept: Bools = np.triu(mask, 1)
    n = len(kept) - 1
    starts = np.arange(n)
    kept[starts, starts + 1] = True
    kept[0, n] = True
    return kept


def length_of(words: Sequence[str]) -> int:
    """How many words; a sentence has one at least."""
    if not words:
        raise InputError("an empty sentence", fix="give at least one word")
    return len(words)
