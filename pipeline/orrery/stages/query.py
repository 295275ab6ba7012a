"""``orrery query``: SQL over the published tables, the scores of models, and files of the user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orrery.dataset.contents import read_manifest
from orrery.dataset.stores import fetched, is_address, tables_named
from orrery.dataset.user_files import own_files
from orrery.dataset.views import query
from orrery.evaluation.results.runs import SCORES_FILE, run_names
from orrery.store.columns import Table


def run(dataset: Path | str, evals: Path, sql: str, files: Sequence[str] = ()) -> Table:
    """Return the result of ``sql`` over the tables of a dataset and the runs in a folder.

    ``files`` are files of the user, ``FILE`` or ``NAME=FILE``, which become views.

    For a dataset in a store, given by its address, only the tables named in the statement are downloaded.
    """
    if isinstance(dataset, str):
        dataset = fetched(dataset, tables_named(dataset, sql)) if is_address(dataset) else Path(dataset)
        read_manifest(dataset)  # for an explicit dataset, the runs alone are not sufficient
    runs = {name: evals / name / SCORES_FILE for name in run_names(evals)}
    return query(dataset, sql, runs, own_files(files))
