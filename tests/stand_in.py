"""A program of a few lines of shell in the place of Fast Downward."""

from orrery.planning import fast_downward

REAL = fast_downward.binary


def stand_in(monkeypatch, folder, *lines):
    """Let every call of the planner run ``lines``; return a file that has a line for each call.

    ``$REAL`` is the planner itself, and its arguments are those of the script.
    """
    program, called = folder / "downward", folder / "called"
    called.touch()
    program.write_text("\n".join(["#!/bin/sh", f"REAL='{REAL()}'", f"echo called >> '{called}'", *lines, ""]))
    program.chmod(0o755)
    monkeypatch.setattr(fast_downward, "binary", lambda: program)
    return called
