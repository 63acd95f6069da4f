"""secateur: train parsers to the speed/accuracy trade-off you choose.

The public names, loaded when first used, so that importing the package costs nothing to speak of.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from secateur.errors import InputError
    from secateur.grammar.binarize import Binarization, debinarize
    from secateur.grammar.induce import Smoothing, induce
    from secateur.grammar.latent.grammar import SplitPCFG
    from secateur.grammar.lcfrs.plcfrs import PLCFRS
    from secateur.grammar.pcfg import PCFG
    from secateur.grammar.text import read_grammar, write_grammar
    from secateur.kernels.cky.rules import Anchors
    from secateur.kinds.arcs import search as arcs
    from secateur.kinds.arcs.parser import ArcParser
    from secateur.kinds.arcs.settings import ArcSettings
    from secateur.kinds.lcfrs.exact import PlcfrsParser
    from secateur.kinds.lcfrs.settings import LcfrsSettings
    from secateur.kinds.pcfg.agenda import AgendaParser
    from secateur.kinds.pcfg.parser import Parser
    from secateur.kinds.pcfg.posterior import Marginals
    from secateur.kinds.pcfg.settings import Settings
    from secateur.kinds.pcfg.split import SplitSettings
    from secateur.metrics import Attachment, Counts, Evaluation, attachment, evaluate
    from secateur.models.limits import Limits
    from secateur.models.loading import load
    from secateur.models.model import Model
    from secateur.models.parse import Parse
    from secateur.models.point import Point
    from secateur.models.training import train
    from secateur.treebanks import garden
    from secateur.treebanks.dependencies import DependencyBank
    from secateur.treebanks.dependency_tree import DependencyTree
    from secateur.treebanks.formats.brackets import read_tree
    from secateur.treebanks.head_rules import HeadRules, to_dependencies
    from secateur.treebanks.normalization import Normalization
    from secateur.treebanks.phrases import Treebank
    from secateur.treebanks.reading import read
    from secateur.treebanks.sentence import Sentence
    from secateur.treebanks.tree import Leaf, Span, Tree

__version__ = "0.1.0"

_HOME = {
    "InputError": "errors",
    "Binarization": "grammar.binarize",
    "debinarize": "grammar.binarize",
    "Smoothing": "grammar.induce",
    "induce": "grammar.induce",
    "SplitPCFG": "grammar.latent.grammar",
    "PLCFRS": "grammar.lcfrs.plcfrs",
    "PCFG": "grammar.pcfg",
    "read_grammar": "grammar.text",
    "write_grammar": "grammar.text",
    "Anchors": "kernels.cky.rules",
    "ArcParser": "kinds.arcs.parser",
    "ArcSettings": "kinds.arcs.settings",
    "PlcfrsParser": "kinds.lcfrs.exact",
    "LcfrsSettings": "kinds.lcfrs.settings",
    "AgendaParser": "kinds.pcfg.agenda",
    "Parser": "kinds.pcfg.parser",
    "Marginals": "kinds.pcfg.posterior",
    "Settings": "kinds.pcfg.settings",
    "SplitSettings": "kinds.pcfg.split",
    "Attachment": "metrics",
    "Counts": "metrics",
    "Evaluation": "metrics",
    "attachment": "metrics",
    "evaluate": "metrics",
    "Limits": "models.limits",
    "load": "models.loading",
    "Model": "models.model",
    "Parse": "models.parse",
    "Point": "models.point",
    "train": "models.training",
    "DependencyBank": "treebanks.dependencies",
    "DependencyTree": "treebanks.dependency_tree",
    "read_tree": "treebanks.formats.brackets",
    "HeadRules": "treebanks.head_rules",
    "to_dependencies": "treebanks.head_rules",
    "Normalization": "treebanks.normalization",
    "Treebank": "treebanks.phrases",
    "read": "treebanks.reading",
    "Sentence": "treebanks.sentence",
    "Leaf": "treebanks.tree",
    "Span": "treebanks.tree",
    "Tree": "treebanks.tree",
}
# Modules under names of their own.
_MODULES = {"arcs": "kinds.arcs.search", "garden": "treebanks.garden"}

__all__ = [
    "PCFG",
    "PLCFRS",
    "AgendaParser",
    "Anchors",
    "ArcParser",
    "ArcSettings",
    "Attachment",
    "Binarization",
    "Counts",
    "DependencyBank",
    "DependencyTree",
    "Evaluation",
    "HeadRules",
    "InputError",
    "LcfrsSettings",
    "Leaf",
    "Limits",
    "Marginals",
    "Model",
    "Normalization",
    "Parse",
    "Parser",
    "PlcfrsParser",
    "Point",
    "Sentence",
    "Settings",
    "Smoothing",
    "Span",
    "SplitPCFG",
    "SplitSettings",
    "Tree",
    "Treebank",
    "arcs",
    "attachment",
    "debinarize",
    "evaluate",
    "garden",
    "induce",
    "load",
    "read",
    "read_grammar",
    "read_tree",
    "to_dependencies",
    "train",
    "write_grammar",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"secateur.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'secateur' has no attribute {name!r}")
    value = getattr(import_module(f"secateur.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
