"""The curve, its slopes, the Pareto set, and the dial."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.models import dial as frontier
from secateur.models.dial import Curve, Point


def point(name: str, accuracy: float, mpush: float) -> Point:
    return Point(name, accuracy, accuracy - 1, accuracy + 1, mpush, 1000 / mpush, mpush / 100, 0.2, 0.0)


POINTS = [
    point("slow", 70.0, 0.5),
    point("middle", 69.0, 0.1),
    point("fast", 60.0, 0.02),
    point("bad", 59.0, 0.3),
]


def test_the_curve_is_found_again() -> None:
    true = Curve(72.0, 1.3, 4.0, 0.002)
    runtime = np.geomspace(0.004, 0.6, 8)
    found = frontier.fit_curve(runtime, true(runtime))
    assert np.allclose(found(runtime), true(runtime), atol=1e-6)
    step = 1e-6
    numeric = (true(runtime + step) - true(runtime - step)) / (2 * step)
    assert np.allclose(found.slope(runtime), numeric, rtol=1e-3)
    assert np.allclose(frontier.tradeoffs(runtime, true(runtime))[1:-1], numeric[1:-1], rtol=1e-3)


def test_few_points_do_not_send_a_slope_through_the_roof() -> None:
    found = frontier.tradeoffs([80.0, 40.0, 20.0], [0.8, 0.8, 0.4])
    assert found[0] == pytest.approx(0.0, abs=1e-12)
    assert 0.0 <= found[1] <= 0.04
    assert 0.01 <= found[2] <= 0.04
    assert frontier.tradeoffs([3.0, 2.0, 1.0], [0.0, 0.0, 0.0]).tolist() == [0.0] * 3


def test_even_penalties_invert_the_fit() -> None:
    # log runtime = 1 - 0.5 * logit(penalty), exactly
    tried = [0.01, 0.1, 0.5]
    runtime = [math.exp(1 - 0.5 * math.log(p / (1 - p))) for p in tried]
    found = frontier.even_penalties(tried, runtime, 5, runtime[0], runtime[-1])
    logs = [1 - 0.5 * math.log(p / (1 - p)) for p in found]
    assert np.allclose(np.diff(logs), np.diff(logs)[0])
    assert found[0] == pytest.approx(0.01)
    assert found[-1] == pytest.approx(0.5)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=12))
def test_pareto_is_what_nothing_beats(figures: list[tuple[int, int]]) -> None:
    points = [point(str(n), float(a), float(m)) for n, (a, m) in enumerate(figures)]
    kept = frontier.pareto(points)
    for p in points:
        others = [q for q in points if (q.accuracy, q.mpush) != (p.accuracy, p.mpush)]
        beaten = any(q.accuracy >= p.accuracy and q.mpush <= p.mpush for q in others)
        same = any((q.accuracy, q.mpush) == (p.accuracy, p.mpush) for q in kept)
        assert same != beaten


def test_the_dial() -> None:
    kept = frontier.pareto(POINTS)
    assert [p.name for p in kept] == ["fast", "middle", "slow"]
    assert frontier.most_accurate(kept).point.name == "slow"
    assert frontier.fastest(kept).point.name == "fast"
    assert frontier.within_budget(kept, "9,000wps").point.name == "middle"
    assert frontier.within_budget(kept, "0.3ms/sent").point.name == "fast"
    beyond = frontier.within_budget(kept, "1000000wps")
    assert beyond.point.name == "fast"
    assert "beyond" in beyond.remark
    assert frontier.at_least(kept, 65).point.name == "middle"
    assert "beyond" in frontier.at_least(kept, 99).remark
    assert frontier.within_loss(kept, 1.0).point.name == "middle"
    assert frontier.within_loss(kept, 0.0).point.name == "slow"
    assert frontier.for_tradeoff(kept, 0.0).point.name == "slow"
    assert frontier.for_tradeoff(kept, 10.0).point.name == "middle"
    assert frontier.for_tradeoff(kept, 1000.0).point.name == "fast"


@pytest.mark.parametrize("tradeoff", [-1.0, math.nan, math.inf])
def test_tradeoffs_that_make_no_sense(tradeoff: float) -> None:
    with pytest.raises(InputError, match="tradeoff"):
        frontier.for_tradeoff(POINTS, tradeoff)


@pytest.mark.parametrize("budget", ["fast", "10", "-5wps", "0wps"])
def test_budgets_that_make_no_sense(budget: str) -> None:
    with pytest.raises(InputError, match="budget"):
        frontier.within_budget(POINTS, budget)


def test_the_frontier_of_dependency_models_goes_by_time() -> None:
    """A point with fewer templates that is slower and less accurate is not worth having."""
    static = replace(point("static", 88.2, 0.0030), seconds_per_sentence=0.0003)
    slower = replace(point("dagger", 88.0, 0.0029), seconds_per_sentence=0.0004)
    full = replace(point("full", 89.3, 0.0160), seconds_per_sentence=0.0008)
    points = [full, slower, static]
    assert [p.name for p in frontier.pareto(points, frontier.ARCS)] == ["static", "full"]
    assert [p.name for p in frontier.pareto(points)] == ["dagger", "static", "full"]
    assert frontier.choose(points, figures=frontier.ARCS, max_loss=1.2).point.name == "static"
