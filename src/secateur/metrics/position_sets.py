"""Discontinuous brackets, scored as sets of positions, in the manner of disco-dop's evaluation.

Words that do not count go, the others are numbered anew, and what covers no word any more vanishes. The
phrases left are pairs of a label and a set of positions; a pair matches as often as both trees have it.
Preterminals are no phrases, and the root is left out by its label.

Which words do not count the gold tree says, by its tags and words, for both trees if they are over the same
words: every parser, at every setting, is then scored on all sentences. A tree of fewer words, such as one
without punctuation, is asked itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from secateur.errors import InputError
from secateur.metrics.evalb.parameters import Parameters, read_parameters
from secateur.metrics.evalb.score import ROOTS
from secateur.treebanks import punctuation
from secateur.treebanks.text import escape
from secateur.treebanks.tree import Tree

NO_PARSE = "NOPARSE"  # the label of a tree that stands for a parse that was not found


@dataclass(frozen=True)
class DiscontinuousParameters:
    """What counts and what is held equal, in the words of parameter files."""

    evalb: Parameters  # what EVALB knows too; labels are not cut, and what is equal to equals is equal
    delete_words: frozenset[str] = frozenset()  # words that do not count, whatever their tags
    only: bool = False  # discontinuous brackets only
    all_nodes: bool = False  # nothing is left out, and preterminals are brackets as well

    def protocol(self) -> str:
        """One line that says how a number was computed."""
        ignored = self.evalb.delete_labels & punctuation.TAGS
        counted = "punctuation ignored by gold tags and words" if ignored else "punctuation counted"
        parts = [
            f"position sets, {self.evalb.name}",
            "labelled" if self.evalb.labelled else "unlabelled",
            "all nodes with root, preterminals and punctuation" if self.all_nodes else counted,
            *(["discontinuous brackets only"] if self.only else []),
            "all lengths",
        ]
        return ", ".join(parts)

    @property
    def cutoff(self) -> int:
        return self.evalb.cutoff

    @cached_property
    def labels(self) -> dict[str, str]:
        """Of labels that are equal to others, the one that stands for all."""
        return _classes(self.evalb.equal_labels)

    @cached_property
    def words(self) -> dict[str, str]:
        """Of words that are."""
        return _classes(self.evalb.equal_words)

    @cached_property
    def deleted_labels(self) -> frozenset[str]:
        return frozenset(self.labels.get(label, label) for label in self.evalb.delete_labels)

    @cached_property
    def deleted_words(self) -> frozenset[str]:
        return frozenset(map(self.word, self.delete_words))

    def word(self, word: str) -> str:
        """The one that stands for all equal words, however brackets in them are spelt."""
        return escape(self.words.get(word, word))


def _classes(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The first in the alphabet of all that are equal to each other."""
    found: dict[str, set[str]] = {}
    for a, b in pairs:
        together = found.get(a, {a}) | found.get(b, {b})
        found |= dict.fromkeys(together, together)
    return {name: min(together) for name, together in found.items()}


PROPER = DiscontinuousParameters(
    Parameters(
        name="usual parameters",
        delete_labels=frozenset(
            (
                *(NO_PARSE, "TOP", "ROOT", "VROOT", "-NONE-"),
                *("$,", "$.", "$(", "$["),
                *(name + call for name in ("let", "LET") for call in ("", "()", "[]")),
                *("punct", "PUNCT", ",", ":", ".", "``", "''"),
            )
        ),
        equal_labels=frozenset({("ADVP", "PRT")}),
        equal_words=frozenset({("-LRB-", "("), ("-RRB-", ")")}),
    ),
    delete_words=frozenset(
        (
            *(".", "..", "...", ",", ":", ";", "!", "!!!", "?", "??", "???"),
            *("'", "''", "`", "``", '"', "«", "»", "(", ")", "-", "/", "&", "$"),
        )
    ),
)


