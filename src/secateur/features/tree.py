"""Features of whole trees, by which the trees of one sentence are ranked: rules, heads and what depends on
them, borders of phrases, gaps, tags.

They are texts, hashed. Trees of one sentence share most of their nodes: those are made once (a node is known
by its label and children), and what is said of one, where its surroundings are the same, is said once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from zlib import crc32

from secateur.grammar.lcfrs.heads import head
from secateur.treebanks.tree import Leaf, Tree

BITS = 20  # of hashes

Shares = Mapping[str, Mapping[str, float]]


def head_shares(trees: Iterable[Tree]) -> dict[str, dict[str, float]]:
    """How often a child is the head, by the labels of parent and child: parsed trees do not say what a child
    is to its parent."""
    heads: dict[str, Counter[str]] = {}
    every: dict[str, Counter[str]] = {}
    for tree in trees:
        for node in tree.nodes():
            labels = [child.label for child in node.children if isinstance(child, Tree)]
            if labels:
                every.setdefault(node.label, Counter()).update(labels)
                heads.setdefault(node.label, Counter())[labels[head(node)]] += 1
    return {
        parent: {child: round(heads[parent][child] / (count + 1), 4) for child, count in counts.items()}
        for parent, counts in every.items()
    }


@dataclass(slots=True, eq=False)
class _Node:
    """A node that trees of one sentence share."""

    number: int
    name: str  # its label, with its fan-out where that is more than 1
    label: str
    kids: tuple[_Node, ...]  # none: a tag
    head: int  # position of its head word
    tag: str  # of that
    blocks: tuple[tuple[int, int], ...]  # (i, k) each


@dataclass(frozen=True)
class TreeFeatures:
    """What trees are ranked by."""

    heads: Shares
    bits: int = BITS

    def of(self, words: Sequence[str]) -> SentenceTrees:
        """For the trees of one sentence."""
        return SentenceTrees(self, words)


class SentenceTrees:
    """The trees of a sentence, as far as they were looked at."""

    def __init__(self, features: TreeFeatures, words: Sequence[str]) -> None:
        self.words = [word.lower() for word in words]
        self._heads, self._mask = features.heads, (1 << features.bits) - 1
        self._nodes: dict[Hashable, _Node] = {}
        self._numbered: list[_Node] = []
        self._said: dict[Hashable, list[int]] = {}
        self._phrases: dict[Hashable, int] = {}

    def number(self, tree: Tree) -> int:
        """A tree's own, the same for trees that are equal, but for relations."""
        return self._node(tree).number

    def phrases(self, number: int) -> list[int]:
        """A tree's labelled sets of positions, without tags and the root, as numbers: of all trees alike."""
        known = self._phrases
        placed = _placed(self._numbered[number])
        labelled = {(node.label, node.blocks) for node, parent, _ in placed if node.kids and parent}
        return [known.setdefault(one, len(known)) for one in labelled]

    def buckets(self, number: int) -> list[int]:
        """The features of a tree, as often as each is said."""
        placed = list(_placed(self._numbered[number]))
        tagged = {node.head: node.label for node, _, _ in placed if not node.kids}
        tags = [tagged.get(position, "") for position in range(len(self.words))]
        found = list(self._known(tuple(tags), partial(_tagging, self.words, tags)))
        for node, parent, above in placed:
            if not node.kids:
                continue
            own = parent.name if parent else "", above.name if above else ""
            found += self._known((node.number, own), partial(_phrase, node, *own, self.words))
            if parent is None:
                continue
            around = tuple((_at(tags, i - 1), _at(tags, k)) for i, k in node.blocks)
            inner = tuple((tags[i], tags[k - 1]) for i, k in node.blocks)
            key = (node.number, around, inner)
            found += self._known(key, partial(_borders, node, around, inner, self.words))
            if len(node.blocks) > 1:
                found += self._hashed(_gaps(node, parent, above, tags))
        return found

    def _node(self, tree: Tree) -> _Node:
        first = tree.children[0]
        if isinstance(first, Leaf):
            key: Hashable = (tree.label, first.position)
            if key not in self._nodes:
                p, label = first.position, tree.label
                self._add(key, _Node(len(self._nodes), label, label, (), p, label, ((p, p + 1),)))
            return self._nodes[key]
        kids = tuple(self._node(child) for child in tree.children if isinstance(child, Tree))
        key = (tree.label, tuple(kid.number for kid in kids))
        if key not in self._nodes:
            blocks = _joined(block for kid in kids for block in kid.blocks)
            name = tree.label if len(blocks) == 1 else f"{tree.label}_{len(blocks)}"
            shares = self._heads.get(tree.label, {})
            top = max(kids, key=lambda kid: shares.get(kid.label, 0.0))
            self._add(key, _Node(len(self._nodes), name, tree.label, kids, top.head, top.tag, blocks))
        return self._nodes[key]

    def _add(self, key: Hashable, node: _Node) -> None:
        self._nodes[key] = node
        self._numbered.append(node)

    def _known(self, key: Hashable, say: Callable[[], Iterable[str]]) -> list[int]:
        found = self._said.get(key)
        if found is None:
            found = self._said[key] = self._hashed(say())
        return found

    def _hashed(self, texts: Iterable[str]) -> list[int]:
        mask = self._mask
        return [crc32(text.encode()) & mask for text in texts]


