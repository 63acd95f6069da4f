"""EVALB the slow way: scan the brackets of a line, list everything, compare everything with everything."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from secateur.metrics import Parameters


@dataclass
class Bracket:
    label: str
    start: int
    end: int = -1
    dropped: bool = False
    matched: bool = False


@dataclass
class Quote:
    word: str
    tag: str
    index: int
    opened: int  # brackets opened before it
    around: list[Bracket]


@dataclass
class Line:
    terminals: list[tuple[str, str]] = field(default_factory=list)  # word, tag
    brackets: list[Bracket] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)
    length: int = 0


def tagged(text: str) -> list[tuple[str, str]]:
    """All words with their tags."""
    return [(word, tag) for tag, word in re.findall(r"\(([^\s()]*) +([^\s()]*)\)", text)]


def read(text: str, p: Parameters, gold_tags: list[str] | None = None) -> Line:
    """Which words go the tags say, or those that are given."""
    line = Line()
    own = [tag for _, tag in tagged(text)]
    judges = iter(own if gold_tags is None else gold_tags)
    stack: list[Bracket] = []
    position = 0
    while position < len(text):
        if text[position] == " ":
            position += 1
        elif text[position] == ")":
            stack.pop().end = len(line.terminals)
            position += 1
        elif terminal := re.compile(r"\(([^\s()]*) +([^\s()]*)\)").match(text, position):
            tag, word = terminal.groups()
            line.length += tag not in p.delete_for_length
            if tag in p.quote_labels and word in ("'", '"', "/"):
                line.quotes.append(Quote(word, tag, len(line.terminals), len(line.brackets), list(stack)))
            if next(judges) not in p.delete_labels:
                line.terminals.append((word, tag))
            position = terminal.end()
        else:
            opening = re.compile(r"\(([^\s()]*)").match(text, position)
            assert opening is not None
            line.brackets.append(Bracket(opening[1], len(line.terminals)))
            stack.append(line.brackets[-1])
            position = opening.end()
    assert not stack
    return line


def same(a: str, b: str, pairs: frozenset[tuple[str, str]]) -> bool:
    return a == b or any((a, b) in ((x, y), (y, x)) for x, y in pairs)


def reinsert(line: Line, number: int) -> None:
    quote = line.quotes[number]
    line.terminals.insert(quote.index, (quote.word, quote.tag))
    for bracket in line.brackets[quote.opened :]:
        bracket.start += 1
        bracket.end += 1
    for bracket in quote.around:
        bracket.end += 1
    for later in line.quotes[number:]:
        later.index += 1


def fix_quotes(gold: Line, test: Line, p: Parameters) -> None:
    for t, theirs in enumerate(test.quotes):
        index = theirs.index
        for g, ours in enumerate(gold.quotes):
            if ours.index == index and ours.tag != theirs.tag:
                if ours.tag in p.delete_labels and theirs.tag not in p.delete_labels:
                    reinsert(gold, g)
                elif theirs.tag in p.delete_labels and ours.tag not in p.delete_labels:
                    reinsert(test, t)


def massage(line: Line, p: Parameters) -> list[Bracket]:
    for bracket in line.brackets:
        if bracket.start == bracket.end:
            bracket.dropped = True
        else:
            bracket.label = re.split("[-=]", bracket.label)[0]
            bracket.dropped = any(same(bracket.label, gone, p.equal_labels) for gone in p.delete_labels)
    return [bracket for bracket in line.brackets if not bracket.dropped]


def crosses(a: Bracket, b: Bracket) -> bool:
    return a.start < b.start < a.end < b.end or b.start < a.start < b.end < a.end


def is_same_sentence(gold_text: str, test_text: str, p: Parameters) -> bool:
    """Whether a parse is of the gold tree's words, brackets spelt in one way or the other."""
    gold, test = tagged(gold_text), tagged(test_text)
    spellings = [
        (words, [word.replace("[", "-LSB-").replace("]", "-RSB-") for word in words])
        for words in ([word for word, _ in gold], [word for word, _ in test])
    ]
    return len(gold) == len(test) and any(
        all(same(a, b, p.equal_words) for a, b in zip(ours, theirs, strict=True))
        for ours, theirs in zip(*spellings, strict=True)
    )


def is_retagged(gold_text: str, test_text: str, p: Parameters) -> bool:
    """Whether a parse of the same words would lose others by its own tags than by the gold ones."""
    if not p.by_gold_tags or not is_same_sentence(gold_text, test_text, p):
        return False
    pairs = zip(tagged(gold_text), tagged(test_text), strict=True)
    return any((a in p.delete_labels) != (b in p.delete_labels) for (_, a), (_, b) in pairs)


def evalb(gold_text: str, test_text: str, p: Parameters) -> dict[str, int]:
    """The program's line for one pair of trees."""
    names = ("status", "length", "words", "tags", "gold", "test", "matched", "crossing")
    gold, test = read(gold_text, p), read(test_text, p)
    if is_retagged(gold_text, test_text, p):
        test = read(test_text, p, [tag for _, tag in tagged(gold_text)])
    if not test.terminals:
        return dict.fromkeys(names, 0) | {"status": 2, "length": gold.length}
    error = dict.fromkeys(names, 0) | {"status": 1, "length": gold.length}
    if len(gold.terminals) != len(test.terminals):
        fix_quotes(gold, test, p)
        if len(gold.terminals) != len(test.terminals):
            return error
    terminals = list(zip(gold.terminals, test.terminals, strict=True))
    is_aligned = p.by_gold_tags and is_same_sentence(gold_text, test_text, p)
    if not is_aligned and not all(same(a, b, p.equal_words) for (a, _), (b, _) in terminals):
        return error
    tags = sum(same(a, b, p.equal_labels) for (_, a), (_, b) in terminals)
    ours, theirs = massage(gold, p), massage(test, p)
    matched = 0
    for a in ours:
        for b in theirs:
            alike = not p.labelled or same(a.label, b.label, p.equal_labels)
            if not b.matched and (a.start, a.end) == (b.start, b.end) and alike:
                b.matched = True
                matched += 1
                break
    crossing = sum(any(crosses(a, b) for a in ours) for b in theirs)
    figures = (0, gold.length, len(terminals), tags, len(ours), len(theirs), matched, crossing)
    return dict(zip(names, figures, strict=True))
