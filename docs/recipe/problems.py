"""The problems of a run: drawn once from a table's stream, in worker processes, and kept in a file.

Held-out problems come from the test split. A problem to train on that equals one of them up to the names of
objects is dropped, whatever the question about it is: the key of ``orrery.equivalence.keys`` tells.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from settings import Problems

import orrery
from orrery.equivalence.keys import spelled_strict_key
from orrery.model import UsageError
from orrery.pddl.read import read_domain, read_problem
from orrery.store.shards import replacing
from orrery.workers import Workers, map_items

AT_ONCE = 25  # problems that a worker makes in one go
Message = dict[str, str]


@dataclass(frozen=True)
class Problem:
    """What the model reads (messages, or one text), a right reply, and the row that judges replies."""

    prompt: list[Message] | str
    gold: str
    key: str
    table: str
    row: Mapping[str, Any]

    def score(self, reply: str) -> orrery.Score:
        """Return the reward of a reply."""
        return orrery.score(reply, self.row, self.table)


def text_of(problem: Problem) -> str:
    """Return what the model reads as one text, with a line's end."""
    said = problem.prompt
    parts = [said] if isinstance(said, str) else [message["content"] for message in said]
    return "".join(f"{part.strip()}\n" for part in parts)


@dataclass(frozen=True)
class Pool:
    """Problems with gold replies, others of which only the reward is used, and those held out."""

    gold: list[Problem]
    reward: list[Problem]
    held_out: list[Problem]

    def words(self) -> list[str]:
        """Return the texts of which a vocabulary is made: no gold reply of phase 2, nothing held out."""
        return [*(text_of(each) for each in self.gold + self.reward), *(each.gold for each in self.gold)]


def drawn(wanted: Problems, file: Path) -> Pool:
    """Return the pool of ``wanted``: from ``file`` if it holds that, else it is drawn and written there.

    Raises:
        UsageError: the table, domain, difficulty or kind has no fresh items, or all are held out.
    """
    about = wanted.model_dump(mode="json")
    if not file.exists() or json.loads(file.open(encoding="utf-8").readline()) != about:
        problems = [vars(each) for part in _make(wanted) for each in part]
        with replacing(file) as new:
            new.write_text("".join(json.dumps(each) + "\n" for each in [about, *problems]), encoding="utf-8")
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    problems_ = [Problem(**json.loads(line)) for line in lines]
    ends = (wanted.gold, wanted.gold + wanted.reward)
    return Pool(problems_[: ends[0]], problems_[ends[0] : ends[1]], problems_[ends[1] :])


def _make(wanted: Problems) -> Iterator[Sequence[Problem]]:
    """Yield the problems for phase 1 and 2 together, then those held out, of which no two have one key."""
    held: dict[str, Problem] = {}
    for each in chain.from_iterable(_parts(wanted, "test", range(wanted.held_out))):
        held.setdefault(each.key, each)
    needed = wanted.gold + wanted.reward
    trained = list[Problem]()
    start = 0
    while len(trained) < needed:
        numbers = range(start, start + needed - len(trained))
        found = [each for part in _parts(wanted, "train", numbers) for each in part if each.key not in held]
        if not found:
            raise UsageError(f"table '{wanted.table}'", "has no problem to train on that is not held out")
        trained += found
        start = numbers.stop
    yield trained
    yield list(held.values())


def _parts(wanted: Problems, split: str, numbers: range) -> Iterable[list[Problem]]:
    """Yield the problems of a split by their numbers in its stream, which all workers share."""
    tasks = orrery.tasks(
        wanted.table, wanted.domain, wanted.difficulty, wanted.seed, wanted.kind, split=split
    )
    make = partial(_some, tasks, wanted.prompt)
    parts = [numbers[at : at + AT_ONCE] for at in range(0, len(numbers), AT_ONCE)]
    return map_items(make, parts, Workers(os.cpu_count() or 1), label=f"{wanted.table}, {split}")


def _some(tasks: orrery.TaskStream, prompt: str, numbers: range) -> list[Problem]:
    return [_problem(tasks.item(number), prompt) for number in numbers]


def _problem(item: orrery.Item, prompt: str) -> Problem:
    row = item.row
    try:
        said = prompt.format_map(row) if prompt else item.prompt
    except (KeyError, ValueError, IndexError) as error:
        known = f"columns are: {', '.join(row)}"
        raise UsageError(
            "problems.prompt", f"does not fit a row of '{item.table}': {error!r}", known
        ) from error
    return Problem(said, item.gold, key_of(row), item.table, row)


def key_of(row: Mapping[str, Any]) -> str:
    """Return what rows share whose problems are equal but for names; the id where a budget ends first."""
    domain = read_domain(row.get("domain_pddl") or row["PDDL_domain"])
    problem = read_problem(row.get("problem_pddl") or row["PDDL_problem"], domain)
    found = spelled_strict_key(domain, problem)
    return found if isinstance(found, str) else str(row["id"])
