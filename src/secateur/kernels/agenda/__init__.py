"""Agenda parsing with a PCFG: items in an order of one's own choice, until there is a parse."""
