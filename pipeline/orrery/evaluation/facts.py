"""What is told of a row beside the score of its reply: the columns that scores are grouped by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from orrery.evaluation.choice import REPRESENTATIONS
from orrery.library.items import Item

FORMATS = MappingProxyType({"gen": "open", "bool": "bool", "mcq": "mcq"})  # by the end of a table's name


def facts_of(item: Item, part: str) -> dict[str, Any]:
    """Return the columns of the table of scores that are known before a reply: what is asked, and how.

    ``part`` is the split of the row, or ``fresh``.
    """
    row = item.row
    return {
        "table": item.table,
        "split": part,
        "id": str(row["id"]),
        "domain": str(row.get("domain") or ""),
        "kind": str(row.get("kind") or _plan_task(row)),
        "format": _format(item),
        "representation": representation_of(item.style),
        "style": item.style,
        "difficulty": row.get("difficulty"),
        "plan_length": _plan_length(row),
    }


def representation_of(style: str) -> str:
    """Return what prompts of a style show: ``words`` unless its name ends in another representation."""
    ending = style.rpartition("_")[2]
    return ending if ending in REPRESENTATIONS else REPRESENTATIONS[0]


def _plan_task(row: Mapping[str, Any]) -> str:
    """Return the task of a row about plans, which has a group; configurations are called tasks as well."""
    return str(row.get("task") or "") if "group" in row else ""


def _format(item: Item) -> str:
    """Return the format of a question, which the name of its table ends in."""
    return FORMATS.get(item.table.rpartition("_")[2], "") if item.row.get("kind") else ""


def _plan_length(row: Mapping[str, Any]) -> int | None:
    """Return the number of steps of the row's plan; None where it has none, as where there is none."""
    if row.get("solvable") in (False, 0):
        return None
    stated, plan = row.get("plan_length"), row.get("plan")
    if stated is not None:
        return int(stated)
    return None if plan is None else len(plan)
