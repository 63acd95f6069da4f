"""Hypergraphs in arrays."""