def read_discontinuous_parameters(path: str | PathLike[str]) -> DiscontinuousParameters:
    """Parameters from a .prm file: those of EVALB, with DELETE_WORD and DISC_ONLY."""
    place = Path(path)
    try:
        lines = place.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the parameter file cannot be read: {error}", where=str(place)) from None
    words: set[str] = set()
    only = False
    for number, line in enumerate(lines, start=1):
        keyword, *values = line.split() or [""]
        if keyword not in ("DELETE_WORD", "DISC_ONLY"):
            continue
        lines[number - 1] = ""  # the rest is for EVALB's reader
        if len(values) != 1:
            what = f"{keyword} has {len(values)} values"
            raise InputError(what, where=f"{place}:{number}", fix="give it 1")
        if keyword == "DELETE_WORD":
            words.add(values[0])
        elif values[0] in ("0", "1"):
            only = values[0] == "1"
        else:
            what = f'DISC_ONLY is 0 or 1, not "{values[0]}"'
            raise InputError(what, where=f"{place}:{number}", fix="give it 0 or 1")
    try:
        evalb = read_parameters(lines, name=place.name)
    except InputError as error:
        where = error.where.replace("line ", f"{place}:")
        raise InputError(error.what, where=where, fix=error.fix) from None
    return DiscontinuousParameters(evalb, frozenset(words), only)


class Prepared(NamedTuple):
    """A tree prepared for scoring."""

    words: tuple[str, ...]  # that count
    tags: tuple[str, ...]
    brackets: Counter[tuple[str, int]]  # label, and a bit for each position among the words that count
    length: int
    dropped: frozenset[int]  # places of the words that do not count

    @property
    def discontinuous(self) -> Counter[tuple[str, int]]:
        return Counter({each: n for each, n in self.brackets.items() if has_gap(each[1])})


def has_gap(positions: int) -> bool:
    block = positions // (positions & -positions)
    return bool(block & (block + 1))


def prepare(
    tree: Tree, parameters: DiscontinuousParameters, *, dropped: frozenset[int] | None = None
) -> Prepared:
    """The words, tags and brackets of a tree that count; `dropped` says which words do not, or else their
    tags do."""
    p = parameters
    nodes = tree.preterminals()
    leaves = tree.leaves()
    if len(nodes) < len(leaves):
        positions = {indices for node in nodes for indices in node.indices()}
        word = next(leaf.word for leaf in leaves if leaf.position not in positions)
        raise InputError(f'no tag stands over "{word}"', fix="give each word a tag")
    tags = [p.labels.get(node.label, node.label) for node in nodes]
    words = [p.word(leaf.word) for leaf in leaves]
    if dropped is None:
        dropped = _dropped(tags, words, p)
    kept = [place for place in range(len(words)) if place not in dropped]
    bit = {leaves[place].position: 1 << number for number, place in enumerate(kept)}
    found: Counter[tuple[str, int]] = Counter()
    for number, (label, indices) in enumerate(tree.constituents()):
        if number == 0 and label in ROOTS:
            label = "TOP"
        label = p.labels.get(label, label)
        covered = sum(bit.get(index, 0) for index in indices)
        if covered and (p.all_nodes or label not in p.deleted_labels):
            found[label if p.evalb.labelled else "", covered] += 1
    if p.all_nodes:
        found.update((tags[place], 1 << number) for number, place in enumerate(kept))
    length = sum(tag not in p.evalb.delete_for_length for tag in tags)
    return Prepared(tuple(words[n] for n in kept), tuple(tags[n] for n in kept), found, length, dropped)


def _dropped(tags: Sequence[str], words: Sequence[str], p: DiscontinuousParameters) -> frozenset[int]:
    if p.all_nodes:
        return frozenset()
    pairs = enumerate(zip(tags, words, strict=True))
    return frozenset(n for n, (tag, word) in pairs if tag in p.deleted_labels or word in p.deleted_words)


class Comparison(NamedTuple):
    """Two trees of one sentence; None where they are not over the same words, and the parse has some."""

    gold: Prepared
    test: Prepared | None
    retagged: bool  # whether the parse by itself would have left out other words than the gold tree


def compare(gold: Tree, test: Tree, parameters: DiscontinuousParameters) -> Comparison:
    """Both trees prepared."""
    right, own = prepare(gold, parameters), prepare(test, parameters)
    words, others = (list(map(parameters.word, tree.words())) for tree in (gold, test))
    if words == others and own.dropped != right.dropped:
        return Comparison(right, prepare(test, parameters, dropped=right.dropped), True)
    return Comparison(right, own if own.words == right.words or not others else None, False)
