"""The ways to parse with a grammar: what prunes its spans, and how a split one decodes.

A split grammar decodes by Viterbi as if it were not split, or over the sub-symbols of a level of its
hierarchy; by max-rule, which drops what is less likely than `least` on its way from coarse to fine; or by the
product of all grammars, or of the first few, in the same way. An agenda decodes by Viterbi too, in an order
that is the model's; with a `delta` it drops what is worse by more than that than the best of its span, and
begins again with more where that leaves no parse (`DEEPENING`). Then a learned policy may go on past the
first parse (`HALT`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from secateur.errors import InputError
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.ladder import Ladder
from secateur.grammar.latent.projection import seen_from
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.priorities import EXACT, How
from secateur.kinds.pcfg.orders import HALTING, order_level
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.models.point import Way

UNPRUNED = "exact"  # the name of points without a policy
VITERBI, MAX_RULE, PRODUCT = "viterbi", "max-rule", "product"
BRISK = 1e-3  # drops more than a ladder does by default, and hardly loses by it
FEW = 4  # grammars: more of them take longer than what they add is worth, but where most is asked for
_OF, _LEVEL, _LEAST = "of", "level", "least"
ORDER, DELTA, HALT = "order", "delta", "halt"
LEARNED = "learned"
DEEPENING = How(delta=12.0, widen=1.5)  # with less, short sentences lose
MASKED = 2  # policies with which a dial has agendas too: with those that prune more, charts are soon full


def decodings(grammar: PCFG | SplitPCFG) -> list[Way]:
    """How a grammar can decode, the fastest first."""
    found: list[Way] = [{"decode": VITERBI}]
    if isinstance(grammar, PCFG):
        return found
    levels = range(1, len(grammar.ancestry) + 1)
    found += [{"decode": VITERBI, _LEVEL: level} for level in levels]
    finer: list[Way] = [{"decode": MAX_RULE}]
    finer += [{"decode": PRODUCT, _OF: FEW}] * (len(grammar.others) >= FEW)
    finer += [{"decode": PRODUCT}] * bool(grammar.others)
    return found + [one for way in finer for one in ({**way, _LEAST: BRISK}, way)]


def way_of(mask: str | None, decoding: Way) -> Way:
    return dict(decoding) if mask is None else {"mask": mask, **decoding}


def name_of(way: Way) -> str:
    """Of a way's point: lols-3, lols-3+viterbi-2, lols-3+max-rule, lols-3+product-4-0.001 (of four grammars),
    boundary+lols-3, pg-1+lols-3+viterbi-2-12 (with a delta of 12), pg-1-halting+viterbi-2-12."""
    said = [str(way[key]) for key in (_OF, _LEVEL, _LEAST) if key in way]
    said += [f"{way[DELTA]:g}"] if DELTA in way else []
    named = [] if way["decode"] == VITERBI and not said else ["-".join((str(way["decode"]), *said))]
    first = [f"{way[ORDER]}{HALTING * (HALT in way)}"] if ORDER in way else []
    first += [str(way["mask"])] if "mask" in way else []
    return "+".join((*(first or [UNPRUNED]), *named))


def ways(parts: PcfgParts, policies: Iterable[str]) -> dict[str, Way]:
    """By the names of their points; the first is the whole grammar without a policy."""
    every = decodings(parts.grammar)
    found = [way_of(None, one) for one in reversed(every)]
    masks = list(policies)
    found += [way_of(mask, one) for mask in masks for one in every]
    found += ordered(parts, masks)
    return {name_of(way): way for way in found}


def offered(parts: PcfgParts, policies: Sequence[str]) -> dict[str, Way]:
    """Those that a dial is made of, a fixed choice: all others are beaten by one of these on most treebanks.

    With a mask, Viterbi one level below the last is the fastest that is worth it, and all grammars (or a few)
    with the larger threshold nearly the most accurate; with the usual one all are that, where little is
    pruned. The first policies prune least: a baseline, and LOLS from it. Agendas are fast if they deepen.
    """
    every = ways(parts, policies)
    agendas = [way for way in ordered(parts, policies[:MASKED]) if DELTA in way]
    if isinstance(parts.grammar, PCFG):
        charts = [name for name, way in every.items() if ORDER not in way]
        return {name: every[name] for name in (*charts, *map(name_of, agendas))}
    finest: Way = {"decode": PRODUCT if parts.grammar.others else MAX_RULE}
    quick = quick_of(parts.grammar)
    few: Way = {_OF: FEW} if len(parts.grammar.others) >= FEW else {}
    brisk: Way = {**finest, **few, _LEAST: BRISK}
    wanted = [finest, brisk, quick, {"decode": VITERBI}]
    wanted += [way_of(mask, one) for mask in policies for one in (quick, brisk)]
    wanted += [way_of(mask, finest) for mask in policies[:2]]
    wanted += agendas
    return {name: every[name] for name in map(name_of, wanted)}


def ordered(parts: PcfgParts, masks: Iterable[str]) -> list[Way]:
    """Those by agenda, with all spans and with those of each mask, exhaustively and deepening; and deepening
    past the first parse, where that was learned."""
    if parts.orders is None:
        return []
    quick, every = quick_of(parts.grammar), (None, *masks)
    found = [{ORDER: name, **way_of(mask, quick)} for name in parts.orders.names for mask in every]
    deep: Way = {DELTA: DEEPENING.delta}
    usual: list[Way] = [{**way, **delta} for way in found for delta in ({}, deep)]
    return usual + [{**way, **deep, HALT: LEARNED} for way in found if way[ORDER] in parts.orders.halted]


def how_of(way: Way) -> How:
    """How a way's agenda is worked off."""
    return DEEPENING._replace(delta=float(way[DELTA])) if DELTA in way else EXACT


def quick_of(grammar: PCFG | SplitPCFG) -> Way:
    """The fastest way to decode that is worth it: Viterbi one level below the last."""
    level = order_level(grammar)
    return {"decode": VITERBI, _LEVEL: level} if level else {"decode": VITERBI}


def without_mask(way: Way) -> Way:
    """The same without a mask."""
    return {key: value for key, value in way.items() if key != "mask"}


def grammar_of(grammar: PCFG | SplitPCFG, way: Way) -> PCFG | SplitPCFG:
    """What of a grammar a way parses with."""
    if isinstance(grammar, PCFG):
        return grammar
    if way["decode"] == PRODUCT:
        return grammar.first(int(way[_OF])) if _OF in way else grammar
    if way["decode"] == MAX_RULE:
        return grammar.alone
    return seen_from(grammar.alone, int(way[_LEVEL])) if _LEVEL in way else grammar.coarse


def ladder_along(grammar: PCFG | SplitPCFG, way: Way) -> Ladder | None:
    """Through what a way comes to its tree; None where it does so at once."""
    if isinstance(grammar, PCFG) or way["decode"] == VITERBI:
        return None
    return grammar.ladder.dropping(float(way[_LEAST])) if _LEAST in way else grammar.ladder


def decoder_of(decode: str | None, split: SplitPCFG | None) -> str:
    """What to parse for, checked."""
    if decode not in (None, "max-rule", "viterbi"):
        raise InputError(f"decode is {decode!r}", fix="choose max-rule or viterbi")
    if split is None:
        if decode == "max-rule":
            raise InputError("max-rule trees are those of split grammars", fix="leave decode out")
        return "viterbi"
    if decode == "viterbi":
        split.check_single()
    return decode or "max-rule"
