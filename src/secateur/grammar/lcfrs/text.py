"""PLCFRSs as readable text, plain or gzipped.

The first line has fields `name=value`; then rules, one a line, with natural-log weights:

    S -> VP_2 NP 010 -0.3           what VP_2 covers has a gap, where NP stands
    VP_2 -> VB NP 0,1 -1.5          a gap between the two; a comma starts a new component of the parent
    ROOT -> S 0 -0.1
    ROOT -> S -> VP 0 -6.2          a unary rule and the labels it passes over

The pattern before the weight says of which child each component is, counted from 0 (with dots between the
numbers where there are more than ten children: 0.1.2). Then `===== SYMBOLS =====` and a line for each, with
its fan-out, the label it has in trees, and `made` where it dissolves in them:

    VP_2 2 VP
    VP|<NP>_2 2 VP made

and `===== LEXICON =====` with entries `NN -> cat -9.2`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from secateur.errors import InputError
from secateur.grammar.lcfrs.draft import Draft
from secateur.grammar.lcfrs.patterns import parse, text_of
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule
from secateur.grammar.lines import CUT_OFF, FIELD, Header, check_names, log_weight, placed, write_lines
from secateur.grammar.text import LCFRS as FORMAT
from secateur.grammar.text import LEXICON, LONGEST
from secateur.treebanks.formats import source

SYMBOLS = "===== SYMBOLS ====="
_OWN = ("format", "start", "chains", "nBinary", "nUnary", "nLong", "nLex")  # fields that are not notes
_RULE = "a rule reads `A -> B C 010 weight`, in the lexicon `TAG -> word weight`"


def read_plcfrs(path: str | os.PathLike[str]) -> PLCFRS:
    """The grammar in a file."""
    return parse_plcfrs(source.lines(path), name=os.fspath(path))


def parse_plcfrs(lines: Iterable[str], *, name: str = "") -> PLCFRS:
    """The grammar in the lines of a file called `name`."""
    numbered = enumerate(lines, 1)
    header = _header(next(numbered, (1, ""))[1], name)
    body = _Body()
    number = 1
    for number, line in numbered:
        fields = FIELD.findall(line)
        if line.strip() in (SYMBOLS, LEXICON):  # a symbol may be called ===== too
            body.part(line.strip(), f"{name}:{number}")
        elif fields:
            body.line(fields, f"{name}:{number}")
    if body.heading != LEXICON:
        where = f"{name}:{number}"
        raise InputError(f"the file ends without a line `{LEXICON}`", where=where, fix=CUT_OFF)
    body.check(header)
    with placed(header.where):
        return body.draft.grammar(
            header["start"],
            plain=body.plain,
            made=body.made,
            chains=header["chains"] == "yes",
            notes={key: value for key, value in header.notes.items() if key not in _OWN},
        )


def plcfrs_lines(grammar: PLCFRS) -> Iterator[str]:
    """The lines of a grammar's text."""
    notes = grammar.notes
    shown = (*grammar.symbols, *grammar.plain, *grammar.lexicon.words, *notes.values())
    check_names((*shown, *(label for path in grammar.unary.path for label in path)))
    _check_notes(notes)
    sizes = (grammar.binary, grammar.unary, grammar.long, grammar.lexicon)
    counts = (str(len(rules.weight)) for rules in sizes)
    fields = (FORMAT, grammar.start, "yes" if grammar.chains else "no", *counts)
    yield Header.written({"format": FORMAT, **notes} | dict(zip(_OWN, fields, strict=True)))
    for parent, children, components, weight, path in grammar.named():
        right = " -> ".join((*path, *children)) if len(children) == 1 else " ".join(children)
        yield f"{parent} -> {right} {text_of(components)} {weight!r}"
    yield SYMBOLS
    columns = (grammar.symbols, grammar.fanout.tolist(), grammar.plain, grammar.made.tolist())
    for symbol, fan_out, label, made in zip(*columns, strict=True):
        yield f"{symbol} {fan_out} {label}{' made' if made else ''}"
    yield LEXICON
    for tag, word, weight in grammar.entries():
        yield f"{tag} -> {word} {weight!r}"


def write_plcfrs(grammar: PLCFRS, path: str | os.PathLike[str]) -> None:
    """Write a grammar, gzipped where the name ends in .gz; the file appears whole or not at all."""
    write_lines(plcfrs_lines(grammar), path)


