"""The ways to parse with blocks: what prunes their spans, and how a split grammar decodes."""

from __future__ import annotations

from secateur.kinds.pcfg.ways import ways

__all__ = ["ways"]
