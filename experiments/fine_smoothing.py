"""How split grammars are smoothed, chosen on dev: rules, words, and classes of unknown words.

    python experiments/fine_smoothing.py --data ptb-sample --seeds 1 2

For each setting, max-rule F1 and tags right on dev. The words' smoothing is changed in finished grammars; the
rules' takes part in training, so each of its settings trains its own.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import secateur as sec
from prune_runs import folder_of, treebanks
from report import Case, Evalb, Pictures, Sections, arguments, case_of, leave, start, stored, table

# Grammars with other smoothing than training makes: their parts have no public names.
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.latent.words import WordSmoothing
from secateur.kinds.pcfg.split import SplitTraining
from secateur.models.measure import tried
from secateur.models.run import Run
from secateur.search.parallel import Engine

NAME = "fine-smoothing"
USUAL = sec.SplitSettings()
NO_ENDINGS = 1 << 30  # rare words
RULES = (0.01, 0.1)  # beside the usual
WORDS = {
    "sub-tags of rare words not drawn to their class": {"shared": 0.0},
    "drawn with weight 2": {"shared": 2.0},
    "drawn with weight 32": {"shared": 32.0},
    "no classes by endings": {"least": NO_ENDINGS},
    "neither": {"shared": 0.0, "least": NO_ENDINGS},
}

Row = dict[str, Any]


def figures(grammar: sec.SplitPCFG, trees: sec.Treebank) -> tuple[float, float]:
    """F1, and the percentage of tags right."""
    trial = tried(sec.Parser(grammar), trees, Evalb())
    pairs = [
        (mine, gold)
        for parse, tree in zip(trial.parses, trees, strict=True)
        for mine, gold in zip(parse.tree.tags(), tree.tags(), strict=True)
    ]
    return trial.scores.accuracy, 100.0 * sum(mine == gold for mine, gold in pairs) / len(pairs)


def measure(case: Case, seeds: list[int], level: int) -> Row:
    trees = treebanks(case.data, case.limit)
    rows: dict[str, list[tuple[float, float]]] = {}

    def add(name: str, grammar: sec.SplitPCFG) -> None:
        rows.setdefault(name, []).append(figures(grammar, trees.dev))
        print(f"{name}: F1 {rows[name][-1][0]:.2f}, tags {rows[name][-1][1]:.2f}", flush=True)

    for seed in seeds:
        for share in (USUAL.schedule.smooth_rules, *RULES):
            usual = share == USUAL.schedule.smooth_rules
            settings = replace(USUAL, levels=level, seed=seed, schedule=Schedule(smooth_rules=share))
            name = f"split-{seed}" if usual else f"split-{seed}-rules-{share:g}"
            run = Run(folder_of(case) / "work" / name, engine=Engine(case.jobs))
            training = SplitTraining(trees.train, settings=settings, run=run).fit()
            add("as it is by default" if usual else f"rules smoothed by {share:g}", training.grammar(level))
            for words, options in WORDS.items() if usual else ():
                training.settings = replace(settings, words=WordSmoothing(**options))
                add(words, training.grammar(level))
    return {"level": level, "seeds": seeds, "rows": rows}


def sections(out: Path, pictures: Pictures) -> Sections:
    results = stored(out, NAME, "fine")
    return {"fine_smoothing": show(results)} if results else {}


def show(results: dict[Case, Row]) -> str:
    text = ""
    for one, found in results.items():
        text += f"{one.name}, level {found['level']}, dev; F1, tags right:\n\n"
        header = ["smoothing", *(f"seed {seed}" for seed in found["seeds"])]
        rows = [
            [name, *(f"{f1:.2f}, {tags:.2f}%" for f1, tags in figures)]
            for name, figures in found["rows"].items()
        ]
        text += table(header, rows) + "\n"
    return text


def main() -> None:
    parser = arguments(__doc__, grammar="fine")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--level", type=int, default=4)
    chosen = parser.parse_args()
    case = case_of(chosen)
    case.result(NAME, lambda: measure(case, chosen.seeds, chosen.level))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
