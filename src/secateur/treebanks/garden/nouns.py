"""Nouns by kind, names, and the ways new ones are coined.

A kind is one letter; verbs, adjectives and prepositions say with strings of kinds what they go with.
"""

from __future__ import annotations

from typing import NamedTuple

from secateur.treebanks.garden.inflection import plural
from secateur.treebanks.garden.luck import Luck, Table, listed, zipf

# The most frequent first. An irregular plural follows a slash; "word/" has none (a mass noun).
WORDS = {
    # persons
    "p": """man/men woman/women child/children girl boy farmer teacher doctor student friend neighbor worker
officer lawyer mother writer father reporter brother judge sister driver manager soldier artist nurse singer
captain minister baker guard hunter painter visitor guest clerk king queen sailor tourist customer president
director player engineer cook gardener mayor waiter scientist carpenter builder musician poet critic editor
banker trader voter witness thief/thieves stranger uncle aunt cousin shepherd expert tailor prisoner dancer
librarian pilot senator professor owner leader member""",
    # animals
    "a": """dog cat horse bird cow fish/fish sheep/sheep goat fox wolf/wolves mouse/mice rabbit bear duck hen
goose/geese donkey owl spider snake eagle deer/deer frog squirrel pig lion crow""",
    # groups and institutions
    "g": """company committee bank team government council court family army union board agency party
club firm crew jury ministry choir factory orchestra parliament gang""",
    # things
    "t": """box table door chair bag window coat hat key picture cup bottle lamp basket bed ring shirt blanket
mirror clock coin rope gift candle plate toy flag ladder curtain umbrella statue bell wheel carpet necklace
drawer barrel jacket shoe glove painting drawing""",
    # tools
    "d": """knife/knives hammer telescope camera phone computer machine saw radio stick brush shovel
needle spoon drill microscope rake pencil""",
    # vehicles
    "v": "car boat train truck bus ship bicycle plane wagon taxi ferry tractor",
    # food
    "f": """bread/ cheese/ soup apple cake meal egg rice/ pie sandwich potato/potatoes salad pear cookie
honey/ butter/ carrot onion sausage""",
    # drink
    "b": "water/ wine/ tea/ coffee/ milk/ beer/ juice/ cider/",
    # texts
    "x": """book letter report story article song map note message poem novel document newspaper list review
contract diary speech bill play study recipe paper""",
    # places
    "l": """house garden village city town street room market school river field forest kitchen office
shop farm hill road bridge station park beach church museum library castle island building harbor valley
mountain square hotel theater yard lake border hospital university tower tunnel""",
    # events
    "e": """meeting storm war election party trial game dinner strike festival wedding concert race
attack lesson journey flood fire crisis/crises debate visit walk fight harvest ceremony holiday interview
march funeral exam earthquake auction""",
    # times
    "m": "week year month night summer winter evening morning spring weekend autumn afternoon",
    # ideas and other abstract things
    "i": """plan idea problem question decision price reason answer cost rule change offer promise effort risk
truth/ secret claim danger tax policy debt success chance right demand rumor theory loss profit attempt fear
hope advice/ result value/ growth/ peace/ argument request proposal mistake behavior/ warning method habit""",
    # growing and natural things
    "n": "tree flower stone branch leaf/leaves rose oak bush rock vine",
}
# How often each kind is talked about.
KIND_WEIGHTS = {
    "p": 9.0, "i": 5.0, "t": 5.0, "g": 4.0, "x": 4.0, "l": 4.0, "e": 3.0, "a": 2.5, "f": 2.5, "d": 2.0,
    "v": 2.0, "m": 1.5, "b": 1.2, "n": 1.2,
}  # fmt: skip

# New nouns are coined from a first and a second part.
COINED = {
    "p": (
        "lamp clock goat bridge boat wine song wagon barrel glove candle horse",
        "maker keeper seller dealer painter",
    ),
    "t": ("paper iron stone glass silver copper leather bamboo", "box pot frame case bowl cloth"),
    "d": ("hand steam water wind grass", "saw press pump cutter lifter"),
    "f": ("apple nut plum berry onion rye", "cake bread pudding pie"),
    "l": ("mill oak river bird wheat salt", "yard field house land ground"),
    "x": ("hand day song law trade", "book sheet letter paper"),
    "i": ("calm stubborn sad late lonely careful honest bitter foolish polite cheerful", "ness"),
}
# What a noun of each kind may have before it, as in kitchen table.
COMPOUND = {
    "p": "village city school company factory bank hospital farm newspaper",
    "a": "farm house village city",
    "t": "kitchen garden paper silver glass office iron bedroom",
    "d": "kitchen garden pocket steel",
    "v": "delivery fishing city toy company",
    "f": "apple cheese fish vegetable honey",
    "b": "breakfast house apple",
    "x": "company tax government love newspaper peace school",
    "l": "city village mountain rose apple bus train summer",
    "e": "company family village street school tax election football",
    "g": "city car food oil newspaper village",
    "i": "tax bread market family oil company energy",
    "m": "summer holiday election",
    "n": "apple garden river",
}
# Nouns with a clause of their own: the claim that ..., the plan to ...
THAT_NOUNS = frozenset(listed("claim idea rumor fear hope theory promise argument warning"))
TO_NOUNS = frozenset(listed("plan decision offer promise attempt effort right chance request proposal"))

