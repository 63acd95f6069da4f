"""Split grammars as readable text, plain or gzipped; what is read equals what was written, bit for bit.

    format=secateur-split version=1 start=ROOT nSymbols=4 nBinary=1 nUnary=1 nLex=2
    ===== NOTES =====
    {"binarization": "right"}                   (how the grammar was made, as JSON)
    ===== SYMBOLS =====
    NP 3 : 20.5 1.5 2.0 : (0 (0 0 1) (1 2))     (number of sub-symbols, use of each, tree of splits)
    ===== RULES =====
    NP -> DT NN -1.5 : 0.25 0 0.75 ...          (log weight of the unsplit rule, then its probabilities)
    ROOT -> S -> VP -6.2 : 0.001 0 0.002        (a unary, with the labels it passes over)
    ===== LEXICON =====
    NN -> cat -9.2 : 0.0001 0.0002
    ===== END =====

Probabilities stand in row-major order: the parent's sub-symbol changes slowest. A product of grammars has a
number of sub-symbols for each, and each rule a further `: probabilities`.
"""

from __future__ import annotations

import json
import os
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.latent.lineage import lineage_text, read_lineage, transposed
from secateur.grammar.latent.table import Table, floats, miscounted
from secateur.grammar.lines import CUT_OFF, FIELD, Header, check_names, placed, put, write_lines
from secateur.grammar.pcfg import PCFG, TOLERANCE, Ids
from secateur.grammar.text import SPLIT
from secateur.treebanks.formats import source

if TYPE_CHECKING:  # at run time, numba would come with them
    from secateur.grammar.latent.grammar import SplitPCFG
    from secateur.kernels.split.tree_em import Blocks

Floats = npt.NDArray[np.float64]

VERSION = "1"
NOTES, SYMBOLS, RULES, LEXICON, END = (
    f"===== {title} =====" for title in ("NOTES", "SYMBOLS", "RULES", "LEXICON", "END")
)
_COUNTS = ("nSymbols", "nBinary", "nUnary", "nLex")
_ORDER = (NOTES, SYMBOLS, RULES, LEXICON, END)
_F, _S = FIELD.pattern, "[ \\t]+"
_BINARY = re.compile(f"({_F}){_S}->{_S}({_F}){_S}({_F}){_S}({_F}){_S}:(.*)")
_UNARY = re.compile(f"({_F}(?:{_S}->{_S}{_F})+){_S}({_F}){_S}:(.*)")
_ENTRY = re.compile(f"({_F}){_S}->{_S}({_F}){_S}({_F}){_S}:(.*)")

Numbered = list[tuple[str, str]]  # (file:line, line)
Splits = dict[str, list[int]]  # sub-symbols of each symbol, in each grammar of a product


class _Symbol(NamedTuple):
    """A line of the symbols."""

    splits: list[int]  # one for each grammar of a product
    mass: array[float]
    lineage: tuple[Ids, ...]
    where: str


# Writing ----------------------------------------------------------------------------------------------------


def write_split(grammar: SplitPCFG, path: str | os.PathLike[str]) -> None:
    """Write a split grammar, gzipped where the name ends in .gz; the file appears whole or not at all."""
    write_lines(split_lines(grammar), path)


