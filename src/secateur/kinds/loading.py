"""Models of any kind, from their directories: what model.toml calls a kind says who reads and who runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from secateur.errors import InputError
from secateur.kinds.arcs import model as dependency_model
from secateur.kinds.arcs.model import DependencyModel, load_dependency_model
from secateur.kinds.arcs.parser import ArcParser
from secateur.kinds.pcfg import model
from secateur.kinds.pcfg.model import Model, load_model
from secateur.kinds.pcfg.parser import Parser, model_parser
from secateur.models import files as model_files
from secateur.models.limits import Limits


class Kind(NamedTuple):
    """What to do with a directory."""

    load: Callable[..., Any]  # (path, views=...) -> model
    parser: Callable[..., Any]  # (model, point, limits=...) -> parser


KINDS = {
    model.KIND: Kind(load_model, model_parser),
    dependency_model.KIND: Kind(load_dependency_model, ArcParser),
}


def load_any(
    path: str | Path, *, views: Mapping[str, Callable[..., str]] | None = None
) -> Model | DependencyModel:
    """A model, whatever its kind; `views` brings the functions of templates that users added."""
    found: Model | DependencyModel = _kind(path).load(path, views=views)
    return found


def _kind(path: str | Path) -> Kind:
    about = model_files.read_about(path)
    if about["kind"] not in KINDS:
        model_files.open_model(path, about, KINDS)  # which refuses it
    return KINDS[str(about["kind"])]


def parser_at(
    found: Model | DependencyModel, point: str, *, limits: Limits | None = None
) -> Parser | ArcParser:
    """A model's parser at one of its points."""
    parser: Parser | ArcParser = KINDS[found.kind].parser(found, point, limits=limits)
    return parser


def load(
    path: str | Path,
    *,
    limits: Limits | None = None,
    views: Mapping[str, Callable[..., str]] | None = None,
    **dial: Any,
) -> Parser | ArcParser:
    """A parser from a grammar file, or from a model directory with a setting of its dial (Model.choose).

    `views` brings the functions of a model's own templates, which are not saved with it.
    """
    if not Path(path).is_dir():
        from secateur.grammar.text import read_any

        if dial:
            raise InputError(
                "a grammar has no dial", where=str(path), fix="name a model, or leave the setting out"
            )
        if views:
            raise InputError("a grammar has no templates", where=str(path), fix="leave the views out")
        return Parser(read_any(path), limits=limits)
    found = load_any(path, views=views)
    return parser_at(found, found.choose(**dial).point.name, limits=limits)
