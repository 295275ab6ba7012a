"""States, problems, plans and questions as SVG; a file a kind (``picture.kind`` in ``domain.yaml``)."""
