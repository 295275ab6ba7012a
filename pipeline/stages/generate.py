"""Stage ``generate``: distinct problems of one domain, with their keys, to ``outputs/problems/<domain>``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.catalog import SPLITS, Entry, entry_of
from pipeline.engine import map_items
from pipeline.generation import Draft, Harvest, Slot, draw, from_files, harvest, slots
from pipeline.model import OrreryError
from pipeline.pddl.write import write_problem
from pipeline.settings import Settings
from pipeline.stages.summary import Summary, by_reason, reject
from pipeline.store.schemas import INTERMEDIATE, as_json
from pipeline.store.shards import write

STAGE = "generate"


def run(settings: Settings, name: str, jobs: int = 1) -> Summary:
    """Draw the problems that the size asks for and write them; what was rejected is written beside.

    Raises:
        OrreryError: there is nothing to generate, or not one problem could be made.
    """
    entry = entry_of(settings.root, name)
    asked = slots(entry, dict(settings.size.problems), settings.seed)
    given = from_files(entry, settings.seed)
    if not asked and not given:
        raise OrreryError(
            f"domain '{name}'",
            "nothing to generate",
            f"add {entry.generator_file}, files in {entry.folder / 'problems'}, or counts to params.yaml",
        )
    found = harvest(asked, partial(_draw_all, settings.root, settings.seed, jobs), given)
    if not found.accepted:
        _raise_first(entry, found)
    return _write(settings, entry, asked, found)


def _raise_first(entry: Entry, found: Harvest) -> None:
    """Say why there is not one problem, by the first rejected draft."""
    first = found.rejected[0]
    raise OrreryError(
        str(entry.generator_file if entry.generator else entry.folder / "problems"),
        f"not one problem of {len(found.rejected)} drawn can be used; the first: "
        + ": ".join(filter(None, [first.reason, first.detail])),
        f"mend it, or the limits in {entry.folder / 'domain.yaml'}",
    )


def _draw_all(root: Path, seed: int, jobs: int, wanted: list[Slot]) -> Iterable[Draft]:
    label = f"generate {wanted[0].domain}"
    return map_items(wanted, partial(_draw, root, seed), jobs=jobs, label=label, describe=_describe)


def _describe(slot: Slot) -> str:
    return "/".join(slot.seed_path)


def _draw(root: Path, seed: int, slot: Slot) -> Draft:
    return draw(entry_of(root, slot.domain), slot, seed)


def _write(settings: Settings, entry: Entry, asked: list[Slot], found: Harvest) -> Summary:
    """Write problems and rejects; a slot that never found a problem of its own is reported."""
    folder = settings.outputs / "problems" / entry.name
    rejects = [_rejected(draft) for draft in found.rejected]
    count = write(folder / "problems.parquet", INTERMEDIATE["problems"], _rows(entry, found.accepted))
    write(folder / "rejects.parquet", INTERMEDIATE["rejects"], rejects)
    lacking = len(asked) + len(entry.problem_files) - count
    return Summary(
        STAGE,
        entry.name,
        {"problems": count, **_by_split(found.accepted)},
        by_reason(rejects),
        (f"{lacking} problems short, for the reasons above",) if lacking else (),
    )


def _by_split(accepted: list[Draft]) -> dict[str, int]:
    counts = Counter(draft.slot.split for draft in accepted)
    return {f"in {split}": counts[split] for split in SPLITS if counts[split]}


def _rejected(draft: Draft) -> dict[str, Any]:
    item = f"{_describe(draft.slot)} {draft.slot.pairing.name}"
    return reject(STAGE, draft.slot.domain, item, draft.reason, draft.detail)


def _rows(entry: Entry, accepted: list[Draft]) -> list[dict[str, Any]]:
    """The rows of the table of problems; problems of a split are numbered in their order."""
    numbers: Counter[str] = Counter()
    rows = []
    for draft in accepted:
        split = draft.slot.split
        rows.append(_row(entry, draft, numbers[split]))
        numbers[split] += 1
    return rows


def _row(entry: Entry, draft: Draft, number: int) -> dict[str, Any]:
    generated, keys, slot = draft.generated, draft.keys, draft.slot
    assert generated is not None
    assert keys is not None
    problem = generated.problem
    return {
        "problem_id": f"{entry.name}/{slot.split}/{number:06d}",
        "domain": entry.name,
        "split": slot.split,
        "task": slot.pairing.name,
        "init_configuration": slot.pairing.init,
        "goal_configuration": slot.pairing.goal,
        "tied": slot.pairing.tied,
        "strict": slot.pairing.strict,
        "difficulty": slot.difficulty,
        "index": number,
        "init_parameters": as_json(generated.init_parameters),
        "goal_parameters": as_json(generated.goal_parameters),
        "problem_pddl": write_problem(problem),
        "num_objects": len(problem.objects),
        "init_num_propositions": len(problem.init),
        "goal_num_propositions": len(problem.goal),
        "goal_holds_initially": 0,
        "strict_key": keys.strict,
        "loose_key": keys.loose,
        "seed_path": "/".join(slot.seed_path),
    }
