"""Check traces: derivations in English, line by line, that end with the answer to a row.

``check_trace(trace, row)`` returns the first fault, or an empty string. Every line is verified with the
domain and the problem of the row. The answer must follow from the lines, and be right by the grader.
The forms of lines are those of ``lines``. Facts and actions are written in PDDL, or in quotes in words of the
row (``phrases``).

Standard library only, like all graders; nothing here imports the program that writes traces.
"""

from __future__ import annotations

from .check import check_trace

__all__ = ["check_trace"]
