"""A reward of one's own, without gold trees: agree with what the unpruned parser says, and save its work."""

import numpy as np

import secateur as sec
from secateur.features.span import SpanFeatures
from secateur.search.core import Example, Policy, Reward
from secateur.search.learners import Aggregate, judge
from secateur.search.values import asymmetric, replay
from secateur.tasks.span_pruning.policies import keep_all
from secateur.tasks.span_pruning.task import SpanPruning

trees = sec.garden.treebank(1000)
grammar = sec.induce(trees[:300])
task = SpanPruning(grammar, SpanFeatures.from_words(trees.vocabulary(), bits=18), sec.Binarization())


def agreement(x, outcome, exact):
    """Any function of a sentence, what came of its run, and what you gave along: here, the exact parse."""
    matched, made, wanted = task.matches(outcome, exact)
    return 2 * matched / (made + wanted) if outcome.parts is not None else 0.0


reward = Reward(agreement, "pushes", tradeoff=5e-4)  # 20 pushes are worth 0.01 of agreement
parses = sec.Parser(grammar).pipe(tree.words() for tree in trees if len(tree.words()) <= 12)
found = [parse.tree for parse in parses if not parse.failed]
data = [Example(task.encode(tree.words()), task.gold(tree)) for tree in found]
train, dev, test = data[:200], data[200:260], data[260:]

nothing = Policy(np.zeros(task.dim, np.float32))
baseline = Aggregate(asymmetric(0.005), iterations=1).fit(task, train, reward, nothing, dev=dev).policy_
learned = Aggregate(replay, iterations=2).fit(task, train, reward, baseline, dev=dev).policy_  # LOLS
for name, policy in {"unpruned": keep_all(task), "baseline": baseline, "learned": learned}.items():
    r = judge(task, reward, policy, test)  # on sentences not seen before
    print(f"{name:8}  agreement {r.accuracy:.3f}  pushes {r.runtime:4.0f}  reward {r.reward:.3f}")
