"""A row of the plan tables with the inputs of its checks: its PDDL and words, also in plain names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from orrery.catalog import entry_of
from orrery.checks.inputs import CheckedProblem
from orrery.checks.labels import VOCABULARIES
from orrery.checks.plans.names import Names
from orrery.checks.problem_plans import domain_of
from orrery.checks.reading.contexts import ContextReader
from orrery.checks.reading.sentences import SentenceReader
from orrery.checks.rechecked_state import RecheckedState
from orrery.language.renamed_domain import Vocabulary, vocabulary_of
from orrery.language.words import Words
from orrery.model import Domain, Literal, OrreryError, Problem, State, Step
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom, parse_literal

Row: TypeAlias = Mapping[str, Any]

PLAIN, FOLDER, INITIAL = VOCABULARIES[0], "plans", "initial"


class Readers(NamedTuple):
    """A domain under the names of a vocabulary, and the readers of its words."""

    domain: Domain
    words: Words
    vocabulary: Vocabulary | None
    sentences: SentenceReader
    context: ContextReader


@cache
def readers_of(root: Path, name: str, vocabulary: str, seed: int) -> Readers:
    """Return the readers of a domain, cached in each process: their patterns are costly."""
    entry = entry_of(root, name)
    if vocabulary == PLAIN:
        vocabulary_made, domain, words = None, entry.domain, entry.words
    else:
        vocabulary_made = vocabulary_of(entry.domain, vocabulary, entry.root / "templates", seed)
        domain, words = vocabulary_made.domain, vocabulary_made.words
    context = ContextReader(words, domain, FOLDER)
    return Readers(domain, words, vocabulary_made, context.sentences, context)


def literal_of(text: str) -> Literal:
    """Return the literal of ``(p a)`` or ``(not (p a))``."""
    return parse_literal(text[1:-1])


def literal_order(literal: Literal) -> tuple[object, ...]:
    """Return a sort key that puts positive literals first."""
    return (not literal.positive, literal.atom)


@dataclass(frozen=True)
class PlanRow:
    """A row: its content under its own names and, as ``plain_...``, under the names of the plain domain.

    ``decided`` is the row of the decided state that the row refers to, if there is one. The rows of a problem
    share the search results that ``state_of`` returns for a problem in plain names.
    """

    checked: CheckedProblem
    row: Row
    decided: Row | None
    state_of: Callable[[Problem], RecheckedState]

    @property
    def task(self) -> str:
        """The task of the row's table."""
        return str(self.row["task"])

    @cached_property
    def start(self) -> State | None:
        """The facts of the state that the row refers to; None if it does not exist."""
        if self.decided is not None:
            return frozenset(map(parse_atom, self.decided["state"]))
        initial = self.row["state_source"] == INITIAL and self.row["state_step"] == 0
        return self.checked.problem.init if initial else None

    @cached_property
    def readers(self) -> Readers:
        """The domain in the row's vocabulary, and readers of its words."""
        inputs, vocabulary = self.checked.inputs, self.row["vocabulary"]
        if vocabulary not in VOCABULARIES:
            raise OrreryError(self.row["id"], f"there is no vocabulary '{vocabulary}'")
        return readers_of(inputs.root, self.checked.entry.name, vocabulary, inputs.seed)

    @cached_property
    def origin(self) -> Problem:
        """The problem of the row, from the state that it refers to, in plain names."""
        problem = self.checked.problem
        return problem if self.start is None else replace(problem, init=self.start)

    @cached_property
    def names(self) -> Names:
        """The names of the row's vocabulary, for the inverse renaming."""
        vocabulary = self.readers.vocabulary
        return Names(vocabulary.of(self.origin) if vocabulary else None)

    # ---- under the row's own names ----

    @cached_property
    def domain(self) -> Domain:
        """The domain as the row states it."""
        return domain_of(self.row["domain_pddl"])

    @cached_property
    def problem(self) -> Problem:
        """The problem on which a plan is validated."""
        return read_problem(self.row["problem_pddl"], self.domain, self.row["id"])

    @cached_property
    def shown_problem(self) -> Problem:
        """The problem that the shown plan solves."""
        return read_problem(self.row["given_problem_pddl"], self.domain, self.row["id"])

    @property
    def told(self) -> Problem:
        """The problem in the context."""
        return self.shown_problem if "given_problem_pddl" in self.row else self.problem

    def steps(self, column: str) -> list[Step]:
        """Return the steps of a column."""
        return list(map(parse_atom, self.row[column]))

    def literals(self, column: str) -> list[Literal]:
        """Return the literals of a column."""
        return list(map(literal_of, self.row[column]))

    # ---- under plain names ----

    @cached_property
    def plain_domain(self) -> Domain:
        """The domain of the row."""
        return self.checked.entry.domain

    @cached_property
    def plain_problem(self) -> Problem:
        """The problem on which a plan is validated."""
        return self.names.problem(self.problem)

    @cached_property
    def plain_shown_problem(self) -> Problem:
        """The problem that the shown plan solves."""
        return self.names.problem(self.shown_problem)

    def plain_steps(self, column: str) -> list[Step]:
        """Return the steps of a column."""
        return list(map(self.names.step, self.steps(column)))

    @cached_property
    def state(self) -> RecheckedState:
        """Search results for the problem on which a plan is validated."""
        return self.state_of(anonymous(self.plain_problem))

    @cached_property
    def plain_state(self) -> RecheckedState:
        """Search results for the problem in the context."""
        return self.state_of(anonymous(self.names.problem(self.told)))


def anonymous(problem: Problem) -> Problem:
    """Return the problem without its name, and with its objects sorted."""
    return replace(problem, name="problem", objects=tuple(sorted(problem.objects)))


def written(steps: Sequence[Step]) -> str:
    """Return steps on one line, for messages."""
    return " ".join(f"({' '.join(step)})" for step in steps)
