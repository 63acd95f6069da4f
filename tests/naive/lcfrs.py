"""PLCFRS parsing by sets and loops, from the definitions alone.

An item is a symbol over a set of positions. `chart` lists every hyperedge that there is and relaxes scores
until nothing changes; `Derivations` goes the other way, from a set to all ways to divide it, one derivation
after the other. Words are ids, as `grammar.lexicon.encode` has them.

Where at most one unary rule is allowed at a node (`chains=False`), each item is there twice: `below` (above
False) what words, binary and long rules make, and `above` what that is after at most one unary rule, which is
what other rules and the goal use. A hyperedge STAY leads from one to the other. With chains there are only
items `above`.

Scores are float64, added up from left to right: weight + child; (weight + left) + right; and so on. Total
order of an item's incoming hyperedges, the best first: larger score; fewer unary rules in a row that lead
round in a circle at no cost (without which some ties have no derivation at all); STAY, LEXICAL, BINARY, LONG,
UNARY; smaller rule id; smaller position sets of the children from left to right, as numbers (position p is
bit p).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from secateur.grammar.lcfrs.derivation import BINARY, LEXICAL, LONG, UNARY, Step
from secateur.grammar.lcfrs.plcfrs import PLCFRS

STAY = -1
TIES = (STAY, LEXICAL, BINARY, LONG, UNARY)

Components = tuple[tuple[int, ...], ...]
Positions = frozenset[int]


class Rule(NamedTuple):
    kind: int
    number: int  # its id among the rules of this kind
    parent: int
    children: tuple[int, ...]
    components: Components  # which child each segment is of
    weight: float


class Item(NamedTuple):
    symbol: int
    positions: Positions
    above: bool


class Hyperedge(NamedTuple):
    kind: int
    rule: int  # for LEXICAL, the place of the entry in the lexicon
    weight: float
    head: Item
    tail: tuple[Item, ...]


class Chart(NamedTuple):
    grammar: PLCFRS
    goal: Item
    incoming: dict[Item, list[Hyperedge]]  # the best first
    scores: dict[Item, float]

    @property
    def score(self) -> float:
        """Of the sentence; -inf where it has no parse."""
        return self.scores.get(self.goal, -math.inf)

    @property
    def hyperedges(self) -> list[Hyperedge]:
        return [hyperedge for found in self.incoming.values() for hyperedge in found]

    def derivation(self, item: Item | None = None) -> list[Step]:
        """The best one of an item, by default of the goal: parents first."""
        item = item or self.goal
        best = self.incoming[item][0]
        below = [step for child in best.tail for step in self.derivation(child)]
        return below if best.kind == STAY else [step_of(best), *below]


def step_of(hyperedge: Hyperedge) -> Step:
    return Step(hyperedge.kind, hyperedge.head.symbol, bits(hyperedge.head.positions), hyperedge.rule)


def bits(positions: Positions) -> int:
    return sum(1 << p for p in positions)


def rules_of(grammar: PLCFRS) -> list[Rule]:
    """All rules but the lexical ones, their patterns read bit by bit."""
    found = []
    for r, (left, right, parent, weight, code) in enumerate(zip(*grammar.binary, strict=True)):
        digits = f"{int(code):b}"[1:]
        pairs = [(int(digits[m]), int(digits[m + 1])) for m in range(0, len(digits), 2)]
        found.append(Rule(BINARY, r, int(parent), (int(left), int(right)), cut(pairs), float(weight)))
    for r, (child, parent, weight) in enumerate(zip(*grammar.unary[:3], strict=True)):
        components = ((0,),) * int(grammar.fanout[parent])
        found.append(Rule(UNARY, r, int(parent), (int(child),), components, float(weight)))
    long = grammar.long
    for r, (parent, weight) in enumerate(zip(long.parent, long.weight, strict=True)):
        children = tuple(int(c) for c in long.child[long.ptr[r] : long.ptr[r + 1]])
        segments = long.segment[long.segment_ptr[r] : long.segment_ptr[r + 1]]
        components = cut([divmod(int(segment), 2) for segment in segments])
        found.append(Rule(LONG, r, int(parent), children, components, float(weight)))
    return found


def cut(segments: list[tuple[int, int]]) -> Components:
    """From (child, whether a gap follows) to components."""
    parts: list[list[int]] = [[]]
    for child, gap in segments:
        parts[-1].append(child)
        if gap:
            parts.append([])
    return tuple(map(tuple, parts))


def pattern_of(sets: Sequence[Positions]) -> Components | None:
    """How the sets stand to each other, position by position; None where they are not disjoint."""
    owner: dict[int, int] = {}
    for child, positions in enumerate(sets):
        for p in positions:
            if p in owner:
                return None
            owner[p] = child
    parts: list[list[int]] = []
    for p in sorted(owner):
        if p - 1 not in owner:
            parts.append([owner[p]])
        elif owner[p - 1] != owner[p]:
            parts[-1].append(owner[p])
    return tuple(map(tuple, parts))


# The chart --------------------------------------------------------------------------------------------------


def chart(grammar: PLCFRS, words: Sequence[int]) -> Chart:
    """Every item that can be derived, with its score and its incoming hyperedges in their total order."""
    incoming = _deduce(grammar, words)
    scores = relaxed(incoming)
    heights = _heights(grammar, incoming, scores)
    for item, found in incoming.items():
        found.sort(key=lambda h: _order(grammar, h, scores, heights))
        assert _score(found[0], scores) == scores[item]
    start = grammar.symbols.index(grammar.start)
    return Chart(grammar, Item(start, frozenset(range(len(words))), True), incoming, scores)


def pruned(found: Chart, keeps: Callable[[Hyperedge], bool]) -> Chart:
    """What is left with some of the hyperedges, and those only whose tails are there: parsed again."""
    incoming = {item: [h for h in hyperedges if keeps(h)] for item, hyperedges in found.incoming.items()}
    scores = relaxed(incoming)
    live = {
        item: [h for h in hyperedges if all(scores[child] > -math.inf for child in h.tail)]
        for item, hyperedges in incoming.items()
    }
    live = {item: hyperedges for item, hyperedges in live.items() if hyperedges}
    heights = _heights(found.grammar, live, scores)
    for hyperedges in live.values():
        hyperedges.sort(key=lambda h: _order(found.grammar, h, scores, heights))
    return Chart(found.grammar, found.goal, live, {item: scores[item] for item in live})


def _lexical(grammar: PLCFRS, words: Sequence[int]) -> Iterator[tuple[int, int, int, float]]:
    """Position, place in the lexicon, tag and weight of every entry that a word has."""
    lexicon = grammar.lexicon
    for p, word in enumerate(words):
        for e in range(int(lexicon.ptr[word]), int(lexicon.ptr[word + 1])):
            yield p, e, int(lexicon.tag[e]), float(lexicon.weight[e])


def _deduce(grammar: PLCFRS, words: Sequence[int]) -> dict[Item, list[Hyperedge]]:
    """Apply all rules to all items until there is nothing new."""
    first = grammar.chains  # whether what is made is above at once
    found: dict[Hyperedge, None] = {}
    for p, e, tag, weight in _lexical(grammar, words):
        found[Hyperedge(LEXICAL, e, weight, Item(tag, frozenset({p}), first), ())] = None
    rules = rules_of(grammar)
    before = -1
    while len(found) > before:
        before = len(found)
        items = dict.fromkeys(hyperedge.head for hyperedge in found)
        by_symbol: dict[tuple[int, bool], list[Item]] = defaultdict(list)
        for item in items:
            by_symbol[item.symbol, item.above].append(item)
            if not item.above:
                found[Hyperedge(STAY, -1, 0.0, item._replace(above=True), (item,))] = None
        for rule in rules:
            layer = grammar.chains or rule.kind != UNARY
            for tail in product(*(by_symbol[child, layer] for child in rule.children)):
                sets = [item.positions for item in tail]
                if pattern_of(sets) == rule.components:
                    above = grammar.chains or rule.kind == UNARY
                    head = Item(rule.parent, frozenset().union(*sets), above)
                    found[Hyperedge(rule.kind, rule.number, rule.weight, head, tail)] = None
    incoming: dict[Item, list[Hyperedge]] = defaultdict(list)
    for hyperedge in found:
        if hyperedge.weight > -math.inf:
            incoming[hyperedge.head].append(hyperedge)
    return dict(incoming)


def added(weight: float, scores: Sequence[float]) -> float:
    """The score of a hyperedge, added up in the one order that there is."""
    total = weight
    for score in scores:
        total = total + score
    return total


def _score(hyperedge: Hyperedge, scores: dict[Item, float]) -> float:
    tail = [scores.get(child, -math.inf) for child in hyperedge.tail]
    return added(hyperedge.weight, tail)


def relaxed(incoming: dict[Item, list[Hyperedge]]) -> dict[Item, float]:
    scores = dict.fromkeys(incoming, -math.inf)
    changed = True
    while changed:
        changed = False
        for item, found in incoming.items():
            best = max((_score(hyperedge, scores) for hyperedge in found), default=-math.inf)
            if best > scores[item]:
                scores[item], changed = best, True
    return scores


def _height(
    grammar: PLCFRS, hyperedge: Hyperedge, scores: dict[Item, float], heights: dict[Item, float]
) -> float:
    """How many unary rules in a row, up to this one, cost nothing and may lead back to where they began."""
    if hyperedge.kind != UNARY or not grammar.chains:
        return 0
    (child,) = hyperedge.tail
    same = _score(hyperedge, scores) == scores[child]
    circle = _leads(grammar, hyperedge.head.symbol, child.symbol)
    return heights[child] + 1 if same and circle else 0


def _leads(grammar: PLCFRS, symbol: int, goal: int) -> bool:
    """Whether unary rules lead from the symbol upwards to the goal, if it is not there already."""
    seen, waiting = {symbol}, [symbol]
    while waiting:
        child = waiting.pop()
        for c, parent in zip(grammar.unary.child, grammar.unary.parent, strict=True):
            if int(c) == child and int(parent) not in seen:
                seen.add(int(parent))
                waiting.append(int(parent))
    return goal in seen


def _heights(
    grammar: PLCFRS, incoming: dict[Item, list[Hyperedge]], scores: dict[Item, float]
) -> dict[Item, float]:
    """Of each item's best hyperedges, the least height."""
    heights: dict[Item, float] = dict.fromkeys(incoming, math.inf)
    changed = True
    while changed:
        changed = False
        for item, found in incoming.items():
            best = [h for h in found if _score(h, scores) == scores[item]]
            least = min(_height(grammar, h, scores, heights) for h in best)
            if least < heights[item]:
                heights[item], changed = least, True
    return heights


