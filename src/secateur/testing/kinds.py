"""The contract of a whole kind of model: from trees to files, points and commands.

    check_kind("pcfg", bank, Settings(grammar="coarse", points=3), folder)

A kind is known by its row in the table (`secateur.models.table.KINDS`). Everything is done with small banks:
the check trains three times.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from secateur.cli import main
from secateur.errors import InputError
from secateur.metrics.scores import SCORING
from secateur.models.kind import Kind
from secateur.models.limits import Limits
from secateur.models.measure import tried
from secateur.models.model import Model
from secateur.models.parse import Parse
from secateur.models.run import Step
from secateur.models.table import kind_named
from secateur.models.training import train
from secateur.options import made, offers
from secateur.treebanks.bank import Bank
from secateur.treebanks.sentence import Sentence, Tags

_CLOCK = ("words_per_second", "seconds_per_sentence")  # what differs from run to run
_STOPPED_AFTER = (1, 3)  # steps

# What every command says of every kind.
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
EVALUATED = {"setting", "point", "words_per_second", "work", "kept", "failures", "result"}
BENCHED = {
    "sentences",
    "words",
    "words_per_second",
    "ms_per_sentence",
    "work_per_sentence",
    "failures",
    "spread",
}


def check_kind(name: str, bank: Bank[Any], settings: Any, folder: Path) -> Model[Any, Any]:
    """Raise AssertionError where a kind does not keep the contract; else return the model it trained.

    `bank` has 20 trees or more; `settings` make a training that is soon done. Without any, that is one with
    the defaults, and the command is tried too.
    """
    kind = kind_named(name)
    _check_options(kind)
    train_part, dev, test = bank.split(dev=0.2, test=0.2)
    model = train(train_part, dev=dev, kind=name, settings=settings)
    sentences = [kind.annotation.sentence(tree) for tree in test]
    _check_points(model, dev[1::2])
    _check_files(model, sentences, folder / "saved")
    _check_resumed(model, train_part, dev, settings, folder / "stopped")
    for point in model.frontier:
        _check_parser(model, point.name, sentences)
    _check_limits(model, sentences)
    _check_commands(model, bank, test, folder)
    if settings is None:
        _check_train_command(model, train_part, dev, folder)
    return model


@contextmanager
def _refused(problem: type[BaseException], says: str = "") -> Iterator[None]:
    try:
        yield
    except problem as error:
        if says not in str(error):
            raise AssertionError(f"{error!r} does not say {says!r}") from error
    else:
        raise AssertionError(f"no {problem.__name__} {says!r}")


# Options ----------------------------------------------------------------------------------------------------


def _check_options(kind: Kind[Any, Any]) -> None:
    for options in (kind.settings, kind.using, kind.looking):
        options()  # all have defaults
        with _refused(InputError, "has no option"):
            made(options, {"no_such_option": 1}, kind.name)
        for offer in offers(options):
            assert offer.help.endswith("."), f"{kind.name}: the help of {offer.name} is no sentence"
            wrong: list[Any] = ["no such choice"] if offer.choices else []
            if offer.low is not None:
                wrong.append(offer.type(offer.low - 1))
            for value in wrong:
                with _refused(InputError):
                    options(**{offer.name: value})
    assert made(kind.settings, {"seed": 3}, kind.name).seed == 3
    assert isinstance(kind.quick(1), kind.settings)


# Points and files -------------------------------------------------------------------------------------------


def _check_points(model: Model[Any, Any], judged: Bank[Any]) -> None:
    """Each is a way of the kind, and what it says is found again."""
    assert model.points, "no points were measured"
    ways = model.ways()
    assert model.unpruned in ways
    scoring = SCORING[model.kind.annotation.name]()
    for point in model.points:
        assert dict(point.way) == dict(ways[point.name]) == json.loads(json.dumps(dict(point.way)))
        parser = model.measured_parser(point.name)
        trial = tried(parser, judged, scoring)
        assert trial.scores.accuracy == point.accuracy, f"{point.name}: another accuracy"
        assert trial.mean(model.kind.figures.work) / 1e6 == point.work, f"{point.name}: other work"
        assert point.low <= point.accuracy <= point.high
    names = [point.name for point in model.points]
    assert len(set(names)) == len(names), "two points of one name"


def _check_files(model: Model[Any, Any], sentences: Sequence[Sentence], folder: Path) -> None:
    model.save(folder)
    again = Model.load(folder)
    assert list(again.points) == list(model.points)
    assert (dict(again.settings), list(again.log)) == (dict(model.settings), list(model.log))
    assert list(again.policies) == sorted(model.policies)
    for point in model.frontier:
        before, after = model.parser(point.name), again.parser(point.name)
        assert _told(before.batch(sentences)) == _told(after.batch(sentences)), "parses otherwise when saved"
    other = folder.with_name("written again")
    again.save(other)
    assert _contents(other) == _contents(folder), "files change when they are read and written"


def _check_resumed(
    model: Model[Any, Any], train_part: Bank[Any], dev: Bank[Any], settings: Any, folder: Path
) -> None:
    """Interrupted at several steps, it ends with the same model."""
    for steps in _STOPPED_AFTER:
        with _refused(KeyboardInterrupt):
            train(
                train_part, dev=dev, kind=model.kind.name, settings=settings, work=folder, tell=_Stop(steps)
            )
    resumed = train(train_part, dev=dev, kind=model.kind.name, settings=settings, work=folder)
    assert _timeless(resumed) == _timeless(model), "an interrupt changes the points"
    for name, policy in model.policies.items():
        assert (resumed.policies[name].weights == policy.weights).all(), f"an interrupt changes {name}"


class _Stop:
    """Interrupts after some steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self, step: Step) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def _timeless(model: Model[Any, Any]) -> list[dict[str, Any]]:
    return [{k: v for k, v in asdict(point).items() if k not in _CLOCK} for point in model.points]


