"""English inflection: plurals, verb forms, and the choice between a and an."""

from __future__ import annotations

from secateur.treebanks.garden.luck import listed

VOWELS = "aeiou"
AN = ("honest",)  # in spite of their first letters
A = ("uni", "use")

# base past participle, where they are not the base + ed
IRREGULAR = """
be was been,become became become,begin began begun,bite bit bitten,break broke broken,
bring brought brought,build built built,buy bought bought,come came come,cut cut cut,deal dealt dealt,
dream dreamt dreamt,drink drank drunk,drive drove driven,eat ate eaten,fall fell fallen,feel felt felt,
fight fought fought,find found found,forget forgot forgotten,give gave given,go went gone,
grow grew grown,hear heard heard,hide hid hidden,hit hit hit,hold held held,hurt hurt hurt,
keep kept kept,know knew known,lead led led,leave left left,lend lent lent,lose lost lost,make made made,
meet met met,pay paid paid,put put put,read read read,ride rode ridden,rise rose risen,run ran run,
say said said,see saw seen,sell sold sold,send sent sent,show showed shown,sing sang sung,
sleep slept slept,spread spread spread,steal stole stolen,swim swam swum,take took taken,
teach taught taught,tell told told,think thought thought,throw threw thrown,
understand understood understood,win won won,write wrote written
"""
PRINCIPAL = {forms[0]: forms[1:] for line in IRREGULAR.split(",") if (forms := line.split())}
DOUBLING = frozenset(
    listed("admit begin cut drop forget hit hug jog nod plan prefer put run stop swim win wrap")
)


def plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh", "z")) else "s")


def third_person(verb: str) -> str:
    return {"be": "is", "go": "goes"}.get(verb) or plural(verb)


def past_forms(verb: str) -> tuple[str, str]:
    """The past tense and the participle."""
    if verb in PRINCIPAL:
        past, participle = PRINCIPAL[verb]
        return past, participle
    regular = _stem(verb) + "ed"
    return regular, regular


def ing_form(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "be")):
        return verb[:-1] + "ing"
    return (verb + verb[-1] if verb in DOUBLING else verb) + "ing"


def _stem(verb: str) -> str:
    """What -ed is put after."""
    if verb.endswith("e"):
        return verb[:-1]
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return verb[:-1] + "i"
    return verb + verb[-1] if verb in DOUBLING else verb


def adverb(adjective: str) -> str:
    if adjective.endswith("y"):
        return adjective[:-1] + "ily"
    if adjective.endswith("le"):
        return adjective[:-1] + "y"
    return adjective + "ly"


def article(following: str) -> str:
    """a or an, by the sound that follows."""
    lower = following.lower()
    if lower.startswith(AN):
        return "an"
    return "an" if lower[0] in VOWELS and not lower.startswith(A) else "a"
