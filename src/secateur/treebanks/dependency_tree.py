"""DependencyTree: a sentence whose words have heads, and what makes heads a tree.

Heads are counted from 1; head 0 is the root, which is no word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from secateur.errors import InputError
from secateur.treebanks.sentence import Source
from secateur.treebanks.tree import shortened

NO_LABEL = "_"

# The tags of punctuation; those of # and $ are of words that are read aloud.
PENN_PUNCTUATION = frozenset({"``", "''", ",", ".", ":", "-LRB-", "-RRB-"})

# The tags of the Penn Treebank that say more than their first two letters do.
# fmt: off
_PENN = (
    "JJR", "JJS", "NNS", "NNP", "NNPS", "PDT", "POS", "PRP", "PRP$", "RBR", "RBS", "SYM", "VBD", "VBG", "VBN",
    "VBP", "VBZ", "WDT", "WP$", "WRB", "-LRB-", "-RRB-",
)
# fmt: on
_COARSE = {tag: tag[:2] for tag in _PENN}


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """Words with their tags, heads and labels; without heads (and labels) where nobody has parsed it."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    coarse: tuple[str, ...]  # coarser tags: universal ones, or the first two letters of Penn tags
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    source: Source | None = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        """Words with their tags and, where there are some, labels and heads: she/PRP(nsubj 2)."""
        pairs = [f"{word}/{tag}" for word, tag in zip(self.words, self.tags, strict=False)]
        if self.is_parsed:
            arcs = zip(pairs, self.labels, self.heads, strict=False)
            pairs = [f"{pair}({label} {head})" for pair, label, head in arcs]
        return f"<DependencyTree {shortened(' '.join(pairs))}>"

    @property
    def is_parsed(self) -> bool:
        return len(self.heads) == len(self.words)

    @property
    def is_projective(self) -> bool:
        """Whether no two arcs cross, those from the root among them."""
        arcs = sorted((min(head, m), -max(head, m)) for m, head in enumerate(self.heads, 1))
        ends: list[int] = []  # of the arcs that hold the one at hand, the nearest last
        for left, negated in arcs:
            while ends and ends[-1] <= left:
                ends.pop()
            if ends and ends[-1] < -negated:
                return False
            ends.append(-negated)
        return True

    def with_heads(self, heads: Sequence[int], labels: Sequence[str] | None = None) -> DependencyTree:
        """The sentence with other heads; labels stay as they are unless given."""
        if labels is None:
            labels = self.labels if self.is_parsed else (NO_LABEL,) * len(heads)
        _check_lengths(self.words, heads, labels)
        return DependencyTree(self.words, self.tags, self.coarse, tuple(heads), tuple(labels), self.source)

    def without_heads(self) -> DependencyTree:
        """The sentence as it is before parsing."""
        return DependencyTree(self.words, self.tags, self.coarse, (), (), self.source)

    def with_tags(self, tags: Sequence[str], coarse: Sequence[str] | None = None) -> DependencyTree:
        """The sentence with other tags; the coarse ones follow from them unless given."""
        if coarse is None:
            coarse = tuple(map(coarse_of, tags))
        _check_lengths(self.words, tags, coarse)
        return DependencyTree(self.words, tuple(tags), tuple(coarse), self.heads, self.labels, self.source)

    def with_words(self, words: tuple[str, ...]) -> DependencyTree:
        """The sentence with its words spelt otherwise."""
        _check_lengths(words, self.tags)
        return DependencyTree(words, self.tags, self.coarse, self.heads, self.labels, self.source)

    def without_fine_tags(self) -> DependencyTree:
        """The sentence with the coarse tags as its only ones; a file's finer column stays as it is."""
        source = self.source and self.source._replace(fine=False)
        return replace(self, tags=self.coarse, source=source)

    def check(self, *, several_roots: bool = False) -> DependencyTree:
        """This sentence, if its columns are of one length and its heads make a tree."""
        _check_lengths(self.words, self.tags, self.coarse, self.heads, self.labels)
        fault = find_fault(self.heads, several_roots=several_roots)
        if fault is not None:
            raise InputError(fault.what, fix=fault.fix)
        return self


def coarse_of(tag: str) -> str:
    """The first two letters of a Penn tag; any other tag as it is."""
    return _COARSE.get(tag, tag)


class Fault(NamedTuple):
    """Why heads are no tree."""

    position: int  # of a word that has part in it, from 0
    what: str
    fix: str


def _word(position: int) -> str:
    return f"word {position + 1}"


def find_fault(
    heads: Sequence[int], *, several_roots: bool = False, name: Callable[[int], str] = _word
) -> Fault | None:
    """What is wrong with heads, if anything is; `name` says how messages call the word at a position."""
    n = len(heads)
    if n and not 0 <= min(heads) <= max(heads) <= n:
        position = next(m for m, head in enumerate(heads) if not 0 <= head <= n)
        what = f"head {heads[position]} is out of range: the sentence has {n} word{'s' * (n > 1)}"
        return Fault(position, what, f"use a number from 0 (the root) to {n}")
    if not _lead_up(heads) and (cycle := _cycle(heads)):
        through = ", ".join(map(name, cycle))
        fix = "give one of them a head outside the cycle"
        return Fault(cycle[0], f"a cycle: the heads of {through} lead in a circle", fix)
    # Whoever is in no cycle hangs on the root, so there is one at least.
    if heads.count(0) > 1 and not several_roots:
        roots = [m for m, head in enumerate(heads) if head == 0]
        what = f"{len(roots)} roots (head 0): {', '.join(map(name, roots))}"
        fix = "give all but one of them another head, or allow several roots where that can be"
        return Fault(roots[1], what, f"{fix} (--several-roots)")
    return None


def _lead_up(heads: Sequence[int]) -> bool:
    """Whether all words lead to the root, told quickly; False also for what is too long for that."""
    if len(heads) > 255:
        return False
    above = bytes((0, *heads))  # where so many steps lead from each word: in every round twice as many
    for _ in range(len(heads).bit_length() + 1):
        if not above.strip(b"\0"):
            return True
        above = above.translate(above.ljust(256))
    return False


def _cycle(heads: Sequence[int]) -> list[int]:
    """The positions of the words on some cycle, from the first on; none if all lead to the root."""
    reached_from = [0] * (len(heads) + 1)  # the word from which a walk up came here first
    reached_from[0] = -1
    for start in range(1, len(heads) + 1):
        word = start
        while not reached_from[word]:
            reached_from[word] = start
            word = heads[word - 1]
        if reached_from[word] == start:
            cycle = [word]
            while (above := heads[cycle[-1] - 1]) != word:
                cycle.append(above)
            return sorted(m - 1 for m in cycle)
    return []


def _check_lengths(words: Sequence[str], *columns: Sequence[object]) -> None:
    for column in columns:
        if len(column) != len(words):
            raise InputError(
                f"{len(column)} values for {len(words)} words", fix="give one tag, head and label per word"
            )
