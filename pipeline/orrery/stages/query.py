"""``orrery query``: SQL over the published tables, and over what models were scored on them."""

from __future__ import annotations

from pathlib import Path

from orrery.dataset.stores import fetched, is_address, tables_named
from orrery.dataset.views import query
from orrery.evaluation.results.runs import SCORES_FILE, run_names
from orrery.store.columns import Table


def run(dataset: Path | str, evals: Path, sql: str) -> Table:
    """Find the rows that ``sql`` selects from the tables of a dataset and the runs in a folder.

    Of a dataset in a store, named by its address, the tables are fetched that the statement names.
    """
    if isinstance(dataset, str):
        dataset = fetched(dataset, tables_named(dataset, sql)) if is_address(dataset) else Path(dataset)
    return query(dataset, sql, {name: evals / name / SCORES_FILE for name in run_names(evals)})
