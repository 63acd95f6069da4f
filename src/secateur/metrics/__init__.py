"""Scores of parses: EVALB brackets as sums of Counts, attachments likewise, and how sure they are."""

from secateur.metrics.attachment import Attachment, AttachmentScores, attachment, sum_attachments
from secateur.metrics.bootstrap import confidence, permutation_test
from secateur.metrics.corpus import LengthRow
from secateur.metrics.discontinuous import DiscontinuousScores, Matches, discontinuous, sum_matches
from secateur.metrics.evalb.counts import Counts, sum_counts
from secateur.metrics.evalb.evaluation import Evaluation, evaluate
from secateur.metrics.evalb.parameters import COLLINS, Parameters, read_parameters
from secateur.metrics.evalb.score import (
    Brackets,
    SentenceScore,
    Status,
    crossing_spans,
    match_spans,
    prepare,
    score,
)
from secateur.metrics.position_sets import (
    PROPER,
    DiscontinuousParameters,
    read_discontinuous_parameters,
)

__all__ = [
    "COLLINS",
    "PROPER",
    "Attachment",
    "AttachmentScores",
    "Brackets",
    "Counts",
    "DiscontinuousParameters",
    "DiscontinuousScores",
    "Evaluation",
    "LengthRow",
    "Matches",
    "Parameters",
    "SentenceScore",
    "Status",
    "attachment",
    "confidence",
    "crossing_spans",
    "discontinuous",
    "evaluate",
    "match_spans",
    "permutation_test",
    "prepare",
    "read_discontinuous_parameters",
    "read_parameters",
    "score",
    "sum_attachments",
    "sum_counts",
    "sum_matches",
]
