"""Training: from a treebank to a model, whatever its kind."""

from __future__ import annotations

import json
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

from secateur.errors import InputError
from secateur.models.kind import Kind, Settings
from secateur.models.model import Model
from secateur.models.run import Run, Tell
from secateur.models.table import kind_for, kind_named
from secateur.options import made
from secateur.search.parallel import Engine
from secateur.treebanks.annotation import Reading
from secateur.treebanks.bank import Bank


def train(
    train: Bank[Any],
    *,
    dev: Bank[Any] | None = None,
    kind: str | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    work: str | PathLike[str] | None = None,
    engine: Engine | None = None,
    tell: Tell = lambda step: None,
    **options: Any,
) -> Model[Any, Any]:
    """A model with a dial, of the first kind that learns from the treebank's annotation, or of a named one.

    `settings` are those of the kind (`Settings`, `ArcSettings`), or its fields are given as options:
    `train(bank, points=4)`. Without `dev`, a tenth is split off. With a `work` folder, a stopped run goes on
    there. `reading`, how the trees were read, is recorded.
    """
    chosen = _kind(train, kind)
    settings = _settings(chosen, settings, options)
    check_bank(train, chosen, "the treebank")
    if dev is not None:
        check_bank(dev, chosen, "dev")
    _check_rest(chosen, reading, work, engine, tell)
    checksum = train.checksum()
    if dev is None:
        train, dev, _ = train.split(dev=0.1, test=0.0, seed=settings.seed)
    if len(dev) < 2:
        raise InputError(
            f"{len(dev)} held-out trees: one half stops the training, the other judges it",
            fix="give 2 or more with --dev, or more trees to split some off",
        )
    run = Run(None if work is None else Path(work), engine=engine, tell=tell)
    with run.alone():
        found = chosen.train(run, train, dev, settings)
    notes = {
        "trees": len(train),
        "held out": len(dev),
        "checksum": checksum,
        **found.notes,
        **(reading.notes() if reading else {}),
    }
    # As they are read back from a file: tuples are lists.
    notes, log = json.loads(json.dumps([notes, found.log]))
    return Model(chosen, found.parts, found.policies, found.points, notes, log)


def _kind(bank: object, name: str | None) -> Kind[Any, Any]:
    if not isinstance(bank, Bank):
        hint = ": read it first, with secateur.read(path)" if isinstance(bank, (str, Path)) else ""
        raise TypeError(f"train() takes a treebank, not {type(bank).__name__}{hint}")
    if name is None:
        return kind_for(bank.annotation)
    kind = kind_named(name)
    if kind.annotation.name != bank.annotation:
        raise InputError(
            f"a model of kind {name} learns from {kind.annotation.name}, not from {bank.annotation}",
            where=bank.name,
            fix="give another treebank, or another kind",
        )
    return kind


def _settings(kind: Kind[Any, Any], settings: Settings | None, options: dict[str, Any]) -> Settings:
    if settings is None:
        return made(kind.settings, options, f"training of kind {kind.name}")
    if options:
        raise TypeError(f"settings and {', '.join(options)} too: give one or the other")
    if not isinstance(settings, kind.settings):
        wanted = kind.settings.__name__
        raise TypeError(f"settings of kind {kind.name} are {wanted}, not {type(settings).__name__}")
    return settings


def _check_rest(kind: Kind[Any, Any], reading: object, work: object, engine: object, tell: object) -> None:
    """Refuse what is of another type than training needs."""
    for name, value, wanted in (("reading", reading, kind.annotation.reading), ("engine", engine, Engine)):
        if value is not None and not isinstance(value, wanted):
            raise TypeError(f"{name} must be of type {wanted.__name__}, not {value!r}")
    if work is not None and not isinstance(work, str | PathLike):
        raise TypeError(f"work must be the path of a folder, not {work!r}")
    if not callable(tell):
        raise TypeError(f"tell must be a function that takes a step, not {tell!r}")


def check_bank(bank: object, kind: Kind[Any, Any], what: str) -> None:
    """Refuse what is no treebank of the kind's annotation, and one without trees."""
    if not isinstance(bank, Bank):
        raise TypeError(f"{what} must be a treebank, not {type(bank).__name__}")
    if bank.annotation != kind.annotation.name:
        raise InputError(
            f"{what} has {bank.annotation}, where {kind.annotation.name} are needed",
            where=bank.name,
            fix="give trees of one annotation",
        )
    if not len(bank):
        raise InputError(f"no trees in {what}", where=bank.name, fix="give some")


def noted(settings: Any, *left_out: str) -> dict[str, Any]:
    """Settings as models record them: those that have a value which JSON and TOML hold."""
    plain = (bool, int, float, str, tuple)
    found = {name: value for name, value in asdict(settings).items() if name not in left_out}
    return {name: value for name, value in found.items() if isinstance(value, plain)}
