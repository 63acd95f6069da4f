"""Model: a grammar and a frontier of pruning policies for it, in one directory of readable files.

    model.toml        format, kind, settings, checksum of the training trees
    grammar.gr.gz     the grammar as text
    split.npz         the probabilities of its sub-symbols, if it is a split one
    vocabulary.txt    the words the policies tell apart
    policies/*.npz    active features and their weights
    frontier.json     each policy's measured accuracy, work and speed
    log.json          the rounds of training
    card.md           all that for people
    checksums.json    of these files

Nothing in it is executable; a damaged file is refused with its name.
"""

from __future__ import annotations

import hashlib
import io
import json
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from secateur import frontier
from secateur.errors import InputError
from secateur.features.span import SpanFeatures, View
from secateur.frontier import Choice, Point
from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.store import from_arrays, to_arrays
from secateur.grammar.pcfg import PCFG
from secateur.grammar.text import read_grammar, write_grammar
from secateur.normalization import Normalization
from secateur.search.core import Policy

FORMAT = 1
KIND = "span-pruning"
SPLIT = "split.npz"
UNPRUNED = "exact"  # the point of the grammar without a policy
# A split grammar's points may end with how it decodes; without that, it is Viterbi with the unsplit grammar.
VITERBI, MAX_RULE, PRODUCT = "", "+max-rule", "+product"


def decoders(grammar: PCFG | SplitPCFG) -> tuple[str, ...]:
    """The ways to parse with a grammar, the fastest first."""
    if isinstance(grammar, PCFG):
        return (VITERBI,)
    return (VITERBI, MAX_RULE, PRODUCT) if grammar.others else (VITERBI, MAX_RULE)


def grammar_at(grammar: PCFG | SplitPCFG, point: str) -> PCFG | SplitPCFG:
    """What of a grammar a point parses with."""
    if isinstance(grammar, PCFG) or point.endswith(PRODUCT):
        return grammar
    return replace(grammar, others=()) if point.endswith(MAX_RULE) else grammar.coarse


