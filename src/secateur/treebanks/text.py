"""Text in: sentences from raw text or from tokens, and the Penn Treebank spelling a parser sees.

Surface tokens are substrings of the text; only `penn` is rewritten (brackets, quotes, dashes), so that the
original spelling can be put back on the leaves of a parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.treebanks import abbreviations, paragraphs

BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_SURFACE = {penn: bracket for bracket, penn in BRACKETS.items()}
_ESCAPES = str.maketrans(BRACKETS)
_ESCAPED = re.compile("|".join(_SURFACE))
_BRACKET = re.compile("[" + re.escape("".join(BRACKETS)) + "]")

# Longer paragraphs are cut between sentences while they are read: memory stays bounded.
LONGEST_PARAGRAPH = 50_000


def escaped(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens with their brackets spelt as in the Penn Treebank."""
    return tuple(map(escape, tokens)) if _BRACKET.search("".join(tokens)) else tokens


def escape(token: str) -> str:
    """Brackets spelt as in the Penn Treebank: "(" is "-LRB-"."""
    return token.translate(_ESCAPES)


def unescape(token: str) -> str:
    """The brackets themselves again."""
    return _ESCAPED.sub(lambda match: _SURFACE[match[0]], token)


# Penn spelling ----------------------------------------------------------------------------------------------

_SPELLING = str.maketrans(
    {
        "“": "``", "„": "``", "‟": "``", "«": "``", "”": "''", "»": "''",
        "‘": "`", "‛": "`", "‚": "`", "’": "'",
        "…": "...", "—": "--", "―": "--", "–": "-", "‐": "-", "‑": "-", "−": "-",
    }
    | BRACKETS
)  # fmt: skip
_PENN_ONLY = frozenset({*BRACKETS.values(), "``"})
_RESPELT = re.compile("[" + re.escape("".join(map(chr, _SPELLING))) + '"]')


