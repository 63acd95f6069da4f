"""Penn brackets, `(S (NP (DT the) (NN cat)) (VP (VBD slept)))`, on one line each or over many lines.

A label is all that follows "(" up to white space, function tags included; it may be empty, as in the
Penn Treebank's outer bracket. A bracket that is itself a word is written -LRB- or -RRB-.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from sys import intern
from typing import NamedTuple, cast

from secateur.errors import InputError
from secateur.treebanks.formats.lines import write as write
from secateur.treebanks.tree import MAX_DEPTH, Leaf, Tree, new_leaf, new_tree

OnError = Callable[[InputError], None]
Faults = OnError | None  # whom to tell of faults; None: the first is raised
MakeLeaf = Callable[[tuple[int, str]], Leaf]  # from the number of words before it in the tree, and its text

# Labels of a bracket around a whole tree. One of them inside a tree of the same label, in the first column
# of a line, is another tree.
OUTER = frozenset({"", "ROOT", "TOP", "VROOT", "S1"})

# White space is ASCII only: a no-break space may be part of a word. A token is an opening bracket, with its
# word and closing bracket if it is a tag, or else a stray word or bracket; and the closing brackets after it.
_TOKEN = re.compile(
    r"""(?: \( [ \t\n\r\f\v]*+ ([^ \t\n\r\f\v()]*+) [ \t\n\r\f\v]*+    # ( label
            (?: ([^ \t\n\r\f\v()]++) [ \t\n\r\f\v]*+ \) )?+            # word )
          | ([^ \t\n\r\f\v()]++ | \) )                                 # stray
        ) ([ \t\n\r\f\v)]*+)                                           # closing brackets
    """,
    re.VERBOSE,
)

_CHUNK_LINES = 1000  # bounds the memory for a text whose lines never start with "("
_LOOKAHEAD = 200  # chunks that seem to start a tree, tried as parts of the open one before it is given up
_LEAST_LOOKAHEAD = 8  # the same in a file where that was in vain


def read_tree(text: str, *, empty: bool = False) -> Tree:
    """The one tree in `text`; `empty` allows nodes without children, as in "(TOP )"."""
    return the_one(read(io.StringIO(text), empty=empty))


def read(
    lines: Iterable[str], *, name: str = "", on_error: OnError | None = None, empty: bool = False
) -> Iterator[Tree]:
    """The trees in a stream of lines, one at a time.

    Without `on_error` the first fault is raised. With it faults are reported, and reading goes on at the
    next line that starts with "(" in the first column; trees that a fault may have spoilt are left out.
    """
    return Reader(name=name, empty=empty).read(lines, on_error)


def looks_like(text: str) -> bool:
    """Whether a file that starts with `text` may be in this format."""
    return text.lstrip().startswith("(")


def the_one(trees: Iterator[Tree]) -> Tree:
    """The only tree of a stream that must hold just one."""
    tree, *others = islice(trees, 2)
    if others:
        raise InputError("more than one tree where one was expected", fix="read them with read()")
    return tree


class _Chunk(NamedTuple):
    """Some lines of the text, cut where a tree seems to start."""

    line: int  # number of the first
    text: str

    @property
    def is_fresh(self) -> bool:
        """Starts in the first column, as a new tree does."""
        return self.text.startswith("(")

    def offset(self, token: int, closing: int = 0) -> int:
        """Where a token starts, or its closing bracket of that number (from 1)."""
        match = next(islice(_TOKEN.finditer(self.text), token, None))
        if not closing:
            return match.start()
        brackets = re.compile(r"\)").finditer(self.text, match.start() if match[3] == ")" else match.start(4))
        return next(islice(brackets, closing - 1, None)).start()

    def line_at(self, offset: int) -> int:
        return self.line + self.text.count("\n", 0, offset)

    def place(self, offset: int) -> str:
        """Line and column."""
        return f"{self.line_at(offset)}:{offset - self.text.rfind(chr(10), 0, offset)}"


class _Fault(Exception):
    """What is wrong at a token, or at one of the closing brackets after it."""

    def __init__(self, token: int, what: str, fix: str, *, closing: int = 0) -> None:
        self.token = token
        self.what = what
        self.fix = fix
        self.closing = closing


class Reader:
    """Turns a stream of lines into trees; `leaf` and `finish` make another format of it."""

    def __init__(
        self,
        *,
        name: str = "",
        empty: bool = False,
        leaf: MakeLeaf = new_leaf,
        finish: Callable[[Tree], Tree] | None = None,
    ) -> None:
        self.name = name
        self.empty = empty
        self.leaf = leaf
        self.finish = finish
        self._reset()

    def read(self, lines: Iterable[str], on_error: OnError | None) -> Iterator[Tree]:
        """The trees, one at a time; see `read` of this module."""
        reported = 0

        def report(error: InputError) -> None:
            nonlocal reported
            reported += 1
            if on_error is None:
                raise error
            on_error(error)

        chunks = _chunks(lines)
        count = 0
        for tree in self._strict(chunks) if on_error is None else self._recovering(chunks, report):
            count += 1
            yield tree
        if not count and not reported:
            report(InputError("no trees", where=self.name, fix="check that this is the file you meant"))

    def _strict(self, chunks: Iterator[_Chunk]) -> Iterator[Tree]:
        for chunk in chunks:
            yield from self._feed(chunk)
        if self._stack:
            raise self._unclosed()

    def _recovering(self, chunks: Iterator[_Chunk], report: OnError) -> Iterator[Tree]:
        """Brackets that balance are believed; else the layout is: a line that starts with "(" is a tree."""
        again: deque[_Chunk] = deque()
        held: list[_Chunk] = []  # came while a tree was open, from the first that seemed to start another
        skipping, patience = False, _LOOKAHEAD
        while True:
            chunk = again.popleft() if again else next(chunks, None)
            if chunk is None and not self._stack:
                return
            if skipping and chunk is not None and not chunk.is_fresh:
                continue
            skipping = False
            if chunk is not None and (held or (self._stack and chunk.is_fresh)):
                held.append(chunk)
            try:
                if chunk is None or len(held) > patience:
                    raise self._unclosed()
                trees = self._feed(chunk)
            except InputError as error:
                report(self._unclosed() if held else error)
                self._reset()
                if held:  # the layout was right: next time it is believed sooner
                    patience = max(patience // 2, _LEAST_LOOKAHEAD)
                again.extendleft(reversed(held))
                skipping = not held
                held = []
            else:
                if held and trees:
                    patience = _LOOKAHEAD
                if trees or not self._stack:
                    held = []
                yield from trees

    def _reset(self) -> None:
        """Forget the tree that is open."""
        self._ended: list[Tree | Leaf] = []  # the trees that ended in this chunk
        self._stack: list[tuple[str, list[Tree | Leaf]]] = []  # what is around the innermost open node
        self._label = ""  # of the innermost open node
        self._children = self._ended  # of the innermost open node
        self._words = 0  # so far in the open tree
        self._is_bare = False  # the innermost open node holds a word
        self._start = 0  # line of the open tree
        self._end = ""  # place after the last token that is surely in the open tree
        self._seems_ended = False  # a later line seems to start another

    def _feed(self, chunk: _Chunk) -> list[Tree]:
        """The trees that end in this chunk; none of them is given if there is a fault in it."""
        if self._stack and chunk.is_fresh:
            self._seems_ended = True
            if self._starts_another(chunk):
                raise self._unclosed()
        try:
            started = self._consume(_TOKEN.findall(chunk.text))
        except _Fault as fault:
            place = chunk.place(chunk.offset(fault.token, fault.closing))
            raise InputError(fault.what, where=self._where(place), fix=fault.fix) from None
        if started >= 0:
            self._start = chunk.line_at(chunk.offset(started))
            self._seems_ended = False
        if self._stack and not self._seems_ended:
            self._end = chunk.place(len(chunk.text.rstrip()))
        trees = self._ended[:]
        self._ended.clear()
        return cast(list[Tree], trees)

    def _consume(self, tokens: list[tuple[str, str, str, str]]) -> int:
        """Go on with these tokens; the number of the one that starts a tree left open, or -1."""
        stack, label, children, words = self._stack, self._label, self._children, self._words
        is_bare, leaf, started, number = self._is_bare, self.leaf, -1, 0
        try:
            for number, (name, word, stray, closing) in enumerate(tokens):
                closes = closing.count(")")
                if stray:
                    if stray == ")":
                        closes += 1
                    elif stack and not label and not children:
                        label = intern(stray)
                    else:
                        _check_stray(number, stray, bool(stack), children)
                        children.append(leaf((words, intern(stray))))
                        words += 1
                        is_bare = True
                elif is_bare:
                    raise _untagged(max(number - 1, 0), cast(Leaf, children[0]).word)
                elif word:
                    children.append(new_tree(intern(name), (leaf((words, intern(word))),)))
                    words += 1
                else:
                    if not stack:
                        started = number
                    stack.append((label, children))
                    label, children = intern(name), []
                    if len(stack) >= MAX_DEPTH:
                        raise _Fault(number, f"{MAX_DEPTH} brackets inside each other", "check the brackets")
                for close in range(closes) if closes else ():  # making an empty range takes time
                    if not stack:
                        raise _unbalanced(number, close + 1)
                    if not children and not self.empty:
                        raise _wordless(number, label)
                    node = new_tree(label, tuple(children))
                    label, children = stack.pop()
                    children.append(node)
                    is_bare = False
                if not stack:
                    words = 0
                    if self.finish is not None:
                        children[-1] = self.finish(cast(Tree, children[-1]))
        except InputError as error:
            raise _Fault(number, error.what, error.fix) from None
        self._label, self._children, self._words, self._is_bare = label, children, words, is_bare
        return started if stack else -1

    def _starts_another(self, chunk: _Chunk) -> bool:
        """Whether the chunk starts with the same outer bracket as the open tree."""
        root = self._stack[1][0] if len(self._stack) > 1 else self._label
        opening = _TOKEN.match(chunk.text)
        return root in OUTER and opening is not None and opening[1] == root

    def _unclosed(self) -> InputError:
        return InputError(
            f'unclosed "(": the tree that starts on line {self._start} never ends',
            where=self._where(self._end),
            fix='add the missing ")"',
        )

    def _where(self, place: str) -> str:
        return f"{self.name}:{place}" if self.name else place


def _chunks(lines: Iterable[str]) -> Iterator[_Chunk]:
    number, block = 1, list[str]()
    for line in lines:
        if block and (line[:1] == "(" or len(block) == _CHUNK_LINES):
            chunk = _Chunk(number, "".join(block))
            yield chunk
            number += chunk.text.count("\n")
            block = []
        block.append(line if line[-1:] == "\n" else line + "\n")
    if block:
        yield _Chunk(number, "".join(block))


def _check_stray(token: int, word: str, is_inside: bool, children: list[Tree | Leaf]) -> None:
    if not is_inside:
        raise _Fault(token, f'text outside brackets: "{word}"', "delete it, or give --from another format")
    if children and isinstance(children[0], Leaf):
        raise _Fault(token, f'two words under one tag: "{word}"', "give each its own, as in (TAG word)")
    if children:
        raise _untagged(token, word)


def _untagged(token: int, word: str) -> _Fault:
    return _Fault(token, f'the word "{word}" stands beside a phrase', f"give it a tag, as in (TAG {word})")


def _wordless(token: int, label: str) -> _Fault:
    fix = "delete the bracket; where a bracket is a word, write -LRB- or -RRB-"
    return _Fault(token, f'no word under "{label}"', fix)


def _unbalanced(token: int, closing: int) -> _Fault:
    fix = 'delete it, or add the missing "(" before it'
    return _Fault(token, 'unbalanced ")": no tree is open', fix, closing=closing)
