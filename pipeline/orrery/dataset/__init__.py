"""A finished dataset and its card, to a folder or to a Hub; only what passed validation leaves."""
