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
    from secateur.grammar.pcfg import PCFG
    from secateur.grammar.text import read_grammar, write_grammar
    from secateur.kernels.cky.rules import Anchors
    from secateur.kinds.arcs.model import DependencyModel
    from secateur.kinds.arcs.parser import ArcParser, DependencyParse
    from secateur.kinds.loading import load
    from secateur.kinds.pcfg.model import Model
    from secateur.kinds.pcfg.parser import Parse, Parser
    from secateur.kinds.pcfg.posterior import Marginals
    from secateur.kinds.pcfg.recipe import ArcSettings, Settings, SplitSettings, train
    from secateur.metrics import Attachment, Counts, Evaluation, attachment, evaluate
    from secateur.models.limits import Limits
    from secateur.treebanks import garden
    from secateur.treebanks.dependencies import DependencyBank
    from secateur.treebanks.dependency_tree import DependencyTree
    from secateur.treebanks.formats.brackets import read_tree
    from secateur.treebanks.head_rules import HeadRules, to_dependencies
    from secateur.treebanks.normalization import Normalization
    from secateur.treebanks.phrases import Treebank
    from secateur.treebanks.reading import read
    from secateur.treebanks.tree import Leaf, Span, Tree

__version__ = "0.1.0"

_HOME = {
    "ArcParser": "kinds.arcs.parser",
    "DependencyParse": "kinds.arcs.parser",
    "DependencyTree": "treebanks.dependency_tree",
    "DependencyBank": "treebanks.dependencies",
    "DependencyModel": "kinds.arcs.model",
    "InputError": "errors",
    "Binarization": "grammar.binarize",
    "debinarize": "grammar.binarize",
    "Smoothing": "grammar.induce",
    "induce": "grammar.induce",
    "SplitPCFG": "grammar.latent.grammar",
    "PCFG": "grammar.pcfg",
    "read_grammar": "grammar.text",
    "write_grammar": "grammar.text",
    "HeadRules": "treebanks.head_rules",
    "to_dependencies": "treebanks.head_rules",
    "Anchors": "kernels.cky.rules",
    "Limits": "models.limits",
    "load": "kinds.loading",
    "Attachment": "metrics",
    "Counts": "metrics",
    "Evaluation": "metrics",
    "attachment": "metrics",
    "evaluate": "metrics",
    "Model": "kinds.pcfg.model",
    "Normalization": "treebanks.normalization",
    "Parse": "kinds.pcfg.parser",
    "Parser": "kinds.pcfg.parser",
    "Marginals": "kinds.pcfg.posterior",
    "ArcSettings": "kinds.pcfg.recipe",
    "Settings": "kinds.pcfg.recipe",
    "SplitSettings": "kinds.pcfg.recipe",
    "train": "kinds.pcfg.recipe",
    "Treebank": "treebanks.phrases",
    "read": "treebanks.reading",
    "Leaf": "treebanks.tree",
    "Span": "treebanks.tree",
    "Tree": "treebanks.tree",
    "read_tree": "treebanks.formats.brackets",
}

__all__ = [
    "PCFG",
    "Anchors",
    "ArcParser",
    "ArcSettings",
    "Attachment",
    "Binarization",
    "Counts",
    "DependencyBank",
    "DependencyModel",
    "DependencyParse",
    "DependencyTree",
    "Evaluation",
    "HeadRules",
    "InputError",
    "Leaf",
    "Limits",
    "Marginals",
    "Model",
    "Normalization",
    "Parse",
    "Parser",
    "Settings",
    "Smoothing",
    "Span",
    "SplitPCFG",
    "SplitSettings",
    "Tree",
    "Treebank",
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
    if name == "garden":
        return import_module("secateur.treebanks.garden")
    if name not in _HOME:
        raise AttributeError(f"module 'secateur' has no attribute {name!r}")
    value = getattr(import_module(f"secateur.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
