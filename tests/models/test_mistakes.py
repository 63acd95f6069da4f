"""Mistakes in Python are answered as those on the command line: what is wrong, and what to do."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import secateur as sec
from secateur.models.model import Model
from secateur.models.parse import SentenceParser
from toy_dependencies import grown, toy_dependency_model
from toy_model import toy_model

TREES = sec.garden.treebank(20)
WORDS = ["the", "cat", "slept", "."]


@pytest.fixture(scope="module", params=["pcfg", "arcs"])
def model(request: pytest.FixtureRequest) -> Model[Any, Any]:
    return toy_model() if request.param == "pcfg" else toy_dependency_model()


@pytest.fixture(scope="module")
def parser(model: Model[Any, Any]) -> SentenceParser[Any]:
    return model.parser()


@pytest.fixture(scope="module")
def phrases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "phrases.model"
    toy_model().save(path)
    return path


# Sentences --------------------------------------------------------------------------------------------------


def test_a_sentence_is_a_text_or_its_words(parser: SentenceParser[Any]) -> None:
    words = parser.annotation.words
    assert list(words(parser("The cat slept.").tree)) == ["The", "cat", "slept", "."]
    assert list(words(parser(["The", "cat"]).tree)) == ["The", "cat"]
    assert list(words(parser.parse("The cat slept.").tree)) == ["The", "cat", "slept", "."]
    assert list(words(parser.parse(sec.Sentence.of(["The", "cat"])).tree)) == ["The", "cat"]
    (one,) = parser.pipe(["The cat slept."])
    assert list(words(one.tree)) == ["The", "cat", "slept", "."]


@pytest.mark.parametrize(
    ("given", "problem", "says"),
    [
        (None, TypeError, "a sentence is a text, a sequence of words, or a tree of some, not None"),
        (17, TypeError, "a sentence is a text"),
        (b"The cat", TypeError, "a sentence is a text"),
        ({"the": 1}, TypeError, "a sentence is a text"),
        ({"the", "cat"}, TypeError, "a sentence is a text"),
        (["the", 3], TypeError, "a word is a text, not 3"),
        ([["the"]], TypeError, r"a word is a text, not \['the'\]"),
        (["the cat"], sec.InputError, '"the cat" is not one token'),
        ([""], sec.InputError, '"" is not one token'),
        ([], sec.InputError, "an empty sentence; give at least one word"),
        (" ", sec.InputError, "an empty sentence"),
    ],
)
def test_what_is_no_sentence(
    parser: SentenceParser[Any], given: Any, problem: type[Exception], says: str
) -> None:
    with pytest.raises(problem, match=says):
        parser.parse(given)
    with pytest.raises(problem, match=says):
        list(parser.pipe([given]))


@pytest.mark.parametrize(
    ("call", "problem", "says"),
    [
        (lambda p: p.pipe("The cat"), TypeError, "takes sentences, not one text: give a list"),
        (lambda p: p.pipe(17), TypeError, "takes sentences, not 17"),
        (lambda p: p.pipe([WORDS], jobs=-1), sec.InputError, "-1 jobs; give 1 or more, or 0 for all cores"),
        (lambda p: p.pipe([WORDS], jobs=True), sec.InputError, "True jobs"),
        (lambda p: p.pipe([WORDS], jobs="2"), sec.InputError, "'2' jobs"),
        (lambda p: p.pipe([WORDS], job=2), TypeError, "'job'"),
        (lambda p: p.pipe([WORDS], method="_each"), sec.InputError, "no method '_each'"),
        (lambda p: p.pipe([WORDS], method="annotation"), sec.InputError, "no method 'annotation'"),
    ],
)
def test_mistakes_show_when_pipe_is_called(
    parser: SentenceParser[Any], call: Callable[[Any], Any], problem: type[Exception], says: str
) -> None:
    """Not only when the first parse is asked for."""
    with pytest.raises(problem, match=says):
        call(parser)


def test_all_cores_may_be_asked_for(parser: SentenceParser[Any]) -> None:
    assert len(list(parser.pipe([WORDS], jobs=0))) == 1


@pytest.mark.parametrize(
    ("k", "problem", "says"),
    [
        (0, sec.InputError, "0 best trees; ask for 1 or more"),
        (-1, sec.InputError, "-1 best trees"),
        ("2", TypeError, "best trees: give a whole number, not '2'"),
        (2.5, TypeError, "best trees: give a whole number, not 2.5"),
    ],
)
def test_numbers_of_trees(phrases: Path, k: Any, problem: type[Exception], says: str) -> None:
    parser = toy_model().parser()
    assert isinstance(parser, sec.Parser)
    with pytest.raises(problem, match=says):
        parser.kbest(WORDS, k)
    with pytest.raises(problem, match=says):
        sec.load(phrases, kbest=k)
    assert len(parser.kbest(WORDS, 1)) == 1


# Models -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "problem", "says"),
    [
        ({"budgett": 1}, sec.InputError, r"load\(\) has no option 'budgett'; choose from budget, accuracy"),
        ({"tags": "gold"}, sec.InputError, r"load\(\) has no option 'tags'"),
        ({"budget": 50000}, TypeError, 'a budget is a text such as "20000wps"'),
        ({"accuracy": 0.62}, sec.InputError, "an accuracy of 0.62; give F1 in percent, such as 62"),
        ({"point": "best"}, sec.InputError, "no operating point 'best'; choose from exact, slow"),
        ({"marginals": 3}, sec.InputError, "marginals from 3; give a probability"),
        ({"marginals": "3"}, TypeError, "marginals is a number, not '3'"),
        ({"limits": 30}, TypeError, "limits are Limits, not 30"),
        ({"views": 3}, TypeError, "views are functions by name, not 3"),
        ({"fastest": True, "accuracy": 60}, sec.InputError, "more than one setting of the dial"),
        ({"kbest": 2, "max_recall": True}, sec.InputError, "choose one"),
    ],
)
def test_loading(phrases: Path, options: dict[str, Any], problem: type[Exception], says: str) -> None:
    with pytest.raises(problem, match=says):
        sec.load(phrases, **options)


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a path is a text or a PathLike, not 7"):
        sec.load(7)  # type: ignore[arg-type]
    with pytest.raises(sec.InputError, match="no such file"):
        sec.load(tmp_path / "nothing")
    with pytest.raises(sec.InputError, match=r"not a model: there is no model\.toml"):
        sec.load(tmp_path)


def test_a_grammar_has_no_dial(tmp_path: Path) -> None:
    sec.write_grammar(sec.induce(TREES), tmp_path / "toy.gr")
    with pytest.raises(sec.InputError, match="a grammar has no dial; name a model, or leave the setting"):
        sec.load(tmp_path / "toy.gr", fastest=True)
    with pytest.raises(sec.InputError, match="no points were measured"):
        Model(toy_model().kind, toy_model().parts).choose()


def test_parsers_of_a_model(model: Model[Any, Any]) -> None:
    with pytest.raises(sec.InputError, match="no operating point 'nope'; choose from"):
        model.parser("nope")
    with pytest.raises(sec.InputError, match="has no option 'colour'; choose from"):
        model.parser(colour=1)
    with pytest.raises(sec.InputError, match="the dial has no setting 'speed'; choose from budget"):
        model.choose(speed=1)


@pytest.mark.parametrize(
    ("limits", "problem", "says"),
    [
        ({"words": 0}, sec.InputError, "a limit of 0 words; give 1 or more"),
        ({"words": "3"}, TypeError, "the limit of words: give a whole number, not '3'"),
        ({"chart_bytes": -1}, sec.InputError, "a limit of -1 bytes"),
        ({"on_long": "drop"}, sec.InputError, "unknown on_long 'drop'; choose degrade or flat or skip"),
    ],
)
def test_limits(limits: dict[str, Any], problem: type[Exception], says: str) -> None:
    with pytest.raises(problem, match=says):
        sec.Limits(**limits)


# Training ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bank", "options", "problem", "says"),
    [
        ([], {}, TypeError, r"train\(\) takes a treebank, not list"),
        ("tr.mrg", {}, TypeError, r"read it first, with secateur.read\(path\)"),
        (Path("tr.mrg"), {}, TypeError, "read it first"),
        (None, {}, TypeError, "not NoneType"),
        (sec.Treebank([]), {}, sec.InputError, "no trees in the treebank; give some"),
        (sec.DependencyBank([]), {}, sec.InputError, "no trees in the treebank"),
        (TREES, {"dev": sec.Treebank([])}, sec.InputError, "no trees in dev"),
        (TREES, {"dev": "dev.mrg"}, TypeError, "dev must be a treebank, not str"),
        (TREES, {"dev": list(TREES)}, TypeError, "dev must be a treebank, not list"),
        (TREES, {"dev": grown(5)}, sec.InputError, "dev has dependencies, where phrases are needed"),
        (TREES, {"dev": TREES[:1]}, sec.InputError, "1 held-out trees"),
        (TREES[:1], {}, sec.InputError, "1 trees are too few to split"),
        (grown(9), {"kind": "pcfg"}, sec.InputError, "learns from phrases, not from dependencies"),
        (TREES, {"kind": "crf"}, sec.InputError, "no kind of model 'crf'; choose from pcfg, lcfrs, arcs"),
        (TREES, {"settings": sec.ArcSettings()}, TypeError, "of kind pcfg are Settings, not ArcSettings"),
        (grown(9), {"settings": sec.Settings()}, TypeError, "of kind arcs are ArcSettings, not Settings"),
        (TREES, {"settings": {}}, TypeError, "are Settings, not dict"),
        (TREES, {"settings": sec.Settings(), "points": 3}, TypeError, "settings and points too"),
        (TREES, {"point": 3}, sec.InputError, "has no option 'point'; choose from .*points"),
        (grown(9), {"grammar": "fine"}, sec.InputError, "of kind arcs has no option 'grammar'"),
        (TREES, {"points": 2}, sec.InputError, "2 operating points; ask for 3 or more"),
        (TREES, {"points": "3"}, TypeError, "operating points: give a whole number, not '3'"),
        (TREES, {"points": 3.5}, TypeError, "operating points: give a whole number, not 3.5"),
        (TREES, {"left": "much"}, TypeError, "left is a number, not 'much'"),
        (TREES, {"grammar": None}, TypeError, "grammar is .*, not None"),
        (TREES, {"grammar": 7}, TypeError, "grammar is .*, not 7"),
        (TREES, {"grammar": "none.gr"}, sec.InputError, "no such file"),
        (grown(9), {"ends": 3}, TypeError, "ends: give a tuple"),
        (grown(9), {"costs": 2.0}, TypeError, "costs: give a tuple"),
        (grown(9), {"order": 3}, sec.InputError, "unknown order 3; choose 1 or 2"),
        (TREES, {"engine": 2}, TypeError, "engine must be of type Engine, not 2"),
        (TREES, {"reading": 2}, TypeError, "reading must be of type PhraseReading, not 2"),
        (TREES, {"work": 3}, TypeError, "work must be the path of a folder, not 3"),
        (TREES, {"tell": 3}, TypeError, "tell must be a function"),
    ],
)
def test_training(bank: Any, options: dict[str, Any], problem: type[Exception], says: str) -> None:
    with pytest.raises(problem, match=says):
        sec.train(bank, **options)


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(sec.InputError, match=r"cannot write: .*; name a place that can be written to"):
        sec.train(TREES, work=str(tmp_path / "file" / "work"))


def test_an_annotation_that_no_kind_learns_from() -> None:
    bank = type("Bank", (sec.Treebank,), {"annotation": "notes"})(TREES)
    with pytest.raises(sec.InputError, match="no kind of model learns from notes trees; give phrases or "):
        sec.train(bank)


# Reading ----------------------------------------------------------------------------------------------------


def test_reading(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text("".join(f"{tree}\n" for tree in TREES))
    arcs = "1\toaks\toak\tNN\tNNS\t_\t2\tsubj\t_\t_\n2\tgrow\tgrow\tVB\tVBP\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "b.conll").write_text(arcs)
    trees, words = tmp_path / "a.mrg", tmp_path / "b.conll"
    assert sec.read(trees) == sec.read(trees, normalization=None) == TREES
    for call, problem, says in (
        (lambda: sec.read(), TypeError, "needs the path of a treebank"),
        (lambda: sec.read(3), TypeError, "a path is a text or a PathLike, not 3"),
        (lambda: sec.read(tmp_path), sec.InputError, "this is a directory; name the files in it"),
        (lambda: sec.read(trees, keeep=("root",)), sec.InputError, "no option 'keeep'; choose from .*keep"),
        (lambda: sec.read(trees, several_roots=True), sec.InputError, "no option 'several_roots'"),
        (lambda: sec.read(trees, keep=("nothing",)), sec.InputError, "no normalization step 'nothing'"),
        (lambda: sec.read(trees, normalization=3), TypeError, "is a Normalization or None, not 3"),
        (lambda: sec.read(trees, keep=("root",), normalization=None), TypeError, "normalization and keep"),
        (lambda: sec.read(trees, words), sec.InputError, "give files of one annotation"),
        (lambda: sec.read(words, keep=("root",)), sec.InputError, "no option 'keep'; choose from fine"),
        (
            lambda: sec.read(words, normalization=sec.Normalization()),
            sec.InputError,
            "not of dependencies; leave it out",
        ),
    ):
        with pytest.raises(problem, match=says):
            call()  # type: ignore[no-untyped-call]


# What things say of themselves ------------------------------------------------------------------------------


def test_reprs(model: Model[Any, Any], parser: SentenceParser[Any]) -> None:
    name = "Parser" if model.kind.name == "pcfg" else "ArcParser"
    assert repr(parser).startswith(f"<{name}: ")
    assert repr(model) == f"<Model of kind {model.kind.name}: 4 points, 3 on the frontier>"
    parse = parser.parse(["the", "cat"] * 40)
    assert repr(parse).startswith("Parse(tree=<")
    for one in (parser, model, parse, model.points[0], toy_model().parts.grammar):
        assert len(repr(one)) < 500, "too long to be read at a prompt"
        assert "\n" not in repr(one)
        assert " at 0x" not in repr(one)


def test_repr_of_grammars() -> None:
    assert repr(toy_model().parts.grammar) == (
        "<PCFG: 12 symbols from ROOT, 8 binary and 2 unary rules, 13 words>"
    )


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (sec.train, {"dev", "kind", "settings", "reading", "work", "engine", "tell"}),
        (sec.load, {"limits", "views"}),
        (sec.read, {"format", "encoding", "normalization"}),
    ],
)
def test_help_shows_the_options(function: Any, options: set[str]) -> None:
    signature = inspect.signature(function)
    assert options <= signature.parameters.keys()
    assert " at 0x" not in str(signature).replace("<function <lambda> at 0x", "")
    assert function.__doc__


def test_help_names_what_takes_the_rest() -> None:
    assert "Settings" in str(sec.train.__doc__)
    assert "ArcSettings" in str(sec.train.__doc__)
    for setting in ("budget", "accuracy", "max_loss", "tradeoff", "fastest", "most_accurate", "point"):
        assert setting in str(sec.load.__doc__)
    for settings in (sec.Settings, sec.ArcSettings):
        assert {"points", "iterations", "seed"} <= inspect.signature(settings).parameters.keys()
