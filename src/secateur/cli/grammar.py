"""secateur grammar: induce, info, check, convert."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from secateur.cli import inputs
from secateur.cli.dialects import Dialect, check_dialect, write, written
from secateur.cli.faults import faults
from secateur.cli.figures import report
from secateur.cli.induction import INDUCTIONS, Induction
from secateur.cli.options import GrammarOutput, Json, Quiet, Source
from secateur.cli.spread import Given
from secateur.cli.terminal import count, err, print_faults, print_json, print_pairs, print_table, progress
from secateur.errors import InputError
from secateur.grammar.files import read_any
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.pcfg import PCFG
from secateur.treebanks.annotation import read_files
from secateur.treebanks.discontinuous import DISCONTINUOUS
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.reading import annotation_of

if TYPE_CHECKING:
    from secateur.grammar.latent.grammar import SplitPCFG

HELP = "Induce, describe, check and convert grammars."

File = Annotated[str, typer.Argument(help="A grammar file, plain or gzipped; or a model, for its grammar.")]
To = Annotated[
    Dialect | None,
    typer.Option(
        "--to", help="The dialect to write: split for a split grammar, else secateur; disco-dop for a PLCFRS."
    ),
]

# Notes that every grammar file repeats from its content.
_REPEATED = {"start", "nBinary", "nUnary", "nLex"}


def induce(
    files: Annotated[list[str], typer.Argument(help='Treebank files; "-" for standard input.')],
    output: GrammarOutput,
    *,
    source: Source,
    inducing: Given,
    reading: Given,
    to: To = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Leave out longer sentences.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read a grammar off a treebank: relative frequencies of the binarized trees' rules.

    A PCFG off phrases (Penn brackets); a PLCFRS off discontinuous ones (export, TIGER-XML, Alpino,
    discbracket).
    """
    given = [source.opened(file) for file in files]
    annotation = annotation_of(given)
    if annotation is not DISCONTINUOUS:
        annotation = PHRASES  # which refuses dependencies
    make: Induction = INDUCTIONS[annotation.name](**inducing.of(annotation.name))
    check_dialect(to, PLCFRS if annotation is DISCONTINUOUS else PCFG, " ".join(files))
    trees = read_files(annotation, given, inputs.reading_of(annotation, reading))
    if max_length:
        trees = trees.filter(max_length=max_length)
    with inputs.located(trees.name):
        grammar = make(progress(trees, "counting", total=len(trees), quiet=quiet))
    write(grammar, output, to, where=trees.name, quiet=quiet)
    found = report(grammar)
    if json:
        print_json(found)
    elif not quiet:
        err.print(
            f"{written(output, to)}: from {count(len(trees), 'tree')}, "
            f"{count(len(grammar.symbols), 'symbol')}{_up_to(grammar)}, "
            f"{count(len(grammar.binary.weight), 'binary rule')}, "
            f"{count(len(grammar.unary.weight), 'unary rule')}, {count(found['words'], 'word')}"
        )


def _up_to(grammar: PCFG | PLCFRS) -> str:
    return f" of fan-out {grammar.fanout.max()} at most" if isinstance(grammar, PLCFRS) else ""


def info(file: File, *, json: Json = False) -> None:
    """Sizes of a grammar, how it was made, the symbols with most rules, the longest unary chains.

    Of a PLCFRS also fan-outs, and the power of the length that parsing takes.
    """
    given = _read(file)
    grammar = given if isinstance(given, PCFG | PLCFRS) else given.coarse
    with inputs.located(file):
        found = report(given)
    if json:
        print_json({**found, "notes": grammar.notes})
        return
    print_pairs({**found, **{k: v for k, v in grammar.notes.items() if k not in _REPEATED}})
    print()
    children = np.bincount(grammar.binary.parent, minlength=len(grammar.symbols))
    order = np.argsort(-children, kind="stable")[:10]
    print_table(["symbol", "binary rules"], ((grammar.symbols[s], int(children[s])) for s in order))
    paths = grammar.plain_paths if isinstance(grammar, PCFG) else grammar.unary.path
    chains = sorted({path for path in paths if path}, key=lambda path: (-len(path), path))
    if chains:
        print(f"\nlongest unary paths: {'; '.join(' '.join(path) for path in chains[:5])}")


def check(file: File, *, json: Json = False) -> None:
    """Read a grammar and list what a parser would trip over; exit code 1 if there is anything."""
    try:
        _read(file)
        # Composed unaries of a foreign grammar may well sum to more than 1: look at the rules as written.
        found = faults(_read(file, composed=False), file)
    except InputError as unreadable:
        found = [unreadable]
    print_faults(found, {}, json)


def convert(
    file: File,
    output: GrammarOutput,
    *,
    to: To = None,
    binarized: Annotated[
        bool, typer.Option("--binarized", help="Make rules of more than two symbols binary, in a PLCFRS.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Rewrite a grammar in another dialect; unary chains are composed only for the secateur dialect.

    A split grammar can be made flat. Berkeley-split writes the files of a text export: OUTPUT.grammar,
    OUTPUT.lexicon, OUTPUT.splits, and others; of a product, the first grammar. disco-dop writes OUTPUT.rules
    and OUTPUT.lex, where rules are binary.
    """
    grammar = _read(file, composed=to in (None, Dialect.secateur))
    if binarized:
        if not isinstance(grammar, PLCFRS):
            raise InputError("only a PLCFRS has longer rules", where=file, fix="leave --binarized out")
        with inputs.located(file):
            grammar = grammar.binarized()
    write(grammar, output, to, where=file, quiet=quiet)


def _read(file: str, *, composed: bool = True) -> PCFG | SplitPCFG | PLCFRS:
    if os.path.isdir(file):
        from secateur.grammar.latent.grammar import SplitPCFG  # with the kernels, which few commands need

        found = getattr(inputs.read_model(file).parts, "grammar", None)
        if not isinstance(found, PCFG | SplitPCFG | PLCFRS):
            raise InputError(
                "this model has no grammar", where=file, fix="name a model of kind pcfg or lcfrs"
            )
        return found
    with inputs.located(file):
        return read_any(file, composed=composed)
