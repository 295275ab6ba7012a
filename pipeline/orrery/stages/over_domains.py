"""Stages that work domain by domain: which domains are made, and by which workers.

If there are enough domains for all workers, each worker makes whole domains. Otherwise the domains are made
one after another, each with all workers. The outputs are the same.

If a step makes less than promised, the other steps of its domain and the other domains still run. An
error at the end names all shortages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeAlias

from orrery.config import Settings
from orrery.model import Incomplete
from orrery.parts import Part
from orrery.stages.inputs import StageInputs
from orrery.stages.summary import StageSummary
from orrery.store.kinds import Schema
from orrery.workers import ALONE, Workers, map_items

SHARE = 2  # minimum number of domains per worker to make whole domains

Outcome: TypeAlias = StageSummary | Incomplete


@dataclass(frozen=True)
class Step:
    """A step that makes the tables of ``schemas`` in ``outputs/<folder>/<domain>``; picklable."""

    command: str
    folder: str
    schemas: tuple[Schema, ...]
    run: Callable[[Settings, str, Workers], StageSummary]

    def is_made(self, settings: Settings, domain: str) -> bool:
        """Return whether the outputs of a domain are complete and made from the current inputs."""
        made_from = StageInputs.of(settings, self.command).fingerprint(domain)
        return Part(settings.outputs / self.folder / domain, self.schemas, made_from).is_made()


@dataclass(frozen=True)
class DomainWork:
    """The work on a domain: steps to run one after another."""

    settings: Settings
    domain: str
    steps: Sequence[Step]

    def __str__(self) -> str:
        """Return the name of the domain."""
        return self.domain

    def do(self, workers: Workers = ALONE) -> list[Outcome]:
        """Return the summary of each step, or the error of a step that made less than promised."""
        outcomes = list[Outcome]()
        for step in self.steps:
            try:
                outcomes.append(step.run(self.settings, self.domain, workers))
            except Incomplete as shortage:
                outcomes.append(shortage)
        return outcomes


def run_all(
    settings: Settings, command: str, steps: Sequence[Step], workers: Workers
) -> Iterator[StageSummary]:
    """Make the domains of params.yaml whose outputs are not up to date.

    Errors are those of the steps, with a note that names the domain.

    Raises:
        Incomplete: some domains have less than promised; the message names them. All domains were made
        before.
    """
    works = []
    for domain in _large_first(settings):
        due = [step for step in steps if not step.is_made(settings, domain)]
        if due:
            works.append(DomainWork(settings, domain, due))
    if unchanged := len(settings.all_domains) - len(works):
        yield StageSummary(command, "", {"domains kept, for nothing has changed": unchanged})
    yield from _run(command, works, workers)


def run_some(
    settings: Settings, command: str, steps: Sequence[Step], domains: Sequence[str], workers: Workers
) -> Iterator[StageSummary]:
    """Make these domains, even if their outputs are up to date.

    Raises:
        Incomplete: some domains have less than promised; the message names them. All domains were made
        before.
    """
    yield from _run(command, [DomainWork(settings, domain, steps) for domain in domains], workers)


def _run(command: str, works: Sequence[DomainWork], workers: Workers) -> Iterator[StageSummary]:
    shortages = list[Incomplete]()
    if workers.jobs == 1 or len(works) < SHARE * workers.jobs:
        outcomes = map_items(partial(DomainWork.do, workers=workers), works, describe=str)
    else:
        outcomes = map_items(DomainWork.do, works, workers, label=command, describe=str)
    for outcome in chain.from_iterable(outcomes):
        if isinstance(outcome, Incomplete):
            shortages.append(outcome)
        else:
            yield outcome
    if shortages:
        raise _together(command, shortages)


def _large_first(settings: Settings) -> list[str]:
    """Return the domains in the order of processing, largest first, so that the last ones are short.

    The size is the bytes of solved states, then the bytes of problems, because most of the
    work is on solved states. Before anything is generated, the order is unchanged.
    """

    def bytes_of(domain: str) -> tuple[int, int]:
        states = settings.outputs / "solutions" / domain / "solved_states.parquet"
        problems = settings.outputs / "problems" / domain / "problems.parquet"
        of_states, of_problems = (path.stat().st_size if path.exists() else 0 for path in (states, problems))
        return -of_states, -of_problems

    return sorted(settings.all_domains, key=bytes_of)


def _together(command: str, shortages: Sequence[Incomplete]) -> Incomplete:
    """Return one error with the messages of all others, and their common fix once."""
    if len(shortages) == 1:
        return shortages[0]
    problems = "; ".join(f"{shortage.where}: {shortage.problem}" for shortage in shortages)
    mends = "; ".join(dict.fromkeys(shortage.mend for shortage in shortages))
    return Incomplete(f"orrery {command}", problems, mends)
