"""Pictures of models: the frontier as a figure and as a page, the chart of a sentence."""
