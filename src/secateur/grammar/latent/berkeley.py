"""Split grammars as the Berkeley parser exports them to text: files of one stem, plain or gzipped.

    STEM.grammar    NP_0 -> DT_1 NN_0 0.25 and S_0 -> VP_1 0.125: probabilities of sub-symbols' rules
    STEM.lexicon    NN cat [1.0E-4, 2.0E-4]: of a word, or of a class of unknown ones, from each sub-tag
    STEM.splits     NP, a tab, (0 (0 0 1) (1 2)): the tree of splits of each symbol but the start
    STEM.words      the known words, for programs that ask for them; not read here
    STEM.paths      ROOT -> S -> VP: the labels that a unary passes over; ours alone, others leave it

A node has one unary at most, as here, and where it has none, other programs want a rule NP_0 -> NP_0 1.0:
such rules are written, and dropped when read. Symbols made by binarization begin with @.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.latent.lineage import lineage_text, read_lineage, transposed
from secateur.grammar.latent.use import expected_use
from secateur.grammar.lexicon import UNKNOWN
from secateur.grammar.lines import CUT_OFF, FIELD, check_names, placed, put, write_lines
from secateur.grammar.pcfg import PCFG, TOLERANCE, Ids
from secateur.treebanks.formats import source

if TYPE_CHECKING:  # at run time, numba would come with them
    from secateur.grammar.latent.grammar import SplitPCFG
    from secateur.kernels.split.tree_em import Blocks

Floats = npt.NDArray[np.float64]

ROOT = "ROOT"  # the start symbol of the Berkeley parser
_ENTRY = re.compile(r"([^ \t]+)[ \t]+([^ \t]+)[ \t]+\[([^][]*)\]\s*")
_SUB = re.compile(r"(.+)_([0-9]+)")


# Writing ----------------------------------------------------------------------------------------------------


def write_berkeley(grammar: SplitPCFG, stem: str | os.PathLike[str]) -> None:
    """Write the files of a stem, which may be named by its STEM.grammar; each appears whole or not at all."""
    coarse = grammar.coarse
    if grammar.others:
        what = f"a product of {len(grammar.others) + 1} grammars"
        raise InputError(what, where=os.fspath(stem), fix="write each of them to files of its own")
    lexicon, paths = coarse.lexicon, coarse.unary.path
    check_names((*coarse.symbols, *lexicon.words, *(label for path in paths for label in path)))
    names = [_exported(name, tag) for name, tag in zip(coarse.symbols, coarse.tags.tolist(), strict=True)]
    trees = (
        f"{name}\t{lineage_text(grammar.ancestry, x)}"
        for x, name in enumerate(names)
        if coarse.symbols[x] != coarse.start
    )
    for kind, lines in (
        ("grammar", _grammar_lines(grammar, names)),
        ("lexicon", _lexicon_lines(grammar, names)),
        ("splits", trees),
        ("words", (word for word in lexicon.words if word.partition("-")[0] != UNKNOWN)),
        ("paths", _path_lines(coarse, names)),
    ):
        write_lines(lines, f"{_stem(stem)}.{kind}")


def _grammar_lines(grammar: SplitPCFG, names: Sequence[str]) -> Iterator[str]:
    binary, unary, blocks = grammar.coarse.binary, grammar.coarse.unary, grammar.blocks
    splits = blocks.splits.tolist()
    for columns, ptr, flat in (
        ((binary.parent, binary.left, binary.right), blocks.binary_ptr, blocks.binary),
        ((unary.parent, unary.child), blocks.unary_ptr, blocks.unary),
    ):
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for row, (begin, end) in zip(rows, pairwise(ptr.tolist()), strict=True):
            shape = [splits[x] for x in row]
            for at in np.flatnonzero(flat[begin:end] > 0.0).tolist():
                numbers = np.unravel_index(at, shape)
                parent, *below = (f"{names[x]}_{a}" for x, a in zip(row, numbers, strict=True))
                yield f"{parent} -> {' '.join(below)} {float(flat[begin + at])!r}"
    for name, k in zip(names, splits, strict=True):
        for a in range(k):
            yield f"{name}_{a} -> {name}_{a} 1.0"


def _lexicon_lines(grammar: SplitPCFG, names: Sequence[str]) -> Iterator[str]:
    lexicon, blocks = grammar.coarse.lexicon, grammar.blocks
    words = np.repeat(np.arange(len(lexicon.words)), np.diff(lexicon.ptr)[:-1]).tolist()
    rows = zip(lexicon.tag.tolist(), words, pairwise(blocks.lexical_ptr.tolist()), strict=True)
    for t, w, (begin, end) in rows:
        numbers = ", ".join(map(repr, blocks.lexical[begin:end].tolist()))
        yield f"{names[t]} {lexicon.words[w]} [{numbers}]"


def _path_lines(coarse: PCFG, names: Sequence[str]) -> Iterator[str]:
    unary = coarse.unary
    for y, x, path in zip(unary.child.tolist(), unary.parent.tolist(), unary.path, strict=True):
        if path:
            yield " -> ".join((names[x], *path, names[y]))


def _exported(name: str, tag: bool) -> str:
    """Programs know made symbols by their @."""
    return f"@{name}" if "|<" in name and not tag and not name.startswith("@") else name


def _imported(name: str, tag: bool) -> str:
    """NP|<A-B> from @NP|<A-B>, and NP^<S> from NP^S."""
    if tag:
        return name
    if "|<" in name:
        return name.removeprefix("@")
    label, _, parent = name.partition("^")
    return f"{label}^<{parent}>" if label and parent and not parent.startswith("<") else name


# Reading ----------------------------------------------------------------------------------------------------


_SubRule = tuple[tuple[int, ...], float, int]  # numbers of the sub-symbols, probability, line


@dataclass(slots=True)
class _Export:
    """What the files say."""

    rules: dict[tuple[str, ...], list[_SubRule]] = field(default_factory=dict)
    entries: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    highest: dict[str, tuple[int, int]] = field(default_factory=dict)  # sub-symbol in a rule, and the line
    splits: dict[str, int] = field(default_factory=dict)
    lineages: dict[str, tuple[Ids, ...]] = field(default_factory=dict)
    paths: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    start: str = ROOT


def read_berkeley(stem: str | os.PathLike[str]) -> SplitPCFG:
    """The split grammar of a stem, or of its file STEM.grammar; without STEM.splits, of a single level.

    How often sub-symbols are used is not in the files: it is what the grammar itself leads to expect.
    """
    from secateur.grammar.latent.grammar import SplitPCFG

    base = _stem(stem)
    export = _Export()
    _read_lexicon(_found(base, "lexicon"), export)
    grammar_file = _found(base, "grammar")
    _read_rules(grammar_file, export)
    has_trees = _exists(base, "splits")
    if has_trees:
        _read_splits(_found(base, "splits"), export)
    else:
        warnings.warn(f"{base}.splits is missing: without its levels, parsing takes longer", stacklevel=2)
    if _exists(base, "paths"):
        _read_paths(_found(base, "paths"), export)
    _settle(export, grammar_file, has_trees)
    tags = {tag for tag, _ in export.entries}
    names = {name: _imported(name, name in tags) for name in export.splits}
    with placed(grammar_file):
        coarse = PCFG.build(
            names[export.start],
            ((names[key[0]], names[key[1]], names[key[2]], 0.0) for key in export.rules if len(key) == 3),
            (
                (names[key[0]], names[key[1]], 0.0, export.paths.get((key[0], key[1]), ()))
                for key in export.rules
                if len(key) == 2
            ),
            ((names[tag], word, 0.0) for tag, word in export.entries),
            {"format": "Berkeley export"},
        )
    foreign = {name: given for given, name in names.items()}
    order = [foreign[name] for name in coarse.symbols]
    blocks = _blocks(coarse, order, export, grammar_file)
    mass = expected_use(coarse, blocks)
    ancestry = transposed([export.lineages[name] for name in order])
    return SplitPCFG(_weighed(coarse, blocks, mass, ancestry), blocks, mass, ancestry)


def _stem(path: str | os.PathLike[str]) -> str:
    return os.fspath(path).removesuffix(".gz").removesuffix(".grammar")


def _exists(base: str, kind: str) -> bool:
    return any(Path(f"{base}.{kind}{end}").exists() for end in ("", ".gz"))


def _found(base: str, kind: str) -> str:
    """The file of a kind, which may be gzipped."""
    path = f"{base}.{kind}"
    if _exists(base, kind):
        return path if Path(path).exists() else f"{path}.gz"
    name = Path(base).name
    fix = f"a Berkeley grammar is exported to {name}.grammar, {name}.lexicon and {name}.splits: copy them all"
    raise InputError("no such file", where=path, fix=fix)


def _read_lexicon(path: str, export: _Export) -> None:
    for number, line in enumerate(source.lines(path), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        found = _ENTRY.fullmatch(line)
        if found is None:
            fix = "an entry reads `NN cat [0.1, 0.2]`: a probability from each sub-tag"
            raise InputError(f"not an entry: {line.strip()[:60]!r}", where=where, fix=fix)
        tag, word = found[1], found[2]
        numbers = [_probability(text.strip(), where, most=np.inf) for text in found[3].split(",")]
        if export.splits.setdefault(tag, len(numbers)) != len(numbers):
            what = f"{len(numbers)} probabilities, where {tag} had {export.splits[tag]} before"
            raise InputError(what, where=where, fix=f"one for each sub-tag; {CUT_OFF}")
        put(export.entries, (tag, word), numbers, line, where)
    if not export.entries:
        raise InputError("no words in it", where=path, fix=CUT_OFF)


def _read_rules(path: str, export: _Export) -> None:
    known: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(source.lines(path), 1):
        fields = FIELD.findall(line)
        if not fields:
            continue
        if len(fields) not in (4, 5) or fields[1] != "->":
            fix = "a rule reads `NP_0 -> DT_1 NN_0 0.25` or `S_0 -> VP_1 0.125`"
            raise InputError(f"not a rule: {line.strip()[:60]!r}", where=f"{path}:{number}", fix=fix)
        subs = []
        for text in (fields[0], *fields[2:-1]):
            if text not in known:
                known[text] = _sub_symbol(text, f"{path}:{number}")
                name, a = known[text]
                export.highest[name] = max((a, number), export.highest.get(name, (-1, 0)))
            subs.append(known[text])
        p = _probability(fields[-1], f"{path}:{number}", most=1.0 + TOLERANCE)
        names = tuple(name for name, _ in subs)
        # Over a symbol itself there is nothing to see of it: a rule for nodes without a unary.
        if p > 0.0 and (len(names) == 3 or names[0] != names[1]):
            export.rules.setdefault(names, []).append((tuple(a for _, a in subs), p, number))


def _read_splits(path: str, export: _Export) -> None:
    for number, line in enumerate(source.lines(path), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        name, _, tree = line.strip().partition("\t")
        with placed(where):
            lineage = read_lineage(tree)
        first = next(iter(export.lineages.values()), lineage)
        if len(first) != len(lineage):
            what = f"{len(lineage)} levels of splits, where the symbols before have {len(first)}"
            raise InputError(what, where=where, fix=f"all have as many; {CUT_OFF}")
        put(export.lineages, name, lineage, line, where)
        leaves = len(lineage[-1]) if lineage else 1
        if export.splits.get(name, leaves) != leaves:
            what = f"{leaves} sub-symbols of {name}, where the lexicon has {export.splits[name]}"
            raise InputError(what, where=where, fix="take both files from the same export")
        export.splits[name] = leaves


def _read_paths(path: str, export: _Export) -> None:
    for number, line in enumerate(source.lines(path), 1):
        fields = FIELD.findall(line)
        if not fields:
            continue
        if len(fields) < 5 or len(fields) % 2 == 0 or set(fields[1::2]) != {"->"}:
            fix = "a path reads `ROOT -> S -> VP`; or delete the file"
            raise InputError(f"not a path: {line.strip()[:60]!r}", where=f"{path}:{number}", fix=fix)
        export.paths[fields[0], fields[-1]] = tuple(fields[2:-1:2])


def _settle(export: _Export, path: str, has_trees: bool) -> None:
    """Find the start symbol, and the number and lineage of every symbol's sub-symbols."""
    parents = {key[0] for key in export.rules}
    if ROOT not in parents and has_trees:
        # The export has no tree of splits for the start symbol alone.
        export.start = next(iter(sorted(parents.difference(export.lineages))), ROOT)
    if export.start not in parents:
        raise InputError("no rule of the start symbol ROOT_0", where=path, fix=CUT_OFF)
    if export.splits.setdefault(export.start, 1) > 1:
        raise InputError(
            f"the start symbol {export.start} is split", where=path, fix="give it one sub-symbol"
        )
    levels = len(next(iter(export.lineages.values()), (0,)))
    export.lineages.setdefault(export.start, (np.zeros(1, np.uint32),) * levels)
    for name, (a, number) in export.highest.items():
        if a >= export.splits.setdefault(name, a + 1):
            what = f"there is no {name}_{a}: {name} has {export.splits[name]} of them"
            raise InputError(what, where=f"{path}:{number}", fix="take all files from the same export")
    # A symbol that is in no rule and has no words is none.
    used = {name for key in export.rules for name in key} | {tag for tag, _ in export.entries}
    export.splits = {name: k for name, k in export.splits.items() if name in used}
    for name, k in export.splits.items():
        if has_trees and name not in export.lineages:
            _, number = export.highest.get(name, (0, 1))
            what, fix = f"unknown symbol {name!r}", "give it a line in the .splits file, or delete that file"
            raise InputError(what, where=f"{path}:{number}", fix=fix)
        export.lineages.setdefault(name, (np.zeros(k, np.uint32),))


