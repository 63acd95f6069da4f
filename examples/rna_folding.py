"""A task of one's own: which base pairs may an RNA folding program leave out? Checked, then learned."""

import numpy as np

from secateur import hypergraph, testing
from secateur.search import core, learners, values

BONDS = {"GC": 3.0, "CG": 3.0, "AU": 2.0, "UA": 2.0, "GU": 1.0, "UG": 1.0}


class Folding:
    dim = 1 << 12

    def roll_in(self, x, policy, force=core.FREE, *, gold=None, seed=0):
        n, builder = len(x), hypergraph.Builder()
        site = np.array([(i, j) for i in range(n) for j in range(i + 4, n) if x[i] + x[j] in BONDS], np.int32)
        scores = self.features(x, site, None).scores(policy.weights)
        kept = core.choose(scores, policy, force, gold and self.is_gold(site, gold), seed)
        for k in sorted({n, *site[kept, 1].tolist()}):  # Nussinov's: node (i, k) folds the bases i to k - 1
            for i in range(k, -1, -1):
                builder.add((i, k), [(i + 1, k)] if i < k else [])  # base i stays alone ...
            for i, j in site[kept & (site[:, 1] < k)].tolist():
                builder.add((i, k), [(i + 1, j), (j + 1, k)], label=(i, j))  # ... or pairs with base j
        run = builder.build(goal=(0, n)).weigh(lambda ij: BONDS[x[ij[0]] + x[ij[1]]] if ij else 0.0)
        found = {run.graph.labels[h] for h in run.viterbi().hyperedges} - {None}
        trace = core.Trace(site, np.zeros((len(site), 0)), np.arange(len(site) + 1), kept.astype(int), True)
        return core.Episode(core.Outcome(found, core.Work(pushes=len(run.graph))), trace)

    def run(self, x, policy, force=core.FREE, *, gold=None, seed=0):
        return self.roll_in(x, policy, force, gold=gold, seed=seed).outcome

    def features(self, x, site, state):  # which bases face each other around the pair, and the distance
        base = np.array([0, 0, *map("_ACGU".index, x), 0, 0])
        left, right = base[site[:, :1] + np.arange(5)], base[site[:, 1:] + np.arange(4, -1, -1)]
        keys = np.concatenate((5 * left + right, site[:, 1:] - site[:, :1]), axis=1)
        return core.Rows(((8 * keys + np.arange(6)) * 40503 % 65521 % self.dim).astype(np.uint32))

    def is_gold(self, site, gold):
        return np.array([(i, j) in gold for i, j in site.tolist()], bool)

    def f1(self, x, outcome, gold):
        return 2 * len(outcome.parts & gold) / (len(outcome.parts) + len(gold))

    def example(self, rng):  # random bases around a planted stem of four pairs
        head, stem, loop, tail = ("".join(rng.choice(list("ACGU"), n)) for n in (rng.integers(1, 6), 4, 4, 4))
        x = head + stem + loop + stem[::-1].translate(str.maketrans("ACGU", "UGCA")) + tail
        return core.Example(x, {(len(head) + d, len(head) + 11 - d) for d in range(4)})


task, rng = Folding(), np.random.default_rng(0)
train, dev, test = ([task.example(rng) for _ in range(size)] for size in (30, 30, 60))
reward = core.Reward(task.f1, "pushes", tradeoff=5e-4)
testing.check_task(task, train[:1])
testing.check_values(values.replay, task, train[:1], reward)  # a faster one must equal replay, too
everything = core.Policy(np.ones(task.dim, np.float32))
baseline = learners.Aggregate(values.asymmetric(0.5), 1).fit(task, train, reward, everything, dev=dev).policy_
learned = learners.Aggregate(values.replay, 2).fit(task, train, reward, baseline, dev=dev).policy_  # LOLS
for name, policy in (("unpruned", everything), ("baseline", baseline), ("learned", learned)):
    r = learners.judge(task, reward, policy, test)
    print(f"{name:9} F1 {r.accuracy:.3f}  pushes {r.runtime:5.0f}  reward {r.reward:.3f}")
