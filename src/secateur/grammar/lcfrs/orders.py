"""Orders in which the children of a node are joined, one after another, when it is made binary.

`sets` are the positions that the children cover, children standing by first position; an order is a
permutation of them. What is joined so far has a fan-out, and joining one more has a complexity: the fan-outs
of what is joined, of what joins, and of both together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from secateur.grammar.lcfrs.patterns import fanout

MOST_CHILDREN = 9  # all subsets of the children are looked at
_NEVER = 1 << 30


def leftmost(sets: Sequence[int]) -> list[int]:
    return list(range(len(sets)))


def rightmost(sets: Sequence[int]) -> list[int]:
    return list(range(len(sets) - 1, -1, -1))


def outward(sets: Sequence[int], head: int) -> list[int]:
    """From the head: what follows it, then what comes before, the nearest first."""
    return [head, *range(head + 1, len(sets)), *range(head - 1, -1, -1)]


def is_discontinuous(sets: Sequence[int]) -> bool:
    """Whether the node or one of its children has a gap."""
    return any(fanout(one) > 1 for one in sets) or fanout(sum(sets)) > 1


def minimal(sets: Sequence[int]) -> list[int]:
    """The least largest fan-out; then the least largest complexity; then the least sum of complexities.

    With more than MOST_CHILDREN children, from left to right.
    """
    count = len(sets)
    if count > MOST_CHILDREN:
        return leftmost(sets)
    covered = [0] * (1 << count)
    for subset in range(1, 1 << count):
        covered[subset] = covered[subset & (subset - 1)] | sets[(subset & -subset).bit_length() - 1]
    fans = [fanout(one) for one in covered]
    widest, _ = _cheapest(fans, count, lambda fan, complexity: fan, max)
    largest, _ = _cheapest(fans, count, lambda fan, complexity: complexity if fan <= widest else _NEVER, max)
    _, last = _cheapest(
        fans,
        count,
        lambda fan, complexity: complexity if fan <= widest and complexity <= largest else _NEVER,
        lambda one, other: min(one + other, _NEVER),
    )
    order = []
    subset = len(fans) - 1
    while subset:
        order.append(last[subset])
        subset ^= 1 << last[subset]
    return order[::-1]


def _cheapest(
    fans: Sequence[int], count: int, cost: Callable[[int, int], int], join: Callable[[int, int], int]
) -> tuple[int, list[int]]:
    """The least cost of joining all children, and for every subset of them which one to join last.

    best(S) = min over c in S of join(best(S - c), cost(fan-out of S, complexity of S - c and c)); among
    equals the last child: from left to right where nothing speaks against it.
    """
    best = [_NEVER + 1] * len(fans)
    last = [0] * len(fans)
    for child in range(count):
        best[1 << child], last[1 << child] = 0, child
    for subset in range(1, len(fans)):
        if not subset & (subset - 1):
            continue
        for child in reversed(range(count)):
            rest = subset ^ 1 << child
            if rest < subset:
                complexity = fans[subset] + fans[rest] + fans[1 << child]
                found = join(best[rest], cost(fans[subset], complexity))
                if found < best[subset]:
                    best[subset], last[subset] = found, child
    return best[-1], last
