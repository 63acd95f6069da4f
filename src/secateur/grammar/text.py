"""Grammars as readable text, plain or gzipped: our own dialect and the two of BUBS.

The first line has fields `name=value`; then rules, one a line, with natural-log weights

    NP -> DT NN -1.5
    ROOT -> S -0.1
    ROOT -> S -> VP -6.2          (secateur only: a composed unary and the labels it passes over)

then `===== LEXICON =====` and entries `NN -> cat -9.2`. Dialects: `secateur`; `Berkeley` (made symbols
@X); `CSLU` (made symbols X|<A-B>). The unaries of the last two may chain, so they are composed on loading.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from secateur.errors import InputError
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lines import CUT_OFF, FIELD, Header, check_names, log_weight, placed, put, write_lines
from secateur.grammar.pcfg import PCFG
from secateur.grammar.unaries import UnaryRule, compose
from secateur.treebanks.formats import source

if TYPE_CHECKING:
    from secateur.grammar.latent.grammar import SplitPCFG

DIALECTS = ("secateur", "Berkeley", "CSLU")
LEXICON = "===== LEXICON ====="
LONGEST = 1000  # labels of a unary rule
SPLIT = "secateur-split"  # the format of a split grammar, which has a text of its own
LCFRS = "secateur-lcfrs"  # that of a PLCFRS, which has one too


def read_grammar(path: str | os.PathLike[str], *, composed: bool = True) -> PCFG:
    """The grammar in a file; composed=False keeps foreign unaries as written (to convert, not to parse)."""
    return parse_grammar(source.lines(path), name=os.fspath(path), composed=composed)


def parse_grammar(
    lines: Iterable[str], *, name: str = "", composed: bool = True, dialects: Sequence[str] = DIALECTS
) -> PCFG:
    """The grammar in the lines of a file called `name`, in one of these dialects."""
    numbered = enumerate(lines, 1)
    header = _header(next(numbered, (1, ""))[1], name, dialects)
    binary: dict[tuple[str, str, str], float] = {}
    unary: dict[tuple[str, str], tuple[float, tuple[str, ...]]] = {}
    lexical: dict[tuple[str, str], float] = {}
    in_lexicon = False
    number = 1
    for number, line in numbered:
        fields = FIELD.findall(line)
        if not fields:
            continue
        where = f"{name}:{number}"
        if line.startswith("====="):
            in_lexicon = True
            continue
        if len(fields) < 4 or fields[1] != "->":
            raise InputError(
                f"not a rule: {line.strip()[:60]!r}",
                where=where,
                fix="a rule reads `A -> B C weight` or `A -> B weight`, in the lexicon `TAG -> word weight`",
            )
        weight = log_weight(fields[-1], where)
        if in_lexicon and len(fields) == 4:
            put(lexical, (fields[0], fields[2]), weight, line, where)
        elif not in_lexicon and len(fields) == 5:
            put(binary, (fields[0], fields[2], fields[3]), weight, line, where)
        elif not in_lexicon and len(fields) % 2 == 0 and set(fields[1:-1:2]) == {"->"}:
            labels = fields[0:-1:2]
            if len(labels) > LONGEST:
                raise InputError(
                    f"a unary rule through {len(labels)} labels", where=where, fix=f"give {LONGEST} at most"
                )
            put(unary, (labels[0], labels[-1]), (weight, tuple(labels[1:-1])), line, where)
        else:
            raise InputError(
                f"a rule with {len(fields) - 3} symbols on the right",
                where=where,
                fix="binarize the grammar: one or two symbols, and one word in the lexicon",
            )
    if not in_lexicon:
        raise InputError(
            f"the file ends without a line `{LEXICON}`",
            where=f"{name}:{number}",
            fix=CUT_OFF,
        )
    header.check_counts({"nBinary": len(binary), "nUnary": len(unary), "nLex": len(lexical)})
    rules: list[UnaryRule] = [(x, y, w, path) for (x, y), (w, path) in unary.items()]
    if composed and header["format"] != "secateur":
        with placed(name):
            rules = compose((x, y, w) for x, y, w, _ in rules)
    with placed(header.where):  # rules were checked one by one: only the start symbol can still be wrong
        return PCFG.build(
            header["start"],
            ((x, y, z, w) for (x, y, z), w in binary.items()),
            rules,
            ((tag, word, w) for (tag, word), w in lexical.items()),
            header.notes,
        )


def grammar_lines(grammar: PCFG, *, dialect: str = "secateur") -> Iterator[str]:
    """The lines of a grammar's text. BUBS dialects have no place for a composed unary's path."""
    if dialect not in DIALECTS:
        raise InputError(f"unknown dialect {dialect!r}", fix="choose one of " + ", ".join(DIALECTS))
    names, binary, unary, lexicon = grammar.symbols, grammar.binary, grammar.unary, grammar.lexicon
    check_names((*names, *lexicon.words, *(label for path in unary.path for label in path)))
    sizes = {
        "nBinary": str(len(binary.weight)),
        "nUnary": str(len(unary.weight)),
        "nLex": str(len(lexicon.weight)),
    }
    yield Header.written({**grammar.notes, "format": dialect, "start": grammar.start, **sizes})
    for y, z, x, w in zip(*(column.tolist() for column in binary), strict=True):
        yield f"{names[x]} -> {names[y]} {names[z]} {w!r}"
    child, parent, weight = (column.tolist() for column in unary[:3])
    for y, x, w, path in zip(child, parent, weight, unary.path, strict=True):
        through = path if dialect == "secateur" else ()
        yield f"{' -> '.join((names[x], *through, names[y]))} {w!r}"
    yield LEXICON
    ptr, tag, weight = lexicon.ptr.tolist(), lexicon.tag.tolist(), lexicon.weight.tolist()
    for w, word in enumerate(lexicon.words):
        for entry in range(ptr[w], ptr[w + 1]):
            yield f"{names[tag[entry]]} -> {word} {weight[entry]!r}"


def write_grammar(
    grammar: PCFG | SplitPCFG | PLCFRS, path: str | os.PathLike[str], *, dialect: str = "secateur"
) -> None:
    """Write a grammar, gzipped where the name ends in .gz; the file appears whole or not at all.

    A split grammar has a dialect of its own, and so has a PLCFRS.
    """
    if isinstance(grammar, PLCFRS):
        from secateur.grammar.lcfrs.text import write_plcfrs

        write_plcfrs(grammar, path)
        return
    if not isinstance(grammar, PCFG):
        from secateur.grammar.latent.text import write_split

        write_split(grammar, path)
        return
    write_lines(grammar_lines(grammar, dialect=dialect), path)


def _header(line: str, name: str, dialects: Sequence[str]) -> Header:
    header = Header(line, name)
    if not header.notes.keys() >= {"format", "start"}:
        raise InputError(
            "not a grammar: the first line has no `format=` and `start=`",
            where=header.where,
            fix="first line, for example: format=Berkeley start=ROOT",
        )
    dialect = header["format"]
    if dialect == SPLIT:
        fix = "flatten it: secateur grammar convert FILE -o FLAT --to secateur"
        raise InputError("a split grammar, where a flat one is needed", where=header.where, fix=fix)
    if dialect == LCFRS:
        fix = "name another; to parse with this one: secateur parse FILE"
        raise InputError("a PLCFRS, where a PCFG is needed", where=header.where, fix=fix)
    if dialect not in dialects:
        fix = "known: " + ", ".join(dialects)
        raise InputError(f"unknown grammar dialect {dialect!r}", where=header.where, fix=fix)
    return header
