"""PLCFRSs in the text format of disco-dop: a file of rules and one of words, plain or gzipped.

Rules have fields with tabs between them, `S  VP_2  NP  010  3/10`: the symbols, the pattern, the probability.
A line of the lexicon has a word, and each of its tags with a probability: `saw  NN 1/20  VB 3/5`, again with
tabs between words and tags. The start symbol is not said: unless given, it is the first rule's, or, where
other rules use that, the only one that none uses. Weights are probabilities here, as fractions of whole
numbers where these give the same logarithm, and else as decimal numbers. Paths of unary rules have no place
in it, and unary rules may follow each other; symbols are shown without their mark of fan-out, and those with
`|<` are made ones.

The two are called X.rules and X.lex, or X.rules.gz and X.lex.gz, and either stands for both.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby

from secateur.errors import InputError
from secateur.grammar.lcfrs.binarize import is_made, label_of, unmarked
from secateur.grammar.lcfrs.draft import Draft
from secateur.grammar.lcfrs.patterns import ordered, parse, text_of
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule
from secateur.grammar.lines import check_names, placed, write_lines
from secateur.treebanks.formats import source

_HALF = re.compile(r"(.+?)(\.rules|\.lex)?(\.gz)?", re.DOTALL)
_LARGEST = 10**7  # of the counts below fractions
_RULE = "a rule reads `S TAB VP_2 TAB NP TAB 010 TAB 3/10`"
_ENTRY = "an entry reads `word TAB tag 1/20 TAB tag 3/5`"


def is_half(path: str | os.PathLike[str]) -> bool:
    """Whether a file is called as one of the two is."""
    found = _HALF.fullmatch(os.fspath(path))
    return found is not None and found[2] is not None


def halves(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The names of both files, from that of one of them or from X or X.gz."""
    found = _HALF.fullmatch(os.fspath(path))
    if found is None:
        raise InputError("this cannot be a file's name", where=repr(path), fix="check the path")
    packed = found[3] or ""
    return f"{found[1]}.rules{packed}", f"{found[1]}.lex{packed}"


def read_halves(path: str | os.PathLike[str]) -> PLCFRS:
    """The grammar of which one of the two files is named."""
    paths = []
    for half in halves(path):
        other = half.removesuffix(".gz") if half.endswith(".gz") else f"{half}.gz"
        paths.append(other if os.path.exists(other) and not os.path.exists(half) else half)
        if not os.path.exists(paths[-1]):
            fix = "disco-dop writes X.rules and X.lex: put both into one folder"
            raise InputError(
                f"there is no {os.path.basename(half)} beside it", where=os.fspath(path), fix=fix
            )
    return read_discodop(*paths)


def read_discodop(
    rules: str | os.PathLike[str],
    lexicon: str | os.PathLike[str],
    *,
    start: str | None = None,
    chains: bool = True,
) -> PLCFRS:
    """The grammar in two files."""
    return parse_discodop(
        source.lines(rules),
        source.lines(lexicon),
        names=(os.fspath(rules), os.fspath(lexicon)),
        start=start,
        chains=chains,
    )


def parse_discodop(
    rules: Iterable[str],
    lexicon: Iterable[str],
    *,
    names: tuple[str, str] = ("", ""),
    start: str | None = None,
    chains: bool = True,
) -> PLCFRS:
    """The grammar in the lines of two files of these names."""
    draft = Draft()
    for number, line in enumerate(rules, 1):
        fields = _fields(line)
        if fields:
            where = f"{names[0]}:{number}"
            rule = _rule(fields, where)
            with placed(where):
                draft.rule(rule)
    for number, line in enumerate(lexicon, 1):
        if _fields(line):
            _entries(_fields(line), f"{names[1]}:{number}", draft)
    if not draft.rules:
        raise InputError("no rules", where=f"{names[0]}:1", fix=_RULE)
    tags = {tag for tag, _ in draft.words}
    phrases = draft.fanout.keys() - tags
    with placed(f"{names[0]}:1"):
        return draft.grammar(
            start or _start(draft),
            plain={name: label_of(name) if name in phrases else unmarked(name) for name in draft.fanout},
            made=[name for name in phrases if is_made(name)],
            chains=chains,
        )