def split_lines(grammar: SplitPCFG) -> Iterator[str]:
    """The lines of a split grammar's text."""
    coarse = grammar.coarse
    names, lexicon, unary = coarse.symbols, coarse.lexicon, coarse.unary
    check_names((*names, *lexicon.words, *(label for path in unary.path for label in path)))
    sizes = (len(names), len(coarse.binary.weight), len(unary.weight), len(lexicon.weight))
    counts = dict(zip(_COUNTS, map(str, sizes), strict=True))
    yield Header.written({"format": SPLIT, "version": VERSION, "start": coarse.start, **counts})
    yield NOTES
    yield json.dumps(coarse.notes, ensure_ascii=False)
    yield SYMBOLS
    everyone = (grammar.blocks, *grammar.others)
    for x, name in enumerate(names):
        splits = [int(blocks.splits[x]) for blocks in everyone]
        used = _numbers(grammar.mass[x, : splits[0]])
        yield f"{name} {' '.join(map(str, splits))} : {used} : {lineage_text(grammar.ancestry, x)}"
    yield RULES
    rules = zip(*(column.tolist() for column in coarse.binary), strict=True)
    blocks = _columns((one.binary_ptr, one.binary) for one in everyone)
    for (y, z, x, w), numbers in zip(rules, blocks, strict=True):
        yield f"{names[x]} -> {names[y]} {names[z]} {w!r} : {numbers}"
    chains = zip(*(column.tolist() for column in unary[:3]), unary.path, strict=True)
    blocks = _columns((one.unary_ptr, one.unary) for one in everyone)
    for (y, x, w, path), numbers in zip(chains, blocks, strict=True):
        yield f"{' -> '.join((names[x], *path, names[y]))} {w!r} : {numbers}"
    yield LEXICON
    words = np.repeat(np.arange(len(lexicon.words)), np.diff(lexicon.ptr)[:-1]).tolist()
    entries = zip(lexicon.tag.tolist(), words, lexicon.weight.tolist(), strict=True)
    blocks = _columns((one.lexical_ptr, one.lexical) for one in everyone)
    for (t, word, w), numbers in zip(entries, blocks, strict=True):
        yield f"{names[t]} -> {lexicon.words[word]} {w!r} : {numbers}"
    yield END


def _columns(parts: Iterable[tuple[npt.NDArray[np.uint64], Floats]]) -> Iterator[str]:
    """For each rule, its probabilities in all grammars."""
    rows = [[_numbers(flat[begin:end]) for begin, end in pairwise(ptr.tolist())] for ptr, flat in list(parts)]
    return map(" : ".join, zip(*rows, strict=True))


def _numbers(values: Floats) -> str:
    return " ".join("0" if value == 0.0 else repr(value) for value in values.tolist())


# Reading ----------------------------------------------------------------------------------------------------


def read_split(path: str | os.PathLike[str]) -> SplitPCFG:
    """The split grammar in a file."""
    return parse_split(source.lines(path), name=os.fspath(path))


def parse_split(lines: Iterable[str], *, name: str = "") -> SplitPCFG:
    """The split grammar in the lines of a file called `name`."""
    from secateur.grammar.latent.grammar import SplitPCFG

    header, sections = _sections(lines, name)
    notes = _notes(sections[NOTES], name)
    symbols = _symbols(sections[SYMBOLS])
    splits = {name: symbol.splits for name, symbol in symbols.items()}
    binary, unary, lexical = tables = (Table(splits), Table(splits), Table(splits))
    _read_rules(sections[RULES], binary, unary)
    _read_lexicon(sections[LEXICON], lexical)
    sizes = (len(symbols), *(len(table.rows) for table in tables))
    header.check_counts(dict(zip(_COUNTS, sizes, strict=True)))
    with placed(header.where):  # rules were checked one by one: only the start symbol can still be wrong
        coarse = PCFG.build(
            header["start"],
            ((x, y, z, w) for (x, y, z), w in zip(binary.rows, binary.weights, strict=True)),
            ((x, y, w, p) for (x, y), w, p in zip(unary.rows, unary.weights, unary.paths, strict=True)),
            ((tag, word, w) for (tag, word), w in zip(lexical.rows, lexical.weights, strict=True)),
            notes,
        )
    _check_symbols(coarse, symbols)
    everyone = [
        _blocks(coarse, symbols, tables, number) for number in range(len(symbols[coarse.start].splits))
    ]
    for blocks in everyone:
        _check_sums(coarse, blocks, symbols)
    rows = [symbols[name] for name in coarse.symbols]
    mass = np.zeros((len(rows), max(len(row.mass) for row in rows)))
    for x, row in enumerate(rows):
        mass[x, : len(row.mass)] = row.mass
    ancestry = transposed([row.lineage for row in rows])
    return SplitPCFG(coarse, everyone[0], mass, ancestry, tuple(everyone[1:]))


