"""Derivations to trees."""

from __future__ import annotations

from hypothesis import assume, given, settings

from lcfrs_cases import grammars, sentences
from naive.lcfrs import Derivations, TooMany
from secateur.grammar.lcfrs.derivation import BINARY, LEXICAL, LONG, UNARY, Step, tree_of
from secateur.grammar.lcfrs.patterns import parse
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule
from secateur.treebanks.formats.discbracket import read_tree
from secateur.treebanks.tree import Constituent, Tree


def nodes(grammar: PLCFRS, steps: tuple[Step, ...]) -> list[Constituent]:
    """The nodes above words that a derivation stands for, straight from its steps."""
    found = []
    for step in steps:
        indices = tuple(p for p in range(step.positions.bit_length()) if step.positions >> p & 1)
        if step.kind != LEXICAL:
            found.append(Constituent(grammar.symbols[step.symbol], indices))
        if step.kind == UNARY:
            found += [Constituent(label, indices) for label in grammar.unary.path[step.rule]]
    return found


@settings(max_examples=80)
@given(grammars(long=True), sentences())
def test_nodes(grammar: PLCFRS, words: list[str]) -> None:
    try:
        found = Derivations(grammar, grammar.lexicon.encode(words).tolist(), most=200).all()
    except TooMany:
        assume(False)
    assume(found)
    for d in found:
        tree = tree_of(grammar, d.steps, words)
        assert sorted(tree.constituents()) == sorted(nodes(grammar, d.steps))
        assert tree.words() == words
        for node in tree.nodes():
            firsts = [child.indices()[0] for child in node.children if isinstance(child, Tree)]
            assert firsts == sorted(firsts)


def test_made_nodes_dissolve_and_paths_unfold() -> None:
    def rule(parent: str, children: str, pattern: str, path: tuple[str, ...] = ()) -> Rule:
        components = parse(pattern)
        assert components is not None
        return Rule(parent, tuple(children.split()), components, -1.0, path)

    grammar = PLCFRS.build(
        "S",
        [
            rule("S", "M B", "010"),
            rule("M", "A V_2", "01,1"),
            rule("V_2", "A B A", "01,2"),
            rule("S", "V", "0", ("P", "Q")),
        ],
        [("A", "a", -1.0), ("B", "b", -1.0), ("V", "v", -1.0)],
        plain={"V_2": "VP"},
        made=["M"],
    )
    number = grammar.number
    words = ["a", "a", "b", "b", "a"]
    steps = [
        Step(BINARY, number["S"], 0b11111, 1),
        Step(BINARY, number["M"], 0b10111, 0),
        Step(LEXICAL, number["A"], 0b1, 0),
        Step(LONG, number["V_2"], 0b10110, 0),
        Step(LEXICAL, number["A"], 0b10, 0),
        Step(LEXICAL, number["B"], 0b100, 0),
        Step(LEXICAL, number["A"], 0b10000, 0),
        Step(LEXICAL, number["B"], 0b1000, 0),
    ]
    assert tree_of(grammar, steps, words) == read_tree("(S (A 0=a) (VP (A 1=a) (B 2=b) (A 4=a)) (B 3=b))")
    assert tree_of(grammar, steps, words, binarized=True) == read_tree(
        "(S (M (A 0=a) (V_2 (A 1=a) (B 2=b) (A 4=a))) (B 3=b))"
    )
    steps = [Step(UNARY, number["S"], 1, 0), Step(LEXICAL, number["V"], 1, 0)]
    assert str(tree_of(grammar, steps, ["v"])) == "(S (P (Q (V v))))"
    assert str(tree_of(grammar, steps, ["v"], binarized=True)) == "(S (V v))"
