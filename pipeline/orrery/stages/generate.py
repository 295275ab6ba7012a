"""Stage ``generate``: distinct problems of one domain, with their keys, to ``outputs/problems/<domain>``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from orrery.catalog import SPLITS, Entry, entry_of
from orrery.config import Settings
from orrery.model import OrreryError
from orrery.parts import Parts, Tables, map_parts
from orrery.problems.candidates import ProblemCandidate, candidates_of, candidates_table, draw_candidate
from orrery.problems.generated import generated_tables
from orrery.problems.quotas import Draw, check, quotas
from orrery.problems.sampler import Sampler
from orrery.problems.schemas import CANDIDATES, GENERATED_PROBLEMS, REJECTS
from orrery.seeds import digest
from orrery.stages.inputs import parts_of
from orrery.stages.over_domains import Step
from orrery.stages.summary import StageSummary
from orrery.store.kinds import table_name
from orrery.store.shards import write, write_tables
from orrery.workers import ALONE, Workers

STAGE = "generate"
DRAWS = 250  # draws per part: a few seconds of work, which a kill costs, if a draw takes hundredths of one
CANDIDATE = table_name(CANDIDATES)


def run(settings: Settings, name: str, workers: Workers = ALONE) -> StageSummary:
    """Draw the problems that the size requires and write them; write the rejects to a separate table.

    Rows are written as they are accepted; their keys stay in memory.

    Raises:
        OrreryError: there is no generator or problem file, no problem could be made, or params.yaml names
            unknown tasks or limits.
    """
    entry = entry_of(settings.root, name)
    check(settings)
    if not entry.tasks and not entry.problem_files:
        raise OrreryError(
            f"domain '{name}'",
            "has no source of problems",
            f"add {entry.generator_file}, or files in {entry.folder / 'problems'}",
        )
    folder = settings.outputs / "problems" / name
    problem_count = entry.has_ladder * sum(settings.size.pose.bands.values()) + sum(
        quota.count for part in quotas(entry, settings.size, settings.held_out) for quota in part
    )
    parts = parts_of(settings, STAGE, name, (CANDIDATES,))
    draw_all = partial(_draw_all, settings.root, settings.seed, parts, workers)
    sampler = Sampler(name, draw_all, excluded=entry.excluded_keys)
    counts: Counter[str] = Counter()
    problems = generated_tables(settings, entry, sampler, counts)
    write_tables(folder / "problems.parquet", GENERATED_PROBLEMS, problems, made_from=parts.fingerprint)
    rejected = sorted(sampler.rejected, key=lambda candidate: candidate.draw)
    rejects = (candidate.reject(STAGE) for candidate in rejected)
    write(folder / "rejects.parquet", REJECTS, rejects, made_from=parts.fingerprint)
    parts.discard()
    return _summary(entry, counts, problem_count, rejected)


STEP = Step(STAGE, "problems", (GENERATED_PROBLEMS, REJECTS), run)


def _draw_all(
    root: Path, seed: int, parts: Parts, workers: Workers, draws: list[Draw]
) -> Iterator[ProblemCandidate]:
    """Yield the candidates of the draws in order."""
    batches = [draws[start : start + DRAWS] for start in range(0, len(draws), DRAWS)]
    names = map_parts(
        partial(_part, root, seed), batches, parts, workers,
        label=f"generate {draws[0].domain}", describe=_identify,
    )  # fmt: skip
    return chain.from_iterable(map(candidates_of, batches, parts.tables(names, CANDIDATE)))


def _part(root: Path, seed: int, draws: list[Draw]) -> Tables:
    entry = entry_of(root, draws[0].domain)
    return {CANDIDATE: candidates_table(draw_candidate(entry, draw, seed) for draw in draws)}


def _describe(draws: list[Draw]) -> str:
    return " to ".join(dict.fromkeys("/".join(draw.seed_path) for draw in (draws[0], draws[-1])))


def _identify(draws: list[Draw]) -> str:
    """Return a description that is unique for a list of draws."""
    return f"{_describe(draws)} ({digest(*(draw.seed_path for draw in draws)).hex()})"


def _summary(
    entry: Entry, counts: Counter[str], problem_count: int, rejected: Sequence[ProblemCandidate]
) -> StageSummary:
    """Return the summary; problems that were requested but could not be drawn are reported."""
    lacking = problem_count + len(entry.problem_files) - counts.total()
    return StageSummary(
        STAGE,
        entry.name,
        {"problems": counts.total(), **{f"in {split}": counts[split] for split in SPLITS if counts[split]}},
        dict(Counter(candidate.reason for candidate in rejected)),
        (f"{lacking} problems short, for the reasons above",) if lacking else (),
    )
