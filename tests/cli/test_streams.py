"""Where output cannot go and input cannot come from: one clear line, exit code 1, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")

SECATEUR = f"{sys.executable} -c 'from secateur.cli import main; main()'"


def shell(command: str, *, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """As it would be typed, with S for the command."""
    return subprocess.run(
        ["sh", "-c", command.replace("S ", f"{SECATEUR} ", 1)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def refused(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert done.stderr.startswith("error: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    for part in parts:
        assert part in done.stderr


def test_standard_output_is_closed(grammar: Path, trees: Path, tmp_path: Path) -> None:
    refused(shell(f"S parse {grammar} {trees} --quiet >&-"), "standard output is closed", "--output")
    refused(shell("S treebank garden 3 >&-"), "standard output is closed")
    refused(shell(f"S evaluate {trees} {trees} --json >&-"), "standard output is closed")
    refused(shell("S parse --help >&-"), "standard output is closed")
    # Nobody needs it where a file is written.
    output = tmp_path / "out.mrg"
    assert shell(f"S treebank garden 3 -o {output} >&-").returncode == 0
    assert len(output.read_text().splitlines()) == 3


def test_standard_input_is_closed(grammar: Path) -> None:
    refused(shell(f"S parse {grammar} <&-"), "<stdin>", "standard input is closed", "name a file")
    refused(shell("S treebank convert - <&-"), "<stdin>", "standard input is closed")


def test_standard_error_is_closed(trees: Path) -> None:
    done = shell(f"S treebank convert {trees} 2>&-")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 5)
    assert shell("S treebank convert none.mrg 2>&-").returncode == 1


COMMANDS = (
    "--help",
    "parse --help",
    "--version",
    "treebank garden 2",
    "treebank garden 3000",
    "treebank check TREES",
    "parse GRAMMAR TREES -q",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_device(
    grammar: Path, trees: Path, monkeypatch: pytest.MonkeyPatch, command: str, buffered: bool
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if buffered else "1")
    given = command.replace("GRAMMAR", str(grammar)).replace("TREES", str(trees))
    refused(shell(f"S {given} >/dev/full"), "No space left on device", "the space on the disk")


@pytest.mark.parametrize("size", [1, 10_000, 150_000])
def test_what_is_left_on_a_full_disk_are_complete_lines(tmp_path: Path, size: int) -> None:
    """A limit of the file's size stands for the disk's; a signal would come first, if it were not ignored."""
    output, partial = tmp_path / "out.mrg", tmp_path / "out.mrg.partial"
    program = (
        "import resource, signal; from secateur.cli import main;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); main()"
    )
    command = [sys.executable, "-c", program, "treebank", "garden", "2000", "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    garden = shell("S treebank garden 2000").stdout.splitlines(keepends=True)
    assert done.returncode == 1, done.stderr
    assert f"error: {output}  cannot write: File too large; free some space" in done.stderr
    assert "Traceback" not in done.stderr
    assert not output.exists()
    assert partial.exists() == (size > 1)
    if size > 1:
        assert f"what was done so far is in {partial}" in done.stderr
        lines = partial.read_text().splitlines(keepends=True)
        assert lines == garden[: len(lines)]
        assert size - 1000 < sum(map(len, lines)) <= size
