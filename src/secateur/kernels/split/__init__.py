"""Split grammars: blocks of sub-symbols, forests, EM."""
