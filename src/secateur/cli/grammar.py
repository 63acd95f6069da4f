"""secateur grammar: induce, info, check, convert."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from secateur.cli import inputs
from secateur.cli.options import Encoding, From, GrammarOutput, Json, Quiet
from secateur.cli.spread import Given
from secateur.cli.terminal import count, err, print_json, print_pairs, print_table, progress
from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import Smoothing
from secateur.grammar.induce import induce as induce_from
from secateur.grammar.lexicon import UNKNOWN
from secateur.grammar.pcfg import PCFG, TOLERANCE
from secateur.grammar.text import read_any, write_grammar
from secateur.treebanks.annotation import read_files
from secateur.treebanks.phrases import PHRASES

if TYPE_CHECKING:
    from secateur.grammar.latent.grammar import SplitPCFG

HELP = "Induce, describe, check and convert grammars."

File = Annotated[str, typer.Argument(help="A grammar file, plain or gzipped; or a model, for its grammar.")]

# Notes that every grammar file repeats from its content.
_REPEATED = {"start", "nBinary", "nUnary", "nLex"}


class Direction(StrEnum):
    left = "left"
    right = "right"


class Dialect(StrEnum):
    secateur = "secateur"
    Berkeley = "Berkeley"
    CSLU = "CSLU"
    split_ = "split"
    Berkeley_split = "Berkeley-split"


_FOR_SPLIT = (Dialect.split_, Dialect.Berkeley_split)


def induce(
    files: Annotated[list[str], typer.Argument(help='Treebank files; "-" for standard input.')],
    output: GrammarOutput,
    *,
    binarization: Annotated[
        Direction, typer.Option(help="Which children are grouped first.")
    ] = Direction.left,
    h: Annotated[
        int, typer.Option("--horizontal", "-H", min=-1, help="Sibling history; -1 for all of it.")
    ] = 0,
    v: Annotated[
        int, typer.Option("--vertical", "-V", min=1, help="1: labels alone; 2: with their parent's.")
    ] = 1,
    rare: Annotated[int, typer.Option(min=0, help="Words seen at most so often also train their class.")] = 3,
    prior: Annotated[float, typer.Option(min=0.0, help="Weight of a class's tags for its rare words.")] = 0.3,
    max_length: Annotated[int | None, typer.Option(min=1, help="Leave out longer sentences.")] = None,
    reading: Given,
    from_: From = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read a PCFG off a treebank: relative frequencies of the binarized trees' rules."""
    how = inputs.reading_of(PHRASES, reading)
    trees = read_files(PHRASES, files, how, format=from_, encoding=encoding)
    if max_length:
        trees = trees.filter(max_length=max_length)
    with inputs.located(trees.name):
        grammar = induce_from(
            progress(trees, "counting", total=len(trees), quiet=quiet),
            binarization=Binarization(binarization.value, None if h < 0 else h, v),
            smoothing=Smoothing(rare, prior),
        )
    write_grammar(grammar, output)
    if json:
        print_json(report(grammar))
    elif not quiet:
        err.print(
            f"{output}: from {count(len(trees), 'tree')}, {count(len(grammar.symbols), 'symbol')}, "
            f"{count(len(grammar.binary.weight), 'binary rule')}, "
            f"{count(len(grammar.unary.weight), 'unary rule')}, {count(_words(grammar), 'word')}"
        )


def info(file: File, *, json: Json = False) -> None:
    """Sizes of a grammar, how it was made, the symbols with most rules, the longest unary chains."""
    given = _read(file)
    grammar = given if isinstance(given, PCFG) else given.coarse
    figures = report(grammar) if isinstance(given, PCFG) else {**report(grammar), **_split_report(given)}
    if json:
        print_json({**figures, "notes": grammar.notes})
        return
    print_pairs({**figures, **{k: v for k, v in grammar.notes.items() if k not in _REPEATED}})
    print()
    children = np.bincount(grammar.binary.parent, minlength=len(grammar.symbols))
    order = np.argsort(-children, kind="stable")[:10]
    print_table(["symbol", "binary rules"], ((grammar.symbols[s], int(children[s])) for s in order))
    chains = sorted({path for path in grammar.plain_paths if path}, key=lambda path: (-len(path), path))
    if chains:
        print(f"\nlongest unary paths: {'; '.join(' '.join(path) for path in chains[:5])}")


def check(file: File, *, json: Json = False) -> None:
    """Read a grammar and list what a parser would trip over; exit code 1 if there is anything."""
    try:
        _read(file)
        # Composed unaries of a foreign grammar may well sum to more than 1: look at the rules as written.
        grammar = _read(file, composed=False)
        found = faults(grammar, file) if isinstance(grammar, PCFG) else _split_faults(grammar, file)
    except InputError as unreadable:
        found = [unreadable]
    if json:
        print_json({"faults": [{"where": f.where, "what": f.what, "fix": f.fix} for f in found]})
    else:
        for fault in found:
            print(fault)
        print(count(len(found), "fault"))
    if found:
        raise typer.Exit(1)


