"""secateur: train parsers to the speed/accuracy trade-off you choose."""

__version__ = "0.1.0"
