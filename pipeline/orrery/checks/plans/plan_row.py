"""A row of the plan tables with the inputs of its checks: its PDDL and words, also in plain names.

Its stored plan is checked here, too (validity, length), and the grades of replies built from the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from orrery.checks.execution import execute, is_plan, plan_faults
from orrery.checks.inputs import CheckedProblem, SpokenDomain
from orrery.checks.labels import VOCABULARIES
from orrery.checks.problem_plans import domain_of
from orrery.checks.reading.contexts import ContextReader, context_reader
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdicts import differing
from orrery.grading import grade
from orrery.language.renamed_domain import RenamedProblem
from orrery.model import Domain, Literal, Problem, Row, State, Step
from orrery.pddl.read import read_problem
from orrery.pddl.renaming import PartialNames, Tables, object_names
from orrery.pddl.write import parse_atom, parse_literal

PLAIN, FOLDER, INITIAL = VOCABULARIES[0], "plans", "initial"


def literal_of(text: str) -> Literal:
    """Return the literal of ``(p a)`` or ``(not (p a))``."""
    return parse_literal(text[1:-1])


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

    @property
    def spoken(self) -> SpokenDomain:
        """The domain in the row's vocabulary."""
        return self.checked.spoken(self.row["vocabulary"])

    @property
    def context_reader(self) -> ContextReader:
        """The reader of words on the domain in the row's vocabulary."""
        return context_reader(self.spoken.words, self.spoken.domain, FOLDER)

    @cached_property
    def origin(self) -> Problem:
        """The problem of the row, from the state that it refers to, in plain names."""
        problem = self.checked.problem
        return problem if self.start is None else replace(problem, init=self.start)

    @cached_property
    def renamed(self) -> RenamedProblem | None:
        """The row's vocabulary for its problem; None for plain names."""
        vocabulary = self.spoken.vocabulary
        return vocabulary.of(self.origin) if vocabulary else None

    @cached_property
    def plain_names(self) -> Tables:
        """The plain names by the names of the row."""
        return self.renamed.tables.inverse() if self.renamed else object_names({})

    def plainly(self, problem: Problem, names: Tables | None = None) -> Problem:
        """Return a problem under plain names; ``names`` are those of its objects, if it has its own."""
        return (names or self.plain_names).problem(problem, self.origin.name, self.origin.domain)

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
    def context_problem(self) -> Problem:
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
        return self.plainly(self.problem)

    @cached_property
    def plain_shown_problem(self) -> Problem:
        """The problem that the shown plan solves."""
        return self.plainly(self.shown_problem)

    def plain_steps(self, column: str) -> list[Step]:
        """Return the steps of a column."""
        return list(map(self.plain_names.step, self.steps(column)))

    @cached_property
    def state(self) -> RecheckedState:
        """Search results for the problem on which a plan is validated."""
        return self.state_of(anonymous(self.plain_problem))

    @cached_property
    def plain_state(self) -> RecheckedState:
        """Search results for the problem in the context."""
        return self.state_of(anonymous(self.plainly(self.context_problem)))

    @cached_property
    def plain_examples(self) -> list[Problem]:
        """The example problems of the row; their objects keep their names."""
        constants = self.spoken.vocabulary.tables.inverse().objects if self.spoken.vocabulary else {}
        names = self.plain_names._replace(objects=PartialNames(constants))
        texts = [example["problem_pddl"] for example in self.row.get("given_examples", ())]
        return [self.plainly(read_problem(text, self.domain, self.row["id"]), names) for text in texts]


def anonymous(problem: Problem) -> Problem:
    """Return the problem without its name, and with its objects sorted."""
    return replace(problem, name="problem", objects=tuple(sorted(problem.objects)))


NONE = "ANSWER: none"
FEWEST = 2  # minimum number of steps for a problem worth a question


def stored_plan_faults(plan_row: PlanRow) -> list[str]:
    """Return the faults of the plan for the problem of the row, or of that problem."""
    row, steps = plan_row.row, plan_row.steps("plan")
    faults = plan_faults(plan_row.domain, plan_row.problem, steps)
    faults += differing({"plan_length": len(steps)}, row)
    if plan_row.problem.satisfied(plan_row.problem.init):
        faults.append("the goal holds at the start")
    elif len(steps) < FEWEST:
        faults.append("one step is enough")
    if row["h_star"] is not None and not FEWEST <= row["h_star"] <= len(steps):
        faults.append(f"h_star is {row['h_star']}, the plan has {len(steps)} steps")
    return faults


def plan_reply(row: Row) -> str:
    """Return the reply that gives the stored plan."""
    return "\n".join(["[PLAN]", *row["plan"], "[PLAN END]"])


def check_reply(plan_row: PlanRow, reply: str) -> list[str]:
    """Return a fault if the grader rejects ``reply``, or accepts a plan without its last step."""
    row = plan_row.row
    score = grade(reply, row)
    faults = [] if score.value == 1 else [f"the gold reply is graded {score.verdict}: {score.detail}"]
    if row.get("plan"):
        shorter = {**row, "plan": row["plan"][:-1]}
        if is_plan(plan_row.domain, plan_row.problem, plan_row.steps("plan")[:-1]):
            faults.append("the plan goes on where the goal holds")
        elif grade(plan_reply(shorter), row).value:
            faults.append("the plan without its last step is graded right")
    return faults


def solving_part(domain: Domain, problem: Problem, steps: Sequence[Step]) -> Sequence[Step]:
    """Return the first consecutive steps that solve the problem; empty if there are none."""
    for start in range(len(steps)):
        for end, state in enumerate(execute(domain, problem, steps[start:]).states[1:], start + 1):
            if problem.satisfied(state):
                return steps[start:end]
    return ()