@dataclass(frozen=True)
class Model:
    """What training made."""

    grammar: PCFG | SplitPCFG
    features: SpanFeatures
    policies: Mapping[str, Policy]  # by the names of their points, without how these decode
    points: Sequence[Point]
    settings: Mapping[str, Any] = field(default_factory=dict)
    log: Sequence[Mapping[str, Any]] = ()

    @property
    def frontier(self) -> list[Point]:
        """The points worth having, the fastest first."""
        return frontier.pareto(self.points)

    def policy(self, point: str) -> Policy | None:
        """What prunes at a point; None: nothing is pruned."""
        return self.policies.get(point.partition("+")[0])

    @property
    def unpruned(self) -> str:
        """The point without a policy, with the whole grammar."""
        return UNPRUNED + decoders(self.grammar)[-1]

    @property
    def rules(self) -> PCFG:
        """The grammar, or the unsplit one of a split grammar."""
        return self.grammar.coarse if isinstance(self.grammar, SplitPCFG) else self.grammar

    @property
    def binarization(self) -> Binarization:
        """How training made its trees binary; the default where that was not recorded."""
        return Binarization.from_notes(self.settings)

    @property
    def normalization(self) -> Normalization:
        """What was done to the training trees; the default where that was not recorded."""
        return Normalization.from_notes(self.settings)

    def choose(
        self,
        *,
        budget: str | None = None,
        accuracy: float | None = None,
        max_loss: float | None = None,
        tradeoff: float | None = None,
        fastest: bool = False,
        most_accurate: bool = False,
        point: str | None = None,
    ) -> Choice:
        """The dial: one request at most; the most accurate point without any."""
        asked = [a is not None for a in (budget, accuracy, max_loss, tradeoff, point)] + [
            fastest,
            most_accurate,
        ]
        if sum(asked) > 1:
            raise InputError("more than one setting of the dial", fix="give one of them")
        points = self.frontier
        if budget is not None:
            return frontier.within_budget(points, budget)
        if accuracy is not None:
            return frontier.at_least(points, accuracy)
        if max_loss is not None:
            return frontier.within_loss(points, max_loss)
        if tradeoff is not None:
            return frontier.for_tradeoff(points, tradeoff)
        if point is not None:
            found = {p.name: p for p in self.points}
            if point not in found:
                raise InputError(f"no operating point {point!r}", fix="choose from " + ", ".join(found))
            return Choice(found[point])
        return frontier.fastest(points) if fastest else frontier.most_accurate(points)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the directory."""
        folder = Path(path)
        try:
            (folder / "policies").mkdir(parents=True, exist_ok=True)
            write_grammar(self.rules, folder / "grammar.gr.gz")
            if isinstance(self.grammar, SplitPCFG):
                _write(folder / SPLIT, pack_arrays(to_arrays(self.grammar)))
            else:
                (folder / SPLIT).unlink(missing_ok=True)
            _write(
                folder / "vocabulary.txt", "".join(f"{word}\n" for word in sorted(self.features.vocabulary))
            )
            for name, policy in self.policies.items():
                _write(folder / "policies" / f"{name}.npz", pack_weights(policy))
            _write(folder / "frontier.json", json.dumps([asdict(p) for p in self.points], indent=1))
            _write(folder / "log.json", json.dumps(list(self.log), indent=1))
            _write(folder / "card.md", self.card())
            _write(folder / "model.toml", self._settings())
            _write(folder / "checksums.json", json.dumps(_checksums(folder), indent=1))
        except OSError as problem:
            raise InputError(
                f"cannot write the model: {problem.strerror}",
                where=str(folder),
                fix="free space or another place",
            ) from problem

    def _settings(self) -> str:
        lines = [f"format = {FORMAT}", f'kind = "{KIND}"', ""]
        features = {"templates": list(self.features.templates), "bits": self.features.bits}
        for title, table in (("settings", self.settings), ("features", features)):
            rows = (f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items())
            lines += [f"[{title}]", *rows, ""]
        return "\n".join(lines)

    def card(self) -> str:
        """What this model is, on what it was trained, how fast and how accurate."""
        lines = ["# Model card", ""]
        lines += [f"- {key}: {value}" for key, value in self.settings.items()]
        lines += [
            "",
            "| point | F1 | 95% | words/s | Mpush/sentence | spans kept | no parse |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += [
            f"| {p.name} | {p.accuracy:.2f} | {p.low:.2f}-{p.high:.2f} | {p.words_per_second:,.0f} "
            f"| {p.mpush:.4f} | {p.kept:.1%} | {p.failures:.1%} |"
            for p in self.frontier
        ]
        return "\n".join(lines) + "\n"


def load_model(path: str | PathLike[str], *, views: Mapping[str, View] | None = None) -> Model:
    """Read a model directory; `views` brings the functions of templates that users added."""
    folder = Path(path)
    try:
        about = tomllib.loads((folder / "model.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            "not a model: there is no model.toml in it", where=str(folder), fix="name a model directory"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(
            f"damaged: {problem}", where=str(folder / "model.toml"), fix="copy the model again"
        ) from None
    if about.get("format") != FORMAT or about.get("kind") != KIND:
        raise InputError(
            f"a model of format {about.get('format')}, kind {about.get('kind')!r}; "
            f"this version reads {FORMAT}, {KIND!r}",
            where=str(folder),
            fix="train it again, or install the version that made it",
        )
    _verify(folder)
    words = (folder / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
    features = SpanFeatures(
        frozenset(words),
        templates=tuple(about["features"]["templates"]),
        bits=about["features"]["bits"],
        views=dict(views or {}),
    )
    policies = {
        file.stem: Policy(unpack_weights(file, features.dim))
        for file in sorted((folder / "policies").glob("*.npz"))
    }
    points = [Point(**point) for point in json.loads((folder / "frontier.json").read_text())]
    log = json.loads((folder / "log.json").read_text())
    return Model(_read_grammar(folder), features, policies, points, about["settings"], log)


def _read_grammar(folder: Path) -> PCFG | SplitPCFG:
    rules = read_grammar(folder / "grammar.gr.gz")
    if not (folder / SPLIT).exists():
        return rules
    try:
        return from_arrays(rules, unpack_arrays(folder / SPLIT))
    except (ValueError, KeyError) as problem:
        raise InputError(
            f"damaged: {problem}", where=str(folder / SPLIT), fix="copy the model again"
        ) from None


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """As npz."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def unpack_arrays(path: Path) -> dict[str, Any]:
    """From npz."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return dict(stored)
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as problem:
        raise InputError(f"damaged: {problem}", where=str(path), fix="copy the model again") from None


def pack_weights(policy: Policy) -> bytes:
    """The active weights as npz."""
    active = np.flatnonzero(policy.weights)
    return pack_arrays({"active": active.astype(np.uint32), "weights": policy.weights[active]})


def unpack_weights(path: Path, dim: int) -> Any:
    """Weights over all features, from npz."""
    stored = unpack_arrays(path)
    if not {"active", "weights"} <= set(stored):
        raise InputError("damaged: no weights in it", where=str(path), fix="copy the model again")
    active, values = stored["active"], stored["weights"]
    if len(active) and int(active.max()) >= dim:
        raise InputError("its features do not fit the model's", where=str(path), fix="copy the model again")
    weights = np.zeros(dim, np.float32)
    weights[active] = values
    return weights


def _write(path: Path, content: str | bytes) -> None:
    """All or nothing."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content if isinstance(content, bytes) else content.encode())
    partial.replace(path)


def _checksums(folder: Path) -> dict[str, str]:
    """Of every file that belongs to the model; what training left in work/ does not."""
    names = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    own = [
        n
        for n in names
        if n.parts[0] != "work" and n.suffix != ".partial" and n.stem not in ("checksums", "card")
    ]
    return {name.as_posix(): hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in own}


def _verify(folder: Path) -> None:
    """Every file of the model is there and as it was written; a policy of another grammar is refused."""
    try:
        promised = json.loads((folder / "checksums.json").read_text())
    except (OSError, ValueError):
        raise InputError(
            "damaged: no readable checksums.json", where=str(folder), fix="copy the model again"
        ) from None
    for name, digest in promised.items():
        file = folder / name
        if not file.is_file():
            raise InputError("a file of the model is missing", where=str(file), fix="copy the model again")
        if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            raise InputError(
                "not the file this model was saved with",
                where=str(file),
                fix="copy the model again; grammars and policies cannot be exchanged between models",
            )
