"""Small PLCFRSs written by hand, with probabilities.

    S(X Y Z) -> VP(X, Z) NP(Y) 0.9      # what VP covers has a gap, where NP stands
    S(X) -> NP(X) [0.1]                 # square brackets around a probability are fine
    VP(X, Y) -> V(X) PP(Y)              # 1 where no probability is given
    V('buy') -> 0.5                     # a word, in single or double quotes
    '$,'(',') ->                        # names with blanks, quotes, brackets or commas stand in quotes too

Each symbol is followed by its components in brackets, with commas between them: on the right a variable
each, on the left sequences of these variables with blanks between them. Every variable stands once on either
side, and those of one symbol in the same order on both; components of one symbol do not touch. The symbols
on the right may stand in any order, and be as many as one likes. Words have rules of their own, with nothing
on the right. `#` starts a comment. Unary rules may follow each other on the same words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from secateur.errors import InputError
from secateur.grammar.lcfrs.draft import Draft
from secateur.grammar.lcfrs.patterns import Components, ordered
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule
from secateur.grammar.lines import placed

_TOKEN = re.compile(r"""(?P<quoted>'[^']+'|"[^"]+")|(?P<mark>->|[(),])|(?P<name>[^\s(),'"]+)|(?P<wrong>\S)""")
# How a rule begins: a symbol, its components in brackets, an arrow. No other grammar has it so.
_BEGINS = re.compile(r"""\s*(?:'[^']+'|"[^"]+"|[^\s(),'"]+)\s*\((?:'[^']+'|"[^"]+"|[^()'"])+\)\s*->""")
_NUMBER = re.compile(r"\[?([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\]?")
_READS = "a rule reads `S(X Y Z) -> VP(X, Z) NP(Y) 0.9`, or `N('word') -> 0.1`"


class _Token(NamedTuple):
    kind: str  # quoted, mark, name, wrong or end
    text: str  # without quotes
    where: str

    def fault(self, what: str, fix: str = _READS) -> InputError:
        return InputError(what, where=self.where, fix=fix)


class _Symbol(NamedTuple):
    """A symbol with the variables or words of its components."""

    token: _Token
    components: tuple[tuple[_Token, ...], ...]

    @property
    def name(self) -> str:
        return self.token.text

    def variables(self) -> list[_Token]:
        """From left to right; there must be no words among them."""
        found = [token for part in self.components for token in part]
        for token in found:
            if token.kind == "quoted":
                fix = f"give the word a symbol of its own: W('{token.text}') ->, and W(X) on the right"
                raise token.fault(f"the word {token.text!r} in a rule with symbols", fix)
        return found


def read(text: str, *, start: str | None = None) -> PLCFRS:
    """The grammar of a text; the start symbol is the first rule's unless given."""
    return parse(text.splitlines(), start=start)


def is_comment(line: str) -> bool:
    """Whether there is no rule on a line."""
    return not line.strip() or line.lstrip().startswith("#")


def is_rule(line: str) -> bool:
    """Whether a line begins like a rule."""
    return _BEGINS.match(line) is not None


def parse(lines: Iterable[str], *, name: str = "", start: str | None = None) -> PLCFRS:
    """The grammar in the lines of a file called `name`, or of a text without a name."""
    draft = Draft()
    for number, line in enumerate(lines, 1):
        tokens = _tokens(line, f"{name}:{number}" if name else f"line {number}")
        if len(tokens) == 1:
            continue
        left, right, weight = _Line(tokens).rule()
        start = start or left.name
        if right:
            children, components = _linear(left, right)
            with placed(left.token.where):
                draft.rule(Rule(left.name, children, components, weight))
        else:
            word = _word(left)
            with placed(left.token.where):
                draft.word(left.name, word, weight)
    if start is None:
        fix = "write one rule a line, for example: S(X Y) -> NP(X) VP(Y)"
        raise InputError("a grammar without rules", where=name and f"{name}:1", fix=fix)
    with placed(name and f"{name}:1"):
        return draft.grammar(start, chains=True)


