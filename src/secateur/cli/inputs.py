"""What the commands read: treebanks, models, sentences."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from secateur.cli.options import TOKENS, Source
from secateur.errors import InputError
from secateur.grammar.files import is_grammar
from secateur.treebanks import formats
from secateur.treebanks.formats import Opened, source
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.reading import ANNOTATIONS
from secateur.treebanks.sentence import Sentence, read_sentences
from secateur.treebanks.text import looks_tokenized

if TYPE_CHECKING:
    from secateur.cli.spread import Given
    from secateur.models.model import Model
    from secateur.treebanks.annotation import Annotation

# Lines read to see what a text is.
_HEAD = 50
# How trees start: two opening brackets, or a tag and a word; but not "( a word )", which may be tokens.
_TREE = re.compile(r"\s*\((?:\s*[^\s()]*\s*\(|[^\s()]+\s+[^\s()]+\s*\))")
# The first word of a sentence in CoNLL whose tabs were lost; tokens hardly look so.
_SPACED = re.compile(r"1(?: +\S+){5} +(?:[0-9]+|_) +\S+(?: +\S+ +\S+)?\s*")
# What is not in the sentence goes; labels do not matter here.
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


def reading_of(annotation: Annotation[Any], given: Given) -> Any:
    """How to read, from the options that were given."""
    return annotation.reading(**given.of(annotation.name))


def read_model(path: str | Path) -> Model[Any, Any]:
    """A model from its directory, or a grammar from its file."""
    from secateur.models.loading import load_model

    with located(str(path)):
        return load_model(path)


def is_model(path: str, *, encoding: str) -> bool:
    """Whether this is something to parse with, rather than a treebank."""
    if Path(path).is_dir():
        return not source.is_folder(path)
    return is_grammar(path, encoding=encoding)


def grown(annotation: Annotation[Any], count: int, *, seed: int = 0, how: Any = None) -> list[Any]:
    """Trees of the embedded treebank, as training reads them."""
    made = annotation.grown(count, seed=seed)
    return list(annotation.normalized(made, how or annotation.reading()))


# Sentences --------------------------------------------------------------------------------------------------


class Unparsed(NamedTuple):
    """Sentences to parse, and the format they came in."""

    format: str  # empty for text
    sentences: Iterator[Sentence]  # one without words for a blank line, or for a tree without words


def sentences(
    given: str,
    written: Source,
    *,
    raw: bool = False,
    warn: Callable[[str], None] | None = None,
) -> Unparsed:
    """From a sentence on the command line, a file of tokens, raw text, or a treebank.

    Someone is warned of text that was taken for tokens, but looks as if it were none.
    """
    if given != "-" and not os.path.exists(given):
        return Unparsed("", _quoted(given, raw=raw))
    if source.is_folder(given):
        return _treebank(written.opened(given))
    lines, format = source.lines(given, encoding=written.encoding), written.format
    if raw:
        return Unparsed("", read_sentences(lines, raw=True))
    head, told = _head(lines), format is not None
    if format is None:
        conll = bool(head) and ("\t" in head[-1] or head[-1][0] == "#" or _SPACED.fullmatch(head[-1]))
        if conll or (head and head[-1].lstrip().startswith(("<", "%%"))):
            head += islice(lines, _HEAD)
        format = _recognised("".join(head), conll=bool(conll))
    everything: Iterator[str] = chain(head, lines)
    if format == TOKENS:
        if warn is not None and not told:
            everything = _watched(everything, source.name_of(given), warn)
        return Unparsed("", map(Sentence.from_line, everything))
    return _treebank(Opened(source.name_of(given), format, everything))


def _treebank(file: Opened) -> Unparsed:
    return Unparsed(file.format, _of_trees(file))


def _watched(lines: Iterator[str], name: str, warn: Callable[[str], None]) -> Iterator[str]:
    """The lines, the first of which are looked at as they pass: whoever types them need not wait."""
    passed: list[str] = []
    for line in lines:
        yield line
        passed.append(line)
        if len(passed) == _HEAD:
            break
    if not looks_tokenized(passed):
        warn(f"{name}: words have punctuation on them; with --raw they are split, and sentences found")
    yield from lines


def _recognised(head: str, *, conll: bool) -> str:
    names = (*formats.LISTS, *(formats.DEPENDENCY_FORMATS if conll else ()))
    found = next((name for name in names if formats.looks_like(head, name)), "")
    if found or not _TREE.match(head):
        return found or TOKENS
    return formats.sniff([head])


def _of_trees(file: Opened) -> Iterator[Sentence]:
    """Whatever stands in the trees but is not in the sentence goes; heads are not looked at."""
    annotation = ANNOTATIONS[file.annotation]
    for tree in annotation.trees(file, None, unparsed=True):
        if file.annotation == formats.DEPENDENCIES:
            yield annotation.sentence(tree)
        else:
            kept = _WORDS(tree)
            yield Sentence.of(kept.words() if kept else ())


def _quoted(given: str, *, raw: bool) -> Iterator[Sentence]:
    """A sentence of at least two words: a single one is more likely a file's name."""
    if len(given.split()) < 2:
        fix = "check the path, or pipe a sentence of one word in"
        raise InputError("no such file", where=given.strip() or repr(given), fix=fix)
    return read_sentences([given], raw=True) if raw else iter([Sentence.from_text(given)])


def _head(lines: Iterator[str]) -> list[str]:
    """As many lines as it takes to tell what they are; one, for someone who types them."""
    head: list[str] = []
    for line in lines:
        head.append(line)
        if len(head) == _HEAD or (line.strip() and not line.lstrip().startswith("(")):
            break
    return head


def one_sentence(text: str, encoding: str) -> Sentence:
    """The only sentence of what was given."""
    found = sentences(text, Source(None, encoding)).sentences
    name = source.name_of(text)
    given = list(islice((one for one in found if len(one)), 2))
    if len(given) != 1:
        what = "more than one sentence" if given else "no sentence"
        raise InputError(what, where=name, fix="give one in quotes")
    return given[0]


# Gold trees -------------------------------------------------------------------------------------------------


def read_gold(gold: str, sentence: Sentence, annotation: Annotation[Any], how: Any, encoding: str) -> Any:
    """The gold tree of a sentence: from a text of it, or the one of a file that has its words."""
    is_file = gold == "-" or Path(gold).exists()
    name = gold if is_file else "--gold"
    with located(name):
        file = formats.opened(gold, encoding=encoding) if is_file else _literal(gold)
        first = None
        for tree in annotation.trees(file, how):
            if _same(annotation.sentence(tree), sentence):
                return tree
            first = first or tree
        if first is None:
            raise InputError("no tree with words", fix="give the sentence's tree")
        what = (
            "none of its trees has the words of the sentence"
            if is_file
            else _difference(annotation.sentence(first), sentence)
        )
        raise InputError(what, fix="give the tree of this very sentence")


def _literal(gold: str) -> Opened:
    lines = [f"{line}\n" for line in gold.split("\n")]
    try:
        return Opened("--gold", formats.sniff(lines), iter(lines))
    except InputError:
        raise InputError("no such file, and no tree", where=gold, fix="check the path") from None


def _same(gold: Sentence, sentence: Sentence) -> bool:
    return gold.penn == sentence.penn or gold.tokens == sentence.tokens


def _difference(gold: Sentence, sentence: Sentence) -> str:
    for place, (one, other) in enumerate(zip(gold.penn, sentence.penn, strict=False), 1):
        if one != other:
            return f"word {place} is {one!r} in the tree but {other!r} in the sentence"
    return f"{len(gold)} words in the tree but {len(sentence)} in the sentence"
