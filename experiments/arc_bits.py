"""How large the table of hashed weights should be: UAS of the parser with all templates on dev and test.

    SECATEUR_DATA=... python experiments/arc_bits.py --data ptb-sample-dep

Weights are trained anew with each table, in the stages of the case's model, on all arcs; the tree is searched
without limits, filters and decisions.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np

from arc_table1 import ArcCase, Row, arguments, bank, case_of, one_section
from report import ROOT, Pictures, Sections, leave, start, table

# Weights are trained anew, and kernels run alone: no public name does either.
from secateur.features.stages import stages_of
from secateur.kernels.arcs.stages import ALWAYS, Rules
from secateur.kernels.perceptron.mira import parse_corpus
from secateur.kinds.arcs.weights import staged_weights
from secateur.tasks.arc_locking.corpus import corpus_of

sys.path.append(str(ROOT / "benchmarks"))
from turns import best

NAME = "arc-bits"
BITS = (18, 20, 22, 24, 26)


def measure(case: ArcCase, sizes: list[int]) -> Row:
    model = case.model()
    features, groups = model.parts.features, model.parts.groups
    parts = {part: bank(case.data, part) for part in ("train", "dev", "test")}
    parts["train"] = parts["train"][: case.limit]
    corpora = {part: corpus_of(features, trees) for part, trees in parts.items()}
    last = len(groups) - 1
    rows: list[Row] = []
    for bits in sizes:
        weights = staged_weights(
            features,
            corpora["train"],
            groups,
            bits=bits,
            epochs=model.settings["epochs"],
            shuffles=model.settings["shuffles"],
        )
        row: Row = {"bits": bits, "used": int(np.count_nonzero(weights))}
        for part in ("dev", "test"):
            corpus = corpora[part]
            heads = np.full_like(corpus.heads, -1)
            stages, rules = stages_of(features, groups), Rules(True, ALWAYS, last)
            run = partial(parse_corpus, features.compiled, stages, last, rules, weights, corpus, heads)
            row[f"{part} seconds"], _ = best(run, 1)
            words = corpus.heads >= 0
            row[part] = 100 * float((heads == corpus.heads)[words].mean())
        row["words/s"] = int((corpora["test"].heads >= 0).sum()) / row["test seconds"]
        rows.append(row)
        print(f"2^{bits}: dev {row['dev']:.2f}, test {row['test']:.2f}", flush=True)
    return {"rows": rows}


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    lines = [
        [
            f"2^{row['bits']}",
            f"{row['used']:,}",
            f"{row['dev']:.2f}",
            f"{row['test']:.2f}",
            f"{row['words/s']:,.0f}",
        ]
        for row in found["rows"]
    ]
    header = ["weights", "of these not 0", "UAS, dev", "UAS, test", "words/s, kernels, timed once"]
    return f"{name}:\n\n" + table(header, lines)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--bits", type=int, nargs="+", default=list(BITS))
    chosen = parser.parse_args()
    case = case_of(chosen)
    case.result(NAME, lambda: measure(case, chosen.bits))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
