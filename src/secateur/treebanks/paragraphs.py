"""Which line ends of raw text end a sentence: the text may be wrapped, or have one thing a line.

A blank line always does. Within a paragraph:

- A line without a letter or digit (an emoji, a rule of dashes) stands alone, and a line that starts with a
  bullet, or with a dash or number as many lines around it do, starts a sentence.
- Other lines are taken for wrapped where the next word would hardly have fitted at their end. The width is
  that of the longest line around that has more than one word; in a paragraph of up to three lines, 60
  characters at least. If at least half of the line ends of a paragraph are not of this sort, or all of its
  lines are shorter than 28 characters, it is not wrapped at all.
- A line end that is not wrapped ends a sentence if a stop is there that is of no abbreviation, or if the next
  line starts in upper case (but not with "I"), with an emoji, #, @ or a web address, unless the line ends
  with a comma or the like or with a word such as "the".

Where a line end ends no sentence itself, it is white space as any other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

from secateur.treebanks import abbreviations
from secateur.treebanks.abbreviations import words_of

_USUAL_WIDTH = 60  # a few lines are not taken for wrapped at less than this
_NARROWEST = 28  # nor at less than this, however many they are
_FEW = 3
_LINES, _SIZE = 100, 50_000  # lines, and characters, that are looked at together: memory stays bounded
_BULLET = re.compile(r"[•‣▪▫●○■□◦⁃∙➤►▶✓✔✗☐☑]")
_LABEL = re.compile(r"(?:[-–—*+·→]|\d{1,3}[.)]|[A-Za-z]\)|\((?:\d{1,3}|[A-Za-z])\))\s+\S")
_RULE = re.compile(r"[-–—=_*~#+·\s]{3,}")
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*$")
_START = re.compile(r"[\"'“‘„«`(\[¿¡]*(?:https?://|www\.|[#@]\w|([^\W\d_]))")
_GOES_ON = re.compile(r"[,;\-–—/&(\[{“„«]$")
_LAST_WORD = re.compile(r"([^\s.]+(?:\.[^\s.]+)*)\.?$")
# Words that hardly end a line where a new one was meant to start.
_LINKS = words_of(
    """
    a an the of to in on at by for from with without and or but nor as than that which who whose is are was
    were be been has have had will would can could may might must shall should his her its their our my your
    this these those into over under between about after before if when while because per vs
    der die das den dem des ein eine einen und oder von zu mit für auf im am bei nach aus
    och att av en ett i på som för med till är eller om de van het een op voor met uit
    le la les du et ou à un une dans par pour sur el los las y o con por para il lo gli di che da dos das do e
    """
)


def marked(lines: Iterable[str]) -> Iterator[tuple[bool, str]]:
    """The lines without their ends, and whether a sentence must start with each; blank ones say so, too."""
    paragraph: list[str] = []
    given = 0  # of these are known already: the last line of what came before
    size = 0
    for line in map(str.rstrip, lines):
        if line:
            paragraph.append(line)
            size += len(line)
            if len(paragraph) < _LINES and size < _SIZE:
                continue
        yield from _judged(paragraph, given)
        if line:
            paragraph, given, size = [line], 1, len(line)
        else:
            yield True, ""
            paragraph, given, size = [], 0, 0
    yield from _judged(paragraph, given)


def _judged(paragraph: list[str], given: int) -> Iterator[tuple[bool, str]]:
    if not paragraph:
        return
    if not given:
        yield True, paragraph[0]
    pairs = list(pairwise(paragraph))
    width = _width(paragraph)
    meant = [len(line) + 1 + len(following.split(None, 1)[0]) <= width for line, following in pairs]
    unwrapped = 2 * sum(meant) >= len(meant) or max(map(len, paragraph)) < _NARROWEST
    labels = sum(_LABEL.match(line.lstrip()) is not None for line in paragraph)
    is_list = labels > 1 and 8 * labels >= len(paragraph)
    for (line, following), is_meant in zip(pairs, meant, strict=True):
        start = following.lstrip()
        is_item = _BULLET.match(start) is not None or (is_list and _LABEL.match(start) is not None)
        is_apart = is_item or _stands_alone(line) or _stands_alone(following)
        yield is_apart or ((is_meant or unwrapped) and _divides(line, start)), following


def _width(paragraph: list[str]) -> int:
    """Up to where a line is surely shorter than wrapping made it; people wrap a little unevenly."""
    width = max((len(line) for line in paragraph if len(line.split(None, 1)) > 1), default=0)
    return max(width, _USUAL_WIDTH) if len(paragraph) <= _FEW else width - width // 8


def _stands_alone(line: str) -> bool:
    """Of signs only: an emoji, or a rule across the page."""
    if any(map(str.isalnum, line)):
        return False
    return any(map(_is_sign, line)) or _RULE.fullmatch(line.strip()) is not None


def _divides(line: str, following: str) -> bool:
    """Whether a line end that was meant is the end of a sentence, too."""
    if _GOES_ON.search(line):
        return False
    last = _LAST_WORD.search(line)
    if last and last[1] in _LINKS:
        return False
    if _END.search(line):  # of an abbreviation the splitter of sentences knows more
        return last is None or not (line.endswith(".") and abbreviations.is_abbreviation(last[1]))
    if _is_sign(following[0]):
        return True
    start = _START.match(following)
    if start is None or re.match(r"I\b", following):
        return False
    return start[1] is None or start[1].isupper()


def _is_sign(character: str) -> bool:
    """An emoji, or a sign like one."""
    return unicodedata.category(character) == "So"
