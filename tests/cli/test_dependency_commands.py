"""The commands with a dependency model: CoNLL and text in, trees, scores and figures out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from secateur.kinds.arcs.model import FULL
from secateur.kinds.arcs.parser import ArcParser
from secateur.kinds.loading import load_any
from secateur.kinds.pcfg import recipe as training
from secateur.metrics import attachment
from secateur.treebanks.formats.conll import CONLLU, CONLLX
from toy_dependencies import grown, toy_dependency_model

Run = Callable[..., Any]
HEAD, LABEL = 6, 7
WORDS = "She opens this big white box ."

# Comments, a line for two words, one that is not in the text, more columns; invented.
MARKED = """\
# sent_id = 1
# text = Oaks don't grow.
1\tOaks\toak\tNOUN\tNNS\tNumber=Plur\t_\t_\t4:nsubj\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t_\t_\t_\t_
3\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_
4\tgrow\tgrow\tVERB\tVB\t_\t_\t_\t_\tSpaceAfter=No
4.1\tthere\t_\t_\t_\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t.\t_\t_\t_\t_\t_

"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dependencies") / "toy.model"
    toy_dependency_model().save(path)
    return path


@pytest.fixture(scope="module")
def untagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dependencies") / "untagged.model"
    replace(toy_dependency_model(), tagger=None).save(path)
    return path


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dependencies") / "gold.conllx"
    path.write_text("".join(map(CONLLX.write, grown(20, seed=5))))
    return path


