"""Trees as lines of brackets: the writing half of the formats that have some."""

from __future__ import annotations

import re
from functools import lru_cache

from secateur.errors import InputError
from secateur.treebanks.tree import Leaf, Tree, is_range

_PLAIN = re.compile(r"[^ \t\n\r\f\v()]+")
_ESCAPE_WORD = str.maketrans({"(": "-LRB-", ")": "-RRB-"})
_ESCAPE_LABEL = str.maketrans("()", "[]")
_REMEMBERED = 1 << 15  # words under tags, and labels, as they are written


def write(tree: Tree, *, indent: bool = False) -> str:
    """The tree on one line, or indented over several; brackets in words become -LRB- and -RRB-."""
    positions: list[int] = []
    text = _line(tree, False, positions)
    # Nearly all trees are in order, which costs less to see than their spans.
    if not is_range(positions) and tree.is_discontinuous:
        raise InputError(
            f'the tree over "{" ".join(tree.words()[:6])} ..." is discontinuous',
            fix="write it as discbracket, which can hold it",
        )
    return _indented(tree, 0) if indent else text


def line_of(node: Tree, *, numbered: bool = False) -> str:
    """The brackets of a node on one line; words are written by themselves, or as `3=word`."""
    return _line(node, numbered, [])


def _line(node: Tree, numbered: bool, positions: list[int]) -> str:
    """The line, and the positions of its words as they come."""
    parts: list[str] = []
    for child in node.children:
        if not isinstance(child, Tree):
            positions.append(child[0])
            parts.append(f"{child[0]}={escape(child[1])}" if numbered else escape(child[1]))
            continue
        below = child.children
        if len(below) == 1 and not isinstance(leaf := below[0], Tree):
            positions.append(leaf[0])
            text = _tagged(child.label, leaf[1])
            if numbered:
                start = len(child.label) + 2  # an escaped label is as long
                text = f"{text[:start]}{leaf[0]}={text[start:]}"
            parts.append(text)
        else:
            parts.append(_line(child, numbered, positions))
    # Only a tag has to have a name.
    label = _escape_label(node.label) if node.label else _label(node)
    return f"({label} {' '.join(parts)})"


def escape(word: str) -> str:
    """A word as it may stand between brackets."""
    escaped = word.translate(_ESCAPE_WORD)
    if not _PLAIN.fullmatch(escaped):
        raise InputError(f"the word {word!r} is empty or has white space in it", fix="write _ for the space")
    return escaped


@lru_cache(maxsize=_REMEMBERED)
def _tagged(label: str, word: str) -> str:
    """A word under its tag: most nodes are such, and many come again."""
    if not label:
        raise _unwritable(label)
    return f"({_escape_label(label)} {escape(word)})"


def _label(node: Tree) -> str:
    label = node.label
    if not label and node.is_preterminal:
        raise _unwritable(label)
    return _escape_label(label)


@lru_cache(maxsize=_REMEMBERED)
def _escape_label(label: str) -> str:
    escaped = label.translate(_ESCAPE_LABEL)
    if label and not _PLAIN.fullmatch(escaped):
        raise _unwritable(label)
    return escaped


def _unwritable(label: str) -> InputError:
    return InputError(f"the label {label!r} cannot be written", fix="use one without white space")


def _indented(node: Tree, depth: int) -> str:
    if all(isinstance(child, Leaf) or child.is_preterminal for child in node.children):
        return line_of(node)
    gap = "\n" + "  " * (depth + 1)
    parts = [_indented(c, depth + 1) if isinstance(c, Tree) else escape(c.word) for c in node.children]
    # The Penn Treebank starts the tree inside an unlabelled bracket on the same line.
    return f"({_label(node)}{gap if node.label else ' '}{gap.join(parts)})"
