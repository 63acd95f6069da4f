"""Parser: words in, trees out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.derivation import assemble, build_tree, flat_tree, naming
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.ladder import Ladder
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.cky import parse
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.parse import Found
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split import fine
from secateur.kernels.split import parse as block_parse
from secateur.kernels.split import posteriors as block_posteriors
from secateur.kernels.split.posteriors import Expected
from secateur.kinds.pcfg.agenda_points import agenda_parser_of
from secateur.kinds.pcfg.certificates import Certifier
from secateur.kinds.pcfg.forest import rule_forest
from secateur.kinds.pcfg.kbest import KBest
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.posterior import Marginals, marginals, max_recall_tree, spans_of, split_marginals
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.substitute import GrammarParser
from secateur.kinds.pcfg.ways import ORDER, VITERBI, decoder_of, grammar_of, ladder_along
from secateur.models.limits import Limits
from secateur.models.parse import Given, Parse
from secateur.models.point import Way
from secateur.options import check_least
from secateur.search.core import Policy, Work
from secateur.tasks.span_pruning.masks import Spans
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

Decode = Literal["max-rule", "viterbi"]
_NO_NOTES: Mapping[str, Any] = {}


class Parser(GrammarParser):
    """Parsing with a grammar: exactly, or with the spans that a policy keeps, or that `spans` does.

    `decode` chooses what a split grammar parses for: the tree whose rules are likeliest, taken together
    ("max-rule", found through its `ladder`), or the best derivation over sub-symbols ("viterbi").
    """

    annotation = PHRASES

    def __init__(
        self,
        grammar: PCFG | SplitPCFG,
        *,
        decode: Decode | None = None,
        features: SpanFeatures | None = None,
        policy: Policy | None = None,
        limits: Limits | None = None,
        spans: Spans | None = None,
        binarized: bool = False,
        ladder: Ladder | None = None,
        using: Using | None = None,
    ) -> None:
        if not isinstance(grammar, PCFG | SplitPCFG):
            raise TypeError(f"a parser of phrases needs a grammar, not {type(grammar).__name__}")
        if (features is None) != (policy is None):
            raise InputError("a policy needs its features, and features a policy", fix="give both or neither")
        if spans is not None and policy is not None:
            raise InputError("a policy and another choice of spans", fix="give one of them")
        self.split = grammar if isinstance(grammar, SplitPCFG) else None
        self.grammar: PCFG = grammar.coarse if isinstance(grammar, SplitPCFG) else grammar
        self.decode = decoder_of(decode, self.split)
        if self.decode == "viterbi" and ladder is not None:
            raise InputError("a ladder without a max-rule tree at its end", fix="leave one of them out")
        self.ladder = ladder
        if self.decode == "max-rule" and self.split is not None and ladder is None:
            self.ladder = self.split.ladder
        self._rungs = None if self.ladder is None else self.ladder.rungs
        self.features = features
        self.policy = policy
        self.spans = spans
        self.limits = limits or Limits()
        self.using: Using = using or Using(binarized=binarized)
        self.binarized = self.using.binarized
        self._certifier: Certifier | None = None
        if self.using.certify:
            if self.decode != VITERBI:
                what = "of a max-rule tree it is not known which derivation is the best"
                raise InputError(what, fix="leave certify out, or choose a point that decodes by Viterbi")
            self._certifier = Certifier.usual(grammar, self.limits.chart_bytes)
        self._recalls = self.using.max_recall or self.using.marginals is not None
        self._names, self._labels = naming(self.grammar, binarized=self.binarized)

    def __repr__(self) -> str:
        how = "exact" if self.policy is None and self.spans is None else "pruned"
        return f"<Parser: {len(self.grammar.symbols):,} symbols, {self.decode}, {how}>"

    def parse(
        self,
        words: Given,
        *,
        mask: npt.NDArray[np.bool_] | None = None,
        anchors: Anchors = NO_ANCHORS,
    ) -> Parse[Tree]:
        """The best tree. mask[i, k] False prunes span (i, k); anchors add scores of your own."""
        sentence = self.given(words)
        if self._recalls and mask is None:
            return self._recalled(sentence, anchors)
        return self._whole(sentence, mask, anchors) or self._too_long(sentence)

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        if self._recalls:
            return [self._recalled(sentence) for sentence in sentences]
        return [self._whole(sentence, None, NO_ANCHORS) for sentence in sentences]

    def answers(self, sentences: Sequence[Sentence]) -> list[list[Parse[Tree]]]:
        using = self.using
        if using.kbest is not None:
            return [self.kbest(s, using.kbest) if len(s) else [self._skipped(s)] for s in sentences]
        found = super().answers(sentences)
        if using.marginals is None:
            return found
        nothing = spans_of(None, using.marginals)
        return [[replace(parse, notes=parse.notes or nothing) for parse in parses] for parses in found]

    def _whole(
        self, sentence: Sentence, mask: npt.NDArray[np.bool_] | None, anchors: Anchors
    ) -> Parse[Tree] | None:
        started = time.perf_counter()
        sentence = sentence.spelt(self.grammar.lexicon.index)
        n = len(sentence.penn)
        if n > self.limits.words:
            return None
        ids = self.grammar.lexicon.encode(sentence.penn)
        if self._certifier is not None and mask is None and not self._is_exact:
            mask = self.kept(sentence)
        found = self._found(sentence, ids, mask, self._anchors(anchors, n))
        if not found.complete:
            return None
        if len(found.nodes):
            tree = assemble(self._names, found.nodes, sentence.leaves)
        else:
            tree = flat_tree(self.grammar, ids, sentence.leaves)
        work = Work(pushes=int(found.pushes), items=int(found.items), kept=int(found.kept))
        certified = self._is_exact and mask is None and len(found.nodes) > 0
        score, failed = float(found.score), not len(found.nodes)
        if self._certifier is not None and mask is not None and anchors is NO_ANCHORS:
            certified = self._certifier.certifies(ids, mask, score)
        return self._made(tree, work, started, score, failed=failed, certified=certified)

    def _made(
        self,
        tree: Tree,
        work: Work,
        started: float,
        score: float,
        *,
        failed: bool = False,
        certified: bool = False,
        notes: Mapping[str, Any] = _NO_NOTES,
    ) -> Parse[Tree]:
        seconds, own = time.perf_counter() - started, self.annotation
        return Parse(tree, work, seconds, score, failed, certified=certified, notes=notes, annotation=own)

    @property
    def _is_exact(self) -> bool:
        """Whether nothing is left out, and the best derivation is what is looked for."""
        return self.ladder is None and self.policy is None and self.spans is None

    def whole(self, tree: Tree) -> int:
        """The spans to decide on: all of two words or more but the whole sentence."""
        n = len(tree.leaves())
        return (n - 1) * n // 2 - 1 if n > 1 else 0

    # Kernels ------------------------------------------------------------------------------------------------

    def _found(
        self, sentence: Sentence, ids: Ids, mask: npt.NDArray[np.bool_] | None, anchors: Anchors
    ) -> Found:
        kernel: Any
        how: tuple[Any, ...]
        if self.split is None:
            kernel, how = parse, (self.grammar.rules,)
        elif self.ladder is None:
            kernel, how = block_parse, (self.split.padded,)
        else:
            kernel, how = fine, (self.grammar.rules, self._rungs, self.ladder.least)
        limit = self.limits.chart_bytes
        # Going in and out of a kernel costs what a small grammar's parse does; a ladder's is longer.
        if mask is None and self.features is not None and self.policy is not None and self.ladder is None:
            columns = self.features.columns(sentence.penn)
            templates, weights = self.features.compiled, self.policy.weights
            return Found(*kernel.pruned(*how, self._labels, ids, templates, columns, weights, anchors, limit))
        kept = self.kept(sentence) if mask is None else self._checked(mask, len(ids))
        return Found(*kernel.masked(*how, self._labels, ids, kept, anchors, limit))

    def kbest(self, words: Given, k: int, *, anchors: Anchors = NO_ANCHORS) -> list[Parse[Tree]]:
        """The trees of up to k different derivations, best first; one flat tree where there is none.

        By max-rule, what a derivation is worth is the product of its rules' posteriors."""
        check_least({"best trees": (k, 1)})
        if self.ladder is not None:
            return self._by_rules(self.given(words), k, anchors)
        if self.split is not None:
            raise InputError(
                "the derivations over sub-symbols are not listed",
                fix="parse by max-rule, or with the flat grammar: Parser(grammar.flat())",
            )
        started = time.perf_counter()
        sentence, ids, chart = self._chart(words, anchors)
        if chart is None:
            return [self._too_long(sentence)]
        work = Work(pushes=int(chart.pushes), items=len(chart.label))
        best = KBest(self.grammar.rules, chart, self._anchors(anchors, len(ids)))
        parses = []
        for rank in range(k):
            found = best.derivation(rank)
            if found is None:
                break
            tree = build_tree(self.grammar, found[0], sentence.leaves, binarized=self.binarized)
            parses.append(self._made(tree, work, started, found[1]))
        if parses:
            return parses
        tree = flat_tree(self.grammar, ids, sentence.leaves)
        return [self._made(tree, work, started, -np.inf, failed=True)]

    def _by_rules(self, sentence: Sentence, k: int, anchors: Anchors) -> list[Parse[Tree]]:
        started, n, ladder = time.perf_counter(), len(sentence), self.ladder
        assert ladder is not None, "max-rule trees have one"
        sentence = sentence.spelt(self.grammar.lexicon.index)
        if n > self.limits.words:
            return [self._too_long(sentence)]
        ids, scores = self.grammar.lexicon.encode(sentence.penn), self._anchors(anchors, n)
        how = (self.grammar.rules, ladder.rungs, ladder.least, ids, self.kept(sentence), scores)
        left = fine.thinned(*how, self.limits.chart_bytes)
        work, leaves = Work(pushes=int(left.pushes), items=int(left.items)), sentence.leaves
        found = rule_forest(left.woods, left.found).kbest(k) if left.woods.top >= 0 else ()
        trees = ((build_tree(self.grammar, h, leaves, binarized=self.binarized), p) for h, p in found)
        parses = [self._made(tree, work, started, score) for tree, score in trees]
        return parses or [self.parse(sentence, anchors=anchors)]

    def marginals(self, words: Given, *, anchors: Anchors = NO_ANCHORS) -> Marginals | None:
        """Posteriors of spans and labels; None where there is no parse or the sentence is too long."""
        return self._posteriors(words, anchors)[2]

    def max_recall(self, words: Given, *, anchors: Anchors = NO_ANCHORS) -> Parse[Tree]:
        """The tree of maximum expected labelled recall; its score is that expectation, in constituents."""
        return self._recalled(words, anchors)

    def _recalled(self, words: Given, anchors: Anchors = NO_ANCHORS) -> Parse[Tree]:
        started = time.perf_counter()
        sentence, ids, found, work = self._posteriors(words, anchors)
        notes: dict[str, Any] = {}
        if self.using.marginals is not None:
            notes = spans_of(found, self.using.marginals)
        if work is None:
            return replace(self._too_long(sentence), notes=notes)
        if found is None:
            tree = flat_tree(self.grammar, ids, sentence.leaves)
            return self._made(tree, work, started, -np.inf, failed=True, notes=notes)
        tree, expected = max_recall_tree(found, self._root, sentence.leaves)
        return self._made(tree, work, started, expected, notes=notes)

    def _posteriors(
        self, words: Given, anchors: Anchors
    ) -> tuple[Sentence, Ids, Marginals | None, Work | None]:
        """Marginals, None without a parse; and what they took, None where the sentence is too long."""
        if self.split is None:
            sentence, ids, chart = self._chart(words, anchors)
            if chart is None:
                return sentence, ids, None, None
            found = marginals(self.grammar, chart, ids, self._anchors(anchors, len(ids)))
            return sentence, ids, found, Work(pushes=int(chart.pushes), items=len(chart.label))
        padded, sentence = self.split.padded, self._sentence(words)
        ids = self.grammar.lexicon.encode(sentence.penn)
        n = len(ids)
        if n > self.limits.words:
            return sentence, ids, None, None
        kept, scores = self.kept(sentence), self._anchors(anchors, n)
        limit = self.limits.chart_bytes
        nodes = Expected(*block_posteriors.marginals(padded, self.grammar.labels, ids, kept, scores, limit))
        work = Work(pushes=int(nodes.pushes), items=int(nodes.items)) if nodes.complete else None
        return sentence, ids, split_marginals(self.grammar, nodes, n), work

    def _chart(self, words: Given, anchors: Anchors) -> tuple[Sentence, Ids, cky.Chart | None]:
        sentence = self._sentence(words)
        n = len(sentence.penn)
        ids = self.grammar.lexicon.encode(sentence.penn)
        if n > self.limits.words:
            return sentence, ids, None
        # Inside and outside rows in float64 come on top of the chart's own.
        limit = self.limits.chart_bytes // 5
        chart = cky.chart_of(self.grammar.rules, ids, self.kept(sentence), self._anchors(anchors, n), limit)
        return sentence, ids, chart if chart.complete else None

    def _sentence(self, words: Given) -> Sentence:
        return self.given(words).spelt(self.grammar.lexicon.index)

    def kept(self, sentence: Sentence) -> npt.NDArray[np.bool_]:
        """The spans to be looked at; all of them without a policy or anyone else to choose."""
        n = len(sentence.penn)
        if self.spans is not None:
            return self._checked(self.spans.mask(sentence.penn), n)
        if self.features is None or self.policy is None:
            return np.ones((n + 1, n + 1), np.bool_)
        kept: npt.NDArray[np.bool_] = (
            self.features.scores(self.features.columns(sentence.penn), self.policy.weights) > 0
        )
        return kept

    def _checked(self, mask: npt.NDArray[np.bool_], n: int) -> npt.NDArray[np.bool_]:
        if mask.shape != (n + 1, n + 1):
            raise InputError(
                f"the mask has shape {mask.shape} for {n} words", fix=f"make it {(n + 1, n + 1)}: mask[i, k]"
            )
        return np.ascontiguousarray(mask, np.bool_)

    def _anchors(self, anchors: Anchors, n: int) -> Anchors:
        if anchors is NO_ANCHORS:
            return anchors
        labels = len(self.grammar.symbols)
        for name, array, shape in (
            ("span", anchors.span, (n * (n + 1) // 2, labels)),
            ("tag", anchors.tag, (n, labels)),
        ):
            if array.shape == (0, 0):
                continue
            if array.shape != shape:
                raise InputError(
                    f"{name} anchors have shape {array.shape} for {n} words", fix=f"make it {shape}"
                )
            if np.isnan(array).any() or np.isposinf(array).any():
                raise InputError(f"{name} anchors hold NaN or +inf", fix="scores are finite or -inf")
        return Anchors(
            np.ascontiguousarray(anchors.span, np.float32), np.ascontiguousarray(anchors.tag, np.float32)
        )


def parser_of(
    parts: PcfgParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
) -> GrammarParser:
    """A model's parser that goes one of its ways."""
    # These build on this module.
    from secateur.kinds.pcfg.deadline import deadline_parser_of

    _check_views(parts, way)
    if ORDER in way:
        return agenda_parser_of(parts, way, policies, limits, using)
    if using.deadline is not None:
        return deadline_parser_of(parts, way, policies, limits, using)
    return chart_parser_of(parts, way, policies, limits, using)


def _check_views(parts: PcfgParts, way: Way) -> None:
    missing = parts.features.missing_views if "mask" in way else []
    if missing:
        given = ", ".join(f'"{name}": ...' for name in missing)
        raise InputError(
            f"the model's templates use views that are not saved with it: {', '.join(missing)}",
            fix=f"give these functions from a word to a text in Python: load(path, views={{{given}}})",
        )


def chart_parser_of(
    parts: PcfgParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
) -> Parser:
    """One that fills charts."""
    mask = way.get("mask")
    policy = None if mask is None else policies[str(mask)]
    features = None if policy is None else parts.features
    _check_views(parts, way)
    grammar = grammar_of(parts.grammar, way)
    return Parser(
        grammar,
        decode="viterbi" if way["decode"] == VITERBI else "max-rule",
        features=features,
        policy=policy,
        limits=limits,
        ladder=ladder_along(grammar, way),
        using=using,
    )
