"""Commands with a model: the same words, fields and exit codes for every kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from secateur import Model
from secateur.metrics.scores import SCORING
from secateur.models import training
from secateur.models.run import Step
from secateur.models.table import kinds
from secateur.options import Offer, offers
from secateur.treebanks import formats
from secateur.treebanks.reading import ANNOTATIONS

if TYPE_CHECKING:
    from cli.conftest import Run, Sample


# Options ----------------------------------------------------------------------------------------------------


def owned(what: str) -> Iterator[tuple[str, Offer]]:
    """The options of each owner that not all have."""
    owners: dict[str, Any] = {kind.name: getattr(kind, what, None) for kind in kinds()}
    if what == "reading":
        owners = {name: annotation.reading for name, annotation in ANNOTATIONS.items()}
    if what == "scoring":
        owners = SCORING
    known = {owner: {offer.name for offer in offers(options)} for owner, options in owners.items()}
    for owner, options in owners.items():
        for offer in offers(options):
            if not all(offer.name in names for names in known.values()):
                yield owner, offer


def flag(offer: Offer) -> str:
    return f"--{offer.name.replace('_', '-')}"


def typed(offer: Offer) -> list[str]:
    """As one would give it."""
    if offer.type is bool:
        return [flag(offer)]
    number = str(offer.type(offer.low or 1)) if offer.type in (int, float) else "root"
    return [flag(offer), *(offer.choices[:1] or [number])]


# Whose options commands have.
SPREAD: dict[str, tuple[str, ...]] = {
    "train": ("settings", "reading"),
    "parse": ("using",),
    "evaluate": ("using", "reading", "scoring"),
    "bench": ("using",),
    "inspect": ("using", "looking"),
}
FOREIGN = [
    pytest.param(command, what, owner, offer, id=f"{command}-{owner}-{offer.name}")
    for command, parts in SPREAD.items()
    for what in parts
    for owner, offer in owned(what)
]


def call(command: str, sample: Sample, folder: Path) -> tuple[object, ...]:
    return {
        "train": ("train", sample.gold, "-o", folder / "made.model"),
        "parse": ("parse", sample.model, sample.sentence),
        "evaluate": ("evaluate", sample.model, sample.gold),
        "bench": ("bench", sample.model, sample.gold),
        "inspect": ("inspect", sample.model, sample.sentence),
    }[command]


@pytest.mark.parametrize(("command", "what", "owner", "offer"), FOREIGN)
def test_foreign_options_are_refused(
    run: Run, pcfg: Sample, arcs: Sample, tmp_path: Path, command: str, what: str, owner: str, offer: Offer
) -> None:
    stranger = pcfg if owner in ("arcs", "dependencies") else arcs
    of_what = "models of kind" if what in ("settings", "using", "looking") else "treebanks of"
    given = typed(offer)
    found = run(*call(command, stranger, tmp_path), *given)
    found.misused(f"{given[0]} is for {of_what}", owner, "this one is")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", SPREAD)
def test_help_says_whose_an_option_is(run: Run, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    panel = ""
    panels: dict[str, str] = {}
    for line in run(command, "--help").done().lines:
        if title := re.search(r"For ((?:models of kind|treebanks of) [\w ]+?) ─", line):
            panel = title[1]
        elif "─" in line:
            panel = ""
        elif option := re.search(r"--[\w-]+", line):
            panels.setdefault(option[0], panel)
    expected = {(owner, flag(offer)) for what in SPREAD[command] for owner, offer in owned(what)}
    assert expected
    for owner, name in expected:
        assert owner in panels[name].split(), (owner, name, panels[name])
    assert panels["--json"] == ""


DIAL = ["--budget 9wps", "--accuracy 50", "--max-loss 1", "--tradeoff 1", "--point full"]


@pytest.mark.parametrize("setting", DIAL)
@pytest.mark.parametrize("command", ["parse", "evaluate", "bench", "inspect"])
def test_a_setting_of_the_dial_is_given_once(
    run: Run, arcs: Sample, tmp_path: Path, command: str, setting: str
) -> None:
    given = call(command, arcs, tmp_path)
    run(*given, *setting.split(), *setting.split()).misused(setting.split()[0], "more than once")
    run(*given, *setting.split(), "--fastest").refused("more than one setting")


def test_two_files_have_no_model(run: Run, each: Sample) -> None:
    for what, why in (("using", "there is no model here"), ("reading", "two files are scored as they stand")):
        for owner, offer in owned(what):
            given = typed(offer)
            run("evaluate", each.gold, each.gold, *given).misused(f"{given[0]} is for", owner, why)
    run("evaluate", each.gold, each.gold, "--fastest").refused(each.gold, "only a model has a dial")


def test_what_only_parse_can_show(run: Run, pcfg: Sample, tmp_path: Path) -> None:
    for options in (("-k", 2), ("--marginals", 0.5)):
        for command in ("evaluate", "bench", "inspect"):
            run(*call(command, pcfg, tmp_path), *options).misused("is for `secateur parse`")


# parse ------------------------------------------------------------------------------------------------------

PARSED = {
    "sentence",
    "rank",
    "words",
    "score",
    "failed",
    "fell_back",
    "degraded",
    "certified",
    "work",
    "seconds",
}
OF_TREES = {"pcfg": {"tree"}, "lcfrs": {"tree"}, "arcs": {"tags", "coarse", "heads", "labels", "stage"}}


def test_parse_json(run: Run, each: Sample) -> None:
    found = run("parse", each.model, each.gold, "--json").done().objects
    assert [one["sentence"] for one in found] == list(range(1, len(each.trees) + 1))
    counter = each.made.kind.figures.work
    for one in found:
        assert set(one) == PARSED | OF_TREES[each.kind]
        assert one["work"][counter] > 0
        assert (one["rank"], one["degraded"]) == (1, False)
    same = run("parse", each.model, each.gold, "--json", "--jobs", 2).done().objects
    assert [{**one, "seconds": 0} for one in same] == [{**one, "seconds": 0} for one in found]


def test_parse_agrees_with_python(run: Run, each: Sample) -> None:
    annotation, name = each.made.kind.annotation, each.frontier[1]
    format = formats.opened(each.gold).format
    parsed = run("parse", each.model, each.gold, "--point", name).done()
    trees = [parse.tree for parse in each.made.parser(name).pipe(each.trees)]
    assert parsed.out == "".join(annotation.text(tree, format) for tree in trees)
    assert f"{each.model}, point {name}: {len(trees)} sentences" in parsed.err
    assert f"{each.unit}" in parsed.err
    quiet = run("parse", each.model, each.gold, "--point", name, "--jobs", 2, "--quiet").done()
    assert (quiet.out, quiet.err) == (parsed.out, "")


def test_the_dial_of_parse(run: Run, each: Sample) -> None:
    fast, middle, best = each.frontier

    def point(*setting: object) -> str:
        found = run("parse", each.model, each.sentence, *setting).done()
        return found.err.splitlines()[-1].partition("point ")[2].partition(":")[0]

    assert point() == point("--most-accurate") == best
    assert point("--fastest") == point("--max-loss", 100) == point("--tradeoff", 1e9) == fast
    assert point("--max-loss", 1) == point("--budget", "3ms/sent") == middle
    for beaten in each.beaten:
        assert point("--point", beaten) == beaten
    accuracy = each.made.kind.figures.accuracy
    beyond = run("parse", each.model, each.sentence, "--accuracy", 99).done()
    assert f"{each.model}: {accuracy} 99 is beyond this model" in beyond.err
    run("parse", each.model, each.sentence, "--accuracy", 0.5).refused(f"{accuracy} in percent")
    run("parse", each.model, each.sentence, "--budget", "soon").refused("20000wps")
    run("parse", each.model, each.sentence, "--point", "quick").refused("no operating point 'quick'", middle)


def test_drawn(run: Run, each: Sample) -> None:
    drawn = run("parse", each.model, each.sentence, "--to", "drawn").done().out
    assert "┌" in drawn
    assert all(word in drawn for word in each.sentence.split())


def test_annotations_are_not_mixed_up(run: Run, each: Sample, other: Sample) -> None:
    own, foreign = (sample.made.kind.annotation for sample in (each, other))
    needed = f"{foreign.name}, where {own.name}"
    run("evaluate", each.model, other.gold).refused(other.gold, needed)
    run("inspect", each.model, each.sentence, "--gold", other.gold).refused(other.gold, needed)
    to = foreign.formats[0]
    run("parse", each.model, each.sentence, "--to", to).refused(own.name, to, f"--to {own.formats[0]}")
    both = run("evaluate", each.gold, other.gold)
    both.refused(other.gold, foreign.name, f"{each.gold} has {own.name}", "one annotation")


def test_a_damaged_model_is_refused(run: Run, each: Sample, tmp_path: Path) -> None:
    each.made.save(tmp_path)
    damaged = next(tmp_path.glob("policies/*"))
    damaged.write_bytes(b"nothing")
    for command in (("parse", tmp_path, each.sentence), ("frontier", tmp_path), ("inspect", tmp_path)):
        run(*command).refused(damaged, "copy the model again")


# evaluate ---------------------------------------------------------------------------------------------------

SETTING = {"setting", "point", "words_per_second", "work", "kept", "failures", "result"}


def test_evaluate_json(run: Run, each: Sample) -> None:
    names = each.frontier[1:]
    found = run("evaluate", each.model, each.gold, "--points", ",".join(names), "--json").done().json
    assert set(found) == {"model", "protocol", "settings"}
    scoring = SCORING[each.made.kind.annotation.name]()
    for row, name in zip(found["settings"], names, strict=True):
        assert set(row) == SETTING
        parses = list(each.made.measured_parser(name).pipe(each.trees))
        expected = scoring.score(each.trees, [p.tree for p in parses], failed=[p.failed for p in parses])
        assert (row["point"], row["setting"]) == (name, f"--point {name}")
        assert row["result"]["total"] == expected.total.to_dict()
        assert row["result"]["accuracy"] == expected.accuracy
        assert row["result"]["protocol"] == found["protocol"]
        assert set(row["result"]["confidence"]) == set(expected.figures())
        work = sum(getattr(p.work, each.made.kind.figures.work) for p in parses)
        assert row["work"] == pytest.approx(work / len(parses) / 1e6)
        assert row["failures"] == sum(p.failed or p.fell_back for p in parses)
        assert row["words_per_second"] > 0
    kept = [row["kept"] for row in found["settings"]]
    assert 0 < kept[0] < kept[1] <= 1
    assert found["protocol"].startswith(scoring.said())


def test_scores_for_people(run: Run, each: Sample) -> None:
    fast, _, best = each.frontier
    accuracy = each.made.kind.figures.accuracy
    budgets = ("--budget", "1,500wps,1ms/sent,900000wps", "--by", "length")
    found = run("evaluate", each.model, each.gold, *budgets).done()
    lines = found.lines
    assert lines[0].startswith(f"protocol: {SCORING[each.made.kind.annotation.name]().said()}")
    assert lines[1] == "words/s: CPU time on one core, best of 2, words in, trees out"
    assert lines[3].split()[:3] == ["setting", "point", accuracy]
    assert each.made.kind.figures.per_sentence in lines[3]
    assert [line.split()[:3] for line in lines[4:7]] == [
        ["--budget", "1,500wps", best],
        ["--budget", "1ms/sent", fast],
        ["--budget", "900000wps", fast],
    ]
    assert lines[8] == f"{accuracy} by length"
    assert lines[10].split()[0] == "1-10"
    assert "900000wps is beyond this model" in found.err
    everything = run("evaluate", each.model, each.gold, "--points", "all").done()
    assert [line.split()[0] for line in everything.lines[3:]] == ["point", *each.frontier]
    one = run("evaluate", each.model, each.gold, "--max-loss", 0, "--sentences", "--by", "length").done()
    assert one.lines[4].split()[:3] == ["--max-loss", "0.0", best]
    assert f"95% confidence of {accuracy}" in one.out
    assert sum(line.startswith("1-10 ") for line in one.lines) == 1


def test_jobs_of_evaluate(run: Run, each: Sample) -> None:
    def totals(*options: object) -> list[object]:
        found = run("evaluate", each.model, each.gold, "--points", "all", "--json", *options).done().json
        return [(row["point"], row["work"], row["result"]["total"]) for row in found["settings"]]

    assert totals("--jobs", 2) == totals()
    shown = run("evaluate", each.model, each.gold, "--points", "all", "--jobs", 2).done()
    assert "words/s: not measured with several processes" in shown.lines


def test_a_model_scores_as_its_parses_do(run: Run, each: Sample, tmp_path: Path) -> None:
    parsed = tmp_path / "parsed"
    own = each.made.kind.measured({})
    tags = ("--tags", own.tags) if each.kind == "arcs" else ()
    run("parse", each.model, each.gold, "--fastest", *tags, "-o", parsed).done()
    apart = run("evaluate", each.gold, parsed, "--json").done().json["total"]
    (row,) = run("evaluate", each.model, each.gold, "--fastest", *tags, "--json").done().json["settings"]
    assert (row["setting"], row["point"]) == ("--fastest", each.frontier[0])
    # A file of trees cannot mark a failure.
    unmarked = {"failures": 0, "coverage": 100.0} if "coverage" in apart else {"failures": 0}
    assert {**row["result"]["total"], **unmarked} == {**apart, **unmarked}


def test_wrong_settings_of_evaluate(run: Run, each: Sample) -> None:
    given = ("evaluate", each.model, each.gold)
    run(*given, "--points", "quick").refused("no operating point 'quick'", each.frontier[1])
    run(*given, "--points", "all", "--fastest").refused("more than one setting")
    run(*given, "--accuracy", 3, "--budget", "9wps").refused("more than one setting")
    run(*given, "--points", "all", "--sentences").misused("--sentences")
    run("evaluate", each.gold, each.model).refused(each.model, "first, then the gold trees")
    run("evaluate", each.gold.parent, each.gold).refused("not a model")


# frontier ---------------------------------------------------------------------------------------------------

POINT = {
    "name", "way", "accuracy", "low", "high", "work", "words_per_second", "seconds_per_sentence", "kept",
    "failures", "tradeoff",
}  # fmt: skip


def test_frontier(run: Run, each: Sample) -> None:
    figures = each.made.kind.figures
    found = run("frontier", each.model).done().lines
    assert found[0] == f"protocol: {each.made.protocol}"
    assert "on 7 held-out sentences; words/s: CPU time on one core, best of 3" in found[0]
    assert found[2].split()[:2] == ["point", figures.accuracy]
    assert figures.per_sentence in found[2]
    points = {point.name: point for point in each.made.points}
    assert [line.split()[:2] for line in found[3:]] == [
        [name, f"{points[name].accuracy:.2f}"] for name in each.frontier
    ]
    shown = run("frontier", each.model, "--all").done().lines[3:]
    assert [line.split()[0] for line in shown if line.endswith("dominated")] == each.beaten
    assert [line.split()[0] for line in shown if not line.endswith("dominated")] == each.frontier


def test_frontier_json(run: Run, each: Sample) -> None:
    found = run("frontier", each.model, "--all", "--json").done().json
    assert set(found) == {"model", "kind", "protocol", "points"}
    assert found["kind"] == each.kind
    assert {p["name"]: p["dominated"] for p in found["points"]} == {
        name: name in each.beaten for name in (*each.frontier, *each.beaten)
    }
    points = {point.name: point for point in each.made.points}
    for one in found["points"]:
        assert set(one) == POINT | {"dominated"}
        assert (one["work"], one["tradeoff"]) == (points[one["name"]].work, points[one["name"]].tradeoff)
        assert one["way"] == dict(points[one["name"]].way)
    fewer = run("frontier", each.model, "--json").done().json["points"]
    assert [p["name"] for p in fewer] == each.frontier


def test_frontier_files(run: Run, each: Sample, tmp_path: Path) -> None:
    figures = each.made.kind.figures
    picture, page = tmp_path / "f.svg", tmp_path / "f.html"
    found = run("frontier", each.model, "--output", picture, "--html", page).done()
    assert found.err == f"written: {picture}\nwritten: {page}\n"
    assert picture.read_bytes().startswith(b"<?xml")
    text = page.read_text()
    assert f"secateur parse {each.model} --budget" in text
    assert f"{figures.units} per sentence" in text
    assert figures.accuracy in text
    assert ("F1" in text) == (each.kind != "arcs")
    assert run("frontier", each.model, "--html", page, "--quiet").done().err == ""


def test_frontier_trouble(run: Run, each: Sample, tmp_path: Path) -> None:
    run("frontier", each.gold).refused(each.gold, "not a model")
    run("frontier", tmp_path / "none.model").refused("none.model", "no such model")
    run("frontier", tmp_path).refused(tmp_path, "not a model")
    run("frontier", each.model, "--html", tmp_path / "none" / "f.html").refused("f.html", "mkdir")
    run("frontier", each.model, "--output", tmp_path / "none" / "f.png").refused("f.png", "mkdir")
    run("frontier", each.model, "--output", "f.doc").misused("--output", ".png")


# bench ------------------------------------------------------------------------------------------------------

BENCHED = {
    "sentences", "words", "words_per_second", "ms_per_sentence", "work_per_sentence",
    "million_work_per_second", "failures", "spread", "work",
}  # fmt: skip


def test_bench_json(run: Run, each: Sample) -> None:
    found = run("bench", each.model, each.gold, "--repeat", 2, "--json").done().json
    assert set(found) == {"model", "text", "runs", "unit", "points"}
    assert (found["unit"], found["runs"], list(found["points"])) == (each.unit, 2, each.frontier)
    counter = each.made.kind.figures.work
    for name, row in found["points"].items():
        assert set(row) == BENCHED
        assert (row["sentences"], row["words"]) == (len(each.trees), sum(len(p) for p in words(each)))
        parses = run("parse", each.model, each.gold, "--point", name, *measured(each), "--json").objects
        work = sum(one["work"].get(counter, 0) for one in parses)
        assert row["work_per_sentence"] == row["work"].get(counter, 0) == round(work / len(parses))
        assert row["failures"] == sum(one["failed"] or one["fell_back"] for one in parses)
        rate = 1e3 * row["words"] / row["sentences"] / row["ms_per_sentence"]
        assert row["words_per_second"] == pytest.approx(rate, abs=1)
        assert row["spread"] >= 0


def words(sample: Sample) -> list[Any]:
    return [sample.made.kind.annotation.words(tree) for tree in sample.trees]


def measured(sample: Sample) -> tuple[str, ...]:
    """Options of parse with which it does what a dial's points do."""
    return ("--tags", "gold") if sample.kind == "arcs" else ()