def _order(
    grammar: PLCFRS, hyperedge: Hyperedge, scores: dict[Item, float], heights: dict[Item, float]
) -> tuple[float, float, int, int, tuple[int, ...]]:
    return (
        -_score(hyperedge, scores),
        _height(grammar, hyperedge, scores, heights),
        TIES.index(hyperedge.kind),
        hyperedge.rule,
        tuple(bits(child.positions) for child in hyperedge.tail),
    )


# Sums over charts without circles ---------------------------------------------------------------------------


def log_sum(logs: Sequence[float]) -> float:
    highest = max(logs, default=-math.inf)
    if highest == -math.inf:
        return -math.inf
    return highest + math.log(math.fsum(math.exp(log - highest) for log in logs))


def bottom_up(found: Chart) -> list[Item]:
    """Items after all that they are made of; raises ValueError where unary rules go round in circles."""
    done: dict[Item, None] = {}
    under_way: set[Item] = set()

    def visit(item: Item) -> None:
        if item in under_way:
            raise ValueError(f"{item} is made of itself")
        if item not in done:
            under_way.add(item)
            for hyperedge in found.incoming[item]:
                for child in hyperedge.tail:
                    visit(child)
            under_way.remove(item)
            done[item] = None

    for item in found.incoming:
        visit(item)
    return list(done)


