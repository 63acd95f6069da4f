"""The two ways a request can go wrong that are the caller's to mend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """Wrong input: says what is wrong, where it is, and what to do about it."""

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what = what
        self.where = where  # "file:line:column", as far as it is known
        self.fix = fix
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.where}  " if self.where else ""
        remedy = f"; {self.fix}" if self.fix else ""
        return f"{place}{self.what}{remedy}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.what, self.where, self.fix)


class MissingExtra(ImportError):
    """An optional library is needed for what was asked; names the extra that brings it."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f'this needs {library}: pip install "secateur[{extra}]"')


@contextmanager
def needing(library: str, extra: str) -> Iterator[None]:
    """Within, such a library is imported."""
    try:
        yield
    except ImportError as problem:
        raise MissingExtra(library, extra) from problem


def _rebuild(what: str, where: str, fix: str) -> InputError:
    return InputError(what, where=where, fix=fix)
