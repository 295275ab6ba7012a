"""Convert PDDL text to the model and back. This is the only package that uses other PDDL packages."""
