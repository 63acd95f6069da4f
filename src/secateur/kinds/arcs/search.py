"""Dependency trees from scores of arcs: the best, all at once by arc, and how sure the best one is.

n words are numbered 1..n, 0 is the root. Scores are natural logs in a square of n+1 rows, *the modifier
first*: scores[m][h] is that of the arc from the head h to m. Row 0 and the diagonal mean nothing; -inf bars
an arc. Siblings are a cube, siblings[m][h][s]: what the arc h -> m scores on top of that when s, strictly
between the two, is the modifier of h next to m, or when s is h and m is the first on its side. All are taken
as float32.

    best_tree([[0, 0, 0], [5, 0, 1], [3, 9, 0]])  # (0, 1): word 1 is below the root, word 2 below word 1

Every function gives None where the bars leave no tree. Which of equally good trees is the best one is fixed,
and said in the kernels: mst.py, eisner.py and eisner_siblings.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError

Floats = npt.NDArray[np.float64]
_Scores = npt.NDArray[np.float32]
_Heads = npt.NDArray[np.int32]


class ArcMarginals(NamedTuple):
    log_total: float  # log of the sum over all trees of exp(score)
    table: Floats  # [n+1, n+1] each arc's share of that sum, the modifier first


class ArcMaxMarginals(NamedTuple):
    best: float  # the best tree's score
    table: Floats  # [n+1, n+1] that of the best tree with each arc, -inf if there is none; the modifier first


def best_tree(
    scores: npt.ArrayLike,
    *,
    projective: bool = True,
    siblings: npt.ArrayLike | None = None,
    single_root: bool = True,
) -> tuple[int, ...] | None:
    """The heads of the words 1..n in the best tree; unless it is projective, arcs may cross."""
    score, sibling = _checked(scores, siblings, projective)
    heads = _heads(score, sibling, projective, single_root)
    return None if heads is None else tuple(heads[1:].tolist())


def marginals(
    scores: npt.ArrayLike,
    *,
    projective: bool = True,
    siblings: npt.ArrayLike | None = None,
    single_root: bool = True,
) -> ArcMarginals | None:
    """How likely each arc is, a tree's probability being in proportion to exp(score)."""
    from secateur.kernels.arcs import inside as arc_inside
    from secateur.kernels.arcs import inside_siblings as arc_inside_siblings
    from secateur.kernels.arcs import matrix_tree

    score, sibling = _checked(scores, siblings, projective)
    table = np.empty(score.shape)
    if sibling is not None:
        found = arc_inside_siblings.sibling_marginals(score, sibling, single_root, table)
    elif projective:
        found = arc_inside.arc_marginals(score, single_root, table)
    else:
        found = matrix_tree.tree_marginals(score, single_root, table)
    return None if found == -np.inf else ArcMarginals(float(found), table)


def max_marginals(
    scores: npt.ArrayLike,
    *,
    projective: bool = True,
    siblings: npt.ArrayLike | None = None,
    single_root: bool = True,
) -> ArcMaxMarginals | None:
    """The score of the best tree with each arc. Trees whose arcs may cross cost a search for every arc."""
    from secateur.kernels.arcs import mst

    score, sibling = _checked(scores, siblings, projective)
    if projective:
        return _projective_max_marginals(score, sibling, single_root)
    table = np.empty(score.shape)
    best = mst.tree_max_marginals(score, single_root, table)
    return None if best == -np.inf else ArcMaxMarginals(float(best), table)


def margins(
    scores: npt.ArrayLike,
    *,
    projective: bool = True,
    siblings: npt.ArrayLike | None = None,
    single_root: bool = True,
) -> Floats | None:
    """By how much the best tree is better than the best one where a word has another head, [n].

    inf for a word that can have no other head.
    """
    from secateur.kernels.arcs import mst

    score, sibling = _checked(scores, siblings, projective)
    if not projective:
        margin = np.empty(len(score))
        found = mst.tree_margins(score, single_root, np.empty(len(score), np.int32), margin)
        return _not_negative(margin[1:]) if found else None
    heads = _heads(score, sibling, True, single_root)
    tops = _projective_max_marginals(score, sibling, single_root)
    if heads is None or tops is None:
        return None
    others = tops.table[1:].copy()
    others[np.arange(len(others)), heads[1:]] = -np.inf
    return _not_negative(tops.best - others.max(axis=1))


def _not_negative(margin: Floats) -> Floats:
    """Of equally good trees the sums may differ by a rounding."""
    return np.maximum(margin, 0.0, out=margin)


def _heads(score: _Scores, sibling: _Scores | None, projective: bool, single_root: bool) -> _Heads | None:
    """Of the best tree, [n+1]."""
    from secateur.kernels.arcs import eisner, eisner_siblings, mst

    heads = np.empty(len(score), np.int32)
    if sibling is not None:
        found = eisner_siblings.best_projective_siblings(score, sibling, single_root, heads)
    elif projective:
        found = eisner.best_projective(score, single_root, heads)
    else:
        found = mst.best_tree(score, single_root, heads)
    return heads if found else None


def _projective_max_marginals(
    score: _Scores, sibling: _Scores | None, single_root: bool
) -> ArcMaxMarginals | None:
    from secateur.kernels.arcs import inside as arc_inside
    from secateur.kernels.arcs import inside_siblings as arc_inside_siblings

    table = np.empty(score.shape)
    if sibling is not None:
        best = arc_inside_siblings.sibling_max_marginals(score, sibling, single_root, table)
    else:
        best = arc_inside.arc_max_marginals(score, single_root, table)
    return None if best == -np.inf else ArcMaxMarginals(float(best), table)


def _checked(
    scores: npt.ArrayLike, siblings: npt.ArrayLike | None, projective: bool
) -> tuple[_Scores, _Scores | None]:
    score = _array(scores, "scores")
    size = len(score) if score.ndim else 0
    if size < 2 or score.shape != (size, size):
        raise InputError(
            f"scores of arcs have the shape {score.shape}",
            fix="give one row and one column for the root and for each word, of which there is at least one",
        )
    score[0] = -np.inf
    np.fill_diagonal(score, -np.inf)
    _finite(score, "scores")
    if siblings is None:
        return score, None
    if not projective:
        raise InputError("scores of siblings need projective trees", fix="leave out siblings or ask for such")
    sibling = _array(siblings, "siblings")
    if sibling.shape != (size, size, size):
        raise InputError(
            f"scores of siblings have the shape {sibling.shape}",
            fix=f"give {(size, size, size)} beside scores of the shape {score.shape}",
        )
    _finite(sibling, "siblings")
    return score, sibling


def _array(values: npt.ArrayLike, name: str) -> _Scores:
    """A copy."""
    try:
        with np.errstate(over="ignore"):
            return np.array(values, np.float32, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} are no array of numbers: {error}", fix="give rows of equal length"
        ) from None


def _finite(values: _Scores, name: str) -> None:
    wrong = np.argwhere(~(values < np.inf))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        raise InputError(
            f"{name}{list(place)} is {values[place]}", fix="give finite numbers, or -inf to bar an arc"
        )
