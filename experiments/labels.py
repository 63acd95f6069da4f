"""Labels beside points of a picture, out of each other's way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

DISTANCES = (5.0, 9.0, 14.0, 22.0, 32.0, 44.0, 60.0)  # typographic points from a marker to its label
FAR = 7.0  # from here on a line joins them
MARKER = 4.5  # half of one, typographic points
OUTSIDE = 20.0  # how much worse than over another label, each pixel
ROUNDS = 4
# Beside the point before above and below it.
SIDES = ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1))
DIRECTIONS = (*SIDES, (2, 1), (-2, 1), (2, -1), (-2, -1), (1, 2), (-1, 2), (1, -2), (-1, -2))

Boxes = npt.NDArray[np.float64]  # [boxes, 4] left, bottom, right, top, in pixels


class Label(NamedTuple):
    text: str
    x: float
    y: float
    colour: str
    size: float


class Spot(NamedTuple):
    """Where a label might be."""

    distance: float  # typographic points
    box: Boxes  # [1, 4]
    line: Boxes  # from its point, as small boxes, if it is far


def place(panel: Any, labels: Sequence[Label], points: Sequence[tuple[float, float]]) -> Boxes:
    """Write the labels where nothing is in their way; `points` are all markers. Where the labels are now.

    To be called last: it looks at where the panel's points are.
    """
    from matplotlib.text import Text

    figure = panel.figure
    figure.draw_without_rendering()
    pixel = figure.dpi / 72.0
    frame = np.array([panel.get_window_extent().extents])
    markers = _around(panel.transData.transform(np.array(points)), MARKER * pixel, MARKER * pixel)
    texts = [_write(panel, label) for label in labels]
    anchors = panel.transData.transform(np.array([(label.x, label.y) for label in labels]))
    choices = []
    for text, anchor in zip(texts, anchors, strict=True):
        extent = Text.get_window_extent(text)  # without its line
        choices.append(_spots(anchor, extent.width / 2, extent.height / 2, pixel))
    chosen: dict[int, Spot] = {}
    for number, spots in list(enumerate(choices)) * ROUNDS:  # the later ones move the earlier ones
        others = [spot for other, spot in chosen.items() if other != number]
        taken = np.concatenate([markers, *(boxes for spot in others for boxes in (spot.box, spot.line))])
        chosen[number] = min(spots, key=partial(_cost, frame, taken))
    for number, (text, anchor) in enumerate(zip(texts, anchors, strict=True)):
        left, bottom, right, top = chosen[number].box[0]
        offset = np.array(((left + right) / 2, (bottom + top) / 2)) - anchor
        text.set_position(tuple(offset / pixel))
        text.arrow_patch.set_visible(len(chosen[number].line) > 0)
    return np.concatenate([chosen[number].box for number in range(len(labels))])


def shared(some: Boxes, others: Boxes) -> float:
    """The area that each of some has in common with each of others, summed."""
    low = np.maximum(some[:, None, :2], others[None, :, :2])
    high = np.minimum(some[:, None, 2:], others[None, :, 2:])
    return float(np.maximum(high - low, 0.0).prod(axis=2).sum())


def _write(panel: Any, label: Label) -> Any:
    text = panel.annotate(
        label.text,
        (label.x, label.y),
        xytext=(0, 0),
        textcoords="offset points",
        color=label.colour,
        fontsize=label.size,
        ha="center",
        va="center",
        arrowprops={"arrowstyle": "-", "color": "0.6", "linewidth": 0.7, "shrinkA": 0, "shrinkB": 5},
    )
    text.set_in_layout(False)
    return text


def _spots(anchor: Any, half_width: float, half_height: float, pixel: float) -> list[Spot]:
    """All around a point."""
    half = np.array((half_width, half_height))
    found = []
    for distance, direction in product(DISTANCES, np.array(DIRECTIONS, float)):
        reach = (MARKER + distance) * pixel / np.hypot(*direction)
        centre = anchor + direction * reach + np.sign(direction) * half
        # As matplotlib draws it: towards the middle of the text, as far as its frame.
        along = np.linspace(anchor, centre, 40)[4:]
        outside = (np.abs(along - centre) > half).any(axis=1) & (distance > FAR)
        found.append(
            Spot(
                distance,
                _around(centre[None], half_width, half_height),
                _around(along[outside], pixel, pixel),
            )
        )
    return found


def _cost(frame: Boxes, taken: Boxes, spot: Spot) -> float:
    """What a label and its line would cover; and how far it would be."""
    outside = shared(spot.box, spot.box) - shared(spot.box, frame)
    return OUTSIDE * outside + shared(spot.box, taken) + shared(spot.line, taken) + spot.distance


def _around(points: Any, half_width: float, half_height: float) -> Boxes:
    half = np.array((half_width, half_height))
    return np.concatenate((points - half, points + half), axis=1)
