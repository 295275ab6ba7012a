"""Functions for the tasks of lm-evaluation-harness: rows with prompts, and the score of a reply.

The harness finds this file next to its YAML files, as a copy in the dataset. If a download replaced the files
by links, the harness finds it in the package under the same name. Prompts and scores come from the package,
as in all other interfaces. The harness itself is not imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

TEST = "test"
STYLE = "zero_shot"
MISSING = (
    "The tasks of this dataset take prompts and scores from the package orrery: install its wheel with the "
    "extra data beside lm_eval (pip install 'orrery_planning-0.2.0-py3-none-any.whl[data]', as its file is "
    "called)"
)


def documents(
    table: str, split: str = TEST, style: str = STYLE, config_source: str = "", **_: Any
) -> dict[str, Any]:
    """Return the rows of a table as documents, by split. The harness calls it with the task's metadata.

    A document has the messages of the prompt (``system``, ``user``), a right reply (``gold``), and
    the ``row`` as JSON. ``config_source`` is the path of the YAML file, which the harness adds.

    Raises:
        ModuleNotFoundError: the package or its extra ``data`` is not installed.
        UsageError: the table, split or style does not exist; the message lists the available ones.
    """
    home = Path(config_source) if Path(config_source).is_file() else Path(__file__).parents[2] / "task.yaml"
    try:
        from orrery import load

        items = load(home.absolute().parent.parent, table, split, style=style)
    except ImportError as error:
        raise ModuleNotFoundError(f"{MISSING}; here: {error}") from error
    from datasets import Dataset  # installed with the harness

    return {TEST: Dataset.from_list([_document(item) for item in items])}


def score(doc: Mapping[str, Any], replies: Sequence[str]) -> dict[str, float]:
    """Return the figures of one document: ``accuracy``, ``unparsed`` and ``undecided``, each 0 or 1.

    Undecided replies have no accuracy; the harness averages over the others.
    """
    import orrery

    graded = orrery.score(replies[0], json.loads(doc["row"]), doc["table"])
    counts = {name: float(graded.verdict == name) for name in ("unparsed", "undecided")}
    return counts if graded.verdict == "undecided" else {"accuracy": graded.value, **counts}


def count(values: Iterable[float]) -> float:
    """Return the number of documents with a property."""
    return float(sum(values))


def _document(item: Any) -> dict[str, str]:
    system, user = (message["content"] for message in item.prompt)
    return {
        "id": item.row["id"],
        "table": item.table,
        "system": system,
        "user": user,
        "gold": item.gold,
        "row": json.dumps(item.row, ensure_ascii=False),
    }
