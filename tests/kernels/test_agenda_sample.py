"""Drawn runs of an agenda, and what they point to, against a twin that lists all that waits at each step."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenda_cases import ALL, Case, cases
from naive.agenda import FOUND, POPS, Item
from naive.agenda_sample import Earning as NaiveEarning
from naive.agenda_sample import Sampler, Weighted, every, labelled, summed, uniform
from naive.cky import cell_of
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda import lots
from secateur.kernels.agenda.derivation import pops_of
from secateur.kernels.agenda.gradient import CREDIT, SCORE, Earning, Learned, Sums, learned, sums_of
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, Limits, Priorities
from secateur.kernels.agenda.sample import Drawn, Lead, sample
from secateur.kernels.agenda.state import BYTES, NONE, POPPED, name_of
from secateur.kernels.cky.rules import NO_ANCHORS

Floats = npt.NDArray[np.float64]


class Trial(NamedTuple):
    """A case, and how it is drawn and what is earned in it."""

    case: Case
    oracle: set[Item]
    rate: float
    wanted: set[Hashable]
    column: npt.NDArray[np.uint32] | None  # None: items are wanted, else spans with columns
    tradeoff: float
    by_push: bool
    discount: float
    seed: int

    def lead(self, *, look: bool = False) -> Lead:
        names = [int(name_of(i, k, x, over)) for i, k, x, over in self.oracle]
        return Lead(np.array(sorted(names), np.uint64), self.rate, look, self.seed)

    def given(self) -> tuple[object, ...]:
        grammar, words, *rest = self.case
        return grammar.rules, joins_of(grammar.rules), words, *rest

    def run(self, *, look: bool = False, limits: Limits = NO_LIMITS) -> Drawn:
        return sample(*self.given(), limits, self.lead(look=look))  # type: ignore[arg-type]

    def twin(self) -> Sampler:
        draws = lambda step: (uniform(self.seed, 2 * step), uniform(self.seed, 2 * step + 1))  # noqa: E731
        found = Sampler(*self.case, oracle=self.oracle, rate=self.rate, draws=draws)
        found.sample(ALL)
        return found

    def earning(self) -> Earning:
        symbols = len(self.case.grammar.symbols)
        if self.column is None:
            keys = [2 * (symbols * cell_of(i, k) + x) + over for i, k, x, over in self.oracle]
            column, width = np.arange(symbols, dtype=np.uint32), symbols
        else:
            column, width = self.column, int(self.column.max()) + 1
            keys = [width * cell_of(i, k) + c for i, k, c in self.wanted]  # type: ignore[misc]
        sorted_keys = np.array(sorted(keys), np.uint64)
        by_item = self.column is None
        return Earning(sorted_keys, column, width, by_item, self.by_push, self.tradeoff, self.discount)

    def naive_earning(self) -> NaiveEarning:
        column = self.column
        if column is None:
            return NaiveEarning(set(self.oracle), lambda item: item, self.tradeoff, self.by_push)
        name = lambda item: (item[0], item[1], int(column[item[2]]))  # noqa: E731
        return NaiveEarning(self.wanted, name, self.tradeoff, self.by_push)

    def learned(self, *, look: bool = False) -> tuple[Learned, Sums]:
        found = Learned(*learned(*self.given(), NO_LIMITS, self.lead(look=look), self.earning()))
        return found, Sums(*found.sums)

    def phi(self, item: Item, facts: Floats) -> Floats:
        """An item in the tables that its priority is read from."""
        i, k, x, _ = item
        p = self.case.priorities
        tables = [np.zeros(table.shape) for table in (p.span, p.first, p.last, p.outside)]
        tables[0][i, k] = tables[1][i, p.column[x]] = tables[2][k, p.column[x]] = 1.0
        if p.outside.size:
            tables[3][cell_of(i, k), p.seen[x]] = 1.0
        return np.concatenate([facts[:1], *(table.ravel() for table in tables), facts[1:]])


def flat(sums: Sums, which: int) -> Floats:
    return np.concatenate([np.ravel(table[which]) for table in sums])


@st.composite
def trials(draw: st.DrawFn, *, longest: int = 5) -> Trial:
    case = draw(st.booleans().flatmap(lambda exact: cases(exact=exact, longest=longest)))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    whole = case.twin()
    whole.run(ALL)
    share = draw(st.sampled_from((0.0, 0.3, 1.0)))
    oracle = {item for item in whole.made if rng.random() < share}
    if (best := whole.answer()) and draw(st.booleans()):
        oracle = {(i, k, x, int(kind == 1)) for kind, x, i, k, _ in best}
    column, wanted = None, set[Hashable](oracle)
    if draw(st.booleans()):
        column = rng.integers(0, 3, len(case.grammar.symbols)).astype(np.uint32)
        wanted = {(i, k, int(column[x])) for i, k, x, _ in oracle}
    rate, discount = draw(st.sampled_from((0.0, 0.5, 1.0))), draw(st.sampled_from((0.0, 0.7, 1.0)))
    price = draw(st.sampled_from((0.0, 0.01)))
    return Trial(
        case, oracle, rate, wanted, column, price, draw(st.booleans()), discount, int(rng.integers(1 << 31))
    )


def close(found: Floats, wanted: Floats) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(wanted).max())))


@settings(max_examples=200)
@given(trials())
def test_runs_equal_the_twin_step_by_step(trial: Trial) -> None:
    """What is popped, who decided, Z, and the mean of the features of what waits."""
    run, twin = trial.run(look=True), trial.twin()
    count = int(run.state.tally[POPPED])
    assert [tuple(pop) for pop in pops_of(run.state).tolist()] == [step.item for step in twin.steps_made]
    for t, step in enumerate(twin.steps_made):
        assert run.lots.log_z[t] == pytest.approx(step.log_z, rel=1e-12, abs=1e-12)
        assert run.lots.own[t] == step.own
        label = run.lots.label[t]
        assert (label == NONE) == (step.label is None)
        if step.label is not None:
            assert run.state.name[label] == name_of(*step.waiting[step.label])
        one = np.arange(count) == t
        sums = sums_of(trial.case.priorities, run, one.astype(float), np.zeros(count))
        rows = np.array([trial.phi(*pair) for pair in zip(step.waiting, step.facts, strict=True)])
        popped = trial.phi(step.item, step.facts[step.waiting.index(step.item)])
        close(flat(sums, CREDIT), popped - step.share @ rows)
        assert not flat(sums, SCORE).any()


@settings(max_examples=200)
@given(trials(longest=6))
def test_gradients_equal_the_twin(trial: Trial) -> None:
    (found, sums), twin = trial.learned(), trial.twin()
    wanted = summed(twin, trial.phi, trial.naive_earning(), trial.discount)
    assert (found.pops, found.pushes, found.drawn) == (len(twin.steps_made), twin.pushes, wanted.drawn)
    assert [tuple(step) for step in found.steps.tolist()] == twin.answer()
    assert found.reward == pytest.approx(sum(twin.earned(trial.naive_earning())))
    assert found.credit == pytest.approx(wanted.credit)
    if found.pops:
        close(flat(sums, CREDIT), wanted.gradient)
        close(flat(sums, SCORE), wanted.score)


@settings(max_examples=100)
@given(trials())
def test_what_the_oracle_would_have_popped(trial: Trial) -> None:
    (found, sums), twin = trial.learned(look=True), trial.twin()
    if found.pops:
        close(flat(sums, CREDIT), labelled(twin, trial.phi))
    assert (found.drawn, found.credit) == (0, 0.0)
    assert not flat(sums, SCORE).any()


@settings(max_examples=50)
@given(trials(), st.integers(0, 6))
def test_limits(trial: Trial, pops: int) -> None:
    whole, run = trial.run(), trial.run(limits=Limits(pops=pops))
    assert pops_of(run.state).tolist() == pops_of(whole.state).tolist()[:pops]
    assert run.status == (POPS if len(pops_of(whole.state)) > pops else whole.status)
    assert trial.run(limits=Limits(bytes=10)).status in (BYTES, whole.status)


# A tree of lots ---------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 15), st.none() | st.floats(-2000, 2000)), max_size=60),
    st.floats(0, 0.999),
)
def test_a_tree_holds_what_it_was_told(changes: list[tuple[int, float | None]], lot: float) -> None:
    tree, keys = lots.empty_tree(4), np.full(16, -np.inf)
    tree = lots.larger_tree(lots.larger_tree(tree))
    for item, key in changes:
        keys[item] = -np.inf if key is None else key
        lots.set_key(tree, item, keys[item])
        assert lots.key_of(tree, item) == keys[item]
    total = np.logaddexp.reduce(keys)
    assert lots.log_total(tree) == pytest.approx(total, rel=1e-12, abs=1e-12)
    if total > -np.inf:
        share = np.exp(keys - total)
        found, before = int(lots.drawn(tree, lot)), np.append(0.0, np.cumsum(share))
        assert keys[found] > -np.inf
        assert before[found] - 1e-9 <= lot <= before[found + 1] + 1e-9


def test_draws_are_even() -> None:
    many = np.array([lots.uniform(3, count) for count in range(20000)])
    assert all(many[count] == uniform(3, count) for count in range(20))
    assert 0 <= many.min() < many.max() < 1
    assert np.abs(np.histogram(many, 10)[0] - 2000).max() < 150
    assert abs(np.corrcoef(many[:-1], many[1:])[0, 1]) < 0.02
    assert lots.uniform(4, 7) != lots.uniform(3, 7)


# All runs of a small sentence -------------------------------------------------------------------------------

GRAMMAR = PCFG.build(
    "S",
    [("S", "B", "A", -0.7), ("A", "A", "A", -1.0), ("S", "A", "A", -2.0)],
    [("S", "A", -1.5, ())],
    [("A", "a", -0.3), ("B", "a", -0.5), ("A", "b", -0.2)],
)


def tiny(theta: Floats) -> Case:
    """ "a b", with priorities of three features: the score, the length, and whether it is an A."""
    words = GRAMMAR.lexicon.encode(["a", "b"])
    n, symbols = 2, len(GRAMMAR.symbols)
    column = (np.arange(symbols) == GRAMMAR.number["A"]).astype(np.uint32)
    width = np.arange(n + 1) - np.arange(n + 1)[:, None]
    first = np.tile(theta[2] * np.array([0.0, 1.0]), (n + 1, 1))
    nothing = np.zeros((0, 0), np.float32)
    order = Priorities(
        float(theta[0]), theta[1] * width, first, np.zeros((n + 1, 2)), column, nothing, column
    )
    return Case(GRAMMAR, words, np.ones((n + 1, n + 1), np.bool_), NO_ANCHORS, order, EXACT)


THETA = np.array([0.8, -0.3, 0.4])


def phi(item: Item, facts: Floats) -> Floats:
    i, k, x, _ = item
    return np.array([facts[0], k - i, float(x == GRAMMAR.number["A"])])


def gold() -> set[Item]:
    """One of which is in no parse with the others."""
    number = GRAMMAR.number
    return {
        (0, 1, number["B"], 0), (0, 1, number["A"], 0), (1, 2, number["A"], 0), (0, 2, number["S"], 0),
    }  # fmt: skip


def trial(theta: Floats, seed: int, discount: float = 1.0) -> Trial:
    return Trial(tiny(theta), gold(), 0.0, set(gold()), None, 0.3, False, discount, seed)


def all_runs(theta: Floats) -> list[Weighted]:
    case = tiny(theta)
    return list(every(lambda draws: Sampler(*case, oracle=set(), rate=0.0, draws=draws), ALL))


def folded(sums: Sums) -> Floats:
    """From tables to the three features."""
    width = np.arange(3) - np.arange(3)[:, None]
    return np.array([sums.inside[0], (sums.span[0] * width).sum(), sums.first[0, :, 1].sum()])


def test_runs_are_drawn_as_often_as_they_should_be() -> None:
    wanted = {tuple(s.item for s in run.steps_made): p for p, run in all_runs(THETA)}
    assert sum(wanted.values()) == pytest.approx(1.0)
    count = 20000
    seen = dict.fromkeys(wanted, 0)
    for seed in range(count):
        seen[tuple(map(tuple, pops_of(trial(THETA, seed).run().state).tolist()))] += 1
    distance = sum(abs(seen[order] / count - p) for order, p in wanted.items()) / 2
    # Of as many even draws the distance is sum sqrt(p (1 - p) / (2 pi N)) on average.
    noise = sum(np.sqrt(p * (1 - p) / (2 * np.pi * count)) for p in wanted.values())
    assert distance < 1.3 * noise


def test_the_mean_gradient_is_the_slope_of_the_mean_reward() -> None:
    by = trial(THETA, 0).naive_earning()

    def reward(theta: Floats) -> float:
        return sum(p * sum(run.earned(by)) for p, run in all_runs(theta))

    runs = all_runs(THETA)
    mean = sum(p * summed(run, phi, by, 1.0).gradient for p, run in runs)
    score = sum(p * summed(run, phi, by, 1.0).score for p, run in runs)
    step = 1e-5
    slope = [(reward(THETA + step * e) - reward(THETA - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(mean, slope, atol=1e-8)
    np.testing.assert_allclose(score, np.zeros(3), atol=1e-12)
    found = np.array([folded(trial(THETA, seed).learned()[1]) for seed in range(4000)])
    error = found.std(0) / np.sqrt(len(found))
    assert (np.abs(found.mean(0) - slope) < 4 * error).all()
    assert np.abs(slope).max() > 8 * error.max()


def test_a_run_earns_what_its_parse_is_worth() -> None:
    run = trial(THETA, 1)
    found, _ = run.learned()
    items = {(i, k, x, int(kind == 1)) for kind, x, i, k, _ in found.steps.tolist()}
    assert found.status == FOUND
    assert found.reward == pytest.approx(len(items & gold()) - 0.3 * found.pops)
