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
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.tokens import Remembered
from secateur.grammar.lexicon import signature
from secateur.kernels.cky import features as kernel
from secateur.kernels.hashing import murmur3

Columns = npt.NDArray[np.uint32]  # [views, n+2]
View = Callable[[str], str]

BITS = 22
MOST_BITS = 27
REMEMBERED = 1 << 17  # words whose keys are kept at hand
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
ATOM = re.compile(r"(\w+)\[(i-1|i|i:k|k-1|k)\]")  # a view and a place
_RUN = re.compile(r"([Xxd])\1{2,}")
# Before and behind a sentence, and in front of its first word: no word is a control character or holds white
# space.
BEGIN, END, _FIRST = "\x02", "\x03", "\n"


class _Classes(dict[int, str]):
    """Of characters, by their code: each is found when it is first seen."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        self[code] = "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c
        return self[code]


_CLASSES = _Classes()


def shape(word: str) -> str:
    """Letters and digits as their class, in runs of two at most; all else as it is."""
    return _RUN.sub(r"\1\1", word.translate(_CLASSES))


@lru_cache(maxsize=REMEMBERED)  # ever new words have few shapes and classes
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

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= MOST_BITS:
            raise InputError(f"{self.bits} bits of features", fix=f"give 1 to {MOST_BITS}")
        if not self.templates:
            raise InputError("no templates", fix='give some; "bias" will do')
        for text in self.templates:
            _check_template(text)

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
        missing = self.missing_views
        if missing:
            raise InputError(
                f"a template uses the view {missing[0]!r}, which is not there",
                fix=f'give views={{"{missing[0]}": function from a word to a text}}',
            )
        return self._named_views()

    @property
    def missing_views(self) -> list[str]:
        """Those that templates use and nobody gave."""
        known = {"word", "shape", *self.views}
        return [name for name in self._named_views() if name not in known]

    def _named_views(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for text in self.templates for name, _ in ATOM.findall(text)))

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
        marked = _mark(words)
        by_word = np.frombuffer(self._keys.joined(marked), np.uint32).reshape(len(marked), -1)
        return by_word.T.copy()

    def seen(self, view: str, words: Sequence[str], position: int) -> str:
        """A word under a view, as its key is made; BEGIN and END at the positions -1 and n."""
        return self._seen(view, _mark(words)[position + 1])

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
            found = ATOM.fullmatch(part)
            if found:
                atoms.append((self.view_names.index(found[1]), _PLACES[found[2]]))
            elif part in _SIZES:
                atoms.append((0, _SIZES[part]))
        return sorted(atoms, key=lambda atom: atom[1])

    @cached_property
    def _keys(self) -> Remembered[str]:
        """The keys of marked words under each view."""
        return Remembered(self._key, most=REMEMBERED)

    def _key(self, marked: str) -> bytes:
        return np.array([text_key(self._seen(name, marked)) for name in self.view_names], np.uint32).tobytes()

    def _seen(self, name: str, marked: str) -> str:
        """A marked word under a view. Only the class of an unknown word depends on where it stands."""
        if marked in (BEGIN, END):
            return marked
        word = marked.removeprefix(_FIRST)
        if name == "shape":
            return shape(word)
        if name != "word":
            return self.views[name](word)
        if word in self.vocabulary:
            return word
        initial = marked.startswith(_FIRST)
        return signature(word, initial=initial, known_lower=word.lower() in self.vocabulary)


def _check_template(text: str) -> None:
    """Refuse what is no template, whatever views there are."""
    parts = text.split()
    if not parts:
        raise InputError("a template without atoms", fix="leave it out, or write bias")
    for part in parts:
        if part != "bias" and part not in _SIZES and not ATOM.fullmatch(part):
            raise InputError(
                f"{part!r} in the template {text!r} is no atom",
                fix="write view[i-1], view[i], view[i:k], view[k-1], view[k], width, length or bias",
            )
    if sum(part.endswith("[i:k]") for part in parts) > 1:
        raise InputError(
            f"the template {text!r} has more than one view of all words",
            fix="write view[i:k] once, and make a view of your own for the rest",
        )


def _mark(words: Sequence[str]) -> list[str]:
    """The words with their first one marked as such, and with begin and end symbols around."""
    marked = [BEGIN, *words, END]
    marked[1] = _FIRST + marked[1]
    return marked


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
