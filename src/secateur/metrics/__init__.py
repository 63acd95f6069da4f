"""Scores of parses: EVALB brackets as sums of Counts, and how sure they are."""

from secateur.metrics.bootstrap import confidence, permutation_test
from secateur.metrics.counts import Counts, sum_counts
from secateur.metrics.evalb import (
    Brackets,
    SentenceScore,
    Status,
    crossing_spans,
    match_spans,
    prepare,
    score,
)
from secateur.metrics.evaluation import Evaluation, LengthRow, evaluate
from secateur.metrics.parameters import COLLINS, Parameters, read_parameters

__all__ = [
    "COLLINS",
    "Brackets",
    "Counts",
    "Evaluation",
    "LengthRow",
    "Parameters",
    "SentenceScore",
    "Status",
    "confidence",
    "crossing_spans",
    "evaluate",
    "match_spans",
    "permutation_test",
    "prepare",
    "read_parameters",
    "score",
    "sum_counts",
]
