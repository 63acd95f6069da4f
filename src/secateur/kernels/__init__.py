"""Numba kernels. They import nothing of ours but each other.

Compiled code is cached on disk, under a folder named after the kernels' own sources: numba looks only at
the file of the outermost function, so a change to an inlined one would otherwise go unnoticed. The folder
is in the user's cache (or `NUMBA_CACHE_DIR`), never beside the sources, so a read-only installation works.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def _cache_root() -> Path:
    """The first of these places that can be written: the user's cache, else a private temporary folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    fallback = Path(tempfile.gettempdir()) / f"secateur-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    for place in (Path(base) / "secateur", fallback):
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        owned = not hasattr(os, "getuid") or place.stat().st_uid == os.getuid()
        if owned and os.access(place, os.W_OK):
            return place
    return Path(tempfile.mkdtemp(prefix="secateur-"))


def cache_dir() -> Path:
    """Where compiled kernels are kept."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return _cache_root() / f"kernels-{digest.hexdigest()[:12]}"


import numba  # noqa: E402

if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = str(cache_dir())
