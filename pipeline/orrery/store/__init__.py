"""Tables on disk: their schemas, how they are written whole or not at all, and how they are queried."""