def _sections(lines: Iterable[str], name: str) -> tuple[Header, dict[str, Numbered]]:
    numbered = enumerate(lines, 1)
    header = Header(next(numbered, (1, ""))[1], name)
    if header.get("format") != SPLIT or "start" not in header.notes:
        fix = f"the first line begins: format={SPLIT} version={VERSION} start=ROOT"
        raise InputError("not a split grammar, to judge by the first line", where=header.where, fix=fix)
    if header.get("version") != VERSION:
        raise InputError(
            f"version {header.get('version') or 'unknown'} of the format; this is secateur for {VERSION}",
            where=f"{name}:1",
            fix="update secateur, or write the grammar again",
        )
    found: dict[str, Numbered] = {}
    section: Numbered = []
    number = 1
    for number, line in numbered:
        text = line.strip(" \t\r\n")
        where = f"{name}:{number}"
        if text in _ORDER or (text and (not found or END in found)):
            section = _opened(text, found, where)
        elif text:
            section.append((where, text))
    if END not in found:
        missing = _ORDER[len(found)]
        raise InputError(f"the file ends without a line `{missing}`", where=f"{name}:{number}", fix=CUT_OFF)
    return header, found


def _opened(title: str, found: dict[str, Numbered], where: str) -> Numbered:
    """A new section, if it is its turn."""
    turn = _ORDER[len(found)] if len(found) < len(_ORDER) else "the end of the file"
    if title != turn:
        raise InputError(f"{title[:60]!r} where `{turn}` should be", where=where, fix="mend the order")
    return found.setdefault(title, [])


def _notes(lines: Numbered, name: str) -> dict[str, str]:
    try:
        notes = json.loads("\n".join(line for _, line in lines))
        if isinstance(notes, dict) and all(isinstance(value, str) for value in notes.values()):
            return notes
    except ValueError:
        pass
    where = lines[0][0] if lines else f"{name}:2"
    raise InputError("no notes", where=where, fix='texts by name, as JSON: {"trees": "80"}, or {} for none')


def _symbols(lines: Numbered) -> dict[str, _Symbol]:
    found: dict[str, _Symbol] = {}
    for where, line in lines:
        fields = FIELD.findall(line)
        parts = _groups(fields[1:])
        if len(parts) != 3 or not parts[0] or not all(map(_is_count, parts[0])):
            raise InputError(
                f"not a symbol: {line[:60]!r}",
                where=where,
                fix="a line reads `NP 3 : use use use : (0 0 1 2)`: sub-symbols, use, tree of splits",
            )
        splits = [int(k) for k in parts[0]]
        mass = floats(parts[1], where)
        if not all(0.0 <= used < np.inf for used in mass):
            raise InputError("a use below 0 or not finite", where=where, fix="give 0 or more")
        with placed(where):
            lineage = read_lineage(" ".join(parts[2]))
        leaves = len(lineage[-1]) if lineage else 1
        for what, count in (("uses", len(mass)), ("leaves of the tree of splits", leaves)):
            if count != splits[0]:
                raise miscounted(what, count, splits[:1], where)
        first = next(iter(found.values()), None)
        if first and (len(first.splits), len(first.lineage)) != (len(splits), len(lineage)):
            raise InputError(
                f"{fields[0]} has {len(splits)} numbers and {len(lineage)} levels, "
                f"other symbols {len(first.splits)} and {len(first.lineage)}",
                where=where,
                fix="all symbols have as many",
            )
        put(found, fields[0], _Symbol(splits, mass, lineage, where), line, where)
    return found


def _is_count(text: str) -> bool:
    """1 or more, and not so many that nothing could hold them."""
    return text.isdecimal() and len(text) < 10 and int(text) > 0


def _read_rules(lines: Numbered, binary: Table, unary: Table) -> None:
    for where, line in lines:
        if found := _UNARY.fullmatch(line):
            x, *path, y = FIELD.findall(found[1])[::2]
            unary.add((x, y), 2, found[2], found[3], where, path)
        elif found := _BINARY.fullmatch(line):
            x, y, z, weight, numbers = found.groups()
            binary.add((x, y, z), 3, weight, numbers, where)
        else:
            raise InputError(
                f"not a rule: {line[:60]!r}",
                where=where,
                fix="it reads `A -> B C weight : probabilities` or `A -> B weight : probabilities`",
            )


