"""What holds for every command: usage, help, interrupts, closed pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

import secateur
from secateur.cli import built
from secateur.kinds.pcfg.parser import Parser
from secateur.models.table import KINDS

if TYPE_CHECKING:
    from cli.conftest import Run

SECATEUR = (sys.executable, "-c", "from secateur.cli import main; main()")
COMMANDS = (
    "quickstart",
    "train",
    "parse",
    "evaluate",
    "frontier",
    "inspect",
    "bench",
    "doctor",
    *(f"treebank {name}" for name in ("check", "info", "convert", "draw", "garden")),
    *(f"grammar {name}" for name in ("induce", "info", "check", "convert")),
)


def test_version(run: Run) -> None:
    assert run("--version").done().out == f"secateur {secateur.__version__}\n"


@pytest.mark.parametrize("command", ["", "treebank", "grammar"])
def test_no_command_shows_the_help(run: Run, command: str) -> None:
    found = run(*command.split())
    assert found.code in (0, 2)  # typer's versions differ
    assert "Usage: secateur" in found.out + found.err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_and_wrong_usage(run: Run, command: str) -> None:
    found = run(*command.split(), "--help").done()
    assert f"Usage: secateur {command}" in found.out
    assert run(*command.split(), "-h").done().out == found.out
    run(*command.split(), "--no-such-option").misused("--no-such-option")


def test_unknown_commands(run: Run) -> None:
    run("prune").misused("prune")
    run("treebank", "prune").misused("prune")


def test_every_command_and_option_explains_itself() -> None:
    found = {}

    def walk(command: Any, name: str) -> None:
        for part, below in getattr(command, "commands", {}).items():
            assert below.help, f"{name} {part} has no help"
            found[f"{name} {part}".strip()] = below
            walk(below, f"{name} {part}".strip())

    walk(typer.main.get_command(built(tuple(KINDS.values()))), "")
    assert set(found) == {*COMMANDS, "treebank", "grammar"}
    for name, command in found.items():
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name} has no help"


def test_a_disk_that_is_full(
    run: Run, grammar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    output = tmp_path / "out.mrg"
    found = run("parse", grammar, "the cat slept", "-o", output, "--quiet")
    assert found.code == 1
    assert f"error: {output}  cannot write: No space left on device; free some space" in found.err


def test_trouble_with_the_system_is_no_traceback(run: Run, grown: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    run("quickstart", grown, "-o", blocked / "results").refused(blocked / "results", "permissions")


@pytest.mark.parametrize("inside_numba", [False, True])
def test_interrupts_in_odd_places(
    run: Run, grammar: Path, monkeypatch: pytest.MonkeyPatch, inside_numba: bool
) -> None:
    def interrupted(*args: object, **options: object) -> None:
        if inside_numba:
            raise SystemError("a function returned a result with an exception set") from KeyboardInterrupt()
        raise KeyboardInterrupt

    monkeypatch.setattr(Parser, "search", interrupted)
    assert run("parse", grammar, "the cat slept") == (130, "", "interrupted\n")


def _wait_for_content(path: Path, process: subprocess.Popen[bytes]) -> None:
    """The kernels may have to be compiled first."""
    deadline = time.monotonic() + 240
    while not (path.exists() and path.stat().st_size):
        assert process.poll() is None, process.communicate()[1].decode()
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
def test_interrupt(grammar: Path, tmp_path: Path) -> None:
    output, partial = tmp_path / "trees.mrg", tmp_path / "trees.mrg.partial"
    with subprocess.Popen(
        [*SECATEUR, "parse", grammar, "-", "-o", output],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"the cat slept .\n" * 200)
        process.stdin.flush()  # and more to come, as far as the command knows
        _wait_for_content(partial, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err.decode()
    assert out == b""
    assert err.decode().splitlines() == [f"what was done so far is in {partial}", "interrupted"]
    assert not output.exists()
    content = partial.read_text()
    assert set(content.splitlines()) == {"(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .)))"}
    assert content.endswith("\n")


@pytest.mark.skipif(os.name == "nt", reason="pipes are closed the POSIX way")
@pytest.mark.parametrize("command", [("treebank", "garden", "1000"), ("treebank", "garden", "1")])
def test_closed_pipe(command: tuple[str, ...]) -> None:
    """As in `secateur treebank garden 1000 | head -1`, or a reader that never reads."""
    with subprocess.Popen([*SECATEUR, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        if command[-1] != "1":
            assert process.stdout.readline().endswith(b")\n")
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode in (0, -signal.SIGPIPE)
