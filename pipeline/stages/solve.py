"""Stage ``solve``: plans of all problems, and for some of them everything proven of several states.

Writes ``outputs/solutions/<domain>``: ``solutions`` (a row a problem) and ``states`` (a row a state
that questions are asked about).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any

from pipeline.catalog import entry_of
from pipeline.engine import fingerprint, resumable_map
from pipeline.facts.decide import decide
from pipeline.facts.decided import Decided
from pipeline.facts.plans import find_plan
from pipeline.model import Atom, Plan, State, Step
from pipeline.pddl.read import read_problem
from pipeline.pddl.write import write_atom
from pipeline.planners.outcome import Answer, Outcome
from pipeline.seeds import stream
from pipeline.semantics.grounding import Grounder
from pipeline.semantics.progression import applicable, progress
from pipeline.semantics.progression import run as run_plan
from pipeline.semantics.task import Task
from pipeline.settings import Settings, Size
from pipeline.stages.summary import Summary
from pipeline.store.parts import Parts
from pipeline.store.schemas import INTERMEDIATE
from pipeline.store.shards import read_rows, write

STAGE = "solve"
SCHEMAS = (INTERMEDIATE["solutions"], INTERMEDIATE["states"])
LONGEST_WALK = 12


@dataclass(frozen=True)
class Item:
    """One problem to be solved, and whether questions are asked about it."""

    row: dict[str, Any]
    asked: bool


@dataclass(frozen=True)
class AskedState:
    """A state with its source (initial, plan or walk) and its distance in steps from the initial one."""

    source: str
    step: int
    state: State


def run(settings: Settings, name: str, jobs: int = 1) -> Summary:
    """Solve every problem of the domain; what stays undecided is counted.

    Finished parts are kept beside the outputs until all are there, so that a killed run resumes.
    """
    entry = entry_of(settings.root, name)
    path = settings.outputs / "problems" / name / "problems.parquet"
    items = _items(list(read_rows(path, INTERMEDIATE["problems"])), settings.size.asked)
    solve = partial(_solve, settings.root, settings.seed, settings.size)
    sources = [path, entry.folder, *filter(Path.exists, [entry.generator_file])]
    made_from = fingerprint(sources, seed=settings.seed, size=asdict(settings.size))
    parts = Parts.under(settings.outputs / ".parts" / STAGE / name, made_from, SCHEMAS)
    solutions: list[Mapping[str, Any]] = []
    states: list[Mapping[str, Any]] = []
    for tables in resumable_map(items, solve, parts, jobs=jobs, label=f"solve {name}", describe=_describe):
        solutions.extend(tables["solutions"])
        states.extend(tables["states"])
    folder = settings.outputs / "solutions" / name
    write(folder / "solutions.parquet", INTERMEDIATE["solutions"], solutions)
    write(folder / "states.parquet", INTERMEDIATE["states"], states)
    parts.discard()
    return _summary(name, solutions, states)


def _describe(item: Item) -> str:
    return str(item.row["problem_id"])


def _items(rows: list[dict[str, Any]], asked: int) -> list[Item]:
    """Questions are asked about the first ``asked`` problems of each split."""
    return [Item(row, row["index"] < asked) for row in rows]


def _summary(name: str, solutions: list[Mapping[str, Any]], states: list[Mapping[str, Any]]) -> Summary:
    outcomes = Counter(solution["outcome"] for solution in solutions)
    undecided = [row for row in solutions if row["solvable"] is None]
    return Summary(
        STAGE,
        name,
        {**dict(sorted(outcomes.items())), "states": len(states)},
        {"not everything about the state is decided": sum(bool(state["undecided"]) for state in states)},
        tuple(
            f"{row['problem_id']}: neither solved nor proven unsolvable: {row['outcome']}"
            for row in undecided
        ),
    )


def _solve(root: Path, seed: int, size: Size, item: Item) -> dict[str, list[dict[str, Any]]]:
    """The row of one problem, and the rows of its states where questions are asked about it, by table."""
    entry = entry_of(root, item.row["domain"])
    problem = read_problem(item.row["problem_pddl"], entry.domain, item.row["problem_id"])
    grounder = Grounder(entry.domain)
    task = grounder.ground(problem)
    answer = find_plan(task, entry.planner, seconds=size.seconds)
    if not item.asked or len(task.facts) > size.max_facts:
        return {"solutions": [_solution(item.row, task, answer, None)], "states": []}
    decided = decide(task, plan=answer.plan, max_states=size.max_states, seconds=size.seconds)
    rng = stream(seed, item.row["problem_id"], "states")
    rows = [_state(item.row, AskedState("initial", 0, problem.init), 0, decided)]
    for number, asked in enumerate(_states(task, decided.plan, size.states - 1, rng), start=1):
        there = grounder.ground(replace(problem, init=asked.state))
        found = decide(there, max_states=size.max_states, seconds=size.seconds)
        rows.append(_state(item.row, asked, number, found))
    return {"solutions": [_solution(item.row, task, answer, decided)], "states": rows}


def _states(task: Task, plan: Plan | None, count: int, rng: Random) -> Iterator[AskedState]:
    """Up to ``count`` different states beside the initial one, in turn along the plan and on walks."""
    seen: set[int | tuple[str, int]] = {task.init}
    for number in range(count):
        source, masks = (
            ("plan", _along(task, plan)) if number % 2 == 0 and plan else ("walk", _walk(task, rng))
        )
        fresh = [
            step
            for step, mask in enumerate(masks)
            if not {mask, (source, step)} & seen and not task.is_goal(mask)
        ]
        if fresh:
            step = rng.choice(fresh)
            seen |= {masks[step], (source, step)}
            yield AskedState(source, step, task.state(masks[step]))


def _along(task: Task, plan: Plan | None) -> list[int]:
    return (run_plan(task, plan.steps) if plan else None) or [task.init]


def _walk(task: Task, rng: Random) -> list[int]:
    """The states of a random walk of at most ``LONGEST_WALK`` steps."""
    masks = [task.init]
    for _ in range(rng.randint(1, LONGEST_WALK)):
        if choices := applicable(task, masks[-1]):
            masks.append(progress(masks[-1], rng.choice(choices)))
    return masks


def _solution(row: dict[str, Any], task: Task, answer: Answer, decided: Decided | None) -> dict[str, Any]:
    """The row of one problem; a plan proven optimal takes the place of any other."""
    plan = decided.plan if decided and decided.plan and decided.plan.optimal else answer.plan
    solvable = decided.solvable if decided else _solvable(answer)
    outcome = _outcome(answer, plan, solvable)
    return {
        "problem_id": row["problem_id"],
        "outcome": str(outcome),
        "solvable": solvable,
        "plan": [write_atom(step) for step in plan.steps] if plan else [],
        "plan_cost": len(plan.steps) if plan else None,
        "optimal": bool(plan and plan.optimal),
        "plan_proof": str(plan.optimal or "witness") if plan else str(outcome),
        "planner": plan.planner if plan else "fast-downward",
        "planner_version": _version(plan.planner if plan else "fast-downward"),
        "num_facts": len(task.facts),
        "num_actions": len(task.actions),
        "num_states": decided.num_states if decided else None,
    }


def _solvable(answer: Answer) -> bool | None:
    """What the planner's outcome says; None where it says nothing."""
    if answer.plan is not None:
        return True
    return False if answer.outcome is Outcome.UNSOLVABLE_PROVEN else None


