"""From trees to a PCFG: binarize, collapse unary chains, count, smooth the lexicon."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.grammar.lexicon import signature
from secateur.grammar.pcfg import PCFG, is_intermediate
from secateur.grammar.unaries import chain
from secateur.treebanks.tree import Leaf, Tree


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How words the training trees show seldom or never get their tags."""

    rare: int = 3  # words seen at most this often also count as their class
    prior: float = 0.3  # weight of the class's tags for a rare word


@dataclass(slots=True)
class WordCounts:
    """The words that trees show under each tag."""

    lexical: Counter[tuple[str, str]]  # (tag, word)
    initial: Counter[tuple[str, str]]  # the same at the start of a sentence

    @classmethod
    def empty(cls) -> WordCounts:
        return cls(Counter(), Counter())

    def add(self, tag: str, leaf: Leaf) -> None:
        self.lexical[tag, leaf.word] += 1
        if leaf.position == 0:
            self.initial[tag, leaf.word] += 1


@dataclass(slots=True)
class RuleCounts:
    """What the trees show. Additive, so that treebanks can be counted in parts."""

    binary: Counter[tuple[str, str, str]]
    unary: dict[tuple[str, str], Counter[tuple[str, ...]]]
    words: WordCounts
    roots: Counter[str]

    @classmethod
    def empty(cls) -> RuleCounts:
        return cls(Counter(), defaultdict(Counter), WordCounts.empty(), Counter())

    def add(self, tree: Tree) -> None:
        """Count the rules of one binarized tree."""
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
    trees: Iterable[Tree],
    *,
    binarization: Binarization | None = None,
    smoothing: Smoothing | None = None,
) -> PCFG:
    """The treebank grammar: relative frequencies of the binarized trees' rules."""
    binarization = binarization or Binarization()
    smoothing = smoothing or Smoothing()
    counts = RuleCounts.empty()
    for tree in trees:
        _check(tree)
        counts.add(binarization(tree))
    if not counts.words.lexical:
        raise InputError("no trees to induce a grammar from", fix="give a treebank with at least one tree")
    total: Counter[str] = Counter()
    for (parent, _, _), count in counts.binary.items():
        total[parent] += count
    for (parent, _), paths in counts.unary.items():
        total[parent] += paths.total()
    emissions = smooth(counts.words, smoothing)
    # A symbol may be a tag and a phrase label; its rules share its mass by how often each kind was seen.
    seen_as_tag: Counter[str] = Counter()
    for (tag, _), count in counts.words.lexical.items():
        seen_as_tag[tag] += count
    return PCFG.build(
        counts.roots.most_common(1)[0][0],
        (
            (x, y, z, math.log(count / (total[x] + seen_as_tag[x])))
            for (x, y, z), count in counts.binary.items()
        ),
        (
            (x, y, math.log(paths.total() / (total[x] + seen_as_tag[x])), usual(paths))
            for (x, y), paths in counts.unary.items()
        ),
        (
            (tag, word, math.log(p * seen_as_tag[tag] / (total[tag] + seen_as_tag[tag])))
            for (tag, word), p in emissions.items()
        ),
        {
            "format": "secateur",
            **binarization.notes(),
            "rare": str(smoothing.rare),
            "trees": str(counts.roots.total()),
        },
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


def usual(paths: Counter[tuple[str, ...]]) -> tuple[str, ...]:
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
