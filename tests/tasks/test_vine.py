"""The vine-style filter: against all trees, and parsing on what it leaves against parsing with its mask."""

from __future__ import annotations

import numpy as np
import pytest

from locking_cases import BITS, FEATURES, random_case
from naive import arcs as listing
from naive.arc_locking import rows_of, total
from secateur.kinds.arcs.ways import policy_of, whole_task
from secateur.tasks.arc_locking.corpus import corpus_tags, unparsed_corpus
from secateur.tasks.arc_locking.vine import Vine
from toy_dependencies import grown, toy_parts


@pytest.mark.parametrize("seed", range(40))
def test_arcs_left_are_those_of_trees_near_the_best(seed: int) -> None:
    case = random_case(seed, longest=5)
    rng = np.random.default_rng(seed)
    cheap = tuple(rng.permutation(FEATURES.first)[:4].tolist())
    vine = Vine(case.task, cheap, share=float(rng.choice([0.0, 0.3, 0.7])))
    n = case.words
    rows = rows_of(FEATURES, case.x.sentence, 1 << BITS, siblings=False)
    score = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h != m and case.x.allowed[m, h]:
                score[m, h] = total(rows, case.task.models.crossing, cheap, (h, m, -1))
    listed = listing.trees(n, True, case.task.single_root)
    totals = listing.totals(listed, score)
    with_arc = np.full((n + 1, n + 1), -np.inf)
    for heads, value in zip(listed.heads, totals, strict=True):
        for m, h in enumerate(heads, 1):
            with_arc[m, h] = max(with_arc[m, h], value)
    found = vine.mask(case.x)
    if totals.max() == -np.inf:
        assert (found == case.x.allowed).all()
        return
    mean = with_arc[with_arc > -np.inf].mean()
    least = vine.share * totals.max() + (1 - vine.share) * mean
    near = abs(with_arc - least) < 1e-4  # the mean is rounded
    assert ((found == (with_arc >= least)) | near).all()
    best = listed.heads[totals.argmax()]
    assert found[np.arange(1, n + 1), best].all()


def test_a_larger_share_bars_more() -> None:
    totals = []
    cases = [random_case(seed) for seed in range(20)]
    for share in (0.0, 0.5, 0.99):
        totals.append(sum(int(Vine(case.task, (0, 1, 2), share).mask(case.x).sum()) for case in cases))
    assert totals[0] > totals[1] > totals[2] >= len(cases)


def test_many_sentences_are_parsed_as_one_by_one() -> None:
    parts, trees = toy_parts(), grown(30, seed=5)
    whole = whole_task(parts)
    vine = Vine(whole, parts.groups[0], 0.4)
    policy = policy_of({}, {})
    corpus = unparsed_corpus(parts.features, trees)
    computed = vine.search(corpus, corpus_tags(parts.limits, trees))
    barred = 0
    for i, tree in enumerate(trees):
        x = whole.encode(tree.words, tree.tags, tree.coarse)
        mask = vine.mask(x)
        barred += int(x.allowed.sum() - mask.sum())
        alone = whole.run(x._replace(allowed=mask), policy)
        assert alone.parts is not None
        a = int(corpus.start[i])
        assert corpus.heads[a : a + len(tree) + 1].tolist() == alone.parts.heads.tolist()
        cheap = int(x.allowed[1:].sum() - np.trace(x.allowed[1:, 1:])) * len(parts.groups[0])
        assert computed[i] == alone.work.features + cheap
    assert barred > 0
