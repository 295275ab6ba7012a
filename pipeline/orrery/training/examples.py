"""Items as training examples: prompts with their rows, or conversations with right replies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from orrery.installation import needing
from orrery.library.items import Item
from orrery.library.loading import load
from orrery.library.streams import TaskStream, tasks
from orrery.model import UsageError, suggest

Example: TypeAlias = dict[str, Any]

REWARD, MESSAGES, PAIRS = "reward", "messages", "prompt-completion"
FORMS = (REWARD, MESSAGES, PAIRS)


def table_items(
    table: str, domain: str | None, difficulty: str | None, seed: int, kind: str | None, style: str,
    split: str, dataset: Path | str | None,
) -> Iterable[Item]:  # fmt: skip
    """Return the fresh items of a table, or those of a split of a dataset if one is named.

    Raises:
        UsageError: a dataset is named beside a domain, difficulty or kind; or one of all does not exist.
    """
    if dataset is None:
        return tasks(table, domain, difficulty, seed, kind, style, split=split)
    if (domain, difficulty, kind) != (None, None, None):
        problem = "cannot be combined with domain, difficulty or kind"
        raise UsageError(f"dataset {dataset}", problem, "leave them out")
    return load(dataset, table, split, style=style)


def example(item: Item, form: str = REWARD) -> Example:
    """Return an item as one training example; for the forms see ``examples``."""
    if form == REWARD:
        row = json.dumps(dict(item.row), ensure_ascii=False, sort_keys=True)
        return {"prompt": item.prompt, "id": item.row["id"], "table": item.table, "row": row}
    reply = [{"role": "assistant", "content": item.gold}]
    return (
        {"messages": item.prompt + reply}
        if form == MESSAGES
        else {"prompt": item.prompt, "completion": reply}
    )


def examples(items: Iterable[Item], limit: int | None = None, form: str = REWARD) -> Iterator[Example]:
    """Return an iterator of training examples, one per item.

    Rows of different tables have different columns, so each row is stored as JSON text. Tables can be mixed
    in a set.

    Args:
        items: the result of ``orrery.tasks`` or ``orrery.load``, a ``Curriculum``, or other items.
        limit: the maximum number of items (default: all; a stream is then endless).
        form: ``reward`` for reinforcement learning: ``prompt`` (messages), ``id``, ``table`` and ``row``
            (JSON), which ``Reward`` reads. ``messages`` for supervised learning: a conversation of system,
            user and assistant, with the right reply. ``prompt-completion``: the same in two columns, so
            that TRL's ``SFTTrainer`` learns only the reply.

    Raises:
        UsageError: the form is unknown.
    """
    if form not in FORMS:
        raise UsageError(f"form '{form}'", "is unknown", suggest(form, "forms", FORMS))
    return (example(item, form) for item in islice(items, limit))


def training_set(items: Iterable[Item], limit: int | None = None, form: str = REWARD) -> Any:
    """Return examples as a ``datasets.Dataset``, or as an endless ``datasets.IterableDataset``.

    A stream without a limit gives an endless dataset. Its items are created when the trainer requests them.
    Each pass gives the same items, beginning at the current position of the stream. Trainers then need
    ``max_steps``.

    Args:
        items: the result of ``orrery.tasks`` or ``orrery.load``, or a ``Curriculum``.
        limit: the maximum number of items (default: all).
        form: as for ``examples``.

    Raises:
        UsageError: the form is unknown.
        ToolMissing: the package ``datasets`` is not installed.
    """
    with needing("training_set", "pip install datasets"):
        from datasets import Dataset, IterableDataset
    rows = examples(items, limit, form)
    if limit is not None or isinstance(items, Sequence):
        return Dataset.from_list(list(rows))
    arguments = {
        "items": items,
        "start": items.position if isinstance(items, TaskStream) else 0,
        "form": form,
    }
    return IterableDataset.from_generator(_endless, features=_features(form), gen_kwargs=arguments)


def _endless(items: Iterable[Item], start: int, form: str) -> Iterator[Example]:
    """Yield examples without end. Each pass begins at the same item of a stream."""
    if isinstance(items, TaskStream):
        resumed = copy(items)
        resumed.position = start
        items = resumed
    yield from examples(items, None, form)


def _features(form: str) -> Any:
    """Return the columns of a form, which a trainer requests before the first example."""
    from datasets import Features, Value

    message_features = [{"role": Value("string"), "content": Value("string")}]
    columns = {
        REWARD: {"prompt": message_features, **{name: Value("string") for name in ("id", "table", "row")}},
        MESSAGES: {"messages": message_features},
        PAIRS: {"prompt": message_features, "completion": message_features},
    }
    return Features(columns[form])
