"""Treebanks: trees of every annotation, the formats they come in, and what is done to them first."""
