"""The patterns of arcs and of adjacent siblings that every model starts from.

A pattern is a text of atoms, see `features/arc.py`. Each gives two templates: itself, and itself with the
direction and length of the arc. First order 2 * 134, second order 2 * 56.
"""

from __future__ import annotations

_TAGS = ("tag", "coarse")  # two tiers of parts of speech
_FORMS = ("word", "prefix", "suffix")


def first_order() -> tuple[str, ...]:
    """134 patterns over a head h, a modifier m, their neighbours, and the words b between them."""
    return (*_words(), *_pairs(), *_surrounding_tags(), *_between(), *_context(), "bias")


def second_order() -> tuple[str, ...]:
    """56 patterns over a head h, a modifier m, and the child s of h next to m on the side of h."""
    return (*_siblings(), *_with_head(), *_around_siblings(), "bias")


def _words() -> list[str]:
    found = []
    for n in "hm":
        found += [f"{view}[{n}]" for view in (*_FORMS, *_TAGS)]
        found += [f"{x}[{n}] {p}[{n}]" for x in _FORMS for p in _TAGS]
    return found


def _pairs() -> list[str]:
    found = [f"{p}[h] {q}[m]" for p in _TAGS for q in _TAGS]
    found += [f"{x}[h] {x}[m]" for x in _FORMS]
    for x in _FORMS:
        for p in _TAGS:
            found += [
                f"{x}[h] {p}[m]",
                f"{p}[h] {x}[m]",
                f"{x}[h] {p}[h] {p}[m]",
                f"{p}[h] {x}[m] {p}[m]",
                f"{x}[h] {p}[h] {x}[m]",
                f"{x}[h] {x}[m] {p}[m]",
                f"{x}[h] {p}[h] {x}[m] {p}[m]",
            ]
    return found


def _surrounding_tags() -> list[str]:
    places = [
        "h h+1 m-1 m",
        "h-1 h m-1 m",
        "h h+1 m m+1",
        "h-1 h m m+1",
        "h h+1 m",
        "h-1 h m",
        "h m-1 m",
        "h m m+1",
        "h-1 h m+1",
        "h-1 m m+1",
        "h h+1 m-1",
        "h+1 m-1 m",
    ]
    return [_all(p, row) for p in _TAGS for row in places]


def _between() -> list[str]:
    found = []
    for p in _TAGS:
        found += [
            f"{p}[h] {p}[b] {p}[m]",
            f"{p}[h] {p}[b]",
            f"{p}[b] {p}[m]",
            f"{p}[h] word[b] {p}[m]",
            f"{p}[h] coarse{{b}} {p}[m]",
        ]
    return [*found, "coarse[h] verbs coarse[m]", "coarse[h] points coarse[m]"]


def _context() -> list[str]:
    found = []
    for p in _TAGS:
        found += [_all(p, row) for n in "hm" for row in (f"{n}-1 {n}", f"{n} {n}+1", f"{n}-1 {n} {n}+1")]
        found += [
            f"word[h-1] {p}[h] {p}[m]",
            f"word[h+1] {p}[h] {p}[m]",
            f"{p}[h] word[m-1] {p}[m]",
            f"{p}[h] word[m+1] {p}[m]",
            _all(p, "h-1 h h+1 m-1 m m+1"),
        ]
    return [
        *found,
        "word[h] coarse[h-1] coarse[m]",
        "word[h] coarse[h+1] coarse[m]",
        "coarse[h] word[m] coarse[m-1]",
        "coarse[h] word[m] coarse[m+1]",
    ]


def _siblings() -> list[str]:
    found = [f"{p}[s] {p}[m]" for p in _TAGS]
    found += [f"{x}[s] {x}[m]" for x in _FORMS]
    found += [text for x in _FORMS for p in _TAGS for text in (f"{x}[s] {p}[m]", f"{p}[s] {x}[m]")]
    for p in _TAGS:
        found += [
            f"word[s] {p}[s] {p}[m]",
            f"{p}[s] word[m] {p}[m]",
            f"word[s] {p}[s] word[m] {p}[m]",
        ]
    return found


def _with_head() -> list[str]:
    found = [_all(p, "h s m") for p in _TAGS]
    for x in _FORMS:
        for p in _TAGS:
            found += [f"{x}[h] {p}[s] {p}[m]", f"{p}[h] {x}[s] {p}[m]", f"{p}[h] {p}[s] {x}[m]"]
    for p in _TAGS:
        found += [f"word[h] word[s] {p}[m]", f"word[h] {p}[s] word[m]", f"{p}[h] word[s] word[m]"]
    return [*found, _all("word", "h s m")]


def _around_siblings() -> list[str]:
    near = [_all("coarse", f"h s m {place}") for place in ("m+1", "m-1", "s+1", "s-1")]
    return [*near, "coarse[s] coarse[b] coarse[m]"]


def _all(view: str, places: str) -> str:
    return " ".join(f"{view}[{place}]" for place in places.split())
