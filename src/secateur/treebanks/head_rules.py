"""Head rules: from Penn trees to dependencies.

Every phrase has a head child, and so a head word; a child that is not the head makes its head word depend on
the phrase's. Which child is the head a table says, a line for each label:

    NP last NN/NNS/NNP/NNPS/POS NX JJR CD

reads: the last child of an NP that is a noun or POS; if there is none, the last NX; then the last JJR, the
last CD; in the end simply the last child that is not punctuation. `first` instead of `last` looks from the
left. The label * stands for all that have no line of their own. Lines that start with # are comments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple

from secateur.errors import InputError
from secateur.treebanks.dependency_tree import PENN_PUNCTUATION, DependencyTree, coarse_of
from secateur.treebanks.formats import source
from secateur.treebanks.normalization import Normalization, without_functions
from secateur.treebanks.tree import Leaf, Tree

ROOT = "ROOT"
OTHERS = "*"
_STEPS = Normalization(unaries=False, root=None)

# The rules of Yamada and Matsumoto (2003).
_YAMADA_MATSUMOTO = """
ADJP last NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP first RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP first CC RB IN
FRAG first
INTJ last
LST first LS :
NAC last NN/NNS/NNP/NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
NP last POS/NN/NNP/NNPS/NNS NX JJR CD JJ JJS RB QP NP
NX last POS/NN/NNP/NNPS/NNS NX JJR CD JJ JJS RB QP NP
PP first IN TO VBG VBN RP FW
PRN last
PRT first RP
QP last $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC first VP NP ADVP ADJP PP
S last TO IN VP S SBAR ADJP UCP NP
SBAR last WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ last SQ S SINV SBARQ FRAG
SINV last VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ last VBZ VBD VBP VB MD VP SQ
UCP first
VP first VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
WHADJP last CC WRB JJ ADJP
WHADVP first CC WRB
WHNP last WDT WP WP$ WHADJP WHPP WHNP
WHPP first IN TO FW
X last
* last
"""


class Rule(NamedTuple):
    """Where the head of a phrase is."""

    last: bool  # look from the right
    groups: tuple[frozenset[str], ...]  # labels of children, the likeliest heads first

    def head(self, labels: Sequence[str]) -> int:
        """Which child is the head."""
        listed = self.listed(labels)
        if listed is not None:
            return listed
        order = self._order(labels)
        return next((place for place in order if labels[place] not in PENN_PUNCTUATION), order[0])

    def listed(self, labels: Sequence[str]) -> int | None:
        """Which child is the head because of its label."""
        order = self._order(labels)
        return next((place for group in self.groups for place in order if labels[place] in group), None)

    def _order(self, labels: Sequence[str]) -> range:
        return range(len(labels) - 1, -1, -1) if self.last else range(len(labels))


@dataclass(frozen=True, slots=True)
class HeadRules:
    """A rule for each label."""

    rules: Mapping[str, Rule]

    @classmethod
    def read(cls, path: str | PathLike[str]) -> HeadRules:
        """The table in a file."""
        return cls.from_lines(source.lines(path), name=source.name_of(path))

    @classmethod
    def from_lines(cls, lines: Iterable[str], *, name: str = "") -> HeadRules:
        """The table in some lines, as the module describes them."""
        rules: dict[str, Rule] = {}
        for number, line in enumerate(lines, 1):
            fields = line.split()
            if not fields or fields[0].startswith("#"):
                continue
            label, *rest = fields
            where = f"{name}:{number}:1" if name else f"{number}:1"
            if not rest or rest[0] not in ("first", "last"):
                fix = "write LABEL first ... or LABEL last ..."
                raise InputError(f"no direction for {label}", where=where, fix=fix)
            if label in rules:
                raise InputError(f"two lines for {label}", where=where, fix="keep one of them")
            rules[label] = Rule(rest[0] == "last", tuple(frozenset(group.split("/")) for group in rest[1:]))
        if not rules:
            raise InputError("no head rules", where=name, fix="write a line for each label: NP last NN NP")
        return cls({OTHERS: Rule(True, ()), **rules})

    def head(self, node: Tree) -> int:
        """Which child of a phrase is its head."""
        labels = [child.label for child in node.children if isinstance(child, Tree)]
        return self.rules.get(node.label, self.rules[OTHERS]).head(labels)

    def listed_head(self, label: str, children: Sequence[str]) -> int | None:
        """Which of the children, by their labels, the rule for a label names; function tags do not matter."""
        rule = self.rules.get(without_functions(label))
        return rule and rule.listed([without_functions(child) for child in children])


YAMADA_MATSUMOTO = HeadRules.from_lines(_YAMADA_MATSUMOTO.splitlines())


def to_dependencies(tree: Tree, rules: HeadRules = YAMADA_MATSUMOTO) -> DependencyTree:
    """The dependencies of a Penn tree, without its empty elements; the tree must have words.

    A word's label is that of the largest phrase it heads (its tag, if it heads none), ROOT for the root.
    """
    bare = _STEPS(tree)
    if bare is None:
        raise InputError("a tree without words has no dependencies", fix="leave it out")
    tags = bare.tags()
    heads, labels = [0] * len(tags), [ROOT] * len(tags)
    _attach(bare, rules, heads, labels)
    return DependencyTree(
        tuple(bare.words()), tuple(tags), tuple(map(coarse_of, tags)), tuple(heads), tuple(labels)
    )


def _attach(node: Tree, rules: HeadRules, heads: list[int], labels: list[str]) -> int:
    """The position of the node's head word; all words below it but that one get their heads."""
    first = node.children[0]
    if isinstance(first, Leaf):
        if len(node.children) > 1:
            raise InputError(f"two words under {node.label}", fix="give each its own tag, as in (TAG word)")
        return first.position
    children = [child for child in node.children if isinstance(child, Tree)]
    words = [_attach(child, rules, heads, labels) for child in children]
    head = words[rules.head(node)]
    for child, word in zip(children, words, strict=True):
        if word != head:
            heads[word], labels[word] = head + 1, child.label
    return head
