"""Abbreviations and other words whose stop need not end a sentence, of English and its neighbours.

They make one set for all languages: what is a word of its own in English (German `gem.`, Italian `es.`) is
not among them, and words that start a sentence elsewhere count only after an abbreviation from elsewhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Abbreviations(NamedTuple):
    """Those of a language, in four kinds, without their stops."""

    titles: str  # a name follows: never the end of a sentence
    linking: str  # the sentence goes on
    numbering: str  # a number follows, or else it is a word like any other
    short: str  # may end a sentence: what follows decides


ENGLISH = Abbreviations(
    """
    Mr Mrs Ms Mx Messrs Mmes Dr Drs Prof Profs Rev Hon Fr Sen Sens Rep Reps Gov Govs Gen Col Lt Maj Capt Cpl
    Sgt Cmdr Adm Pres Supt Insp Amb Atty
    """,
    "e.g i.e cf viz vs v approx ca incl esp resp",
    "No Nos no nos c p pp vol Vol vols ch Ch fig Fig figs Figs eq Eq sec Sec art Art",
    """
    Inc Corp Co Cos Ltd Bros Pty Plc Jr Sr Esq St Ste Mt Ft Ave Blvd Rd Dept Univ Assn Inst Bldg etc al est
    ext Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Ala Ariz Ark
    Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Mass Md Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Tenn Tex
    Va Vt Wash Wis Wyo Ont Que
    """,
)
ELSEWHERE = {
    "German": Abbreviations(
        "Hr Hrn Frl Ing Dipl rer jur habil",
        "bzw z.B d.h u.U i.d.R evtl ggf ggfs inkl exkl vgl sog gegr bspw insb insbes einschl zzgl abzgl ehem",
        "Nr Nrn Abs Abb Bd Kap Tab Tel Str Hs Jg Ziff Rdnr max min",
        "usw u.a o.ä Mio Mrd Std Jh Jhd geb gest Hrsg Okt Dez",
    ),
    "Dutch": Abbreviations(
        "dhr mevr mw drs ir ing jhr ds",
        "bijv bv d.w.z m.a.w i.p.v t.a.v t.o.v n.a.v m.b.t evt excl zgn vgl",
        "nr nrs blz pag hfst afb tel jl art",
        "enz o.a e.d mln mld",
    ),
    "Swedish": Abbreviations(
        "hr",
        "t.ex dvs d.v.s s.k f.d fr.o.m t.o.m p.g.a pga ev jfr exkl m.a.o m.h.t",
        "kl nr tel sid kap kv",
        "osv o.s.v m.m m.fl o.d e.d milj mdr kr dr prof jan feb aug sept okt nov dec",
    ),
    "Danish and Norwegian": Abbreviations(
        "frk",
        "f.eks bl.a jf iht ift ifm mht hhv ekskl vedr tidl pga vha sml",
        "tlf stk pkt bd",
        "mv m.v mio mia mrd",
    ),
    "French": Abbreviations(
        "Mme Mmes Mlle Mlles Mgr Pr",
        "p.ex",
        "chap env tél réf n°",
        "MM hab Cie Sté bd boul janv févr juil déc",
    ),
    "Spanish": Abbreviations(
        "Sr Sra Sras Sres Srta sr sra sres srta Dña Dra Dres dra Lic Arq Gral Cnel Ud Uds Vd Vds",
        "p.ej aprox",
        "pág págs núm núms teléf cap máx mín",
        "Avda Cía izq dcha EE.UU",
    ),
    "Portuguese": Abbreviations(
        "Srs srs sras Dras Profa Exmo Exma Pe Av",
        "p.ex",
        "pág págs arts nº n.º séc sécs tel Tel",
        "Ltda Cia cia drs profa eng Eng",
    ),
    "Italian": Abbreviations(
        "Sig Sigg Sig.ra sig.ra Dott dott Dott.ssa Prof.ssa Avv avv Geom Mons",
        "cfr c.d",
        "pag pagg artt",
        "ecc S.p.A S.r.l",
    ),
}


def words_of(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def _all(languages: list[Abbreviations]) -> tuple[frozenset[str], ...]:
    return tuple(words_of(" ".join(kind)) for kind in zip(*languages, strict=True))


TITLES, LINKING, NUMBERING, SHORT = _all([ENGLISH, *ELSEWHERE.values()])
_FOREIGN = words_of(" ".join(kind.short for kind in ELSEWHERE.values())) - words_of(ENGLISH.short)
_INITIALS = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+")  # U.S, a.m, Ph.D: before the last stop
# kl. 17.00, nr. 5: short and without a vowel, so that "we saw it. 20 people came" are two sentences.
_CONSONANTS = re.compile(r"[^\W\d_aeiouyáéíóúàèìòùâêîôûãõäöüåæøœ]{1,4}")

# Words that start a sentence far more often than a name.
_STARTERS = words_of(
    """
    A About After All Also Although Among An And Another Any As At Back Because Before Both But By Can
    Despite Did Do Does During Each Earlier Even Every Few First For From Had Has Have He Her Here His How
    However I If In Indeed Instead Is It Its Last Later Many Maybe Meanwhile More Moreover Most My Neither
    Nevertheless No Nobody None Nor Not Nothing Now Of On Once One Only Or Other Others Our Over Perhaps
    Several She Should Since So Some Still Such That The Their Then There Therefore These They This Those
    Though Three Thus To Today Two Under Unlike Until We Were What When Where Whether Which While Who Why
    Will With Within Without Would Yesterday Yet You Your
    """
)
_STARTERS_ELSEWHERE = words_of(
    """
    Aber Als Am Auch Auf Bei Da Dann Das Dem Den Der Die Diese Dieser Doch Ein Eine Er Es Für Ich Im In Man
    Mit Nach Nun Sie So Und Von Was Wenn Wir Zu De Dat Deze Een En Er Het Hij Ik In Maar Met Op Van Voor We
    Wij Ze Zij Att Av Den Det De En Ett För Han Hon I Men Med När Och Om På Som Vi Der Et Hun Jeg Når På
    Ce Ces Cette Dans De Elle En Et Il Ils La Le Les Mais On Pour Un Une Al Con El Ella En Era Esta Este Los
    Las No Para Pero Por Se Un Una Y A As Com Da Do E Ela Ele Em Mas Na No O Os Para Por Um Uma Che Con Di
    Gli Il In La Le Lo Ma Nel Per Si Un Una
    """
)
# 3. Oktober, der 35. Kongress: the stop makes an ordinal of the number.
_MONTHS = words_of(
    "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhundert"
)
_BEFORE_ORDINALS = words_of("am im zum vom beim der die das dem den des zur Am Im Zum Vom Der Die Das")


def is_abbreviation(word: str) -> bool:
    """Whether the stop after `word` belongs to it wherever it stands."""
    word = re.split("[-/–]", word)[-1]
    return word in TITLES or word in LINKING or word in SHORT or _INITIALS.fullmatch(word) is not None


def goes_on_after(word: str) -> bool:
    """Whether no sentence ends with `word` and its stop."""
    if len(word) > 1 and word not in TITLES:
        word = _uncapitalized(word)
    return word in TITLES or word in LINKING


def numbers(word: str) -> bool:
    """Whether the stop after `word` is no end where a number follows."""
    word = word if word in NUMBERING else _uncapitalized(word)
    return word in NUMBERING or (word.islower() and _CONSONANTS.fullmatch(word) is not None)


def is_ordinal(before: str, number: str, following: str) -> bool:
    """Whether the stop after a number makes it an ordinal, as in German, where nouns are in upper case."""
    if not (number.isdecimal() and len(number) <= 2 and following[:1].isupper()):
        return False
    return following.rstrip(".,;:!?)") in _MONTHS or before in _BEFORE_ORDINALS


def starts_sentence(word: str, before: str) -> bool:
    """Whether a word starts a sentence, rather than being a name, after the abbreviation `before`."""
    abroad = before in _FOREIGN or ("." in before and before[:1].islower())
    return word in _STARTERS or (abroad and word in _STARTERS_ELSEWHERE)


def _uncapitalized(word: str) -> str:
    return word[:1].lower() + word[1:]
