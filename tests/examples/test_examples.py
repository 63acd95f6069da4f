"""Every example runs, and what it prints is what it promises."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
ROW = re.compile(r"^(\w+) +(?:F1|agreement) ([\d.]+) +pushes +(\d+) +reward (-?[\d.]+)$", re.MULTILINE)
TRADEOFF = re.compile(r"\btradeoff=([\d.e-]+)")


class Row(NamedTuple):
    accuracy: float
    pushes: int
    reward: float


def table(script: str, printed: str) -> dict[str, Row]:
    """Three policies with figures that fit together; both trained ones are worth more than none."""
    rows = {name: Row(float(a), int(p), float(r)) for name, a, p, r in ROW.findall(printed)}
    assert list(rows) == ["unpruned", "baseline", "learned"]
    price = float(TRADEOFF.findall(script)[0])
    for row in rows.values():
        assert row.reward == pytest.approx(row.accuracy - price * row.pushes, abs=1e-3 + price)
        assert 0.0 < row.accuracy <= 1.0
        assert row.reward >= rows["unpruned"].reward
    return rows


def rna_folding(script: str, printed: str) -> None:
    """A task of one's own fits on a page, and learning gains reward over its start."""
    assert len(script.splitlines()) <= 60
    rows = table(script, printed)
    assert rows["learned"].reward > rows["baseline"].reward + 0.01
    assert rows["learned"].pushes < rows["unpruned"].pushes / 3
    assert rows["learned"].accuracy > 0.9


def own_reward(script: str, printed: str) -> None:
    """The unpruned parser agrees with itself, and LOLS gains reward over its start."""
    rows = table(script, printed)
    assert rows["unpruned"].accuracy == 1.0
    assert rows["learned"].reward > rows["baseline"].reward + 0.05


def dial(script: str, printed: str) -> None:
    """The less a push is to bring, the more are made, and the better the figures; each parse is drawn."""
    rows = re.findall(r"^ *(\d+) F1/Mpush: \S+, F1 ([\d.]+) with (\d+) pushes$", printed, re.MULTILINE)
    prices, accuracies, pushes = zip(*((int(t), float(a), int(p)) for t, a, p in rows), strict=True)
    own = [int(p) for p in re.findall(r"^(?:no parse|parsed) with (\d+) pushes$", printed, re.MULTILINE)]
    assert list(prices) == sorted(set(prices), reverse=True)
    assert list(accuracies) == sorted(accuracies)
    for work in (list(pushes), own):
        assert work == sorted(work)
        assert work[0] < work[-1]
    assert printed.count("girl") == len(rows) == len(own) > 1


def own_template(script: str, printed: str) -> None:
    """The template has a say, and a saved model parses as it did."""
    weights = re.findall(r"^([+-][\d.]+) for a span that ends at", printed, re.MULTILINE)
    assert any(float(weight) for weight in weights)
    found = re.search(r"^(\d+) templates: F1 ([\d.]+), saved and loaded ([\d.]+)$", printed, re.MULTILINE)
    assert found is not None
    assert int(found[1]) == 18
    assert float(found[2]) == float(found[3]) > 30.0


def dear_scorer(script: str, printed: str) -> None:
    """The scorer is worth asking, and the agenda finds as good trees with far fewer questions."""
    found = re.findall(r"^(\w+) +F1 ([\d.]+) +score (-[\d.]+) +calls +(\d+) ", printed, re.MULTILINE)
    assert [name for name, *_ in found] == ["grammar", "charts", "agenda"]
    f1, score, calls = (
        dict(zip(("grammar", "charts", "agenda"), own, strict=True))
        for own in [*zip(*found, strict=True)][1:]
    )
    assert score["charts"] == score["agenda"] != score["grammar"]
    assert float(f1["agenda"]) == pytest.approx(float(f1["charts"]), abs=0.2)  # of equals, another tree
    assert float(f1["charts"]) > float(f1["grammar"]) + 2.0
    assert 10 * int(calls["agenda"]) < int(calls["charts"])


CHECKS: dict[str, Callable[[str, str], object]] = {
    "dear_scorer.py": dear_scorer,
    "dial.py": dial,
    "own_reward.py": own_reward,
    "own_template.py": own_template,
    "rna_folding.py": rna_folding,
}


def test_every_example_is_checked() -> None:
    there = sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert there == sorted(CHECKS), "say in CHECKS what each example must print"


@pytest.mark.parametrize("name", CHECKS)
def test_examples(name: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    CHECKS[name]((EXAMPLES / name).read_text(encoding="utf-8"), run.stdout)
    assert not list(tmp_path.iterdir()), "an example leaves nothing behind"
