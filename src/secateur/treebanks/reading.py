"""Reading a treebank, whatever its annotation."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal

from secateur.errors import InputError
from secateur.options import made
from secateur.treebanks import formats
from secateur.treebanks.annotation import Annotation, read_files
from secateur.treebanks.bank import Bank
from secateur.treebanks.dependencies import DEPENDENCIES
from secateur.treebanks.discontinuous import DISCONTINUOUS
from secateur.treebanks.formats import Opened
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.phrases import PHRASES, PhraseReading

ANNOTATIONS: dict[str, Annotation[Any]] = {one.name: one for one in (PHRASES, DISCONTINUOUS, DEPENDENCIES)}


def annotation_of(files: Iterable[Opened]) -> Annotation[Any]:
    """The one annotation of some files."""
    found = {file.annotation: file for file in files}
    if len(found) > 1:
        (first, one), (other, another), *_ = found.items()
        raise InputError(
            f"{other} ({another.format}), but {one.name} has {first} ({one.format})",
            where=another.name,
            fix="give files of one annotation",
        )
    return ANNOTATIONS[next(iter(found))]


def read(
    *paths: str | PathLike[str],
    format: str | None = None,
    encoding: str = "utf-8",
    normalization: Normalization | Literal["usual"] | None = "usual",
    **how: Any,
) -> Bank[Any]:
    """The treebank in one file or several: trees normalized as for training, or dependencies.

    Trees are normalized as is usual, or by a Normalization of yours; normalization=None takes them as they
    are. `how` are options of the annotation's reading: `keep` of phrases, `marks` and `functions` of
    discontinuous ones as well, `several_roots` and `fine` of dependencies.
    """
    if not paths:
        raise TypeError("read() needs the path of a treebank")
    for path in paths:
        if not isinstance(path, (str, PathLike)):
            raise TypeError(f"a path is a text or a PathLike, not {path!r}")
    if not (normalization in ("usual", None) or isinstance(normalization, Normalization)):
        raise TypeError(f"normalization is a Normalization or None, not {normalization!r}")
    files = [formats.opened(path, format=format, encoding=encoding) for path in paths]
    annotation = annotation_of(files)
    reading = made(annotation.reading, how, f"reading of {annotation.name}")
    if normalization != "usual" and isinstance(reading, PhraseReading):
        if how:
            raise TypeError(f"normalization and {', '.join(how)} too: give one or the other")
        reading = None if normalization is None else PhraseReading.of(normalization)
    elif isinstance(normalization, Normalization):
        what = f"a normalization is of phrases, not of {annotation.name}"
        raise InputError(what, where=files[0].name, fix="leave it out")
    return read_files(annotation, files, reading)
