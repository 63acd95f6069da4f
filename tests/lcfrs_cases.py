"""Hypothesis strategies: random PLCFRSs, sentences for them, and discontinuous treebanks.

A grammar grows from random trees over positions, whose rules it takes, so that it has a parse for the
lengths they have. Weights are multiples of 1/4, whose sums are exact and often equal: what is tested then is
the order among ties, not rounding.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from naive import lcfrs as naive
from secateur.grammar.lcfrs.patterns import components_of, fanout, fanouts
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule
from secateur.tasks.hyperedge_pruning.graph import DerivationGraph
from secateur.treebanks.tree import Leaf, Tree

START = "S"
NAMES = ("A", "B", "C")
WORDS = ("a", "b", "c")
LARGEST = 3  # fan-out
LABELS = ("NP", "VP", "S", "PP_2", "X-Y", "Z_3_4")
RELATIONS = ("", "hd", "su", "mod", "cnj")

_QUARTERS = (-0.25, -0.25, -0.5, -1.0, -2.0)
_PATHS = ((), ("P",), ("P", "A"))

Rules = dict[tuple[str, ...], Rule]


class _Growth:
    """Rules as they are made up."""

    def __init__(self, rng: np.random.Generator, *, symbols: int, exact: bool) -> None:
        self.rng, self.symbols, self.exact = rng, symbols, exact
        self.rules: dict[tuple[object, ...], Rule] = {}
        self.lexical: dict[tuple[str, str], float] = {}

    def weight(self) -> float:
        exact = self.exact or self.rng.random() < 0.5
        return float(self.rng.choice(_QUARTERS) if exact else self.rng.uniform(-6.0, 0.0))

    def symbol(self, size: int) -> str:
        """Some symbol of this fan-out."""
        name = NAMES[int(self.rng.integers(self.symbols))]
        return name if size == 1 else f"{name}_{size}"

    def rule(self, parent: str, children: tuple[str, ...], sets: list[int]) -> None:
        components = components_of(sets)
        self.rules.setdefault(
            (parent, children, components), Rule(parent, children, components, self.weight())
        )

    def tree(self, length: int, *, most: int) -> None:
        """The rules of a random tree over so many words, up to `most` children to a node."""
        parts = [(1 << p, self.word()) for p in range(length)]
        while len(parts) > 1:
            count = min(int(self.rng.integers(2, most + 1)), len(parts))
            for _ in range(20):
                chosen = sorted(self.rng.choice(len(parts), count, replace=False).tolist())
                if fanout(sum(parts[m][0] for m in chosen)) <= LARGEST:
                    break
            else:
                chosen = list(range(len(parts)))[:count]  # the first ones: their gaps close sooner or later
                if fanout(sum(parts[m][0] for m in chosen)) > LARGEST:
                    return
            below = sorted((parts[m] for m in chosen), key=lambda part: part[0] & -part[0])
            sets = [positions for positions, _ in below]
            whole = sum(sets)
            rest = [part for m, part in enumerate(parts) if m not in chosen]
            parent = self.symbol(fanout(whole)) if rest else START
            self.rule(parent, tuple(name for _, name in below), sets)
            parts = [*rest, (whole, parent)]

    def word(self) -> str:
        """Some tag, which from now on every word may have with some probability."""
        tag = self.symbol(1)
        word = WORDS[int(self.rng.integers(len(WORDS)))]
        self.lexical.setdefault((tag, word), self.weight())
        return tag

    def unaries(self, count: int, *, circles: bool) -> dict[tuple[str, str], Rule]:
        """Some unary rules; without circles they lead from later names to earlier ones."""
        found: dict[tuple[str, str], Rule] = {}
        known = sorted({name for rule in self.rules.values() for name in (rule.parent, *rule.children)})
        for _ in range(count):
            parent, child = (known[int(self.rng.integers(len(known)))] for _ in range(2))
            size = int(parent[2:] or 1)
            alike = size == int(child[2:] or 1)
            if not alike or parent == child or child == START or (not circles and parent < child):
                continue
            weight = 0.0 if circles and self.rng.random() < 0.5 else self.weight()
            path = _PATHS[int(self.rng.integers(len(_PATHS)))]
            found.setdefault((parent, child), Rule(parent, (child,), ((0,),) * size, weight, path))
        return found


@st.composite
def grammars(
    draw: st.DrawFn,
    *,
    long: bool = False,
    chains: bool | None = None,
    circles: bool = False,
    exact: bool = True,
    length: int = 5,
) -> PLCFRS:
    """Small grammars over the words a to c, with fan-out up to 3, ambiguous and not proper.

    long: some rules have three or four children. chains: whether unary rules may follow each other (None: it
    depends); circles: and lead back to where they began, at no cost now and then.
    """
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    growth = _Growth(rng, symbols=draw(st.sampled_from((1, 2, 3))), exact=exact)
    for _ in range(draw(st.sampled_from((1, 2, 3, 4)))):
        growth.tree(int(rng.integers(2, length + 1)), most=4 if long else 2)
    growth.tree(2, most=2)
    for word in WORDS:
        growth.lexical.setdefault((growth.symbol(1), word), growth.weight())
    unaries = growth.unaries(draw(st.sampled_from((0, 2, 6, 12))), circles=circles)
    following = circles or (draw(st.booleans()) if chains is None else chains)
    return PLCFRS.build(
        START,
        [*growth.rules.values(), *unaries.values()],
        [(tag, word, weight) for (tag, word), weight in growth.lexical.items()],
        chains=following,
    )


@st.composite
def sentences(draw: st.DrawFn, *, longest: int = 5) -> list[str]:
    """Words for `grammars`."""
    length = draw(st.sampled_from(range(2, longest + 1)))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    return [WORDS[w] for w in rng.integers(len(WORDS), size=length)]


@st.composite
def discontinuous_trees(draw: st.DrawFn, *, longest: int = 8, arity: int = 5) -> Tree:
    """Trees with gaps, unary chains, wide nodes and a rel for each node, under a root ROOT."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))

    def pick(names: tuple[str, ...]) -> str:
        return names[int(rng.integers(len(names)))]

    gaps = float(draw(st.sampled_from((0.0, 0.3, 1.0))))
    parts = [
        (p, Tree(pick(("t", "u", "v_2")), (Leaf(p, pick(WORDS)),), pick(RELATIONS)))
        for p in range(draw(st.sampled_from(range(1, longest + 1))))
    ]
    while len(parts) > 1 or rng.random() < 0.3:
        count = min(int(rng.integers(1, arity + 1)), len(parts))
        first = int(rng.integers(len(parts) - count + 1))
        near = range(first, first + count)
        chosen = (
            sorted(rng.choice(len(parts), count, replace=False).tolist()) if rng.random() < gaps else near
        )
        below = [parts[m] for m in chosen]
        node = Tree(pick(LABELS), tuple(tree for _, tree in below), pick(RELATIONS))
        parts = [*(part for m, part in enumerate(parts) if m not in chosen), (below[0][0], node)]
        parts.sort(key=lambda part: part[0])
    return Tree("ROOT", (parts[0][1],))


