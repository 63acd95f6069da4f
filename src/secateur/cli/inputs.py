"""What the commands read: treebanks, grammars, sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import chain, islice
from pathlib import Path
from typing import Any

from secateur import formats
from secateur.errors import InputError
from secateur.formats import source
from secateur.normalization import Normalization
from secateur.text import Sentence, read_sentences, tokenize
from secateur.treebank import Treebank


def normalization(keep: list[str] | None) -> Normalization:
    """All steps but those to keep away from."""
    steps = {field.name for field in fields(Normalization)}
    for step in keep or ():
        if step not in steps:
            raise InputError(
                f"unknown normalization step {step!r}", fix="choose from " + ", ".join(sorted(steps))
            )
    left_out: dict[str, Any] = {step: None if step == "root" else False for step in keep or ()}
    return Normalization(**left_out)


def read_treebank(path: str, *, format: str | None, encoding: str, keep: list[str] | None) -> Treebank:
    return Treebank.read(path, format=format, encoding=encoding, normalization=normalization(keep))


def is_grammar(path: str) -> bool:
    """Whether a file is a grammar rather than a treebank: its first line tells."""
    first = next(source.lines(path), "")
    return "format=" in first and not first.lstrip().startswith("(")


def sentences(given: str, *, raw: bool, format: str | None, encoding: str) -> Iterator[Sentence]:
    """From a sentence on the command line, a file of tokens, raw text, or a treebank."""
    if any(c.isspace() for c in given.strip()) and not Path(given).exists():
        yield Sentence.of(tokenize(given))
        return
    lines = source.lines(given, encoding=encoding)
    head = list(islice(lines, 50))
    everything = chain(head, lines)
    first = next((line.lstrip() for line in head if line.strip()), "")
    if raw or (format is None and not first.startswith("(")):
        yield from read_sentences(everything, raw=raw)
        return
    form = formats.FORMATS[format or formats.sniff(head)]
    words = Normalization(functions=False, advp=False, unaries=False, root=None)
    for tree in form.read(everything, name=source.name_of(given)):
        kept = words(tree)
        if kept is not None:
            yield Sentence.of(kept.words())
