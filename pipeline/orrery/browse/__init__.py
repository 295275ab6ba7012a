"""A dataset in a browser: pages on localhost over DuckDB, which read and change nothing."""
