"""Files of the formats that list words and nodes, as texts."""

from __future__ import annotations

import io
from collections.abc import Iterable

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.tree import Leaf, Tree


def file_of(trees: Iterable[Tree], format: str) -> str:
    """All that a file of these trees holds."""
    opening, closing = formats.around(format)
    numbered = (formats.numbered(tree, number, format) for number, tree in enumerate(trees, 1))
    return "".join((opening, *(f"{formats.write(tree, format)}\n" for tree in numbered), closing))


def read(text: str, format: str, *, empty: bool = False) -> list[Tree]:
    return list(formats.FORMATS[format].read(io.StringIO(text), name="f", empty=empty))


def read_on(text: str, format: str) -> tuple[list[Tree], list[InputError]]:
    """The trees of a file with faults, and the faults."""
    faults: list[InputError] = []
    return list(formats.FORMATS[format].read(io.StringIO(text), name="f", on_error=faults.append)), faults


def without_rels(tree: Tree) -> Tree:
    children = tuple(child if isinstance(child, Leaf) else without_rels(child) for child in tree.children)
    return Tree(tree.label, children)
