"""Verbs by frame: what each takes as its subject, object and complement.

A line reads `subjects[>objects][ preposition-or-particle[ kinds]]: verbs`, the most frequent first. One verb
may have several frames; its tag tells nothing about them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from secateur.treebanks.garden.inflection import ing_form, past_forms, third_person
from secateur.treebanks.garden.luck import Luck, Table, listed

FRAMES = {
    "rest": """
pa: sleep wait stay rest eat die fall escape survive suffer drink
p: work smile laugh sing cry dance complain shout sigh nod argue lie pray cough whisper snore hesitate
pg: agree fail win lose vote succeed resign struggle
e: end begin continue start happen
tdv: break stop fall disappear vanish
i: change grow rise fall matter spread increase
n: grow fall""",
    "motion": """
pa: walk run go come hurry jump climb wander return swim move march crawl rush
pv: travel turn arrive
p: ride sail jog""",
    "appear": """
px: appear arrive come emerge return""",
    "say": """
p: say insist complain announce explain admit claim argue whisper shout""",
    "trans": """
pg>p: meet help visit call thank invite follow praise hire criticize arrest warn greet protect
p>p: marry trust admire hug
pa>pa: see watch chase like hear follow love fear bite kick hit scare ignore find attack
p>td: buy find hold carry sell take lose break need want paint repair make use wash hide steal borrow drop
p>t: open close
pg>x: read write publish print sign study translate copy praise review burn
pa>f: eat taste want smell
pa>b: drink taste want
p>f: cook buy serve prepare bake order sell bring
p>b: serve buy order bring sell spill
pg>i: accept discuss reject explain support understand raise solve face question fear change consider defend
pg>e: organize attend plan win enjoy start cancel stop join lead watch
p>l: leave visit enter reach cross search clean build buy love paint
p>v: drive repair stop buy park steal push
i>pg: surprise worry please help bother shock hurt
e>plg: destroy damage surprise scare hit help
g>vtdfb: produce sell make export design buy
a>fn: eat find smell
p>n: plant cut water pick climb""",
    "ditrans": """
p>txfb: give show send offer bring hand lend sell
pg>i: offer teach promise give""",
    "that": """
p: say think know believe hope feel guess dream
pg: announce claim report argue admit deny insist suggest decide discover complain fear
x: say show suggest""",
    "tell": """
p>p: tell remind convince assure inform warn promise""",
    "wonder": """
p: wonder ask know forget explain remember discover understand""",
    "control": """
pa: want try begin need learn
pg: decide hope plan refuse agree manage fail promise intend prefer""",
    "raise": """
pagtvlxi: seem appear tend happen continue""",
    "gerund": """
pg: start stop avoid keep finish consider
p: enjoy like hate love""",
    "persuade": """
pg>p: persuade force ask tell order allow urge encourage invite teach help""",
    "expect": """
pg>pagi: expect want need
p>pa: like prefer""",
    "perceive": """
p>pa: see hear watch notice feel""",
    "make": """
pie>p: make keep
p>xiel: find consider call
p>tfl: keep leave paint""",
    "prep": """
pa>pat at: look stare bark smile laugh
p>pex to: listen talk turn
p>pti for: wait search pay look work
pg>pi on: depend rely count
p>pi about: think worry talk dream argue
p>l in: live work stay
tv>pg to: belong
pg>pi against: fight protest vote
pg>pi with: agree deal struggle
pg>i from: suffer""",
    "place": """
p>tdfb in tl: put hide leave keep drop place find
p>tdfx on tl: put leave place drop
p>xtfb to pg: send give sell bring carry
p>p of i: accuse remind
p>p for i: blame thank praise criticize
p>t with fb: fill load
p>td with td: replace compare
p>p from il: protect save
p>tf from pgl: steal
pg>g with tdf: supply provide
p>p into vl: push lead throw""",
    "particle": """
