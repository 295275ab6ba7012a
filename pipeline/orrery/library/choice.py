"""Select the rows for a model: from a dataset or a stream, all or some, in a prompt style."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from orrery.dataset.contents import MANIFEST, content_hash
from orrery.families import tables
from orrery.library.fresh_problems import FRESH
from orrery.library.fresh_rows import makers
from orrery.library.items import USUAL, Item, style_of
from orrery.library.loading import load, manifest_of
from orrery.library.streams import tasks
from orrery.model import UsageError, suggest
from orrery.seeds import digest
from orrery.store import shards

ALL = "all"
DATASET = "outputs/dataset"
FRESH_ROWS = 100  # default number of rows per table of a stream
SHOTS = {0: "zero_shot", 2: "two_shot"}
REPRESENTATIONS = ("words", "pddl", "both")


@dataclass(frozen=True)
class RowSelection:
    """A selection of rows from every table, with the style of their prompts.

    ``dataset`` is the folder of a dataset or its id on the Hub; its ``split`` is used. With a ``seed``, the
    rows come from the stream of that seed instead. ``domain`` and ``difficulty`` filter the rows, and
    ``limit`` is the maximum number of rows per table. ``style`` is the prompt style. Without it,
    ``representation`` and ``shots`` select the style.
    """

    dataset: str = DATASET
    split: str = "test"
    seed: int | None = None
    domain: str | None = None
    difficulty: str | None = None
    style: str | None = None
    representation: str | None = None
    shots: int | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        """Check that the options do not contradict each other."""
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"limit {self.limit}", "is too small", "give 1 or more")
        if self.style is not None and (self.representation is not None or self.shots is not None):
            mend = "leave representation and shots out"
            raise UsageError(f"style '{self.style}'", "cannot be combined with representation or shots", mend)

    @property
    def prompt_style(self) -> str:
        """The requested prompt style; the default style if nothing is requested.

        Raises:
            UsageError: the representation is unknown, or no style has this number of examples.
        """
        if self.style is not None:
            return self.style
        if self.representation not in (None, *REPRESENTATIONS):
            mend = suggest(self.representation, "representations", REPRESENTATIONS)
            raise UsageError(f"representation '{self.representation}'", "is unknown", mend)
        if self.shots not in (None, *SHOTS):
            mend = f"shots: {', '.join(map(str, SHOTS))}"
            raise UsageError(f"shots {self.shots}", "is not supported by any style", mend)
        shown = self.representation if self.representation in REPRESENTATIONS[1:] else None
        return "_".join(filter(None, (SHOTS[self.shots or 0], shown)))

    @property
    def part(self) -> str:
        """The split of the rows; ``fresh`` for a stream."""
        return self.split if self.seed is None else FRESH


def asking_tables() -> list[str]:
    """Return the sorted names of all tables with prompts."""
    return sorted(name for name, table in tables().items() if table.gold)


def evaluated_tables() -> list[str]:
    """Return the sorted names of all tables with prompts, or with worlds to act in."""
    return sorted(name for name, table in tables().items() if table.gold or table.dialogues)


def chosen_tables(wanted: str, choice: RowSelection) -> list[str]:
    """Return the sorted names of the selected tables.

    Args:
        wanted: ``all``, or names and patterns such as ``acp_*_bool``, separated by commas. ``all`` means all
            tables with rows.
        choice: the selection of rows; its dataset determines which tables have rows.

    Raises:
        UsageError: a name or pattern matches no table with prompts, or the dataset has no rows; the
            message lists the available tables.
    """
    available = _tables_with_rows(choice)
    chosen = set[str]()
    for name in filter(None, (part.strip() for part in wanted.split(","))):
        pattern = "*" if name == ALL else name
        if not (fitting := fnmatch.filter(available, pattern)):
            asks = fnmatch.filter(evaluated_tables(), pattern)
            problem = "has no rows to ask" if asks else "has no questions for a model"
            raise UsageError(f"table '{name}'", problem, suggest(name, "tables", sorted(available)))
        chosen.update(fitting)
    if not chosen:
        raise UsageError(f"tables '{wanted}'", "match no table", suggest(wanted, "tables", sorted(available)))
    return sorted(chosen)


def questions_among(names: Sequence[str]) -> list[str]:
    """Return the names of tables with prompts, which a scripted reply answers; worlds are left out.

    Raises:
        UsageError: there is none.
    """
    asking = [name for name in names if name in asking_tables()]
    if not asking:
        raise UsageError(
            f"tables {', '.join(names)}", "have no questions", f"tables: {', '.join(asking_tables())}"
        )
    return asking


def items_of(
    choice: RowSelection, table: str, root: Path, tell: Callable[[str], object] = bool
) -> list[Item]:
    """Return the selected items of a table. Every prefix of the list is a fair sample.

    Rows of a dataset are sorted by a hash of their id, because tables are balanced only as a whole and are
    ordered by domain. A smaller limit selects a subset of the rows of a larger limit.

    Args:
        choice: the selection.
        table: the name of the table.
        root: the folder of templates and domains.
        tell: called with a message about stored rows that the style leaves out, because a value that its
            prompts show is empty.

    Raises:
        UsageError: the table has no such style, split, domain or difficulty, or has no prompts.
        OrreryError: a file is damaged, or a stream has no such item.
    """
    style = USUAL if tables()[table].dialogues else style_of(root, table, choice.prompt_style)
    if choice.seed is not None:
        stream = tasks(table, choice.domain, choice.difficulty, choice.seed, style=style, root=root)
        return list(islice(stream, choice.limit or FRESH_ROWS))
    _check_folder(choice)
    stored = load(choice.dataset, table, choice.split, style=style, root=root)
    for value, count in stored.skipped.items():
        tell(f"left out: {count} rows of table '{table}' for style '{style}': {value} is empty")
    items = _only(stored, "domain", choice.domain, table)
    items = _only(items, "difficulty", choice.difficulty, table)
    return sorted(items, key=lambda item: digest("asked", item.row["id"]))[: choice.limit]


def data_of(choice: RowSelection) -> str:
    """Return the identity of the rows: the content hash of their dataset, or the seed of the stream."""
    if choice.seed is not None:
        return f"stream {choice.seed}"
    folder = Path(choice.dataset)
    if folder.is_dir() and not (folder / MANIFEST).is_file():
        return content_hash(folder)
    return str(manifest_of(choice.dataset)["content_hash"])


def _only(items: Iterable[Item], column: str, wanted: str | None, table: str) -> Sequence[Item]:
    """Return the items whose row has the wanted value; all items if ``wanted`` is None."""
    listed = list(items)
    if wanted is None:
        return listed
    matching = [item for item in listed if item.row.get(column) == wanted]
    if not matching:
        values = sorted({str(item.row[column]) for item in listed if item.row.get(column)})
        mend = suggest(wanted, "there are", values)
        raise UsageError(f"table '{table}'", f"has no rows of {column} '{wanted}'", mend)
    return matching


def _check_folder(choice: RowSelection) -> None:
    """Raise a UsageError if the default folder does not exist. Its name might also be an id on the Hub."""
    if choice.dataset == DATASET and not Path(DATASET).is_dir():
        mend = "build it, name another dataset, or ask fresh tasks: `--fresh 1`, in Python `seed=1`"
        raise UsageError(DATASET, "is not a folder", mend)


def _tables_with_rows(choice: RowSelection) -> set[str]:
    """Return the names of the tables that have rows with prompts.

    For a dataset on the Hub, only the manifest is read.
    """
    if choice.seed is not None:
        return set(makers()) & set(asking_tables())
    _check_folder(choice)
    rows_by_table: Mapping[str, Mapping[str, Any]]
    if Path(choice.dataset).is_dir():
        rows_by_table = shards.splits(Path(choice.dataset))
    else:
        rows_by_table = manifest_of(choice.dataset)["rows"]
    if not rows_by_table:
        raise UsageError(choice.dataset, "has no tables", "name the folder that contains data/<table>")
    having = {name for name in evaluated_tables() if choice.split in rows_by_table.get(name, {})}
    if not having:
        splits = ", ".join(sorted({split for by_split in rows_by_table.values() for split in by_split}))
        raise UsageError(choice.dataset, f"has no rows in split '{choice.split}'", f"splits: {splits}")
    return having
