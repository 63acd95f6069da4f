"""secateur grammar, with grammars that are split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import secateur as sec
from secateur.features.span import SpanFeatures
from secateur.grammar.latent.berkeley import read_berkeley
from secateur.grammar.latent.grammar import product
from secateur.grammar.latent.text import read_split
from secateur.kinds.pcfg import KIND
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.models.model import Model
from secateur.models.point import Point
from split_text import SPLIT
from toy_dependencies import toy_dependency_model

if TYPE_CHECKING:
    from cli.conftest import Run


@pytest.fixture
def split(tmp_path: Path) -> Path:
    path = tmp_path / "g.split"
    path.write_text(SPLIT)
    return path


def test_info(run: Run, split: Path) -> None:
    found = run("grammar", "info", split, "--json").done().json
    assert (found["levels of splits"], found["sub-symbols"], found["probabilities"]) == (1, 4, 9)
    assert found["notes"] == {"trees": "3"}
    assert "sub-symbols" in run("grammar", "info", split).done().out


def test_check(run: Run, split: Path) -> None:
    # The words of A sum to more than 1, which is no fault.
    assert run("grammar", "check", split).done().out == "0 faults\n"
    split.write_text(SPLIT.replace("0.25 0.25", "0.25 0.35"))
    found = run("grammar", "check", split)
    assert found.code == 1
    assert found.lines[0].startswith(f"{split}:7  the rules of sub-symbol 0 of S sum to 1.1; ")


def test_convert(run: Run, split: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.split.gz"
    run("grammar", "convert", split, "-o", again).done()
    assert read_split(again).blocks.binary.tolist() == [0.25, 0.25]
    stem = tmp_path / "b"
    run("grammar", "convert", again, "-o", stem, "--to", "Berkeley-split").done()
    assert read_berkeley(stem).blocks.binary.tolist() == [0.25, 0.25]
    run("grammar", "convert", f"{stem}.grammar", "-o", again, "--to", "split").done()
    assert read_split(again).coarse.unary.path == (("X",),)
    assert run("grammar", "info", f"{stem}.grammar", "--json").done().json["sub-symbols"] == 4


def test_improper_weights_of_an_export(run: Run, split: Path, tmp_path: Path) -> None:
    stem = tmp_path / "b"
    run("grammar", "convert", split, "-o", stem, "--to", "Berkeley-split").done()
    assert run("grammar", "check", f"{stem}.grammar").done().out == "0 faults\n"
    rules = Path(f"{stem}.grammar")
    rules.write_text(rules.read_text().replace("0.25", "0.75"))
    found = run("grammar", "check", rules)
    assert found.code == 1
    assert "the binary rules of S_0 sum to 1.5000, more than 1" in found.lines[0]
    Path(f"{stem}.lexicon").write_text("\n")
    run("grammar", "info", rules).refused("b.lexicon", "no words in it")


def test_the_grammar_of_a_model(run: Run, tmp_path: Path) -> None:
    trees = sec.garden.treebank(40)
    seeds = [SplitTraining(trees, settings=SplitSettings(levels=1, seed=seed)).fit() for seed in (0, 1)]
    whole = product([one.grammar() for one in seeds])
    features = SpanFeatures.from_words(trees.vocabulary())
    parts = PcfgParts(whole, features)
    name, way = next(iter(KIND.ways(parts, {}).items()))
    point = Point(name, way, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0)
    Model(KIND, parts, {}, [point]).save(tmp_path / "m")
    stem = tmp_path / "b"
    found = run("grammar", "convert", tmp_path / "m", "-o", stem, "--to", "Berkeley-split").done()
    assert "the first of 2 grammars" in found.err
    written = read_berkeley(stem)
    np.testing.assert_allclose(np.sort(written.blocks.binary), np.sort(whole.blocks.binary), rtol=1e-6)
    run("grammar", "convert", tmp_path / "m", "-o", tmp_path / "both.split").done()
    assert len(read_split(tmp_path / "both.split").others) == 1
    sec.write_grammar(whole, tmp_path / "same.split")
    again = read_split(tmp_path / "same.split")
    assert np.array_equal(again.others[0].binary, read_split(tmp_path / "both.split").others[0].binary)
    toy_dependency_model().save(tmp_path / "d")
    run("grammar", "info", tmp_path / "d").refused("d", "has no grammar")


def test_convert_to_flat(run: Run, split: Path, tmp_path: Path) -> None:
    flat = tmp_path / "flat.gr"
    run("grammar", "convert", split, "-o", flat, "--to", "secateur").done()
    assert "S -> A~1 B~0 -1.386" in flat.read_text()
    found = run("grammar", "convert", split, "-o", flat, "--to", "Berkeley").done()
    assert "1 unary path left out" in found.err


@pytest.mark.parametrize("dialect", ["split", "Berkeley-split"])
def test_a_flat_grammar_is_not_split(run: Run, grammar: Path, tmp_path: Path, dialect: str) -> None:
    run("grammar", "convert", grammar, "-o", tmp_path / "x", "--to", dialect).refused(grammar, dialect)
    assert not (tmp_path / "x").exists()
