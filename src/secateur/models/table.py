"""The table of kinds: a row for each, the module that has it as KIND. It is imported when first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from secateur.errors import InputError
from secateur.models.kind import Kind

KINDS = {
    "pcfg": "secateur.kinds.pcfg",  # phrases; spans are pruned
    "lcfrs": "secateur.kinds.lcfrs",  # discontinuous phrases; spans of their blocks are pruned
    "arcs": "secateur.kinds.arcs",  # dependencies; arcs are locked
}


def kind_named(name: str) -> Kind[Any, Any]:
    """The kind of that name."""
    if name not in KINDS:
        raise InputError(f"no kind of model {name!r}", fix=f"choose from {', '.join(KINDS)}")
    kind: Kind[Any, Any] = import_module(KINDS[name]).KIND
    return kind


def kinds() -> list[Kind[Any, Any]]:
    """All of them."""
    return [kind_named(name) for name in KINDS]


def kind_for(annotation: str) -> Kind[Any, Any]:
    """The first kind that learns from an annotation."""
    for kind in kinds():
        if kind.annotation.name == annotation:
            return kind
    fix = "give " + " or ".join(dict.fromkeys(kind.annotation.name for kind in kinds()))
    raise InputError(f"no kind of model learns from {annotation} trees", fix=fix)
