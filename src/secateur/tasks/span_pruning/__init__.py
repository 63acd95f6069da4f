"""Which spans of a chart are kept (Vieira and Eisner 2017)."""
