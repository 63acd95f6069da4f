"""Grammars whose symbols are split into sub-symbols that the trees do not show."""
