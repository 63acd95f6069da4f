"""Models and parsers from what users name: a model directory, or a file that a kind can parse with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any

from secateur.errors import InputError
from secateur.grammar.files import read_any
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lines import placed
from secateur.models.dial import Dial
from secateur.models.kind import Views
from secateur.models.limits import Limits
from secateur.models.model import Model
from secateur.models.parse import SentenceParser
from secateur.models.table import kind_named


def load_model(path: str | PathLike[str], *, views: Views | None = None) -> Model[Any, Any]:
    """A model from its directory; or a grammar from its file, as a model without a dial."""
    if not isinstance(path, (str, PathLike)):
        raise TypeError(f"a path is a text or a PathLike, not {path!r}")
    if views is not None and not isinstance(views, Mapping):
        raise TypeError(f"views are functions by name, not {views!r}")
    if Path(path).is_dir():
        return Model.load(path, views=views)
    if views:
        raise InputError("a grammar has no templates", where=str(path), fix="leave the views out")
    grammar = read_any(path)
    kind: Any = kind_named("lcfrs" if isinstance(grammar, PLCFRS) else "pcfg")
    with placed(str(path)):
        return Model(kind, kind.from_grammar(grammar))


def load(
    path: str | PathLike[str],
    *,
    limits: Limits | None = None,
    views: Views | None = None,
    **setting: Any,
) -> SentenceParser[Any]:
    """A parser from a model directory with a setting of its dial, or from a grammar file.

    `setting` is one of the dial (budget, accuracy, max_loss, tradeoff, fastest, most_accurate, point), and
    options of the kind's parsers. `views` brings the functions of a model's own templates, which are not
    saved with it.
    """
    model = load_model(path, views=views)
    options = [one.name for one in fields(model.kind.using)]
    dial = {name: value for name, value in setting.items() if name not in options}
    known = [*Dial.__annotations__, *options]
    for name in dial:
        if name not in Dial.__annotations__:
            raise InputError(f"load() has no option {name!r}", fix=f"choose from {', '.join(known)}")
    if dial and not model.points:
        fix = "name a model, or leave the setting out"
        raise InputError("a grammar has no dial", where=str(path), fix=fix)
    point = model.choose(**dial).point.name if model.points else None
    using = {name: value for name, value in setting.items() if name in options}
    return model.parser(point, limits=limits, **using)
