"""An agenda with scores that are asked for late, by its definition: twin of kernels/agenda/dear.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from naive.agenda import EMPTY, FOUND, LEXICAL, NEVER, Agenda, Item, Made
from naive.cky import Mask, cell_of
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.priorities import EXACT, Priorities
from secateur.kernels.cky.rules import Anchors

Question = tuple[int, int, str]


class DearAgenda(Agenda):
    """`says` answers (i, k, label), never more than `bound`; `labels` by symbol: those that are scored."""

    def __init__(
        self,
        grammar: PCFG,
        words: npt.NDArray[np.uint32],
        mask: Mask,
        priorities: Priorities,
        labels: dict[int, str],
        says: Callable[[int, int, str], float],
        bound: float,
    ) -> None:
        self.labels, self.says, self.calls = labels, says, list[Question]()
        n, symbols = len(words), len(grammar.symbols)
        own = np.zeros((n * (n + 1) // 2, symbols), np.float32)
        own[:, list(labels)] = bound
        super().__init__(grammar, words, mask, Anchors(own, own[:0, :0]), priorities, EXACT)

    def question(self, item: Item) -> Question | None:
        i, k, x, _ = item
        if self.made[item].kind == LEXICAL or x not in self.labels:
            return None
        return i, k, self.labels[x]

    def search(self, share: float) -> int:
        """Until no better parse can come; `share`: what rounding may add to a sum, of its size."""
        while self.waiting:
            item = max(self.waiting, key=self.rank)
            best = self.node_score(*self.goal)
            if self.made[item].score == NEVER:
                break
            if best > NEVER and self.priority(item) <= float(best) - share * abs(float(best)):
                return FOUND
            question = self.question(item)
            if question is not None and question not in self.calls:
                self.ask(question)
            else:
                self.pop()
        return FOUND if self.node_score(*self.goal) > NEVER else EMPTY

    def ask(self, question: Question) -> None:
        self.calls.append(question)
        i, k, label = question
        for x, own in self.labels.items():
            if own == label:
                self.anchors.span[cell_of(i, k), x] = self.says(*question)
        for item in self.waiting:
            if self.question(item) == question:
                made = self.made[item]
                self.made[item] = made._replace(score=min(made.score, self.rescored(item, made)))

    def rescored(self, item: Item, made: Made) -> np.float32:
        """Of its parts, its rule, and what is known."""
        i, k, x, over = item
        parts: Any = [self.made[part].score for part in made.parts]
        weight = self.unary[made.rule][2] if over else self.binary[made.rule][3]
        return np.float32(sum(parts[1:], parts[0]) + weight + self.anchors.span[cell_of(i, k), x])
