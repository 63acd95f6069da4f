"""XML in a stream: one sentence at a time is held, and a fault in one does not spoil the others.

Nothing is declared and nothing is fetched: entities of a document's own are refused, and so no text can grow
beyond what stands in the file. What it says of its encoding does not matter: lines are text already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol
from xml.parsers import expat

from secateur.errors import InputError
from secateur.treebanks.formats.graph import MOST_NODES, Fault, Place, nothing_in
from secateur.treebanks.formats.source import Folder
from secateur.treebanks.tree import MAX_DEPTH, Tree

LONGEST_TAG = 1 << 18  # characters, with all its attributes: memory stays bounded
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)[^\s;<>\"']{0,20};?")
_FIX_XML = "close each tag, and write &amp; for & and &lt; for <"

# What XML 1.0 cannot hold, whether quoted or not.
_UNWRITABLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_QUOTED = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)

Attributes = dict[str, str]
_NO_ATTRIBUTES: Attributes = {}


class Sentence(Protocol):
    """The elements of one sentence as they come."""

    def start(self, name: str, attributes: Attributes, place: Place) -> None:
        """An element below that of the sentence begins."""

    def end(self, name: str) -> None:
        """It ends."""

    def tree(self) -> Tree:
        """All of it as a tree."""


Begin = Callable[[Attributes, Place], Sentence]


def trees(lines: Iterable[str], name: str, tag: str, begin: Begin) -> Iterator[Tree | InputError]:
    """The trees of a stream of lines, and its faults; those of one file after the other for a folder."""
    if isinstance(lines, Folder):
        for path, opened in lines.files():
            is_empty = True
            for found in _Stream(path, tag, begin).read(opened):
                is_empty = False
                yield found
            if is_empty:
                yield nothing_in(path)
    else:
        yield from _Stream(name, tag, begin).read(lines)


def attribute(attributes: Attributes, key: str, place: Place, name: str) -> str:
    """One that an element of that name must have."""
    value = attributes.get(key, "")
    if not value.strip():
        raise Fault(place, f"a <{name}> without {key}", f'add {key}="..."')
    return value


def tag(name: str, attributes: Attributes = _NO_ATTRIBUTES, *, closed: bool = False) -> str:
    """The tag that opens an element, or the whole of one that is closed at once."""
    pieces = [f'{key}="{quoted(value)}"' for key, value in attributes.items()]
    return f"<{' '.join((name, *pieces))}{'/' * closed}>"


def quoted(text: str) -> str:
    """As it may stand in an attribute or between tags."""
    if wrong := _UNWRITABLE.search(text):
        raise InputError(f"XML has no way to write {wrong[0]!r}", fix="leave it out")
    return text.translate(_QUOTED)


def filled(value: str, what: str) -> str:
    """A value that must not be blank."""
    if not value.strip():
        raise InputError(f"the {what} {value!r} cannot be written", fix="write _ for what is empty")
    return value


class _Stream:
    """A file, read in pieces none of which has the start of two sentences."""

    def __init__(self, name: str, tag: str, begin: Begin) -> None:
        self._name, self._tag, self._begin = name, tag, begin
        self._cuts = re.compile(rf"(?=<\?xml\s|<{tag}[\s/>])")
        self._sentence_starts = re.compile(rf"<{tag}[\s/>]")
        self._found: list[Tree | InputError] = []
        self._around: list[str] = []  # open elements around sentences
        self._is_lost = False  # behind broken XML, until a sentence starts
        self._is_over = False  # the document has ended; another may follow
        self._restart((1, 1))

    def _restart(self, place: Place) -> None:
        """Parse anew from a place, inside of what is open there."""
        self._depth = 0  # of open elements within the sentence, itself counted
        self._sentence: Sentence | None = None
        self._fault: Fault | None = None  # the first of the sentence
        self._size = 0  # elements of the sentence
        self._began = place
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.EntityDeclHandler = self._declares
        parser.StartDoctypeDeclHandler = self._declared
        self._has_doctype = False
        before = "".join(f"<{tag}>" for tag in self._around)
        self._around = []
        self._origin = (place[0], place[1] - len(before))
        self._fed = 0  # bytes
        self._feed(before)

    def read(self, lines: Iterable[str]) -> Iterator[Tree | InputError]:
        is_empty = True
        for number, line in enumerate(lines, 1):
            column = 1
            for piece in self._cuts.split(line if line.endswith("\n") else line + "\n"):
                is_empty = is_empty and piece.isspace()
                self._take(piece, (number, column))
                column += len(piece)
                yield from self._found
                self._found.clear()
        if not is_empty and not self._is_lost:
            self._try(lambda: self._parser.Parse(b"", True))
            yield from self._found

    def _take(self, piece: str, place: Place) -> None:
        starts = self._sentence_starts.match(piece) is not None
        if starts and self._depth and not self._is_lost:
            self._lose(Fault(self._began, "a sentence that never ends", f"add </{self._tag}>"))
        if self._is_lost and not starts:
            return
        if self._is_lost or (self._is_over and (starts or piece.startswith("<?xml"))):
            self._is_lost = self._is_over = False
            self._restart(place)
        unknown = _ENTITY.search(piece) if self._has_doctype else None
        if unknown is not None:  # with a document type, the parser would let it pass
            what = f"an unknown entity: {unknown[0]}"
            self._lose(Fault((place[0], place[1] + unknown.start()), what, _FIX_XML))
        else:
            self._try(lambda: self._feed(piece))

    def _try(self, step: Callable[[], object]) -> None:
        try:
            step()
        except expat.ExpatError as error:
            line, column = self._at(error.lineno, error.offset)
            what = f"broken XML: {expat.ErrorString(error.code)}"
            self._lose(Fault((line, column), what, _FIX_XML))
        except Fault as fault:
            self._lose(fault)

    def _lose(self, fault: Fault) -> None:
        self._found.append((self._fault or fault).error(self._name))
        self._is_lost = True

    def _feed(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        for start in range(0, len(data), LONGEST_TAG):
            part = data[start : start + LONGEST_TAG]
            self._parser.Parse(part)
            self._fed += len(part)
            if self._fed - max(self._parser.CurrentByteIndex, 0) > LONGEST_TAG:
                what = f"a tag or comment of more than {LONGEST_TAG:,} characters"
                raise Fault(self._here(), what, "check that this is a treebank")

    def _at(self, line: int, column: int) -> Place:
        """A place in the file from the parser's, whose columns count from 0."""
        first, before = self._origin
        return first + line - 1, column + (before if line == 1 else 1)

    def _here(self) -> Place:
        return self._at(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber)

    # What the parser calls ----------------------------------------------------------------------------------

    def _declares(self, name: str, *_: object) -> None:
        raise Fault(self._here(), f"an entity is declared: {name}", "delete the declaration")

    def _declared(self, *_: object) -> None:
        self._has_doctype = True

    def _start(self, tag: str, attributes: Attributes) -> None:
        if not self._depth and tag != self._tag:
            if len(self._around) == MAX_DEPTH:
                raise Fault(self._here(), f"{MAX_DEPTH} elements inside each other", _FIX_XML)
            self._around.append(tag)
            return
        self._depth += 1
        if self._depth > 2 * MAX_DEPTH:  # the parser itself would run out of memory at some time
            raise Fault(self._here(), f"{2 * MAX_DEPTH} elements inside each other", _FIX_XML)
        if self._fault is not None:
            return
        try:
            if self._sentence is None:
                self._size, self._began = 0, self._here()
                self._sentence = self._begin(attributes, self._began)
                return
            self._size += 1
            if self._size > MOST_NODES:
                raise Fault(self._here(), f"a sentence of more than {MOST_NODES:,} elements", _FIX_XML)
            self._sentence.start(tag, attributes, self._here())
        except Fault as fault:
            self._fault = fault

    def _end(self, tag: str) -> None:
        if not self._depth:
            self._around.pop()
            self._is_over = not self._around
            return
        self._depth -= 1
        if self._depth and self._fault is None and self._sentence is not None:
            self._sentence.end(tag)
        if not self._depth:
            self._is_over = not self._around
            self._finish()

    def _finish(self) -> None:
        sentence, fault = self._sentence, self._fault
        self._sentence = self._fault = None
        try:
            if fault is not None:
                raise fault
            assert sentence is not None
            self._found.append(sentence.tree())
        except Fault as found:
            self._found.append(found.error(self._name))
