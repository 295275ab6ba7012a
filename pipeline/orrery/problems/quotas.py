"""Quotas of a domain: the number of problems by difficulty, task and split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from orrery.catalog import SPLITS, Catalog, Entry
from orrery.config import HeldOut, Settings, Size
from orrery.language.words import form
from orrery.model import ConfigurationPair, OrreryError, suggest
from orrery.seeds import digest

LADDER = ConfigurationPair("ladder", "ladder", tied=True, strict=True)
FROM_FILE = ConfigurationPair("file", "file", tied=True, strict=True)
BYTES = 6  # bytes of a digest, which are exact as a float between 0 and 1


class Draw(NamedTuple):
    """One draw: number ``number`` (from 0) of a task and difficulty."""

    domain: str
    difficulty: str
    task: ConfigurationPair
    number: int

    @property
    def seed_path(self) -> tuple[str, ...]:
        """The path of the random stream that draws this problem."""
        return (self.domain, self.difficulty, self.task.name, str(self.number))


@dataclass(frozen=True)
class Quota:
    """The number of problems of a difficulty, with tasks used in turn from index ``first`` on."""

    difficulty: str
    count: int
    tasks: tuple[ConfigurationPair, ...]
    first: int = 0


def quotas(entry: Entry, size: Size, held_out: HeldOut) -> tuple[list[Quota], list[Quota]]:
    """Return the quotas of a domain at a size: of held-out tasks, and of the others.

    They are empty if the domain has no generator, or one without tasks.

    Raises:
        OrreryError: the domain has no such difficulty or task.
    """
    _check_held_out(entry)
    tasks = _tasks(entry, size)
    apart = tuple(task for task in tasks if is_held_out(entry, task, size, held_out))
    free_tasks = tuple(task for task in tasks if task not in apart)
    problems, test = size.counts(entry.name)
    if test is not None and apart:
        return _quotas_of(entry, test, apart), _quotas_of(entry, problems if free_tasks else {}, free_tasks)
    parts = {name: _part(count, len(apart), len(tasks)) for name, count in problems.items()}
    free_counts = {name: count - parts[name] for name, count in problems.items()}
    return _quotas_of(entry, parts, apart), _quotas_of(entry, free_counts, free_tasks)


def _part(count: int, task_count: int, of: int) -> int:
    """Return the share of ``task_count`` of ``of`` tasks used in turn, rounded down."""
    return count * task_count // of if of else 0


def _quotas_of(entry: Entry, counts: Mapping[str, int], tasks: tuple[ConfigurationPair, ...]) -> list[Quota]:
    """Return a quota for each difficulty; the turn of the tasks continues from one to the next."""
    domain_quotas, first = list[Quota](), 0
    for difficulty, count in counts.items():
        if count and tasks:
            _check_limits(entry, difficulty)
            domain_quotas.append(Quota(difficulty, count, tasks, first % len(tasks)))
            first += count
    return domain_quotas


def _tasks(entry: Entry, size: Size) -> tuple[ConfigurationPair, ...]:
    """Return the tasks of a domain that a size draws, sorted."""
    names = size.draw.tasks.get(entry.name, ())
    place, names_of_tasks = f"params.yaml: draw.tasks.{entry.name}", [task.name for task in entry.tasks]
    _refuse_unknown(place, "task", names, names_of_tasks)
    return tuple(task for task in entry.tasks if not names or task.name in names)


def _check_held_out(entry: Entry) -> None:
    """Refuse to hold out an unknown task, because a misspelt task would otherwise be in training."""
    tasks = [task.name for task in (*entry.tasks, FROM_FILE)]
    place = f"{entry.folder / 'domain.yaml'}: test_tasks"
    _refuse_unknown(place, "task", entry.description.test_tasks, tasks)


def _refuse_unknown(
    place: str, kind: str, named: Iterable[str], allowed: Iterable[str], of: str = ""
) -> None:
    """Refuse the first unknown name, and list the known ones."""
    listed = list(allowed)
    if unknown := sorted(set(named) - set(listed)):
        mend = suggest(unknown[0], f"{form(kind, 2)}{of} are", listed)
        raise OrreryError(place, f"unknown {kind} '{unknown[0]}'", mend)


def _check_limits(entry: Entry, difficulty: str) -> None:
    """Refuse limits unknown to the generator, if it declares its limits. They would be ignored."""
    limits, widest = entry.limits(difficulty), getattr(entry.generator, "WIDEST", None)
    if widest is not None:
        place = f"{entry.folder / 'domain.yaml'}: difficulties.{difficulty}"
        _refuse_unknown(place, "limit", limits, widest)


def is_held_out(entry: Entry, task: ConfigurationPair, size: Size, held_out: HeldOut) -> bool:
    """Return whether all problems of a task belong to the test split.

    Held-out domains and configurations of params.yaml always do. Those of domain.yaml do unless the
    size has its own shares.
    """
    configurations = held_out.configurations.get(entry.name, ())
    if entry.name in held_out.domains or {task.init, task.goal} & {*configurations}:
        return True
    about = entry.description
    return size.draw.split is None and (about.test_only or task.name in about.test_tasks)


def split_of(entry: Entry, size: Size, key: str) -> str:
    """Return the split of a problem that is not held out, by its loose key.

    So a problem is in the same split in all builds and under all names.
    """
    share = int.from_bytes(digest("split", key)[:BYTES]) / 256**BYTES
    whole = entry.composed is not None  # all problems of a composed domain are in its split
    shares = entry.description.split if whole else size.draw.split or entry.description.split
    for name in SPLITS:
        if share < (part := getattr(shares, name)):
            return name
        share -= part
    return "train"


def check(settings: Settings) -> None:
    """Refuse params.yaml if it does not fit the domains, before work on any of them.

    Raises:
        OrreryError: a domain, difficulty, task or configuration is unknown, or problems of
            held-out tasks are requested although nothing is held out.
    """
    catalog, size, params = Catalog(settings.root), settings.size, settings.root / "params.yaml"
    sizes, held_out = f"{params}: sizes.{settings.size_name}", settings.held_out.configurations
    _refuse_unknown(f"{params}: domains", "domain", settings.domains, catalog.names)
    entries = [catalog.entry(name) for name in settings.domains]
    for entry in entries:
        _check_difficulties(entry, sizes, size)
        # Generators of other domains are not read, because they may be unfinished.
        if tasks := size.draw.tasks.get(entry.name):
            place, allowed = f"{sizes}.draw.tasks.{entry.name}", [task.name for task in entry.tasks]
            _refuse_unknown(place, "task", tasks, allowed)
        if configurations := held_out.get(entry.name):
            allowed = sorted({name for task in (*entry.tasks, FROM_FILE) for name in (task.init, task.goal)})
            place = f"{params}: held_out.configurations.{entry.name}"
            _refuse_unknown(place, "configuration", configurations, allowed)
        domain_counts = size.by_domain.get(entry.name)
        if domain_counts and any((domain_counts.test or {}).values()):
            _check_some_held_out(f"{sizes}.by_domain.{entry.name}.test", [entry], settings)
    if any((size.draw.test or {}).values()):
        _check_some_held_out(f"{sizes}.draw.test", entries, settings)


def _check_difficulties(entry: Entry, sizes: str, size: Size) -> None:
    """Refuse difficulties that are not in domain.yaml."""
    if (difficulties := entry.description.difficulties) is None:
        return
    domain_counts = size.by_domain.get(entry.name)
    for part, counts in zip(("problems", "test"), size.counts(entry.name), strict=True):
        place = f"by_domain.{entry.name}" if getattr(domain_counts, part, None) else "draw"
        requested = [name for name, count in (counts or {}).items() if count]
        _refuse_unknown(f"{sizes}.{place}.{part}", "difficulty", requested, difficulties, f" of {entry.name}")


def _check_some_held_out(place: str, entries: Iterable[Entry], settings: Settings) -> None:
    """Refuse counts for held-out tasks if there are none. They would be ignored."""
    size, held_out = settings.size, settings.held_out
    if not any(is_held_out(entry, task, size, held_out) for entry in entries for task in _tasks(entry, size)):
        mend = "hold out a task, or remove the counts" + (
            " or 'split'" if size.draw.split is not None else ""
        )
        raise OrreryError(place, "gives counts for held-out tasks, but no task is held out", mend)
