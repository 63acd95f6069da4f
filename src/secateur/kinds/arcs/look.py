"""What a way to parse does with a sentence: at which stage each arc was settled, how, and what that took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from secateur.errors import InputError
from secateur.kinds.arcs.parser import ArcParser
from secateur.kinds.arcs.parts import ArcParts
from secateur.metrics.attachment import DependencyScoring
from secateur.models.kind import Look, LookedAt
from secateur.models.parse import Parse
from secateur.tasks.arc_locking.history import Fate, fates
from secateur.treebanks.dependencies import DEPENDENCIES
from secateur.treebanks.dependency_tree import DependencyTree


def look(looked_at: LookedAt[ArcParts, DependencyTree]) -> Look:
    """The tree, and the fate of each arc."""
    parts, way, policies, sentence, gold, _, using, _ = looked_at
    parser = ArcParser(parts, way, policies, using=using)
    parser.parse(sentence)  # loads the kernels before the clock starts
    parsed = parser.parse(sentence)
    if parsed.degraded:
        raise InputError(f"{len(sentence)} words are too many", fix="give a shorter sentence")
    (seen,) = parser.seen([sentence])
    x = parser.task.encode(seen.words, seen.tags, seen.coarse)
    history = fates(parser.task, x, parser.policy)
    full = parser.whole(parsed.tree)
    text = "\n".join([_drawn(parsed, history, gold), "", *_summary(parsed, full, gold)])
    fields: dict[str, Any] = {
        **parsed.fields(),
        "full_templates": full,
        "arcs": [fate._asdict() for fate in history],
        "gold": None if gold is None else DEPENDENCIES.fields(gold),
    }
    return Look(text, fields, DEPENDENCIES.svg(parsed.tree))


def _drawn(parsed: Parse[DependencyTree], history: Sequence[Fate], gold: DependencyTree | None) -> str:
    tree = parsed.tree
    notes = []
    for m, fate in enumerate(history):
        note = [
            tree.tags[m],
            tree.labels[m],
            f"stage {fate.stage}",
            fate.how,
            _many(fate.rivals, "rival"),
            _many(fate.templates, "template"),
        ]
        if gold is not None:
            note.append(_against(tree, gold, m))
        notes.append(note)
    return DEPENDENCIES.draw(tree, notes=notes)


def _against(tree: DependencyTree, gold: DependencyTree, m: int) -> str:
    """Empty where the arc is right."""
    if tree.heads[m] != gold.heads[m]:
        head = gold.words[gold.heads[m] - 1] if gold.heads[m] else "the root"
        return f"gold: {gold.labels[m]} of {head}"
    return "" if tree.labels[m] == gold.labels[m] else f"gold: {gold.labels[m]}"


def _summary(parsed: Parse[DependencyTree], full: int, gold: DependencyTree | None) -> list[str]:
    work = parsed.work.features
    share = f" ({work / full:.1%})" if full else ""
    lines = [
        f"{work:,} of {full:,} templates{share}, after stage {parsed.notes['stage']}, "
        f"{parsed.seconds:.5f} s{', fell back' if parsed.fell_back else ''}"
    ]
    if gold is not None:
        scores = DependencyScoring().score([gold], [parsed.tree]).figures()
        lines.append("gold: " + ", ".join(f"{name} {value:.2f}" for name, value in scores.items()))
    return lines


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
