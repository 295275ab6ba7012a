"""The finished dataset: card, report, SQL queries, and publishing after validation."""
