"""Stops that end no sentence, in English and elsewhere."""

from __future__ import annotations

import pytest

from secateur.treebanks.abbreviations import ELSEWHERE, ENGLISH, is_abbreviation
from secateur.treebanks.text import split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Mötet börjar kl. 17.00 i dag.", "Det kostar t.ex. 50 kr. i dag.", "Han kom."],
        ["Det kostar 50 kr.", "Han betalade.", "Kl. 18 gick hon, dvs. Anna."],
        ["Er kaufte z. B. Hunde bzw. Katzen usw.", "Die Tiere schlafen.", "Am 3. Oktober kam Hr. Weber."],
        ["Das kostet ca. 20 Mio. Euro.", "Siehe Abb. 3 und Nr. 5 auf dem 35. Kongress.", "Gut."],
        ["Dhr. Jansen woont op nr. 12, d.w.z. Hier.", "Zie blz. 7 enz.", "Het is laat."],
        ["Mødet er kl. 14, jf. Anna.", "Ring tlf. 12345678.", "Han kom ikke."],
        ["M. Dupont et Mme. Durand sont là.", "Voir chap. 3.", "Elle dort."],
        ["El Sr. García y la Dra. López viven en la Avda. Mayor.", "Véase pág. 5.", "No vino."],
        ["O sr. Silva ligou para o tel. 289-3609.", "Veja a pág. 6.", "Foi bom."],
        ["Il Sig. Rossi e la Dott.ssa Bianchi, cfr. Verdi.", "Vedi pag. 7.", "Dorme."],
    ],
)
def test_sentences_elsewhere(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["We saw it.", "20 people came.", "It was on TV.", "5 men left."],
        ["He works at the mill.", "John left it.", "He found a gem.", "Anna saw the art.", "Tom did not."],
        ["They met at the max.", "Minute by minute.", "We did not go.", "3 did.", "He came by.", "12 left."],
        ["Mr. S. Das met the U.S. Den Mother.", "They spoke.", "I saw him on day 3.", "The end came."],
        ["Ask the boss.", "He knows.", "Give it to BEN.", "67 is the score."],
    ],
)
def test_english_is_not_harmed(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences


def test_tables_are_in_order() -> None:
    for language, kinds in {"English": ENGLISH, **ELSEWHERE}.items():
        words = " ".join(kinds).split()
        assert len(words) == len(set(words)), language
        assert not any(word.endswith((".", ",")) for word in words), language
        assert all(map(is_abbreviation, f"{kinds.titles} {kinds.linking} {kinds.short}".split())), language