def is_discontinuous_grammar(grammar: PLCFRS) -> bool:
    """Whether it has a symbol that covers several runs of words."""
    return any(max(fanouts(rule.components)) > 1 for rule in grammar.named())


def assert_same(one: PLCFRS, other: PLCFRS) -> None:
    """To the last bit."""
    for field in ("symbols", "plain", "start", "notes", "chains"):
        assert getattr(one, field) == getattr(other, field)
    assert one.unary.path == other.unary.path
    assert one.lexicon.words == other.lexicon.words
    lexicons = [(g.lexicon.ptr, g.lexicon.tag, g.lexicon.weight) for g in (one, other)]
    for a, b in zip(
        (one.made, one.fanout, *one.binary, *one.unary[:3], *one.long, *lexicons[0]),
        (other.made, other.fanout, *other.binary, *other.unary[:3], *other.long, *lexicons[1]),
        strict=True,
    ):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


# Names for what charts and graphs hold ---------------------------------------------------------------------


def node_names(found: DerivationGraph) -> list[tuple[int, int, bool]]:
    low, high = found.positions.T.tolist()
    return [
        (int(x), a | b << 64, bool(up))
        for x, a, b, up in zip(found.symbol, low, high, found.above, strict=True)
    ]


def item_name(item: naive.Item) -> tuple[int, int, bool]:
    return item.symbol, naive.bits(item.positions), item.above
