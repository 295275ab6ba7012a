"""``orrery compare``: two runs of evaluations beside each other."""

from __future__ import annotations

from pathlib import Path

from orrery.evaluation.results.comparison import Comparison, Replies, compare, replies_of
from orrery.evaluation.results.runs import read_run
from orrery.model import UsageError


def run(evals: Path, first: str, second: str, by: str, *, other_data: bool = False) -> Comparison:
    """Return two runs compared: each the name of one in the folder ``evals``, or the path of a folder.

    Raises:
        UsageError: there is no such run or group, one run is named twice, or the runs cannot be compared.
        OrreryError: a run is damaged.
    """
    if _folder(evals, first).resolve() == _folder(evals, second).resolve():
        raise UsageError(f"run '{first}'", "is compared with itself", "name another run")
    return compare(_run(evals, first), _run(evals, second), by, other_data=other_data)


def _run(evals: Path, name: str) -> Replies:
    return replies_of(read_run(_folder(evals, name)))


def _folder(evals: Path, name: str) -> Path:
    """Return the folder of a run; a name with a slash is a path."""
    return Path(name) if "/" in name else evals / name
