"""Kinds of models: each joins the parts of a parser with an annotation and the decisions it learns."""
