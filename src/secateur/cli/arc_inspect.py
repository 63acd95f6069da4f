"""What `secateur inspect` shows of a sentence with a dependency model."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from secateur.cli import inputs
from secateur.cli.arc_parse import fields
from secateur.cli.terminal import count, print_json
from secateur.errors import InputError
from secateur.treebanks.draw import arcs as draw_arcs

if TYPE_CHECKING:
    from secateur.kinds.arcs.model import DependencyModel
    from secateur.kinds.arcs.parser import DependencyParse
    from secateur.models.dial import Point
    from secateur.tasks.arc_locking.history import Fate


def inspect(
    path: str, model: DependencyModel, point: Point, sentence: str, encoding: str, json: bool
) -> None:
    """The tree of a sentence; at which stage each arc was settled, how, and what that took."""
    from secateur.kinds.arcs.parser import ArcParser
    from secateur.tasks.arc_locking.history import fates

    found = inputs.dependency_sentences(sentence, raw=False, format=None, encoding=encoding).sentences
    given = list(islice(found, 2))
    if len(given) != 1:
        what = "more than one sentence" if given else "no sentence"
        raise InputError(what, where=sentence, fix="give one in quotes")
    parser = ArcParser(model, point.name)
    parser.parse(given[0])  # loads the kernels before the clock starts
    parsed = parser.parse(given[0])
    if parsed.degraded:
        raise InputError(f"{len(parsed.tree)} words are too many", fix="give a shorter sentence")
    seen = parser.seen(parsed.tree)
    x = parser.task.encode(seen.words, seen.tags, seen.coarse)
    history = fates(parser.task, x, parser.policy)
    full = model.whole.full_cost(x)
    if json:
        print_json({"model": path, "point": asdict(point), **_fields(parsed, history, full)})
    else:
        _show(path, point, parsed, history, full)


def _fields(parsed: DependencyParse, history: list[Fate], full: int) -> dict[str, Any]:
    found = fields(1, parsed)
    del found["sentence"]
    return {**found, "full_templates": full, "arcs": [fate._asdict() for fate in history]}


def _show(path: str, point: Point, parsed: DependencyParse, history: list[Fate], full: int) -> None:
    tree = parsed.tree
    notes = [
        (
            tag,
            label,
            f"stage {fate.stage}",
            fate.how,
            count(fate.rivals, "rival"),
            count(fate.templates, "template"),
        )
        for tag, label, fate in zip(tree.tags, tree.labels, history, strict=True)
    ]
    print(f"{path}, point {point.name}\n")
    print(draw_arcs.text(tree, notes))
    share = f" ({parsed.work.features / full:.1%})" if full else ""
    print(
        f"\n{parsed.work.features:,} of {full:,} templates{share}, after stage {parsed.stage}, "
        f"{parsed.seconds:.5f} s{', fell back' if parsed.fell_back else ''}"
    )
