"""What questions are made from and what they become; nothing here solves anything."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from orrery.model import Atom, Domain, OrreryError, Problem, Step
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.semantics.grounding import Grounder
from orrery.semantics.progression import applicable, run
from orrery.semantics.task import GroundAction, PlanningTask

DOMAINS_KEPT = 64
OPEN = "gen"  # the format that the names of tables end in, where an answer is free


@dataclass(frozen=True)
class StateRecord:
    """A state to ask about, with what is proven of it.

    ``problem``'s initial state is the state asked about. ``source`` says where it comes from
    (``initial``, ``plan``, ``diverse``, ``walk``) and ``step`` how many steps lie before it. Facts and
    actions are mapped to how they are known; None stands for a set that is not fully decided.

    ``landmarks`` and ``not_landmarks`` share out the candidates: well-typed fluent facts true neither now
    nor in the goal. ``plan`` is a valid plan from the state, or None where none is known. ``closer`` and
    ``not_closer`` share out the applicable actions: those that begin some shortest plan, and the others.
    ``reachable_actions`` are those that some reachable state allows; ``unreachable_actions`` the other
    well-typed ground actions, None also where they are too many to list. ``num_steps`` counts the
    well-typed ground actions, repeated arguments included.
    """

    domain: Domain
    problem: Problem
    problem_id: str
    source: str = "initial"
    step: int = 0
    solvable: bool | None = None
    h_star: int | None = None
    landmarks: Mapping[Atom, str] | None = None
    not_landmarks: Mapping[Atom, str] | None = None
    unreachable: Mapping[Atom, str] | None = None
    plan: tuple[Step, ...] | None = None
    plan_optimal: bool = False
    closer: Mapping[Step, str] | None = None
    not_closer: Mapping[Step, str] | None = None
    reachable_actions: frozenset[Step] | None = None
    unreachable_actions: Mapping[Step, str] | None = None
    num_steps: int | None = None
    num_unreachable_actions: int | None = None
    num_states: int | None = None
    difficulty: str = ""
    seed_path: str = ""

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What is worked out of this state once and used by several kinds and formats."""
        return {}

    @cached_property
    def domain_pddl(self) -> str:
        """The domain as PDDL."""
        return _domain_pddl(self.domain)

    @cached_property
    def problem_pddl(self) -> str:
        """The problem as PDDL; its init is the state asked about."""
        return write_problem(self.problem)

    @cached_property
    def context_pddl(self) -> str:
        """What stands in place of a context in words: domain and problem in PDDL."""
        return f"{self.domain_pddl}\n{self.problem_pddl}".strip()

    @cached_property
    def task(self) -> PlanningTask:
        """The planning task from the state asked about."""
        return _grounder(self.domain).ground(self.problem)

    @cached_property
    def applicable(self) -> list[GroundAction]:
        """The actions applicable in the state asked about, sorted by step."""
        return applicable(self.task, self.task.init)

    @cached_property
    def aimless(self) -> str:
        """Why there is no way to the goal to ask about; empty where there is one."""
        if not self.solvable:
            return "no plan is known" if self.solvable is None else "unsolvable"
        return "the goal holds already" if self.problem.satisfied(self.problem.init) else ""

    @cached_property
    def way(self) -> list[int]:
        """The states along the plan, from the one asked about on.

        Raises:
            OrreryError: there is no plan, or it does not lead to the goal.
        """
        masks = run(self.task, self.plan or ())
        if self.plan is None or masks is None or not self.task.is_goal(masks[-1]):
            where = f"{self.problem_id}/{self.source}-{self.step}"
            raise OrreryError(where, "its plan does not lead to the goal", "run stage solve again")
        return masks

    @cached_property
    def measures(self) -> dict[str, Any]:
        """The columns that say of every row where the state comes from and how large the task is."""
        return {
            "domain": self.domain.name,
            "problem_id": self.problem_id,
            "state_source": self.source,
            "state_step": self.step,
            "difficulty": self.difficulty,
            "num_objects": len(self.problem.objects),
            "num_facts": len(self.task.facts),
            "num_actions": len(self.task.actions),
            "num_states": self.num_states,
            "branching": len(self.applicable),
            "h_star": self.h_star,
            "seed_path": self.seed_path,
        }


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Why a question is not asked of a state, in words that can be counted."""

    reason: str


class QuestionTexts(NamedTuple):
    """What a question tells: ``question_pddl`` is the question without phrases for facts and actions."""

    context: str
    question: str
    question_pddl: str


@dataclass(frozen=True)
class QuestionRow:
    """One question; ``answer`` as the published schema of its group stores it.

    ``proofs`` says of each stored list how its elements are known, in their order (what needs only
    the meaning of actions has none); ``extra`` holds further columns that only this kind or format has.
    ``format`` is ``gen``, ``bool`` or ``mcq``.
    """

    item: StateRecord
    kind: str
    group: str
    texts: QuestionTexts
    answer: Any
    proofs: Mapping[str, list[str]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    format: str = OPEN

    @property
    def id(self) -> str:
        """The name of the row: problem, state, kind, and the format where it is not open."""
        item = self.item
        name = f"{item.problem_id}/{item.source}-{item.step}/{self.kind}"
        return name if self.format == OPEN else f"{name}/{self.format}"

    def columns(self) -> dict[str, Any]:
        """The row as plain values by column name: the published columns first, then ours."""
        context, question, question_pddl = self.texts
        item = self.item
        return {
            "id": self.id,
            "group": self.group,
            "context": context,
            "question": question,
            "answer": self.answer,
            "PDDL_domain": item.domain_pddl,
            "PDDL_problem": item.problem_pddl,
            "kind": self.kind,
            "context_pddl": item.context_pddl,
            "context_both": f"{context}\n\n{item.context_pddl}",
            "question_pddl": question_pddl,
            "proofs": compact(self.proofs),
            **item.measures,
            **self.extra,
        }


@lru_cache(maxsize=DOMAINS_KEPT)
def _grounder(domain: Domain) -> Grounder:
    """The grounder of a domain: preparing it takes longer than grounding a small problem."""
    return Grounder(domain)


@lru_cache(maxsize=DOMAINS_KEPT)
def _domain_pddl(domain: Domain) -> str:
    return write_domain(domain)


def written(atoms: Iterable[Atom]) -> list[str]:
    """Facts or actions as sorted PDDL text."""
    return [write_atom(atom) for atom in sorted(atoms)]


def proofs_of(proven: Mapping[Atom, str]) -> list[str]:
    """How each fact is known, in the order of ``written``."""
    return [str(proven[atom]) for atom in sorted(proven)]


def drawn(actions: Sequence[GroundAction], rng: random.Random) -> GroundAction:
    """One of ``actions``: first a name, each alike likely, then one of that name.

    Where one action has hundreds of instances, the others would hardly ever be drawn.
    """
    name = rng.choice(sorted({action.step[0] for action in actions}))
    return rng.choice([action for action in actions if action.step[0] == name])


def compact(value: Any) -> str:
    """JSON with sorted keys and without spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
