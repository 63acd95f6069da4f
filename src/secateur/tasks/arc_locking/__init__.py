"""Which arcs are settled before more features are bought (He, Daume III and Eisner 2013)."""