def convert(
    file: File,
    output: GrammarOutput,
    *,
    to: Annotated[
        Dialect | None,
        typer.Option("--to", help="The dialect to write: split for a split grammar, else secateur."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Rewrite a grammar in another dialect; unary chains are composed only for the secateur dialect.

    A split grammar can be made flat. Berkeley-split writes the files of a text export: OUTPUT.grammar,
    OUTPUT.lexicon, OUTPUT.splits, and others; of a product, the first grammar.
    """
    grammar = _read(file, composed=to in (None, Dialect.secateur))
    if not isinstance(grammar, PCFG):
        if to in (None, *_FOR_SPLIT):
            _write_split(grammar, output, to, quiet=quiet)
            return
        grammar = grammar.flat()
    if to in _FOR_SPLIT:
        fix = "name another dialect, or a grammar that `secateur train` split"
        raise InputError(f"{to.value} is for split grammars, and this is none", where=file, fix=fix)
    dialect = to or Dialect.secateur
    write_grammar(grammar, output, dialect=dialect.value)
    lost = sum(map(bool, grammar.unary.path)) if dialect is not Dialect.secateur else 0
    if lost and not quiet:
        err.print(
            f"{count(lost, 'unary path')} left out: {dialect.value} has no place for the labels passed over"
        )


def _read(file: str, *, composed: bool = True) -> PCFG | SplitPCFG:
    if os.path.isdir(file):
        from secateur.grammar.latent.grammar import SplitPCFG  # with the kernels, which few commands need

        found = getattr(inputs.read_model(file).parts, "grammar", None)
        if not isinstance(found, PCFG | SplitPCFG):
            raise InputError("this model has no grammar", where=file, fix="name a model of kind pcfg")
        return found
    with inputs.located(file):
        return read_any(file, composed=composed)


def _write_split(grammar: SplitPCFG, output: Path, to: Dialect | None, *, quiet: bool) -> None:
    if to is Dialect.Berkeley_split:
        from secateur.grammar.latent.berkeley import write_berkeley

        if grammar.others and not quiet:
            err.print(
                f"the first of {len(grammar.others) + 1} grammars: an export has no place for a product"
            )
        write_berkeley(replace(grammar, others=()), output)
    else:
        from secateur.grammar.latent.text import write_split

        write_split(grammar, output)


def report(grammar: PCFG) -> dict[str, Any]:
    """The figures of a grammar."""
    return {
        "start": grammar.start,
        "symbols": len(grammar.symbols),
        "made by binarization": int(grammar.intermediate.sum()),
        "tags": int(grammar.tags.sum()),
        "binary rules": len(grammar.binary.weight),
        "unary rules": len(grammar.unary.weight),
        "composed unaries": sum(map(bool, grammar.unary.path)),
        "words": _words(grammar),
        "unknown-word classes": len(grammar.lexicon.words) - _words(grammar),
        "lexical entries": len(grammar.lexicon.weight),
    }


def _split_report(grammar: SplitPCFG) -> dict[str, Any]:
    """What a split grammar has more."""
    blocks = grammar.blocks
    numbers = sum(len(part) for part in (blocks.binary, blocks.unary, blocks.lexical))
    return {
        "levels of splits": len(grammar.ancestry),
        "sub-symbols": int(blocks.splits.sum()),
        "probabilities": numbers,
    }


def _words(grammar: PCFG) -> int:
    """Words, without the classes that stand for unknown ones."""
    return sum(word.partition("-")[0] != UNKNOWN for word in grammar.lexicon.words)


def faults(grammar: PCFG, file: str) -> list[InputError]:
    """Improper symbols, symbols that derive nothing, symbols that are never reached, no unknown words."""
    found = [
        (f"the rules of {name} sum to {mass:.4f}, more than 1", "lower their weights")
        for name, mass in grammar.improper()
    ]
    return [*(InputError(what, where=file, fix=fix) for what, fix in found), *_gaps(grammar, file)]


def _split_faults(grammar: SplitPCFG, file: str) -> list[InputError]:
    """Improper sub-symbols, and what the unsplit grammar lacks.

    In our own format sums are checked on reading. In a Berkeley export unaries stand for chains of any
    length, so that binary rules alone are looked at.
    """
    coarse, blocks = grammar.coarse, grammar.blocks
    sums = np.zeros((len(coarse.symbols), int(blocks.splits.max())))
    for rule, parent in enumerate(coarse.binary.parent.tolist()):
        block = blocks.binary[int(blocks.binary_ptr[rule]) : int(blocks.binary_ptr[rule + 1])]
        splits = int(blocks.splits[parent])
        sums[parent, :splits] += block.reshape(splits, -1).sum(axis=1)
    found = [
        InputError(
            f"the binary rules of {coarse.symbols[x]}_{a} sum to {sums[x, a]:.4f}, more than 1",
            where=file,
            fix="lower their weights",
        )
        for x, a in np.argwhere(sums > 1.0 + TOLERANCE).tolist()
    ]
    return [*found, *_gaps(coarse, file)]


def _gaps(grammar: PCFG, file: str) -> list[InputError]:
    found = []
    derives, reached = _useful(grammar)
    for ok, what, fix in (
        (derives, "derives no words", "add rules for it, or delete those that use it"),
        (reached, f"is never reached from {grammar.start}", "use it in a rule, or delete its own"),
    ):
        found += [(f"{grammar.symbols[s]} {what}", fix) for s in np.flatnonzero(~ok)]
    if UNKNOWN not in grammar.lexicon.index:
        what = "no entry for unknown words: sentences with a new word have no parse"
        found.append((what, f"add entries such as `TAG -> {UNKNOWN} weight`"))
    return [InputError(what, where=file, fix=fix) for what, fix in found]


def _useful(grammar: PCFG) -> tuple[Any, Any]:
    """[N] whether a symbol derives words, and whether the start symbol leads to it."""
    derives = grammar.tags.copy()
    reached = np.zeros(len(grammar.symbols), bool)
    reached[grammar.number[grammar.start]] = True
    binary, unary = grammar.binary, grammar.unary
    before = -1
    while before < derives.sum() + reached.sum():
        before = derives.sum() + reached.sum()
        derives[binary.parent[derives[binary.left] & derives[binary.right]]] = True
        derives[unary.parent[derives[unary.child]]] = True
        for children in (binary.left, binary.right):
            reached[children[reached[binary.parent]]] = True
        reached[unary.child[reached[unary.parent]]] = True
    return derives, reached
