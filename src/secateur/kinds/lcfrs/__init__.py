"""Discontinuous phrases: as blocks by a split PCFG, or by deduction with a PLCFRS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from secateur.kinds.lcfrs.settings import LcfrsSettings
from secateur.models.kind import FolderKind
from secateur.models.point import Figures
from secateur.treebanks.discontinuous import DISCONTINUOUS

if TYPE_CHECKING:
    from secateur.kinds.lcfrs.parts import LcfrsParts
    from secateur.treebanks.tree import Tree

_FIGURES = Figures("F1", "pushes", "push", "kept", "spans kept", "parsed another way")

KIND: FolderKind[LcfrsParts, Tree] = FolderKind("lcfrs", DISCONTINUOUS, _FIGURES, LcfrsSettings, __name__)
