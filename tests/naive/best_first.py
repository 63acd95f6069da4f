"""Best-first deduction by its definition: of all items that what was worked on can make, the best is next.

Over the hyperedges of `naive.lcfrs.chart`, which has all of them; every step looks at everything again.
"""

from __future__ import annotations

import math

from naive.lcfrs import Chart, Hyperedge, Item, added


def values(chart: Chart) -> dict[Item, float]:
    """Of the items worked on, in this order: up to the goal, or all there are."""
    found: dict[Item, float] = {}
    while chart.goal not in found:
        offers = {
            item: max(
                (_score(h, found) for h in incoming if all(tail in found for tail in h.tail)),
                default=-math.inf,
            )
            for item, incoming in chart.incoming.items()
            if item not in found
        }
        best = max(offers, key=lambda item: offers[item], default=None)
        if best is None or offers[best] == -math.inf:
            break
        found[best] = offers[best]
    return found


def _score(h: Hyperedge, found: dict[Item, float]) -> float:
    return added(h.weight, [found[tail] for tail in h.tail])