def columns(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


# parse ------------------------------------------------------------------------------------------------------


def test_only_heads_and_labels_change(run: Run, model: Path, tmp_path: Path) -> None:
    given = tmp_path / "oaks.conllu"
    given.write_text(MARKED)
    found = run("parse", model, given).done()
    before, after = columns(MARKED), columns(found.out)
    assert [len(row) for row in before] == [len(row) for row in after]
    for old, new in zip(before, after, strict=True):
        if old[0].isdecimal():
            assert new[HEAD].isdecimal()
            assert new[LABEL] != "_"
            old[HEAD:8] = new[HEAD:8]
        assert old == new
    list(CONLLU.read(found.out.splitlines(keepends=True)))
    assert "point full: 1 sentence, 5 words" in found.err
    assert run("parse", model, "-", stdin=MARKED).done().out == found.out


def test_conllx_stays_what_it_is(run: Run, model: Path, gold: Path) -> None:
    parsed = list(CONLLX.read(run("parse", model, gold, "--point", "dagger-0").done().out.splitlines()))
    expected = [ArcParser(toy_dependency_model(), "dagger-0").parse(tree).tree for tree in grown(20, seed=5)]
    assert parsed == expected
    same = run("parse", model, gold, "--point", "dagger-0", "--jobs", 2, "--quiet").done()
    assert list(CONLLX.read(same.out.splitlines())) == expected
    assert same.err == ""


def test_retag_changes_tags_too(run: Run, model: Path, gold: Path) -> None:
    kept = list(CONLLX.read(run("parse", model, gold).done().out.splitlines()))
    new = list(CONLLX.read(run("parse", model, gold, "--retag").done().out.splitlines()))
    tagger = toy_dependency_model().tagger
    assert tagger is not None
    assert [(t.tags, t.coarse) for t in kept] == [(t.tags, t.coarse) for t in grown(20, seed=5)]
    assert [(t.tags, t.coarse) for t in new] == tagger.tag([t.words for t in kept])
    assert [t.tags for t in kept] != [t.tags for t in new]


def test_text_gives_conllu(run: Run, model: Path, tmp_path: Path) -> None:
    (tree,) = CONLLU.read(run("parse", model, WORDS).done().out.splitlines())
    assert tree.words == tuple(WORDS.split())
    lines = run("parse", model, "-", stdin=f"{WORDS}\n\n{WORDS}\n").done()
    assert [t.words for t in CONLLU.read(lines.out.splitlines())] == [tree.words] * 2
    assert "2 sentences, 14 words" in lines.err
    raw = tmp_path / "raw.txt"
    raw.write_text("She opens this box. He opens\nthis box!")
    found = run("parse", model, raw, "--raw", "--to", "conllx").done()
    assert [len(t) for t in CONLLX.read(found.out.splitlines())] == [5, 5]


def test_other_outputs(run: Run, model: Path, gold: Path) -> None:
    (drawn,) = [run("parse", model, WORDS, "--to", "drawn").done().out]
    assert "┌" in drawn
    assert "►" in drawn
    first, *others = run("parse", model, gold, "--json").done().objects
    assert len(others) == 19
    assert len(first["heads"]) == len(first["words"]) == len(first["labels"])
    assert first["templates"] > 0
    assert (first["failed"], first["degraded"], first["fell_back"]) == (False, False, False)


def test_the_dial_of_parse(run: Run, model: Path) -> None:
    assert "point static-0" in run("parse", model, WORDS, "--fastest").done().err
    assert "point dagger-0" in run("parse", model, WORDS, "--max-loss", 1).done().err
    beyond = run("parse", model, WORDS, "--accuracy", 99).done()
    assert "UAS 99 is beyond this model" in beyond.err


def test_what_parse_refuses(run: Run, model: Path, untagged: Path, tmp_path: Path) -> None:
    run("parse", untagged, WORDS).refused("no tagger", "give a tag for every word")
    run("parse", model, "-", stdin="1\toak\t_\tNN\n").refused("<stdin>:1", "columns")
    cyclic = MARKED.replace("_\t_\t_\t4:nsubj", "_\t1\tx\t4:nsubj").replace(
        "\t_\t_\t_\t_\n", "\t2\tx\t_\t_\n"
    )
    run("parse", model, "-", stdin=cyclic).refused("<stdin>:")
    run("parse", model, tmp_path / "nowhere.conllu").refused("no such file")
    for option in (["--kbest", 2], ["--marginals", 0.5], ["--max-recall"], ["--binarized"], ["--to", "penn"]):
        run("parse", model, WORDS, *option).misused(str(option[0]), "models of phrases")
    (tmp_path / "empty.conllu").write_text("")
    assert run("parse", model, tmp_path / "empty.conllu").done().out == ""


def test_a_damaged_model_is_refused(run: Run, tmp_path: Path) -> None:
    toy_dependency_model().save(tmp_path)
    (tmp_path / "weights-crossing.npz").write_bytes(b"nothing")
    run("parse", tmp_path, WORDS).refused("weights-crossing.npz", "copy the model again")


# evaluate ---------------------------------------------------------------------------------------------------


def test_scores_of_a_model(run: Run, model: Path, gold: Path) -> None:
    trees = grown(20, seed=5)
    found = run("evaluate", model, gold, "--points", "full,dagger-0", "--json").done().json
    assert found["protocol"].endswith("all lengths, gold tags")
    for row, name in zip(found["settings"], ("full", "dagger-0"), strict=True):
        expected = attachment(trees, [p.tree for p in ArcParser(toy_dependency_model(), name).pipe(trees)])
        assert (row["point"], row["result"]["total"]["uas"]) == (name, expected.uas)
        assert row["result"]["total"]["las"] == expected.las
        assert row["words_per_second"] > 0
    kept = [row["kept"] for row in found["settings"]]
    assert 0.9 < kept[0] <= 1.0  # arcs without rivals need no templates
    assert kept[1] < kept[0]


def test_scores_for_people(run: Run, model: Path, gold: Path) -> None:
    found = run("evaluate", model, gold, "--budget", "5000wps,15000wps", "--by", "length").done()
    assert found.lines[0].startswith("protocol: attachment, punctuation counted, labels whole")
    assert [line.split()[:3] for line in found.lines[4:6]] == [
        ["--budget", "5000wps", "dagger-0"],
        ["--budget", "15000wps", "static-0"],
    ]
    assert "UAS by length" in found.out
    one = run("evaluate", model, gold, "--punctuation", "tag", "--tags", "predicted").done()
    assert "without punctuation by gold tag" in one.lines[0]
    assert one.lines[0].endswith("predicted tags")
    assert "95% confidence of LAS" in one.out
    several = run("evaluate", model, gold, "--jobs", 2).done()
    assert "not measured with several jobs" in several.out


def test_what_evaluate_refuses(run: Run, model: Path, untagged: Path, gold: Path, trees: Path) -> None:
    run("evaluate", model, trees).refused("phrases, where dependencies are needed", trees)
    run("evaluate", untagged, gold, "--tags", "predicted").refused("no tagger")
    run("evaluate", gold, gold, "--tags", "gold").misused("--tags", "models of dependencies")
    run("evaluate", model, gold, "--keep", "advp").misused("--keep", "models of phrases")
    run("evaluate", model, gold, "--points", "dagger-9").refused("no operating point 'dagger-9'")


# frontier, bench, inspect -----------------------------------------------------------------------------------


def test_the_frontier_speaks_of_uas(run: Run, model: Path, tmp_path: Path) -> None:
    page, picture = tmp_path / "f.html", tmp_path / "f.svg"
    found = run("frontier", model, "--all", "--html", page, "-o", picture).done()
    assert "attachment, punctuation counted" in found.lines[0]
    assert "on 7 held-out sentences" in found.lines[0]
    assert found.lines[2].split()[:2] == ["point", "UAS"]
    assert "Mtemplate/sentence" in found.lines[2]
    assert [line.split()[0] for line in found.lines[3:]] == ["static-0", "dagger-0", "static-1", "full"]
    assert "dominated" in found.lines[5]
    text = page.read_text()
    assert "mega-templates per sentence" in text
    assert "F1" not in text
    assert "UAS" in picture.read_text() or picture.stat().st_size > 1000
    assert [p["name"] for p in run("frontier", model, "--json").done().json["points"]] == [
        "static-0",
        "dagger-0",
        "full",
    ]


def test_bench_counts_templates(run: Run, model: Path, gold: Path) -> None:
    found = run("bench", model, gold, "--repeat", 1, "--json").done().json
    assert list(found["points"]) == ["static-0", "dagger-0", "full"]
    trees = grown(20, seed=5)
    full = found["points"]["full"]
    work = sum(p.work.features for p in ArcParser(toy_dependency_model(), FULL).pipe(trees))
    assert (full["sentences"], full["words"]) == (20, sum(map(len, trees)))
    assert full["templates/sentence"] == round(work / 20)
    table = run("bench", model, "--repeat", 1, "--sentences", 5, "--fastest", "-q").done()
    assert "garden (5 sentences)" in table.lines[0]
    run("bench", model, gold, "--fastest", "--plot", "x.svg").misused("--plot", "models of phrases")


def test_inspect(run: Run, model: Path) -> None:
    card = run("inspect", model).done()
    assert "templates of stage 0" in card.out
    assert "UAS" in card.out
    shown = run("inspect", model, WORDS, "--point", "dagger-0").done()
    assert "►" in shown.out
    assert "stage 0" in shown.out
    assert " templates (" in shown.lines[-1]
    found = run("inspect", model, WORDS, "--point", "dagger-0", "--json").done().json
    assert sum(arc["templates"] for arc in found["arcs"]) == found["templates"] <= found["full_templates"]
    assert [arc["head"] for arc in found["arcs"]] == found["heads"]
    run("inspect", model, "-", stdin=f"{WORDS}\n{WORDS}\n").refused("more than one sentence")
    run("inspect", model, WORDS, "--span", "1,2").misused("--span", "models of phrases")


# train ------------------------------------------------------------------------------------------------------


def test_training_takes_its_own_options(run: Run, gold: Path, trees: Path, tmp_path: Path) -> None:
    out = tmp_path / "made.model"
    run("train", gold, "-o", out, "--levels", 2).misused("--levels", "training on trees")
    run("train", trees, "-o", out, "--order", 2).misused("--order", "training on dependencies")
    run("train", gold, "-o", out, "--dev", trees).refused("phrases, where dependencies are needed")
    assert not out.exists()


def test_training_from_dependencies(
    run: Run, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the command hands on; the training itself has tests of its own."""
    calls: list[tuple[Any, ...]] = []

    def made(train: Any, dev: Any, **options: Any) -> Any:
        calls.append((train, dev, options))
        options["tell"](training.Step("a step", 1, 2, 0))
        return toy_dependency_model()

    monkeypatch.setattr(training, "train_arcs", made)
    out = tmp_path / "made.model"
    asked = ("--order", 2, "--points", 3, "--seed", 7, "--tags", "predicted", "--jobs", 2)
    found = run("train", gold, "-o", out, "--dev", gold, *asked).done()
    ((trained, dev, options),) = calls
    assert list(trained) == list(dev) == list(grown(20, seed=5))
    settings = options["settings"]
    assert (settings.order, settings.seed, settings.tags, len(settings.costs)) == (2, 7, "predicted", 3)
    assert (options["engine"].jobs, options["work"]) == (2, out / "work")
    assert "a step" in found.err
    assert found.lines[0].split()[:2] == ["point", "UAS"]
    assert "secateur parse" in found.lines[-1]
    assert load_any(out).frontier == toy_dependency_model().frontier
    run("train", gold, "-o", tmp_path / "other.model", "--quiet").done()
    assert calls[1][1] is None
    assert calls[1][2]["settings"] == training.ArcSettings()
