"""Tables on disk: schemas, atomic writing, and reading with clear errors."""
