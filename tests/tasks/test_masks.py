"""Classic pruners: closed cells follow from decisions on words, coarse masks from listed derivations."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import mmh3
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings

from naive.cky import cell_of
from naive.enumerate import Forest, log_total
from secateur import Parser, induce, read_tree
from secateur.errors import InputError
from secateur.features.span import ATOM, text_key
from secateur.grammar.binarize import Binarization
from secateur.grammar.pcfg import PCFG
from secateur.tasks.span_pruning.cell_closing import FAR, NEAR, CellClosing, in_use
from secateur.tasks.span_pruning.coarse_mask import CoarseMask
from secateur.tasks.span_pruning.masks import Spans, settled
from secateur.testing.strategies import UNKNOWN_WORD, grammars, sentences
from secateur.treebanks import garden
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Leaf, Tree

BITS = 18
MANY = 2000  # derivations, more than which are not listed


@cache
def trees() -> Treebank:
    return garden.treebank(80)


@cache
def others() -> list[list[str]]:
    return [tree.words() for tree in garden.treebank(110)[80:].filter(max_length=20)]


@cache
def closing(penalty: float = 0.2, direction: str = "left") -> CellClosing:
    way = Binarization("right" if direction == "right" else "left")
    return CellClosing.fit(trees(), binarization=way, penalty=penalty, bits=BITS)


def decided(tree: Tree, direction: str) -> set[tuple[int, int]]:
    """The spans of the binarized tree that a mask may keep or prune."""
    n = len(tree.words())
    spans = Binarization("right" if direction == "right" else "left")(tree).spans()
    return {(i, k) for _, i, k in spans if 1 < k - i < n}


def naive_score(weights: npt.NDArray[np.float32], found: CellClosing, words: list[str], p: int) -> float:
    """Each template's key spelt out and hashed by mmh3."""
    near = {"i-1": p - 1, "i": p, "k-1": p, "k": p + 1}
    far = {"i-1": p - 2, "i": p - 1, "k-1": p + 1, "k": p + 2}
    total = 0.0
    for number, template in enumerate((*NEAR, *FAR)):
        key = [number]
        for view, place in ATOM.findall(template):
            position = (near if number < len(NEAR) else far)[place]
            key.append(text_key(found.features.seen(view, words, min(max(position, -1), len(words)))))
        data = np.array(key, "<u4").tobytes()
        total += float(weights[mmh3.hash(data, 0, signed=False) % found.features.dim])
    return total


@pytest.mark.parametrize("words", [["Ferns"], ["Ferns", "grow"], *others()[:6]])
def test_cells_are_closed_by_their_first_and_last_words(words: list[str]) -> None:
    found, n = closing(), len(words)
    mask = found.mask(words)
    assert mask.shape == (n + 1, n + 1)
    begins = [naive_score(found.begin, found, words, p) > 0 for p in range(n)]
    ends = [naive_score(found.end, found, words, p) > 0 for p in range(n)]
    for i in range(n + 1):
        for k in range(n + 1):
            sure = k - i in (1, n)
            assert mask[i, k] == (sure or (i < k and begins[i] and ends[k - 1]))


def test_made_symbols_begin_and_end_as_others_do() -> None:
    tree = read_tree("(S (A a) (B b) (C c) (D d))")
    left, right = in_use(Binarization("left")(tree)), in_use(Binarization("right")(tree))
    assert left.tolist() == [[True, False, False, False], [False, True, True, False]]
    assert right.tolist() == [[False, True, True, False], [False, False, False, True]]
    assert not in_use(tree).any()


@pytest.mark.parametrize("direction", ["left", "right"])
def test_wary_closing_keeps_every_gold_span(direction: str) -> None:
    wary, closed = closing(1e-3, direction), 0
    for tree in trees():
        mask, n = wary.mask(tree.words()), len(tree.words())
        assert all(mask[span] for span in decided(tree, direction))
        closed += n * (n + 1) // 2 - int(mask.sum())
    assert closed > 1000


def test_a_penalty_of_nothing_closes_nothing() -> None:
    for words in others():
        n = len(words)
        assert np.array_equal(closing(0.0).mask(words), np.triu(np.ones((n + 1, n + 1), bool), 1))


def test_a_higher_penalty_closes_more() -> None:
    kept = [sum(int(closing(penalty).mask(w).sum()) for w in others()) for penalty in (0.0, 0.01, 0.2, 5.0)]
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) == 4


def test_closing_tells_gold_spans_from_others() -> None:
    """On sentences it has not seen."""
    kept_gold = gold = kept = spans = 0
    for tree in garden.treebank(110)[80:]:
        mask, n, wanted = closing().mask(tree.words()), len(tree.words()), decided(tree, "left")
        kept_gold += sum(bool(mask[span]) for span in wanted)
        gold += len(wanted)
        kept += int(np.triu(mask, 2).sum()) - 1  # the whole sentence is not decided
        spans += n * (n - 1) // 2 - 1
    assert kept_gold / gold > 0.85
    assert (kept - kept_gold) / (spans - gold) < 0.4


def test_pruned_parsers_find_trees() -> None:
    grammar = induce(trees())
    parser = Parser(grammar)
    masks: list[Spans] = [closing(0.05), CoarseMask(grammar, 1e-3), CoarseMask(grammar, 0.2)]
    for spans in masks:
        exact, pruned = [parser.parse(w) for w in others()], []
        for words in others():
            pruned.append(parser.parse(words, mask=spans.mask(words)))
            assert pruned[-1].tree.words() == words
        assert sum(p.failed for p in pruned) <= 0.2 * len(pruned)
        assert sum(p.work.pushes for p in pruned) < 0.8 * sum(p.work.pushes for p in exact)


