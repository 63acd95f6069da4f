"""Adjectives, adverbs, prepositions, subordinators and determiners, with what each of them goes with.

Words that share a tag differ here in where they attach: that is the ambiguity which tags cannot resolve.
"""

from __future__ import annotations

from typing import NamedTuple

from secateur.treebanks.garden.inflection import adverb
from secateur.treebanks.garden.luck import Luck, Table, listed, zipf

_CONCRETE = "old new small big large little beautiful strange ugly"
ADJECTIVES = {
    "p": """young old tall happy poor famous angry clever tired rich kind brave honest quiet nervous lazy
proud careful hungry lonely worried friendly polite stubborn cheerful foolish surprised patient rude wise
local""",
    "a": "small black old white hungry wild young brown big angry fat tired quiet friendly grey gentle",
    "g": "local large national small new powerful foreign private rich public independent corrupt",
    "t": _CONCRETE
    + " heavy broken empty wooden red expensive blue white dirty green round cheap dusty painted plain",
    "d": _CONCRETE + " sharp broken heavy modern cheap rusty useful",
    "v": _CONCRETE + " fast red slow modern expensive crowded yellow broken",
    "f": "fresh cold warm sweet hot delicious bitter stale cheap",
    "b": "cold hot fresh warm sweet cheap expensive bitter strong",
    "x": "long new short interesting famous secret boring old strange excellent sad angry detailed popular",
    "l": "old small dark large quiet busy distant crowded empty narrow beautiful abandoned famous ruined",
    "e": "long terrible annual noisy public final boring violent early bitter brief recent",
    "m": "cold long whole warm busy wet quiet",
    "i": """new good important simple serious difficult high clear strange bad dangerous foolish early obvious
interesting common sudden reasonable useful surprising bitter honest""",
    "n": "tall old green dead large red small",
}
# No two adjectives of one line are said of the same noun.
DIMENSIONS = """small big large little tall short long
old new young modern early recent
cold warm hot fresh stale
cheap expensive rich poor
good bad terrible excellent clever foolish wise
happy sad angry cheerful
public private secret local national foreign
red blue white green black brown grey yellow
quiet noisy busy crowded empty"""
FIRST_PARTS = listed("red dark grey blue long sharp soft broad heavy light bright")  # red-haired, sharp-eyed
SECOND_PARTS = listed("haired eyed voiced shouldered legged tongued")

# adjective: its preposition and what follows
PREPOSITIONAL = {
    "p": """proud:of:pi afraid:of:ape tired:of:pi full:of:i fond:of:paf aware:of:i jealous:of:p angry:with:p
happy:with:ix good:at:e famous:for:xi ready:for:e kind:to:pa worried:about:pi sorry:about:i interested:in:xi
different:from:p close:to:pl""",
    "t": "full:of:f similar:to:t different:from:t",
    "l": "full:of:pat close:to:l famous:for:fx near:to:l",
    "i": "similar:to:i different:from:i important:for:pg harmful:to:pg",
    "x": "similar:to:x full:of:i useful:for:p",
}
INFINITIVAL = listed("ready eager happy able willing afraid likely glad")
CLAUSAL = listed("sure afraid certain glad aware sorry")

# Adverbs, by where they attach.
MANNER = (
    "quickly slowly carefully quietly well loudly gently happily badly suddenly secretly politely nervously"
)
MANNERLY = listed("""happy angry clever kind brave honest quiet nervous lazy proud hungry polite stubborn
cheerful foolish patient rude wise bitter gentle noisy violent brief""")  # adjectives that make more of them
FREQUENCY = "always often never usually sometimes rarely still already seldom"
TIME = "again now soon later recently then early immediately twice once"
SENTENCE = "however perhaps indeed meanwhile therefore fortunately clearly finally surprisingly moreover"
DEGREE = "very quite rather extremely really terribly so too"
APPROXIMATE = "about nearly almost roughly"
FOCUS = "only even just especially mainly"
# Adverbs that belong to the preposition or subordinator after them.
BEFORE = {
    **dict.fromkeys(listed("after before"), zipf(listed("just shortly even only right"))),
    **dict.fromkeys(
        listed("into through across toward onto past over around"), zipf(listed("straight right even"))
    ),
    **dict.fromkeys(
        listed("in at near behind under on"), zipf(listed("only just even right especially mainly"))
    ),
}
BEFORE_OTHERS = zipf(listed("only even just especially mainly"))


