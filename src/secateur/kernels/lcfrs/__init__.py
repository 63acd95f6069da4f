"""PLCFRS parsing: items are a symbol and a set of positions."""
