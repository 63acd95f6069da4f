"""Trees of arcs: scores, searches, stages."""
