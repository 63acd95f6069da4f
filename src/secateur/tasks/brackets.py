"""EVALB's brackets of derivations and of gold trees, for tasks whose outcomes are derivations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secateur.grammar.derivation import Steps
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.brackets import NO_BRACKET, Classes, GoldBrackets, count_matches
from secateur.metrics import COLLINS, Parameters
from secateur.treebanks.tree import Tree


@dataclass(frozen=True)
class Brackets:
    """Of a grammar's derivations, as a metric counts them."""

    grammar: PCFG
    parameters: Parameters = COLLINS

    def matches(self, steps: Steps, gold: GoldBrackets) -> tuple[int, int, int]:
        """(matched, made, gold) brackets of a derivation."""
        matched, made = count_matches(self.classes, gold, steps)
        return int(matched), int(made), gold.total

    def gold(self, tree: Tree) -> GoldBrackets:
        """Of a normalized gold tree."""
        counted = [tag not in self.parameters.delete_labels for tag in tree.tags()]
        position = np.concatenate(([0], np.cumsum(counted))).astype(np.uint32)
        count = self.classes.count
        brackets = []
        for label, i, k in tree.spans():
            a, b = int(position[i]), int(position[k])
            kind = self._class(label)
            if a < b and kind != NO_BRACKET:
                brackets.append((b * (b - 1) // 2 + a) * count + kind)
        number, left = np.unique(np.array(brackets, np.int64), return_counts=True)
        return GoldBrackets(position, number, left.astype(np.uint8), len(brackets))

    @cached_property
    def classes(self) -> Classes:
        """The brackets that steps make, as numbers; labels that the metric calls equal share one."""
        grammar = self.grammar
        paths = [[self._class(label) for label in path] for path in grammar.plain_paths]
        symbols = [
            NO_BRACKET if made or tag else self._class(name)
            for name, made, tag in zip(grammar.plain, grammar.intermediate, grammar.tags, strict=True)
        ]
        ptr = np.concatenate(([0], np.cumsum([len(path) for path in paths])))
        flat = np.array([label for path in paths for label in path], np.uint32)
        return Classes(np.array(symbols, np.uint32), ptr.astype(np.uint32), flat, len(self._class_numbers))

    @cached_property
    def _class_numbers(self) -> dict[str, int]:
        phrases = {
            name
            for name, made, tag in zip(
                self.grammar.plain, self.grammar.intermediate, self.grammar.tags, strict=True
            )
            if not made and not tag
        }
        phrases.update(label for path in self.grammar.plain_paths for label in path)
        equal = {max(pair): min(pair) for pair in self.parameters.equal_labels}
        names = sorted({equal.get(name, name) for name in phrases})
        # The last class is for gold labels that the grammar cannot make.
        numbers = {name: c for c, name in enumerate([*names, ""])}
        return numbers | {name: numbers[kept] for name, kept in equal.items() if kept in numbers}

    def _class(self, label: str) -> int:
        if label == self.grammar.plain[self.grammar.number[self.grammar.start]]:
            return NO_BRACKET
        return self._class_numbers.get(label, self._class_numbers[""])


def f1_of(matched: int, made: int, total: int) -> float:
    """A sentence without brackets on either side is right."""
    return 2.0 * matched / (made + total) if made + total else 1.0
