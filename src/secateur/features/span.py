"""Features of spans: templates in words, made ready for the kernel.

A template is a text of atoms. `word[i]` is the view `word` of the first word in the span (i, k); the other
places are i-1, k-1 and k; `shape[i:k]` is a view of all its words; `width` and `length` are classes of the
span's and the sentence's size; `bias` is there always. A view is a function from a word to a text:

    features = SpanFeatures(vocabulary, views={"suffix": lambda word: word[-2:]},
                            templates=(*TEMPLATES, "suffix[k-1] word[k]"))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.lexicon import signature
from secateur.kernels import span_features as kernel
from secateur.kernels.hashing import murmur3

Columns = npt.NDArray[np.uint32]  # [views, n+2]
View = Callable[[str], str]

BITS = 22
TEMPLATES = (
    "bias",
    "word[i-1]",
    "word[i]",
    "word[k-1]",
    "word[k]",
    "word[i-1] word[i]",
    "word[k-1] word[k]",
    "word[i-1] word[k]",
    "word[i] word[k-1]",
    "shape[i-1] shape[i]",
    "shape[k-1] shape[k]",
    "shape[i-1] shape[k]",
    "shape[i] shape[k-1]",
    "shape[i:k]",
    "width",
    "length",
)

_PLACES = {
    "i-1": kernel.BEFORE,
    "i": kernel.FIRST,
    "i:k": kernel.INSIDE,
    "k-1": kernel.LAST,
    "k": kernel.AFTER,
}
_SIZES = {"width": kernel.WIDTH, "length": kernel.LENGTH}
_ATOM = re.compile(r"(\w+)\[(i-1|i|i:k|k-1|k)\]")
_RUN = re.compile(r"([Xxd])\1{2,}")
_BEGIN, _END = "\x02", "\x03"  # no word is a control character


def shape(word: str) -> str:
    """Letters and digits as their class, in runs of two at most; all else as it is."""
    classes = "".join("X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word)
    return _RUN.sub(r"\1\1", classes)


def text_key(text: str) -> int:
    """A text as one word of a key."""
    data = text.encode()
    padded = data + bytes(-len(data) % 4)
    return int(murmur3(np.frombuffer(padded + len(data).to_bytes(4, "little"), "<u4").astype(np.uint32)))


@dataclass(frozen=True)
class SpanFeatures:
    """Templates over spans; `vocabulary` holds the words seen often enough to be told apart."""

    vocabulary: frozenset[str]
    templates: tuple[str, ...] = TEMPLATES
    views: Mapping[str, View] = field(default_factory=dict)
    bits: int = BITS
    _keys: dict[tuple[str, str], int] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_words(
        cls,
        counts: Mapping[str, int],
        *,
        rare: int = 1,
        templates: tuple[str, ...] = TEMPLATES,
        views: Mapping[str, View] | None = None,
        bits: int = BITS,
    ) -> SpanFeatures:
        """From the words of the training trees; those seen at most `rare` times count as unknown."""
        kept = frozenset(word for word, count in counts.items() if count > rare)
        return cls(kept, templates, dict(views or {}), bits)

    @property
    def dim(self) -> int:
        return 1 << self.bits

    @cached_property
    def view_names(self) -> tuple[str, ...]:
        """The views the templates use, in order of the columns."""
        named = dict.fromkeys(name for text in self.templates for name, _ in _ATOM.findall(text))
        known = {"word", "shape", *self.views}
        for name in named:
            if name not in known:
                raise InputError(
                    f"a template uses the view {name!r}, which is not there",
                    fix=f'give views={{"{name}": function from a word to a text}}',
                )
        return tuple(named)

    @cached_property
    def compiled(self) -> kernel.Templates:
        """The templates as the kernel has them."""
        parsed = [self._atoms(text) for text in self.templates]
        sizes = [len(atoms) for atoms in parsed]
        left = [sum(place <= kernel.FIRST for _, place in atoms) for atoms in parsed]
        ptr = np.concatenate(([0], np.cumsum(sizes)))
        return kernel.Templates(
            np.array([_depends({place for _, place in atoms}) for atoms in parsed], np.uint32),
            ptr.astype(np.uint32),
            (ptr[:-1] + left).astype(np.uint32),
            np.array([view for atoms in parsed for view, _ in atoms], np.uint32),
            np.array([place for atoms in parsed for _, place in atoms], np.uint32),
            self.dim - 1,
        )

    def columns(self, words: Sequence[str]) -> Columns:
        """Keys of the words under each view, with begin and end symbols around."""
        found = np.empty((len(self.view_names), len(words) + 2), np.uint32)
        for row, name in enumerate(self.view_names):
            found[row, 0] = self._key(name, _BEGIN)
            found[row, -1] = self._key(name, _END)
            for position, word in enumerate(words):
                # Only the class of an unknown word depends on where it stands.
                first = name == "word" and position == 0 and word not in self.vocabulary
                found[row, position + 1] = self._key("first" if first else name, word)
        return found

    def scores(self, columns: Columns, weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """[n+1, n+1] what a linear policy says of each span."""
        scores: npt.NDArray[np.float64] = kernel.span_scores(self.compiled, columns, weights)
        return scores

    def rows(self, columns: Columns, sites: npt.NDArray[np.int32]) -> npt.NDArray[np.uint32]:
        """[R, templates] the features of spans [R, 2]."""
        rows: npt.NDArray[np.uint32] = kernel.span_rows(self.compiled, columns, sites)
        return rows

    def _atoms(self, text: str) -> list[tuple[int, int]]:
        """(view, place) of each atom, by place: left, inside, right, sizes."""
        atoms: list[tuple[int, int]] = []
        for part in text.split():
            found = _ATOM.fullmatch(part)
            if found:
                atoms.append((self.view_names.index(found[1]), _PLACES[found[2]]))
            elif part in _SIZES:
                atoms.append((0, _SIZES[part]))
            elif part != "bias":
                raise InputError(
                    f"{part!r} in the template {text!r} is no atom",
                    fix="write view[i-1], view[i], view[i:k], view[k-1], view[k], width, length or bias",
                )
        return sorted(atoms, key=lambda atom: atom[1])

    def _key(self, name: str, word: str) -> int:
        key = self._keys.get((name, word))
        if key is None:
            key = text_key(word if word in (_BEGIN, _END) else self._view(name, word))
            self._keys[name, word] = key
        return key

    def _view(self, name: str, word: str) -> str:
        if name in ("word", "first"):
            if word in self.vocabulary:
                return word
            return signature(word, initial=name == "first", known_lower=word.lower() in self.vocabulary)
        return shape(word) if name == "shape" else self.views[name](word)


def _depends(places: Iterable[int]) -> int:
    there = set(places)
    on_left = bool(there & {kernel.BEFORE, kernel.FIRST})
    on_right = bool(there & {kernel.LAST, kernel.AFTER})
    on_size = kernel.WIDTH in there
    if kernel.INSIDE in there or on_left + on_right + on_size > 1:
        return kernel.ON_BOTH
    if on_left:
        return kernel.ON_LEFT
    if on_right:
        return kernel.ON_RIGHT
    return kernel.ON_WIDTH if on_size else kernel.NOTHING