def _start(draft: Draft) -> str:
    """The first rule's symbol; where other rules use that, the only one that none uses."""
    first, used = next(iter(draft.rules.values())).parent, set[str]()
    for rule in draft.rules.values():
        used.update(set(rule.children) - {rule.parent})
    unused = [name for name, size in draft.fanout.items() if size == 1 and name not in used]
    return unused[0] if first in used and len(unused) == 1 else first


def rule_lines(grammar: PLCFRS) -> Iterator[str]:
    """The lines of the file of rules, those of the start symbol first."""
    if len(grammar.long.weight):
        fix = "make it binary first: grammar.binarized()"
        raise InputError("a rule with more than two symbols on the right", fix=fix)
    check_names(grammar.symbols)
    for rule in sorted(grammar.named(), key=lambda rule: rule.parent != grammar.start):
        if weight := _probability(rule.weight):
            yield "\t".join((rule.parent, *rule.children, text_of(rule.components), weight))


def lexicon_lines(grammar: PLCFRS) -> Iterator[str]:
    """The lines of the file of words."""
    check_names((*grammar.symbols, *grammar.lexicon.words))
    for word, entries in groupby(grammar.entries(), key=lambda entry: entry[1]):
        found = [(tag, _probability(weight)) for tag, _, weight in entries]
        tags = [f"{tag} {weight}" for tag, weight in found if weight]
        if tags:
            yield "\t".join((word, *tags))


def write_discodop(grammar: PLCFRS, rules: str | os.PathLike[str], lexicon: str | os.PathLike[str]) -> None:
    """Write both files, gzipped where a name ends in .gz."""
    write_lines(list(rule_lines(grammar)), rules)
    write_lines(lexicon_lines(grammar), lexicon)


def _fields(line: str) -> list[str]:
    return [field for field in line.rstrip("\r\n").split("\t") if field.strip(" ")]


def _rule(fields: list[str], where: str) -> Rule:
    if len(fields) < 4:
        raise InputError(f"not a rule: {' '.join(fields)[:60]!r}", where=where, fix=_RULE)
    parent, *children, pattern, weight = fields
    components = parse(pattern)
    if components is None:
        raise InputError(f"{pattern[:60]!r} is no pattern", where=where, fix=_RULE)
    components, order = ordered(components)  # the format allows a pattern to begin with the second child
    if sorted(order) != list(range(len(children))):
        what = f"the pattern {pattern[:40]!r} is not one of {len(children)} symbols"
        raise InputError(what, where=where, fix="number them from 0, and use each at least once")
    return Rule(parent, tuple(children[child] for child in order), components, _log(weight, where))


def _entries(fields: list[str], where: str, draft: Draft) -> None:
    word, *rest = fields
    found = [part for field in rest for part in field.split(" ") if part]  # blanks or tabs before weights
    if not found or len(found) % 2:
        raise InputError(f"not an entry: {' '.join(fields)[:60]!r}", where=where, fix=_ENTRY)
    for tag, weight in zip(found[::2], found[1::2], strict=True):
        with placed(where):
            draft.word(tag, word, _log(weight, where))


def _log(text: str, where: str) -> float:
    """The logarithm of a probability as a fraction or a number."""
    above, slash, below = text.partition("/")
    try:
        probability = float(above) / float(below) if slash else float(above)
    except (ValueError, ZeroDivisionError, OverflowError):
        probability = math.nan
    if not 0.0 < probability <= 1.0:
        fix = "give one above 0 and at most 1: 3/10 or 0.3"
        raise InputError(f"{text[:60]!r} is no probability", where=where, fix=fix)
    return math.log(probability)


def _probability(weight: float) -> str:
    """A log weight as a fraction; nothing for what cannot be, which the format has no place for."""
    probability = math.exp(weight)
    found = Fraction(probability).limit_denominator(_LARGEST)
    if found and math.log(found.numerator / found.denominator) == weight:
        return f"{found.numerator}/{found.denominator}"
    return repr(probability) if probability else ""