def test_bench_for_people(run: Run, each: Sample, tmp_path: Path) -> None:
    shown = run("bench", each.model, each.gold, "--repeat", 1).done().lines
    clock = "words/s: CPU time on one core, best of 1, words in, trees out"
    assert shown[0] == f"{each.model} on {each.gold}; {clock}"
    assert [line.split()[0] for line in shown[2:]] == ["point", *each.frontier]
    assert each.unit in shown[2]
    picture = tmp_path / "plot.svg"
    one = ("--repeat", 1, "--max-loss", 1, "--plot", picture, "--json")
    assert list(run("bench", each.model, each.gold, *one).done().json["points"]) == [each.frontier[1]]
    assert ElementTree.parse(picture)
    run("bench", each.model, each.gold, "--plot", picture).misused("--plot", "--point")
    grown = run("bench", each.model, "--repeat", 1, "--sentences", 3, "--fastest", "--json").done().json
    assert grown["text"] == "garden (3 sentences)"
    assert grown["points"][each.frontier[0]]["sentences"] == 3


# inspect ----------------------------------------------------------------------------------------------------


def test_inspect_a_model(run: Run, each: Sample) -> None:
    found = run("inspect", each.model, "--json").done().json
    assert set(found) == {"model", "kind", "settings", "sizes", "protocol", "points", "frontier"}
    assert (found["kind"], found["settings"]["checksum"]) == (each.kind, "c0ffee")
    assert found["sizes"] == each.made.sizes()
    assert found["sizes"]["points measured"] == len(each.frontier) + len(each.beaten)
    assert found["frontier"] == each.frontier
    shown = run("inspect", each.model).done().lines
    assert any(line.split() == ["kind", each.kind] for line in shown)
    assert f"protocol: {each.made.protocol}" in shown
    assert [line.split()[0] for line in shown[-3:]] == each.frontier