class _Body:
    """What stands below the first line."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.heading = ""
        self.plain: dict[str, str] = {}
        self.made: set[str] = set()
        self._fanout: dict[str, tuple[int, str]] = {}  # as the list of symbols has it, and where

    def part(self, heading: str, where: str) -> None:
        """The next part begins."""
        if (self.heading, heading) not in (("", SYMBOLS), (SYMBOLS, LEXICON)):
            fix = f"after the rules, `{SYMBOLS}`, then `{LEXICON}`"
            raise InputError(f"the heading {heading[:40]!r} cannot stand here", where=where, fix=fix)
        self.heading = heading

    def line(self, fields: list[str], where: str) -> None:
        """A line of this part."""
        if self.heading == SYMBOLS:
            self._symbol(fields, where)
            return
        if len(fields) < 4 or fields[1] != "->":
            raise InputError(f"not a rule: {' '.join(fields)[:60]!r}", where=where, fix=_RULE)
        weight = log_weight(fields[-1], where)
        if not self.heading:
            rule = self._rule(fields, weight, where)
            with placed(where):
                self.draft.rule(rule)
        elif len(fields) == 4:
            with placed(where):
                self.draft.word(fields[0], fields[2], weight)
        else:
            raise InputError(f"an entry with {len(fields) - 3} words", where=where, fix=_RULE)

    def _rule(self, fields: list[str], weight: float, where: str) -> Rule:
        right, components = fields[2:-2], parse(fields[-2])
        if components is None or not right:
            raise InputError(f"{fields[-2][:40]!r} is no pattern", where=where, fix=_RULE)
        if any(child for part in components for child in part):
            return Rule(fields[0], tuple(right), components, weight)
        labels = right[::2]
        if len(right) % 2 == 0 or not set(right[1::2]) <= {"->"}:
            what = f"a unary rule that reads {' '.join(right)[:40]!r}"
            raise InputError(what, where=where, fix="write `A -> B 0 weight`, or `A -> PASSED -> B 0 weight`")
        if len(labels) >= LONGEST:
            what = f"a unary rule through {len(labels) + 1} labels"
            raise InputError(what, where=where, fix=f"give {LONGEST} at most")
        return Rule(fields[0], (labels[-1],), components, weight, tuple(labels[:-1]))

    def _symbol(self, fields: list[str], where: str) -> None:
        name, *rest = fields
        number = rest[0] if rest else ""
        if (
            len(rest) not in (2, 3)
            or not (number.isascii() and number.isdecimal())
            or rest[2:] not in ([], ["made"])
        ):
            fix = "a symbol's line reads `VP_2 2 VP`: its name, its fan-out, its label, perhaps `made`"
            raise InputError(f"not a symbol: {' '.join(fields)[:60]!r}", where=where, fix=fix)
        if name in self.plain:
            raise InputError(f"two lines for the symbol {name}", where=where, fix="keep one of them")
        self.plain[name] = rest[1]
        self._fanout[name] = int(number[:9]), where
        if rest[2:]:
            self.made.add(name)

    def check(self, header: Header) -> None:
        """Refuse what is cut off, or does not agree with itself."""
        for symbol, (fan_out, where) in self._fanout.items():
            known = self.draft.fanout.get(symbol, 0)
            if known != fan_out:
                what = f"{symbol} has fan-out {fan_out} here, {known or 'no rules'} in the grammar"
                raise InputError(what, where=where, fix="mend this line, or the rules")
        for symbol in self.draft.fanout.keys() - self._fanout.keys():
            raise InputError(f"no line for the symbol {symbol}", where=header.where, fix=CUT_OFF)
        sizes = [min(len(rule.children), 3) for rule in self.draft.rules.values()]
        counts = {"nBinary": sizes.count(2), "nUnary": sizes.count(1), "nLong": sizes.count(3)}
        header.check_counts({**counts, "nLex": len(self.draft.words)})


def _header(line: str, name: str) -> Header:
    header = Header(line, name)
    if (
        header.get("format") != FORMAT
        or "start" not in header.notes
        or header.get("chains") not in ("yes", "no")
    ):
        raise InputError(
            f"not a PLCFRS: the first line lacks `format={FORMAT}`, `start=` or `chains=`",
            where=header.where,
            fix=f"first line, for example: format={FORMAT} start=ROOT chains=no",
        )
    return header


def _check_notes(notes: Mapping[str, str]) -> None:
    for key in notes:
        if key in _OWN or "=" in key or not FIELD.fullmatch(key):
            raise InputError(f"a note {key!r} cannot be written", fix="give it another name")
