"""Splitting, EM, merging and smoothing, against plain loops over rules by name."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import tree_em as naive
from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import induce
from secateur.grammar.latent.corpus import corpus_of
from secateur.grammar.latent.splitmerge import Level, Round, Schedule, SplitMerge, branches, mixing
from secateur.grammar.pcfg import Ids
from secateur.kernels.split import tree_em
from secateur.kernels.split.tree_em import Blocks
from secateur.testing.strategies import trees
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.tree import Tree

RIGHT = Binarization("right")
QUICK = Schedule(split_rounds=4, merge_rounds=2, smooth_rounds=2)

# The subject's NP is not the object's, nor the tag d of one word that of another; t is a tag and a phrase.
BRACKETS = """
    (ROOT (S (NP (d a) (n snail)) (VP (v eats) (NP (d the) (j green) (n leaf)))))
    (ROOT (S (NP (d a) (n crow)) (VP (v sees) (NP (d the) (n snail)))))
    (ROOT (S (NP (p she)) (VP (v prunes) (NP (d the) (j old) (n vine)) (t (r there)))))
    (ROOT (S (NP (p it)) (VP (v grows) (t here))))
    (ROOT (S (NP (NP (d a) (n leaf)) (t (r there))) (VP (v falls))))
    (ROOT (S (t (r here)) (NP (d a) (n crow)) (VP (v eats) (NP (p it)))))
    (ROOT (S (NP (d the) (j old) (j green) (n snail)) (VP (v sees) (NP (p her)))))
    (ROOT (NP (d the) (n vine)))
    (ROOT (S (NP (p she)) (VP (v sees) (NP (NP (d the) (n crow)) (t there)))))
    (ROOT (S (VP (v eats) (NP (d the) (n leaf)))))
