"""Drawing problems from a domain's generator until the asked number of distinct ones stands.

Every draw has its own random stream, named by (domain, split, difficulty, index, attempt). Problems
are taken in the order test, validation, train: one whose key occurred before is rejected, counted
and drawn again, so that no two problems of a domain are the same up to renaming and no split leaks
into another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.catalog import SPLITS, Entry
from pipeline.equivalence.keys import Keys, keys
from pipeline.equivalence.outcome import Undecided
from pipeline.model import Generated, OrreryError, Pairing, ParameterError, Problem
from pipeline.pddl.read import PddlError, read_problem
from pipeline.pddl.write import write_problem
from pipeline.seeds import stream

ATTEMPTS = 12
FROM_FILE = Pairing("file", "file", tied=True, strict=True)


@dataclass(frozen=True)
class Slot:
    """One problem to be drawn; ``attempt`` counts the draws rejected so far."""

    domain: str
    split: str
    difficulty: str
    index: int
    pairing: Pairing
    attempt: int = 0

    @property
    def seed_path(self) -> tuple[str, ...]:
        """The path of the random stream that draws this problem."""
        return (self.domain, self.split, self.difficulty, str(self.index), str(self.attempt))


@dataclass(frozen=True)
class Draft:
    """What became of a slot: a problem with its keys, or the reason why not."""

    slot: Slot
    generated: Generated | None
    keys: Keys | None = None
    reason: str = ""
    detail: str = ""


def slots(entry: Entry, problems: dict[str, int], seed: int) -> list[Slot]:
    """The problems to draw: so many of each difficulty, tasks taking turns; test slots first.

    None where the domain has no generator, or one without tasks.

    Raises:
        OrreryError: the domain knows no such difficulty, or holds out a task that it does not have.
    """
    pairings = entry.pairings
    _check_held_out(entry)
    found = []
    for difficulty, count in problems.items() if pairings else ():
        if count:
            limits_of(entry, difficulty)
        for index in range(count):
            pairing = pairings[index % len(pairings)]
            split = split_of(entry, pairing, stream(seed, entry.name, "split", difficulty, index).random())
            found.append(Slot(entry.name, split, difficulty, index, pairing))
    return sorted(found, key=lambda slot: SPLITS.index(slot.split))


def _check_held_out(entry: Entry) -> None:
    """Refuse to hold out a task that there is not: a slip of the pen would let it into training."""
    tasks = [pairing.name for pairing in (*entry.pairings, FROM_FILE)]
    if unknown := sorted(set(entry.description.test_tasks) - set(tasks)):
        where = f"{entry.folder / 'domain.yaml'}: test_tasks"
        raise OrreryError(where, f"there is no task '{unknown[0]}'", f"tasks are: {', '.join(tasks)}")


def limits_of(entry: Entry, difficulty: str) -> dict[str, tuple[int, int]]:
    """The ranges that the generator draws within; none where the domain names no difficulties."""
    given = entry.description.difficulties
    if given is None:
        return {}
    if difficulty not in given:
        raise OrreryError(
            str(entry.folder / "domain.yaml"),
            f"no difficulty '{difficulty}'",
            f"add it under 'difficulties' (there are: {', '.join(given)})",
        )
    return {name: (limits[0], limits[1]) for name, limits in given[difficulty].items()}


def split_of(entry: Entry, pairing: Pairing, share: float) -> str:
    """The split of a problem: test where its domain or task is held out, otherwise by ``share`` in [0, 1)."""
    if entry.description.test_only or pairing.name in entry.description.test_tasks:
        return "test"
    for name, part in entry.description.shares().items():
        if share < part:
            return name
        share -= part
    return "train"


def draw(entry: Entry, slot: Slot, seed: int) -> Draft:
    """One draw for ``slot``: a problem whose goal does not hold yet, with its keys.

    Raises:
        OrreryError: the generator fails, or makes a problem that is none of the domain.
    """
    streams = {name: stream(seed, *slot.seed_path, name) for name in ("parameters", "problem")}
    limits = limits_of(entry, slot.difficulty)
    try:
        parameters = entry.call("draw", slot.pairing, limits, streams["parameters"])
        generated: Generated = entry.call("build", slot.pairing, parameters, streams["problem"])
    except ParameterError as error:
        return Draft(slot, None, reason="parameters out of limits", detail=str(error))
    _check_made(entry, slot, generated.problem)
    return keyed(entry, slot, generated)


def _check_made(entry: Entry, slot: Slot, problem: Problem) -> None:
    """Refuse a problem that does not come back from its own PDDL: a fact misspelt, an object not listed."""
    where, domain = f"{entry.generator_file}: {slot.pairing.name}", entry.domain
    try:
        same = replace(read_problem(write_problem(problem), domain, where), name=problem.name) == problem
    except PddlError as error:
        raise OrreryError(
            where, f"makes a problem that cannot be read: {error.problem}", error.mend
        ) from error
    if not same:
        problem_is = "makes a problem that its PDDL does not tell exactly"
        raise OrreryError(where, problem_is, "write names in small letters, without spaces")


def keyed(entry: Entry, slot: Slot, generated: Generated) -> Draft:
    """The problem with its keys, unless nothing is to be done in it or its keys stay undecided."""
    problem = generated.problem
    if problem.satisfied(problem.init):
        return Draft(slot, None, reason="goal holds initially", detail=problem.name)
    found = keys(entry.domain, problem, rule=entry.closure_rule)
    if isinstance(found, Undecided):
        return Draft(slot, None, reason="key undecided", detail=found.reason)
    return Draft(slot, generated, found)


def from_files(entry: Entry, seed: int) -> list[Draft]:
    """The problems given as PDDL files, keyed; the split is drawn by the file's name."""
    found = []
    for index, path in enumerate(entry.problem_files):
        problem = _read_file(entry, path)
        split = split_of(entry, FROM_FILE, stream(seed, entry.name, "file", path.name).random())
        slot = Slot(entry.name, split, "file", index, FROM_FILE)
        found.append(keyed(entry, slot, Generated(problem, FROM_FILE)))
    return sorted(found, key=lambda draft: SPLITS.index(draft.slot.split))


