"""A small split grammar as text."""

SPLIT = """\
format=secateur-split version=1 start=S nSymbols=3 nBinary=1 nUnary=1 nLex=3
===== NOTES =====
{"trees": "3"}
===== SYMBOLS =====
A 2 : 3.0 1.0 : (0 0 1)
B 1 : 2.0 : (0 0)
S 1 : 1.0 : (0 0)
===== RULES =====
S -> A B -0.7 : 0.25 0.25
S -> X -> A -0.7 : 0.5 0
===== LEXICON =====
A -> a -1 : 0.5 0.5
A -> UNK -1 : 1.0 0
B -> b 0 : 1
===== END =====
"""
