"""What is stored of weights by feature and class: of taggers and labellers."""

from __future__ import annotations

from secateur.models.arrays import LARGEST
from secateur.models.storage import Schema, Spec

# `classes` is for the user of the schema to know.
ROWS: Schema = {
    "keys": Spec("u8", ("rows",)),
    "ptr": Spec("u4", ("rows+1",), ends="weights"),
    "column": Spec("u2", ("weights",), below="classes"),
    "weight": Spec("f4", ("weights",), low=-LARGEST, most=LARGEST),
}


def check_names(names: tuple[str, ...]) -> None:
    """ValueError where there are none, or one that cannot stand in a column of text."""
    if not names:
        raise ValueError("no tags or labels")
    for name in names:
        if not name or any(blank in name for blank in "\t\n\r"):
            raise ValueError(f"{name[:60]!r} is no tag and no label")
