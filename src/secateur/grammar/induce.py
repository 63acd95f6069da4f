"""From trees to a PCFG: binarize, collapse unary chains, count, smooth the lexicon."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.grammar.lexicon import signature
from secateur.grammar.pcfg import PCFG, is_intermediate
from secateur.grammar.unaries import chain
from secateur.treebanks.tree import Leaf, Tree

B = TypeVar("B", bound=tuple[Any, ...])
U = TypeVar("U", bound=tuple[Any, ...])

Path = tuple[str, ...]  # the labels that a unary rule passes over


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How words the training trees show seldom or never get their tags."""

    rare: int = 3  # words seen at most this often also count as their class
    prior: float = 0.3  # weight of the class's tags for a rare word


@dataclass(slots=True)
class WordCounts:
    """The words that trees show under each tag."""

    lexical: Counter[tuple[str, str]] = field(default_factory=Counter)  # (tag, word)
    initial: Counter[tuple[str, str]] = field(default_factory=Counter)  # the same at the start of a sentence

    def add(self, tag: str, leaf: Leaf) -> None:
        self.lexical[tag, leaf.word] += 1
        if leaf.position == 0:
            self.initial[tag, leaf.word] += 1

    def tags(self) -> Counter[str]:
        """How often each tag was seen."""
        found: Counter[str] = Counter()
        for (tag, _), count in self.lexical.items():
            found[tag] += count
        return found


class Binarizing(Protocol):
    """Makes trees binary in some way."""

    def __call__(self, tree: Tree) -> Tree: ...

    def notes(self) -> dict[str, str]:
        """What a grammar should say of it."""


@dataclass(slots=True)
class TreeCounts(ABC, Generic[B, U]):
    """What trees show: rules, each by a tuple that begins with its parent; words under their tags; roots."""

    binary: Counter[B] = field(default_factory=Counter)
    unary: dict[U, Counter[Path]] = field(default_factory=lambda: defaultdict(Counter))
    words: WordCounts = field(default_factory=WordCounts)
    roots: Counter[str] = field(default_factory=Counter)

    @abstractmethod
    def add(self, tree: Tree) -> None:
        """Count the rules of one binarized tree."""

    def add_all(self, trees: Iterable[Tree], binarization: Binarizing, check: Callable[[Tree], None]) -> None:
        """Count the rules of a treebank, each tree of which is looked at before it is binarized."""
        for tree in trees:
            check(tree)
            self.add(binarization(tree))
        if not self.roots:
            fix = "give a treebank with at least one tree"
            raise InputError("no trees to induce a grammar from", fix=fix)

    def totals(self) -> Counter[str]:
        """How often each symbol is rewritten, be it as a word."""
        total = self.words.tags()
        for (parent, *_), count in self.binary.items():
            total[parent] += count
        for (parent, *_), paths in self.unary.items():
            total[parent] += paths.total()
        return total

    @property
    def root(self) -> str:
        """The usual one."""
        return self.roots.most_common(1)[0][0]

    def notes(self, binarization: Binarizing, smoothing: Smoothing) -> dict[str, str]:
        """What a grammar should say of how it was induced."""
        return {**binarization.notes(), "rare": str(smoothing.rare), "trees": str(self.roots.total())}


class RuleCounts(TreeCounts[tuple[str, str, str], tuple[str, str]]):
    """What trees show of a PCFG."""

    def add(self, tree: Tree) -> None:
        self.roots[tree.label] += 1
        stack = [tree]
        while stack:
            labels, node = chain(stack.pop())
            top, bottom = labels[0], labels[-1]
            # A chain that returns to its first label says nothing a parser could use.
            if top != bottom:
                self.unary[top, bottom][labels[1:-1]] += 1
            first = node.children[0]
            if isinstance(first, Leaf):
                self.words.add(bottom, first)
                continue
            right = node.children[1]
            assert isinstance(right, Tree)
            self.binary[bottom, first.label, right.label] += 1
            stack += (first, right)