def _sub_symbol(text: str, where: str) -> tuple[str, int]:
    found = _SUB.fullmatch(text)
    if found is None:
        raise InputError(f"{text!r} is no sub-symbol", where=where, fix="sub-symbols read NP_0, NP_1, ...")
    return found[1], int(found[2])


def _probability(text: str, where: str, *, most: float) -> float:
    try:
        p = float(text)
    except ValueError:
        raise InputError(f"{text!r} is no probability", where=where, fix=CUT_OFF) from None
    if not (0.0 <= p <= most and p < np.inf):
        raise InputError(f"the probability {text}", where=where, fix="give one from 0 to 1, not its log")
    return p


def _blocks(coarse: PCFG, order: Sequence[str], export: _Export, path: str) -> Blocks:
    """The probabilities in the order of the rules; order: the symbols as the files name them."""
    from secateur.kernels.split.tree_em import Blocks

    splits = [export.splits[name] for name in order]
    parts: list[npt.NDArray[Any]] = []
    for ids in (
        (coarse.binary.parent, coarse.binary.left, coarse.binary.right),
        (coarse.unary.parent, coarse.unary.child),
    ):
        found = []
        for row in zip(*(column.tolist() for column in ids), strict=True):
            block = np.zeros([splits[x] for x in row])
            rules = export.rules[tuple(order[x] for x in row)]
            block[tuple(np.array([where for where, _, _ in rules]).T)] = [p for _, p, _ in rules]
            if np.count_nonzero(block) != len(rules):
                raise _duplicate(rules, [order[x] for x in row], path)
            found.append(block.ravel())
        parts += _joined(found)
    lexicon = coarse.lexicon
    words = np.repeat(np.array(lexicon.words, object), np.diff(lexicon.ptr)[:-1]).tolist()
    entries = zip(lexicon.tag.tolist(), words, strict=True)
    parts += _joined([np.array(export.entries[order[t], word]) for t, word in entries])
    return Blocks(np.array(splits, np.uint32), *parts)


