"""Points made up for tests, and what they count."""

from __future__ import annotations

from secateur.models.point import Figures, Point

FIGURES = Figures("F1", "pushes", "push", "kept", "spans kept", "without a parse")


def point(name: str, accuracy: float, work: float) -> Point:
    """As fast as it does little work."""
    return Point(name, {}, accuracy, accuracy - 1, accuracy + 1, work, 1000 / work, work / 100, 0.2, 0.0)


POINTS = [
    point("slow", 70.0, 0.5),
    point("middle", 69.0, 0.1),
    point("fast", 60.0, 0.02),
    point("bad", 59.0, 0.3),
]
