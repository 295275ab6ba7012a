"""Domains composed of mechanics: fragments of PDDL with words, which share types and attach to each other."""
