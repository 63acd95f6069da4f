"""What grammars can be written in."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from secateur.cli.terminal import count, err
from secateur.errors import InputError
from secateur.grammar.lcfrs.discodop import halves, write_discodop
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lines import placed
from secateur.grammar.pcfg import PCFG
from secateur.grammar.text import write_grammar

if TYPE_CHECKING:
    from secateur.grammar.latent.grammar import SplitPCFG


class Dialect(StrEnum):
    secateur = "secateur"
    Berkeley = "Berkeley"
    CSLU = "CSLU"
    split_ = "split"
    Berkeley_split = "Berkeley-split"
    disco_dop = "disco-dop"


# Dialects of one sort of grammar alone, and what that is.
_FOR_SPLIT = dict.fromkeys((Dialect.split_, Dialect.Berkeley_split), "split grammars")
_FOR_PLCFRS = {Dialect.disco_dop: "PLCFRSs"}
_FOR_PCFG = dict.fromkeys((Dialect.Berkeley, Dialect.CSLU), "PCFGs")


def check_dialect(to: Dialect | None, formalism: type[PCFG] | type[PLCFRS], where: str) -> None:
    """Refuse a dialect that has no place for grammars that are not split."""
    foreign = {**_FOR_SPLIT, **(_FOR_PCFG if formalism is PLCFRS else _FOR_PLCFRS)}
    if to is not None and to in foreign:
        fix = "name another dialect, or a grammar that `secateur train` split"
        if foreign[to] != "split grammars":
            fix = f"name another dialect: {' or '.join(each for each in Dialect if each not in foreign)}"
        raise InputError(f"{to.value} is for {foreign[to]}, and this is none", where=where, fix=fix)


def write(
    grammar: PCFG | SplitPCFG | PLCFRS, output: Path, to: Dialect | None, *, where: str, quiet: bool
) -> None:
    """Write a grammar from `where`, in its own dialect if none is named; says what is lost."""
    if isinstance(grammar, PLCFRS):
        check_dialect(to, PLCFRS, where)
        if to is Dialect.disco_dop:
            _write_discodop(grammar, output, where=where, quiet=quiet)
        else:
            write_grammar(grammar, output)
        return
    if not isinstance(grammar, PCFG):
        if to is None or to in _FOR_SPLIT:
            _write_split(grammar, output, to, quiet=quiet)
            return
        grammar = grammar.flat()
    check_dialect(to, PCFG, where)
    dialect = to or Dialect.secateur
    write_grammar(grammar, output, dialect=dialect.value)
    if dialect is not Dialect.secateur and not quiet:
        _say_paths(grammar, dialect)


def written(output: Path, to: Dialect | None) -> str:
    """What to call the file, or the files, that such a grammar is in."""
    return " and ".join(halves(output)) if to is Dialect.disco_dop else str(output)


def _write_discodop(grammar: PLCFRS, output: Path, *, where: str, quiet: bool) -> None:
    """Two files."""
    with placed(where):
        binary = grammar.binarized()
    write_discodop(binary, *halves(output))
    if not quiet:
        _say_paths(grammar, Dialect.disco_dop)
        if longer := len(grammar.long.weight):
            err.print(f"{count(longer, 'longer rule')} made binary: disco-dop has no place for them")


def _write_split(grammar: SplitPCFG, output: Path, to: Dialect | None, *, quiet: bool) -> None:
    if to is Dialect.Berkeley_split:
        from secateur.grammar.latent.berkeley import write_berkeley

        if grammar.others and not quiet:
            err.print(
                f"the first of {len(grammar.others) + 1} grammars: an export has no place for a product"
            )
        write_berkeley(replace(grammar, others=()), output)
    else:
        write_grammar(grammar, output)


def _say_paths(grammar: PCFG | PLCFRS, dialect: Dialect) -> None:
    lost = sum(map(bool, grammar.unary.path))
    if lost:
        err.print(
            f"{count(lost, 'unary path')} left out: {dialect.value} has no place for the labels passed over"
        )
