"""What is still to be written of a domain: placeholders of its skeleton, and passages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orrery.catalog import Entry
from orrery.model import OrreryError

PLACEHOLDER = "TODO"
_MACRO = re.compile(r"\{%-?\s*macro (\w+)\(.*?\{%-?\s*endmacro", re.DOTALL)


def placeholders(entry: Entry) -> list[str]:
    """Return a line for each file and macro that `orrery new-domain` left to be written."""
    if entry.composed:
        return []
    lines = []
    for key in ("title", "source", "license"):
        if PLACEHOLDER in getattr(entry.description, key):
            lines.append(f"{entry.folder / 'domain.yaml'}: {key} is still {PLACEHOLDER}")
    if not entry.description.license.strip():
        lines.append(f"{entry.folder / 'domain.yaml'}: license is empty")
    source = entry.words.path.read_text(encoding="utf-8")
    unwritten = [match[1] for match in _MACRO.finditer(source) if PLACEHOLDER in match[0]]
    lines += [f"{entry.words.path}: macro {name} is still a placeholder" for name in unwritten]
    return lines


def check_written(entry: Entry) -> None:
    """Refuse a domain with placeholders.

    Raises:
        OrreryError: there are some; the message names the first.
    """
    if lines := placeholders(entry):
        place, _, problem = lines[0].partition(": ")
        more = f"; {len(lines) - 1} more: see `orrery doctor`" if lines[1:] else ""
        raise OrreryError(place, problem, f"write it{more}")


def missing(entry: Entry) -> Iterator[str]:
    """Yield what a domain may have and lacks: source, license, and the passages of its configurations."""
    about = entry.folder / "domain.yaml"
    if not entry.description.source:
        yield f"{about}: no source"
    if "license" not in entry.description.model_fields_set:
        yield f"{about}: no license: its rows are published under {entry.description.license}"
    if not entry.description.texts:
        return
    for part in ("init", "goal"):
        for configuration in sorted({getattr(task, part) for task in entry.tasks}):
            if not entry.words.has_passage(part, configuration):
                yield f"{entry.words.path}: no passage {part}_{configuration}: its texts are explicit only"