def test_inspect_a_sentence(run: Run, each: Sample, tmp_path: Path) -> None:
    middle, picture = each.frontier[1], tmp_path / "look.svg"
    given = ("inspect", each.model, each.sentence, "--point", middle)
    found = run(*given, "--json").done().json
    assert {"model", "kind", "point", "gold"} < set(found)
    assert (found["point"]["name"], set(found["point"]), found["gold"]) == (middle, POINT, None)
    parsed = run("parse", each.model, each.sentence, "--point", middle, "--json").done().json
    same = set(parsed) - {"sentence", "rank", "seconds"}
    assert {name: found[name] for name in same} == {name: parsed[name] for name in same}
    shown = run(*given, "--svg", picture).done()
    assert shown.lines[0] == f"{each.model}, point {middle}"
    assert shown.err == f"written: {picture}\n"
    assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert run(*given, "--svg", picture, "--quiet").done().err == ""


def test_inspect_with_gold(run: Run, each: Sample) -> None:
    tree = each.trees[-1]
    annotation = each.made.kind.annotation
    sentence = " ".join(annotation.words(tree))
    from_file = run("inspect", each.model, sentence, "--gold", each.gold, "--json").done().json
    if each.kind != "arcs":
        assert from_file["gold"]["tree"] == str(tree)
    else:
        assert from_file["gold"]["heads"] == list(tree.heads)
    literal = annotation.text(tree, annotation.formats[0])
    typed_in = run("inspect", each.model, sentence, "--gold", literal, "--json").done().json
    assert typed_in["gold"] == from_file["gold"]
    accuracy = each.made.kind.figures.accuracy
    assert f"gold: {accuracy} " in run("inspect", each.model, sentence, "--gold", each.gold).done().out
    run("inspect", each.model, each.sentence[2:], "--gold", each.gold).refused(each.gold, "none of its trees")


