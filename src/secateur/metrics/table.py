"""Figures for people, in rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    """The first column names its rows."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
