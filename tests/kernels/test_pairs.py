"""The work in a mask, against counting it out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from secateur.kernels.cky.pairs import count_pairs


@given(st.integers(1, 140), st.sampled_from((0.0, 0.1, 0.5, 1.0)), st.integers(0, 1 << 20))
def test_pairs_of_kept_spans_that_make_a_kept_one(n: int, share: float, seed: int) -> None:
    mask = np.random.default_rng(seed).random((n + 1, n + 1)) < share
    spans = np.arange(n + 1) - np.arange(n + 1)[:, None]
    kept = ((mask & (spans > 0)) | (spans == 1) | (spans == n)).astype(np.int64)
    assert count_pairs(mask) == ((kept @ kept) * kept).sum()