def test_what_inspect_refuses(run: Run, each: Sample, tmp_path: Path) -> None:
    run("inspect", each.gold, each.sentence).refused(each.gold, "not a model")
    run("inspect", tmp_path).refused(tmp_path, "not a model")
    run("inspect", each.model, each.sentence, "--point", "quick").refused("quick", each.frontier[1])
    run("inspect", each.model, each.sentence, "--fastest", "--accuracy", 9).refused("more than one setting")
    run("inspect", each.model, each.gold).refused(each.gold, "more than one sentence")
    run("inspect", each.model, "-", stdin=f"{each.sentence}\n" * 2).refused("more than one sentence")
    run("inspect", each.model, "-", stdin="\n").refused("<stdin>", "no sentence")
    run("inspect", each.model, "a cat " * 200).refused("400 words")
    run("inspect", each.model, each.sentence, "--svg", tmp_path / "none" / "c.svg").refused("c.svg", "mkdir")
    run("inspect", each.model, each.sentence, "--svg", "c.png").misused("--svg")
    for options in (("--fastest",), ("--svg", "c.svg"), ("--gold", each.gold)):
        run("inspect", each.model, *options).misused("no sentence")
    beyond = run("inspect", each.model, each.sentence, "--accuracy", 99).done()
    assert "beyond this model" in beyond.err


