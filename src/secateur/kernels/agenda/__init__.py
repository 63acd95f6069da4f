"""Agenda parsing with a PCFG."""
