"""Stage ``generate``: distinct problems of one domain, with their keys, to ``outputs/problems/<domain>``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from orrery.catalog import SPLITS, Entry, entry_of
from orrery.config import Settings
from orrery.engine import map_items
from orrery.families.problems.candidates import ProblemCandidate
from orrery.families.problems.generated import generated_rows
from orrery.families.problems.maker import problem_maker
from orrery.families.problems.quotas import Draw, check, quotas
from orrery.families.problems.sampler import Sampler
from orrery.families.problems.schemas import GENERATED_PROBLEMS, REJECTS
from orrery.model import OrreryError
from orrery.stages.summary import StageSummary, by_reason
from orrery.store.shards import write

STAGE = "generate"
DRAWS = 200  # made at a time in a worker


def run(settings: Settings, name: str, jobs: int = 1) -> StageSummary:
    """Draw the problems that the size asks for and write them; write the rejects to a table of their own.

    Rows are written as they are accepted; only their keys are held in memory.

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
    draw_all = partial(_draw_all, settings.root, settings.seed, jobs)
    sampler = Sampler(name, draw_all, partial(draw_all, every=True))
    counts: Counter[str] = Counter()
    rows = generated_rows(settings, entry, sampler, counts)
    write(folder / "problems.parquet", GENERATED_PROBLEMS, rows)
    rejects = [each.reject(STAGE) for each in sorted(sampler.rejected, key=attrgetter("draw"))]
    write(folder / "rejects.parquet", REJECTS, rejects)
    return _summary(settings, entry, counts, rejects)


def _draw_all(
    root: Path, seed: int, jobs: int, wanted: list[Draw], every: bool = False
) -> Iterable[ProblemCandidate]:
    """Return the candidates of the draws, in their order; ``every`` one of them, or some put off."""
    some = [wanted[start : start + DRAWS] for start in range(0, len(wanted), DRAWS)]
    label = f"generate {wanted[0].domain}"
    made = map_items(some, partial(_draw, root, seed, every), jobs=jobs, label=label, describe=_describe)
    return chain.from_iterable(made)


def _describe(draws: list[Draw]) -> str:
    return " to ".join(dict.fromkeys("/".join(draw.seed_path) for draw in (draws[0], draws[-1])))


def _draw(root: Path, seed: int, every: bool, draws: list[Draw]) -> list[ProblemCandidate]:
    return problem_maker(root, draws[0].domain, seed).made(draws, every=every)


def _summary(
    settings: Settings, entry: Entry, counts: Counter[str], rejects: list[dict[str, Any]]
) -> StageSummary:
    """Return what was made; problems that were asked for and could not be found are reported."""
    asked = sum(quota.count for part in quotas(entry, settings.size, settings.held_out) for quota in part)
    lacking = asked + len(entry.problem_files) - counts.total()
    return StageSummary(
        STAGE,
        entry.name,
        {"problems": counts.total(), **{f"in {split}": counts[split] for split in SPLITS if counts[split]}},
        by_reason(rejects),
        (f"{lacking} problems short, for the reasons above",) if lacking else (),
    )
