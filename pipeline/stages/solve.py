"""Stage ``solve``: plans of all problems, and for some of them everything proven of several states.

Writes ``outputs/solutions/<domain>``: ``solutions`` (a row a problem) and ``states`` (a row a state
that questions are asked about).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.catalog import entry_of
from pipeline.engine import Tables, fingerprint, resumable_map
from pipeline.facts.decide import decide
from pipeline.facts.decided import Decided
from pipeline.facts.plans import find_plan
from pipeline.facts.states import AskedState, asked_states
from pipeline.model import Atom, Plan, Step
from pipeline.pddl.read import read_problem
from pipeline.pddl.write import parse_atom, write_atom
from pipeline.planners.outcome import Answer, Outcome
from pipeline.seeds import stream
from pipeline.semantics.grounding import Grounder, ground
from pipeline.semantics.task import Task
from pipeline.settings import Settings, Size
from pipeline.stages.summary import Summary
from pipeline.store.parts import Parts
from pipeline.store.schemas import INTERMEDIATE
from pipeline.store.shards import read_rows, write

STAGE = "solve"
SCHEMAS = (INTERMEDIATE["solutions"], INTERMEDIATE["states"])


@dataclass(frozen=True)
class Item:
    """One problem, with its solution once it has one."""

    row: dict[str, Any]
    solution: Mapping[str, Any] | None = None


def run(settings: Settings, name: str, jobs: int = 1) -> Summary:
    """Solve every problem of the domain, then decide states of some; what stays undecided is counted.

    Finished parts are kept beside the outputs until all are there, so that a killed run resumes.
    """
    path = settings.outputs / "problems" / name / "problems.parquet"
    items = [Item(row) for row in read_rows(path, INTERMEDIATE["problems"])]
    parts = _parts(settings, name, path)
    solve = partial(_solve, settings.root, settings.size)
    gathered = _gather(
        resumable_map(items, solve, parts, jobs=jobs, label=f"solve {name}", describe=_describe)
    )
    solutions = {row["problem_id"]: row for row in gathered["solutions"]}
    chosen = _chosen(items, solutions, settings.size)
    decide_one = partial(_decide, settings.root, settings.seed, settings.size)
    label = f"solve {name}: states"
    decided = _gather(
        resumable_map(chosen, decide_one, parts, size=5, jobs=jobs, label=label, describe=_describe)
    )
    solutions |= {row["problem_id"]: row for row in decided["solutions"]}
    folder = settings.outputs / "solutions" / name
    write(folder / "solutions.parquet", INTERMEDIATE["solutions"], solutions.values())
    write(folder / "states.parquet", INTERMEDIATE["states"], decided["states"])
    parts.discard()
    return _summary(name, list(solutions.values()), decided["states"])


def _parts(settings: Settings, name: str, problems: Path) -> Parts:
    """Where finished parts are kept: under what they are made from."""
    entry = entry_of(settings.root, name)
    sources = [problems, entry.folder, *filter(Path.exists, [entry.generator_file])]
    made_from = fingerprint(sources, seed=settings.seed, size=asdict(settings.size))
    return Parts.under(settings.outputs / ".parts" / STAGE / name, made_from, SCHEMAS)


def _gather(parts: Iterable[Tables]) -> dict[str, list[Mapping[str, Any]]]:
    """The rows of all parts, by table."""
    found: dict[str, list[Mapping[str, Any]]] = {"solutions": [], "states": []}
    for tables in parts:
        for table, rows in tables.items():
            found[table].extend(rows)
    return found


def _describe(item: Item) -> str:
    return f"{item.row['problem_id']}{' (states)' if item.solution else ''}"


def _chosen(items: list[Item], solutions: Mapping[str, Mapping[str, Any]], size: Size) -> list[Item]:
    """The problems that questions are asked about: of each split the first whose tasks are small enough."""
    counts: Counter[str] = Counter()
    found = []
    for item in items:
        solution, split = solutions[item.row["problem_id"]], item.row["split"]
        if solution["num_facts"] <= size.max_facts and counts[split] < size.asked:
            counts[split] += 1
            found.append(replace(item, solution=solution))
    return found


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


def _solve(root: Path, size: Size, item: Item) -> Tables:
    """The row of one problem, by table."""
    entry = entry_of(root, item.row["domain"])
    task = ground(entry.domain, read_problem(item.row["problem_pddl"], entry.domain, item.row["problem_id"]))
    answer = find_plan(task, entry.planner, seconds=size.seconds)
    return {"solutions": [_solution(item.row, task, answer, None)]}


def _decide(root: Path, seed: int, size: Size, item: Item) -> Tables:
    """The rows of the states of one problem, and its own row with what is proven of it, by table."""
    entry = entry_of(root, item.row["domain"])
    problem = read_problem(item.row["problem_pddl"], entry.domain, item.row["problem_id"])
    grounder = Grounder(entry.domain)
    assert item.solution is not None  # only problems that were solved or tried are chosen
    task, answer = grounder.ground(problem), _answer(item.solution)
    decided = decide(task, plan=answer.plan, max_states=size.max_states, seconds=size.seconds)
    rng = stream(seed, item.row["problem_id"], "states")
    rows = [_state(item.row, AskedState("initial", 0, problem.init), 0, decided)]
    for number, asked in enumerate(asked_states(task, decided.plan, size.states - 1, rng), start=1):
        there = grounder.ground(replace(problem, init=asked.state))
        found = decide(there, max_states=size.max_states, seconds=size.seconds)
        rows.append(_state(item.row, asked, number, found))
    return {"solutions": [_solution(item.row, task, answer, decided)], "states": rows}


def _answer(solution: Mapping[str, Any]) -> Answer:
    """The planner's answer as it stands in a row of solutions."""
    steps = tuple(parse_atom(step) for step in solution["plan"])
    plan = Plan(steps, solution["planner"]) if solution["plan_cost"] is not None else None
    return Answer(Outcome(solution["outcome"]), plan, "")


def _solution(row: dict[str, Any], task: Task, answer: Answer, decided: Decided | None) -> dict[str, Any]:
    """The row of one problem; what deciding found out, a shortest plan above all, goes before ``answer``."""
    plan = (decided.plan if decided else None) or answer.plan
    solvable = answer.solvable if decided is None or decided.solvable is None else decided.solvable
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
        "num_states": decided.num_states,
    }


def _written(atoms: object) -> list[str]:
    """Facts or steps as PDDL, sorted."""
    found: list[Atom | Step] = sorted(atoms)  # type: ignore[call-overload]
    return [write_atom(atom) for atom in found]
