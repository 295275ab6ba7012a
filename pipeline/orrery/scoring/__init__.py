"""Score model replies: tolerant parsing, solving, comparison with the gold, and counting."""
