"""Phrases by CKY with a PCFG, split or not; spans are pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from secateur.kinds.pcfg.settings import Settings
from secateur.models.kind import FolderKind
from secateur.models.point import Figures
from secateur.treebanks.phrases import PHRASES

if TYPE_CHECKING:
    from secateur.kinds.pcfg.parts import PcfgParts
    from secateur.treebanks.tree import Tree

_FIGURES = Figures("F1", "pushes", "push", "kept", "spans kept", "without a parse")

KIND: FolderKind[PcfgParts, Tree] = FolderKind("pcfg", PHRASES, _FIGURES, Settings, __name__)
