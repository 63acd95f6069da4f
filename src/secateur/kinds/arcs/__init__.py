"""Dependencies in stages of features; arcs are locked."""
