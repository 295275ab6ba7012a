"""Inputs of checks: the paths of a build, and a problem with all its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from orrery.catalog import Entry, entry_of
from orrery.checks.labels import VOCABULARIES
from orrery.checks.rechecked_state import RecheckedState
from orrery.families import families
from orrery.language.names import renamed
from orrery.language.renamed_domain import Vocabulary, vocabulary_of
from orrery.language.words import Words
from orrery.model import ConfigurationPair, Domain, Generated, OrreryError, Problem, Row
from orrery.pddl.write import parse_atom

MOST_SECONDS = 5.0  # time limit of a planner call that decides a question again
ALLOWANCE, LARGE_ALLOWANCE = 1, 6  # limit for all checks of a state, in planner calls of full length


class SourceFile(Protocol):
    """A PDDL file by another author; ``name`` is its source and path."""

    @property
    def name(self) -> str:
        """Source and path."""

    @property
    def text(self) -> str:
        """The text."""

    @property
    def license(self) -> str:
        """The licence of the source."""


def _no_files() -> Iterable[SourceFile]:
    return ()


@dataclass(frozen=True)
class CheckInputs:
    """The paths and settings of a build that checks use; picklable.

    ``seconds`` limits a planner call, ``share`` is the share of problems that another tool also checks, and
    ``domains`` are the domains of the build. ``corpus`` collects the files by other authors. Verdicts on a
    problem are reused while its rows, the seed, the seconds and the files of its domain are the same;
    therefore, checks of problems must not read anything else.
    """

    root: Path
    dataset: Path
    domains: tuple[str, ...]
    seed: int
    seconds: float
    share: float = 0.0
    corpus: Callable[[], Iterable[SourceFile]] = _no_files


class SpokenDomain(NamedTuple):
    """A domain under the names of a vocabulary, and its words; ``vocabulary`` is None for plain names."""

    domain: Domain
    words: Words
    vocabulary: Vocabulary | None


@cache
def _spoken(root: Path, name: str, vocabulary: str, seed: int) -> SpokenDomain:
    entry = entry_of(root, name)
    if vocabulary == VOCABULARIES[0]:
        return SpokenDomain(entry.domain, entry.words, None)
    renamed_domain = vocabulary_of(entry.domain, vocabulary, entry.root / "templates", seed)
    return SpokenDomain(renamed_domain.domain, renamed_domain.words, renamed_domain)


@dataclass(frozen=True)
class CheckedProblem:
    """One problem with the inputs of its checks.

    ``row`` is its row in the table of problems; ``rows`` maps tables to the rows of the problem.
    """

    inputs: CheckInputs
    entry: Entry
    task: ConfigurationPair
    row: Row
    problem: Problem
    rows: Mapping[str, list[Row]]
    by_planner: bool

    def with_names(self, generated: Generated) -> Generated:
        """Return a regenerated problem with the names drawn for the objects of the row."""
        problem, pools = generated.problem, self.entry.name_pools
        objects = pools.kinded(problem.objects, problem.init)
        split, seed = split_of(self.row["id"]), self.inputs.seed
        return renamed(generated, self.entry.names_of(objects, split, seed, self.row["seed_path"]))

    def spoken(self, vocabulary: str) -> SpokenDomain:
        """Return the domain in a vocabulary; raise OrreryError if there is no such vocabulary."""
        if vocabulary not in VOCABULARIES:
            raise OrreryError(self.row["id"], f"there is no vocabulary '{vocabulary}'")
        return _spoken(self.inputs.root, self.entry.name, vocabulary, self.inputs.seed)

    def published(self, family: str) -> list[Row]:
        """Return the published rows of a family that belong to the problem."""
        return [row for table in families()[family].tables for row in self.rows.get(table.name, ())]

    def of_state(self, state: Row) -> RecheckedState:
        """Return the recheck of one of the problem's solved states, the same for all checks."""
        name = state["state_id"]
        if name not in self._of_states:
            problem = replace(self.problem, init=frozenset(map(parse_atom, state["state"])))
            self._of_states[name] = self.rechecked(self.entry.domain, problem)
        return self._of_states[name]

    @cached_property
    def _of_states(self) -> dict[str, RecheckedState]:
        return {}

    def rechecked(self, domain: Domain, problem: Problem) -> RecheckedState:
        """Return the recheck of the problem's initial state."""
        seconds = min(self.inputs.seconds, MOST_SECONDS)
        allowance = seconds * (LARGE_ALLOWANCE if self.by_planner else ALLOWANCE)
        return RecheckedState(domain, problem, seconds, allowance, plain=not self.by_planner)


def split_of(name: str) -> str:
    """Return the split in the id of a row."""
    return name.split("/")[1]