def penn_spelling(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens in Penn spelling, which most have already."""
    return tuple(penn_tokens(tokens)) if _RESPELT.search(" ".join(tokens)) else tokens


def has_penn_spelling(words: Iterable[str]) -> bool:
    """Whether words of a treebank show that its text was respelt so."""
    return not _PENN_ONLY.isdisjoint(words)


def penn_tokens(tokens: Sequence[str]) -> list[str]:
    """The tokens in Penn spelling: brackets escaped, quotes `` and '', dashes -- and ellipses ..."""
    words = [n for n, token in enumerate(tokens) if any(map(str.isalnum, token))]
    first, last = (words[0], words[-1]) if words else (len(tokens), -1)
    found = []
    inside = False  # a double quote is open
    for n, token in enumerate(tokens):
        if token == '"':
            # Before the first word a quote opens, after the last it closes; elsewhere they take turns.
            opens = n < first or (n < last and not inside)
            token = "``" if opens else "''"
        elif '"' in token:
            token = re.sub('^"', "``", token).replace('"', "''")
        elif token == "–":
            token = "--"
        token = token.translate(_SPELLING)
        if "``" in token or "''" in token:
            inside = token.rfind("``") > token.rfind("''")
        found.append(token)
    return found


# Sentences --------------------------------------------------------------------------------------------------

_OPENERS = "\"'“‘„«`([{"
_STOP = re.compile(r"""(?<![.!?…])([.!?…]++)(["'”’»)\]}]*+)(?=\s)""")
_LIST_LABEL = re.compile(r"(?:\d{1,3}|[A-Za-z]|[ivxIVX]+)")
_SPACED_INITIAL = re.compile(r"[^\W\d_]\.(?!\w)")
_NEXT = re.compile(rf"\s+([{re.escape(_OPENERS)}¿¡]*)(\S*)")


def split_sentences(text: str) -> list[str]:
    """The sentences of raw text, white space made single; which line ends end one, `paragraphs` says."""
    return list(_raw_sentences(text.split("\n")))


def _split_paragraph(text: str) -> list[str]:
    found, start = [], _skip_space(text, 0)
    for stop in _STOP.finditer(text):
        if _ends_sentence(text, start, stop):
            found.append(text[start : stop.end()])
            start = _skip_space(text, stop.end())
    found.append(text[start:])
    return [" ".join(sentence.split()) for sentence in found if sentence]


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _word_before(text: str, start: int, position: int) -> int:
    """Where the word begins that stands before `position`, space between them or not."""
    while position > start and text[position - 1].isspace():
        position -= 1
    while position > start and not text[position - 1].isspace():
        position -= 1
    return position


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether the sentence that starts at `start` ends with these stops and the closing marks after them."""
    following = _NEXT.match(text, stop.end())
    opener, word = following.groups() if following else ("", "")
    if word[:1].islower() or word[:1] in tuple(".,;:!?)]}%"):
        return False
    marks = stop[1]
    if "!" in marks or "?" in marks:
        return True
    begin = _word_before(text, start, stop.start())
    before = text[begin : stop.start()].strip().lstrip(_OPENERS)
    if len(marks) > 1 or marks == "…" or before.strip(".") == "":
        return word[:1].isupper() and re.match(r"I\b", word) is None
    if begin == start and _LIST_LABEL.fullmatch(before):
        return False
    if abbreviations.goes_on_after(before) or (word[:1].isdigit() and abbreviations.numbers(before)):
        return False
    if len(before) == 1 and before.isalpha() and _SPACED_INITIAL.match(word):  # z. B.
        return False
    if abbreviations.is_ordinal(text[_word_before(text, start, begin) : begin].strip(), before, word):
        return False
    if abbreviations.is_abbreviation(before) or (len(before) == 1 and before.isupper()):
        return _starts_clearly(opener, word, before)
    return True


def _starts_clearly(opener: str, word: str, before: str) -> bool:
    """Whether a sentence must start here, even after an abbreviation."""
    letters = re.match(r"[^\W\d_]*", word)
    name = letters[0] if letters else ""
    if word[len(name) :].startswith("."):
        return name in abbreviations.TITLES
    if abbreviations.starts_sentence(name, before):
        return True
    return name[:1].isupper() and any(mark in opener for mark in '"“„«`')


# Tokens -----------------------------------------------------------------------------------------------------

_LETTER = r"[\w\u00ad\u0300-\u036f]"  # also the soft hyphen and combining accents
_TOKEN = re.compile(
    rf"""
    (?:(?:https?|ftp)://|www\.) [^\s<>"“”]* [^\s<>"“”.,;:!?'’)\]}}]  # web address
  | [\w.+-]{{1,64}} @ [\w-]+ (?:\.[\w-]+)+                            # e-mail address
  | \.{{2,}} | -{{2,}} | ``+ | ''+ | ([*=~])\1+                       # runs of one mark
  | (?<!\w) (?:US|HK|NZ|NT|[ACS])? \$                                 # currency
  | (?<!\w) ['’] (?i: n['’] | (?:em|til|cause|bout|round|tis|twas|s|m|d|ll|re|ve|\d\ds?) (?!\w) )  # 'em, '90s
  | (?P<word>
        (?:(?<!\w)[-+@](?=\w))? {_LETTER}+
        (?: (?: \.?[-‐‑&/'’+] | \. | (?<=\d)[,:–](?=\d) ) {_LETTER}+ )*  # inside a word
        (?: \++ | -(?![-\w]) )?  # C++, two-
        (?P<stop> \. (?!\.) )?
    )
  | \S
    """,
    re.VERBOSE,
)
_AT_END = re.compile(r"""[\s"'”’»)\]}]*$""")
_CLITIC = re.compile(r"(.+?)(n['’]t|['’](?:s|m|d|ll|re|ve))", re.IGNORECASE)
_PARTS = re.compile(
    r"(can)(not)|(d['’])(ye)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(more)(['’]n)|(wan)(na)|(['’]t)(is|was)",
    re.IGNORECASE,
)


def tokenize(sentence: str) -> list[str]:
    """The tokens of one sentence in the Penn manner; together they are the sentence without white space."""
    found: list[str] = []
    for match in _TOKEN.finditer(sentence):
        token = match[0]
        if match["stop"] and _splits_stop(sentence, match):
            found += [*_split_word(token[:-1]), "."]
        else:
            found += _split_word(token)
    return found


def _splits_stop(sentence: str, match: re.Match[str]) -> bool:
    """A stop is split off at the end and before closing marks, unless it belongs to an abbreviation."""
    final = _AT_END.match(sentence, match.end()) is not None
    closed = sentence[match.end() : match.end() + 1] in tuple("\"”’»)]}'[")  # "[": a note's number
    return (final or closed) and not abbreviations.is_abbreviation(match[0][:-1])


def _split_word(word: str) -> list[str]:
    """Contracted words apart: do n't, she 'll, can not."""
    clitics: list[str] = []
    while len(clitics) < 3 and (match := _CLITIC.fullmatch(word)):  # no English word has more
        word = match[1]
        clitics.insert(0, match[2])
    parts = _PARTS.fullmatch(word)
    return [*([part for part in parts.groups() if part] if parts else [word]), *clitics]


_ATTACHED = re.compile(r"""\w["'”’»)\]}]*[,;:!?…。，！？]+["'”’»)\]}]*$|^["“„«(\[{]+\w|\w["”»)\]}]+$""")
_ALONE = re.compile(r"[^\w\s]+|n['’]t|['’](?:s|m|d|ll|re|ve)|-[LR][RSC]B-", re.IGNORECASE)


def looks_tokenized(lines: Iterable[str]) -> bool:
    """Whether marks of punctuation in the first lines of a text stand alone rather than on words.

    True where there are none: nothing speaks against it."""
    alone = attached = 0
    for line in lines:
        words = line.split()
        alone += sum(_ALONE.fullmatch(word) is not None for word in words)
        attached += sum(_ATTACHED.search(word) is not None for word in words)
        last = words[-1] if words else ""
        attached += (
            last.endswith(".") and last[-2:-1].isalnum() and not abbreviations.is_abbreviation(last[:-1])
        )
    return alone >= attached


# Input ------------------------------------------------------------------------------------------------------


def read_words(lines: Iterable[str], *, raw: bool) -> Iterator[list[str]]:
    """The tokens of sentences from lines of tokens, one sentence a line; or from raw text with blank lines
    between paragraphs. Lines are read as they are needed; blank ones give no sentence."""
    if not raw:
        yield from filter(None, map(str.split, lines))
        return
    yield from map(tokenize, _raw_sentences(lines))


def _raw_sentences(lines: Iterable[str]) -> Iterator[str]:
    """The sentences of every paragraph; of one that grows too long, all but the last so far."""
    paragraph: list[str] = []
    size = 0
    for starts, line in paragraphs.marked(lines):
        if starts:
            yield from _split_paragraph("\n".join(paragraph))
            paragraph, size = [], 0
        paragraph.append(line)
        size += len(line)
        if size > LONGEST_PARAGRAPH:
            *whole, rest = _split_paragraph("\n".join(paragraph))
            yield from whole
            if len(rest) > LONGEST_PARAGRAPH:  # no sentence is as long as this
                yield rest
                rest = ""
            paragraph, size = [rest], len(rest)
    yield from _split_paragraph("\n".join(paragraph))
