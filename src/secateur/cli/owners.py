"""Whose options commands offer: those of kinds of models, and of annotations."""

from __future__ import annotations

from typing import Any

from secateur.cli.induction import INDUCTIONS
from secateur.cli.options import with_source
from secateur.cli.spread import Owners, spread
from secateur.metrics.scores import SCORING
from secateur.models.table import kinds
from secateur.treebanks.reading import ANNOTATIONS


def with_settings(command: Any) -> Any:
    """A command that takes `settings`: how kinds of models are trained."""
    return spread("settings", _kinds("settings"), "models of kind")(command)


def with_using(command: Any) -> Any:
    """A command that takes `using`: how they parse."""
    return spread("using", _kinds("using"), "models of kind")(command)


def with_looking(command: Any) -> Any:
    """A command that takes `looking`: what to see of a sentence."""
    return spread("looking", _kinds("looking"), "models of kind")(command)


def with_reading(command: Any) -> Any:
    """A command that takes `source` and `reading`: how files are written, and become trees."""
    owners = {name: annotation.reading for name, annotation in ANNOTATIONS.items()}
    return with_source(spread("reading", owners, "treebanks of")(command))


def with_inducing(command: Any) -> Any:
    """A command that takes `inducing`: how grammars are read off trees."""
    return spread("inducing", INDUCTIONS, "treebanks of")(command)


def with_scoring(command: Any) -> Any:
    """A command that takes `scoring`: what counts."""
    return spread("scoring", SCORING, "treebanks of")(command)


def _kinds(options: str) -> Owners:
    return {kind.name: getattr(kind, options) for kind in kinds()}