p>td up: pick clean wrap lock
p>td away: throw give put
p>td off: take turn switch
p>d on: turn switch
p>xi down: write turn take
p>ie off: call put
pg>i out: carry work sort point
pg>l up: clean lock
pg>x out: hand read fill
pg>e up: break hold""",
    "become": """
pagi: become seem look remain sound feel
fblt: look seem smell become""",
    "be": """
pagtdvfbxlein: be""",
}

# How often each frame is used, by what the clause has room for. EMBEDDING frames bring a clause along.
ANY = {
    "trans": 36.0, "be": 11.0, "that": 3.0, "motion": 8.0, "rest": 5.0, "prep": 7.0, "place": 6.0,
    "ditrans": 4.0, "control": 1.5, "particle": 3.5, "persuade": 1.5, "expect": 1.2, "tell": 0.5,
    "wonder": 0.6, "raise": 1.0, "gerund": 0.8, "perceive": 1.2, "make": 1.0, "become": 1.5,
}  # fmt: skip
EMBEDDING = frozenset(listed("that tell wonder control raise gerund persuade expect perceive"))
PLAIN = {frame: weight for frame, weight in ANY.items() if frame not in EMBEDDING}
MENUS = {
    "any": ANY,
    "plain": PLAIN,
    "modifiable": {frame: weight for frame, weight in PLAIN.items() if frame not in ("be", "become")},
    "action": {frame: PLAIN[frame] for frame in ("trans", "motion", "rest", "prep", "place")},
    "objective": {"trans": 60.0, "prep": 8.0, "place": 8.0, "particle": 4.0, "ditrans": 5.0},
    "passive": {"trans": 10.0, "place": 2.5, "particle": 1.0},
    **{frame: {frame: 1.0} for frame in ("that", "say", "appear")},
}

# Verbs that make others: repaint, overcook, misread.
PRODUCTIVE = frozenset(
    listed("paint build write read open sell print plant wash cook bake design study copy load use")
)
PREFIXES = ("re", "re", "over", "mis")
RARE = 0.15


class Verb(NamedTuple):
    base: str
    third: str
    past: str
    participle: str
    gerund: str
    frame: str
    subjects: str
    objects: str
    extra: str  # the preposition or particle it takes
    extra_kinds: str  # and what follows the preposition


def _verbs(frame: str) -> list[tuple[Verb, float]]:
    found = []
    for line in FRAMES[frame].strip().splitlines():
        selection, _, bases = line.partition(": ")
        kinds, extra, extra_kinds, *_ = [*selection.split(), "", ""]
        subjects, _, objects = kinds.partition(">")
        for rank, base in enumerate(bases.split()):
            forms = (base, third_person(base), *past_forms(base), ing_form(base))
            found.append((Verb(*forms, frame, subjects, objects, extra, extra_kinds), 1.0 / (rank + 1.0)))
    return found


VERBS = {frame: _verbs(frame) for frame in FRAMES}


def coin(luck: Luck, verb: Verb) -> Verb:
    """At times a rare relative of the verb."""
    if not luck.toss(RARE):
        return verb
    prefix = luck.pick(PREFIXES)
    base, third, past, participle, gerund = (prefix + form for form in verb[:5])
    return verb._replace(base=base, third=third, past=past, participle=participle, gerund=gerund)


@cache
def _frames(menu: str, subject: str, object_: str) -> Table[str]:
    """The frames of a menu that have verbs for such a subject and object."""
    return Table(
        (frame, weight) for frame, weight in MENUS[menu].items() if _table(frame, subject, object_).items
    )


@cache
def _table(frame: str, subject: str, object_: str) -> Table[Verb]:
    return Table(
        (verb, weight)
        for verb, weight in VERBS[frame]
        if subject in verb.subjects and object_ in verb.objects
    )


def choose(luck: Luck, menu: str, *, subject: str = "", object_: str = "") -> Verb:
    """A verb from a menu of frames that goes with a subject and an object of these kinds ("" for any)."""
    verb = luck.of(_table(luck.of(_frames(menu, subject, object_)), subject, object_))
    return coin(luck, verb) if verb.base in PRODUCTIVE else verb