class Complemented(NamedTuple):
    """An adjective, the preposition it takes, and what follows that."""

    adjective: str
    preposition: str
    objects: str


class Preposition(NamedTuple):
    text: str
    objects: str
    function: str  # the Penn function tag where it modifies a verb


def _table(text: str) -> Table[Preposition]:
    found = []
    for entry in text.split():
        name, objects, function, weight = entry.split(":")
        found.append((Preposition(name.replace("_", " "), objects, function), float(weight)))
    return Table(found)


# After a noun of some kind: preposition:kinds:function:weight. Most of these prepositions look for nouns ...
AFTER_NOUN = {
    "p": _table("of:lg::15 from:l::4 with:tad::1.5 like:p::1 in:t::.5"),
    "a": _table("of:p::12.5 from:l::2 with:nt::.5 like:a::.5"),
    "g": _table("of:p::15 from:l::2 for:p::1.5 against:i::1.5 in:l::.7"),
    "t": _table("of:p::17.5 from:pl::2 for:p::2 with:tn::.7 on:t::.7"),
    "d": _table("of:p::17.5 for:nt::1.5 from:pl::1.5 on:t::.5"),
    "v": _table("of:p::12.5 from:l::2 like:v::.5 with:t::.5"),
    "f": _table("of:p::7.5 from:lg::3 for:p::2 with:f::1 on:t::.5"),
    "b": _table("from:l::3 of:p::2.5 for:p::2 in:t::.7"),
    "x": _table("about:peil::8 of:p::10 by:p::3 from:pg::2 against:ig::1 for:p::.7"),
    "l": _table("of:pg::17.5 between:l::1 like:l::.5 near:l::.7 with:nt::.7"),
    "e": _table("of:pg::10 between:pg::3 against:pgi::3 about:i::2.5 in:l::.7"),
    "m": _table("of:ei::2.5"),
    "i": _table("of:pgi::22.5 about:pei::3 between:pg::1.5 against:pi::2 behind:ie::.7 for:ep::1"),
    "n": _table("of:lp::10 from:l::1 near:l::.7"),
}
# ... and most of these for verbs.
AFTER_VERB = _table(
    "during:em:TMP:8 in:l:LOC:7 after:e:TMP:5 with:d:MNR:4 at:l:LOC:4 before:e:TMP:4 despite:ei:ADV:5 "
    "without:pi:MNR:2.5 near:l:LOC:1.5 until:em:TMP:3 since:em:TMP:2 with:p:MNR:2 throughout:em:TMP:1.5 "
    "in:m:TMP:3 by:v:MNR:2 under:n:LOC:1 within:m:TMP:1 because_of:ei:PRP:1.5 for:m:TMP:2 on:l:LOC:1"
)
# After a verb of motion.
TOWARD = _table(
    "to:lp:DIR:6 into:l:DIR:6 toward:lp:DIR:5 through:l:DIR:4 across:l:DIR:3 along:l:DIR:1.5 past:l:DIR:1 "
    "around:l:DIR:1 over:l:DIR:1 onto:t:DIR:1"
)
# Where something is: persons and the like, and things.
PLACE = _table("in:l:LOC:5 at:l:LOC:2 near:l:LOC:2.5 behind:l:LOC:1")
PLACE_OF_THINGS = _table("in:tl:LOC:5 on:t:LOC:4 under:t:LOC:1.5 behind:t:LOC:1 near:tl:LOC:1")
NAMEABLE = frozenset(
    listed("in near from to toward of about for against by with like between through past without despite")
)


