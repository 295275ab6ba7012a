"""The items for which the scripted model knows the right replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from orrery.dataset.prompts import stored_examples
from orrery.library.choice import RowSelection, items_of
from orrery.library.items import Item, shows_examples, styles
from orrery.library.loading import load


def known_items(choice: RowSelection, names: Sequence[str], root: Path) -> Iterator[Item]:
    """Yield the chosen items of tables in every style, beginning with the default style of each table."""
    placed = [(place, name, style) for name in names for place, style in enumerate(styles(root, name))]
    for _, name, style in sorted(placed, key=lambda entry: entry[0]):
        is_fresh = choice.seed is not None
        if is_fresh or not shows_examples(root, name, style) or stored_examples(Path(choice.dataset), name):
            yield from items_of(replace(choice, style=style), name, root)


def count_of_usual(choice: RowSelection, names: Sequence[str], root: Path) -> int:
    """Return the number of items of the tables in their default styles. These items come first."""
    if choice.seed is not None:
        return len(names) * (choice.limit or 0)
    return sum(len(load(choice.dataset, name, choice.split, root=root)) for name in names)
