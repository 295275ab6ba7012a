"""Items of a built or downloaded dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import pyarrow as pa
import pyarrow.compute as pc

from orrery.dataset.contents import MANIFEST, Manifest, read_manifest
from orrery.dataset.prompts import EXAMPLES_FILE, ValuePath, examples_of
from orrery.dataset.stores import fetched, is_address
from orrery.families import table_of
from orrery.installation import find_root, install
from orrery.library.items import USUAL, Item, shows_examples, style_of, template
from orrery.model import Row, ToolMissing, UsageError, suggest
from orrery.store import shards

TOGETHER = 500  # rows converted to Python at a time


class Items(Sequence[Item]):
    """The items of one table and split, in the order of its rows.

    Rows are stored as Arrow and converted when they are accessed. ``skipped`` counts rows of the split that
    are not for the prompt style, by the value of their prompt that is empty.
    """

    def __init__(self, table: str, rows: Any, style: str, root: Path, examples: tuple[Row, ...] = ()) -> None:
        """Create the items of ``rows``, an Arrow table, with a prompt style."""
        self.table, self.style, self.skipped = table, style, Counter[str]()
        self._rows, self._root, self._examples = rows, root, examples

    def __len__(self) -> int:
        """Return the number of items."""
        return int(self._rows.num_rows)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> Items: ...

    def __getitem__(self, place: int | slice) -> Item | Items:
        """Return an item, or the items of a slice."""
        places = range(len(self))[place]
        if isinstance(places, range):
            rows = self._rows.take(pa.array(places, pa.int64()))
            return Items(self.table, rows, self.style, self._root, self._examples)
        return self._item(self._rows.slice(places, 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Item]:
        """Yield the items in order."""
        for start in range(0, len(self), TOGETHER):
            yield from map(self._item, self._rows.slice(start, TOGETHER).to_pylist())

    def of_ids(self, ids: Collection[str]) -> Items:
        """Return the items whose rows have these ids, in the order of the rows."""
        names = pa.array(sorted(ids), pa.string())
        rows = self._rows.filter(pc.is_in(self._rows["id"], names))
        return Items(self.table, rows, self.style, self._root, self._examples)

    def _item(self, row: Row) -> Item:
        return Item(self.table, row, self.style, self._root, self._examples)


def load(
    path: Path | str, table: str, split: str = "test", *, style: str = USUAL, root: Path | str | None = None
) -> Items:
    """Return the items of a table of a built dataset.

    Args:
        path: the folder of the dataset, which contains ``data/<table>``; or its id on the Hugging Face
            Hub, for example ``owner/name``; or its address in a store, for example ``s3://bucket/folder``.
            From the Hub or a store, only this table and split are downloaded.
        table: the name of the table, for example ``acp_app_gen``.
        split: ``train``, ``validation`` or ``test``.
        style: the style of the prompts (default: ``zero_shot``, or the first style of a table without it).
            Items of a table with dialogues have no prompts.
        root: the folder with templates and domains (default: that of the installation).

    Raises:
        UsageError: the table, split, style or folder does not exist; the message lists the available ones.
        OrreryError: a file is damaged.
        ToolMissing: a dataset of the Hub or of a store needs its extra (``hub``, ``s3``), which is not
            installed.
    """
    has_prompts = not table_of(table).dialogues
    home = find_root(root).absolute()
    style_told = style_of(home, table, style) if has_prompts else ""
    dataset = _folder(path, table, split)
    splits = shards.splits(dataset)
    if not splits:
        raise UsageError(str(path), "has no tables", "name the folder that contains data/<table>")
    if table not in splits:
        raise UsageError(f"table '{table}'", f"has no rows in {path}", suggest(table, "tables", splits))
    if split not in splits[table]:
        mend = suggest(split, "splits with rows", splits[table])
        raise UsageError(f"table '{table}'", f"has no rows in split '{split}'", mend)
    rows = pa.concat_tables([shards.read(file) for file in splits[table][split]])
    if not has_prompts:
        return Items(table, rows, style_told, home)
    examples = examples_of(dataset, table) if shows_examples(home, table, style_told) else ()
    asked, skipped = _with_values(rows, template(home, table, style_told).values)
    items = Items(table, asked, style_told, home, tuple(examples))
    items.skipped.update(skipped)
    return items


def _with_values(rows: pa.Table, values: Iterable[ValuePath]) -> tuple[pa.Table, dict[str, int]]:
    """Return the rows in which no value is empty, and the numbers of other rows by the first empty value."""
    skipped = dict[str, int]()
    for column, *members in values:
        if column in rows.column_names:
            number, rows = rows.num_rows, rows.filter(_filled(rows[column], members))
            skipped[".".join([column, *members])] = number - rows.num_rows
    return rows, {name: count for name, count in skipped.items() if count}


def _filled(column: Any, members: Iterable[str]) -> Any:
    """Return whether each value, or a member of each record, is neither null nor an empty text or list."""
    for member in members:
        column = pc.struct_field(column, member)
    if pa.types.is_list(column.type):
        return pc.greater(pc.list_value_length(column), 0)
    return pc.not_equal(column, "") if pa.types.is_string(column.type) else column.is_valid()


def manifest_of(path: Path | str) -> Manifest:
    """Return the manifest of a dataset: its numbers of rows by table and split, and its content hash.

    From the Hugging Face Hub, nothing else is downloaded.

    Raises:
        UsageError: the folder or dataset does not exist.
        OrreryError: it is not an Orrery dataset, or its manifest is damaged.
        ToolMissing: a dataset of the Hub or of a store needs its extra (``hub``, ``s3``), which is not
            installed.
    """
    return read_manifest(Path(path) if Path(path).is_dir() else _downloaded(path, [MANIFEST]))


def _folder(path: Path | str, table: str, split: str) -> Path:
    """Return the folder of a dataset: the given one, or the download folder."""
    if Path(path).is_dir():
        return Path(path)
    return _downloaded(path, [f"data/{table}/{split}-*", EXAMPLES_FILE])


def _downloaded(path: Path | str, wanted: list[str]) -> Path:
    """Download some files of a dataset from the Hub or a store; return their folder."""
    if isinstance(path, str) and is_address(path):
        return fetched(path, wanted)
    if not isinstance(path, str) or path.count("/") != 1 or path.startswith((".", "/")):
        raise UsageError(
            str(path), "is not a folder", "name the folder of a dataset, or owner/name on the Hub"
        )
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError
    except ModuleNotFoundError as error:
        # A mistyped folder name may look like an id, so the message mentions both.
        problem = f"is not a folder, and loading from the Hub requires the package {error.name}"
        raise ToolMissing(f"dataset '{path}'", problem, install("hub")) from error
    try:
        return Path(snapshot_download(path, repo_type="dataset", allow_patterns=wanted))
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(
            f"dataset '{path}'", f"is neither a folder nor a dataset on the Hub: {reason}"
        ) from error
