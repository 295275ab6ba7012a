"""PDDL text to the model and back; the only package that knows other PDDL packages."""