def _placed(top: _Node) -> Iterator[tuple[_Node, _Node | None, _Node | None]]:
    """All nodes, with their parents and those above them."""
    stack: list[tuple[_Node, _Node | None, _Node | None]] = [(top, None, None)]
    while stack:
        node, parent, above = stack.pop()
        yield node, parent, above
        stack += ((kid, node, parent) for kid in node.kids)


def _joined(blocks: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Those that stand together as one."""
    found: list[tuple[int, int]] = []
    for i, k in sorted(blocks):
        if found and found[-1][1] == i:
            found[-1] = found[-1][0], k
        else:
            found.append((i, k))
    return tuple(found)


def _size(count: int) -> int:
    """Words or so, roughly: the larger, the rougher."""
    return count if count <= 4 else 5 if count <= 6 else 7 if count <= 10 else 11 if count <= 20 else 21


def _at(texts: Sequence[str], position: int) -> str:
    """What stands at a position, also at those beside the sentence."""
    return texts[position] if 0 <= position < len(texts) else "<" if position < 0 else ">"


def _tagging(words: Sequence[str], tags: Sequence[str]) -> Iterator[str]:
    for p, (word, tag) in enumerate(zip(words, tags, strict=True)):
        yield f"tw|{tag}|{word}"
        yield f"ts|{tag}|{word[-3:]}"
        yield f"tp|{tag}|{_at(words, p - 1)}"
        yield f"tn|{tag}|{_at(words, p + 1)}"
        yield f"tt|{_at(tags, p - 1)}|{tag}|{_at(tags, p + 1)}"


def _phrase(node: _Node, parent: str, above: str, words: Sequence[str]) -> Iterator[str]:
    """A rule, its parts, and what stands above it."""
    x, word = node.name, words[node.head]
    names = [kid.name for kid in node.kids]
    rule = " ".join(names)
    yield from (f"r|{x}|{rule}", f"rp|{parent}|{x}|{rule}", f"ra|{above}|{parent}|{x}")
    yield from (f"hw|{x}|{word}", f"hp|{parent}|{x}|{word}", f"ht|{parent}|{x}|{node.tag}")
    yield f"rn|{x}|{min(len(names), 6)}"
    row = ["<", *names, ">"]
    yield from (f"r2|{x}|{a}|{b}" for a, b in pairwise(row))
    yield from (f"r3|{x}|{a}|{b}|{c}" for a, b, c in zip(row, row[1:], row[2:], strict=False))
    for kid in node.kids:
        yield from _dependent(node, kid, words)
    for a, b in pairwise(kid for kid in node.kids if kid.kids):
        alike = [kid.label for kid in a.kids] == [kid.label for kid in b.kids]
        yield f"c|{node.label}|{a.label == b.label}|{alike}"
    if len(node.blocks) > 1:
        yield f"gh|{x}|{parent}|{word}"
        yield f"gf|{x}|{' '.join(words[i] for i, _ in node.blocks)}"
        yield f"gs|{x}|{' '.join(str(_size(k - i)) for i, k in node.blocks)}"
        yield f"gb|{x}|{_block(node, node.head)}"
        yield from (f"gk|{x}|{kid.name}|{_block(node, kid.blocks[0][0])}" for kid in node.kids)


def _dependent(node: _Node, kid: _Node, words: Sequence[str]) -> Iterator[str]:
    """What depends on the head word."""
    x, y, tag, below = node.name, kid.name, node.tag, kid.tag
    if kid.head == node.head:
        yield f"d|{x}|{y}|{tag}"
        return
    side = "r" if kid.head > node.head else "l"
    far = _size(abs(kid.head - node.head))
    word, own = words[node.head], words[kid.head]
    yield from (f"d1|{x}|{y}|{tag}|{below}|{side}", f"d2|{x}|{y}|{word}|{side}", f"d3|{x}|{y}|{own}|{side}")
    yield from (f"d4|{word}|{own}|{side}", f"d5|{x}|{y}|{side}|{far}", f"d6|{tag}|{own}|{side}")
    yield from (f"d7|{word}|{below}|{side}", f"d8|{tag}|{below}|{side}|{far}", f"d9|{x}|{y}|{word}|{own}")


def _borders(
    node: _Node, around: Sequence[tuple[str, str]], inner: Sequence[tuple[str, str]], words: Sequence[str]
) -> Iterator[str]:
    """Where the blocks of a phrase begin and end."""
    several = len(node.blocks) > 1
    for place, (i, k) in enumerate(node.blocks):
        x = f"{node.name}.{place}" if several else node.name
        (before, after), (first, last), size = around[place], inner[place], _size(k - i)
        left, right = _at(words, i - 1), _at(words, k)
        yield from (f"b1|{x}|{before}|{first}", f"b2|{x}|{last}|{after}", f"b3|{x}|{left}|{words[i]}")
        yield from (f"b4|{x}|{words[k - 1]}|{right}", f"b5|{x}|{before}|{first}|{last}|{after}")
        yield from (f"b6|{x}|{left}", f"b7|{x}|{right}", f"b8|{x}|{words[i]}", f"b9|{x}|{words[k - 1]}")
        yield from (f"bs|{x}|{size}|{after}", f"be|{x}|{size}|{k + 1 >= len(words)}|{first}")


def _gaps(node: _Node, parent: _Node, above: _Node | None, tags: Sequence[str]) -> Iterator[str]:
    """What stands between the blocks of a phrase."""
    x, gaps = node.name, [(a[1], b[0]) for a, b in pairwise(node.blocks)]
    beside = [kid.name for kid in parent.kids if any(i <= kid.blocks[0][0] < k for i, k in gaps)]
    yield f"g1|{x}|{parent.name}|{' '.join(beside)}"
    yield f"g2|{x}|{parent.name}|{above.name if above else ''}"
    yield f"g3|{x}|{parent.label}|{len(parent.blocks) > 1}"
    for i, k in gaps:
        yield from (f"g4|{node.label}|{' '.join(tags[i:k][:4])}", f"g5|{node.label}|{_size(k - i)}")
        yield f"g6|{node.label}|{_size(tags[i:k].count(node.tag))}"


def _block(node: _Node, position: int) -> int:
    return next(place for place, (i, k) in enumerate(node.blocks) if i <= position < k)
