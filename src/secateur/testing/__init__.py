"""For tests of secateur and of what is built on it; needs hypothesis."""
