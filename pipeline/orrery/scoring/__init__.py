"""What a model wrote: read with tolerance, solved, compared with the gold, counted."""
