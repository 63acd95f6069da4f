"""What an agenda parser can be given, and what of it does not go together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.features.priority import PriorityFeatures
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.hierarchy import Hierarchy
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.priorities import AGAIN, DROP, IN_PLACE, How
from secateur.kinds.pcfg.settings import Using
from secateur.search.arrays import Weights
from secateur.tasks.agenda_order.task import Halting

ONE_TREE = "hierarchical A* finds one tree"


class Order(NamedTuple):
    """Priorities as features with weights."""

    features: PriorityFeatures
    weights: Weights  # [dim]


def check_given(
    grammar: PCFG,
    order: Order | Bounds | Hierarchy | None,
    how: How,
    deadline: float | None,
    halting: Halting | None,
    using: Using,
) -> None:
    """Refuse what is of another grammar, and what does not go together."""
    _check_how(how)
    if isinstance(order, Bounds):
        order.check(grammar)
    elif isinstance(order, Hierarchy):
        if order.grammar.symbols != grammar.symbols:
            raise InputError("a hierarchy of another grammar", fix="give its own, and no level")
    elif isinstance(order, Order):
        if order.features.grammar.symbols != grammar.symbols:
            raise InputError("features of another grammar", fix="learn them with this one, and its level")
        if len(order.weights) != order.features.dim:
            what = f"{len(order.weights)} weights of {order.features.dim} features"
            raise InputError(what, fix="give as many weights as features")
    elif order is not None:
        raise TypeError(f"an order is an Order, Bounds or a Hierarchy, not {order!r}")
    if deadline is not None and (isinstance(deadline, bool) or not isinstance(deadline, int | float)):
        raise TypeError(f"a deadline is a number of seconds, not {deadline!r}")
    if deadline is not None and not 0.0 < deadline < np.inf:
        raise InputError(f"a deadline of {deadline} seconds", fix="give more than nothing")
    if deadline is not None and has_bounds(order):
        what = "how long bounds take is not known before"
        raise InputError(f"a deadline and bounds: {what}", fix="leave one of them out")
    if halting is not None and (deadline is not None or using.kbest is not None):
        what = "a deadline or k best trees, and a policy that ends searches"
        raise InputError(what, fix="leave one of them out, or choose a point without halting")
    if isinstance(order, Hierarchy) and (halting is not None or using.kbest is not None):
        raise InputError(f"{ONE_TREE}, which is the best", fix="leave kbest and halting out")
    if using.marginals is not None or using.max_recall:
        what = "an agenda keeps one derivation of an item: there are no posteriors"
        raise InputError(what, fix="leave them out, or choose a point without an order")


def _check_how(how: How) -> None:
    if not (how.delta >= 0.0 and how.widen >= 1.0 and how.widen < np.inf):
        what = f"a delta of {how.delta} that is widened by {how.widen}"
        raise InputError(what, fix="give a delta of 0 or more, and widen by 1 or more")
    if how.delta == 0.0 and how.widen > 1.0:
        raise InputError("a delta of 0 that is widened stays 0", fix="begin with more than 0")
    if how.merge not in (DROP, IN_PLACE, AGAIN):
        raise InputError(f"{how.merge!r} is no way to merge", fix="choose DROP, IN_PLACE or AGAIN")


def has_bounds(order: Order | Bounds | Hierarchy | None) -> bool:
    return isinstance(order, Bounds | Hierarchy) or (order is not None and order.features.settings.bounded)