def _read_lexicon(lines: Numbered, lexical: Table) -> None:
    for where, line in lines:
        found = _ENTRY.fullmatch(line)
        if found is None:
            fix = "it reads `TAG -> word weight : probabilities`"
            raise InputError(f"not an entry: {line[:60]!r}", where=where, fix=fix)
        tag, word, weight, numbers = found.groups()
        lexical.add((tag, word), 1, weight, numbers, where)


def _groups(fields: Iterable[str]) -> list[list[str]]:
    """Fields between colons."""
    found: list[list[str]] = [[]]
    for field in fields:
        if field == ":":
            found.append([])
        else:
            found[-1].append(field)
    return found


def _blocks(coarse: PCFG, symbols: dict[str, _Symbol], tables: Sequence[Table], number: int) -> Blocks:
    """The probabilities of one of the grammars, in the order of the rules."""
    from secateur.kernels.split.tree_em import Blocks

    names, lexicon = coarse.symbols, coarse.lexicon
    words = np.repeat(np.array(lexicon.words, object), np.diff(lexicon.ptr)[:-1])
    binary, unary = coarse.binary, coarse.unary
    columns = (
        [[names[s] for s in ids.tolist()] for ids in (binary.parent, binary.left, binary.right)],
        [[names[s] for s in ids.tolist()] for ids in (unary.parent, unary.child)],
        [[names[t] for t in lexicon.tag.tolist()], words.tolist()],
    )
    parts: list[npt.NDArray[Any]] = []
    for table, keys in zip(tables, columns, strict=True):
        flat = np.array(table.numbers[number])
        wrong = np.flatnonzero(~((flat >= 0.0) & (flat <= 1.0 + TOLERANCE)))
        if len(wrong):
            row = np.searchsorted(np.array(table.ends[number]), wrong[0], "right") - 1
            fix = "probabilities are from 0 to 1"
            raise InputError(f"the probability {flat[wrong[0]]}", where=table.where[row], fix=fix)
        parts += table.ordered(zip(*keys, strict=True), number)
    splits = np.array([symbols[name].splits[number] for name in names], np.uint32)
    return Blocks(splits, *parts)


def _check_symbols(coarse: PCFG, symbols: dict[str, _Symbol]) -> None:
    idle = set(symbols).difference(coarse.symbols)
    for name, symbol in symbols.items():
        if name in idle:
            raise InputError(f"no rule has the symbol {name}", where=symbol.where, fix="delete the line")
    start = symbols[coarse.start]
    if max(start.splits) > 1:
        raise InputError(
            f"the start symbol {coarse.start} is split", where=start.where, fix="give it one sub-symbol"
        )


def _check_sums(coarse: PCFG, blocks: Blocks, symbols: dict[str, _Symbol]) -> None:
    """The rules of a sub-symbol sum to 1, or to 0 where nothing uses it.

    What tags give to words only serves to compare tags: it need not sum to 1.
    """
    total = np.zeros((len(blocks.splits), int(blocks.splits.max())))
    splits = blocks.splits.tolist()
    for parent, ptr, flat in (
        (coarse.binary.parent, blocks.binary_ptr, blocks.binary),
        (coarse.unary.parent, blocks.unary_ptr, blocks.unary),
    ):
        for x, (begin, end) in zip(parent.tolist(), pairwise(ptr.tolist()), strict=True):
            total[x, : splits[x]] += flat[begin:end].reshape(splits[x], -1).sum(1)
    off = (np.abs(total - 1.0) > TOLERANCE) & (total != 0.0)
    off[coarse.tags] = total[coarse.tags] > 1.0 + TOLERANCE
    for x, a in np.argwhere(off).tolist():
        name = coarse.symbols[x]
        raise InputError(
            f"the rules of sub-symbol {a} of {name} sum to {total[x, a]:.6g}",
            where=symbols[name].where,
            fix="divide its probabilities by that, so that they sum to 1",
        )
