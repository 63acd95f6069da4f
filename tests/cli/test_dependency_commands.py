"""Commands with dependencies: CoNLL and text in, trees and scores out; test_every_kind.py has what all kinds
share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from secateur.treebanks.formats.conll import CONLLU, CONLLX
from toy_dependencies import grown, toy_dependency_model

if TYPE_CHECKING:
    from cli.conftest import Run, Sample

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


@pytest.fixture
def model(arcs: Sample) -> Path:
    return arcs.model


@pytest.fixture
def gold(arcs: Sample) -> Path:
    return arcs.gold


@pytest.fixture(scope="module")
def untagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, path = toy_dependency_model(), tmp_path_factory.mktemp("dependencies") / "untagged.model"
    replace(made, parts=replace(made.parts, tagger=None)).save(path)
    return path


def columns(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


# parse ------------------------------------------------------------------------------------------------------


def test_only_heads_and_labels_change(run: Run, model: Path, tmp_path: Path) -> None:
    given = tmp_path / "oaks.conllu"
    given.write_text(MARKED)
    found = run("parse", model, given).done()
    # Enhanced dependencies belong to the heads that were there; a word for their sake goes with them.
    before = [row for row in columns(MARKED) if "." not in row[0] or row[0][0] == "#"]
    after = columns(found.out)
    assert [len(row) for row in before] == [len(row) for row in after]
    for old, new in zip(before, after, strict=True):
        if old[0].isdecimal():
            assert new[HEAD].isdecimal()
            assert new[LABEL] != "_"
            old[HEAD:9] = [*new[HEAD:8], "_"]
        assert old == new
    list(CONLLU.read(found.out.splitlines(keepends=True)))
    assert "point full: 1 sentence, 5 words" in found.err
    assert run("parse", model, "-", stdin=MARKED).done().out == found.out


def test_conllx_stays_what_it_is(run: Run, model: Path, gold: Path) -> None:
    parsed = list(CONLLX.read(run("parse", model, gold, "--point", "dagger-0").done().out.splitlines()))
    found = toy_dependency_model().parser("dagger-0").pipe(grown(20, seed=5))
    assert parsed == [parse.tree for parse in found]


def test_predicted_tags_change_tags_too(run: Run, model: Path, gold: Path) -> None:
    kept = list(CONLLX.read(run("parse", model, gold, "--tags", "gold").done().out.splitlines()))
    new = list(CONLLX.read(run("parse", model, gold, "--tags", "predicted").done().out.splitlines()))
    tagger = toy_dependency_model().parts.tagger
    assert tagger is not None
    assert [(t.tags, t.coarse) for t in kept] == [(t.tags, t.coarse) for t in grown(20, seed=5)]
    assert [(t.tags, t.coarse) for t in new] == tagger.tag([t.words for t in kept])
    assert [t.tags for t in kept] != [t.tags for t in new]
    # As they come, where nothing is said.
    assert list(CONLLX.read(run("parse", model, gold).done().out.splitlines())) == kept
    run("parse", model, gold, "--tags", "silver").misused("--tags", "gold")


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
    assert "►" in run("parse", model, WORDS, "--to", "drawn").done().out
    first, *others = run("parse", model, gold, "--json").done().objects
    assert len(others) == 19
    assert len(first["heads"]) == len(first["words"]) == len(first["labels"])
    assert first["work"]["features"] > 0
    assert (first["failed"], first["degraded"], first["fell_back"]) == (False, False, False)


def test_what_parse_refuses(run: Run, model: Path, untagged: Path, tmp_path: Path) -> None:
    run("parse", untagged, WORDS).refused("no tagger", "give a tag for every word")
    run("parse", model, "-", stdin="1\toak\t_\tNN\n").refused("<stdin>:1", "columns")
    cyclic = MARKED.replace("_\t_\t_\t4:nsubj", "_\t1\tx\t4:nsubj").replace(
        "\t_\t_\t_\t_\n", "\t2\tx\t_\t_\n"
    )
    run("parse", model, "-", stdin=cyclic).refused("<stdin>:")
    run("parse", model, tmp_path / "nowhere.conllu").refused("no such file")
    (tmp_path / "empty.conllu").write_text("")
    assert run("parse", model, tmp_path / "empty.conllu").done().out == ""


# evaluate and inspect ---------------------------------------------------------------------------------------


def test_tags_and_punctuation(run: Run, model: Path, gold: Path) -> None:
    def protocol(*options: object) -> str:
        found: str = run("evaluate", model, gold, *options).done().lines[0]
        return found

    assert protocol().startswith("protocol: attachment, punctuation counted, labels whole")
    assert protocol().endswith("gold tags")
    assert protocol("--tags", "predicted").endswith("predicted tags")
    assert "without punctuation by gold tag" in protocol("--punctuation", "tag")
    assert "without subtypes" in protocol("--no-subtypes")
    scores = {
        tags: run("evaluate", model, gold, "--tags", tags, "--json").done().json["settings"][0]["result"]
        for tags in ("gold", "predicted")
    }
    assert scores["gold"]["total"]["uas"] > scores["predicted"]["total"]["uas"]
    assert set(scores["gold"]["confidence"]) == {"UAS", "LAS"}


def test_the_dial_of_text_is_measured_with_predicted_tags(run: Run, gold: Path, tmp_path: Path) -> None:
    """As recorded, and said: what the dial promises is what parsing text gets."""
    made = toy_dependency_model()
    replace(made, settings={**made.settings, "tags": "predicted"}).save(tmp_path)
    assert "predicted tags" in run("frontier", tmp_path).done().lines[0]
    found = run("evaluate", tmp_path, gold, "--json").done().json
    told = run("evaluate", tmp_path, gold, "--tags", "predicted", "--json").done().json
    assert "predicted tags" in found["protocol"]
    assert found["settings"][0]["result"]["total"] == told["settings"][0]["result"]["total"]


def test_without_a_tagger(run: Run, untagged: Path, gold: Path) -> None:
    run("evaluate", untagged, gold, "--tags", "predicted").refused("no tagger")
    run("evaluate", untagged, gold, "--tags", "gold").done()


def test_the_fates_of_arcs(run: Run, model: Path) -> None:
    assert "templates of stage 0" in run("inspect", model).done().out
    shown = run("inspect", model, WORDS, "--point", "dagger-0").done()
    assert "►" in shown.out
    assert "stage 0" in shown.out
    assert " templates (" in shown.lines[-1]
    found = run("inspect", model, WORDS, "--point", "dagger-0", "--json").done().json
    work = found["work"]["features"]
    assert sum(arc["templates"] for arc in found["arcs"]) == work <= found["full_templates"]
    assert [arc["head"] for arc in found["arcs"]] == found["heads"]


def test_what_is_wrong_with_arcs(run: Run, model: Path, gold: Path) -> None:
    parsed = run("evaluate", model, gold, "--fastest", "--sentences", "--json").done().json
    counts = parsed["settings"][0]["result"]["sentences"]
    number = next(n for n, each in enumerate(counts) if each["heads"] < each["words"])
    tree = grown(20, seed=5)[number]
    shown = run("inspect", model, " ".join(tree.words), "--fastest", "--gold", gold).done()
    assert sum("gold: " in line and "stage" in line for line in shown.lines)
    assert shown.lines[-1].startswith("gold: UAS ")
