"""Attachment scores against a plain twin and by hand."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import attachment as naive
from secateur.errors import InputError
from secateur.metrics import Attachment, attachment, confidence, sum_attachments
from secateur.metrics.attachment import Punctuation
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.formats.conll import CONLLU

WORDS = ["cat", ",", "``", "%", "$", "#", "...", "-LRB-", "。", "«", "a.", "'s"]
TAGS = [("PUNCT", ","), ("PUNCT", "``"), ("PUNCT", "HYPH"), ("SYM", "$"), ("NOUN", "NN"), ("X", "-LRB-")]
LABELS = ["nsubj", "nsubj:pass", "nsubj:", "obj", "_"]
HOW = st.sampled_from(["include", "tag", "characters"])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[DependencyTree, DependencyTree]:
    """A gold tree and a parse of the same words."""
    count = draw(st.integers(1, 6))

    def heads() -> tuple[int, ...]:
        order = draw(st.permutations(range(1, count + 1)))
        above = {order[0]: 0}
        for place in range(1, count):
            above[order[place]] = draw(st.sampled_from(order[:place]))
        return tuple(above[word] for word in range(1, count + 1))

    def column(values: list[str]) -> tuple[str, ...]:
        return tuple(draw(st.lists(st.sampled_from(values), min_size=count, max_size=count)))

    words = column(WORDS)
    tags = draw(st.lists(st.sampled_from(TAGS), min_size=count, max_size=count))
    gold = DependencyTree(
        words, tuple(fine for _, fine in tags), tuple(coarse for coarse, _ in tags), heads(), column(LABELS)
    )
    same = draw(st.booleans())
    parsed = gold.with_heads(gold.heads if same else heads(), column(LABELS))
    return gold, parsed.with_tags(("NN",) * count, ("NOUN",) * count)


@given(st.lists(pairs(), min_size=1, max_size=5), HOW, st.booleans())
def test_equals_its_plain_twin(
    given: list[tuple[DependencyTree, DependencyTree]], how: Punctuation, subtypes: bool
) -> None:
    golds, parses = [gold for gold, _ in given], [parsed for _, parsed in given]
    scores = attachment(golds, parses, punctuation=how, subtypes=subtypes)
    texts = ["".join(CONLLU.texts(trees)) for trees in (golds, parses)]
    expected = naive.figures(*texts, how, subtypes)
    total = scores.total
    assert (total.words, total.sentences) == (expected.words, len(given))
    assert (total.uas, total.las) == pytest.approx((expected.uas, expected.las))
    assert total.complete_match == pytest.approx(expected.complete)
    assert total == sum((each for each in scores.sentences[1:]), scores.sentences[0])
    assert total.labelled <= total.heads <= total.words <= total.length
    grouped = [row.counts for row in scores.by_length([2, 4])]
    assert sum_attachments(grouped) == total


GOLD = """\
1\tIt\t_\tPRON\tPRP\t_\t2\tnsubj:expl\t_\t_
2\tcosts\t_\tVERB\tVBZ\t_\t0\troot\t_\t_
3\t``\t_\tPUNCT\t``\t_\t5\tpunct\t_\t_
4\t$\t_\tSYM\t$\t_\t5\tdep\t_\t_
5\t5\t_\tNUM\tCD\t_\t2\tobj\t_\t_
6\t%\t_\tSYM\tNN\t_\t5\tdep\t_\t_
7\t.\t_\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
# Wrong heads of words 3 and 6, another subtype on word 1, another label on word 5.
PARSED = (
    GOLD.replace("nsubj:expl", "nsubj")
    .replace("``\t_\t5", "``\t_\t2")
    .replace("NN\t_\t5", "NN\t_\t2")
    .replace("obj\t", "iobj\t")
)


def scores_of(gold: str, parsed: str, **options: object) -> Attachment:
    trees = (CONLLU.read(io.StringIO(text)) for text in (gold, parsed))
    return attachment(*trees, **options).total  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("how", "subtypes", "counts"),
    [
        ("include", True, (7, 5, 3)),
        ("include", False, (7, 5, 4)),
        ("tag", True, (5, 4, 2)),  # neither `` nor . count
        ("tag", False, (5, 4, 3)),
        ("characters", True, (5, 4, 2)),  # neither % nor . count, but `` does
        ("characters", False, (5, 4, 3)),
    ],
)
def test_by_hand(how: str, subtypes: bool, counts: tuple[int, int, int]) -> None:
    total = scores_of(GOLD, PARSED, punctuation=how, subtypes=subtypes)
    assert (total.words, total.heads, total.labelled) == counts
    assert (total.sentences, total.complete, total.length) == (1, 0, 7)
    assert scores_of(GOLD, GOLD, punctuation=how).complete_labelled == 1


def test_every_result_says_how_it_was_taken() -> None:
    tree = next(CONLLU.read(io.StringIO(GOLD)))
    protocols = {
        attachment([tree], [tree], punctuation=how, subtypes=subtypes).protocol  # type: ignore[arg-type]
        for how in ("include", "tag", "characters")
        for subtypes in (True, False)
    }
    assert len(protocols) == 6
    assert "attachment, punctuation counted, labels whole, all lengths" in protocols
    assert any("by gold tag" in each and "PUNCT" in each and "$" not in each for each in protocols)


def test_as_brackets() -> None:
    trees = [list(CONLLU.read(io.StringIO(text * 3))) for text in (GOLD, PARSED)]
    scores = attachment(*trees)
    assert confidence(scores.as_brackets()) == pytest.approx((scores.uas, scores.uas))
    assert scores.confidence(labelled=True) == pytest.approx((scores.las, scores.las))
    found = scores.to_dict()
    assert found["total"]["uas"] == pytest.approx(500 / 7)
    assert len(found["sentences"]) == 3
    assert "sentences" not in scores.to_dict(sentences=False)


def test_different_sentences() -> None:
    with pytest.raises(InputError, match=r'sentence 2 \(line 9\): word 2 is "costs" in gold but "cost" here'):
        scores_of(GOLD * 2, GOLD + GOLD.replace("costs", "cost"))
    with pytest.raises(InputError, match="3 gold sentences but 1 to score"):
        scores_of(GOLD * 3, GOLD)
    with pytest.raises(InputError, match="1 gold sentences but 2 to score"):
        scores_of(GOLD, GOLD * 2)
    tree = next(CONLLU.read(io.StringIO(GOLD)))
    with pytest.raises(InputError, match=r"sentence 1 .* has no heads on the parsed side"):
        attachment([tree], [tree.without_heads()])
    short = DependencyTree(("a",), ("X",), ("X",), (0,), ("root",))
    with pytest.raises(InputError, match='sentence 1: word 1 is "It" in gold but "a" here'):
        attachment([tree], [short])
    with pytest.raises(InputError, match="unknown treatment"):
        attachment([tree], [tree], punctuation="some")  # type: ignore[arg-type]


def test_nothing() -> None:
    empty = attachment([], [])
    assert (empty.total, empty.uas, empty.las) == (Attachment(), 0, 0)
    assert empty.nothing_scored
    assert empty.by_length() == []
    tree = next(CONLLU.read(io.StringIO(GOLD)))
    assert [row.name for row in attachment([tree], [tree]).by_length((5, 6, 10, 20))] == ["7-10"]
    assert not attachment([tree], [tree]).nothing_scored
    stop = DependencyTree((".",), (".",), ("PUNCT",), (0,), ("root",))
    assert attachment([stop], [stop], punctuation="tag").nothing_scored
