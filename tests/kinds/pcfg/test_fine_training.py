"""Models with split grammars: trained, chosen on held-out trees, multiplied, stored and read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.grammar.latent.grammar import SplitPCFG, product
from secateur.grammar.latent.projection import seen_from
from secateur.grammar.latent.splitmerge import Schedule
from secateur.kinds.pcfg import fine
from secateur.kinds.pcfg.parts import SPLIT, PcfgParts
from secateur.kinds.pcfg.settings import Settings
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.kinds.pcfg.store import from_arrays, to_arrays
from secateur.kinds.pcfg.trainer import Trainer
from secateur.metrics.evalb.evaluation import PhraseScoring
from secateur.models.model import Model
from secateur.models.run import Run, Step
from secateur.models.storage import pack_arrays
from secateur.models.training import train
from secateur.search.core import Policy
from secateur.treebanks.tree import Tree

QUICK = Schedule(split_rounds=10, merge_rounds=4, smooth_rounds=2)
TREES = sec.garden.treebank(260)
SENTENCES = [tree.words() for tree in TREES[220:]]


@cache
def grammar(seed: int = 0) -> SplitPCFG:
    settings = SplitSettings(levels=2, schedule=QUICK, seed=seed)
    return SplitTraining(TREES[:200], settings=settings).fit().grammar()


@cache
def trained() -> tuple[Model[PcfgParts, Tree], list[Step]]:
    told: list[Step] = []
    model = train(
        TREES[:180],
        dev=TREES[180:220],
        settings=Settings(
            levels=2,
            products=2,
            split=SplitSettings(schedule=QUICK),
            points=3,
            iterations=1,
            repeat=1,
            max_length=12,
        ),
        tell=told.append,
    )
    return model, told


def test_a_model_with_a_split_grammar() -> None:
    model, told = trained()
    assert isinstance(model.parts.grammar, SplitPCFG)
    assert len(model.parts.grammar.others) == 1
    scores = model.settings["F1 of the levels"]
    assert len(scores) == 3
    assert scores[model.settings["level"]] == max(scores) > scores[0]
    assert len(model.parts.grammar.ancestry) == model.settings["level"]
    assert sec.Binarization.from_notes(model.settings) == sec.Binarization("right")
    assert any("seed 1, level 1" in step.text for step in told)
    found = {point.name: point for point in model.points}
    quick = f"viterbi-{model.settings['level'] - 1}" if model.settings["level"] > 1 else ""
    assert {name.partition("+")[2] for name in found} == {"", quick, "product", "product-0.001"}
    assert model.unpruned == "exact+product"
    assert found["exact+product"].accuracy > found["exact"].accuracy
    assert found["exact+product-0.001"].work < found["exact+product"].work
    assert len(found) <= 6 + 2 * len(model.policies)
    for name, policy in model.policies.items():
        fine = found[f"{name}+product-0.001"]
        assert fine.way == {"mask": name, "decode": "product", "least": 0.001}
        assert policy.weights.any()
        assert fine.kept == found["+".join(filter(None, (name, quick)))].kept < 1.0
        assert not model.parser(f"{name}+max-rule").parse(SENTENCES[0]).failed  # a way that is no point


def test_the_best_of_a_product_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([50.0, 60.0, 55.0, 58.0])  # levels 0 and 1 of both together, level 1 of each
    monkeypatch.setattr(fine, "_f1", lambda grammar, **how: next(scores))
    settings = SplitSettings(levels=1, products=2, schedule=QUICK)
    found = fine.fine_grammar(Run(), TREES[:60], TREES[60:70], settings, PhraseScoring())
    alone = SplitTraining(TREES[:60], settings=replace(settings, products=1, seed=1)).fit().grammar()
    assert found.accuracy == (50.0, 60.0)
    assert np.array_equal(found.grammar.blocks.binary, alone.blocks.binary)
    assert not np.array_equal(found.grammar.blocks.binary, found.grammar.others[0].binary)


def test_it_is_read_as_it_was_saved(tmp_path: Path) -> None:
    model, _ = trained()
    model.save(tmp_path)
    again = Model.load(tmp_path)
    assert isinstance(model.parts.grammar, SplitPCFG)
    assert isinstance(again.parts.grammar, SplitPCFG)
    before, after = to_arrays(model.parts.grammar), to_arrays(again.parts.grammar)
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    for point in (model.frontier[0].name, "exact", "exact+max-rule", "exact+product"):
        one, other = model.parser(point), again.parser(point)
        for words in SENTENCES[:20]:
            assert str(one.parse(words).tree) == str(other.parse(words).tree)


def test_saved_over_it_a_plain_grammar_is_plain(tmp_path: Path) -> None:
    model, _ = trained()
    model.save(tmp_path)
    plain = [point for point in model.points if "+" not in point.name]
    replace(model, parts=replace(model.parts, grammar=model.parts.rules), points=plain).save(tmp_path)
    assert isinstance(Model.load(tmp_path).parts.grammar, sec.PCFG)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda a: a.pop("mass"), "mass"),
        (lambda a: a.update({"binary": a["binary"][1:]}), "binary blocks"),
        (lambda a: a.update({"unary": -a["unary"]}), "unary holds"),
        (lambda a: a.update({"lexical": a["lexical"] * np.nan}), "lexical holds"),
        (lambda a: a.update({"origin": a["origin"][1:]}), "levels"),
        (lambda a: a.update({"origin": a["origin"] * 0}), "one before"),
        (lambda a: a.update({"origin": a["origin"][::-1]}), "one after the other"),
        (lambda a: a.update({"splits": a["splits"][:, 1:]}), "splits has the shape"),
        (lambda a: a.update({"splits": a["splits"] * 0 + 2}), "start symbol is split"),
        (lambda a: a.update({"splits": a["splits"] * 0}), "splits holds 0"),
        (
            lambda a: a.update({"sizes": a["sizes"][:-1], "origin": a["origin"][: a["sizes"][0].sum()]}),
            "last",
        ),
        (lambda a: a.update({"mass": a["mass"][:, :1]}), "masses"),
    ],
)
def test_damaged_numbers(spoil: object, message: str, tmp_path: Path) -> None:
    model, _ = trained()
    model.save(tmp_path)
    assert isinstance(model.parts.grammar, SplitPCFG)
    arrays = to_arrays(model.parts.grammar)
    spoil(arrays)  # type: ignore[operator]
    with pytest.raises((ValueError, KeyError), match=message):
        from_arrays(model.parts.rules, arrays)
    (tmp_path / SPLIT).write_bytes(pack_arrays(arrays))
    with pytest.raises(InputError, match="not the file"):
        Model.load(tmp_path)
    sums = json.loads((tmp_path / "checksums.json").read_text())
    sums[SPLIT] = hashlib.sha256((tmp_path / SPLIT).read_bytes()).hexdigest()
    (tmp_path / "checksums.json").write_text(json.dumps(sums))
    with pytest.raises(InputError, match=r"damaged: .*") as found:
        Model.load(tmp_path)
    assert str(tmp_path / SPLIT) in str(found.value)


def test_a_grammar_by_itself_judges_as_before() -> None:
    """All posteriors squared: the same best tree."""
    one, twice = sec.Parser(grammar()), sec.Parser(product([grammar(), grammar()]))
    for words in SENTENCES:
        single, squared = one.parse(words), twice.parse(words)
        assert str(single.tree) == str(squared.tree)
        assert squared.score == pytest.approx(2 * single.score, rel=1e-9, abs=1e-12)
        assert squared.work.pushes > single.work.pushes


def test_a_product_is_another_judge() -> None:
    one, two = grammar(0), grammar(1)
    both = sec.Parser(product([one, two]))
    # The same forest, and factors of at most 1 more.
    scores = [(both.parse(words).score, sec.Parser(one).parse(words).score) for words in SENTENCES]
    assert all(two_say <= one_says + 1e-9 for two_say, one_says in scores)
    assert any(two_say < one_says - 0.1 for two_say, one_says in scores)
    assert product([product([one, two]), two]).others[0] is two.blocks
    other = SplitTraining(TREES[:50], settings=SplitSettings(levels=1, schedule=QUICK)).fit().grammar()
    with pytest.raises(InputError, match="different rules"):
        product([one, other])


def test_seen_from_a_level() -> None:
    whole = grammar()
    assert seen_from(whole, 2) is whole
    assert seen_from(whole, 7) is whole
    for level in (0, 1):
        seen = seen_from(whole, level)
        assert len(seen.ancestry) == level
        assert seen.blocks.splits.max() == 2**level
        assert np.allclose(seen.mass.sum(1), whole.mass.sum(1))
        back = from_arrays(whole.coarse, to_arrays(seen))
        assert np.array_equal(back.blocks.binary, seen.blocks.binary)
    assert not sec.Parser(seen_from(whole, 1).flat()).parse(SENTENCES[0]).failed


class Everything:
    def mask(self, words: list[str]) -> np.ndarray:
        return np.ones((len(words) + 1, len(words) + 1), np.bool_)


class Nothing:
    def mask(self, words: list[str]) -> np.ndarray:
        return np.zeros((len(words) + 1, len(words) + 1), np.bool_)


def test_spans_chosen_by_another() -> None:
    model, _ = trained()
    free, kept = sec.Parser(model.parts.grammar), sec.Parser(model.parts.grammar, spans=Everything())
    none = sec.Parser(model.parts.rules, spans=Nothing())
    for words in SENTENCES[:10]:
        assert str(free.parse(words).tree) == str(kept.parse(words).tree)
        assert none.parse(words).work.kept == 0
    with pytest.raises(InputError, match="another choice"):
        sec.Parser(
            model.parts.rules, features=model.parts.features, policy=Policy(np.zeros(1)), spans=Nothing()
        )


def test_roll_outs_see_grammars_that_have_not_seen_their_sentences() -> None:
    settings = Settings(points=3, iterations=1, repeat=1, max_length=12, rollout_level=1)
    splits = SplitSettings(levels=2, schedule=QUICK)
    trainer = Trainer(Run(), TREES[:80], TREES[80:90], settings, grammar=grammar(), splits=splits)
    folds = [set(), set()]
    for number, tree in enumerate(trainer.trees):
        folds[number % 2].update(tree.words())
    longer = {word for tree in trainer.longer for word in tree.words()}
    assert folds[0] - folds[1] - longer
    assert folds[1] - folds[0] - longer
    for fold, task in enumerate(trainer.apart):
        known = set(task.grammar.lexicon.words)
        assert not (folds[fold] - folds[1 - fold] - longer) & known
        assert folds[1 - fold] | longer <= known
        assert any("~1" in symbol for symbol in task.grammar.symbols)  # split
    # Every sentence is encoded for the task that visits it.
    for number, (tree, (x, gold)) in enumerate(zip(trainer.trees, trainer.data, strict=True)):
        own = trainer.apart[number % 2]
        assert np.array_equal(x.words, own.encode(tree.words()).words)
        assert np.array_equal(gold.nodes, own.gold(tree).nodes)
    whole = Trainer(Run(), TREES[:80], TREES[80:90], settings, grammar=grammar())
    assert not whole.apart
    policy, rounds = trainer.lols("lols-0", trainer.baseline("baseline-0", 0.1), 0.0)
    assert len(rounds) == 2
    assert policy.weights.any()
