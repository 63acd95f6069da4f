"""Write what the results say into the documentation: tables, pictures, and the README's table.

    python experiments/pages.py             or: make results
    python experiments/pages.py --check     writes nothing; ends with 1 where a page says otherwise

Every page has markers, `<!-- NAME: begin -->` and `<!-- NAME: end -->`; what stands between them is made from
the JSON in experiments/results/ and from nothing else. No other script writes documentation.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import agenda_certificates
import agenda_deadline
import agenda_dear
import agenda_figures
import agenda_table
import agenda_transfer
import arc_bits
import arc_figure2
import arc_figure3
import arc_figure4
import arc_figure5
import arc_lols
import arc_table1
import arc_vine
import disc_beyond
import disc_blocks
import findings
import fine_smoothing
import fine_speed
import lcfrs_dial
import lcfrs_figure1
import lcfrs_oracle
import lcfrs_policies
import lcfrs_rollouts
import lcfrs_runs
import prune_figure2
import prune_figure3
import prune_figure4
import prune_regularizer
import prune_rollouts
import prune_runs
import results_page
from report import RESULTS, ROOT, Pictures, Sections, filled, start, write
from secateur.errors import InputError

IMAGES = Path("docs") / "images"
NOT_YET = "Not run yet."
MARKER = re.compile(r"<!-- (\w+): begin -->")
PRUNING = (prune_runs, prune_figure2, prune_figure3, prune_figure4, prune_rollouts, prune_regularizer)
FINE = (fine_smoothing, fine_speed)
ARCS = (arc_table1, arc_vine, arc_bits, arc_figure2, arc_figure3, arc_figure4, arc_figure5, arc_lols)
AGENDA = (
    agenda_table,
    agenda_figures,
    agenda_transfer,
    agenda_deadline,
    agenda_dear,
    agenda_certificates,
)
LCFRS = (
    disc_beyond,
    disc_blocks,
    lcfrs_dial,
    lcfrs_figure1,
    lcfrs_runs,
    lcfrs_policies,
    lcfrs_rollouts,
    lcfrs_oracle,
)

Show = Callable[[Path, Pictures], Sections]
# Each page, how it reaches the pictures, and what it shows.
PAGES: dict[str, tuple[str, Sequence[Show]]] = {
    "README.md": ("docs/images", [results_page.readme]),
    "docs/results.md": ("images", [results_page.sections]),
    "docs/papers/learning-to-prune.md": (
        "../images",
        [findings.pruning, *(one.sections for one in (*PRUNING, *FINE))],
    ),
    "docs/papers/pruning-lcfrs.md": ("../images", [one.sections for one in LCFRS]),
    "docs/papers/learned-prioritization.md": ("../images", [one.sections for one in AGENDA]),
    "docs/papers/dynamic-features.md": ("../images", [findings.arcs, *(one.sections for one in ARCS)]),
}


def page(name: str, text: str, found: Sections) -> str:
    """The page with all of its sections filled."""
    places = MARKER.findall(text)
    homeless = sorted(found.keys() - set(places))
    if homeless:
        raise InputError(
            "no place for " + ", ".join(homeless),
            where=name,
            fix=f"write <!-- {homeless[0]}: begin --> there",
        )
    for place in places:
        text = filled(text, place, found.get(place, NOT_YET), where=name)
    return text


def pages(root: Path, results: Path, *, draw: bool) -> dict[Path, str]:
    """Every page as the results would have it; pictures are drawn on the way if asked for."""
    made = {}
    for name, (address, shows) in PAGES.items():
        pictures = Pictures(root / IMAGES if draw else None, address)
        found: Sections = {}
        for show in shows:
            found |= show(results, pictures)
        made[root / name] = page(name, (root / name).read_text(encoding="utf-8"), found)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--root", type=Path, default=ROOT, help="of the pages")
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    made = pages(chosen.root, chosen.results, draw=not chosen.check)
    changed = [file for file, text in made.items() if file.read_text(encoding="utf-8") != text]
    if chosen.check and changed:
        sys.exit("not what the results say: " + ", ".join(str(f.relative_to(chosen.root)) for f in changed))
    for file in changed:
        write(file, made[file])
        print(f"wrote {file.relative_to(chosen.root)}")


if __name__ == "__main__":
    start(main)
