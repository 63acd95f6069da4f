"""Pruning the hyperedges of a PLCFRS: what a policy can control."""
