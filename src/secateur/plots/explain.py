"""Why a span was kept or pruned: what each feature template saw there, and what that weighs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.features.span import ATOM, BEGIN, END, SpanFeatures
from secateur.kernels.cky.features import width_class

_SHOWN = {BEGIN: "<begin>", END: "<end>"}
_WIDTHS = {6: "6-10", 7: "11-20", 8: "21+"}  # classes of more than one width


class Contribution(NamedTuple):
    """What one template adds to a span's score."""

    template: str
    saw: str
    weight: float


class Explanation(NamedTuple):
    """Why a span was kept or pruned: the contributions sum to the score."""

    i: int
    k: int
    score: float
    contributions: list[Contribution]


def explain(
    features: SpanFeatures, weights: npt.NDArray[np.float32], words: Sequence[str], i: int, k: int
) -> Explanation:
    """Every template with what it saw at the span and what that weighs."""
    buckets = features.rows(features.columns(words), np.array([[i, k]], np.int32))[0]
    found = [
        Contribution(template, saw(features, template, words, i, k), float(weight))
        for template, weight in zip(features.templates, weights[buckets], strict=True)
    ]
    return Explanation(i, k, math.fsum(one.weight for one in found), found)


def saw(features: SpanFeatures, template: str, words: Sequence[str], i: int, k: int) -> str:
    """The values of a template's atoms, as people read them."""
    places = {"i-1": (i - 1, i), "i": (i, i + 1), "i:k": (i, k), "k-1": (k - 1, k), "k": (k, k + 1)}
    found = []
    for atom in template.split():
        named = ATOM.fullmatch(atom)
        if named:
            seen = (features.seen(named[1], words, p) for p in range(*places[named[2]]))
            found.append(" ".join(_SHOWN.get(text, text) for text in seen))
        elif atom == "width":
            found.append(_WIDTHS.get(width_class(k - i), str(k - i)))
        elif atom == "length":
            found.append(str(len(words)) if len(words) < 40 else "40+")
    return "  ".join(found)
