"""Words and their tags: known words, and classes of unknown ones by their spelling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

UNKNOWN = "UNK"
REMEMBERED = 1 << 17  # unknown words whose class is kept at hand
ENDINGS = (4, 3, 2)  # lengths
_SUFFIXES = ("ed", "ing", "ion", "er", "est", "ly", "ity", "y", "al")


def signature(word: str, *, initial: bool, known_lower: bool) -> str:
    """The class of an unknown word: UNK, then its case, digits, dash and a telling suffix.

    `initial`: the word opens its sentence; `known_lower`: its lower-cased form is a known word.
    """
    capitals = sum(c.isupper() or c.istitle() for c in word)
    has_digit = any(c.isdigit() for c in word)
    has_dash = "-" in word
    lowered = word.lower()
    parts = [UNKNOWN]
    if word[:1].isupper() or word[:1].istitle():
        if initial and capitals == 1:
            parts += ["INITC", "KNOWNLC"] if known_lower else ["INITC"]
        else:
            parts.append("CAPS")
    elif not word[:1].isalpha() and capitals:
        parts.append("CAPS")
    elif any(c.islower() for c in word):
        parts.append("LC")
    if has_digit:
        parts.append("NUM")
    if has_dash:
        parts.append("DASH")
    if lowered.endswith("s") and len(word) >= 3:
        if lowered[-2] not in "siu":
            parts.append("s")
    elif len(word) >= 5 and not has_dash and not (has_digit and capitals):
        parts += [suffix for suffix in _SUFFIXES if lowered.endswith(suffix)][:1]
    return "-".join(parts)


def finer(name: str, word: str) -> tuple[str, ...]:
    """Classes within a class, by the ending of the word: the finest first. A grammar has some of them."""
    ending = "".join("0" if c.isdigit() else c for c in word.lower())
    return tuple(f"{name}~{ending[-length:]}" for length in ENDINGS if len(word) > length)


@dataclass(frozen=True)
class Lexicon:
    """Entries tag -> word with log weights; `words` holds known words and unknown-word classes alike."""

    words: tuple[str, ...]
    ptr: npt.NDArray[np.uint32]  # [W+2] entries of word w: ptr[w] .. ptr[w+1]; the word W has none
    tag: npt.NDArray[np.uint32]  # [L] symbol ids
    weight: npt.NDArray[np.float64]  # [L] natural log
    index: dict[str, int] = field(init=False, repr=False, compare=False)
    _unknown: dict[tuple[str, bool], int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {word: w for w, word in enumerate(self.words)})

    @classmethod
    def build(cls, entries: Iterable[tuple[str, int, float]]) -> Lexicon:
        """From (word, tag id, log weight); sorted by word, then tag."""
        rows = sorted(entries)
        words = sorted({word for word, _, _ in rows})
        number = {word: w for w, word in enumerate(words)}
        sizes = np.bincount([number[word] for word, _, _ in rows], minlength=len(words) + 1)
        ptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint32)
        tags = np.array([tag for _, tag, _ in rows], np.uint32)
        weights = np.array([weight for _, _, weight in rows], np.float64)
        return cls(tuple(words), ptr, tags, weights)

    def tagged(self, symbols: int) -> npt.NDArray[np.bool_]:
        """[symbols] which of them have entries."""
        found = np.zeros(symbols, np.bool_)
        found[self.tag] = True
        return found

    def known(self, word: str, *, initial: bool = False) -> str | None:
        """The entry that stands for a word: itself, or the nearest class; None where there is none."""
        if word in self.index:
            return word
        # Penn treebanks write a slash and a star inside a word as \/ and \*.
        escaped = word.replace("/", r"\/").replace("*", r"\*")
        if escaped in self.index:
            return escaped
        name = signature(word, initial=initial, known_lower=word.lower() in self.index)
        for fine in finer(name, word):
            if fine in self.index:
                return fine
        # A class that training never saw backs off to the nearest shorter one.
        while name not in self.index:
            if "-" not in name:
                return None
            name = name.rpartition("-")[0]
        return name

    def encode(self, words: Sequence[str]) -> npt.NDArray[np.uint32]:
        """Word ids of a sentence; a word with no entry at all gets the id that has none."""
        ids = list(map(self.index.get, words))
        if None in ids:
            ids = [
                self._unknown_id(word, initial=position == 0) if number is None else number
                for position, (word, number) in enumerate(zip(words, ids, strict=True))
            ]
        return np.array(ids, np.uint32)

    def _unknown_id(self, word: str, *, initial: bool) -> int:
        number = self._unknown.get((word, initial))
        if number is None:
            name = self.known(word, initial=initial)
            number = len(self.words) if name is None else self.index[name]
            if len(self._unknown) >= REMEMBERED:
                self._unknown.clear()
            self._unknown[word, initial] = number
        return number