# train ------------------------------------------------------------------------------------------------------

ASKED: dict[str, tuple[tuple[object, ...], dict[str, object]]] = {
    "pcfg": (("--grammar", "coarse", "--surrogate", "cp"), {"grammar": "coarse", "surrogate": "cp"}),
    "lcfrs": (("--levels", 3, "--surrogate", "cp"), {"levels": 3, "surrogate": "cp"}),
    "arcs": (("--order", 2, "--tags", "gold"), {"order": 2, "tags": "gold"}),
}


@pytest.fixture
def trained(each: Sample, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, dict[str, Any]]]:
    """What the command hands on; the training itself has tests of its own."""
    calls: list[tuple[Any, dict[str, Any]]] = []

    def made(train: Any, **options: Any) -> Any:
        calls.append((train, options))
        options["tell"](Step("a step", 1, 2, 120))
        return each.made

    monkeypatch.setattr(training, "train", made)
    return calls


def test_train(run: Run, each: Sample, trained: list[tuple[Any, dict[str, Any]]], tmp_path: Path) -> None:
    out = tmp_path / "made.model"
    options, expected = ASKED[each.kind]
    given = ("train", each.gold, "-o", out)
    found = run(*given, "--dev", each.gold, "--points", 3, "--seed", 7, "--jobs", 2, *options).done()
    ((bank, asked),) = trained
    assert list(bank) == list(asked["dev"]) == each.trees
    settings = asked["settings"]
    assert isinstance(settings, each.made.kind.settings)
    assert {name: getattr(settings, name) for name in expected} == expected
    assert (settings.points, settings.seed, asked["kind"]) == (3, 7, each.kind)
    assert (asked["engine"].jobs, asked["engine"].kind, asked["work"]) == (2, "local", out / "work")
    assert "1/2] a step  2 min left" in found.err
    assert found.lines[0].split()[:2] == ["point", each.made.kind.figures.accuracy]
    assert found.lines[-1] == f"Try:  secateur parse {out} --max-loss 0.5 < sentences.txt"
    assert Model.load(out).frontier == each.made.frontier
    silent = run("train", each.gold, "-o", tmp_path / "other.model", "--quiet").done()
    assert (silent.out, silent.err) == ("", "")
    assert trained[1][1]["dev"] is None
    assert trained[1][1]["settings"] == each.made.kind.settings()
    listed = run(*given, "--kind", each.kind, "--json", "--quiet").done().json
    assert listed == {"model": str(out), "kind": each.kind, "frontier": each.frontier}


def test_what_train_refuses(run: Run, each: Sample, other: Sample, tmp_path: Path) -> None:
    out = tmp_path / "made.model"
    given = ("train", each.gold, "-o", out)
    run(*given, "--dev", other.gold).refused(other.gold, other.made.kind.annotation.name, "one annotation")
    run(*given, "--kind", other.kind).refused(each.gold, "are needed")
    run(*given, "--kind", "toy").misused("--kind", "pcfg, lcfrs, arcs")
    run(*given, "--points", 0).misused("--points")
    run(*given, "--engine", "loky").misused("--engine", "local")
    run("train", each.gold, "-o", each.gold).refused(each.gold, "no folder")
    assert not out.exists()
