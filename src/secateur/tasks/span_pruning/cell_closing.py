"""Chart-cell closing (Roark & Hollingshead 2008, 2009): two decisions a word instead of one a span.

A word may begin a multi-word constituent or not, and end one or not; a cell (i, k) is closed where word i may
not begin or word k-1 may not end one. So n words take 2n decisions, and none knows of the others.

Their constituents are those of the tree before it is made binary, and they close a cell in part only: with
left binarization, a symbol made for the first children of X begins where X begins but may end anywhere in it,
so where the last word may not end a constituent the cell stays open to made symbols (with right binarization:
where the first word may not begin one). A mask cannot close a cell to some symbols. Closing it to all would
lose the constituents of three children or more around it, and leaving it open would make one of the two
decisions idle. So a constituent is here a node of the binarized tree, made ones too, and a closed cell is
closed. The sentence as a whole, which is always kept, does not count as one.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.search.arrays import Bools, Floats, Weights
from secateur.search.core import Rows
from secateur.search.linear import REGULARIZER, Matrix, logistic_regression
from secateur.tasks.span_pruning.masks import length_of, settled
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Tree

FORMAT = 1
STORED = ("format", "bits", "vocabulary", "begin_active", "begin_weights", "end_active", "end_weights")
BITS = 20
LEAST_SEEN = 2  # features of fewer words than this get no weight
# Templates of spans serve for words: of the word alone, word[i-1], word[i], word[k] are the word before, the
# word, and the one after; of the three words around it, word[i-1] and word[k] are two away.
NEAR = (
    "bias",
    "word[i]",
    "word[i-1]",
    "word[k]",
    "word[i-1] word[i]",
    "word[i] word[k]",
    "shape[i]",
    "shape[i-1] shape[i]",
    "shape[i] shape[k]",
    "ending[i]",
    "ending[i-1] ending[i]",
    "ending[i] ending[k]",
    "ending[i-1] ending[i] ending[k]",
)
FAR = (
    "word[i-1]",
    "word[k]",
    "ending[i-1]",
    "ending[k]",
    "word[i] word[k-1]",
    "ending[i-1] ending[i]",
    "ending[k-1] ending[k]",
)


def ending(word: str) -> str:
    """What stands in for a tag: the last letters."""
    return word[-3:].lower()


@dataclass(frozen=True, slots=True, eq=False)
class CellClosing:
    """Which words may begin and which may end a multi-word constituent, and so which cells are open."""

    features: SpanFeatures
    begin: Weights  # [dim] a sum above 0: the word may begin one
    end: Weights  # [dim]

    @classmethod
    def fit(
        cls,
        trees: Treebank,
        *,
        binarization: Binarization | None = None,
        penalty: float = 0.2,
        regularizer: float = REGULARIZER,
        bits: int = BITS,
    ) -> CellClosing:
        """From normalized trees. The penalty, for a word left open that could be closed, is the dial.

        A word closed that should be open costs 1: near 0 nothing is closed.
        """
        if not 0.0 <= penalty < np.inf:
            raise InputError(f"a penalty of {penalty}", fix="give 0 or more")
        if not len(trees):
            raise InputError("no trees to learn from", fix="give a treebank with at least one tree")
        features = _features(frozenset(w for w, count in trees.vocabulary().items() if count > 1), bits)
        way = binarization or Binarization()
        rows = np.concatenate([word_rows(features, tree.words()) for tree in trees])
        used = np.concatenate([in_use(way(tree)) for tree in trees], axis=1)
        seen = np.bincount(rows.ravel(), minlength=features.dim)
        matrix = Matrix.build(Rows(rows), seen >= min(LEAST_SEEN, len(rows)))
        begin, end = (
            logistic_regression(matrix, np.where(row, 1.0, -penalty), regularizer=regularizer) for row in used
        )
        return cls(features, begin, end)

    def scores(self, words: Sequence[str]) -> Floats:
        """[2, n] of each word as the first and as the last of a constituent; above 0 it may be."""
        rows = word_rows(self.features, words)
        return np.stack([weights[rows].sum(axis=1, dtype=np.float64) for weights in (self.begin, self.end)])

    def mask(self, words: Sequence[str]) -> Bools:
        """[n+1, n+1] the open cells (see masks.Spans)."""
        n = length_of(words)
        begins, ends = self.scores(words) > 0
        mask = np.zeros((n + 1, n + 1), np.bool_)
        mask[:n, 1:] = begins[:, None] & ends
        return settled(mask)

    def save(self, path: str | PathLike[str]) -> None:
        """Write one npz file."""
        words = "\n".join(sorted(self.features.vocabulary)).encode()
        stored: dict[str, Any] = {
            "format": FORMAT,
            "bits": self.features.bits,
            "vocabulary": np.frombuffer(words, np.uint8),
        }
        for name, weights in (("begin", self.begin), ("end", self.end)):
            active = np.flatnonzero(weights).astype(np.uint32)
            stored |= {f"{name}_active": active, f"{name}_weights": weights[active]}
        buffer = io.BytesIO()
        np.savez(buffer, **stored)
        try:
            Path(path).write_bytes(buffer.getvalue())
        except OSError as problem:
            raise InputError(
                f"cannot write: {problem.strerror}", where=str(path), fix="choose another place"
            ) from problem

    @classmethod
    def load(cls, path: str | PathLike[str]) -> CellClosing:
        """Read what `save` wrote."""
        found = _stored(path)
        if int(found["format"]) != FORMAT:
            raise InputError(
                f"cell closing of format {found['format']}; this version reads {FORMAT}",
                where=str(path),
                fix="fit it again, or install the version that made it",
            )
        words = found["vocabulary"].tobytes().decode().split("\n")
        features = _features(frozenset(words) - {""}, int(found["bits"]))
        begin, end = (np.zeros(features.dim, np.float32) for _ in range(2))
        begin[found["begin_active"]] = found["begin_weights"]
        end[found["end_active"]] = found["end_weights"]
        return cls(features, begin, end)


def word_rows(features: SpanFeatures, words: Sequence[str]) -> npt.NDArray[np.uint32]:
    """[n, templates] the features of each word."""
    n = length_of(words)
    columns = features.columns(words)
    # Once more begin and end, so that two words away is somewhere: word p is now p + 1.
    padded = np.concatenate((columns[:, :1], columns, columns[:, -1:]), axis=1)
    first = np.arange(1, n + 1, dtype=np.int32)
    near, far = np.stack((first, first + 1), 1), np.stack((first - 1, first + 2), 1)
    rows = features.rows(padded, np.concatenate((near, far)))
    return np.concatenate((rows[:n, : len(NEAR)], rows[n:, len(NEAR) :]), axis=1)


def in_use(tree: Tree) -> Bools:
    """[2, n] which words begin, and which end, a span that a mask decides."""
    if tree.is_discontinuous:
        fix = "make it continuous: secateur treebank convert --to brackets --continuous"
        raise InputError("a discontinuous tree", fix=fix)
    n = len(tree.leaves())
    used = np.zeros((2, n), np.bool_)
    for _, i, k in tree.spans():
        if 1 < k - i < n:
            used[0, i] = used[1, k - 1] = True
    return used


def _features(vocabulary: frozenset[str], bits: int) -> SpanFeatures:
    return SpanFeatures(vocabulary, (*NEAR, *FAR), {"ending": ending}, bits)


def _stored(path: str | PathLike[str]) -> dict[str, Any]:
    """The arrays of a file, all there."""
    try:
        # Of a file that is no archive, numpy would leave the handle open.
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as stored:
            return {name: stored[name] for name in STORED}
    except FileNotFoundError:
        raise InputError("there is no such file", where=str(path), fix="name one that save wrote") from None
    except (ValueError, TypeError, KeyError, EOFError, OSError, zipfile.BadZipFile) as problem:
        raise InputError(f"damaged: {problem}", where=str(path), fix="copy the file again") from None
