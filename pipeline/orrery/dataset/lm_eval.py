"""Tasks for lm-evaluation-harness, shipped with the dataset: one YAML file per table, and groups of tables.

``lm_eval --include_path <dataset>/lm_eval --tasks orrery_<table>`` runs one, from any working folder. Files
do not include each other, because the harness resolves includes through links.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from orrery.dataset import lm_eval_tasks
from orrery.families import Table
from orrery.store import shards

FOLDER = "lm_eval"
PREFIX = "orrery"
LONGEST_REPLY = 4096  # tokens; enough for a whole domain in PDDL after some reasoning
VERSION = 1.0  # version of the tasks; the rows have the version of the dataset
ACCURACY, UNPARSED, UNDECIDED = "accuracy", "unparsed", "undecided"
SPLITS = ("test", "validation", "train")  # the first split with rows is used


class _Function(str):
    """The dotted name of a function, which the harness resolves."""


class _Dumper(yaml.SafeDumper):
    """Writes functions with the YAML tag of the harness."""


_Dumper.add_representer(_Function, lambda dumper, name: dumper.represent_scalar("!function", str(name)))


def write_lm_eval(dataset: Path, families: Mapping[str, Iterable[Table]]) -> list[str]:
    """Write the tasks of all tables with rows and prompts; return the names of tasks and groups.

    ``families`` are the tables by family. Several tables of one family form a group ``orrery_<family>``, and
    ``orrery`` is the group of all. Call it after the tables are written.
    """
    folder, files, members = dataset / FOLDER, shards.splits(dataset), list[str]()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for family, tables in families.items():
        names = [table.name for table in tables if table.template and table.gold and table.name in files]
        for name in names:
            split = next(split for split in SPLITS if split in files[name])
            written.append(_write(folder, _task(name, split)))
        tasks = [f"{PREFIX}_{name}" for name in names]
        if len(tasks) > 1:
            tasks = [_write(folder, _group(f"{PREFIX}_{family}", tasks))]
            written += tasks
        members += tasks
    if members:
        written.append(_write(folder, _group(PREFIX, members)))
        _copy_functions(folder)
    return written


def _task(table: str, split: str) -> dict[str, Any]:
    """Return the configuration of the task of one table."""
    return {
        "task": f"{PREFIX}_{table}",
        "custom_dataset": _function("documents"),
        "dataset_kwargs": {"table": table, "split": split},
        "test_split": lm_eval_tasks.TEST,
        "output_type": "generate_until",
        # These two are columns of the documents. The harness uses the first as the system message.
        "description": "system",
        "doc_to_text": "user",
        "doc_to_target": "gold",
        "num_fewshot": 0,
        # Without "until" the harness would end a reply at its first empty line.
        "generation_kwargs": {"until": [], "max_gen_toks": LONGEST_REPLY, "do_sample": False},
        "process_results": _function("score"),
        "metric_list": [
            {"metric": ACCURACY, "aggregation": "mean", "higher_is_better": True},
            {"metric": UNPARSED, "aggregation": _function("count"), "higher_is_better": False},
            {"metric": UNDECIDED, "aggregation": _function("count"), "higher_is_better": False},
        ],
        "metadata": {"version": VERSION},
    }


def _group(name: str, members: list[str]) -> dict[str, Any]:
    """Return the configuration of a group; each table has the same weight."""
    return {
        "group": name,
        "task": members,
        "aggregate_metric_list": [{"metric": ACCURACY, "aggregation": "mean", "weight_by_size": False}],
        "metadata": {"version": VERSION},
    }


def _function(name: str) -> _Function:
    return _Function(f"{lm_eval_tasks.__name__}.{name}")


def _write(folder: Path, config: Mapping[str, Any]) -> str:
    name = str(config.get("task") if isinstance(config.get("task"), str) else config["group"])
    text = yaml.dump(dict(config), Dumper=_Dumper, sort_keys=False, width=100)
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return name


def _copy_functions(folder: Path) -> None:
    """Copy the functions to the folder where the harness looks for a file before it looks for a module."""
    target = folder / f"{lm_eval_tasks.__name__.replace('.', '/')}.py"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(Path(lm_eval_tasks.__file__), target)
