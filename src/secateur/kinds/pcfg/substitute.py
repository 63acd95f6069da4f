"""GrammarParser: what a parser with a grammar gives where there is no parse of the whole sentence."""

from __future__ import annotations

import gc
from collections.abc import Sequence

from secateur.grammar.derivation import Tagging, flat_tree, joined
from secateur.models.parse import Parse, SentenceParser
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree


class GrammarParser(SentenceParser[Tree]):
    """A parser of phrases, continuous or not, whose grammar knows words and their tags."""

    grammar: Tagging

    def nothing(self, sentence: Sentence) -> Tree:
        return Tree(self._root, ())

    def flat(self, sentence: Sentence) -> Tree:
        """All words under the start symbol, each with its best tag."""
        sentence = sentence.spelt(self.grammar.lexicon.index)
        return flat_tree(self.grammar, self.grammar.lexicon.encode(sentence.penn), sentence.leaves)

    def joined(self, sentence: Sentence, parts: Sequence[tuple[int, Tree]]) -> Tree:
        return joined(self._root, parts)

    @property
    def _root(self) -> str:
        return self.grammar.plain[self.grammar.number[self.grammar.start]]


class PunctualParser(GrammarParser):
    """One that may have a deadline: then the interpreter's collector waits until a batch is done."""

    deadline: float | None  # seconds, of each sentence

    def batch(self, sentences: Sequence[Sentence]) -> list[Parse[Tree]]:
        if self.deadline is None or not gc.isenabled():
            return super().batch(sentences)
        gc.disable()
        try:
            return super().batch(sentences)
        finally:
            gc.enable()  # what is allocated next starts it: that must not be here
