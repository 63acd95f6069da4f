"""Parser: words in, trees out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.derivation import assemble, build_tree, flat_tree, naming
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.ladder import Ladder
from secateur.grammar.latent.ladder import ladder as ladder_of
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.cky import parse
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.parse import Found
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split import fine
from secateur.kernels.split import parse as block_parse
from secateur.kernels.split import posteriors as block_posteriors
from secateur.kernels.split.posteriors import Expected
from secateur.kinds.pcfg.kbest import KBest
from secateur.kinds.pcfg.model import Model, grammar_at
from secateur.kinds.pcfg.posterior import Marginals, marginals, max_recall_tree, split_marginals
from secateur.models.limits import Limits, pieces
from secateur.search.core import Policy, Work
from secateur.tasks.span_pruning.masks import Spans
from secateur.treebanks.text import Sentence, tokenize
from secateur.treebanks.tree import Leaf, Tree

Decode = Literal["max-rule", "viterbi"]
Words = Sentence | Sequence[str]


@dataclass(frozen=True, slots=True)
class Parse:
    """A tree and what it took to find it."""

    tree: Tree
    score: float  # natural log; -inf where no parse was found
    work: Work
    seconds: float
    failed: bool = False  # no parse: the tree is flat
    degraded: bool = False  # too long: parsed in pieces, flat, or skipped

    def __str__(self) -> str:
        return str(self.tree)

    def to_nltk(self) -> Any:
        from secateur.treebanks.formats.nltk import to_nltk

        return to_nltk(self.tree)

    def svg(self) -> str:
        from secateur.treebanks.draw.phrases import svg

        return svg(self.tree)

    def _repr_svg_(self) -> str:
        return self.svg()


class Parser:
    """Parsing with a grammar: exactly, or with the spans that a policy keeps, or that `spans` does.

    `decode` chooses what a split grammar parses for: the tree whose rules are likeliest, taken together
    ("max-rule", found through its `ladder`), or the best derivation over sub-symbols ("viterbi").
    """

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
    ) -> None:
        if (features is None) != (policy is None):
            raise InputError("a policy needs its features, and features a policy", fix="give both or neither")
        if spans is not None and policy is not None:
            raise InputError("a policy and another choice of spans", fix="give one of them")
        self.split = grammar if isinstance(grammar, SplitPCFG) else None
        self.grammar = grammar.coarse if isinstance(grammar, SplitPCFG) else grammar
        self.decode = _decoder(decode, self.split)
        if self.decode == "viterbi" and ladder is not None:
            raise InputError("a ladder without a max-rule tree at its end", fix="leave one of them out")
        self.ladder = ladder
        if self.decode == "max-rule" and self.split is not None and ladder is None:
            self.ladder = ladder_of(self.split)
        self._rungs = None if self.ladder is None else self.ladder.rungs()
        self.features = features
        self.policy = policy
        self.spans = spans
        self.limits = limits or Limits()
        self.binarized = binarized
        self._names, self._labels = naming(self.grammar, binarized=binarized)

    def __call__(self, text: str) -> Parse:
        """Parse one sentence of raw text."""
        return self.parse(Sentence.of(tokenize(text)))

    def parse(
        self,
        words: Words,
        *,
        mask: npt.NDArray[np.bool_] | None = None,
        anchors: Anchors = NO_ANCHORS,
    ) -> Parse:
        """The best tree. mask[i, k] False prunes span (i, k); anchors add scores of your own."""
        return self._parse(self._sentence(words), mask, anchors, 0)

    def _parse(
        self, sentence: Sentence, mask: npt.NDArray[np.bool_] | None, anchors: Anchors, begin: int
    ) -> Parse:
        """Parse a sentence, or a piece of one that begins at word `begin`."""
        started = time.perf_counter()
        n = len(sentence.penn)
        ids = self.grammar.lexicon.encode(sentence.penn)
        if n > self.limits.words:
            return self._too_long(sentence, ids, started, begin)
        found = self._found(sentence, ids, mask, self._anchors(anchors, n))
        if not found.complete:
            return self._too_long(sentence, ids, started, begin)
        if len(found.nodes):
            tree = assemble(self._names, found.nodes, sentence.leaves, begin=begin)
        else:
            tree = flat_tree(self.grammar, ids, sentence.leaves, begin=begin)
        work = Work(pushes=int(found.pushes), items=int(found.items), kept=int(found.kept))
        failed = not len(found.nodes)
        return Parse(tree, float(found.score), work, time.perf_counter() - started, failed)

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
        kept = self._kept(sentence) if mask is None else self._checked(mask, len(ids))
        return Found(*kernel.masked(*how, self._labels, ids, kept, anchors, limit))

    def kbest(self, words: Words, k: int, *, anchors: Anchors = NO_ANCHORS) -> list[Parse]:
        """The trees of up to k different derivations, best first; one flat tree where there is none."""
        if self.split is not None:
            raise InputError(
                "the derivations of a split grammar are not listed",
                fix="parse with its flat grammar: Parser(grammar.flat())",
            )
        started = time.perf_counter()
        sentence, ids, chart = self._chart(words, anchors)
        if chart is None:
            return [self._too_long(sentence, ids, started)]
        work = Work(pushes=int(chart.pushes), items=len(chart.label))
        best = KBest(self.grammar.rules, chart, self._anchors(anchors, len(ids)))
        parses = []
        for rank in range(k):
            found = best.derivation(rank)
            if found is None:
                break
            tree = build_tree(self.grammar, found[0], sentence.leaves, binarized=self.binarized)
            parses.append(Parse(tree, found[1], work, time.perf_counter() - started))
        if parses:
            return parses
        tree = flat_tree(self.grammar, ids, sentence.leaves)
        return [Parse(tree, -np.inf, work, time.perf_counter() - started, failed=True)]

    def marginals(self, words: Words, *, anchors: Anchors = NO_ANCHORS) -> Marginals | None:
        """Posteriors of spans and labels; None where there is no parse or the sentence is too long."""
        return self._posteriors(words, anchors)[2]

    def max_recall(self, words: Words, *, anchors: Anchors = NO_ANCHORS) -> Parse:
        """The tree of maximum expected labelled recall; its score is that expectation, in constituents."""
        started = time.perf_counter()
        sentence, ids, found, work = self._posteriors(words, anchors)
        if work is None:
            return self._too_long(sentence, ids, started)
        if found is None:
            tree = flat_tree(self.grammar, ids, sentence.leaves)
            return Parse(tree, -np.inf, work, time.perf_counter() - started, failed=True)
        root = self.grammar.plain[self.grammar.number[self.grammar.start]]
        tree, expected = max_recall_tree(found, root, sentence.leaves)
        return Parse(tree, expected, work, time.perf_counter() - started)

    def pipe(
        self, sentences: Iterable[Words], *, jobs: int = 1, method: str = "parse", **options: Any
    ) -> Iterator[Any]:
        """Results of `method` for each sentence, in order, the same for any number of jobs."""
        if jobs == 1:
            for sentence in sentences:
                yield getattr(self, method)(sentence, **options)
            return
        from joblib import Parallel, delayed

        chunks = Parallel(n_jobs=jobs, return_as="generator")(
            delayed(_parse_chunk)(self, method, options, chunk) for chunk in _chunks(sentences)
        )
        for chunk in chunks:
            yield from chunk

    def _posteriors(
        self, words: Words, anchors: Anchors
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
        kept, scores = self._kept(sentence), self._anchors(anchors, n)
        limit = self.limits.chart_bytes
        nodes = Expected(*block_posteriors.marginals(padded, self.grammar.labels, ids, kept, scores, limit))
        work = Work(pushes=int(nodes.pushes), items=int(nodes.items)) if nodes.complete else None
        return sentence, ids, split_marginals(self.grammar, nodes, n), work

    def _chart(self, words: Words, anchors: Anchors) -> tuple[Sentence, Ids, Any | None]:
        sentence = self._sentence(words)
        n = len(sentence.penn)
        ids = self.grammar.lexicon.encode(sentence.penn)
        if n > self.limits.words:
            return sentence, ids, None
        # Inside and outside rows in float64 come on top of the chart's own.
        limit = self.limits.chart_bytes // 5
        chart = cky.chart_of(self.grammar.rules, ids, self._kept(sentence), self._anchors(anchors, n), limit)
        return sentence, ids, chart if chart.complete else None

    def _sentence(self, words: Words) -> Sentence:
        sentence = words if isinstance(words, Sentence) else Sentence.of(words)
        if not sentence.tokens:
            raise InputError("an empty sentence", fix="give at least one word")
        return sentence.spelt(self.grammar.lexicon.index)

    def _kept(self, sentence: Sentence) -> npt.NDArray[np.bool_]:
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

    def _too_long(self, sentence: Sentence, ids: Ids, started: float, begin: int = 0) -> Parse:
        root = self.grammar.plain[self.grammar.number[self.grammar.start]]
        if self.limits.on_long == "skip":
            return Parse(Tree(root, ()), -np.inf, Work(), time.perf_counter() - started, True, True)
        if self.limits.on_long == "flat" or len(ids) == 1:
            tree = flat_tree(self.grammar, ids, sentence.leaves, begin=begin)
            return Parse(tree, -np.inf, Work(), time.perf_counter() - started, True, True)
        children: list[Tree | Leaf] = []
        score, pushes, items, failed = 0.0, 0, 0, False
        for first, end in pieces(sentence.penn, min(self.limits.words, max(len(ids) // 2, 1))):
            piece = Sentence(sentence.tokens[first:end], sentence.penn[first:end])
            part = self._parse(piece, None, NO_ANCHORS, begin + first)
            # A start symbol that is itself a tag stays over its word.
            children += (part.tree,) if part.tree.is_preterminal else part.tree.children
            score += part.score
            pushes += part.work.pushes
            items += part.work.items
            failed |= part.failed
        work = Work(pushes=pushes, items=items)
        return Parse(Tree(root, tuple(children)), score, work, time.perf_counter() - started, failed, True)


def model_parser(
    model: Model, point: str, *, limits: Limits | None = None, binarized: bool = False
) -> Parser:
    """A model's parser at one of its operating points."""
    policy = model.policy(point)
    features = model.features if policy is not None else None
    missing = [] if features is None else features.missing_views
    if missing:
        given = ", ".join(f'"{name}": ...' for name in missing)
        raise InputError(
            f"the model's templates use views that are not saved with it: {', '.join(missing)}",
            fix=f"give these functions from a word to a text in Python: load(path, views={{{given}}})",
        )
    grammar = grammar_at(model.grammar, point)
    return Parser(grammar, features=features, policy=policy, limits=limits, binarized=binarized)


def _decoder(decode: str | None, split: SplitPCFG | None) -> str:
    """What to parse for, checked."""
    if decode not in (None, "max-rule", "viterbi"):
        raise InputError(f"decode is {decode!r}", fix="choose max-rule or viterbi")
    if split is None:
        if decode == "max-rule":
            raise InputError("max-rule trees are those of split grammars", fix="leave decode out")
        return "viterbi"
    if decode == "viterbi":
        split.check_single()
    return decode or "max-rule"


def _chunks(sentences: Iterable[Words], words: int = 600) -> Iterator[list[Words]]:
    """Portions large enough that handing them out costs nothing to speak of."""
    chunk: list[Words] = []
    size = 0
    for sentence in sentences:
        chunk.append(sentence)
        size += len(sentence.penn if isinstance(sentence, Sentence) else sentence)
        if size >= words:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _parse_chunk(parser: Parser, method: str, options: dict[str, Any], chunk: list[Words]) -> list[Any]:
    return list(parser.pipe(chunk, method=method, **options))
