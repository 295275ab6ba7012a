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
from orrery.families.problems.candidates import ProblemCandidate, draw, from_files
from orrery.families.problems.quotas import Draw, check, is_held_out, quotas, split_of
from orrery.families.problems.sampler import Sampler
from orrery.families.problems.schemas import GENERATED_PROBLEMS, REJECTS, reject
from orrery.model import OrreryError
from orrery.stages.summary import StageSummary, by_reason
from orrery.store.shards import write

STAGE = "generate"
SLOTS = 20  # drawn at a time: so few take some milliseconds, and travel together


def run(settings: Settings, name: str, jobs: int = 1) -> StageSummary:
    """Draw the problems that the size asks for and write them; what was rejected is written beside.

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
    harvest = Sampler(name, partial(_draw_all, settings.root, settings.seed, jobs))
    counts: Counter[str] = Counter()
    rows = _rows(settings, entry, _harvested(settings, entry, harvest), counts)
    write(folder / "problems.parquet", GENERATED_PROBLEMS, rows)
    rejects = [_rejected(draft) for draft in harvest.rejected]
    write(folder / "rejects.parquet", REJECTS, rejects)
    return _summary(settings, entry, counts, rejects)


def _harvested(settings: Settings, entry: Entry, harvest: Sampler) -> Iterator[ProblemCandidate]:
    """Yield the accepted drafts: the held-out ones first, so that test wins over keys."""
    given = from_files(entry)
    held = [each for each in given if _held_out(settings, entry, each)]
    apart, others = quotas(entry, settings.size, settings.held_out)
    accepted = chain(
        harvest.given(held, held_out=True),
        harvest.drawn(apart, held_out=True),
        harvest.given((each for each in given if each not in held), held_out=False),
        harvest.drawn(others, held_out=False),
    )
    if (first := next(accepted, None)) is not None:
        yield first
    elif harvest.rejected:
        raise _none_made(entry, harvest)
    yield from accepted


def _held_out(settings: Settings, entry: Entry, draft: ProblemCandidate) -> bool:
    return is_held_out(entry, draft.slot.task, settings.size, settings.held_out)


def _none_made(entry: Entry, harvest: Sampler) -> OrreryError:
    """Says why there is not one problem, by the first rejected draft."""
    first = harvest.rejected[0]
    return OrreryError(
        str(entry.generator_file if entry.generator else entry.folder / "problems"),
        f"not one problem of {len(harvest.rejected)} drawn can be used; the first: "
        + ": ".join(filter(None, [first.reason, first.detail])),
        f"mend it, or the limits in {entry.folder / 'domain.yaml'}",
    )


def _draw_all(root: Path, seed: int, jobs: int, wanted: list[Draw]) -> Iterable[ProblemCandidate]:
    """Return the drafts of the slots, in their order."""
    some = [wanted[start : start + SLOTS] for start in range(0, len(wanted), SLOTS)]
    label = f"generate {wanted[0].domain}"
    made = map_items(some, partial(_draw, root, seed), jobs=jobs, label=label, describe=_describe)
    return chain.from_iterable(made)


def _describe(slots: list[Draw]) -> str:
    return " to ".join(dict.fromkeys("/".join(slot.seed_path) for slot in (slots[0], slots[-1])))


def _draw(root: Path, seed: int, slots: list[Draw]) -> list[ProblemCandidate]:
    return [draw(entry_of(root, slot.domain), slot, seed) for slot in slots]


def _rejected(draft: ProblemCandidate) -> dict[str, Any]:
    item = "/".join(draft.slot.seed_path)
    return reject(STAGE, draft.slot.domain, item, draft.reason, draft.detail)


def _rows(
    settings: Settings, entry: Entry, accepted: Iterable[ProblemCandidate], counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table of problems; those of a split are numbered by ``counts``."""
    for draft in accepted:
        assert draft.record is not None
        held = _held_out(settings, entry, draft)
        split = "test" if held else split_of(entry, settings.size, draft.record.loose_key)
        yield _row(draft, split, counts[split])
        counts[split] += 1


def _row(draft: ProblemCandidate, split: str, number: int) -> dict[str, Any]:
    slot, record = draft.slot, draft.record
    assert record is not None
    return {
        "problem_id": f"{slot.domain}/{split}/{number:06d}",
        "domain": slot.domain,
        "split": split,
        "task": slot.task.name,
        "init_configuration": slot.task.init,
        "goal_configuration": slot.task.goal,
        "tied": slot.task.tied,
        "strict": slot.task.strict,
        "difficulty": slot.difficulty,
        "index": number,
        "seed_path": "/".join(slot.seed_path),
        **record._asdict(),
    }


def _summary(
    settings: Settings, entry: Entry, counts: Counter[str], rejects: list[dict[str, Any]]
) -> StageSummary:
    """Return what was made; problems that were asked for and could not be found are reported."""
    asked = sum(wish.count for part in quotas(entry, settings.size, settings.held_out) for wish in part)
    lacking = asked + len(entry.problem_files) - counts.total()
    return StageSummary(
        STAGE,
        entry.name,
        {"problems": counts.total(), **{f"in {split}": counts[split] for split in SPLITS if counts[split]}},
        by_reason(rejects),
        (f"{lacking} problems short, for the reasons above",) if lacking else (),
    )
