"""Trees in arrays come out as they went in, with all that they carry."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from secateur.treebanks.aside import aside_of
from secateur.treebanks.discontinuous import DiscontinuousBank
from secateur.treebanks.packed import pack
from secateur.treebanks.tree import Tree
from treebanks.formats.list_files import without_rels
from treebanks.formats.strategies import any_trees, carrying

forests = st.lists(st.one_of(carrying(), any_trees()), max_size=5)


@given(forests)
def test_trees_come_out_as_they_went_in(forest: list[Tree]) -> None:
    packed = pack(forest)
    found = [packed.tree(number) for number in range(len(packed))]
    assert found == forest
    assert list(map(aside_of, found)) == list(map(aside_of, forest))


@given(forests, st.data())
def test_a_part_is_as_if_packed_alone(forest: list[Tree], data: st.DataObject) -> None:
    places = st.lists(st.sampled_from(range(len(forest))), unique=True) if forest else st.just([])
    chosen = data.draw(places)
    part, alone = pack(forest).only(np.array(chosen, dtype=int)), pack(forest[place] for place in chosen)
    assert list(part.content()) == list(alone.content())
    assert (part.rels, part.rel.tolist(), part.asides) == (alone.rels, alone.rel.tolist(), alone.asides)


@given(forests)
def test_edges_make_banks_different_and_asides_do_not(forest: list[Tree]) -> None:
    bank, plain = DiscontinuousBank(forest), DiscontinuousBank(map(without_rels, forest))
    has_rels = any(node.rel for tree in forest for node in tree.nodes())
    assert (bank == plain) == (not has_rels) == (bank.checksum() == plain.checksum())
    assert bank[1:][:2] == DiscontinuousBank(forest[1:3])


def test_what_no_tree_has_takes_no_room() -> None:
    packed = pack([Tree("S", ())] * 100)
    assert (packed.rel.size, packed.rels, packed.asides) == (0, [""], {})


@given(forests)
def test_banks_travel(forest: list[Tree]) -> None:
    sent = pickle.loads(pickle.dumps(DiscontinuousBank(forest)))
    assert list(sent) == forest
    assert [aside_of(tree) for tree in sent] == [aside_of(tree) for tree in forest]
