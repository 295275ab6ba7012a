"""The problems of a run: drawn once from a table's stream, in worker processes, and kept in a file.

Held-out problems come from the test split. A problem to train on that equals one of them up to the names of
objects is dropped, whatever the question about it is: the key of ``orrery.equivalence.keys`` tells.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from settings import Problems

import orrery
from orrery.composition.compose import COMPOSED
from orrery.equivalence.keys import spelled_strict_key
from orrery.library.streams import NoItem
from orrery.model import UsageError
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_action
from orrery.store.shards import replacing
from orrery.workers import Workers, map_items

AT_ONCE = 25  # problems that a worker makes in one go
LEAST = 16  # numbers that are drawn in one go, as some have no item
EXPRESSION = re.compile(r"\(([^\s()]+)[^()]*\)")
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
    for each in _drawn(wanted, "test", range(wanted.held_out)):
        held.setdefault(each.key, each)
    if wanted.held_out and not held:
        raise UsageError(f"table '{wanted.table}'", "has no problem of the test split", "name another domain")
    needed = wanted.gold + wanted.reward
    trained = list[Problem]()
    start = 0
    while len(trained) < needed:
        numbers = range(start, start + max(needed - len(trained), LEAST))
        found = [each for each in _drawn(wanted, "train", numbers) if each.key not in held]
        if not found:
            raise UsageError(f"table '{wanted.table}'", "has no problem to train on that is not held out")
        trained += found
        start = numbers.stop
    yield trained[:needed]
    yield list(held.values())


@dataclass(frozen=True)
class Turns:
    """The streams of a split in turn; every second item is of a composed domain, if there are any."""

    wanted: Problems
    split: str
    streams: tuple[orrery.TaskStream, ...]

    @classmethod
    def of(cls, wanted: Problems, split: str) -> Turns:
        """Return the streams of the domains that are measured on, or trained on.

        Raises:
            UsageError: the table, a domain, the difficulty or the kind has no fresh items.
        """
        names = [*wanted.seen, *(wanted.unseen if split == "test" else ())] or [wanted.domain]
        return cls(wanted, split, tuple(_stream(wanted, name, split) for name in names))

    def place(self, number: int) -> tuple[int, int]:
        """Return the source of an item and its number there; composed domains follow the streams."""
        composed, plain = self.wanted.composed if self.split == "train" else 0, len(self.streams)
        if not composed:
            return number % plain, number // plain
        turn, is_composed = divmod(number, 2)
        return (plain + turn % composed, turn // composed) if is_composed else (turn % plain, turn // plain)

    def stream(self, source: int) -> orrery.TaskStream:
        """Return the items of a source."""
        if source < len(self.streams):
            return self.streams[source]
        fresh = _stream(self.wanted, COMPOSED, self.split).item(source - len(self.streams))
        return _stream(self.wanted, fresh.row["domain"], self.split)

    def problems(self, numbers: Sequence[int]) -> list[tuple[int, Problem]]:
        """Return items as problems, with their numbers. A number without an item is passed over."""
        numbered: list[tuple[int, Problem]] = []
        for source, group in groupby(numbers, lambda number: self.place(number)[0]):
            stream = self.stream(source)
            for number in group:
                with suppress(NoItem):
                    numbered.append(
                        (number, _problem(stream.item(self.place(number)[1]), self.wanted.prompt))
                    )
        return numbered


def _stream(wanted: Problems, domain: str | None, split: str) -> orrery.TaskStream:
    return orrery.tasks(wanted.table, domain, wanted.difficulty, wanted.seed, wanted.kind, split=split)


def _drawn(wanted: Problems, split: str, numbers: range) -> list[Problem]:
    """Return the problems of a split by their numbers.

    A worker makes problems of the same domain together, so that few workers compose it.
    """
    turns = Turns.of(wanted, split)
    by_source = sorted(numbers, key=turns.place)
    parts = [by_source[at : at + AT_ONCE] for at in range(0, len(by_source), AT_ONCE)]
    workers = Workers(os.cpu_count() or 1)
    found = map_items(turns.problems, parts, workers, label=f"{wanted.table}, {split}")
    return [problem for _, problem in sorted(chain.from_iterable(found), key=itemgetter(0))]


def _problem(item: orrery.Item, prompt: str) -> Problem:
    row = item.row
    try:
        said = prompt.format_map({**row, **_action(row)}) if prompt else item.prompt
    except (KeyError, ValueError, IndexError) as error:
        known = f"columns are: {', '.join(row)}"
        raise UsageError(
            "problems.prompt", f"does not fit a row of '{item.table}': {error!r}", known
        ) from error
    return Problem(said, item.gold, key_of(row), item.table, row)


def _action(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the first ground action of a question and its definition; nothing if it names none."""
    if "question_pddl" not in row:
        return {}
    actions = {action.name: action for action in read_domain(row["PDDL_domain"]).actions}
    for found in EXPRESSION.finditer(row["question_pddl"]):
        if action := actions.get(found[1]):
            return {"action": found[0], "action_pddl": write_action(action)}
    return {}


def key_of(row: Mapping[str, Any]) -> str:
    """Return what rows share whose problems are equal but for names; the id where a budget ends first."""
    domain = read_domain(row.get("domain_pddl") or row["PDDL_domain"])
    problem = read_problem(row.get("problem_pddl") or row["PDDL_problem"], domain)
    found = spelled_strict_key(domain, problem)
    return found if isinstance(found, str) else str(row["id"])
