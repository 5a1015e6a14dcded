"""Speed of the toolkit, as ratios against named peers in one run: `python -m benchmarks`."""
