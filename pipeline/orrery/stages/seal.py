"""``orrery seal`` and ``orrery unseal``: a private twin of the dataset, and the proof that it is this one."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
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
from orrery.store.files import replacing
from orrery.store.kinds import as_json
from orrery.store.shards import read_rows, shards
from orrery.yaml_text import edited, read_yaml

COMMITMENT = "commitment.json"
PUBLISHED = "published"
# DVC refuses files that git ignores, and the folder must not be committed.
DVC_CONFIG = "[core]\n    analytics = false\n    check_update = false\n    no_scm = true\n"


def seal(settings: Settings, key: Path, into: Path, apart_from: Sequence[Path] = ()) -> Path:
    """Build the sealed dataset of a key in the folder ``into``; return the path of the commitment.

    Problems of the datasets ``apart_from`` (default: the dataset of the checkout) are not drawn, nor are
    problems that differ from them in names only. The same call continues an interrupted build.

    Raises:
        OrreryError: the key is too short, a dataset to keep apart from is missing, or the build fails.
        UsageError: the checkout is a sealed one, or the folder contains anything else.
    """
    if settings.sealed:
        raise UsageError(str(settings.root), "is sealed itself", "seal in the checkout of the public build")
    seed = sealed_seed(read_key(key), settings.seed)
    excluded = excluded_keys(settings, apart_from or [settings.outputs / "dataset"])
    prepare(settings, seed, into, excluded)
    sealed = load(into)
    build.run(sealed)
    hashes = hash_of(_parameters(into)), hash_of(excluded)
    commitment = commit(sealed, sealed.outputs / PUBLISHED, public_seed=settings.seed, hashes=hashes)
    write_commitment(into / COMMITMENT, commitment)
    return into / COMMITMENT


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
    """Return the loose keys, one per line, of the problems of datasets, by domain of the settings."""
    keys = defaultdict[str, set[str]](set)
    for name in settings.domains:
        keys[name].update(entry_of(settings.root, name).excluded_keys)
    for dataset in datasets:
        read_manifest(dataset)
        for path in shards(dataset, "problems"):
            for row in read_rows(path, columns=["domain", "loose_key"]):
                keys[row["domain"]].add(row["loose_key"])
    return {name: "".join(f"{key}\n" for key in sorted(keys[name])) for name in settings.domains}


def prepare(settings: Settings, seed: int, into: Path, excluded: Mapping[str, str]) -> None:
    """Make the folder ``into`` a checkout with a secret seed: the inputs of all stages, and parameters."""
    _refuse_others(into, seed)
    text = edited(settings.root / PARAMETERS, lambda values: values.update(seed=seed, sealed=True))
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(into / PARAMETERS) as file:  # first: it tells that the folder is ours
        file.write_text(text, encoding="utf-8")
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
        raise UsageError(str(into), "is sealed with another key", "name a new or empty folder")


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