def test_saved_and_loaded(tmp_path: Path) -> None:
    closing().save(tmp_path / "closing.npz")
    again = CellClosing.load(tmp_path / "closing.npz")
    assert again.features == closing().features
    for words in others():
        assert np.array_equal(again.scores(words), closing().scores(words))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "closing.npz"
    with pytest.raises(InputError, match="no such file"):
        CellClosing.load(path)
    with pytest.raises(InputError, match="cannot write"):
        closing().save(tmp_path / "nowhere" / "closing.npz")
    closing().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="damaged"):
        CellClosing.load(path)
    np.savez(path, bits=4)
    with pytest.raises(InputError, match="damaged"):
        CellClosing.load(path)
    path.write_bytes(whole)
    with np.load(path) as stored:
        arrays = dict(stored)
    np.savez(path, **(arrays | {"format": 99}))
    with pytest.raises(InputError, match="format 99"):
        CellClosing.load(path)


def span_posteriors(grammar: PCFG, words: list[str]) -> dict[tuple[int, int], float] | None:
    """The summed probability of the derivations that have a node over each span."""
    forest = Forest(grammar, grammar.lexicon.encode(words))
    assume(forest.size() <= MANY)
    derivations = forest.derivations()
    if not derivations:
        return None
    total = log_total(derivations)
    n = len(words)
    found = dict.fromkeys(((i, k) for i in range(n) for k in range(i + 1, n + 1)), 0.0)
    for d in derivations:
        for span in {(i, k) for _, _, i, k, _ in d.steps}:
            found[span] += math.exp(d.log - total)
    return found


@settings(max_examples=120)
@given(grammars(rules=9), sentences(longest=6))
def test_coarse_masks_equal_enumeration(grammar: PCFG, words: list[str]) -> None:
    n = len(words)
    expected = span_posteriors(grammar, words)
    found = CoarseMask(grammar, 0.0).posterior(words)
    assert found.work.pushes == Parser(grammar).parse(words).work.pushes
    if expected is None:
        assert np.array_equal(CoarseMask(grammar, 0.9).mask(words), settled(np.ones((n + 1, n + 1), bool)))
        return
    for (i, k), probability in expected.items():
        assert found.spans[i, k] == pytest.approx(probability, rel=1e-9, abs=1e-12)
    for least in (0.0, 1e-4, 0.01, 0.3, 0.9):
        if any(abs(p - least) <= 1e-9 for p in expected.values() if p):
            continue
        mask = CoarseMask(grammar, least).mask(words)
        kept = {span for span, p in expected.items() if p >= least or span[1] - span[0] in (1, n)}
        assert {(int(i), int(k)) for i, k in np.argwhere(mask)} == kept


@settings(max_examples=60)
@given(grammars(unaries=False), sentences(longest=7))
def test_without_unaries_marginals_say_the_same(grammar: PCFG, words: list[str]) -> None:
    """A span then holds one node at most: the expected number of its nodes is its probability."""
    marginals = Parser(grammar).marginals(words)
    assume(marginals is not None)
    assert marginals is not None
    found = CoarseMask(grammar, 0.0).posterior(words).spans
    for i in range(len(words)):
        for k in range(i + 1, len(words) + 1):
            assert found[i, k] == pytest.approx(float(marginals.table[cell_of(i, k)].sum()), abs=1e-12)


def test_the_posterior_is_right_on_a_treebank_grammar() -> None:
    """Of any label: none is likelier than its span, and all together are as likely at least."""
    grammar = induce(trees())
    for words in others()[:5]:
        marginals = Parser(grammar).marginals(words)
        assert marginals is not None
        found = CoarseMask(grammar, 0.0).posterior(words).spans
        for i in range(len(words)):
            for k in range(i + 2, len(words) + 1):
                row = marginals.table[cell_of(i, k)]
                assert row.max() - 1e-9 <= found[i, k] <= row.sum() + 1e-9


def test_a_coarse_mask_without_room_keeps_everything() -> None:
    words = others()[0]
    n = len(words)
    found = CoarseMask(induce(trees()), 0.5, chart_bytes=1).mask(words)
    assert np.array_equal(found, np.triu(np.ones((n + 1, n + 1), bool), 1))
    assert CoarseMask(induce(trees()), 0.5).mask([UNKNOWN_WORD]).tolist() == [[False, True], [False, False]]


def test_what_cannot_be_had() -> None:
    with pytest.raises(InputError, match="no trees"):
        CellClosing.fit(Treebank([]))
    for penalty in (-0.1, math.nan, math.inf):
        with pytest.raises(InputError, match="penalty"):
            CellClosing.fit(trees(), penalty=penalty)
    crossing = Tree("S", (Tree("A", (Leaf(0, "up"), Leaf(2, "it"))), Tree("B", (Leaf(1, "dug"),))))
    with pytest.raises(InputError, match="discontinuous"):
        CellClosing.fit(Treebank([crossing]))
    for least in (-0.1, 1.0, math.nan):
        with pytest.raises(InputError, match="least posterior"):
            CoarseMask(induce(trees()), least)
    for spans in (closing(), CoarseMask(induce(trees()), 0.1)):
        with pytest.raises(InputError, match="empty sentence"):
            spans.mask([])


def test_one_short_tree_is_enough() -> None:
    found = CellClosing.fit(Treebank([read_tree("(S (NP (D a) (N fern)) (V grew))")]), penalty=0.5)
    mask = found.mask(["a", "fern", "grew"])
    assert mask[0, 2]
    assert not mask[1, 3]
