"""Options: fields of dataclasses that commands can offer too, each with a help text.

A command builds its options from such fields (`secateur.cli.spread`), so that what a kind of model or an
annotation can be told is written once, beside what it does.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar, Union, get_args, get_origin

from secateur.errors import InputError


class Options(Protocol):
    """A frozen dataclass whose fields are options; all of them have defaults."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


Form = TypeVar("Form", bound=Options)


def option(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    type: type | None = None,
    also: str = "",
    counts: str = "",
) -> Any:
    """A field that commands offer; `low` and `high` are the least and the largest value that makes sense.

    `type` is that of a value on the command line, where it is not the field's own; `also` is another name
    of the option there; `counts` says what it is a number of.
    """
    about = {"help": help, "low": low, "high": high, "type": type, "also": also, "counts": counts}
    return field(default=default, metadata=about)


def number_of(counts: str, default: int | None, *, low: int) -> Any:
    """A field that is a number of something, `low` at least, and that commands do not offer."""
    return field(default=default, metadata={"counts": counts, "low": low})


def option_as_in(options: type[Options], name: str, *, default: Any = MISSING) -> Any:
    """A field that commands offer as they do that of another dataclass; its default may be another."""
    other = options.__dataclass_fields__[name]
    return field(default=other.default if default is MISSING else default, metadata=other.metadata)


class Offer(NamedTuple):
    """A field as commands offer it."""

    name: str
    type: type  # of a single value: int, float, bool, str
    many: bool  # several values, as in 8,24
    choices: tuple[str, ...]  # none: any
    help: str
    low: float | None
    high: float | None
    default: object
    also: str  # another name, if there is one


def offers(options: type[Options]) -> Iterator[Offer]:
    """What commands can offer of a dataclass: the fields that have a help text."""
    scope = vars(sys.modules[options.__module__])
    for one in fields(options):
        if "help" in one.metadata:
            about = one.metadata
            # Only what is offered is worked out: other fields may name what is imported when it is used.
            kind, many, choices = _shape(about["type"] or eval(str(one.type), scope))
            low, high = about["low"], about["high"]
            yield Offer(one.name, kind, many, choices, about["help"], low, high, one.default, about["also"])


def _shape(hint: Any) -> tuple[type, bool, tuple[str, ...]]:
    """The type of a value, whether there are several, and what it can be."""
    if isinstance(hint, types.UnionType) or get_origin(hint) is Union:
        return _shape(next(part for part in get_args(hint) if part is not types.NoneType))
    if get_origin(hint) is Literal:
        return str, False, tuple(map(str, get_args(hint)))
    if get_origin(hint) is tuple:
        return _shape(get_args(hint)[0])[0], True, ()
    return hint, False, ()


def made(options: type[Form], given: Mapping[str, Any], whose: str) -> Form:
    """The dataclass from what was given; a name it does not have is refused with those it has."""
    known = {one.name for one in fields(options)}
    for name in given:
        if name not in known:
            raise InputError(f"{whose} has no option {name!r}", fix=f"choose from {', '.join(sorted(known))}")
    return options(**given)


def check_choice(what: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        raise InputError(f"unknown {what} {value!r}", fix="choose " + " or ".join(map(str, choices)))


def check_number(what: str, value: object) -> float:
    """Refuse what is no number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{what} is a number, not {value!r}")
    return float(value)


def check_whole(what: str, value: object) -> int:
    """Refuse what is no whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{what}: give a whole number, not {value!r}")
    return int(value)


def check_least(numbers: Mapping[str, tuple[int, int]]) -> None:
    """Refuse a number below its least: (number, least) by what it counts."""
    for what, (number, least) in numbers.items():
        if check_whole(what, number) < least:
            raise InputError(f"{number} {what}", fix=f"ask for {least} or more")


def check_counts(options: Options) -> None:
    """Refuse numbers of things below their least; None is one where it is the default: as many as usual."""
    for one in fields(options):
        number = getattr(options, one.name)
        if one.metadata.get("counts") and (number, one.default) != (None, None):
            check_least({one.metadata["counts"]: (number, one.metadata["low"])})
