"""The order of an agenda (Jiang, Teichert, Daume and Eisner 2012): which item to pop is learned."""
