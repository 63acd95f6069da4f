"""Labelled brackets, scored as EVALB does."""