def _joined(found: Sequence[Floats]) -> list[npt.NDArray[Any]]:
    return [np.cumsum([0, *map(len, found)]).astype(np.uint64), np.concatenate([*found, np.zeros(0)])]


def _duplicate(rules: Sequence[_SubRule], names: Sequence[str], path: str) -> InputError:
    """About the second of the first two that are the same."""
    where = sorted((numbers, line) for numbers, _, line in rules)
    numbers, line = next(after for before, after in pairwise(where) if before[0] == after[0])
    subs = " ".join(f"{name}_{a}" for name, a in zip(names, numbers, strict=True))
    fix = "keep one of them, or add their probabilities"
    return InputError(f"duplicate rule: {subs}", where=f"{path}:{line}", fix=fix)


def _weighed(coarse: PCFG, blocks: Blocks, mass: Floats, ancestry: Sequence[tuple[Ids, ...]]) -> PCFG:
    """The unsplit grammar: sub-symbols taken together by their use."""
    from secateur.grammar.latent.projection import project

    whole = project(coarse, blocks, mass, ancestry, 0)
    with np.errstate(divide="ignore"):  # rules that are never reached
        binary, unary, lexical = (np.log(np.minimum(part, 1.0)) for part in whole[2::2])
    return replace(
        coarse,
        binary=coarse.binary._replace(weight=binary),
        unary=coarse.unary._replace(weight=unary),
        lexicon=replace(coarse.lexicon, weight=lexical),
    )
