"""What a model is, whatever its kind: files, points, dial, measuring, runs."""