FIRST_NAMES = listed("""Anna Peter Maria Thomas Clara Martin Laura Henry Julia Oscar Emma Victor Nora
Walter Alice Simon Greta Hugo Irene Felix Rosa Bruno Mark Grace Rose Pearl""")
TITLES = listed("Mr. Mrs. Dr. Captain President Judge Professor")
FAMILIES = listed("Brandt Moreno Hale Lindqvist Okoye")
PLACES = listed(
    "Ashford Lisbon Brenton Milbury Norway Oslo Harwick Peru Tarnov Velden Kesh Lormont Dunmore Spain"
)
FIRMS = listed("Motors Steel Foods Press Bank Group Airlines Industries Partners")
ONSETS = listed("B Br C D Dr F G Gr H K L M N P R S St T Tr V W")
NUCLEI = listed("a e i o u al ar en er il in or an ol")
LINKS = listed("b d g l m n r t v")
CODAS = listed("""by d dek don dorf field ford gar ham ky lan ley lin mann mer mond nov row sen ser ski
ston ton vik well""")
DAYS = listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS = listed("January March April May June July August October December")

RARE = 0.025  # how often a noun is coined
RARE_NAME = 0.35  # how often a family or a firm has a name of its own


class Noun(NamedTuple):
    singular: str
    plural: str  # "" for mass nouns
    kind: str


def _noun(entry: str, kind: str) -> Noun:
    singular, slash, irregular = entry.partition("/")
    return Noun(singular, irregular if slash else plural(singular), kind)


NOUNS = {kind: zipf((_noun(entry, kind) for entry in words.split()), 1.0) for kind, words in WORDS.items()}
_COINED = {kind: (first.split(), second.split()) for kind, (first, second) in COINED.items()}
_COMPOUND = {kind: zipf(words.split()) for kind, words in COMPOUND.items()}
_FIRST_NAMES = zipf(FIRST_NAMES)
_PLACES = zipf(PLACES)
_kinds: dict[str, Table[str]] = {}


def kind_of(luck: Luck, kinds: str) -> str:
    """One of the kinds, by how often each is talked about."""
    if len(kinds) == 1:
        return kinds
    table = _kinds.get(kinds)
    if table is None:
        table = _kinds[kinds] = Table((kind, KIND_WEIGHTS[kind]) for kind in kinds)
    return luck.of(table)


def noun(luck: Luck, kind: str) -> Noun:
    if kind in _COINED and luck.toss(RARE):
        first, second = _COINED[kind]
        singular = luck.pick(first) + luck.pick(second)
        return Noun(singular, plural(singular) if kind != "i" else "", kind)
    return luck.of(NOUNS[kind])


def compound(luck: Luck, kind: str) -> str:
    """A noun to stand before one of this kind."""
    return luck.of(_COMPOUND[kind])


def surname(luck: Luck) -> str:
    middle = luck.pick(NUCLEI) + luck.pick(LINKS) if luck.toss(0.2) else ""
    return luck.pick(ONSETS) + middle + luck.pick(NUCLEI) + luck.pick(CODAS)


def name(luck: Luck, kind: str) -> list[str]:
    """A proper name: of a person, a group or a place."""
    if kind == "l":
        return [surname(luck) if luck.toss(0.3 * RARE_NAME) else luck.of(_PLACES)]
    if kind == "g":
        first = surname(luck) if luck.toss(RARE_NAME) else luck.of(_PLACES)
        return [first, "&", surname(luck)] if luck.toss(0.08) else [first, luck.pick(FIRMS)]
    if luck.toss(0.45):
        return [luck.of(_FIRST_NAMES)]
    family = surname(luck) if luck.toss(RARE_NAME) else luck.pick(FAMILIES)
    return [luck.pick(TITLES) if luck.toss(0.5) else luck.of(_FIRST_NAMES), family]
