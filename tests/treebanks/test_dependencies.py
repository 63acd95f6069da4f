"""Dependency trees, what makes heads a tree, and banks of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import secateur
from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.dependencies import DependencyBank
from secateur.treebanks.dependency_tree import DependencyTree, coarse_of, find_fault
from secateur.treebanks.garden import garden

HEADS = st.integers(1, 7).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n))


def tree(heads: tuple[int, ...], *, word: str = "w") -> DependencyTree:
    n = len(heads)
    return DependencyTree((word,) * n, ("NNS",) * n, ("NN",) * n, heads, ("dep",) * n)


def descendants(heads: list[int], word: int) -> set[int]:
    found, size = {word}, 0
    while len(found) > size:
        size = len(found)
        found |= {m for m, head in enumerate(heads, 1) if head in found}
    return found


@given(HEADS, st.booleans())
def test_heads_are_a_tree_or_there_is_a_fault(heads: list[int], several_roots: bool) -> None:
    is_tree = descendants(heads, 0) == set(range(len(heads) + 1))
    is_tree &= several_roots or heads.count(0) == 1
    fault = find_fault(heads, several_roots=several_roots)
    assert (fault is None) == is_tree
    made = tree(tuple(heads))
    if is_tree:
        assert made.check(several_roots=several_roots) is made
    else:
        with pytest.raises(InputError):
            made.check(several_roots=several_roots)


@given(HEADS)
def test_a_cycle_is_named(heads: list[int]) -> None:
    fault = find_fault(heads, several_roots=True, name=lambda position: f"<{position}>")
    if fault is not None:
        named = [int(part.split(">")[0]) for part in fault.what.split("<")[1:]]
        assert fault.position == named[0]
        assert {heads[m] - 1 for m in named} == set(named)


@given(HEADS.filter(lambda heads: find_fault(heads, several_roots=True) is None))
def test_projective_means_that_arcs_span_what_is_below(heads: list[int]) -> None:
    expected = all(
        set(range(min(head, m), max(head, m) + 1)) <= descendants(heads, head) | {m}
        for m, head in enumerate(heads, 1)
    )
    assert tree(tuple(heads)).is_projective == expected


@pytest.mark.parametrize("heads", [(1,), (3, 0), (-1, 0), (0, 0), (2, 1)])
def test_no_trees(heads: tuple[int, ...]) -> None:
    with pytest.raises(InputError) as caught:
        tree(heads).check()
    assert caught.value.fix


def test_columns_are_of_one_length() -> None:
    for wrong in (
        DependencyTree(("a", "b"), ("X",), ("X", "X"), (0, 1), ("r", "d")),
        DependencyTree(("a", "b"), ("X", "X"), ("X", "X"), (0,), ("r", "d")),
    ):
        with pytest.raises(InputError, match="1 values for 2 words"):
            wrong.check()
    with pytest.raises(InputError, match="3 values"):
        tree((0, 1)).with_heads((0, 1, 1))
    with pytest.raises(InputError, match="1 values"):
        tree((0, 1)).with_tags(("X",))


def test_other_heads_and_tags() -> None:
    first = tree((0, 1))
    assert first.with_heads([2, 0]) == tree((2, 0))
    assert first.with_heads([2, 0], ["a", "b"]).labels == ("a", "b")
    assert first.without_heads().heads == ()
    assert not first.without_heads().is_parsed
    assert first.without_heads().with_heads((0, 1)).labels == ("_", "_")
    assert first.with_tags(("VBD", "PRP$")).coarse == ("VB", "PR")
    assert first.with_tags(("VBD", "PRP$"), ("V", "P")).coarse == ("V", "P")
    assert first.without_fine_tags().tags == ("NN", "NN")
    assert first.with_words(("an", "elm")).words == ("an", "elm")
    with pytest.raises(InputError, match="2 values for 1 words"):
        first.with_words(("elm",))
    assert len(first) == 2


@pytest.mark.parametrize("n", [1, 2, 3, 4, 254, 255, 256, 257])
def test_chains_and_circles_of_any_length(n: int) -> None:
    assert find_fault(tuple(range(n))) is None
    assert find_fault((*range(2, n + 1), 0)) is None
    circle = find_fault((*range(2, n + 1), 1))
    assert circle is not None
    assert "a cycle" in circle.what


def test_coarse_tags() -> None:
    assert [coarse_of(tag) for tag in ("NNPS", "NN", "PRP$", ",", "``", "PROPN", "prop")] == [
        "NN",
        "NN",
        "PR",
        ",",
        "``",
        "PROPN",
        "prop",
    ]


# Banks ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bank() -> DependencyBank:
    return DependencyBank((sample.dependencies for sample in garden(40)), name="garden")


def test_counts(bank: DependencyBank) -> None:
    assert bank.tags() == Counter(tag for each in bank for tag in each.tags)
    assert bank.labels() == Counter(label for each in bank for label in each.labels)
    assert bank.labels()["root"] == 40
    assert bank.special() == {
        "different coarse tags": len({tag for each in bank for tag in each.coarse}),
        "non-projective trees": sum(not each.is_projective for each in bank),
        "trees with several roots": 0,
    }
    assert DependencyBank([tree((3, 4, 0, 3))]).special()["non-projective trees"] == 1
    assert DependencyBank([tree((0, 0))]).special()["trees with several roots"] == 1
    assert bank.without_fine_tags().tags() == Counter(tag for each in bank for tag in each.coarse)


def test_the_checksum_is_of_the_content(bank: DependencyBank, tmp_path: Path) -> None:
    sums = {bank.checksum(), bank[1:].checksum(), bank[::-1].checksum()}
    changed = bank[0].with_heads(bank[0].heads, ["x"] * len(bank[0]))
    sums.add(DependencyBank([changed, *bank[1:]]).checksum())
    assert len(sums) == 4
    for form in formats.DEPENDENCY_FORMATS:
        path = tmp_path / form
        path.write_text("".join(formats.DEPENDENCY_FORMATS[form].texts(bank)))
        assert DependencyBank.read(path, format=form).checksum() == bank.checksum()


def test_read_knows_both_kinds(bank: DependencyBank, tmp_path: Path) -> None:
    path = tmp_path / "garden.conllu"
    path.write_text("".join(formats.conll.CONLLU.texts(bank)))
    found = secateur.read(path)
    assert isinstance(found, secateur.DependencyBank)
    assert (found, found.name) == (bank, str(path))
    path.write_text("(S (NN cat))\n")
    assert isinstance(secateur.read(path), secateur.Treebank)
