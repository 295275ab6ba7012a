"""TODO text_to_pddl."""
