"""Trees as people like to look at them."""
