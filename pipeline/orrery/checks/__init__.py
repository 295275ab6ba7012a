"""Checks of published rows, each by a route that did not make what it checks; one file a concern.

A check returns what is wrong with a row, a message a fault; none means that the row stands.
"""
