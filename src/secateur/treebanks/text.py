"""Text in: sentences from raw text or from tokens, and the Penn Treebank spelling a parser sees.

Surface tokens are substrings of the text; only `penn` is rewritten (brackets, quotes, dashes), so that the
original spelling can be put back on the leaves of a parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

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


# Abbreviations ----------------------------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A name follows: never the end of a sentence.
_TITLES = _words(
    """
    Mr Mrs Ms Mx Messrs Mmes Dr Drs Prof Profs Rev Hon Fr Sen Sens Rep Reps Gov Govs Gen Col Lt Maj Capt Cpl
    Sgt Cmdr Adm Pres Supt Insp Amb Atty
    """
)
# The sentence goes on.
_LINKING = _words("e.g i.e cf viz vs v approx ca incl esp resp")
# A number follows, or else it is a word like any other.
_NUMBERING = _words("No Nos no nos c p pp vol Vol vols ch Ch fig Fig figs Figs eq Eq sec Sec art Art")
# May end a sentence: what follows decides.
_SHORT = _words(
    """
    Inc Corp Co Cos Ltd Bros Pty Plc Jr Sr Esq St Ste Mt Ft Ave Blvd Rd Dept Univ Assn Inst Bldg etc al est
    ext Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Ala Ariz Ark
    Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Mass Md Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Tenn Tex
    Va Vt Wash Wis Wyo Ont Que
    """
)
_INITIALS = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+")  # U.S, a.m, Ph.D: before the last stop
_LIST_LABEL = re.compile(r"(?:\d{1,3}|[A-Za-z]|[ivxIVX]+)")
# Words that start a sentence far more often than a name.
_STARTERS = _words(
    """
    A About After All Also Although Among An And Another Any As At Back Because Before Both But By Can
    Despite Did Do Does During Each Earlier Even Every Few First For From Had Has Have He Her Here His How
    However I If In Indeed Instead Is It Its Last Later Many Maybe Meanwhile More Moreover Most My Neither
    Nevertheless No Nobody None Nor Not Nothing Now Of On Once One Only Or Other Others Our Over Perhaps
    Several She Should Since So Some Still Such That The Their Then There Therefore These They This Those
    Though Three Thus To Today Two Under Unlike Until We Were What When Where Whether Which While Who Why
    Will With Within Without Would Yesterday Yet You Your
    """
)


def _is_abbreviation(word: str) -> bool:
    """Whether the stop after `word` belongs to it wherever it stands."""
    word = re.split("[-/–]", word)[-1]
    return word in _TITLES or word in _LINKING or word in _SHORT or _INITIALS.fullmatch(word) is not None


# Sentences --------------------------------------------------------------------------------------------------

_OPENERS = "\"'“‘„«`([{"
_STOP = re.compile(r"""(?<![.!?…])([.!?…]++)(["'”’»)\]}]*+)(?=\s)""")
_NEXT = re.compile(rf"\s+([{re.escape(_OPENERS)}¿¡]*)(\S*)")


def split_sentences(text: str) -> list[str]:
    """The sentences of raw text, white space made single; a blank line ends a sentence in any case."""
    return [sentence for part in re.split(r"\n\s*\n", text) for sentence in _split_paragraph(part)]


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
    if before in _TITLES or before in _LINKING or (before in _NUMBERING and word[:1].isdigit()):
        return False
    if _is_abbreviation(before) or (len(before) == 1 and before.isupper()):
        return _starts_clearly(opener, word)
    return True


def _starts_clearly(opener: str, word: str) -> bool:
    """Whether a sentence must start here, even after an abbreviation."""
    letters = re.match(r"[^\W\d_]*", word)
    name = letters[0] if letters else ""
    if word[len(name) :].startswith("."):
        return name in _TITLES
    return name in _STARTERS or (name[:1].isupper() and any(mark in opener for mark in '"“„«`'))


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
    return (final or closed) and not _is_abbreviation(match[0][:-1])


def _split_word(word: str) -> list[str]:
    """Contracted words apart: do n't, she 'll, can not."""
    clitics: list[str] = []
    while len(clitics) < 3 and (match := _CLITIC.fullmatch(word)):  # no English word has more
        word = match[1]
        clitics.insert(0, match[2])
    parts = _PARTS.fullmatch(word)
    return [*([part for part in parts.groups() if part] if parts else [word]), *clitics]


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
    for line in lines:
        if not line.strip():
            yield from _split_paragraph("\n".join(paragraph))
            paragraph, size = [], 0
            continue
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
