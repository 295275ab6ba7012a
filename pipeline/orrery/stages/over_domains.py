"""Stages that work domain by domain: which domains they make, and in how many processes.

Where there are domains enough for all processes, each makes whole domains, with nothing to wait for; else the
domains come one after another, each with the work of all processes. What is made is the same.

A step that makes less than was promised ends neither the other steps of its domain nor the other domains:
what is short is said in the end, of all domains together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from orrery.config import Settings
from orrery.engine import is_cluster, map_items
from orrery.model import Incomplete
from orrery.stages.summary import StageSummary
from orrery.stages.wiring import Wiring
from orrery.store.locks import at_work

SHARE = 2  # domains a process, from which on it makes whole ones

Step: TypeAlias = Callable[[Settings, str, int], StageSummary]


@dataclass(frozen=True)
class DomainWork:
    """The steps of the stage ``command``, to be done one after another for a domain."""

    settings: Settings
    command: str
    steps: Sequence[Step]
    wiring: Wiring | None

    def __call__(self, name: str, jobs: int = 1) -> list[StageSummary | Incomplete]:
        """Do them; return their summaries, and in place of one what a step could make in part only.

        A domain of which something is short is not noted as made, so that it is made and named again.
        """
        made_from = self.wiring.made_from(name) if self.wiring else None
        found: list[StageSummary | Incomplete] = []
        for step in self.steps:
            with at_work(self.settings.outputs, step.__module__.rpartition(".")[2], name):
                try:
                    found.append(step(self.settings, name, jobs))
                except Incomplete as short:
                    found.append(short)
        if self.wiring and not any(isinstance(each, Incomplete) for each in found):
            self.wiring.note(name, made_from)
        return found


def run_all(settings: Settings, command: str, steps: Sequence[Step], jobs: int) -> Iterator[StageSummary]:
    """Make the domains of params.yaml, apart from those that are there and would come out the same.

    Errors are those of the steps, with a note that names the domain.

    Raises:
        Incomplete: domains, each of which is named, have less than was promised; all were made by then.
    """
    wiring = Wiring.of(settings, command)
    names = [name for name in _large_first(settings) if not (wiring and wiring.is_made(name))]
    if kept := len(settings.domains) - len(names):
        yield StageSummary(command, "", {"domains kept, for nothing has changed": kept})
    yield from _run(DomainWork(settings, command, steps, wiring), names, jobs)


def _large_first(settings: Settings) -> list[str]:
    """Return the domains in the order in which they are made, so that short work fills the last seconds.

    Those of more bytes of decided states come first, and where there are none, of problems: questions are
    asked about the former. As long as nothing was generated they keep their order.
    """

    def size(name: str) -> tuple[int, int]:
        states = settings.outputs / "solutions" / name / "states.parquet"
        problems = settings.outputs / "problems" / name / "problems.parquet"
        one, other = (path.stat().st_size if path.exists() else 0 for path in (states, problems))
        return -one, -other

    return sorted(settings.domains, key=size)


def run_some(
    settings: Settings, command: str, steps: Sequence[Step], names: Sequence[str], jobs: int
) -> Iterator[StageSummary]:
    """Make these domains, whatever is there.

    Raises:
        Incomplete: domains, each of which is named, have less than was promised; all were made by then.
    """
    yield from _run(DomainWork(settings, command, steps, Wiring.of(settings, command)), names, jobs)


def _run(work: DomainWork, names: Sequence[str], jobs: int) -> Iterator[StageSummary]:
    lacking = []
    for each in chain.from_iterable(_made(work, names, jobs)):
        if isinstance(each, Incomplete):
            lacking.append(each)
        else:
            yield each
    if lacking:
        raise _together(work.command, lacking)


def _made(work: DomainWork, names: Sequence[str], jobs: int) -> Iterator[Sequence[StageSummary | Incomplete]]:
    if len(names) < SHARE * jobs or jobs == 1 or is_cluster():
        for name in names:
            yield work(name, jobs)
    else:
        yield from map_items(names, work, jobs=jobs, label=work.command, describe=str, warm_up=0)


def _together(command: str, lacking: Sequence[Incomplete]) -> Incomplete:
    """Return one error that says what each of the others says, and a mend that they share once."""
    if len(lacking) == 1:
        return lacking[0]
    said = "; ".join(f"{each.where}: {each.problem}" for each in lacking)
    return Incomplete(f"orrery {command}", said, "; ".join(dict.fromkeys(each.mend for each in lacking)))
