"""Items of a dataset that was built or downloaded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import pyarrow as pa
import pyarrow.compute as pc

from orrery.dataset.contents import MANIFEST, Manifest, read_manifest
from orrery.dataset.prompts import EXAMPLES_FILE, examples_of
from orrery.dataset.stores import fetched, is_address
from orrery.families import table_of
from orrery.installation import find_root, install
from orrery.library.items import USUAL, Item, Row, shows_examples, style_of
from orrery.model import ToolMissing, UsageError
from orrery.store import shards

TOGETHER = 500  # rows turned into Python at a time


class Items(Sequence[Item]):
    """The items of one table and split, in the order of its rows.

    Held as Arrow, and turned into rows when they are asked for.
    """

    def __init__(self, table: str, rows: Any, style: str, root: Path, examples: tuple[Row, ...] = ()) -> None:
        """Hold ``rows``, an Arrow table, as items of ``table`` in a style."""
        self.table, self.style = table, style
        self._rows, self._root, self._examples = rows, root, examples

    def __len__(self) -> int:
        """Return the number of items."""
        return int(self._rows.num_rows)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> Items: ...

    def __getitem__(self, place: int | slice) -> Item | Items:
        """Return an item, or those of a slice."""
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
        """Return the items whose rows have these ids, in their order."""
        names = pa.array(sorted(ids), pa.string())
        rows = self._rows.filter(pc.is_in(self._rows["id"], names))
        return Items(self.table, rows, self.style, self._root, self._examples)

    def _item(self, row: Row) -> Item:
        return Item(self.table, row, self.style, self._root, self._examples)


def load(
    path: Path | str, table: str, split: str = "test", *, style: str = USUAL, root: Path | str | None = None
) -> Items:
    """Return the items of a table of a built dataset, ready to be asked and scored.

    Args:
        path: the folder of the dataset, which holds ``data/<table>``; or the id of one on the Hugging Face
            Hub, as ``owner/name``, or the address of one in a store, as ``s3://bucket/folder``, of which no
            more than this table and split is downloaded.
        table: the name of the table, such as ``acp_app_gen``.
        split: ``train``, ``validation`` or ``test``.
        style: the style of the prompts, ``zero_shot`` unless given (or the first one of a table that has
            none).
        root: the folder with templates and domains; that of the installation unless given.

    Raises:
        UsageError: there is no such table, split, style or folder; the message lists what there is.
        OrreryError: a file is damaged.
        ToolMissing: a dataset of the Hub or of a store is named, and its extra (``hub``, ``s3``) is not
            installed.
    """
    table_of(table)
    home = (Path(root) if root is not None else find_root()).absolute()
    style_told = style_of(home, table, style)
    dataset = _folder(path, table, split)
    splits = shards.splits(dataset)
    if not splits:
        raise UsageError(str(path), "has no tables", "name the folder that contains data/<table>")
    if table not in splits:
        raise UsageError(f"table '{table}'", f"has no rows in {path}", f"tables: {', '.join(splits)}")
    if split not in splits[table]:
        choices = f"splits with rows: {', '.join(splits[table])}"
        raise UsageError(f"table '{table}'", f"has no rows in split '{split}'", choices)
    rows = pa.concat_tables([shards.read(file) for file in splits[table][split]])
    examples = examples_of(dataset, table) if shows_examples(home, table, style_told) else ()
    return Items(table, rows, style_told, home, tuple(examples))


def manifest_of(path: Path | str) -> Manifest:
    """Return the manifest of a dataset, which counts its rows by table and split and states its content hash.

    Of one on the Hugging Face Hub nothing else is downloaded.

    Raises:
        UsageError: there is no such folder or dataset.
        OrreryError: it is none of ours, or its manifest is damaged.
        ToolMissing: a dataset of the Hub or of a store is named, and its extra (``hub``, ``s3``) is not
            installed.
    """
    return read_manifest(Path(path) if Path(path).is_dir() else _downloaded(path, [MANIFEST]))


def _folder(path: Path | str, table: str, split: str) -> Path:
    """Return the folder of a dataset: the one that is named, or where the Hub's was downloaded to."""
    if Path(path).is_dir():
        return Path(path)
    return _downloaded(path, [f"data/{table}/{split}-*", EXAMPLES_FILE])


def _downloaded(path: Path | str, wanted: list[str]) -> Path:
    """Return the folder that some files of a dataset of the Hub, or of a store, were downloaded to."""
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
        # A folder whose name is mistyped may look like an id, so both are said.
        problem = f"is not a folder, and loading from the Hub requires the package {error.name}"
        raise ToolMissing(f"dataset '{path}'", problem, install("hub")) from error
    try:
        return Path(snapshot_download(path, repo_type="dataset", allow_patterns=wanted))
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(
            f"dataset '{path}'", f"is neither a folder nor a dataset on the Hub: {reason}"
        ) from error
