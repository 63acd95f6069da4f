"""CoNLL-X and CoNLL-U: a word a line, its columns separated by tabs, a blank line after each sentence.

Both have the columns number, form, lemma, coarse tag, fine tag, features, head, label and two more. CoNLL-U
also has comments (`# ...`), lines for several words at once (`1-2`) and for words that are not in the text
(`8.1`). What the reader does not understand the writer keeps: text that was read and not changed is written
as it was, to the byte. Only what else a sentence says of heads goes where its heads or labels are new, for it
no longer fits: enhanced dependencies and their words that are not in the text, or CoNLL-X's second heads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Literal

from secateur.errors import InputError
from secateur.treebanks.dependency_tree import DependencyTree, coarse_of, find_fault
from secateur.treebanks.formats.brackets import OnError
from secateur.treebanks.formats.conll_blocks import Block, blocks
from secateur.treebanks.sentence import Source

Heads = Literal["required", "optional"]

# fmt: off
UNIVERSAL = frozenset({
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
})
# fmt: on
_NOTHING = "_"
_UNIVERSAL_COLUMN = UNIVERSAL | {_NOTHING}
_FORM, _LEMMA, _COARSE, _FINE, _FEATURES, _HEAD, _LABEL, _NINTH = range(1, 9)

_SEVERAL = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")  # the number of a line for several words
_UNSEEN = re.compile(r"(0|[1-9][0-9]*)\.([1-9][0-9]*)")  # the number of a word that is not in the text
_UNSEEN_LINE = re.compile(r"^[0-9]+\.[0-9]+\t", re.MULTILINE)
_FIRST = re.compile(r"(?:1|1-[0-9]+|0\.1)(\t|(?= +\S+(?: +\S+){6}))")  # how the lines of a sentence start
_USUAL_LENGTH = 256
_REMEMBERED = 1 << 15  # words and their tags as they are written


@dataclass(frozen=True, slots=True, eq=False)
class Conll:
    """One of the two formats."""

    name: str
    title: str
    widths: frozenset[int]  # how many columns lines may have
    universal: bool  # CoNLL-U

    def read(
        self,
        lines: Iterable[str],
        *,
        name: str = "",
        on_error: OnError | None = None,
        heads: Heads = "required",
        several_roots: bool = False,
        fine: bool = True,
    ) -> Iterator[DependencyTree]:
        """The sentences in a stream of lines, one at a time.

        Without `on_error` the first fault is raised. With it the first fault of each sentence is reported and
        the sentence left out. With heads="optional" a sentence may have `_` for all heads. With fine=False
        the coarse tags are taken for the fine ones.
        """
        is_empty = True
        for block in blocks(lines, name):
            is_empty = False
            try:
                tree = self._tree(block, heads, several_roots, fine)
            except InputError as error:
                if on_error is None:
                    raise
                on_error(error)
            else:
                yield tree
        if is_empty:
            nothing = InputError("no sentences", where=name, fix="check that this is the file you meant")
            if on_error is None:
                raise nothing
            on_error(nothing)

    def write(self, tree: DependencyTree) -> str:
        """The lines of a sentence and the blank line after it, as in the text it came from if it was read."""
        if tree.source is None or tree.source.format != self.name:
            return self._new(tree)
        for form in tree.words:
            _check_form(form)
        return self._rewritten(tree, tree.source)

    def texts(self, trees: Iterable[DependencyTree]) -> Iterator[str]:
        """What to write for each sentence, so that one never runs into the next."""
        last = ""
        for tree in trees:
            yield gap_after(last)
            last = self.write(tree)
            yield last

    def looks_like(self, text: str) -> bool:
        """Whether a file that starts with `text` may be in this format."""
        lines = [line for line in text.split("\n") if line.strip()]
        words = [line for line in lines if not line.startswith("#")]
        if not words:
            return self.universal and bool(lines)
        if not _FIRST.match(words[0]):
            return False
        rows = [line.split("\t") for line in words]
        is_universal = len(words) < len(lines) or (
            len(rows[0]) != 8 and all(row[_COARSE] in _UNIVERSAL_COLUMN for row in rows if len(row) > _COARSE)
        )
        return is_universal == self.universal

    # Reading ------------------------------------------------------------------------------------------------

    def _tree(self, block: Block, heads: Heads, several_roots: bool, fine: bool) -> DependencyTree:
        columns = self._columns(block)
        places: Sequence[int] = range(len(block.lines))
        ids, numbers = _numbers(len(places))
        if columns[0] != ids[: len(places)]:
            places = self._word_places(block, columns[0])
            columns = [list(map(column.__getitem__, places)) for column in columns]
        self._check_kind(block, places, columns)
        coarse, tags = self._tags(columns[_COARSE], columns[_FINE], fine)
        found, labels = self._heads(block, places, columns, numbers, heads)
        fault = find_fault(
            found, several_roots=several_roots, name=lambda word: f"line {block.line + places[word]}"
        )
        if fault is not None:
            raise block.error(places[fault.position], _HEAD, fault.what, fault.fix)
        source = Source(block.text, self.name, block.line, fine)
        return DependencyTree(tuple(map(intern, columns[_FORM])), tags, coarse, found, labels, source)

    def _columns(self, block: Block) -> list[list[str]]:
        """The columns, if the lines have all of them, and something in each."""
        lines = block.lines
        width = lines[0].count("\t") + 1 if lines else 0
        # One split for all lines: they are of one width if every newline is at the end of a last column.
        cells = "\t".join(lines).split("\t")
        last = cells[width - 1 :: width] if width in self.widths else []
        if not last or len(cells) != width * len(lines) or "".join(last).count("\n") != len(lines):
            raise self._bad_width(block)
        if "\n" in last or not all(cells):
            self._check_filled(block)
        if block.comments and not self.universal:
            raise self._foreign(block, -block.comments, "a comment")
        columns = [cells[column::width] for column in range(min(width, _NINTH + 1))]
        if width == _LABEL + 1:
            columns[_LABEL] = [label[:-1] for label in last]
        return columns

    def _check_filled(self, block: Block) -> None:
        """Whether there is something in each column; of missing numbers others have more to say."""
        rows = block.rows
        if any("" in row[_FORM:] for row in rows):
            place, row = next((place, row) for place, row in enumerate(rows) if "" in row)
            raise block.error(place, row.index(""), "an empty column", "write _ where there is nothing")

    def _bad_width(self, block: Block) -> InputError:
        rows = block.rows
        if not rows:
            return block.error(
                -1, 0, "comments without a sentence", "delete them, or the blank line after them"
            )
        usual = len(rows[0]) if len(rows[0]) in self.widths else max(self.widths)
        place = next(place for place, row in enumerate(rows) if len(row) != usual)
        row = rows[place]
        if row[0].startswith("#"):
            fix = "move it before the sentence, or put a blank line before it"
            return block.error(place, 0, "a comment within a sentence", fix)
        if len(" ".join(row).split()) >= min(self.widths) > len(row):
            return block.error(place, 0, "spaces between the columns", "separate them by single tabs")
        many = f"{len(row)} column{'s' * (len(row) > 1)}"
        if len(row) in _BY_WIDTH:
            return self._foreign(block, place, many)
        return block.error(place, 0, f"{many} instead of {usual}", "separate the columns by single tabs")

    def _foreign(self, block: Block, place: int, what: str, column: int = 0) -> InputError:
        other = CONLLX if self.universal else CONLLU
        fix = f"say --from {other.name} if all of it is {other.title}; one file cannot be both"
        return block.error(place, column, f"{what}, as {other.title} has it but not {self.title}", fix)

    def _word_places(self, block: Block, numbers: list[str]) -> list[int]:
        """Which lines are words, where others are between them or the numbers are wrong."""
        found: list[int] = []
        last, covering, unseen = 0, 0, 0  # last word of a line for several, that line, words not in the text
        for place, number in enumerate(numbers):
            following = len(found) + 1
            if number == str(following):
                found.append(place)
                unseen = 0
            elif (several := _SEVERAL.fullmatch(number)) and self.universal:
                first = int(several[1])
                if first != following or first <= last or int(several[2]) < first:
                    fix = f"number it {following}-..., before its first word and after the last of others"
                    raise block.error(place, 0, f"{number} does not cover the words that follow", fix)
                last, covering = int(several[2]), place
            elif _UNSEEN.fullmatch(number) and self.universal:
                unseen += 1
                if number != f"{len(found)}.{unseen}":
                    raise block.error(place, 0, f"{number} out of order", f"number it {len(found)}.{unseen}")
            elif several or _UNSEEN.fullmatch(number):
                raise self._foreign(block, place, f"the number {number}")
            else:
                raise _bad_number(block, place, following)
        if last > len(found):
            what = f"{numbers[covering]} covers words that are not there"
            raise block.error(covering, 0, what, f"the last word is {len(found)}")
        if not found:
            raise block.error(0, 0, "a sentence without words", "delete it")
        return found

    def _check_kind(self, block: Block, places: Sequence[int], columns: list[list[str]]) -> None:
        """The marks of the other format: a second head in the ninth column, or tags of its own."""
        if self.universal and not _UNIVERSAL_COLUMN.issuperset(columns[_COARSE]):
            word = next(m for m, tag in enumerate(columns[_COARSE]) if tag not in _UNIVERSAL_COLUMN)
            tag = columns[_COARSE][word]
            raise self._foreign(block, places[word], f"the coarse tag {tag}", _COARSE)
        ninth = columns[_NINTH] if len(columns) > _NINTH else ()
        if self.universal and not any(map(str.isdecimal, ninth)):
            return
        for word, value in enumerate(ninth):
            if value != _NOTHING and value.isdecimal() == self.universal:
                raise self._foreign(block, places[word], f'"{value}" in column 9', _NINTH)

    def _tags(
        self, coarse: Sequence[str], tags: Sequence[str], fine: bool
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Coarse and fine tags; one stands for the other where that is missing."""
        if not fine:
            tags = coarse
        elif _NOTHING in tags:
            tags = [c if t == _NOTHING else t for c, t in zip(coarse, tags, strict=True)]
        if _NOTHING in coarse:
            coarse = [coarse_of(t) if c == _NOTHING else c for c, t in zip(coarse, tags, strict=True)]
        if not self.universal:  # where Penn tags stand in both columns, it is the fine ones
            coarse = [coarse_of(c) if c == t else c for c, t in zip(coarse, tags, strict=True)]
        return tuple(map(intern, coarse)), tuple(map(intern, tags))

    def _heads(
        self,
        block: Block,
        places: Sequence[int],
        columns: list[list[str]],
        numbers: dict[str, int],
        heads: Heads,
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Heads and labels; none where there are none and that is allowed."""
        try:
            found = tuple(map(numbers.__getitem__, columns[_HEAD]))
        except KeyError:
            if heads == "optional" and set(columns[_HEAD]) == {_NOTHING}:
                return (), ()
            word, head = next((m, h) for m, h in enumerate(columns[_HEAD]) if h not in numbers)
            raise _bad_head(block, places[word], head, len(places)) from None
        return found, tuple(map(intern, columns[_LABEL]))

    # Writing ------------------------------------------------------------------------------------------------

    def _new(self, tree: DependencyTree) -> str:
        """Lines of our own; lemmas and features come from the text of the other format, if there is one."""
        count = len(tree.words)
        nothing = [_NOTHING] * count
        lemmas, features = (nothing, nothing) if tree.source is None else _kept(tree.source)
        # Four cells a word and a blank line: joined at once, without a text for each word in between.
        cells = ["\n"] * (4 * count + 1)
        cells[:-1:4] = _numbers(count)[0][:count]
        cells[1::4] = map(self._word, tree.words, lemmas, tree.coarse, tree.tags, features)
        cells[2::4] = map(str, tree.heads) if tree.heads else nothing
        cells[3::4] = map(_ending, tree.labels or nothing)
        return "".join(cells)

    @lru_cache(maxsize=_REMEMBERED)  # noqa: B019  as for _spelled
    def _word(self, form: str, lemma: str, coarse: str, tag: str, features: str) -> str:
        """The columns of a word from its form to its features, tabs around them: many come again."""
        _check_form(form)
        coarse, tag = self._spelled(_NOTHING, _NOTHING, coarse, tag, True)
        return "\t".join(("", form, lemma, coarse, tag, features, ""))

    def _rewritten(self, tree: DependencyTree, source: Source) -> str:
        """The text of a sentence with all that is new in it."""
        lines = source.text.split("\n")
        found = [
            (place, row) for place, row in enumerate(line.split("\t") for line in lines) if row[0].isdecimal()
        ]
        rows = [row for _, row in found]
        heads, labels = _spelled_heads(tree)
        has_heads = [row[_HEAD] for row in rows] == heads and [row[_LABEL] for row in rows] == labels
        columns = [row[_COARSE] for row in rows], [row[_FINE] for row in rows]
        has_tags = self._tags(*columns, source.fine) == (tree.coarse, tree.tags)
        if has_heads and has_tags:
            return source.text
        others = range(_NINTH, _NINTH + 1 if self.universal else len(rows[0]))
        for word, (place, row) in enumerate(found):
            if not has_heads:
                row[_HEAD], row[_LABEL] = heads[word], labels[word]
                for column in others:
                    row[column] = _NOTHING
            if not has_tags:
                self._tag(row, tree, word, fine=source.fine)
            lines[place] = "\t".join(row)
        if not has_heads and _UNSEEN_LINE.search(source.text):  # words of enhanced dependencies only
            lines = [line for line in lines if not _UNSEEN_LINE.match(line)]
        return "\n".join(lines)

    def _tag(self, row: list[str], tree: DependencyTree, word: int, *, fine: bool) -> None:
        """Put the tags of a word into its line."""
        row[_COARSE], row[_FINE] = self._spelled(
            row[_COARSE], row[_FINE], tree.coarse[word], tree.tags[word], fine
        )

    @lru_cache(maxsize=_REMEMBERED)  # noqa: B019  the formats are two, and live as long as the program
    def _spelled(self, old_coarse: str, old_tag: str, coarse: str, tag: str, fine: bool) -> tuple[str, str]:
        """The two columns of a word's tags: the old ones where they say so, else as like them as can be."""
        if self._says(old_coarse, old_tag, coarse, tag, fine):
            return old_coarse, old_tag
        ways = [(coarse, old_tag)] if not fine or old_tag == _NOTHING else []
        ways += [(tag, tag)] if old_coarse == old_tag else []
        ways += [(coarse, tag), (_NOTHING, tag)]
        known = (way for way in ways if not self.universal or way[0] in _UNIVERSAL_COLUMN)
        # A coarse tag that is not universal has no place in CoNLL-U.
        return next((way for way in known if self._says(*way, coarse, tag, fine)), ways[-1])

    def _says(self, coarse_column: str, tag_column: str, coarse: str, tag: str, fine: bool) -> bool:
        """Whether the columns would be read as these tags."""
        return self._tags((coarse_column,), (tag_column,), fine) == ((coarse,), (tag,))


def _check_form(form: str) -> None:
    if not form or "\t" in form or "\n" in form:
        fix = "write _ for what is empty, and a space for a tab"
        raise InputError(f"the word {form!r} cannot be written", fix=fix)


def _kept(source: Source) -> tuple[list[str], list[str]]:
    """The columns of lemmas and features, which both formats have."""
    rows = [row for row in (line.split("\t") for line in source.text.split("\n")) if row[0].isdecimal()]
    return [row[_LEMMA] for row in rows], [row[_FEATURES] for row in rows]


def _spelled_heads(tree: DependencyTree) -> tuple[list[str], list[str]]:
    """The columns of heads and labels, _ where there are none."""
    nothing = [_NOTHING] * len(tree)
    return list(map(str, tree.heads)) or nothing, list(tree.labels) or nothing


@lru_cache
def _ending(label: str) -> str:
    """The columns of a word from its label on."""
    return f"\t{label}\t{_NOTHING}\t{_NOTHING}\n"


def gap_after(text: str) -> str:
    """What must follow the text of a sentence before the next: nothing, unless it was the last of a file."""
    if not text or text.endswith("\n\n"):
        return ""
    return "\n" if text.endswith("\n") else "\n\n"


CONLLX = Conll("conllx", "CoNLL-X", frozenset({8, 10}), universal=False)
CONLLU = Conll("conllu", "CoNLL-U", frozenset({10}), universal=True)
_BY_WIDTH = CONLLX.widths - CONLLU.widths


def _bad_number(block: Block, place: int, following: int) -> InputError:
    number = block.rows[place][0]
    if number == "1":
        what, fix = "the words are numbered from 1 again", "put a blank line before the next sentence"
    elif number.startswith("#"):
        what, fix = "a comment within a sentence", "put a blank line before it"
    else:
        what, fix = f'"{number}" instead of the word number {following}', "number the words 1, 2, 3, ..."
    return block.error(place, 0, what, fix)


def _bad_head(block: Block, place: int, head: str, count: int) -> InputError:
    if head == _NOTHING:
        what, fix = "a word without a head", "give it one; a sentence to be parsed has _ for all its words"
    elif re.fullmatch("-?[1-9][0-9]*", head):
        what = f"head {head} is out of range: the sentence has {count} word{'s' * (count > 1)}"
        fix = f"use a number from 0 (the root) to {count}"
    else:
        what, fix = f'the head "{head}" is not a number', f"use a number from 0 (the root) to {count}"
    return block.error(place, _HEAD, what, fix)


def _numbers(count: int) -> tuple[list[str], dict[str, int]]:
    """The numbers 1, 2, 3, ... as they are written, and the value of each and of 0, for so many words."""
    return _counted(max(_USUAL_LENGTH, 1 << count.bit_length()))


@lru_cache
def _counted(count: int) -> tuple[list[str], dict[str, int]]:
    ids = [intern(str(number)) for number in range(count + 1)]
    return ids[1:], {text: number for number, text in enumerate(ids)}
