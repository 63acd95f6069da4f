"""What is in the checkout, so that a test can see that nothing was written into it."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
SKIPPED = {"__pycache__", "build", "dist", "out"}  # what Python, builds and runs by hand leave


def checkout() -> dict[Path, tuple[int, int]]:
    """Size and time of all files."""
    found = {}
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [n for n in inner if not n.startswith(".") and n not in SKIPPED and "egg-info" not in n]
        for name in names:
            about = (Path(folder) / name).stat()
            found[Path(folder) / name] = (about.st_size, about.st_mtime_ns)
    return found
