"""``orrery seal`` and ``orrery unseal``: a private twin of the dataset, and the proof that it is this one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from orrery.catalog import entry_of
from orrery.config import Settings, load
from orrery.dataset.commitment import (
    Commitment,
    commit,
    read_commitment,
    read_key,
    sealed_seed,
    verify_dataset,
    verify_key,
    write_commitment,
)
from orrery.dataset.contents import hash_of, read_manifest
from orrery.installation import PARAMETERS, WIRING
from orrery.model import OrreryError, UsageError
from orrery.stages import build
from orrery.store.files import write_text
from orrery.store.kinds import as_json
from orrery.store.shards import read_rows, shards
from orrery.yaml_text import edited, read_yaml

COMMITMENT = "commitment.json"
PUBLISHED = "published"
# DVC refuses files that git ignores, and the folder must not be committed. The cache contains the seed, so a
# cache that the user shares between repositories is not for it.
DVC_CONFIG = """\
[core]
    analytics = false
    check_update = false
    no_scm = true
[cache]
    dir = cache
"""


def seal(settings: Settings, key: Path, into: Path, apart_from: Sequence[Path] = ()) -> Path:
    """Build the sealed dataset of a key in the folder ``into``; return the path of the commitment.

    Problems of the datasets ``apart_from`` (default: the dataset of the checkout) are not drawn, nor are
    problems that differ from them in names only; their numbers are printed. The same call continues an
    interrupted build, and changes nothing after a finished one.

    Raises:
        OrreryError: the key is too short, a dataset to keep apart from has no problems, or the build fails.
        UsageError: the checkout is a sealed one, or the folder contains anything else.
    """
    if settings.sealed:
        raise UsageError(str(settings.root), "is sealed itself", "seal in the checkout of the public build")
    seed = sealed_seed(read_key(key), settings.seed)
    _refuse_others(into, seed)
    excluded = excluded_keys(settings, apart_from or [settings.outputs / "dataset"])
    parameters, keys, path = hash_of(_parameters(settings.root)), hash_of(excluded), into / COMMITMENT
    if path.exists():
        _refuse_other_inputs(path, parameters=parameters, excluded_keys=keys)
        return path
    prepare(settings, seed, into, excluded)
    sealed = load(into)
    build.run(sealed)
    commitment = commit(
        sealed,
        sealed.outputs / PUBLISHED,
        public_seed=settings.seed,
        parameters=parameters,
        excluded_keys=keys,
    )
    write_commitment(path, commitment)
    return path


def unseal(commitment: Path, dataset: Path, key: Path | None = None) -> Commitment:
    """Return the commitment in a file after the comparison with a dataset and, if given, a key.

    Raises:
        OrreryError: a file of the dataset differs, or the key gives another seed.
    """
    committed = read_commitment(commitment)
    if key:
        verify_key(committed, key)
    verify_dataset(committed, dataset)
    return committed


def excluded_keys(settings: Settings, datasets: Sequence[Path]) -> dict[str, str]:
    """Return the loose keys, one per line, of the problems of datasets, by domain of the settings.

    The number of problems of each dataset, and its size, are printed.
    """
    keys = {name: set(entry_of(settings.root, name).excluded_keys) for name in settings.domains}
    for dataset in datasets:
        size = read_manifest(dataset).get("size", "unknown")
        problems = [(name, key) for name, key in _problems(dataset) if name in keys]
        for name, key in problems:
            keys[name].add(key)
        print(f"apart from {len(problems):,} problems of {dataset}, of size {size}")
    print(f"the sealed dataset is of size {settings.size_name}", flush=True)
    return {name: "".join(f"{key}\n" for key in sorted(keys[name])) for name in settings.domains}


def _problems(dataset: Path) -> set[tuple[str, str]]:
    """Return the domain and the loose key of each problem of a dataset.

    Raises:
        OrreryError: the dataset has no table of problems.
    """
    paths = shards(dataset, "problems")
    if not paths:
        raise OrreryError(
            str(dataset), "has no table `problems`, so no problem is excluded", "name another dataset"
        )
    rows = chain.from_iterable(read_rows(path, columns=["domain", "loose_key"]) for path in paths)
    return {(row["domain"], row["loose_key"]) for row in rows}


def prepare(settings: Settings, seed: int, into: Path, excluded: Mapping[str, str]) -> None:
    """Make the folder ``into`` a checkout with a secret seed: the inputs of all stages, and parameters."""
    text = edited(settings.root / PARAMETERS, lambda values: values.update(seed=seed, sealed=True))
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    into.chmod(0o700)  # also if it exists
    write_text(into / PARAMETERS, text)  # first: it tells that the folder is ours
    (into / ".gitignore").write_text("*\n", encoding="utf-8")
    (into / ".dvc").mkdir(exist_ok=True)
    (into / ".dvc" / "config").write_text(DVC_CONFIG, encoding="utf-8")
    for name in sorted(_inputs(settings.root)):
        _copy(settings.root / name, into / name)
    for name, lines in excluded.items():
        path = entry_of(into, name).excluded_keys_file
        if not path.exists() or path.read_text(encoding="utf-8") != lines:
            path.write_text(lines, encoding="utf-8")


def _refuse_others(into: Path, seed: int) -> None:
    """Raise a UsageError if the folder has any content but a checkout with this secret seed."""
    if not into.exists() or (into.is_dir() and not any(into.iterdir())):
        return
    path = into / PARAMETERS
    values = read_yaml(path) if path.is_file() else None
    if not isinstance(values, dict) or values.get("sealed") is not True:
        raise UsageError(str(into), "contains other files", "name a new or empty folder")
    if values.get("seed") != seed:
        raise UsageError(
            str(into), "is sealed with another key or of another seed", "name a new or empty folder"
        )


def _refuse_other_inputs(commitment: Path, **hashes: str) -> None:
    """Raise a UsageError if a commitment contains other hashes of inputs than these."""
    committed = asdict(read_commitment(commitment))
    if others := [name for name, value in hashes.items() if committed[name] != value]:
        problem = f"is the commitment to a build with other {' and '.join(others)}"
        raise UsageError(str(commitment), problem, "name a new or empty folder")


def _inputs(root: Path) -> set[str]:
    """Return the files and folders at the top of a checkout that its stages read."""
    path = root / WIRING
    if not path.is_file():
        raise OrreryError(str(path), "does not exist", "seal in a checkout, with --root")
    deps = (dep for stage in read_yaml(path)["stages"].values() for dep in stage.get("deps", ()))
    names = {Path(dep).parts[0] for dep in deps} - {"outputs"}
    return {WIRING, ".dvcignore"} | names


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(source, target, ignore=ignored, dirs_exist_ok=True)
    elif source.is_file():
        shutil.copy2(source, target)


def _parameters(root: Path) -> dict[str, str]:
    """Return the parameters of a checkout without its seed, each as JSON."""
    values = read_yaml(root / PARAMETERS)
    return {name: as_json(value) for name, value in values.items() if name not in ("seed", "sealed")}
