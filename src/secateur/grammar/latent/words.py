"""Words of a split grammar: p(word or class | sub-tag) from expected counts.

What is estimated for a word is how its occurrences share among tags and sub-tags, p(t | w), drawn towards its
class's where it is seldom: sub-tags, which EM has guessed, more than tags, which were seen. Bayes' rule turns
that round: p(w | t) = p(t | w) c(w) / c(t). A class stands for one unknown word at a time, c = 1, so that the
numbers serve to compare tags; over all words they need not sum to 1. Words of a class that end alike are a
class within it, with tags of its own, which share among sub-tags as in the whole.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from secateur.grammar.latent.corpus import Entry
from secateur.grammar.lexicon import finer, signature

Floats = npt.NDArray[np.float64]
Table = dict[tuple[str, str], Floats]  # (tag, word or class) -> a number for each sub-tag


@dataclass(frozen=True, slots=True)
class WordSmoothing:
    """How much is believed of words that are seldom seen."""

    rare: int = 10  # words seen at most this often tell about their class
    frequent: int = 100  # words seen more often speak for themselves
    known: float = 0.5  # weight of the class for a known word
    unknown: float = 0.5  # weight of all rare words for a class
    shared: float = 8.0  # weight of the class for how a known word's tag shares among its sub-tags
    ending: float = 10.0  # weight of a class for those within it, by the ending
    least: int = 5  # rare words that an ending must have
    unlikely: float = 1e-3  # tags less likely than this are not among an ending's


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
    endings = _by_ending(entries, counts, known, prior, smoothing)
    prior |= endings
    tags_of: dict[str, set[str]] = defaultdict(set)
    for tag, word in (*uses, *classes, *endings):
        tags_of[word].add(tag)
    found = dict(prior)
    for word, times in known.items():
        if times > smoothing.frequent:
            found.update({(tag, word): uses[tag, word] for tag in tags_of[word]})
            continue
        name = signature(word, initial=False, known_lower=word.lower() in known)
        fine = next((fine for fine in finer(name, word) if fine in tags_of), name)
        for tag in sorted(tags_of[word] | tags_of.get(fine, set())):
            nothing = np.zeros_like(mass[tag])
            own = _drawn(uses.get((tag, word), nothing), prior.get((tag, name), nothing), smoothing.shared)
            drawn = own + smoothing.known * prior.get((tag, fine), nothing)
            found[tag, word] = drawn / (times + smoothing.known) * times
    # A sub-tag that nothing uses has no words; to one hardly used, a class may seem more than certain.
    most = {tag: np.where(used > 0.0, used, np.inf) for tag, used in mass.items()}
    return {(tag, word): np.minimum(p / most[tag], 1.0) for (tag, word), p in found.items()}


def _drawn(own: Floats, like: Floats, shared: float) -> Floats:
    """c(x, w) -> c(t, w) (c(x, w) + shared p(x | t, class)) / (c(t, w) + shared), for the sub-tags x of t."""
    times, whole = own.sum(), like.sum()
    if times == 0.0 or whole == 0.0:
        return own
    drawn: Floats = times * (own + shared * like / whole) / (times + shared)
    return drawn


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


def _by_ending(
    entries: Sequence[Entry],
    counts: Sequence[Floats],
    known: Mapping[str, int],
    prior: Table,
    smoothing: WordSmoothing,
) -> Table:
    """p(t | ending) = (c(t, ending) + ending p(t | shorter)) / (c(ending) + ending), of tags, shortest first.

    A tag's sub-tags share in it as they do in the class. Counts are whole numbers, so that grammars of other
    seeds have the same classes.
    """
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    wider: dict[str, tuple[str, ...]] = {}  # of each ending: those shorter, and last the class
    for (tag, word, initial), count in zip(entries, counts, strict=True):
        if known[word] <= smoothing.rare:
            name = signature(word, initial=initial, known_lower=word.lower() in known)
            names = (*finer(name, word), name)
            for place, fine in enumerate(names[:-1]):
                uses[fine][tag] += round(float(count.sum()))
                wider[fine] = names[place + 1 :]
    by_class: dict[str, dict[str, float]] = defaultdict(dict)
    for (tag, name), p in prior.items():
        by_class[name][tag] = float(p.sum())
    found: Table = {}
    for fine in sorted(uses, key=len):
        total = uses[fine].total()
        if total < smoothing.least:
            continue
        above = by_class[next(name for name in wider[fine] if name in by_class)]
        for tag, wide in above.items():
            share = (uses[fine][tag] + smoothing.ending * wide) / (total + smoothing.ending)
            if round(share, 9) >= smoothing.unlikely:
                by_class[fine][tag] = share
                whole = prior[tag, wider[fine][-1]]
                found[tag, fine] = share / whole.sum() * whole
    return found
