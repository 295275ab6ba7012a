"""SVG pictures of states, problems, plans and questions.

Each kind of picture (``picture.kind`` in ``domain.yaml``) has its own module.
"""
