"""Which child of a phrase is its head: by what they are to it, or else by their labels."""

from __future__ import annotations

from secateur.treebanks.head_rules import YAMADA_MATSUMOTO
from secateur.treebanks.tree import Tree

# The head proper, as TIGER (HD) and Alpino (hd) have it; then what comes nearest to one in Alpino:
# coordinators and complementizers, heads of relative and interrogative clauses, bodies, conjuncts, parts of
# discourse and of names, subjects, what has no relation.
RELATIONS = ("hd", "crd", "cmp", "rhd", "whd", "body", "cnj", "dp", "nucl", "mwp", "su", "")


def head(node: Tree) -> int:
    """The place of the head; by the rules for Penn labels where no child says what it is to the phrase."""
    relations = [child.rel.lower() for child in node.children if isinstance(child, Tree)]
    if not any(relations):
        return YAMADA_MATSUMOTO.head(node)
    return next((relations.index(name) for name in RELATIONS if name in relations), 0)
