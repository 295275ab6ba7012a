"""Browse a dataset on localhost: web pages over DuckDB that change nothing."""
