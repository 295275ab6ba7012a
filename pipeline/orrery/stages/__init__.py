"""One file a stage: read, call, write."""
