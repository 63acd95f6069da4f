"""Random trees, continuous and discontinuous, for the tests of formats, treebanks and drawings."""

from __future__ import annotations

from hypothesis import strategies as st

from secateur.treebanks.aside import Aside, Secondary, per_word, with_aside
from secateur.treebanks.tree import Leaf, Tree

LABELS = ["S", "NP", "VP-SBJ-1", "PP=2", "ADVP", "PRT|ADVP", "X*"]
TAGS = ["NN", "PRP$", "-LRB-", "``", ".", "JJ|NN"]
WORDS = ["cat", "the", "-LRB-", "3=4", "=", "10\xa0000", "naïve", "猫", "*T*-1", "a/b", "''"]


@st.composite
def trees(
    draw: st.DrawFn,
    *,
    discontinuous: bool = False,
    words: list[str] = WORDS,
    tags: list[str] = TAGS,
    labels: list[str] = LABELS,
    roots: list[str] | None = None,
    max_words: int = 7,
) -> Tree:
    sentence = draw(st.lists(st.sampled_from(words), min_size=1, max_size=max_words))

    def parts(positions: list[int]) -> list[list[int]]:
        count = draw(st.integers(1, len(positions)))
        if discontinuous:
            groups: list[list[int]] = [[] for _ in range(count)]
            for position in positions:
                groups[draw(st.integers(0, count - 1))].append(position)
        else:
            cuts = sorted(draw(st.sets(st.sampled_from(range(1, len(positions) + 1)), max_size=count)))
            groups = [positions[i:k] for i, k in zip([0, *cuts], [*cuts, len(positions)], strict=True)]
        return sorted(group for group in groups if group)

    def node(positions: list[int], depth: int) -> Tree:
        if len(positions) == 1 and (depth > 3 or draw(st.booleans())):
            return Tree(draw(st.sampled_from(tags)), (Leaf(positions[0], sentence[positions[0]]),))
        groups = parts(positions) if depth < 4 else [[position] for position in positions]
        label = draw(st.sampled_from(labels if depth or roots is None else roots))
        return Tree(label, tuple(node(group, depth + 1) for group in groups))

    return node(list(range(len(sentence))), 0)


def any_trees(**options: object) -> st.SearchStrategy[Tree]:
    """Both kinds."""
    return st.booleans().flatmap(lambda flag: trees(discontinuous=flag, **options))  # type: ignore[arg-type]


RELS = ["", "SB", "hd", "obj1", "-"]
LEMMAS = ["", "be", "naïf", "a&b"]


@st.composite
def carrying(draw: st.DrawFn, **options: object) -> Tree:
    """Discontinuous trees with labelled edges, most of which carry something aside."""
    tree = draw(trees(discontinuous=True, **options))  # type: ignore[arg-type]

    def labelled(node: Tree) -> Tree:
        children = tuple(child if isinstance(child, Leaf) else labelled(child) for child in node.children)
        return Tree(node.label, children, "" if node is tree else draw(st.sampled_from(RELS)))

    places = list(enumerate(tree.nodes()))
    above = [place for place, node in places if not node.is_preterminal]
    edge = st.builds(
        Secondary,
        st.sampled_from([place for place, _ in places][1:] or [0]),
        st.sampled_from(RELS),
        st.sampled_from(above or [0]),
    )
    words = st.lists(st.sampled_from(LEMMAS), min_size=len(tree.leaves()), max_size=len(tree.leaves())).map(
        per_word
    )
    aside = Aside(
        draw(st.sampled_from(["", "1", "907", "a.b-7"])),
        draw(st.sampled_from(["", 'said "twice" & <again>', "-- %% --"])),
        draw(words),
        draw(words),
        tuple(sorted(draw(st.lists(edge, max_size=3 if above else 0)))),
    )
    return with_aside(labelled(tree), aside)
