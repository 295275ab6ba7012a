"""Items as the examples that trainers take: prompts with their rows, or conversations with right replies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any, TypeAlias

from orrery.library.items import Item
from orrery.library.streams import TaskStream
from orrery.model import ToolMissing, UsageError

Example: TypeAlias = dict[str, Any]

REWARD, MESSAGES, PAIRS = "reward", "messages", "prompt-completion"
FORMS = (REWARD, MESSAGES, PAIRS)


def example(item: Item, form: str = REWARD) -> Example:
    """Return an item as one example of a training set; for the forms see ``examples``."""
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
    """Return an iterator of examples to train on, one an item.

    Rows of the tables differ in their columns, so each travels as one text: tables may be mixed in a set.

    Args:
        items: what ``orrery.tasks`` or ``orrery.load`` returns, or a ``Curriculum``, or any items.
        limit: take so many items; all unless given, without end where a stream has none.
        form: ``reward`` for reinforcement learning: ``prompt`` (messages), ``id``, ``table`` and ``row``
            (JSON), which ``Reward`` reads. ``messages`` for supervised learning: a conversation of system,
            user and assistant, who gives the right reply. ``prompt-completion``: the same in two columns, so
            that TRL's ``SFTTrainer`` learns the reply alone.

    Raises:
        UsageError: there is no such form.
    """
    if form not in FORMS:
        raise UsageError(f"form '{form}'", "is unknown", f"forms: {', '.join(FORMS)}")
    return (example(item, form) for item in islice(items, limit))


def training_set(items: Iterable[Item], limit: int | None = None, form: str = REWARD) -> Any:
    """Return examples as a ``datasets.Dataset``, or as a ``datasets.IterableDataset`` that never ends.

    A stream without a limit gives the latter: its items are made when the trainer asks for them, and each
    pass over it gives the same ones from where the stream stood. Trainers then need ``max_steps``.

    Args:
        items: what ``orrery.tasks`` or ``orrery.load`` returns, or a ``Curriculum``.
        limit: take so many items; all unless given.
        form: as for ``examples``.

    Raises:
        UsageError: there is no such form.
        ToolMissing: the package ``datasets`` is not installed.
    """
    try:
        from datasets import Dataset, IterableDataset
    except ModuleNotFoundError as error:
        raise ToolMissing(
            "training_set", f"requires the package {error.name}", "pip install datasets"
        ) from error
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
    """Yield examples without end: of a stream by number, so that each pass is the same."""
    if isinstance(items, TaskStream):
        yield from (example(items.item(number), form) for number in count(start))
    yield from examples(items, None, form)


def _features(form: str) -> Any:
    """Return the columns of a form, which a trainer asks for before the first example is made."""
    from datasets import Features, Value

    message_features = [{"role": Value("string"), "content": Value("string")}]
    columns = {
        REWARD: {"prompt": message_features, **{name: Value("string") for name in ("id", "table", "row")}},
        MESSAGES: {"messages": message_features},
        PAIRS: {"prompt": message_features, "completion": message_features},
    }
    return Features(columns[form])
