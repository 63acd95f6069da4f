"""Words of a split grammar: p(word or class | sub-tag) from expected counts.

What is estimated for a word is how its occurrences share among the sub-tags, p(t | w), drawn towards its
class's where it is seldom; Bayes' rule turns that round: p(w | t) = p(t | w) c(w) / c(t). A class stands for
one unknown word at a time, c = 1, so that the numbers serve to compare tags; over all words they need not sum
to 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from secateur.grammar.latent.corpus import Entry
from secateur.grammar.lexicon import signature

Floats = npt.NDArray[np.float64]
Table = dict[tuple[str, str], Floats]  # (tag, word or class) -> a number for each sub-tag


@dataclass(frozen=True, slots=True)
class WordSmoothing:
    """How much is believed of words that are seldom seen."""

    rare: int = 10  # words seen at most this often tell about their class
    frequent: int = 100  # words seen more often speak for themselves
    known: float = 0.5  # weight of the class for a known word
    unknown: float = 0.5  # weight of all rare words for a class


def emissions(
    entries: Sequence[Entry], counts: Sequence[Floats], mass: Mapping[str, Floats], smoothing: WordSmoothing
) -> Table:
    """From the expected counts of each entry's sub-tags, and of all that these sub-tags do."""
    uses: Table = {}
    seen: dict[str, float] = defaultdict(float)
    for (tag, word, _), count in zip(entries, counts, strict=True):
        uses[tag, word] = uses.get((tag, word), 0.0) + count
        seen[word] += float(count.sum())
    known = {word: round(count) for word, count in seen.items()}
    classes = _classes(entries, counts, known, smoothing)
    prior = _by_class(classes, smoothing)
    tags_of: dict[str, set[str]] = defaultdict(set)
    for tag, word in (*uses, *classes):
        tags_of[word].add(tag)
    found = dict(prior)
    for word, times in known.items():
        if times > smoothing.frequent:
            found.update({(tag, word): uses[tag, word] for tag in tags_of[word]})
            continue
        name = signature(word, initial=False, known_lower=word.lower() in known)
        for tag in sorted(tags_of[word] | tags_of.get(name, set())):
            nothing = np.zeros_like(mass[tag])
            drawn = uses.get((tag, word), nothing) + smoothing.known * prior.get((tag, name), nothing)
            found[tag, word] = drawn / (times + smoothing.known) * times
    # A sub-tag that nothing uses has no words; to one hardly used, a class may seem more than certain.
    most = {tag: np.where(used > 0.0, used, np.inf) for tag, used in mass.items()}
    return {(tag, word): np.minimum(p / most[tag], 1.0) for (tag, word), p in found.items()}


def _classes(
    entries: Sequence[Entry], counts: Sequence[Floats], known: Mapping[str, int], smoothing: WordSmoothing
) -> Table:
    """c(tag, class) over rare words."""
    classes: Table = {}
    for (tag, word, initial), count in zip(entries, counts, strict=True):
        if known[word] <= smoothing.rare:
            name = signature(word, initial=initial, known_lower=word.lower() in known)
            classes[tag, name] = classes.get((tag, name), 0.0) + count
            # Every class has a shorter one to fall back to.
            while "-" in name:
                name = name.rpartition("-")[0]
                classes[tag, name] = classes.get((tag, name), 0.0) + 0.01 * count
    return classes


def _by_class(classes: Table, smoothing: WordSmoothing) -> Table:
    """p(sub-tag | class) = (c(t, class) + unknown p(t)) / (c(class) + unknown), for every tag of a class."""
    tags: dict[str, Floats] = {}
    totals: dict[str, float] = defaultdict(float)
    for (tag, name), count in classes.items():
        tags[tag] = tags.get(tag, 0.0) + count
        totals[name] += float(count.sum())
    everything = sum(totals.values())
    return {
        (tag, name): (classes.get((tag, name), 0.0) + smoothing.unknown * count / everything)
        / (total + smoothing.unknown)
        for name, total in totals.items()
        for tag, count in tags.items()
    }