# Prepositions with a noun that needs no article: these look for verbs.
BARE = """in:silence:MNR in:public:MNR in:secret:MNR in:winter:TMP in:spring:TMP at:night:TMP at:noon:TMP
at:home:LOC at:work:LOC at:dawn:TMP by:train:MNR by:hand:MNR by:mistake:MNR by:bus:MNR with:care:MNR
with:pride:MNR with:pleasure:MNR without:warning:MNR without:help:MNR for:weeks:TMP for:years:TMP
for:hours:TMP after:dinner:TMP after:lunch:TMP before:breakfast:TMP before:dawn:TMP during:dinner:TMP
until:midnight:TMP on:foot:MNR despite:protests:ADV"""
BARE_PLURALS = frozenset(listed("weeks years hours protests"))


class Subordinator(NamedTuple):
    text: str
    function: str
    attachment: (
        str  # "low": the nearest verb phrase; "high": the outermost clause; "loose": a clause, after a comma
    )


SUBORDINATORS = Table(
    [
        (Subordinator("because", "PRP", "high"), 4),
        (Subordinator("when", "TMP", "low"), 4),
        (Subordinator("although", "ADV", "loose"), 2.5),
        (Subordinator("if", "ADV", "low"), 2.5),
        (Subordinator("while", "TMP", "low"), 2),
        (Subordinator("after", "TMP", "high"), 2),
        (Subordinator("before", "TMP", "low"), 2),
        (Subordinator("until", "TMP", "low"), 1.5),
        (Subordinator("since", "PRP", "high"), 1.5),
        (Subordinator("unless", "ADV", "low"), 1),
        (Subordinator("though", "ADV", "loose"), 1),
        (Subordinator("whereas", "ADV", "loose"), 0.7),
        (Subordinator("once", "TMP", "low"), 0.7),
    ]
)

_DIMENSION = {text: line for line in DIMENSIONS.splitlines() for text in line.split()}
_ADVERBS = {
    name: zipf(words.split())
    for name, words in {
        "manner": MANNER,
        "frequency": FREQUENCY,
        "time": TIME,
        "sentence": SENTENCE,
        "degree": DEGREE,
        "approximate": APPROXIMATE,
        "focus": FOCUS,
    }.items()
}
_ADJECTIVES = {kind: zipf(words.split(), 3.0) for kind, words in ADJECTIVES.items()}
_PREPOSITIONAL = {
    kind: zipf([Complemented(*entry.split(":")) for entry in entries.split()], 4.0)
    for kind, entries in PREPOSITIONAL.items()
}
_BARE = zipf([entry.split(":") for entry in BARE.split()], 6.0)


def adjective(luck: Luck, kind: str) -> str:
    if kind == "p" and luck.toss(0.04):
        return f"{luck.pick(FIRST_PARTS)}-{luck.pick(SECOND_PARTS)}"
    return luck.of(_ADJECTIVES[kind])


def second_adjective(luck: Luck, kind: str, first: str) -> str:
    """One to go with the first; "" if what was drawn says the same or the opposite."""
    second = adjective(luck, kind)
    return "" if _DIMENSION.get(second, second) == _DIMENSION.get(first, first) else second


def complemented(luck: Luck, kind: str) -> Complemented | None:
    """An adjective with a preposition, if there are any for this kind."""
    return luck.of(_PREPOSITIONAL[kind]) if kind in _PREPOSITIONAL else None


def adverb_of(luck: Luck, sort: str) -> str:
    """An adverb of a sort; those of manner are also made from adjectives."""
    if sort == "manner" and luck.toss(0.25):
        return adverb(luck.pick(MANNERLY))
    return luck.of(_ADVERBS[sort])


def before(luck: Luck, text: str) -> str:
    """An adverb for a preposition or subordinator."""
    return luck.of(BEFORE.get(text, BEFORE_OTHERS))


def bare(luck: Luck) -> tuple[str, str, str]:
    """A preposition, a noun without an article, and the function of the two."""
    preposition, noun, function = luck.of(_BARE)
    return preposition, noun, function
