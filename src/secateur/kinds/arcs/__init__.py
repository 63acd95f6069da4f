"""Dependencies in stages of features; arcs are locked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from secateur.kinds.arcs.settings import ArcSettings
from secateur.models.kind import FolderKind
from secateur.models.point import Figures
from secateur.treebanks.dependencies import DEPENDENCIES

if TYPE_CHECKING:
    from secateur.kinds.arcs.parts import ArcParts
    from secateur.treebanks.dependency_tree import DependencyTree

_FIGURES = Figures("UAS", "features", "template", "features", "templates", "fell back")

KIND: FolderKind[ArcParts, DependencyTree] = FolderKind("arcs", DEPENDENCIES, _FIGURES, ArcSettings, __name__)
