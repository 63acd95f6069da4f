"""Train what the other scripts look at with --grammar fine: split grammars, baselines, and LOLS from each.

    python experiments/fine_runs.py --data ptb-sample --jobs 2
    python experiments/fine_runs.py --data ptb-sample --jobs 2 --surrogate cp

Four seeds, up to five levels, the best on half of dev; six tradeoffs. For r_CP three, with 2n roll-outs a
sentence, and the split grammars of a run for r_DP if there is one. Roll-outs see the grammar from level 2.
The model is kept as prune_runs.py does it.
"""

from __future__ import annotations

from dataclasses import replace

from prune_runs import LEVELS, PRODUCTS, run, settings_of
from report import arguments, case_of, start


def main() -> None:
    parser = arguments(__doc__, grammar="fine")
    parser.add_argument("--levels", type=int, default=LEVELS)
    parser.add_argument("--products", type=int, default=PRODUCTS, help="seeds")
    parser.add_argument("--iterations", type=int, default=10, help="rounds of LOLS, at most")
    parser.add_argument("--minibatch", type=int, help="training sentences a round of LOLS (all)")
    chosen = parser.parse_args()
    case = case_of(chosen)
    own = {name: getattr(chosen, name) for name in ("levels", "products", "iterations", "minibatch")}
    run(case, settings=replace(settings_of(case), **own))


if __name__ == "__main__":
    start(main)
