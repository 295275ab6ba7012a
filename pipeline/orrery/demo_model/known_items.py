"""The items whose right replies the scripted model knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from orrery.dataset.prompts import has_examples
from orrery.library.asked_tables import asking_tables, tables_wanted
from orrery.library.fresh_rows import makers
from orrery.library.items import Item, shows_examples, styles
from orrery.library.loading import load
from orrery.library.streams import tasks
from orrery.model import UsageError
from orrery.store import shards

TEXTS = "text_to_pddl"


def stored_items(dataset: Path, root: Path, names: Sequence[str], split: str) -> Iterator[Item]:
    """Yield the items of tables of a dataset in every style, the usual one of all tables first."""
    for name, style in _told(names, root):
        if not shows_examples(root, name, style) or has_examples(dataset, name):
            yield from load(dataset, name, split, style=style, root=root)


def count_of_usual(dataset: Path, root: Path, names: Sequence[str], split: str) -> int:
    """Return how many items the tables have in their usual styles, which come first."""
    return sum(len(load(dataset, name, split, style=styles(root, name)[0], root=root)) for name in names)


def tables_to_ask(dataset: Path, wanted: str, split: str) -> list[str]:
    """Return the tables of a dataset that ask something and have rows in a split, of those ``wanted``.

    Raises:
        UsageError: what is wanted fits none (see ``tables_wanted``); the message lists those there are.
    """
    files = shards.splits(dataset)
    names_with_rows = [name for name in asking_tables() if split in files.get(name, {})]
    if not names_with_rows:
        raise UsageError(str(dataset), f"has no rows in split '{split}'", "name the folder of a dataset")
    return tables_wanted(wanted, names_with_rows, f"has no questions in split '{split}' of {dataset}")


def tables_of_streams(wanted: str) -> list[str]:
    """Return the tables that have fresh items, of those ``wanted``, as ``tables_to_ask`` does."""
    return tables_wanted(wanted, makers(), "has no fresh items")


def fresh_items(names: Sequence[str], seed: int, count: int, root: Path) -> Iterator[Item]:
    """Yield the first ``count`` fresh items of each table in its usual style, then in the others."""
    for name, style in _told(names, root):
        yield from islice(tasks(name, seed=seed, style=style, root=root), count)


def texts_of(dataset: Path, root: Path, split: str) -> Sequence[Item]:
    """Return the rows of ``text_to_pddl`` in a split of a dataset."""
    return load(dataset, TEXTS, split, root=root)


def texts_of_stream(seed: int, count: int, root: Path) -> Sequence[Item]:
    """Return the first ``count`` fresh rows of ``text_to_pddl``."""
    return list(islice(tasks(TEXTS, seed=seed, root=root), count))


def _told(names: Sequence[str], root: Path) -> list[tuple[str, str]]:
    """Return tables with their styles: the usual one of each table, the second of each, and so on."""
    placed = [(place, name, style) for name in names for place, style in enumerate(styles(root, name))]
    return [(name, style) for _, name, style in sorted(placed, key=lambda entry: entry[0])]
