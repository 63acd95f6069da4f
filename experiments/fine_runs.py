"""The split grammars that the other fine_*.py scripts are about, with their frontiers; trained once.

    python experiments/fine_runs.py --data ptb-sample --jobs 2

Four seeds, up to five levels, the best on half of dev; six tradeoffs. Roll-outs see the grammar from level 2:
a roll-out with all of its sub-symbols takes ten times as long.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import secateur as sec
from prune_runs import settings_of, stored_or_trained
from report import Case, arguments, case_of, start
from secateur.training import SplitSettings

LEVELS, PRODUCTS, POINTS, ROLLOUT_LEVEL = 5, 4, 6, 2
LEFT = 0.9  # of the accuracy at the fast end: below it, the unsplit grammar is both faster and better


def folder_of(case: Case) -> Path:
    return case.out / "runs" / f"{case.name}-fine"


def fine_runs(
    case: Case, *, levels: int = LEVELS, products: int = PRODUCTS, iterations: int = 10
) -> sec.Model:
    """The trained model of a case: the stored one, or a new one, stored."""
    settings = replace(settings_of(case, POINTS, iterations), left=LEFT, rollout_level=ROLLOUT_LEVEL)
    grammar = SplitSettings(levels=levels, products=products)
    return stored_or_trained(case, folder_of(case), settings, grammar)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--levels", type=int, default=LEVELS)
    parser.add_argument("--products", type=int, default=PRODUCTS)
    parser.add_argument("--iterations", type=int, default=10)
    chosen = parser.parse_args()
    fine_runs(case_of(chosen), levels=chosen.levels, products=chosen.products, iterations=chosen.iterations)


if __name__ == "__main__":
    start(main)
