"""CKY with a PCFG."""
