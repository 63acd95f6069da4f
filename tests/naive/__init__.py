"""Slow, obvious twins of the fast code, written from its definitions."""
