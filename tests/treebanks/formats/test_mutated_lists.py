"""Files with anything wrong end in trees or in an InputError, never in another exception."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.formats import graph
from secateur.treebanks.garden import garden
from secateur.treebanks.tree import MAX_DEPTH, Tree
from treebanks.formats.list_files import file_of, read, read_on

APART = "(S(VP(WP 1)(VB 4))(MD 2)(PRP 3))\twhat will you say\n" * 3
BANK = [sample.discontinuous for sample in garden(3, seed=8)]
FILES = {name: file_of(BANK, name) for name in ("export", "tigerxml", "alpino", "discbracket")}
TEXTS = {**{name: (name, text) for name, text in FILES.items()}, "treetools": ("discbracket", APART)}

# What is likely to hurt some reader.
SNIPPETS = [
    *("", " ", "\t", "\n", "\n\n", "\r", "\0", "\x01", "\xa0", "\ufeff", "\ud800", "\uffff", "猫"),
    *("0", "-1", "1e9", "500", "#500", "999999999999", "--", "%%", "\\", "{}", "%s", "=", "0=", "x" * 300),
    *("#BOS 1", "#BOS", "#EOS 1\n", "#EOS", "#BOT X\n", "#EOT\n", "#FORMAT 9\n"),
    *("<", ">", "/>", "&", "&a;", "&#0;", "&#xD800;", '"', "'", "<!--", "-->", "<![CDATA[", "]]>"),
    *("<s>", "</s>", '<s id="s1">', "<graph/>", "<t/>", "<nt>", "</nt>", "<edge/>", "<secedge/>"),
    *("<alpino_ds>", "</alpino_ds>", "<node>", "<node/>", "</node>", '<node cat="x">' * 300, "<x>" * 300),
    *("<?xml version='1.0'?>", "<?x?>", "<!DOCTYPE a [<!ENTITY a 'b'>]>", "<!DOCTYPE a>", "xmlns='x'"),
    *("(", ")", "()", "(A 0=b)", "(" * 300),
]


def deleted(text: str, i: int, k: int, rng: random.Random) -> str:
    return text[:i] + text[k:]


def repeated(text: str, i: int, k: int, rng: random.Random) -> str:
    return text[:k] + text[i:]


def moved(text: str, i: int, k: int, rng: random.Random) -> str:
    rest = text[:i] + text[k:]
    place = rng.randrange(len(rest) + 1)
    return rest[:place] + text[i:k] + rest[place:]


def inserted(text: str, i: int, k: int, rng: random.Random) -> str:
    return text[:i] + rng.choice(SNIPPETS) + text[i:]


def replaced(text: str, i: int, k: int, rng: random.Random) -> str:
    """All that is spelt the same: an id, a number, a tag."""
    old = text[i : min(k, i + rng.randrange(1, 12))]
    return text.replace(old, rng.choice(SNIPPETS), rng.choice([1, 2, -1])) if old else text


def number_changed(text: str, i: int, k: int, rng: random.Random) -> str:
    digits = [place for place in range(i, min(i + 200, len(text))) if text[place].isdecimal()]
    if not digits:
        return text
    place = rng.choice(digits)
    return text[:place] + rng.choice(["0", "1", "7", "9", "10", "", "x"]) + text[place + 1 :]


def cut_off(text: str, i: int, k: int, rng: random.Random) -> str:
    return text[:i]


CHANGES: list[Callable[[str, int, int, random.Random], str]] = [
    deleted, repeated, moved, inserted, inserted, replaced, number_changed, number_changed, cut_off,
]  # fmt: skip


def mutated(text: str, rng: random.Random) -> str:
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        i = rng.randrange(len(text) + 1)
        k = i + rng.choice([1, 3, 20, 200])
        text = rng.choice(CHANGES)(text, i, k, rng)
    return text


def check(tree: Tree) -> None:
    """A tree as any other: it can be listed, and so it is whole."""
    assert tree.height() <= MAX_DEPTH + 1  # a virtual root may stand above
    assert len(graph.rows(tree).words) == len(tree.words()) > 0


def outcome(text: str, format: str) -> tuple[list[Tree], InputError | None]:
    """The trees before the first fault, and that."""
    found: list[Tree] = []
    try:
        for tree in formats.FORMATS[format].read(io.StringIO(text), name="f"):
            found.append(tree)
    except InputError as error:
        return found, error
    return found, None


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=300)
@given(seed=st.integers(0, 1 << 32))
def test_mutated_files(name: str, seed: int) -> None:
    format, text = TEXTS[name]
    text = mutated(text, random.Random(seed))
    found, faults = read_on(text, format)
    assert found or faults
    for tree in found:
        check(tree)
    for fault in faults:
        assert fault.where.partition(":")[0] == "f"
        assert fault.what
        assert fault.fix
    before, first = outcome(text, format)
    assert (first is None) == (not faults)
    if format != "discbracket":
        assert found[: len(before)] == before
        assert first is None or str(first) == str(faults[0])


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=100)
@given(seed=st.integers(0, 1 << 32))
def test_mutated_files_are_sniffed_or_refused(name: str, seed: int) -> None:
    text = mutated(FILES[name], random.Random(seed))
    found = ""
    with contextlib.suppress(InputError):
        found = formats.sniff(text.splitlines()[:50])
    assert found in ("", *formats.ALL_FORMATS)


@pytest.mark.parametrize("name", FILES)
def test_what_is_not_mutated(name: str) -> None:
    text = FILES[name]
    expected = [Tree("VROOT", (tree,)) for tree in BANK] if name == "export" else BANK
    assert [str(tree) for tree in read(text, name)] == [str(tree) for tree in expected]
    assert formats.sniff(text.splitlines()[:50]) == name
