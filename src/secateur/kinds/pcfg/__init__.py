"""Phrases by CKY with a PCFG, split or not; spans are pruned."""
