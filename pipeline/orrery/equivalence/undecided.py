"""The exception that reports a question left open by a budget."""


class Undecided(Exception):
    """A budget ended before an answer; never to be read as "no". The message says what stayed open."""
