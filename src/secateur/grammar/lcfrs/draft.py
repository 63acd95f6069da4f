"""Draft: rules are gathered and checked one by one, and become a grammar."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import accumulate

import numpy as np

from secateur.errors import InputError
from secateur.grammar.lcfrs.patterns import check, encode, fanouts, segments, text_of
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Binary, Long, Rule, Unary
from secateur.grammar.lexicon import Lexicon
from secateur.grammar.pcfg import Floats, Ids

_TWICE = "keep one of them, or add their probabilities"


class Draft:
    """Rules and entries of the lexicon as they come; a wrong one is refused when it is given."""

    def __init__(self) -> None:
        self.rules: dict[tuple[object, ...], Rule] = {}
        self.words: dict[tuple[str, str], float] = {}  # (tag, word)
        self.fanout: dict[str, int] = {}

    def rule(self, rule: Rule) -> None:
        """Add a rule; the draft is as it was where it is refused."""
        check(rule.components, len(rule.children))
        _check_weight(rule.weight)
        self._fan_out((rule.parent, *rule.children), (len(rule.components), *fanouts(rule.components)))
        unary = len(rule.children) == 1
        key = rule[:2] if unary else rule[:3]  # the path of a unary rule is no part of it
        if key in self.rules:
            pattern = "" if unary else f" {text_of(rule.components)}"
            raise InputError(
                f"duplicate rule: {rule.parent} -> {' '.join(rule.children)}{pattern}", fix=_TWICE
            )
        self.rules[key] = rule

    def word(self, tag: str, word: str, weight: float) -> None:
        """Add an entry of the lexicon."""
        _check_weight(weight)
        self._fan_out((tag,), (1,))
        if (tag, word) in self.words:
            raise InputError(f"duplicate rule: {tag} -> {word!r}", fix=_TWICE)
        self.words[tag, word] = weight

    def _fan_out(self, names: tuple[str, ...], sizes: tuple[int, ...]) -> None:
        """Note the fan-outs of symbols, if they are as before."""
        found: dict[str, int] = {}
        for name, size in zip(names, sizes, strict=True):
            known = found.setdefault(name, self.fanout.get(name, size))
            if known != size:
                raise InputError(
                    f"{name} has fan-out {size} here and {known} elsewhere",
                    fix=f"every symbol has one fan-out: call one of them {name}_{max(known, size)}",
                )
        self.fanout.update(found)

    def grammar(
        self,
        start: str,
        *,
        plain: Mapping[str, str] | None = None,
        made: Iterable[str] = (),
        chains: bool = False,
        notes: Mapping[str, str] | None = None,
    ) -> PLCFRS:
        """The grammar of what was gathered."""
        self._check_start(start)
        symbols = tuple(sorted(self.fanout))
        number = {name: s for s, name in enumerate(symbols)}
        dissolving = set(made)
        self._check_made(dissolving, start)
        shown = plain or {}
        by_length: dict[int, list[Rule]] = {1: [], 2: [], 3: []}
        for rule in self.rules.values():
            by_length[min(len(rule.children), 3)].append(rule)
        return PLCFRS(
            symbols,
            tuple(shown.get(name, name) for name in symbols),
            np.array([name in dissolving for name in symbols], bool),
            np.array([self.fanout[name] for name in symbols], np.uint32),
            start,
            _binary(by_length[2], number),
            _unary(by_length[1], number),
            _long(by_length[3], number),
            Lexicon.build((word, number[tag], weight) for (tag, word), weight in self.words.items()),
            dict(notes or {}),
            chains,
        )

    def _check_start(self, start: str) -> None:
        parents = {rule.parent for rule in self.rules.values()} | {tag for tag, _ in self.words}
        if start not in parents:
            raise InputError(
                f"unknown start symbol {start!r}: no rule expands it",
                fix="name a symbol that has rules, for example " + ", ".join(sorted(parents)[:3]),
            )
        if self.fanout[start] != 1:
            raise InputError(
                f"the start symbol {start} has fan-out {self.fanout[start]}",
                fix="a sentence is one run of words: start with a symbol of fan-out 1",
            )
        if start not in self._productive():
            raise InputError(
                f"the start symbol {start} derives no sentence",
                fix="give rules or words to all symbols on the right-hand sides",
            )

    def _productive(self) -> set[str]:
        """The symbols that derive words."""
        found = {tag for tag, _ in self.words}
        waiting = list(self.rules.values())
        while True:
            found.update(rule.parent for rule in waiting if found.issuperset(rule.children))
            rest = [rule for rule in waiting if rule.parent not in found]
            if len(rest) == len(waiting):
                return found
            waiting = rest

    def _check_made(self, made: set[str], start: str) -> None:
        for name in sorted(made.intersection((start, *(tag for tag, _ in self.words)))):
            raise InputError(
                f"{name} dissolves in trees, but it is the start symbol or has words",
                fix="rename it, so that it does not look like what binarization makes",
            )


def _check_weight(weight: float) -> None:
    if math.isnan(weight) or weight > 0.0:
        raise InputError(
            f"a rule's log weight is {weight}",
            fix="weights are natural logs of probabilities: at most 0, and never NaN",
        )


def _ids(column: Iterable[int]) -> Ids:
    return np.array(list(column), np.uint32)


def _floats(column: Iterable[float]) -> Floats:
    return np.array(list(column), np.float64)


def _binary(rules: list[Rule], number: Mapping[str, int]) -> Binary:
    rows = sorted(
        (
            number[rule.children[0]],
            number[rule.children[1]],
            number[rule.parent],
            encode(rule.components),
            rule,
        )
        for rule in rules
    )
    return Binary(
        _ids(row[0] for row in rows),
        _ids(row[1] for row in rows),
        _ids(row[2] for row in rows),
        _floats(row[4].weight for row in rows),
        np.array([row[3] for row in rows], np.uint64),
    )


def _unary(rules: list[Rule], number: Mapping[str, int]) -> Unary:
    rows = sorted((number[rule.children[0]], number[rule.parent], rule) for rule in rules)
    return Unary(
        _ids(row[0] for row in rows),
        _ids(row[1] for row in rows),
        _floats(row[2].weight for row in rows),
        tuple(row[2].path for row in rows),
    )


def _long(rules: list[Rule], number: Mapping[str, int]) -> Long:
    rows = sorted(
        ([number[child] for child in rule.children], number[rule.parent], segments(rule.components), rule)
        for rule in rules
    )
    return Long(
        _ids(row[1] for row in rows),
        _floats(row[3].weight for row in rows),
        _ids(accumulate((len(row[0]) for row in rows), initial=0)),
        _ids(child for row in rows for child in row[0]),
        _ids(accumulate((len(row[2]) for row in rows), initial=0)),
        _ids(segment for row in rows for segment in row[2]),
    )