def _contents(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


# Parsing ----------------------------------------------------------------------------------------------------


def _check_parser(model: Model[Any, Any], point: str, sentences: Sequence[Sentence]) -> None:
    """The same for any number of jobs, in any batches, and one by one."""
    parser, annotation = model.parser(point), model.kind.annotation
    alone = _told(parser.parse(sentence) for sentence in sentences)
    assert _told(parser.batch(sentences)) == alone, "a batch parses otherwise"
    assert _told(parser.pipe(sentences)) == alone
    assert _told(parser.pipe(iter(sentences), jobs=2)) == alone, "two processes parse otherwise"
    assert _told(answer[0] for answer in parser.answers(sentences)) == alone
    for sentence, parse in zip(sentences, parser.batch(sentences), strict=True):
        assert len(annotation.words(parse.tree)) == len(sentence)
        assert annotation.text(parse.tree, annotation.formats[0]).endswith("\n")
        assert annotation.draw(parse.tree)
    with _refused(InputError, "empty sentence"):
        parser.parse([])
    with _refused(TypeError):
        parser.parse(17)  # type: ignore[arg-type]
    assert repr(parser).startswith("<")


def _check_limits(model: Model[Any, Any], sentences: Sequence[Sentence]) -> None:
    words = [token for sentence in sentences for token in sentence.tokens]
    tags = None if any(s.tags is None for s in sentences) else sentences
    long = Sentence.of(words) if tags is None else _joined(sentences)
    for on_long, failed in (("degrade", None), ("flat", True), ("skip", True)):
        limits = Limits(words=12, on_long=on_long)  # type: ignore[arg-type]
        parse = model.parser(limits=limits).parse(long)
        assert parse.degraded, f"{on_long}: not marked"
        assert failed is None or parse.failed == failed
        if on_long != "skip":
            assert len(model.kind.annotation.words(parse.tree)) == len(long), f"{on_long}: words are lost"
        mixed, short = [long, *sentences, long], model.parser(limits=limits)
        assert _told(short.pipe(mixed, jobs=2)) == _told(map(short.parse, mixed)), f"{on_long}: jobs differ"


def _joined(sentences: Sequence[Sentence]) -> Sentence:
    fine, coarse = (
        tuple(tag for s in sentences if s.tags is not None for tag in getattr(s.tags, column))
        for column in ("fine", "coarse")
    )
    tokens, penn = (tuple(w for s in sentences for w in getattr(s, column)) for column in ("tokens", "penn"))
    return Sentence(tokens, penn, Tags(fine, coarse))


def _told(parses: Iterable[Parse[Any]]) -> list[Parse[Any]]:
    return [replace(parse, seconds=0.0) for parse in parses]


# Commands ---------------------------------------------------------------------------------------------------


def _check_commands(model: Model[Any, Any], bank: Bank[Any], test: Bank[Any], folder: Path) -> None:
    """All of them run, and say the same things of every kind."""
    annotation, form = model.kind.annotation, model.kind.annotation.formats[0]
    gold, trees, path = folder / f"gold.{form}", folder / f"trees.{form}", folder / "saved"
    gold.write_text("".join(annotation.text(tree, form) for tree in test), encoding="utf-8")
    trees.write_text("".join(annotation.text(tree, form) for tree in bank), encoding="utf-8")
    words = " ".join(annotation.words(test[0]))
    for line in _run("parse", path, gold, "--json", "--quiet").splitlines():
        missing = PARSED - json.loads(line).keys()
        assert not missing, f"parse --json does not say {missing}"
    parsed = folder / f"parsed.{form}"
    _run("parse", path, gold, "-o", parsed, "--fastest", "--quiet")
    assert _run("parse", path, words, "--to", "drawn", "--quiet")
    for row in json.loads(_run("evaluate", path, gold, "--points", "all", "--json"))["settings"]:
        assert row.keys() == EVALUATED
    assert "protocol" in json.loads(_run("evaluate", gold, parsed, "--json"))
    points = json.loads(_run("frontier", path, "--all", "--json"))["points"]
    assert {point["name"] for point in points} == {point.name for point in model.points}
    _run("frontier", path, "-o", folder / "frontier.svg", "--html", folder / "frontier.html", "--quiet")
    for row in json.loads(_run("bench", path, gold, "--repeat", 1, "--json"))["points"].values():
        assert row.keys() >= BENCHED
    assert json.loads(_run("inspect", path, "--json"))["kind"] == model.kind.name
    _run("inspect", path, words, "--gold", gold, "--svg", folder / "look.svg", "--quiet")
    assert json.loads(_run("inspect", path, words, "--json"))["point"]["name"] in model.ways()
    assert json.loads(_run("treebank", "info", trees, "--json"))["sentences"] == len(bank)


def _check_train_command(model: Model[Any, Any], train_part: Bank[Any], dev: Bank[Any], folder: Path) -> None:
    """It makes the model that Python makes."""
    annotation, form = model.kind.annotation, model.kind.annotation.formats[0]
    for name, bank in (("train", train_part), ("dev", dev)):
        text = "".join(annotation.text(tree, form) for tree in bank)
        (folder / f"{name}.{form}").write_text(text, encoding="utf-8")
    given = [folder / f"train.{form}", "--dev", folder / f"dev.{form}", "--kind", model.kind.name]
    said = json.loads(_run("train", *given, "-o", folder / "trained", "--json", "--quiet"))
    assert said["kind"] == model.kind.name
    assert _timeless(Model.load(folder / "trained")) == _timeless(model), "the command trains otherwise"


@contextmanager
def _called(*args: object) -> Iterator[None]:
    before, sys.argv = sys.argv, ["secateur", *map(str, args)]
    try:
        yield
    finally:
        sys.argv = before


def _run(*args: object) -> str:
    """What a command prints; AssertionError with what it says where it fails."""
    out, err = io.StringIO(), io.StringIO()
    with _called(*args), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
            code: object = 0
        except SystemExit as end:
            code = end.code or 0
    assert code == 0, f"secateur {' '.join(map(str, args))}: {err.getvalue()}"
    return out.getvalue()
