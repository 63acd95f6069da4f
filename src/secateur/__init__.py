"""secateur: train parsers to the speed/accuracy trade-off you choose.

The public names, loaded when first used, so that importing the package costs nothing to speak of.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from secateur import garden
    from secateur.arc_parser import ArcParser, DependencyParse
    from secateur.dependencies import DependencyTree
    from secateur.dependency_bank import DependencyBank
    from secateur.dependency_model import DependencyModel
    from secateur.errors import InputError
    from secateur.formats.brackets import read_tree
    from secateur.grammar.binarize import Binarization, debinarize
    from secateur.grammar.induce import Smoothing, induce
    from secateur.grammar.latent.grammar import SplitPCFG
    from secateur.grammar.pcfg import PCFG
    from secateur.grammar.text import read_grammar, write_grammar
    from secateur.head_rules import HeadRules, to_dependencies
    from secateur.kernels.rules import Anchors
    from secateur.limits import Limits
    from secateur.loading import load
    from secateur.metrics import Attachment, Counts, Evaluation, attachment, evaluate
    from secateur.model import Model
    from secateur.normalization import Normalization
    from secateur.parser import Parse, Parser
    from secateur.posterior import Marginals
    from secateur.training import ArcSettings, Settings, SplitSettings, train
    from secateur.treebank import Treebank, read
    from secateur.trees import Leaf, Span, Tree

__version__ = "0.1.0"

_HOME = {
    "ArcParser": "arc_parser",
    "DependencyParse": "arc_parser",
    "DependencyTree": "dependencies",
    "DependencyBank": "dependency_bank",
    "DependencyModel": "dependency_model",
    "InputError": "errors",
    "Binarization": "grammar.binarize",
    "debinarize": "grammar.binarize",
    "Smoothing": "grammar.induce",
    "induce": "grammar.induce",
    "SplitPCFG": "grammar.latent.grammar",
    "PCFG": "grammar.pcfg",
    "read_grammar": "grammar.text",
    "write_grammar": "grammar.text",
    "HeadRules": "head_rules",
    "to_dependencies": "head_rules",
    "Anchors": "kernels.rules",
    "Limits": "limits",
    "load": "loading",
    "Attachment": "metrics",
    "Counts": "metrics",
    "Evaluation": "metrics",
    "attachment": "metrics",
    "evaluate": "metrics",
    "Model": "model",
    "Normalization": "normalization",
    "Parse": "parser",
    "Parser": "parser",
    "Marginals": "posterior",
    "ArcSettings": "training",
    "Settings": "training",
    "SplitSettings": "training",
    "train": "training",
    "Treebank": "treebank",
    "read": "treebank",
    "Leaf": "trees",
    "Span": "trees",
    "Tree": "trees",
    "read_tree": "formats.brackets",
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
        return import_module("secateur.garden")
    if name not in _HOME:
        raise AttributeError(f"module 'secateur' has no attribute {name!r}")
    value = getattr(import_module(f"secateur.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
