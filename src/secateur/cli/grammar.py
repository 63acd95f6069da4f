"""secateur grammar: induce, info, check, convert."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from secateur.cli import inputs
from secateur.cli.terminal import (
    Encoding,
    From,
    Json,
    Keep,
    Quiet,
    err,
    print_json,
    print_pairs,
    print_table,
    progress,
)
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import Smoothing
from secateur.grammar.induce import induce as induce_from
from secateur.grammar.pcfg import PCFG
from secateur.grammar.text import read_grammar, write_grammar

app = typer.Typer(help="Induce, describe, check and convert grammars.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="A grammar file, plain or .gz.")]
To = Annotated[Path, typer.Option("--output", "-o", help="The grammar file to write, .gz to compress it.")]


class Direction(StrEnum):
    left = "left"
    right = "right"


class Dialect(StrEnum):
    secateur = "secateur"
    Berkeley = "Berkeley"
    CSLU = "CSLU"


@app.command()
def induce(
    treebank: Annotated[str, typer.Argument(help="Trees to read the grammar from.")],
    output: To,
    *,
    binarization: Annotated[
        Direction, typer.Option(help="Which children are grouped first.")
    ] = Direction.left,
    h: Annotated[int, typer.Option("--horizontal", "-H", help="Sibling history; -1 for all of it.")] = 0,
    v: Annotated[
        int, typer.Option("--vertical", "-V", min=1, help="1: labels alone; 2: with their parent's.")
    ] = 1,
    rare: Annotated[int, typer.Option(min=0, help="Words seen at most so often also train their class.")] = 3,
    prior: Annotated[float, typer.Option(min=0.0, help="Weight of a class's tags for its rare words.")] = 0.3,
    max_length: Annotated[int | None, typer.Option(min=1, help="Leave out longer sentences.")] = None,
    keep: Keep = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read a PCFG off a treebank: relative frequencies of the binarized trees' rules."""
    trees = inputs.read_treebank(treebank, format=from_, encoding=encoding, keep=keep)
    if max_length:
        trees = trees.filter(max_length=max_length)
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
            f"{output}: " + ", ".join(f"{value} {name}" for name, value in list(report(grammar).items())[:6])
        )


@app.command()
def info(file: File, *, json: Json = False) -> None:
    """Sizes of a grammar, how it was made, its most frequent made symbols and longest unary chains."""
    grammar = read_grammar(file)
    found = report(grammar)
    if json:
        print_json({**found, "notes": grammar.notes})
        return
    print_pairs({**found, **{f"note: {key}": value for key, value in grammar.notes.items()}})
    children = np.bincount(grammar.binary.parent, minlength=len(grammar.symbols))
    order = np.argsort(-children, kind="stable")[:10]
    print_table("", ["symbol", "binary rules"], ((grammar.symbols[s], int(children[s])) for s in order))
    chains = sorted(set(grammar.plain_paths), key=lambda path: (-len(path), path))[:5]
    if chains and chains[0]:
        print_pairs({"longest unary paths": "; ".join(" ".join(path) for path in chains if path)})


@app.command()
def check(file: File, *, json: Json = False) -> None:
    """Read a grammar and say what a parser would trip over; exit code 1 if there is anything."""
    grammar = read_grammar(file)
    problems = faults(grammar)
    if json:
        print_json({"faults": problems})
    else:
        for problem in problems:
            print(f"{file}  {problem}")
        print(f"{len(problems)} faults")
    if problems:
        raise typer.Exit(1)


@app.command()
def convert(
    file: File,
    output: To,
    *,
    to: Annotated[Dialect, typer.Option("--to", help="The dialect to write.")] = Dialect.secateur,
) -> None:
    """Rewrite a grammar in another dialect; unary chains are composed only for the secateur dialect."""
    grammar = read_grammar(file, composed=to is Dialect.secateur)
    write_grammar(grammar, output, dialect=to.value)
    lost = sum(map(bool, grammar.unary.path)) if to is not Dialect.secateur else 0
    if lost:
        err.print(f"{lost} composed unaries lose the labels they pass over: {to.value} has no place for them")


def report(grammar: PCFG) -> dict[str, Any]:
    """The figures of a grammar."""
    words = [word for word in grammar.lexicon.words if not word.startswith("UNK")]
    return {
        "symbols": len(grammar.symbols),
        "made symbols": int(grammar.intermediate.sum()),
        "tags": int(grammar.tags.sum()),
        "binary rules": len(grammar.binary.weight),
        "unary rules": len(grammar.unary.weight),
        "words": len(words),
        "unknown-word classes": len(grammar.lexicon.words) - len(words),
        "lexical entries": len(grammar.lexicon.weight),
        "composed unaries": sum(map(bool, grammar.unary.path)),
        "start": grammar.start,
    }


def faults(grammar: PCFG) -> list[str]:
    """Improper symbols, symbols that derive nothing, symbols that are never reached, no unknown words."""
    found = [f"the rules of {name} sum to {mass:.4f}, more than 1" for name, mass in grammar.improper()]
    derives = grammar.tags.copy()
    reached = np.zeros(len(grammar.symbols), bool)
    reached[grammar.number[grammar.start]] = True
    binary, unary = grammar.binary, grammar.unary
    for _ in grammar.symbols:
        before = derives.sum() + reached.sum()
        derives[binary.parent[derives[binary.left] & derives[binary.right]]] = True
        derives[unary.parent[derives[unary.child]]] = True
        for children in (binary.left, binary.right):
            reached[children[reached[binary.parent]]] = True
        reached[unary.child[reached[unary.parent]]] = True
        if derives.sum() + reached.sum() == before:
            break
    found += [f"{name} derives no words" for name, ok in zip(grammar.symbols, derives, strict=True) if not ok]
    found += [f"{name} is never reached" for name, ok in zip(grammar.symbols, reached, strict=True) if not ok]
    if "UNK" not in grammar.lexicon.index:
        found.append("no entry for unknown words: sentences with a new word have no parse")
    return found
