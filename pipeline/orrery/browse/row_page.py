"""The content of a row's page: texts, PDDL, the answer with its proof, prompts, and the columns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.prompts import examples_of
from orrery.dataset.row_pictures import steps_of
from orrery.families import table_of
from orrery.library.items import Item, shows_examples, styles
from orrery.model import OrreryError, UsageError
from orrery.store.kinds import Schema, description

TEXTS = (
    *("context", "question", "natural_language", "first_observation"),
    *("description_abstract", "description_concrete", "header"),
)
PDDL = ("domain_pddl", "PDDL_domain", "problem_pddl", "PDDL_problem", "gold_domain", "question_pddl")
ANSWERS = ("answer", "answer_pddl", "plan", "valid", "solvable", "h_star", "plan_cost")
PROOFS = ("proofs", "plan_proof", "planner", "planner_version", "plan_optimal", "claim", "claims")
EMPTY: tuple[Any, ...] = ([], "", "unknown")
TOLD_OTHERWISE = ("context_pddl", "context_both", "nl_templates")  # in prompts, or long


class ShownPrompt(NamedTuple):
    """A prompt in one style: system and user message; or the reason why there is none."""

    style: str
    system: str
    user: str
    problem: str = ""


def row_page(
    root: Path, dataset: Path, schema: Schema, table: str, split: str, row: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the content of a row's page; values are text, or lists of text.

    ``gold`` is a right reply, ``steps`` the number of steps to browse, ``drawn`` whether there is a picture.

    Args:
        root: the folder with templates and domains.
        dataset: the folder of the dataset, whose worked examples some prompts show.
        schema: the columns of the row.
        table: the row's table.
        split: its split.
        row: the row.
    """
    shown = {*TEXTS, *PDDL, *ANSWERS, *PROOFS, *TOLD_OTHERWISE, "id", "choices", "texts"}
    return {
        "table": table,
        "split": split,
        "row": row,
        "texts": [(name, row[name]) for name in TEXTS if row.get(name)] + _texts(row),
        "choices": _choices(row),
        "answer": [(name, plain(row[name])) for name in ANSWERS if name in row],
        "proofs": [
            (name, text)
            for name in PROOFS
            if name in row and (text := proven(row) if name == "proofs" else plain(row[name])) not in EMPTY
        ],
        "pddl": [(name, row[name]) for name in PDDL if row.get(name)],
        "rest": [(name, plain(row[name]), _meaning(schema, name)) for name in row if name not in shown],
        "prompts": prompts(root, dataset, table, row),
        "gold": _gold(root, table, row),
        "steps": _steps(row),
        "drawn": bool(row.get("problem_pddl") or row.get("PDDL_problem")),
    }


def plain(value: Any) -> Any:
    """Return a value as text, or as a list of texts; JSON in a text is decoded."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if isinstance(value, Mapping):
        return [f"{name}: {line(element)}" for name, element in value.items()]
    if isinstance(value, list):
        return [line(element) for element in value]
    return "unknown" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def proven(row: Mapping[str, Any]) -> list[str]:
    """Return the proofs of the answer: for each part, its elements by proof."""
    try:
        proofs = json.loads(row["proofs"])
    except ValueError:
        return [row["proofs"]]
    if not isinstance(proofs, Mapping):
        return [row["proofs"]]
    lines = []
    for part, hows in proofs.items():
        of = row.get("answer")
        elements = of.get(part) if isinstance(of, Mapping) else of
        if not isinstance(elements, list) or not isinstance(hows, list) or len(elements) != len(hows):
            lines.append(f"{part}: {line(hows)}")
            continue
        by = {
            how: [e for e, h in zip(elements, hows, strict=True) if line(h) == how]
            for how in dict.fromkeys(map(line, hows))
        }
        lines += [f"{part}, by {how}: {' '.join(map(line, facts))}" for how, facts in by.items()]
    return lines


def prompts(root: Path, dataset: Path, table: str, row: Mapping[str, Any]) -> list[ShownPrompt]:
    """Return the prompts of a row in each style, the default style first."""
    shown_prompts = []
    examples = cache(partial(examples_of, dataset, table))
    for style in styles(root, table) if table_of(table).template else ():
        try:
            shown = tuple(examples()) if shows_examples(root, table, style) else ()
            messages = Item(table, row, style, root, shown).prompt
        except OrreryError as error:
            shown_prompts.append(ShownPrompt(style, "", "", str(error)))
        else:
            shown_prompts.append(ShownPrompt(style, messages[0]["content"], messages[1]["content"]))
    return shown_prompts


def line(value: Any) -> str:
    """Return a value on one line."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(element, str) for element in value):
        return " ".join(value) if value else "none"
    return json.dumps(value, ensure_ascii=False, default=str)


def _texts(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the named texts of a row with several texts."""
    texts = row.get("texts")
    return [(name, text) for name, text in texts.items() if text] if isinstance(texts, Mapping) else []


def _choices(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    choices = row.get("choices")
    return list(zip(choices["label"], choices["text"], strict=True)) if isinstance(choices, Mapping) else []


def _meaning(schema: Schema, name: str) -> str:
    return description(schema.field(name)) if name in schema.names else ""


def _gold(root: Path, table: str, row: Mapping[str, Any]) -> str:
    """Return a right reply; empty if the table has no prompts."""
    return Item(table, row, "", root).gold if table_of(table).gold else ""


def _steps(row: Mapping[str, Any]) -> int:
    """Return the number of steps of the row's plan or sequence; 0 if it has none."""
    try:
        return len(steps_of(row))
    except UsageError:
        return 0
