"""The grammar in a file: what it is in, its first lines tell, or its name.

- a first line with `format=`: our texts of PCFGs, split ones and PLCFRSs, and the dialects of BUBS;
- a first line `S_0 -> NP_1 VP_2 0.5`: the rules of a Berkeley export;
- the name X.rules or X.lex, or one of these with .gz: a half of disco-dop's two files, the other beside it;
- a first line, but for comments and blank ones, `S(X Y) -> `: a PLCFRS written by hand.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from secateur.grammar.lcfrs import discodop, handwritten
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lcfrs.text import parse_plcfrs
from secateur.grammar.lines import Header
from secateur.grammar.pcfg import PCFG
from secateur.grammar.text import LCFRS, SPLIT, parse_grammar
from secateur.treebanks.formats import source

if TYPE_CHECKING:
    from secateur.grammar.latent.grammar import SplitPCFG

Form = Literal["text", "split", "plcfrs", "export", "disco-dop", "by hand"]

_EXPORTED = re.compile(r"\s*\S+_[0-9]+\s+->\s")
_HEAD = 1000  # lines before the first rule of a grammar that was written by hand, at most


def read_any(path: str | os.PathLike[str], *, composed: bool = True) -> PCFG | SplitPCFG | PLCFRS:
    """The grammar in a file of any kind; composed=False keeps foreign unaries as written."""
    name, lines = os.fspath(path), source.lines(path)
    head = _head(lines)
    everything = chain(head, lines)
    match _form(name, head):
        case "plcfrs":
            return parse_plcfrs(everything, name=name)
        case "by hand":
            return handwritten.parse(everything, name=name)
        case "disco-dop":
            return discodop.read_halves(path)
        case "export":
            from secateur.grammar.latent.berkeley import read_berkeley

            return read_berkeley(path)
        case "split":
            from secateur.grammar.latent.text import parse_split

            return parse_split(everything, name=name)
    return parse_grammar(everything, name=name, composed=composed)


def is_grammar(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> bool:
    """Whether a file is a grammar rather than a treebank.

    What can be read only once, such as a pipe, is a treebank.
    """
    if not Path(path).is_file():
        return False
    return _form(os.fspath(path), _head(source.lines(path, encoding=encoding))) is not None


def _head(lines: Iterator[str]) -> list[str]:
    """The first line; where that is a comment or blank, those up to the first that is neither."""
    head: list[str] = []
    for line in lines:
        head.append(line)
        if len(head) == _HEAD or "format=" in head[0] or not handwritten.is_comment(line):
            break
    return head


def _form(name: str, head: Sequence[str]) -> Form | None:
    """What a file of this name is that begins so; None where it is no grammar."""
    first = head[0] if head else ""
    if first.lstrip().startswith("("):  # trees
        return None
    if "format=" in first:
        forms: dict[str, Form] = {SPLIT: "split", LCFRS: "plcfrs"}
        return forms.get(Header(first, name).get("format"), "text")
    if _EXPORTED.match(first):
        return "export"
    if discodop.is_half(name):
        return "disco-dop"
    return "by hand" if head and handwritten.is_rule(head[-1]) else None
