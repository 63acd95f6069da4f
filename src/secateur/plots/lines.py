"""Lines of text about constituents, and rows of figures, as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from secateur.treebanks.tree import Constituent


def described(one: Constituent, words: Sequence[str]) -> str:
    """A constituent by its runs of words: NP 0,2 "the cat", VP 0,1+3,4 "what ... say"."""
    starts = [p for p in one.indices if p - 1 not in one.indices]
    ends = [p + 1 for p in one.indices if p + 1 not in one.indices]
    runs = list(zip(starts, ends, strict=True))
    text = " ... ".join(" ".join(words[i:k]) for i, k in runs)
    return f'{one.label} {"+".join(f"{i},{k}" for i, k in runs)} "{text}"'


def aligned(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """What was seen stands last, on the left of its column, for it may be long."""
    first, second = (max((len(row[column]) for row in rows), default=0) for column in (0, 1))
    return [f"  {name:<{first}}  {weight:>{second}}  {saw}".rstrip() for name, weight, saw in rows]
