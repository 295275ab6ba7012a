"""Plans validated by unified-planning, in a process of its own: an independent reading of PDDL and plans."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from orrery.planning.process import run

WORKER = Path(__file__).with_name("unified_worker.py")
LOADING_SECONDS = 60.0  # of processor time; unified-planning takes some to load, more on a slow machine

# Python's own exception, and what the system's loader says when a library finds no room.
_SIGNS_OF_NO_MEMORY = ("MemoryError", "failed to map segment", "annot allocate memory")


class PlannedProblem(NamedTuple):
    """A domain, a problem of it and a plan for that as PDDL, one step a line."""

    domain: str
    problem: str
    plan: str


def validate_plans(
    problems: Sequence[PlannedProblem], *, seconds: float = 5.0, megabytes: int = 4096
) -> list[str] | None:
    """Validate plans with unified-planning: ``VALID``, ``INVALID``, or ``ERROR: ...`` for unreadable text.

    Args:
        problems: problems with their domains and plans; some 0.1 s each, after 0.5 s of loading for all.
        seconds: limit on the processor time a problem.
        megabytes: limit on the address space.

    Returns:
        A verdict each, in order; None where time or memory ran out.
    """
    # -P keeps this folder out of the worker's import path, where our names would shadow others'.
    command: list[str | Path] = [sys.executable, "-P", WORKER]
    limit = LOADING_SECONDS + seconds * len(problems)
    request = json.dumps([planned._asdict() for planned in problems])
    ended = run(command, feed=request, seconds=limit, megabytes=megabytes)
    if ended.code == 0:
        return list(json.loads(ended.output))
    last_line = "".join(ended.errors.strip().splitlines()[-1:])
    if ended.timed_out or any(sign in last_line for sign in _SIGNS_OF_NO_MEMORY):
        return None
    return [f"ERROR: exit code {ended.code}; {last_line}"] * len(problems)
