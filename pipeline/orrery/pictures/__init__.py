"""States as SVG pictures; one file a kind of picture, chosen by ``picture.kind`` in ``domain.yaml``."""
