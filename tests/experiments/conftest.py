"""Experiments leave the checkout as it was: every file of tests here is held to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from checkouts import checkout


@pytest.fixture(scope="module", autouse=True)
def untouched() -> Iterator[None]:
    before = checkout()
    yield
    after = checkout()
    assert {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)} == set()
