"""The garden: an endless treebank of English-like sentences, grown from a seed.

One derivation gives each sentence three annotations that agree: a Penn tree with function tags and traces,
the discontinuous tree with its traces resolved, and dependencies. Nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from secateur.errors import InputError
from secateur.treebanks.garden.derive import Sample, derive
from secateur.treebanks.garden.luck import Luck
from secateur.treebanks.garden.sentences import sentence
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.phrases import Treebank

__all__ = ["Sample", "garden", "sample", "treebank"]


def sample(index: int, *, seed: int = 0) -> Sample:
    """Sentence number `index` of the garden grown from `seed`."""
    if index < 0:
        raise InputError(f"sentence {index} of the garden", fix="count sentences from 0")
    return derive(sentence(Luck(f"{seed}:{index}")))


def garden(count: int, *, seed: int = 0) -> Iterator[Sample]:
    """The first `count` sentences; fewer are always a prefix of more."""
    if count < 0:
        raise InputError(f"{count} sentences of the garden", fix="ask for 0 or more")
    return (sample(index, seed=seed) for index in range(count))


def treebank(count: int, *, seed: int = 0) -> Treebank:
    """The Penn trees of the first `count` sentences, normalized as for training."""
    step = Normalization()
    trees = (step(grown.penn) for grown in garden(count, seed=seed))
    return Treebank((tree for tree in trees if tree is not None), name="garden")
