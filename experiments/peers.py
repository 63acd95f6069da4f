"""Other parsers on the same data: what results/peers.json says of them."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, NamedTuple

from report import RESULTS, read_json

Annotation = Literal["phrases", "dependencies"]


class Peer(NamedTuple):
    """Accuracy is on our test sets; the speed is that of the run side by side where there was one."""

    name: str
    accuracy: float
    las: float | None
    low: float  # words/s
    high: float
    beside: bool  # else on a loaded machine: slower than it is

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    @property
    def dev(self) -> bool:
        """Not on test."""
        return self.name.endswith(", dev")

    def speed(self) -> str:
        low, high = f"{self.low:,.0f}", f"{self.high:,.0f}"
        return (low if low == high else f"{low}-{high}") + ("" if self.beside else "†")


@cache
def told() -> dict[str, Any]:
    found: dict[str, Any] = read_json(RESULTS / "peers.json")
    return found


def of(annotation: Annotation, data: str) -> list[Peer]:
    """All of a data set."""
    key = "f1" if annotation == "phrases" else "uas"
    side = told()["beside"][annotation]
    again = {row["name"]: row["words/s"] for row in side["rows"]} if side["data"] == data else {}
    return [
        Peer(
            row["name"],
            row[key],
            row.get("las"),
            *(again.get(row["name"]) or _loaded(row, data)),
            row["name"] in again,
        )
        for row in told()["loaded"][annotation].get(data, [])
    ]


def slowed() -> float:
    """How many times as fast a parser was side by side as on the loaded machine: the most known."""
    side = told()["beside"]["phrases"]
    loaded = {row["name"]: _loaded(row, side["data"]) for row in told()["loaded"]["phrases"][side["data"]]}
    return max(row["words/s"][1] / loaded[row["name"]][0] for row in side["rows"] if row["name"] in loaded)


def _loaded(row: dict[str, Any], data: str) -> list[float]:
    """Words/s, least and most."""
    if "words/s" in row:
        return list(row["words/s"])
    words = told()["loaded"]["phrases"]["words a sentence"][data]
    return [words / row["seconds"]] * 2
