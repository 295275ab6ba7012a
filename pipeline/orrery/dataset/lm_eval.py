"""Tasks for lm-evaluation-harness, shipped with the dataset: one YAML file per table, and groups of tables.

``lm_eval --include_path <dataset>/lm_eval --tasks orrery_<table>`` runs one, from any working folder. Files
do not include each other, because the harness resolves includes through links.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from orrery.dataset import lm_eval_tasks
from orrery.families import Table
from orrery.language.words import environment
from orrery.store import shards

FOLDER = "lm_eval"
PREFIX = "orrery"
SPLITS = ("test", "validation", "train")  # the first split with rows is used


def write_lm_eval(dataset: Path, families: Mapping[str, Iterable[Table]], templates: Path) -> None:
    """Write the tasks of all tables with rows and prompts, and their groups.

    ``families`` are the tables by family. Several tables of one family form a group ``orrery_<family>``, and
    ``orrery`` is the group of all. Call it after the tables are written.
    """
    task, group = (
        environment(templates).get_template(f"lm_eval/{kind}.yaml.j2") for kind in ("task", "group")
    )
    files, texts, members = shards.splits(dataset), dict[str, str](), list[str]()
    for family, tables in families.items():
        names = [table.name for table in tables if table.template and table.gold and table.name in files]
        for name in names:
            split = next(split for split in SPLITS if split in files[name])
            texts[f"{PREFIX}_{name}"] = task.render(table=name, split=split, functions=lm_eval_tasks.__name__)
        tasks = [f"{PREFIX}_{name}" for name in names]
        if len(tasks) > 1:
            name = f"{PREFIX}_{family}"
            texts[name], tasks = group.render(name=name, members=tasks), [name]
        members += tasks
    if not members:
        return
    texts[PREFIX] = group.render(name=PREFIX, members=members)
    # The harness looks for a file here before it looks for a module.
    functions = dataset / FOLDER / f"{lm_eval_tasks.__name__.replace('.', '/')}.py"
    functions.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(lm_eval_tasks.__file__, functions)
    for name, text in texts.items():
        (dataset / FOLDER / f"{name}.yaml").write_text(text, encoding="utf-8")
