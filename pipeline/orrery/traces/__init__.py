"""Traces: derivations in English that end with the answer to a row, for supervised learning.

``trace_of(row)`` writes the trace of a row of a table of questions or plan tasks. Every line follows from the
domain and the problem of the row alone: no line cites a result of a search. Where there is no short
derivation, there is no trace. ``grading.traces`` checks traces and imports nothing from here.
"""

from __future__ import annotations

from orrery.traces.case import NoTrace
from orrery.traces.made import trace_of

__all__ = ["NoTrace", "trace_of"]
