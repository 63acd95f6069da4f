"""The experiments of "learning to prune", each in small on the garden."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prune_figure2
import prune_figure3
import prune_figure4
import prune_regularizer
import prune_rollouts
import prune_runs
import report
import secateur as sec
from secateur.errors import InputError
from secateur.metrics import Counts, permutation_test
from secateur.models.curve import Curve


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> report.Case:
    """A trained case, by the command."""
    out = tmp_path_factory.mktemp("prune")
    command = ["prune_runs.py", "--limit", "100", "--points", "3", "--iterations", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [*command, "--out", str(out)])
        prune_runs.main()
    return report.Case("garden", out=out, limit=100)


@pytest.fixture(scope="module")
def model(case: report.Case) -> prune_runs.PcfgModel:
    return prune_runs.runs(case)


def section(case: report.Case, name: str) -> str:
    """As the script left it."""
    return (case.out / "pages" / f"{name}.md").read_text(encoding="utf-8")


def stored(case: report.Case, name: str) -> Any:
    return json.loads(case.file(name).read_text(encoding="utf-8"))


def test_the_model_is_where_the_others_look_for_it(case: report.Case, model: prune_runs.PcfgModel) -> None:
    assert (case.out / "runs" / "garden-dp" / "model.toml").exists()
    assert (case.out / "runs" / "garden-dp" / "work").is_dir()
    about = stored(case, "prune-runs")
    assert about["points"] == 3
    assert about["binary rules"] == len(model.parts.grammar.binary.weight)
    assert 0 <= about["lacking"] < about["gold nodes"]
    assert "| garden-dp |" in section(case, "prune_runs")


def test_a_model_of_other_trees_is_refused(case: report.Case, model: prune_runs.PcfgModel) -> None:
    with pytest.raises(InputError, match="other trees"):
        prune_runs.runs(replace(case, limit=90))


def test_figure2(case: report.Case, model: prune_runs.PcfgModel) -> None:
    prune_figure2.run(case)
    rows = stored(case, prune_figure2.NAME)
    assert [row["penalty"] for row in rows] == [run["penalty"] for run in model.log]
    for row in rows:
        for found in (*row["rounds"], row["baseline"], row["lols"]):
            expected = found["accuracy"] - row["tradeoff"] * found["runtime"]
            assert found["reward"] == pytest.approx(expected, abs=1e-12)
        assert row["rounds"][row["chosen"]]["reward"] == max(r["reward"] for r in row["rounds"])
        if prune_figure2.outcome(row) == "same policy":
            assert row["baseline"] == row["lols"]
    # Spans kept, counted once more: on the half of dev that early stopping did not see.
    task = prune_runs.trainer_of(case, model).task
    dev = prune_runs.treebanks("garden", case.limit).dev
    kept = [task.run(task.encode(t.words()), model.policies["baseline-1"]).work.kept for t in dev[1::2]]
    assert rows[1]["baseline"]["runtime"] == pytest.approx(np.mean(kept))
    assert f"| garden-dp | {len(rows)} |" in section(case, "prune_figure2")
    assert (case.out / "pages" / "images" / "prune-figure2-garden.png").stat().st_size > 0


def test_figure3_compares_true_rewards(case: report.Case, model: prune_runs.PcfgModel) -> None:
    # Policies that differ for certain, whatever LOLS made of them.
    others = {"lols-0": model.policies["baseline-2"], "lols-2": model.policies["baseline-0"]}
    others["lols-1"] = model.policies["baseline-1"]
    found = prune_figure3.measure(case, replace(model, policies={**model.policies, **others}))
    for point in found["points"]:
        f1, mpush = ([point[side][key] for side in ("baseline", "lols")] for key in ("f1", "mpush"))
        for side, figure in zip(("baseline", "lols"), f1, strict=True):
            counts = point[side]
            assert figure == pytest.approx(200 * counts["matched"] / (counts["gold"] + counts["test"]))
            assert counts["sentences"] == 50
        expected = (f1[1] - point["tradeoff"] * mpush[1]) - (f1[0] - point["tradeoff"] * mpush[0])
        assert point["difference"] == pytest.approx(expected)
        assert 0 < point["p"] <= 1
    first, second, third = found["points"]
    assert prune_figure3.verdict(second) == "same"
    assert second["p"] == 1
    assert first["baseline"] == third["lols"]
    assert first["baseline"]["mpush"] < found["unpruned"]["mpush"]
    assert third["baseline"]["failures"] > third["lols"]["failures"]


def test_figure3_measures_once_and_keeps_its_timing(case: report.Case, model: prune_runs.PcfgModel) -> None:
    prune_figure3.run(case, timed=True, repeat=1)
    once = stored(case, prune_figure3.NAME)
    assert set(once["speed"]) == {"exact", *model.policies}
    assert all(row["words/s"] > 0 for row in once["speed"].values())
    marked = {**once, "words": -1}
    report.write_json(case.file(prune_figure3.NAME), marked)
    prune_figure3.run(case)
    assert stored(case, prune_figure3.NAME) == marked
    prune_figure3.run(replace(case, again=True))
    assert stored(case, prune_figure3.NAME) == once
    assert "61.1" in section(case, "prune_figure3")
    assert section(case, "prune_failures").count("| LOLS |") == 1
    assert not list(case.out.glob("*.partial"))


def test_p_of_reward_differences() -> None:
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, 10, size=(80, 2))
    a = [Counts(matched=int(m), gold=10, test=10) for m, _ in drawn]
    b = [Counts(matched=int(m), gold=10, test=10) for _, m in drawn]
    work = np.ones(80)
    free = prune_figure3.reward_test((a, work), (b, work), 0.0)
    assert free == pytest.approx(permutation_test(a, b), abs=0.03)
    assert prune_figure3.reward_test((a, work), (a, work), 1.0) == 1.0
    # The same parses for a hundredth of the work: as sure as 99 draws can be.
    assert prune_figure3.reward_test((a, work), (a, work / 100), 1.0, samples=99) == 0.01


def test_true_tradeoffs_follow_the_increasing_part() -> None:
    curve = Curve(80.0, 1.5, 3.0, 0.01)
    mpush = np.array([0.02, 0.05, 0.1, 0.2, 0.5])
    found = prune_figure3.true_tradeoffs(mpush.tolist(), curve(mpush).tolist())
    assert found == pytest.approx(curve.slope(mpush).tolist(), rel=0.05)
    bent = [*curve(mpush).tolist(), 60.0]
    assert prune_figure3.true_tradeoffs([*mpush.tolist(), 1.0], bent)[:5] == pytest.approx(found)


def test_regrets_of_a_few_decisions() -> None:
    advantage = np.array([0.5, -0.25, 0.0, -1.0, 0.75, -0.5])
    gold = np.array([True, True, False, False, False, False])
    found = prune_figure4.regrets(advantage, gold)
    assert found["gold"]["differ"] == 0.5
    assert found["gold"]["regret where they differ"] == 0.25
    assert [found["not gold"][key] for key in ("agree", "equal", "differ")] == [0.5, 0.25, 0.25]
    assert found["all"]["regret"] == pytest.approx((0.25 + 0.75) / 6)


def test_figure4(case: report.Case, model: prune_runs.PcfgModel) -> None:
    prune_figure4.run(case, sentences=6)
    found = stored(case, prune_figure4.NAME)
    assert found["sentences"] == 6
    assert len(found["rows"]) == len(model.log)
    for row in found["rows"]:
        for side in ("baseline", "lols"):
            whole, gold, other = (row[side][kind] for kind in ("all", "gold", "not gold"))
            for part in (whole, gold, other):
                assert part["agree"] + part["equal"] + part["differ"] == pytest.approx(1)
                assert part["regret"] == pytest.approx(part["differ"] * part["regret where they differ"])
            assert whole["decisions"] == gold["decisions"] + other["decisions"]
            total = sum(part["decisions"] * part["regret"] for part in (gold, other))
            assert whole["decisions"] * whole["regret"] == pytest.approx(total)
    assert "6 dev sentences" in section(case, "prune_figure4")


def test_rollouts(case: report.Case, model: prune_runs.PcfgModel) -> None:
    prune_rollouts.run(case, count=1, repeat=1)
    found = stored(case, prune_rollouts.NAME)
    assert found["policy"] in model.policies
    dev = prune_runs.treebanks("garden", case.limit).dev
    for row in found["rows"]:
        first, last = map(int, row["length"].split("-"))
        n = int(dev.filter(min_length=first, max_length=last).lengths()[0])
        assert row["roll-outs"] == n * (n + 1) // 2 - 1 - n
        assert set(row["seconds"]) == set(prune_rollouts.ENGINES)
        assert min(row["seconds"].values()) > 0
    assert prune_rollouts.with_sum(found["rows"])[-1]["sentences"] == len(found["rows"])
    assert "| all |" in section(case, "prune_rollouts")


def test_regularizer_goes_on_where_it_was(case: report.Case) -> None:
    small = {"least": (2,), "penalties": (0.002, 0.02)}
    prune_regularizer.run(case, powers=(13,), **small)
    first = stored(case, prune_regularizer.NAME)["13/2"]
    assert [row["penalty"] for row in first] == [0.002, 0.02]
    assert first[0]["mpush"] > first[1]["mpush"]
    marked = [{**first[0], "f1": 99.0}, first[1]]
    report.write_json(case.file(prune_regularizer.NAME), {"13/2": marked})
    prune_regularizer.run(case, powers=(13, 17), **small)
    found = stored(case, prune_regularizer.NAME)
    assert set(found) == {"13/2", "17/2"}
    assert found["13/2"] == marked
    assert "**" in section(case, "prune_regularizer")


def test_the_higher_frontier_is_the_better_setting() -> None:
    def rows(shift: float) -> list[dict[str, float]]:
        return [{"mpush": m, "f1": f + shift} for m, f in ((0.1, 70.0), (0.01, 60.0), (1.0, 65.0))]

    height = prune_regularizer.heights({"13/2": rows(0.0), "17/2": rows(2.0)})
    assert height["17/2"] - height["13/2"] == pytest.approx(2.0)
    # From 60 to 70 over one decade, and on at 70 over the next.
    assert height["13/2"] == pytest.approx(67.5, abs=0.1)


def test_the_binarization_of_the_wsj_grammar() -> None:
    tree = sec.read_tree("(X (A a) (B b) (C c) (Y (D d) (E e) (F f)))")
    binary = prune_runs.LastApart()(tree)
    assert str(binary) == "(X (@X (A a) (@X (B b) (C c))) (Y (@Y (D d) (E e)) (F f)))"
    assert sec.debinarize(binary) == tree


def test_the_wsj_grammar_has_the_rules_of_trees_binarized_like_it(data: Path) -> None:
    grammar = prune_runs.given_grammar("ptb-r0")
    assert grammar is not None
    names = grammar.symbols
    rules = {(names[x], names[y], names[z]) for y, z, x in zip(*grammar.binary[:3], strict=True)}
    made = [
        rule
        for tree in prune_runs.treebanks("ptb-r0", 100).dev
        for rule in made_rules(prune_runs.LastApart()(tree))
    ]
    assert len(made) > 100
    assert sum(rule in rules for rule in made) > 0.99 * len(made)


def made_rules(tree: sec.Tree) -> Iterator[tuple[str, str, str]]:
    """The rules of a binarized tree that have a made symbol in them, those over unaries aside."""
    children = [child for child in tree.children if isinstance(child, sec.Tree)]
    if len(children) == 2:
        rule = (tree.label, children[0].label, children[1].label)
        unary = any(len(c.children) == 1 and not c.is_preterminal for c in children)
        if not unary and any(label.startswith("@") for label in rule):
            yield rule
    for child in children:
        yield from made_rules(child)


def test_sections_are_filled_between_their_markers() -> None:
    page = "above\n<!-- a: begin -->\nold\n<!-- a: end -->\nbelow\n"
    expected = "| x | y |\n| --- | --- |\n| 1 | 2 |"
    found = report.filled(page, "a", report.table(["x", "y"], [["1", "2"]]), where="page")
    assert found == f"above\n<!-- a: begin -->\n{expected}\n<!-- a: end -->\nbelow\n"
    with pytest.raises(InputError, match="no section b"):
        report.filled(page, "b", "text", where="page")
