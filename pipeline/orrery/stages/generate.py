"""Stage ``generate``: distinct problems of one domain, with their keys, to ``outputs/problems/<domain>``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from pathlib import Path

from orrery.catalog import SPLITS, Entry, entry_of
from orrery.config import Settings
from orrery.engine import Tables, fingerprint, map_items, map_parts
from orrery.families.problems.candidates import KeptCandidates, ProblemCandidate, stored_candidates
from orrery.families.problems.generated import generated_tables
from orrery.families.problems.known import KeySet, Rejects, StoredKeySet
from orrery.families.problems.maker import problem_maker
from orrery.families.problems.quotas import Draw, check, quotas
from orrery.families.problems.sampler import Sampler
from orrery.families.problems.schemas import CANDIDATES, GENERATED_PROBLEMS, REJECTS
from orrery.model import OrreryError
from orrery.seeds import digest
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table
from orrery.store.kinds import table_name
from orrery.store.parts import Parts
from orrery.store.shards import write, write_tables

STAGE = "generate"
DRAWS = 1_000  # made at a time in a worker
PARTS_FROM = 50_000  # problems that take so long that finished parts are kept; fewer are made anew at once
DRAWS_OF_PART = 2_000
CANDIDATE = table_name(CANDIDATES)


def run(settings: Settings, name: str, jobs: int = 1) -> StageSummary:
    """Draw the problems that the size asks for and write them; write the rejects to a table of their own.

    Rows are written as they are accepted; some bytes of their keys are held in memory. A large build keeps
    the candidates of finished parts, so that it goes on where it was stopped, and the keys on the disk.

    Raises:
        OrreryError: there is nothing to generate from, not one problem could be made, or params.yaml names
            what there is not.
    """
    entry = entry_of(settings.root, name)
    check(settings)
    if not entry.tasks and not entry.problem_files:
        raise OrreryError(
            f"domain '{name}'",
            "nothing to generate",
            f"add {entry.generator_file}, or files in {entry.folder / 'problems'}",
        )
    folder = settings.outputs / "problems" / name
    wanted = sum(quota.count for part in quotas(entry, settings.size, settings.held_out) for quota in part)
    parts = _parts(settings, entry) if wanted >= PARTS_FROM else None
    draw_all = partial(_draw_all, settings.root, settings.seed, jobs, parts)
    every = partial(_draw_every, settings.root, settings.seed)
    sampler = Sampler(name, draw_all, every, StoredKeySet if parts else KeySet)
    counts: Counter[str] = Counter()
    tables = generated_tables(settings, entry, sampler, counts)
    write_tables(folder / "problems.parquet", GENERATED_PROBLEMS, tables)
    write(folder / "rejects.parquet", REJECTS, (each.reject(STAGE) for each in sampler.rejected))
    if parts:
        parts.discard()
    return _summary(entry, counts, wanted, sampler.rejected)


def _parts(settings: Settings, entry: Entry) -> Parts:
    """Return where finished parts are kept: under what they are made from."""
    made_from = fingerprint([entry.folder, *filter(Path.exists, [entry.generator_file])], seed=settings.seed)
    return Parts.under(settings.unfinished / STAGE / entry.name, made_from, (CANDIDATES,))


def _draw_all(
    root: Path, seed: int, jobs: int, parts: Parts | None, wanted: list[Draw]
) -> Iterable[ProblemCandidate]:
    """Return the candidates of the draws, in their order, some of them put off."""
    size, label = DRAWS if parts is None else DRAWS_OF_PART, f"generate {wanted[0].domain}"
    some = [wanted[start : start + size] for start in range(0, len(wanted), size)]
    draw = partial(_draw, root, seed, False)
    if parts is None:
        tables = map_items(some, draw, jobs=jobs, label=label, describe=_describe)
        return chain.from_iterable(map(stored_candidates, some, tables))
    names = map_parts(some, partial(_part, draw), parts, jobs=jobs, label=label, describe=_identify)
    return KeptCandidates(partial(parts.tables, names, CANDIDATE), some)


def _part(draw: Callable[[list[Draw]], Table], draws: list[Draw]) -> Tables:
    return {CANDIDATE: draw(draws)}


def _describe(draws: list[Draw]) -> str:
    return " to ".join(dict.fromkeys("/".join(draw.seed_path) for draw in (draws[0], draws[-1])))


def _identify(draws: list[Draw]) -> str:
    """Return what no other list of draws has."""
    return f"{_describe(draws)} ({digest(*(draw.seed_path for draw in draws)).hex()})"


def _draw(root: Path, seed: int, every: bool, draws: list[Draw]) -> Table:
    maker = problem_maker(root, draws[0].domain, seed)
    return maker.table(draws, every=every)


def _draw_every(root: Path, seed: int, draws: list[Draw]) -> Iterable[ProblemCandidate]:
    """Return the candidates of the draws, none of them put off."""
    return stored_candidates(draws, _draw(root, seed, True, draws))


def _summary(entry: Entry, counts: Counter[str], wanted: int, rejected: Rejects) -> StageSummary:
    """Return what was made; problems that were asked for and could not be found are reported."""
    lacking = wanted + len(entry.problem_files) - counts.total()
    return StageSummary(
        STAGE,
        entry.name,
        {"problems": counts.total(), **{f"in {split}": counts[split] for split in SPLITS if counts[split]}},
        dict(Counter(each.reason for each in rejected)),
        (f"{lacking} problems short, for the reasons above",) if lacking else (),
    )
