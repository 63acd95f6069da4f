"""Values from JSON or TOML in the form that a type says: nothing missing, nothing more, nothing else.

A form is a type as annotations write it: str, int, float (finite), bool, None, Literal, unions, list, tuple,
dict and Mapping with texts as keys, dataclasses and named tuples by their fields, and object for what may be
anything that JSON has, not too deep.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Form = TypeVar("Form")


DEEPEST = 16  # lists in lists


def parse_json(text: str) -> object:
    """ValueError where this is no JSON, or a name stands twice in one object."""
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except RecursionError:
        raise ValueError("lists within lists without end") from None


def formed(value: object, form: type[Form], what: str = "it") -> Form:
    """The value, with dataclasses and tuples as the form has them; ValueError where it is another."""
    return cast(Form, _formed(value, form, what))


def _formed(value: object, form: Any, what: str) -> object:
    """The same without types."""
    origin, inner = get_origin(form), get_args(form)
    if form is object:
        return _plain(value, what, 0)
    if origin in (Union, types.UnionType):
        return _one_of(value, inner, what)
    if origin is Literal:
        if value not in inner or type(value) not in map(type, inner):
            raise ValueError(f"{what} is {_shown(value)}, not {' or '.join(map(repr, inner))}")
        return value
    if origin is list or origin is tuple:
        return _listed(value, origin, inner, what)
    if origin in (dict, Mapping):
        return {
            key: _formed(each, inner[1], f"{what}[{key!r}]") for key, each in _object(value, what).items()
        }
    fields = _fields(form)
    if fields is not None:
        return _made(value, form, fields, what)
    return _single(value, form, what)


def _single(value: object, form: Any, what: str) -> object:
    if form is float and type(value) in (int, float):
        number = _float(cast(float, value))
        if math.isfinite(number):
            return number
    elif form in (None, type(None)) and value is None:
        return None
    elif form in (str, int, bool) and type(value) is form:
        return _text(value, what) if isinstance(value, str) else value
    name = "nothing" if form in (None, type(None)) else getattr(form, "__name__", str(form))
    raise ValueError(f"{what} is {_shown(value)}, not of the type {name}")


def _one_of(value: object, forms: tuple[Any, ...], what: str) -> object:
    # An integer is a float too: it stays what it is where both will do.
    for form in sorted(forms, key=lambda form: form is float):
        try:
            return _formed(value, form, what)
        except ValueError as problem:
            last = problem
    raise last


def _listed(value: object, origin: Any, forms: tuple[Any, ...], what: str) -> object:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{what} is {_shown(value)}, not a list")
    if origin is list or forms[-1] is Ellipsis:
        form = forms[0]
        if form is str and all(type(each) is str for each in value):
            "".join(value).encode()  # long lists of words sooner
            return origin(value)
        return origin([_formed(each, form, f"{what}[{place}]") for place, each in enumerate(value)])
    if len(value) != len(forms):
        raise ValueError(f"{what} has {len(value)} parts, not {len(forms)}")
    return tuple(_formed(each, form, what) for each, form in zip(value, forms, strict=True))


@cache
def _fields(form: Any) -> dict[str, Any] | None:
    """The forms of the fields, where it has any."""
    if dataclasses.is_dataclass(form) and isinstance(form, type):
        hints = get_type_hints(form)
        return {field.name: hints[field.name] for field in dataclasses.fields(form) if field.init}
    return get_type_hints(form) if hasattr(form, "_fields") else None


def _made(value: object, form: Any, fields: Mapping[str, Any], what: str) -> object:
    given = _object(value, what)
    for name in fields.keys() - given.keys():
        raise ValueError(f"{what} has no {name!r}")
    for name in given.keys() - fields.keys():
        raise ValueError(f"{what} has {name[:60]!r}, which does not belong there")
    return form(**{name: _formed(given[name], own, f"{name!r} of {what}") for name, own in fields.items()})


def _object(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {_shown(value)}, not an object")
    for key in value:
        _text(key, what)
    return value


def _plain(value: object, what: str, depth: int) -> object:
    if depth > DEEPEST:
        raise ValueError(f"{what} holds lists within lists without end")
    if isinstance(value, list):
        return [_plain(each, what, depth + 1) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each, what, depth + 1) for key, each in _object(value, what).items()}
    if value is None or type(value) in (int, float, bool):
        return value
    return _text(value, what)


def _text(value: object, what: str) -> str:
    """Text that can be written again: halves of characters cannot."""
    if type(value) is not str:
        raise ValueError(f"{what} has {_shown(value)} where a text should be")
    if not value.isascii():
        value.encode()
    return value


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "a huge number"
    return ascii(text)[1:-1] if len(text) <= 40 else f"{ascii(text[:40])[1:-1]}..."


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("the same name twice in one object")
    return found