def _outcome(answer: Answer, plan: Plan | None, solvable: bool | None) -> Outcome:
    if plan is not None:
        return Outcome.SOLVED_OPTIMALLY if plan.optimal else Outcome.SOLVED
    return Outcome.UNSOLVABLE_PROVEN if solvable is False else answer.outcome


def _version(planner: str) -> str:
    """The version of the package that holds ``planner``."""
    return version("up-fast-downward" if planner.startswith("fast-downward") else "orrery")


def _state(row: dict[str, Any], asked: AskedState, number: int, decided: Decided) -> dict[str, Any]:
    """The row of one state."""
    landmarks, others = decided.landmarks, decided.not_landmarks
    return {
        "problem_id": row["problem_id"],
        "state_id": f"{number:02d}",
        "source": asked.source,
        "step": asked.step,
        "state": _written(asked.state),
        "solvable": decided.solvable,
        "h_star": decided.optimal_cost,
        "landmarks_yes": _written(landmarks),
        "landmarks_no": _written(others),
        "landmark_proofs": [str(landmarks[f]) for f in sorted(landmarks)]
        + [str(others[f]) for f in sorted(others)],
        "unreachable_facts": _written(decided.unreachable_facts),
        "unreachable_fact_proofs": [str(proof) for _, proof in sorted(decided.unreachable_facts.items())],
        "unreachable_actions": _written(decided.unreachable_actions),
        "unreachable_action_proofs": [str(proof) for _, proof in sorted(decided.unreachable_actions.items())],
        "undecided": sorted(decided.undecided),
        "landmarks_complete": decided.solvable is True and decided.is_complete("landmark"),
        "facts_complete": decided.is_complete("fact"),
        "actions_complete": decided.is_complete("action"),
    }


def _written(atoms: object) -> list[str]:
    """Facts or steps as PDDL, sorted."""
    found: list[Atom | Step] = sorted(atoms)  # type: ignore[call-overload]
    return [write_atom(atom) for atom in found]
