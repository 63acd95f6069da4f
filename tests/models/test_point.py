"""Points and the Pareto set."""

from __future__ import annotations

import pickle
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from models.points import FIGURES, POINTS, point
from secateur.models.point import Figures, pareto


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=12))
def test_pareto_is_what_nothing_beats(figures: list[tuple[int, int]]) -> None:
    points = [point(str(n), float(a), float(m)) for n, (a, m) in enumerate(figures)]
    kept = pareto(points)
    for p in points:
        others = [q for q in points if (q.accuracy, q.work) != (p.accuracy, p.work)]
        beaten = any(
            q.accuracy >= p.accuracy and q.seconds_per_sentence <= p.seconds_per_sentence for q in others
        )
        same = any((q.accuracy, q.work) == (p.accuracy, p.work) for q in kept)
        assert same != beaten
    assert [p.seconds_per_sentence for p in kept] == sorted(p.seconds_per_sentence for p in kept)
    assert [p.accuracy for p in kept] == sorted(p.accuracy for p in kept)


def test_the_frontier_goes_by_time() -> None:
    """A point with less work that is slower and less accurate is not worth having, whatever the kind."""
    static = replace(point("static", 88.2, 0.0030), seconds_per_sentence=0.0003)
    slower = replace(point("dagger", 88.0, 0.0029), seconds_per_sentence=0.0004)
    full = replace(point("full", 89.3, 0.0160), seconds_per_sentence=0.0008)
    assert [p.name for p in pareto([full, slower, static])] == ["static", "full"]


def test_a_point_says_what_it_is() -> None:
    own = replace(POINTS[0], way={"mask": "lols-3", "decode": "max-rule"})
    assert "name='slow', way={'mask': 'lols-3', 'decode': 'max-rule'}, accuracy=70.0" in repr(own)
    assert pickle.loads(pickle.dumps(own)) == own


def test_units_in_words() -> None:
    assert FIGURES.units == "mega-pushes"
    assert FIGURES.per_sentence == "Mpush/sentence"
    assert Figures("UAS", "features", "template", "features", "templates", "fell back").units == (
        "mega-templates"
    )