def induce(
    trees: Iterable[Tree], *, binarization: Binarization | None = None, smoothing: Smoothing | None = None
) -> PCFG:
    """The treebank grammar: relative frequencies of the binarized trees' rules."""
    binarization, smoothing = binarization or Binarization(), smoothing or Smoothing()
    counts = RuleCounts()
    counts.add_all(trees, binarization, _check)
    emissions = smooth(counts.words, smoothing)
    # A symbol may be a tag and a phrase label; its rules share its mass by how often each kind was seen.
    total, seen_as_tag = counts.totals(), counts.words.tags()
    return PCFG.build(
        counts.root,
        ((x, y, z, math.log(count / total[x])) for (x, y, z), count in counts.binary.items()),
        ((x, y, math.log(paths.total() / total[x]), usual(paths)) for (x, y), paths in counts.unary.items()),
        ((tag, word, math.log(p * seen_as_tag[tag] / total[tag])) for (tag, word), p in emissions.items()),
        {"format": "secateur", **counts.notes(binarization, smoothing)},
    )


def smooth(counts: WordCounts, smoothing: Smoothing) -> dict[tuple[str, str], float]:
    """p(word or class | tag).

    Words seen at most `rare` times are counted once more as their class; such a word's tags are drawn
    towards its class's: c'(t, w) = c(w) (c(t, w) + prior p(t | class)) / (c(w) + prior). For each tag,
    what remains is divided by its sum.
    """
    seen: Counter[str] = Counter()
    for (_, word), count in counts.lexical.items():
        seen[word] += count
    known = {word for word, count in seen.items() if count > smoothing.rare}
    classes: Counter[tuple[str, str]] = Counter()  # (tag, class)
    for (tag, word), count in counts.lexical.items():
        if word in known:
            continue
        first = counts.initial[tag, word]
        lower = word.lower() in seen
        classes[tag, signature(word, initial=False, known_lower=lower)] += count - first
        classes[tag, signature(word, initial=True, known_lower=lower)] += first
    classes = +classes
    class_total: Counter[str] = Counter()
    tags_of: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for (tag, name), count in classes.items():
        class_total[name] += count
        tags_of[name].append((tag, count))
    mass: dict[tuple[str, str], float] = {key: float(count) for key, count in classes.items()}
    _back_off(mass, classes)
    for (tag, word), count in counts.lexical.items():
        share = float(count) if word in known else seen[word] * count / (seen[word] + smoothing.prior)
        mass[tag, word] = mass.get((tag, word), 0.0) + share
    for word in (word for word in seen if word not in known):  # in order: sums of floats depend on it
        name = signature(word, initial=False, known_lower=word.lower() in seen)
        for tag, count in tags_of.get(name, ()):
            share = seen[word] * smoothing.prior * count / class_total[name] / (seen[word] + smoothing.prior)
            mass[tag, word] = mass.get((tag, word), 0.0) + share
    totals: dict[str, float] = defaultdict(float)
    for (tag, _), weight in mass.items():
        totals[tag] += weight
    return {(tag, word): weight / totals[tag] for (tag, word), weight in mass.items() if weight > 0}


def _back_off(mass: dict[tuple[str, str], float], classes: Counter[tuple[str, str]]) -> None:
    """Make sure every class has a shorter one to fall back to, by a hundredth of the longer ones' counts."""
    for (tag, name), count in classes.items():
        while "-" in name:
            name = name.rpartition("-")[0]
            mass[tag, name] = mass.get((tag, name), 0.0) + 0.01 * count


def usual(paths: Counter[Path]) -> Path:
    """The most frequent path; ties go to the first in alphabetical order."""
    return min(paths, key=lambda path: (-paths[path], path))


def _check(tree: Tree) -> None:
    if tree.is_discontinuous:
        raise InputError(
            "a discontinuous tree: a PCFG has only continuous constituents",
            fix="make it continuous: secateur treebank convert --to brackets --continuous",
        )
    check_labels(tree)


def check_labels(tree: Tree) -> None:
    """Refuse trees with words without tags, or with labels such as binarization makes."""
    for node in tree.nodes():
        if not node.is_preterminal and not (
            node.children and all(isinstance(c, Tree) for c in node.children)
        ):
            raise InputError(
                f"a node {node.label!r} that is empty, or has a word without a tag, in {str(tree)[:60]!r}",
                fix="give every word a tag of its own, and normalize the treebank to drop empty nodes",
            )
        if not node.is_preterminal and (is_intermediate(node.label) or "^<" in node.label):
            raise InputError(
                f"the label {node.label!r} looks like a binarized one",
                fix="@X, X|<A-B> and X^<P> are names for binarization; rename the label in the treebank",
            )
