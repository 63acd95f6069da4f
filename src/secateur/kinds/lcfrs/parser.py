"""Parsers of models: by way of blocks (BlockParser), with the likeliest trees ranked (RankedParser), or by
deduction with a PLCFRS."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from secateur.errors import InputError
from secateur.kinds.lcfrs.exact import NEVER, PlcfrsParser, Stops
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.ranker import Ranker
from secateur.kinds.lcfrs.settings import Using
from secateur.kinds.lcfrs.ways import DEDUCE, RANKED, is_deduced
from secateur.kinds.pcfg import parser as pcfg
from secateur.kinds.pcfg import ways as blocks
from secateur.kinds.pcfg.settings import Using as PhraseUsing
from secateur.models.limits import Limits
from secateur.models.parse import Given, Parse, SentenceParser
from secateur.models.point import Way
from secateur.search.core import Policy
from secateur.treebanks.blocks import merge
from secateur.treebanks.discontinuous import DISCONTINUOUS
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

# Items of a sentence that a model makes at most: about a tenth of a second. A PLCFRS file has no such limit.
STOPS = Stops(items=100_000)


def parser_of(
    parts: LcfrsParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
) -> BlockParser | PlcfrsParser:
    """A model's parser that goes one of its ways, or a grammar's."""
    if is_deduced(way):
        return _deducing(parts, way, policies, limits, using)
    assert parts.blocks is not None, "blocks have ways where they are there"
    if using.binarized:
        raise InputError("blocks are put together to trees that are not binary", fix="leave binarized out")
    inner = pcfg.chart_parser_of(parts.blocks, way, policies, limits, PhraseUsing())
    denser = _denser(parts, way, limits, using)
    if RANKED not in way:
        return BlockParser(inner, using, denser)
    assert parts.ranker is not None, "trees are ranked where a ranker is there"
    return RankedParser(inner, parts.ranker, using, denser)


def _denser(parts: LcfrsParts, way: Way, limits: Limits, using: Using) -> SentenceParser[Tree] | None:
    """Who parses where blocks are not found: the same without a mask, then without sub-symbols."""
    if "mask" in way:
        return parser_of(parts, blocks.without_mask(way), {}, limits, replace(using, kbest=None))
    last: Way = {"decode": blocks.VITERBI}
    return None if way == last else parser_of(parts, last, {}, limits, replace(using, kbest=None))


def _deducing(
    parts: LcfrsParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
) -> PlcfrsParser:
    deduction = parts.deduction
    assert deduction is not None, "who deduces has a PLCFRS"
    is_model = parts.blocks is not None
    return PlcfrsParser(
        deduction.grammar,
        limits=limits,
        stops=STOPS if is_model else NEVER,
        gating=deduction.gating(way, policies),
        otherwise=_otherwise(parts, way, limits, using),
        using=using,
    )


def _otherwise(parts: LcfrsParts, way: Way, limits: Limits, using: Using) -> SentenceParser[Tree] | None:
    """Who parses where a deduction does not: coarse to fine, then blocks without sub-symbols."""
    assert parts.deduction is not None, "who deduces has a PLCFRS"
    if parts.deduction.coarse is not None and (not way["coarse"] or "mask" in way or "spans" in way):
        return _deducing(parts, {"decode": DEDUCE, "coarse": True}, {}, limits, using)
    if parts.blocks is None or using.binarized:
        return None
    return parser_of(parts, {"decode": blocks.VITERBI}, {}, limits, replace(using, kbest=None))


class BlockParser(SentenceParser[Tree]):
    """A parser of continuous trees that learned from blocks; what it finds is put together."""

    annotation = DISCONTINUOUS

    def __init__(
        self,
        inner: pcfg.Parser,
        using: Using | None = None,
        otherwise: SentenceParser[Tree] | None = None,
    ) -> None:
        """`otherwise`: who parses a sentence where nothing is found."""
        self.inner, self.limits, self.otherwise = inner, inner.limits, otherwise
        self.using: Using = using or Using()

    def __repr__(self) -> str:
        return f"<BlockParser: {self.inner!r}>"

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        found = zip(sentences, self.inner.search(sentences), strict=True)
        return [None if parse is None else self._found(parse, sentence) for sentence, parse in found]

    def answers(self, sentences: Sequence[Sentence]) -> list[list[Parse[Tree]]]:
        k = self.using.kbest
        if k is None:
            return super().answers(sentences)
        return [self.kbest(s, k) if len(s) else [self._skipped(s)] for s in sentences]

    def kbest(self, words: Given, k: int) -> list[Parse[Tree]]:
        """The trees of up to k different derivations, best first; one flat tree where there is none."""
        return list(map(self._merged, self.inner.kbest(self.given(words), k)))

    def nothing(self, sentence: Sentence) -> Tree:
        return self.inner.nothing(sentence)

    def flat(self, sentence: Sentence) -> Tree:
        return self.inner.flat(sentence)

    def joined(self, sentence: Sentence, parts: Sequence[tuple[int, Tree]]) -> Tree:
        return self.inner.joined(sentence, parts)

    def whole(self, tree: Tree) -> int:
        return self.inner.whole(tree)

    def _found(self, parse: Parse[Tree], sentence: Sentence) -> Parse[Tree]:
        if parse.failed and self.otherwise is not None:
            return self.otherwise.parse(sentence).after(parse.work, parse.seconds)
        return self._merged(parse)

    def _merged(self, parse: Parse[Tree]) -> Parse[Tree]:
        return replace(parse, tree=merge(parse.tree), annotation=self.annotation)


class RankedParser(BlockParser):
    """A parser of blocks whose likeliest trees are ranked, by features of what they are put together to."""

    def __init__(
        self,
        inner: pcfg.Parser,
        ranker: Ranker,
        using: Using | None = None,
        otherwise: SentenceParser[Tree] | None = None,
    ) -> None:
        """`inner`: one with a max-rule tree; `otherwise` as for a BlockParser."""
        super().__init__(inner, using, otherwise)
        self.ranker = ranker

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        return [self._best(sentence) for sentence in sentences]

    def kbest(self, words: Given, k: int) -> list[Parse[Tree]]:
        return self._ranked(self.given(words), k) or super().kbest(words, k)

    def _best(self, sentence: Sentence) -> Parse[Tree] | None:
        ranked = self._ranked(sentence, 1)
        return ranked[0] if ranked else super().search([sentence])[0]

    def _ranked(self, sentence: Sentence, k: int) -> list[Parse[Tree]]:
        """The best k of those that are ranked; none of a sentence that is not parsed as a whole."""
        started = time.perf_counter()
        parses = self.inner.kbest(sentence, max(k, self.ranker.among))
        if parses[0].failed or parses[0].degraded:
            return []
        ranked = self.ranker.ranked(parses)[:k]
        like = replace(parses[0], seconds=time.perf_counter() - started, annotation=self.annotation)
        return [replace(like, tree=tree, score=score) for tree, score in ranked]