"""
TREEBANK = [read_tree(line) for line in BRACKETS.strip().splitlines()]


def trainer_of(treebank: Sequence[Tree], **options: Any) -> SplitMerge:
    grammar = induce(treebank, binarization=RIGHT)
    return SplitMerge(corpus_of(map(RIGHT, treebank), grammar), grammar, **options)


def toy(**options: Any) -> SplitMerge:
    return trainer_of(TREEBANK, **{"schedule": QUICK, **options})


def trained(trainer: SplitMerge, count: int) -> list[Level]:
    levels = [trainer.start()]
    for _ in range(count):
        levels.append(trainer.next(levels))
    return levels


@st.composite
def treebanks(draw: st.DrawFn) -> list[Tree]:
    """A few small trees; labels are tags too, and return in chains."""
    some = trees(labels=("ROOT", "NP", "VP"), tags=("t", "u", "NP"), words=("a", "b"), size=4, arity=4)
    return [Tree("ROOT", (tree,)) for tree in draw(st.lists(some, min_size=1, max_size=10))]


seeds = st.integers(0, 1 << 32)


def table(trainer: SplitMerge, blocks: Blocks) -> naive.Table:
    return naive.to_table(trainer.grammar, trainer.corpus.entries, blocks)


def blocks_of(trainer: SplitMerge, splits: naive.Splits, number: Callable[[naive.Rule], float]) -> Blocks:
    grammar, entries = trainer.grammar, trainer.corpus.entries
    rules = [rule for part in naive.layout(grammar, entries, splits) for rule in part]
    return naive.to_blocks(grammar, entries, splits, {rule: number(rule) for rule in rules})


def random_blocks(trainer: SplitMerge, splits: naive.Splits, seed: int) -> Blocks:
    """Probabilities, none of them 0."""
    rng = np.random.default_rng(seed)
    found = naive.normalized(table(trainer, blocks_of(trainer, splits, lambda _: rng.uniform(0.01, 1.0))))
    return blocks_of(trainer, splits, found.__getitem__)


def random_splits(trainer: SplitMerge, seed: int, most: int = 3) -> dict[str, int]:
    rng = np.random.default_rng(seed)
    found = {name: int(rng.integers(1, most + 1)) for name in trainer.grammar.symbols}
    return found | {trainer.grammar.start: 1}


def equal(one: Level, other: Level) -> bool:
    """Bit for bit."""
    return (
        all(np.array_equal(a, b) for a, b in zip(one.blocks, other.blocks, strict=True))
        and np.array_equal(one.mass, other.mass)
        and all(np.array_equal(a, b) for a, b in zip(one.origin, other.origin, strict=True))
        and one.likelihood == other.likelihood
    )


def test_start_is_relative_frequencies() -> None:
    trainer = toy()
    level = trainer.start()
    counts: Counter[naive.Rule] = Counter()
    for tree in TREEBANK:
        nodes = naive.below(naive.node_of(RIGHT(tree)))
        counts.update(naive.rule_at(node, dict.fromkeys(nodes, 0)) for node in nodes)
    found = table(trainer, level.blocks)
    assert found == pytest.approx(naive.normalized(counts), rel=1e-12)
    log = sum(count * math.log(found[rule]) for rule, count in counts.items())
    assert level.likelihood == pytest.approx(log, rel=1e-12)
    masses = naive.masses(counts)
    assert level.mass.tolist() == [[masses[name, 0]] for name in trainer.grammar.symbols]
    assert masses["ROOT", 0] == len(TREEBANK)


@settings(max_examples=25)
@given(treebanks(), seeds)
def test_expectations_of_all_trees(treebank: list[Tree], seed: int) -> None:
    """The portions make a whole."""
    trainer = trainer_of(treebank)
    splits = random_splits(trainer, seed, 2)
    blocks = random_blocks(trainer, splits, seed)
    counts, likelihood, losses = trainer.expect(blocks)
    assert losses.size == 0
    whole = blocks_of(trainer, splits, lambda _: 0.0)
    none = np.zeros((0, 0))
    numbers = np.arange(len(treebank), dtype=np.uint32)
    total, _ = tree_em.expect(trainer.corpus.nodes, numbers, blocks, whole, none, none)
    assert likelihood == pytest.approx(total, rel=1e-12)
    assert table(trainer, counts) == pytest.approx(table(trainer, whole), rel=1e-12)
    nodes = np.bincount(trainer.corpus.nodes.symbol, minlength=len(blocks.splits))
    used = naive.masses(table(trainer, counts))
    for name, x in trainer.grammar.number.items():
        assert sum(used.get((name, a), 0.0) for a in range(splits[name])) == pytest.approx(nodes[x])


def test_a_tree_without_probability() -> None:
    trainer = toy()
    blocks = trainer.start().blocks
    before, likelihood, _ = trainer.expect(blocks)
    words = before.lexical.sum()
    blocks.lexical[3] = 0.0
    after, rest, _ = trainer.expect(blocks)
    # It teaches nothing, and the others what they did.
    assert likelihood < rest < 0.0
    assert 0.0 < after.lexical.sum() < words


def check_rising(likelihoods: Sequence[float]) -> None:
    for before, after in pairwise(likelihoods):
        assert after >= before - 1e-10 * (1.0 + abs(before))


@settings(max_examples=25)
@given(treebanks(), seeds)
def test_em_never_lowers_the_likelihood(treebank: list[Tree], seed: int) -> None:
    trainer = trainer_of(treebank)
    blocks = random_blocks(trainer, random_splits(trainer, seed), seed)
    likelihoods = []
    for _ in range(8):
        counts, likelihood, _ = trainer.expect(blocks)
        blocks = trainer._blank(blocks.splits)
        tree_em.normalize(counts, *trainer.parents, blocks)
        likelihoods.append(likelihood)
    check_rising(likelihoods)


def test_each_step_raises_the_likelihood() -> None:
    told: list[Round] = []
    trainer = toy(schedule=Schedule(split_rounds=12, merge_rounds=6, smooth_rounds=0), tell=told.append)
    levels = trained(trainer, 2)
    assert [(r.step, r.number) for r in told] == [("start", 0), ("start", 1)] + 2 * [
        *(("split", number) for number in range(12)),
        *(("merge", number) for number in range(6)),
    ]
    # From a split's second round on: a fresh one does not sum to 1, and may be likelier than it should be.
    for first, last in ((3, 14), (14, 20), (21, 32), (32, 38)):
        check_rising([r.likelihood for r in told[first:last]])
    assert told[13].likelihood > told[3].likelihood + 1.0, "there is something to learn"
    assert [level.likelihood for level in levels] == [
        told[1].likelihood,
        told[19].likelihood,
        told[37].likelihood,
    ]


@pytest.mark.parametrize("before", [0, 1, 2])
@pytest.mark.parametrize("noise", [0.01, 0.5])
def test_split(before: int, noise: float) -> None:
    trainer = toy()
    level = trained(trainer, before)[-1]
    trainer.schedule = Schedule(noise=noise)
    halves = trainer._split(level, np.random.default_rng(0))
    number = trainer.grammar.number
    for name, x in number.items():
        k = int(level.blocks.splits[x])
        if name == "ROOT":
            assert halves.blocks.splits[x] == k == 1
            assert halves.origin[x].tolist() == [0]
            assert halves.mass[x, 0] == level.mass[x, 0]
        else:
            assert halves.blocks.splits[x] == 2 * k
            assert halves.origin[x].tolist() == [a // 2 for a in range(2 * k)]
            assert halves.mass[x, : 2 * k].tolist() == [level.mass[x, a // 2] / 2 for a in range(2 * k)]
    origin = {(name, b): (name, int(a)) for name, x in number.items() for b, a in enumerate(halves.origin[x])}
    old, new = table(trainer, level.blocks), table(trainer, halves.blocks)
    for rule, p in new.items():
        # A parent gives each of two children half of what it gave to one.
        children = rule[1:] if isinstance(rule[1], tuple) else ()
        parts = 2 ** sum(name != "ROOT" for name, _ in children)
        came = old[origin[rule[0]], *(origin[child] for child in children), *rule[1 + len(children) :]]
        assert abs(p * parts - came) <= noise / 2 * came * (1 + 1e-12)
    sums = naive.masses(old)
    for sub, total in naive.masses(new).items():
        assert total == pytest.approx(sums[origin[sub]], rel=noise / 2)
        assert total == pytest.approx(1.0, rel=noise / 2 + 1e-12)
    # Noise tells all halves apart.
    assert len({p for p in new.values() if p}) == sum(p > 0.0 for p in new.values())


@settings(max_examples=25)
@given(treebanks(), seeds)
def test_split_without_noise_is_the_same_grammar(treebank: list[Tree], seed: int) -> None:
    trainer = trainer_of(treebank, schedule=Schedule(noise=1e-13))
    blocks = random_blocks(trainer, random_splits(trainer, seed), seed)
    origin = tuple(np.zeros(k, np.uint32) for k in blocks.splits)
    mass = np.ones((len(blocks.splits), int(blocks.splits.max())))
    halves = trainer._split(Level(blocks, mass, origin, 0.0), np.random.default_rng(seed))
    assert trainer.expect(halves.blocks)[1] == pytest.approx(trainer.expect(blocks)[1], rel=1e-10)


def summed(counts: naive.Table, to: dict[naive.SubSymbol, naive.SubSymbol]) -> naive.Table:
    """Counts with sub-symbols renamed; what becomes the same is added up."""
    found: dict[naive.Rule, float] = defaultdict(float)
    for rule, count in counts.items():
        found[tuple(to.get(part, part) if isinstance(part, tuple) else part for part in rule)] += count
    return dict(found)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.77, 0.999])
@pytest.mark.parametrize("before", [0, 1])
def test_merge(share: float, before: int) -> None:
    trainer = toy()
    halves = trainer._estimate(
        trainer._split(trained(trainer, before)[-1], np.random.default_rng(0)), 5, step="split"
    )
    trainer.schedule = Schedule(merged=share)
    level = trainer._merge(halves)
    counts, likelihood, losses = trainer.expect(halves.blocks, halves.mass)
    assert level.likelihood == likelihood
    splits = halves.blocks.splits.tolist()
    pairs = [(x, q) for x, k in enumerate(splits) for q in range(k // 2)]
    gone = sorted(pairs, key=lambda pair: losses[pair])[: int(share * len(pairs))]
    assert level.blocks.splits.sum() == sum(splits) - len(gone)
    to: dict[naive.SubSymbol, naive.SubSymbol] = {}
    for x, name in enumerate(trainer.grammar.symbols):
        origin: list[int] = []
        for a in range(splits[x]):
            if a % 2 == 0 or (x, a // 2) not in gone:
                origin.append(int(halves.origin[x][a]))
            to[name, a] = (name, len(origin) - 1)
        assert level.origin[x].tolist() == origin
        assert level.blocks.splits[x] == len(origin)
    merged = summed(table(trainer, counts), to)
    assert table(trainer, level.blocks) == pytest.approx(naive.normalized(merged), rel=1e-9, abs=1e-25)
    for (name, a), total in naive.masses(merged).items():
        assert level.mass[trainer.grammar.number[name], a] == pytest.approx(total, rel=1e-9)


def everything(trainer: SplitMerge) -> None:
    """Let all pairs be merged, which no schedule for training may ask for."""
    trainer.schedule = SimpleNamespace(merged=1.0)  # type: ignore[assignment]


@settings(max_examples=25)
@given(treebanks(), seeds, st.sampled_from([1e-13, 0.01, 0.9]))
def test_merging_a_fresh_split_undoes_it(treebank: list[Tree], seed: int, noise: float) -> None:
    trainer = trainer_of(treebank, schedule=Schedule(noise=noise))
    start = trainer.start()
    halves = trainer._split(start, np.random.default_rng(seed))
    everything(trainer)
    level = trainer._merge(halves)
    assert level.blocks.splits.tolist() == start.blocks.splits.tolist()
    assert table(trainer, level.blocks) == pytest.approx(table(trainer, start.blocks), rel=1e-9)
    np.testing.assert_allclose(level.mass, start.mass, rtol=1e-9)
    assert all(origin.tolist() == [0] for origin in level.origin)


def test_merging_a_later_fresh_split_undoes_it() -> None:
    """Up to a round of EM, which merging is too."""
    trainer = toy()
    before = trained(trainer, 2)[-1]
    trainer.schedule = Schedule(noise=1e-13)
    halves = trainer._split(before, np.random.default_rng(0))
    everything(trainer)
    level = trainer._merge(halves)
    plain = trainer._estimate(before, 1)
    assert table(trainer, level.blocks) == pytest.approx(table(trainer, plain.blocks), rel=1e-9, abs=1e-15)
    np.testing.assert_allclose(level.mass, plain.mass, rtol=1e-9, atol=1e-15)
    assert level.likelihood == pytest.approx(plain.likelihood, rel=1e-12)
    assert all(o.tolist() == list(range(len(o))) for o in level.origin)


def test_halves_that_are_the_same_are_merged_first() -> None:
    """Of d, which tells subject from object, and of v, which is the same wherever it is, v."""
    trainer = toy(schedule=Schedule(split_rounds=40))
    halves = trainer._estimate(trainer._split(trainer.start(), np.random.default_rng(1)), 40)
    losses = trainer.expect(halves.blocks, halves.mass)[2]
    number = trainer.grammar.number
    assert losses[number["NP"], 0] > losses[number["v"], 0] > -1e-9


def test_mixing() -> None:
    mix = mixing(np.array([0, 0, 1, 0, 2, 2], np.uint32), 0.2)
    expected = [
        [0.8, 0.1, 0.0, 0.1, 0.0, 0.0],
        [0.1, 0.8, 0.0, 0.1, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.1, 0.1, 0.0, 0.8, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.8, 0.2],
        [0.0, 0.0, 0.0, 0.0, 0.2, 0.8],
    ]
    np.testing.assert_allclose(mix, expected, rtol=1e-15)


def origins(*rows: Sequence[int]) -> tuple[Ids, ...]:
    return tuple(np.array(row, np.uint32) for row in rows)


def test_branches() -> None:
    """x: two at level 1, the second of which alone is split on; y: one at level 1, four in the end."""
    ancestry = [
        origins([0, 0], [0]),
        origins([0, 1, 1], [0, 0]),
        origins([0, 1, 2, 2], [0, 0, 1, 1]),
    ]
    assert branches(ancestry, 0).tolist() == [0, 1, 1, 1]
    assert branches(ancestry, 1).tolist() == [0, 0, 0, 0]
    assert branches(ancestry[:2], 0).tolist() == [0, 1, 1]
    assert branches(ancestry[:1], 0).tolist() == [0, 1], "at level 1 nobody has relatives"


def smoothed(
    p: naive.Table, relatives: dict[naive.SubSymbol, list[naive.SubSymbol]], shares: Schedule
) -> naive.Table:
    """Each parent's rules with some of the mean of its relatives', then made to sum to 1."""
    found = {}
    for rule, own in p.items():
        share = shares.smooth_rules if isinstance(rule[1], tuple) else shares.smooth_words
        others = [p[other, *rule[1:]] for other in relatives[rule[0]]]
        found[rule] = (1.0 - share) * own + share * sum(others) / len(others) if others else own
    return naive.normalized(found)


FOUR = (0, 1, 2, 2), (0, 0, 1, 1), (0, 0, 0, 1)  # ways in which four come from level 1


@settings(max_examples=25)
@given(treebanks(), seeds, st.booleans())
def test_smoothing(treebank: list[Tree], seed: int, unused: bool) -> None:
    """Symbols that are tags and phrases, and sub-symbols without rules, included."""
    shares = Schedule(smooth_rules=0.05, smooth_words=0.3)
    trainer = trainer_of(treebank, schedule=shares)
    names = trainer.grammar.symbols
    come = [(0,) if name == "ROOT" else FOUR[(seed + x) % 3] for x, name in enumerate(names)]
    splits = {name: len(row) for name, row in zip(names, come, strict=True)}
    blocks = random_blocks(trainer, splits, seed)
    before = table(trainer, blocks)
    if unused:
        before = {rule: 0.0 if rule[0][1] == 2 else p for rule, p in before.items()}
        blocks = blocks_of(trainer, splits, before.__getitem__)
    relatives = {
        (name, a): [(name, b) for b in range(len(row)) if b != a and row[b] == row[a]]
        for name, row in zip(names, come, strict=True)
        for a in range(len(row))
    }
    first = tuple(np.zeros(max(row) + 1, np.uint32) for row in come)
    trainer._smooth(blocks, [first, origins(*come)])
    after = table(trainer, blocks)
    assert after == pytest.approx(smoothed(before, relatives, shares), rel=1e-12)
    for (name, a), total in naive.masses(after).items():
        alone = unused and a == 2 and not relatives[name, a]
        assert total == pytest.approx(0.0 if alone else 1.0)


def test_level_one_is_not_smoothed() -> None:
    trainer = toy(schedule=Schedule(smooth_rules=0.5, smooth_words=0.5))
    blocks = random_blocks(trainer, random_splits(trainer, 0, 2), 0)
    before = table(trainer, blocks)
    trainer._smooth(blocks, [tuple(np.zeros(k, np.uint32) for k in blocks.splits)])
    assert table(trainer, blocks) == pytest.approx(before, rel=1e-12)


def test_every_level_sums_to_one() -> None:
    trainer = toy()
    levels = trained(trainer, 3)
    for level in levels:
        for (name, a), total in naive.masses(table(trainer, level.blocks)).items():
            if level.mass[trainer.grammar.number[name], a] > 0.0:
                assert total == pytest.approx(1.0, rel=1e-12)
    for before, after in pairwise(levels):
        for x, origin in enumerate(after.origin):
            assert len(origin) == after.blocks.splits[x]
            # Everyone has one or two descendants, in order.
            assert sorted(set(origin.tolist())) == list(range(before.blocks.splits[x]))
            assert (np.diff(origin.astype(int)) >= 0).all()
            assert np.bincount(origin).max() <= 2


@pytest.mark.parametrize("rounds", [(0, 0, 0), (0, 2, 0), (2, 0, 0), (0, 0, 2)])
def test_no_rounds(rounds: tuple[int, int, int]) -> None:
    """A step that is left out leaves everything as it was."""
    trainer = toy(schedule=Schedule(*rounds))
    levels = trained(trainer, 2)
    nodes = np.bincount(trainer.corpus.nodes.symbol)
    for level in levels:
        np.testing.assert_allclose(level.mass.sum(1), nodes, rtol=1e-9)
        assert np.isfinite(level.likelihood)
        assert level.likelihood < 0.0


def test_jobs_do_not_matter() -> None:
    one, two = trained(toy(), 2), trained(toy(jobs=2), 2)
    assert all(map(equal, one, two))


def test_seeds() -> None:
    one, same, other = trained(toy(seed=1), 2), trained(toy(seed=1), 2), trained(toy(seed=2), 2)
    assert all(map(equal, one, same))
    assert equal(one[0], other[0])
    assert not equal(one[1], other[1])
    assert not equal(one[2], other[2])


def test_going_on_is_the_same_as_not_stopping() -> None:
    """A level depends on those before it, not on what its trainer did."""
    levels = trained(toy(), 2)
    assert equal(toy().next(levels[:2]), levels[2])


@pytest.mark.parametrize(
    "options",
    [
        {"merged": 1.0}, {"merged": -0.1}, {"noise": 0.0}, {"smooth_rules": 1.5}, {"smooth_words": math.nan},
        {"split_rounds": -1}, {"merge_rounds": -1}, {"smooth_rounds": -1},
    ],
)  # fmt: skip
def test_wrong_schedules(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Schedule(**options)