def _tokens(line: str, place: str) -> list[_Token]:
    """What stands on a line, and its end."""
    found = []
    end = len(line.rstrip())
    for match in _TOKEN.finditer(line):
        kind, text = str(match.lastgroup), match.group()
        if kind == "name" and text.startswith("#"):
            end = match.start()
            break
        found.append(_Token(kind, text[1:-1] if kind == "quoted" else text, f"{place}:{match.start() + 1}"))
    return [*found, _Token("end", "", f"{place}:{end + 1}")]


class _Line:
    """The tokens of a rule, read from left to right."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def rule(self) -> tuple[_Symbol, list[_Symbol], float]:
        """The left-hand side, the right-hand side, and the log weight."""
        left = self._symbol()
        self._mark("->")
        right = []
        while self._tokens[self._at].kind != "end" and self._tokens[self._at + 1][:2] == ("mark", "("):
            right.append(self._symbol())
        weight = self._weight()
        self._next("end")
        return left, right, weight

    def _symbol(self) -> _Symbol:
        name = self._next("name", "quoted")
        self._mark("(")
        components: list[tuple[_Token, ...]] = []
        part: list[_Token] = []
        while True:
            token = self._next("name", "quoted", "mark")
            if token.kind != "mark":
                part.append(token)
                continue
            if token.text not in (",", ")"):
                raise self._wrong(token)
            if not part:
                fix = "every component covers words: name what it is made of"
                raise token.fault(f"an empty component of {name.text}", fix)
            components.append(tuple(part))
            part = []
            if token.text == ")":
                return _Symbol(name, tuple(components))

    def _weight(self) -> float:
        token = self._tokens[self._at]
        number = _NUMBER.fullmatch(token.text) if token.kind == "name" else None
        if number is None:
            return 0.0
        self._at += 1
        probability = float(number[1])
        if not 0.0 < probability <= 1.0:
            raise token.fault(f"the probability {number[1]}", "give one above 0 and at most 1")
        return math.log(probability)

    def _mark(self, text: str) -> None:
        token = self._next("mark")
        if token.text != text:
            raise self._wrong(token)

    def _next(self, *kinds: str) -> _Token:
        token = self._tokens[self._at]
        if token.kind not in kinds:
            raise self._wrong(token)
        self._at += 1
        return token

    def _wrong(self, token: _Token) -> InputError:
        if token.kind == "end":
            return token.fault("not a rule: the line ends too early")
        return token.fault(f"not a rule: {token.text!r} cannot stand here")


def _linear(left: _Symbol, right: list[_Symbol]) -> tuple[tuple[str, ...], Components]:
    """The children by first position, and the pattern in which they stand."""
    owner: dict[str, int] = {}  # of each variable, which child
    for child, symbol in enumerate(right):
        for token in symbol.variables():
            if token.text in owner:
                raise token.fault(f"the variable {token.text} twice on the right", "use two names")
            owner[token.text] = child
        for part in symbol.components:
            if len(part) > 1:
                raise part[1].fault("two variables in one component on the right", "put a comma between")
    seen: dict[str, None] = {}
    for token in left.variables():
        if token.text in seen:
            raise token.fault(f"the variable {token.text} twice on the left", "use it once")
        if token.text not in owner:
            fix = "use every variable once on either side; words stand in quotes"
            raise token.fault(f"the variable {token.text} is not on the right", fix)
        seen[token.text] = None
    for child, symbol in enumerate(right):
        names = [token.text for token in symbol.variables()]
        for token in symbol.variables():
            if token.text not in seen:
                fix = "use every variable once on either side"
                raise token.fault(f"the variable {token.text} is not on the left", fix)
        if names != [name for name in seen if owner[name] == child]:
            fix = "let them stand in the same order on both sides"
            raise symbol.token.fault(f"the variables of {symbol.name} change places", fix)
    components, order = ordered(tuple(tuple(owner[token.text] for token in part) for part in left.components))
    return tuple(right[child].name for child in order), components


def _word(left: _Symbol) -> str:
    """The word of a rule with nothing on the right."""
    first, *more = [token for part in left.components for token in part]
    if first.kind != "quoted":
        fix = f"words stand in quotes: {left.name}('{first.text}') ->"
        raise first.fault(f"the variable {first.text} is not on the right", fix)
    if more:
        raise more[0].fault("more than one word", "give each word a symbol of its own: N('word') ->")
    return first.text
