"""The project keeps its own rules: tools, public names, cheap imports, clean sources."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import secateur

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
HEAVY = ("numba", "scipy", "sklearn", "matplotlib", "nltk")

# The tools of `make lint`: the module that must be there, and how to run it.
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
TOOLS = {
    "ruff check": ("ruff", ["-m", "ruff", "check", "--no-cache", "."]),
    "ruff format": ("ruff", ["-m", "ruff", "format", "--check", "."]),
    "mypy": ("mypy", ["-m", "mypy"]),
    "lint-imports": ("importlinter", ["-c", LINT_IMPORTS]),
}


def python(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *args], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("tool", TOOLS)
def test_tools_find_nothing(tool: str) -> None:
    module, args = TOOLS[tool]
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("these tests are not run from a checkout")
    found = python(*args)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("name", secateur.__all__)
def test_public_names_resolve(name: str) -> None:
    assert getattr(secateur, name) is not None


def test_nothing_else_is_public() -> None:
    assert sorted(secateur.__all__) == sorted(set(secateur.__all__))
    assert dir(secateur) == sorted([*secateur.__all__, "__version__"])
    starred: dict[str, object] = {}
    exec("from secateur import *", starred)
    assert starred.keys() - {"__builtins__"} == set(secateur.__all__)
    with pytest.raises(AttributeError, match="no attribute 'prune_everything'"):
        _ = secateur.prune_everything


@pytest.mark.parametrize("module", ["secateur", "secateur.cli"])
def test_importing_is_cheap(module: str) -> None:
    found = python("-c", f"import sys, {module}; print(*sys.modules)")
    assert found.returncode == 0, found.stderr
    loaded = set(found.stdout.split())
    assert module in loaded
    assert not loaded.intersection(HEAVY)


def test_sources_are_clean() -> None:
    banned = {
        "an absolute path": re.compile(r"""["']/(?:\w+/)+\w*|["']/(?:bin|etc|home|opt|root|tmp|usr|var)\b"""),
        "pickle": re.compile(r"\b(?:import|from)\s+c?pickle\b"),
        "something left to do": re.compile(r"\b(?:TODO|FIXME|XXX)\b"),
        '"edge" alone': re.compile(r"\bedges?\b", re.IGNORECASE),
    }
    found = [
        f"{path.relative_to(ROOT)}:{number}: {what}: {line.strip()}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for what, pattern in banned.items()
        if pattern.search(line)
    ]
    assert SOURCES
    assert not found, "\n".join(found)


def test_functions_and_files_are_short() -> None:
    """Kernels are as long as their recurrences."""
    known = {"grammar/text.py parse_grammar"}
    found = []
    for path in SOURCES:
        name = path.relative_to(ROOT / "src" / "secateur").as_posix()
        if name.startswith("kernels/"):
            continue
        text = path.read_text(encoding="utf-8")
        found += [name] if text.count("\n") > 400 else []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                found += [f"{name} {node.name}"] if lines > 60 else []
    assert set(found) <= known, sorted(set(found) - known)


def test_the_changelog_knows_the_version() -> None:
    entries = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert entries, "no entries such as `## 0.1.0`"
    assert entries[0] == secateur.__version__
