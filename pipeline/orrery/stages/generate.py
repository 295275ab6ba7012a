"""Stage ``generate``: distinct problems of one domain, with their keys, to ``outputs/problems/<domain>``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from orrery.catalog import SPLITS, Entry, entry_of
from orrery.config import Settings
from orrery.engine import map_items
from orrery.families.problems.candidates import ProblemCandidate, draw_candidate, from_files
from orrery.families.problems.quotas import Draw, check, is_held_out, quotas, split_of
from orrery.families.problems.sampler import Sampler
from orrery.families.problems.schemas import GENERATED_PROBLEMS, REJECTS, reject
from orrery.model import OrreryError
from orrery.stages.summary import StageSummary, by_reason
from orrery.store.shards import write

STAGE = "generate"
DRAWS = 20  # made at a time in a worker; so few take some milliseconds


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
    sampler = Sampler(name, partial(_draw_all, settings.root, settings.seed, jobs))
    counts: Counter[str] = Counter()
    rows = _rows(settings, entry, _accepted(settings, entry, sampler), counts)
    write(folder / "problems.parquet", GENERATED_PROBLEMS, rows)
    rejects = [_rejected(candidate) for candidate in sampler.rejected]
    write(folder / "rejects.parquet", REJECTS, rejects)
    return _summary(settings, entry, counts, rejects)


def _accepted(settings: Settings, entry: Entry, sampler: Sampler) -> Iterator[ProblemCandidate]:
    """Yield the accepted candidates, held-out ones first: loose keys they share belong to the test split."""
    given = from_files(entry)
    held = [each for each in given if _held_out(settings, entry, each)]
    apart, others = quotas(entry, settings.size, settings.held_out)
    accepted = chain(
        sampler.given(held, held_out=True),
        sampler.drawn(apart, held_out=True),
        sampler.given((each for each in given if each not in held), held_out=False),
        sampler.drawn(others, held_out=False),
    )
    if (first := next(accepted, None)) is not None:
        yield first
    elif sampler.rejected:
        raise _none_made(entry, sampler)
    yield from accepted


def _held_out(settings: Settings, entry: Entry, candidate: ProblemCandidate) -> bool:
    return is_held_out(entry, candidate.draw.task, settings.size, settings.held_out)


def _none_made(entry: Entry, sampler: Sampler) -> OrreryError:
    """Return the error that says why there is not one problem, by the first rejected candidate."""
    first = sampler.rejected[0]
    return OrreryError(
        str(entry.generator_file if entry.generator else entry.folder / "problems"),
        f"not one problem of {len(sampler.rejected)} drawn can be used; the first: "
        + ": ".join(filter(None, [first.reason, first.detail])),
        f"mend it, or the limits in {entry.folder / 'domain.yaml'}",
    )


def _draw_all(root: Path, seed: int, jobs: int, wanted: list[Draw]) -> Iterable[ProblemCandidate]:
    """Return the candidates of the draws, in their order."""
    some = [wanted[start : start + DRAWS] for start in range(0, len(wanted), DRAWS)]
    label = f"generate {wanted[0].domain}"
    made = map_items(some, partial(_draw, root, seed), jobs=jobs, label=label, describe=_describe)
    return chain.from_iterable(made)


def _describe(draws: list[Draw]) -> str:
    return " to ".join(dict.fromkeys("/".join(draw.seed_path) for draw in (draws[0], draws[-1])))


def _draw(root: Path, seed: int, draws: list[Draw]) -> list[ProblemCandidate]:
    return [draw_candidate(entry_of(root, draw.domain), draw, seed) for draw in draws]


def _rejected(candidate: ProblemCandidate) -> dict[str, Any]:
    item = "/".join(candidate.draw.seed_path)
    return reject(STAGE, candidate.draw.domain, item, candidate.reason, candidate.detail)


def _rows(
    settings: Settings, entry: Entry, accepted: Iterable[ProblemCandidate], counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table of problems; those of a split are numbered by ``counts``."""
    for candidate in accepted:
        assert candidate.record is not None
        held = _held_out(settings, entry, candidate)
        split = "test" if held else split_of(entry, settings.size, candidate.record.loose_key)
        yield _row(candidate, split, counts[split])
        counts[split] += 1


def _row(candidate: ProblemCandidate, split: str, number: int) -> dict[str, Any]:
    draw, record = candidate.draw, candidate.record
    assert record is not None
    return {
        "problem_id": f"{draw.domain}/{split}/{number:06d}",
        "domain": draw.domain,
        "split": split,
        "task": draw.task.name,
        "init_configuration": draw.task.init,
        "goal_configuration": draw.task.goal,
        "tied": draw.task.tied,
        "strict": draw.task.strict,
        "difficulty": draw.difficulty,
        "index": number,
        "seed_path": "/".join(draw.seed_path),
        **record._asdict(),
    }


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