def inside(found: Chart) -> dict[Item, float]:
    """The log of the summed probabilities of all derivations of each item."""
    total: dict[Item, float] = {}
    for item in bottom_up(found):
        total[item] = log_sum([h.weight + sum(total[c] for c in h.tail) for h in found.incoming[item]])
    return total


def outside(found: Chart) -> dict[Item, float]:
    """The log of the summed probabilities of all that may stand around each item below the goal."""
    below = inside(found)
    logs: dict[Item, list[float]] = {item: [] for item in found.incoming}
    if found.goal in logs:
        logs[found.goal].append(0.0)
    total: dict[Item, float] = {}
    for item in reversed(bottom_up(found)):
        total[item] = log_sum(logs[item])
        for hyperedge in found.incoming[item]:
            for place, child in enumerate(hyperedge.tail):
                beside = sum(below[c] for m, c in enumerate(hyperedge.tail) if m != place)
                logs[child].append(total[item] + hyperedge.weight + beside)
    return total


# All derivations, one by one --------------------------------------------------------------------------------


class TooMany(Exception):
    """More derivations than one cares to list."""


class Derivation(NamedTuple):
    score: float  # added up as the chart does
    log: float  # the weights' sum
    steps: tuple[Step, ...]  # parents first, children by first position


class Derivations:
    """All derivations of a sentence, from the whole of it to its parts.

    Where unary rules go round in circles: those in which no symbol comes back on the same positions before
    another rule is used.
    """

    def __init__(self, grammar: PLCFRS, words: Sequence[int], *, most: int = 3000) -> None:
        self.grammar, self.most = grammar, most
        self.rules = rules_of(grammar)
        self.entries = list(_lexical(grammar, words))
        self.whole = frozenset(range(len(words)))
        self._known: dict[tuple[int, Positions], list[Derivation]] = {}

    def all(self) -> list[Derivation]:
        """Of the whole sentence, the best first."""
        start = self.grammar.symbols.index(self.grammar.start)
        return sorted(self.above(start, self.whole), key=lambda d: (-d.score, d.steps))

    def above(self, x: int, positions: Positions, passed: Positions = frozenset()) -> list[Derivation]:
        """With unary rules on top: one at most, or as many as there are."""
        found = list(self.below(x, positions))
        for rule in self.rules:
            if rule.kind == UNARY and rule.parent == x:
                (y,) = rule.children
                if not self.grammar.chains:
                    inner = self.below(y, positions)
                elif y not in passed | {x}:
                    inner = self.above(y, positions, passed | {x})
                else:
                    continue
                found += [self._made(rule, positions, (d,)) for d in inner]
        return self._counted(found)

    def below(self, x: int, positions: Positions) -> list[Derivation]:
        """Without a unary rule on top."""
        key = x, positions
        if key not in self._known:
            self._known[key] = self._counted(list(self._below(x, positions)))
        return self._known[key]

    def _below(self, x: int, positions: Positions) -> Iterator[Derivation]:
        for p, e, tag, weight in self.entries:
            if tag == x and positions == {p}:
                yield Derivation(weight, weight, (Step(LEXICAL, x, 1 << p, e),))
        for rule in self.rules:
            if rule.parent == x and rule.kind != UNARY:
                for sets in divisions(positions, len(rule.children)):
                    if pattern_of(sets) == rule.components:
                        parts = [self.above(y, part) for y, part in zip(rule.children, sets, strict=True)]
                        for below in product(*parts):
                            yield self._made(rule, positions, below)

    def _made(self, rule: Rule, positions: Positions, below: Sequence[Derivation]) -> Derivation:
        step = Step(rule.kind, rule.parent, bits(positions), rule.number)
        return Derivation(
            added(rule.weight, [d.score for d in below]),
            rule.weight + sum(d.log for d in below),
            (step, *(step for d in below for step in d.steps)),
        )

    def _counted(self, found: list[Derivation]) -> list[Derivation]:
        if len(found) > self.most:
            raise TooMany
        return found


def divisions(positions: Positions, parts: int) -> Iterator[list[Positions]]:
    """All ways to give each position to one of the parts; none is left without."""
    places = sorted(positions)
    for owners in product(range(parts), repeat=len(places)):
        if len(set(owners)) == parts:
            yield [
                frozenset(p for p, owner in zip(places, owners, strict=True) if owner == part)
                for part in range(parts)
            ]
