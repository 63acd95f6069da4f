"""The curve through points, its slopes, and penalties that spread points evenly."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from models.points import POINTS
from secateur.errors import InputError
from secateur.models.curve import Curve, even_penalties, fit_curve, tradeoffs, with_tradeoffs


def test_the_curve_is_found_again() -> None:
    true = Curve(72.0, 1.3, 4.0, 0.002)
    runtime = np.geomspace(0.004, 0.6, 8)
    found = fit_curve(runtime, true(runtime))
    assert np.allclose(found(runtime), true(runtime), atol=1e-6)
    step = 1e-6
    numeric = (true(runtime + step) - true(runtime - step)) / (2 * step)
    assert np.allclose(found.slope(runtime), numeric, rtol=1e-3)
    assert np.allclose(tradeoffs(runtime, true(runtime))[1:-1], numeric[1:-1], rtol=1e-3)


def test_too_few_points_hold_no_curve() -> None:
    with pytest.raises(InputError, match="2 operating points are too few"):
        fit_curve([1.0, 2.0], [50.0, 60.0])


def test_few_points_do_not_send_a_slope_through_the_roof() -> None:
    found = tradeoffs([80.0, 40.0, 20.0], [0.8, 0.8, 0.4])
    assert found[0] == pytest.approx(0.0, abs=1e-12)
    assert 0.0 <= found[1] <= 0.04
    assert 0.01 <= found[2] <= 0.04
    assert tradeoffs([3.0, 2.0, 1.0], [0.0, 0.0, 0.0]).tolist() == [0.0] * 3


def test_even_penalties_invert_the_fit() -> None:
    # log runtime = 1 - 0.5 * logit(penalty), exactly
    tried = [0.01, 0.1, 0.5]
    runtime = [math.exp(1 - 0.5 * math.log(p / (1 - p))) for p in tried]
    found = even_penalties(tried, runtime, 5, runtime[0], runtime[-1])
    logs = [1 - 0.5 * math.log(p / (1 - p)) for p in found]
    assert np.allclose(np.diff(logs), np.diff(logs)[0])
    assert found[0] == pytest.approx(0.01)
    assert found[-1] == pytest.approx(0.5)
    with pytest.raises(InputError, match="did not make the parser faster"):
        even_penalties(tried, runtime[::-1], 5, 2.0, 1.0)


def test_only_points_of_the_frontier_have_a_tradeoff() -> None:
    found = {p.name: p.tradeoff for p in with_tradeoffs(POINTS)}
    assert found["bad"] is None
    slopes = [found[name] for name in ("fast", "middle", "slow")]
    assert all(slope is not None and slope > 0 for slope in slopes)
    assert slopes == sorted(slopes, reverse=True)  # type: ignore[type-var]  # accuracy becomes dear
    assert [p.name for p in with_tradeoffs(POINTS)] == [p.name for p in POINTS]


def test_the_clock_has_no_say_in_tradeoffs() -> None:
    """A training that was resumed ends with the same figures as one that was not."""
    other = [replace(p, seconds_per_sentence=1.0 / (1 + number)) for number, p in enumerate(POINTS)]
    assert [p.tradeoff for p in with_tradeoffs(other)] == [p.tradeoff for p in with_tradeoffs(POINTS)]
    assert with_tradeoffs(POINTS[:2]) == POINTS[:2]  # too few