def _read_file(entry: Entry, path: Path) -> Problem:
    """The problem of a PDDL file of the domain."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PddlError(str(path), f"cannot be read: {error}", "give a UTF-8 PDDL file") from error
    return read_problem(text, entry.domain, str(path))


@dataclass
class Harvest:
    """The accepted drafts and the rejected ones."""

    accepted: list[Draft]
    rejected: list[Draft]


def harvest(
    asked: list[Slot],
    draw_all: Callable[[list[Slot]], Iterable[Draft]],
    given: Iterable[Draft] = (),
    attempts: int = ATTEMPTS,
) -> Harvest:
    """Draw every slot, and again those that were rejected, until all stand or the attempts are spent.

    A split is finished before the next one begins, so that the test split takes what it needs.
    ``draw_all`` draws a list of slots, in any process, and returns the drafts in the same order;
    ``given`` are drafts that are there already. Acceptance is decided here, in order, so that the
    result does not depend on who drew when. What is accepted is sorted by split, index and difficulty:
    the first ones of a split are of all difficulties.
    """
    result = Harvest([], [])
    taken: set[str] = set()
    there = list(given)
    for split in SPLITS:
        _accept((draft for draft in there if draft.slot.split == split), taken, result)
        todo = [slot for slot in asked if slot.split == split]
        for _ in range(attempts):
            refused = _accept(draw_all(todo), taken, result) if todo else []
            todo = [replace(draft.slot, attempt=draft.slot.attempt + 1) for draft in refused]
    result.accepted.sort(key=_turn)
    return result


def _turn(draft: Draft) -> tuple[int, int, str]:
    """Where an accepted draft stands among the others."""
    slot = draft.slot
    return SPLITS.index(slot.split), slot.index, slot.difficulty


def _accept(drafts: Iterable[Draft], taken: set[str], result: Harvest) -> list[Draft]:
    """Sort drafts into accepted and rejected; return the rejected ones."""
    refused = []
    for draft in drafts:
        known = draft.keys is not None and bool({draft.keys.strict, draft.keys.loose} & taken)
        if draft.keys is not None and not known:
            taken |= {draft.keys.strict, draft.keys.loose}
            result.accepted.append(draft)
        else:
            refused.append(replace(draft, reason="same as an earlier problem") if known else draft)
    result.rejected.extend(refused)
    return refused
