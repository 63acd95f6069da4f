"""What the commands read: treebanks, grammars, sentences."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from secateur.cli.options import TOKENS
from secateur.errors import InputError
from secateur.grammar.pcfg import PCFG
from secateur.treebanks import formats
from secateur.treebanks.bank import Treebank
from secateur.treebanks.dependency_bank import DependencyBank
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.formats import source
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.text import Sentence, read_sentences, tokenize

if TYPE_CHECKING:
    from secateur.grammar.latent.grammar import SplitPCFG

# Lines read to see what a text is.
_HEAD = 50
# How trees start: two opening brackets, or a tag and a word; but not "( a word )", which may be tokens.
_TREE = re.compile(r"\s*\((?:\s*[^\s()]*\s*\(|[^\s()]+\s+[^\s()]+\s*\))")
_EXPORT = re.compile(r"\S+_[0-9]+\s+->\s")  # how the rules of a Berkeley export start
# The first word of a sentence in CoNLL whose tabs were lost; tokens hardly look so.
_SPACED = re.compile(r"1(?: +\S+){5} +(?:[0-9]+|_) +\S+(?: +\S+ +\S+)?\s*")
# What is not in the sentence goes; labels do not matter here.
_CONLL = formats.DEPENDENCY_FORMATS
_WORDS = Normalization(functions=False, advp=False, unaries=False, root=None)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Errors that do not know their place are about this file."""
    try:
        yield
    except InputError as error:
        if error.where:
            raise
        raise InputError(error.what, where=where, fix=error.fix) from None


def normalization(keep: list[str] | None) -> Normalization:
    """All steps but those to leave out."""
    left_out: dict[str, Any] = {step: None if step == "root" else False for step in keep or ()}
    return Normalization(**left_out)


def read_treebank(
    paths: Sequence[str], *, format: str | None, encoding: str, steps: Normalization
) -> Treebank:
    """The trees of several files as one treebank, normalized."""
    return read_trees([formats.opened(path, format=format, encoding=encoding) for path in paths], steps)


def read_trees(files: Sequence[formats.Opened], steps: Normalization) -> Treebank:
    """The same of files that have been opened."""
    trees = (tree for file in files for tree in file.trees())
    name = " ".join(file.name for file in files)
    return Treebank((made for made in map(steps, trees) if made is not None), name=name)


def read_dependencies(files: Sequence[formats.Opened], *, several_roots: bool = False) -> DependencyBank:
    """The sentences of several files as one bank."""
    trees = (tree for file in files for tree in file.dependencies(several_roots=several_roots))
    return DependencyBank(trees, name=" ".join(file.name for file in files))


def read_grammar(path: str) -> PCFG | SplitPCFG:
    from secateur.grammar.text import read_any

    with located(path):
        return read_any(path)


def read_parser(path: str, dial: dict[str, Any], limits: Any, binarized: bool) -> tuple[Any, str, str]:
    """A parser from a grammar or a model, the name of its operating point, and a remark on the choice."""
    from secateur.kinds.pcfg.model import load_model
    from secateur.kinds.pcfg.parser import Parser, model_parser

    if not os.path.isdir(path):
        if dial:
            raise InputError(
                "a grammar has no dial", where=path, fix="name a model, or leave the setting out"
            )
        return Parser(read_grammar(path), limits=limits, binarized=binarized), "", ""
    model = load_model(path)
    choice = model.choose(**dial)
    parser = model_parser(model, choice.point.name, limits=limits, binarized=binarized)
    return parser, choice.point.name, choice.remark


def is_dependency_model(path: str | os.PathLike[str]) -> bool:
    """Whether a directory is a model that makes dependencies; False for anything that is no directory."""
    if not os.path.isdir(path):
        return False
    from secateur.models.files import ARC_LOCKING, read_about

    return bool(read_about(path).get("kind") == ARC_LOCKING)


def is_grammar(path: str, *, encoding: str) -> bool:
    """Whether a file is a grammar rather than a treebank: its first line tells."""
    if path == "-":
        return False
    first = next(source.lines(path, encoding=encoding), "")
    return ("format=" in first or _EXPORT.match(first) is not None) and not first.lstrip().startswith("(")


def sentences(given: str, *, raw: bool, format: str | None, encoding: str) -> Iterator[Sentence]:
    """From a sentence on the command line, a file of tokens, raw text, or a treebank.

    A line of tokens, or a tree, in which there are no words gives an empty sentence.
    """
    if given != "-" and not os.path.exists(given):
        yield from _quoted(given, raw=raw)
        return
    lines = source.lines(given, encoding=encoding)
    if raw:
        yield from read_sentences(lines, raw=True)
        return
    head = _head(lines)
    yield from _read_sentences(chain(head, lines), given, "".join(head), format)


def _read_sentences(
    everything: Iterator[str], given: str, head: str, format: str | None
) -> Iterator[Sentence]:
    if format == TOKENS or (format is None and not _TREE.match(head)):
        yield from (Sentence.of(line.split()) for line in everything)
        return
    name = format or formats.sniff([head])
    if name in _CONLL:
        for sentence in _conll(name, everything, given):
            yield Sentence.of(sentence.words)
        return
    form = formats.FORMATS[name]
    for tree in form.read(everything, name=source.name_of(given)):
        kept = _WORDS(tree)
        yield Sentence.of(kept.words() if kept else ())


class Unparsed(NamedTuple):
    """Sentences for a dependency parser, and the format they came in."""

    format: str  # empty for text
    sentences: Iterator[DependencyTree | Sentence]  # those without words left out


def dependency_sentences(given: str, *, raw: bool, format: str | None, encoding: str) -> Unparsed:
    """For a dependency parser: from CoNLL with all that stands in it, or whatever `sentences` reads."""
    if raw or (given != "-" and not os.path.exists(given)):
        return _plain(sentences(given, raw=raw, format=format, encoding=encoding))
    lines = source.lines(given, encoding=encoding)
    head = _head(lines)
    if format is None and head and ("\t" in head[-1] or head[-1][0] == "#" or _SPACED.fullmatch(head[-1])):
        head += islice(lines, _HEAD)
        format = next((name for name, form in _CONLL.items() if form.looks_like("".join(head))), TOKENS)
    everything = chain(head, lines)
    if format in _CONLL:
        return Unparsed(format, _conll(format, everything, given))
    return _plain(_read_sentences(everything, given, "".join(head), format))


def _plain(found: Iterator[Sentence]) -> Unparsed:
    return Unparsed("", (sentence for sentence in found if sentence.tokens))


def _conll(name: str, lines: Iterator[str], given: str) -> Iterator[DependencyTree]:
    """With heads or without: they are not looked at."""
    return _CONLL[name].read(lines, name=source.name_of(given), heads="optional", several_roots=True)


def _quoted(given: str, *, raw: bool) -> Iterator[Sentence]:
    """A sentence of at least two words: a single one is more likely a file's name."""
    if len(given.split()) < 2:
        fix = "check the path, or pipe a sentence of one word in"
        raise InputError("no such file", where=given.strip() or repr(given), fix=fix)
    if raw:
        yield from read_sentences([given], raw=True)
    else:
        yield Sentence.of(tokenize(given))


def _head(lines: Iterator[str]) -> list[str]:
    """As many lines as it takes to tell what they are; one, for someone who types them."""
    head: list[str] = []
    for line in lines:
        head.append(line)
        if len(head) == _HEAD or (line.strip() and not line.lstrip().startswith("(")):
            break
    return head
