"""Options of commands that come from the fields of dataclasses, with whose they are in their help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, cast

import typer

from secateur.options import Offer, Options, offers

Owners = Mapping[str, type[Options]]  # dataclasses by whose they are: a kind of model, an annotation


@dataclass(frozen=True)
class Given:
    """The options that were given on the command line."""

    values: Mapping[str, Any]
    owners: Mapping[str, frozenset[str]]  # the names that each owner knows
    of_what: str  # "models of kind", "treebanks of"

    def of(self, owner: str) -> dict[str, Any]:
        """Those for one owner; any that is foreign to it is refused."""
        self._refuse(self.owners[owner], f"this one is {owner}")
        return dict(self.values)

    def none(self, why: str) -> None:
        """Refuse all of them: there is nobody that they could be for."""
        self._refuse(frozenset(), why)

    def _refuse(self, known: frozenset[str], why: str) -> None:
        """An option that is foreign is refused here and nowhere else."""
        for name in self.values:
            if name not in known:
                whose = " and ".join(owner for owner, names in self.owners.items() if name in names)
                raise typer.BadParameter(f"{flag(name)} is for {self.of_what} {whose}; {why}")


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def spread(parameter: str, owners: Owners, of_what: str) -> Callable[[Any], Any]:
    """A command that takes `parameter: Given`, as one that has the options of all owners."""
    merged: dict[str, dict[str, Offer]] = {}
    for owner, options in owners.items():
        for offer in offers(options):
            merged.setdefault(offer.name, {})[owner] = offer
    known = {owner: frozenset(n for n, own in merged.items() if owner in own) for owner in owners}
    made = [_parameter(name, own, of_what) for name, own in merged.items()]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = signature(command, eval_str=True)

        @wraps(command)
        def spread_command(**given: Any) -> None:
            values = {name: given.pop(name) for name in merged}
            asked = {
                name: _value(next(iter(merged[name].values())), value)
                for name, value in values.items()
                if value is not None and value != []
            }
            command(**given, **{parameter: Given(asked, known, of_what)})

        kept = [one for one in own.parameters.values() if one.name != parameter]
        taken = {one.name for one in kept}
        clash = taken & merged.keys()
        assert not clash, f"options with two meanings: {clash}"
        spread_command.__signature__ = Signature([*kept, *made])  # type: ignore[attr-defined]
        return spread_command

    return decorate


def _parameter(name: str, own: Mapping[str, Offer], of_what: str) -> Parameter:
    """An option of the command line; it is None where it was not given."""
    texts: dict[str, list[str]] = {}
    for owner, offer in own.items():
        texts.setdefault(offer.help, []).append(owner)
    parts = [text if len(texts) == 1 else f"{', '.join(whose)}: {text}" for text, whose in texts.items()]
    offer = next(iter(own.values()))
    about: dict[str, Any] = {
        "help": " ".join(parts),
        "show_default": False,
        "rich_help_panel": f"For {of_what} {' and '.join(own)}",
    }
    shape: Any = offer.type
    choices = dict.fromkeys(choice for one in own.values() for choice in one.choices)
    if all(one.choices for one in own.values()):  # where an owner takes more, the others refuse it themselves
        shape = cast(Any, StrEnum)(name, {choice: choice for choice in choices})
    elif shape in (int, float) and not offer.many:
        lows, highs = [one.low for one in own.values()], [one.high for one in own.values()]
        about["min"] = None if None in lows else min(lows)  # type: ignore[type-var]
        about["max"] = None if None in highs else max(highs)  # type: ignore[type-var]
    names = [flag(name)]
    if shape is bool:
        names = [f"{flag(name)}/--no-{name.replace('_', '-')}"] if _default_is(own, True) else names
    names += dict.fromkeys(one.also for one in own.values() if one.also)
    value: Any = list[str] if offer.many else shape
    annotation: Any = Annotated[value | None, typer.Option(*names, **about)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _default_is(own: Mapping[str, Offer], value: object) -> bool:
    return any(offer.default is value for offer in own.values())


def _value(offer: Offer, value: Any) -> Any:
    """As the dataclass wants it: several values may stand in one option, as in 8,24."""
    if not offer.many:
        return str(value) if offer.choices else value
    parts = [part.strip() for one in value for part in one.split(",")]
    try:
        return tuple(offer.type(part) for part in parts)
    except ValueError:
        raise typer.BadParameter(f"{flag(offer.name)} takes {offer.type.__name__}s, not {value}") from None
