"""Weights learned example by example."""
