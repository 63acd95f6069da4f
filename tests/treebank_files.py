"""Trees of a file as they stand, of whatever annotation it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from secateur.treebanks import formats
from secateur.treebanks.formats.brackets import OnError
from secateur.treebanks.reading import annotation_of


def trees_of(
    path: Path | str, *, format: str | None = None, on_error: OnError | None = None
) -> Iterator[Any]:
    """As the commands read them before any normalization."""
    file = formats.opened(path, format=format)
    return annotation_of([file]).trees(file, None, on_error)
