"""Fast Downward on our own grounding: its search binary, run as a process with text input.

The input is "translator output", version 3, as documented by Fast Downward. Every fact becomes a variable
with two values, so the input is our own grounding without another translation.

The binary comes with the package up-fast-downward (GPL), which is located but never imported. Every call
has its own working folder, so calls may run in parallel.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from orrery.installation import install
from orrery.model import Atom, Plan, Proof, Step, ToolMissing
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.process import ProcessResult, run
from orrery.planning.task import GroundAction, PlanningTask, bits, is_plan

_TRUE, _FALSE = 0, 1
_ANY = -1


def write_sas(task: PlanningTask, without: int) -> str:
    """Return the task as text; actions that need or add a fact of ``without`` are omitted.

    Every action costs one. Actions that can never apply or change nothing are omitted too. The goal
    must not be empty or contradictory, because Fast Downward refuses both.
    """
    operators = [
        lines
        for action in task.actions
        if not (action.positive | action.add) & without and (lines := _operator(action))
    ]
    parts = [
        "begin_version\n3\nend_version\nbegin_metric\n0\nend_metric",
        str(len(task.facts)),
        *(_variable(index, fact) for index, fact in enumerate(task.facts)),
        "0\nbegin_state",
        *(str(_TRUE if task.init >> index & 1 else _FALSE) for index in range(len(task.facts))),
        "end_state\nbegin_goal",
        _section(_pairs(task.goal_positive, task.goal_negative)),
        "end_goal",
        str(len(operators)),
        *operators,
        "0\n",
    ]
    return "\n".join(parts)


def _variable(index: int, fact: Atom) -> str:
    atom = f"{fact[0]}({', '.join(fact[1:])})"
    return f"begin_variable\nvar{index}\n-1\n2\nAtom {atom}\nNegatedAtom {atom}\nend_variable"


def _operator(action: GroundAction) -> str:
    """Return an operator; empty if it cannot apply or changes nothing.

    An effect that already holds by a precondition is written only as a condition.
    """
    add, delete = action.add & ~action.positive, action.delete & ~action.negative
    if action.positive & action.negative or not add | delete:
        return ""
    prevail = _pairs(action.positive & ~delete, action.negative & ~add)
    effects = [
        *(f"0 {bit} {_FALSE if action.negative >> bit & 1 else _ANY} {_TRUE}" for bit in bits(add)),
        *(f"0 {bit} {_TRUE if action.positive >> bit & 1 else _ANY} {_FALSE}" for bit in bits(delete)),
    ]
    name = " ".join(action.step)
    return f"begin_operator\n{name}\n{_section(prevail)}\n{_section(effects)}\n1\nend_operator"


def _pairs(positive: int, negative: int) -> list[str]:
    """Return lines of variable and value."""
    return [*(f"{bit} {_TRUE}" for bit in bits(positive)), *(f"{bit} {_FALSE}" for bit in bits(negative))]


def _section(lines: Iterable[str]) -> str:
    """Return lines after a line with their number."""
    rows = list(lines)
    return "\n".join([str(len(rows)), *rows])


PACKAGE = "up-fast-downward"
OPTIMAL = "fast-downward A* LM-cut"
SHORTEST = "fast-downward A* landmarks"
SATISFICING = "fast-downward LAMA-first"
SOONEST = "fast-downward LAMA-first with h_add"

# All searches are complete, and their heuristics detect only real dead ends, so exit code
# 11 is a proof. Results come from SHORTEST, A* with landmarks whose costs are partitioned (Domshlak et al.,
# "BJOLP: The big joint optimal landmarks planner", 2011), checks of them from OPTIMAL, A* with LM-cut
# (Helmert and Domshlak, "Landmarks, critical paths and abstractions", 2009). LAMA-first is the configuration
# of Richter and Westphal, "The LAMA planner", 2010, for unit costs. With h_add plans are longer, but found
# sooner: in depots, and if a fact is forbidden so that most of the delete relaxation's estimates
# are wrong, in a tenth of the time.
_LAMA = (
    "let(landmarks, landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()), pref=false),"
    "let(relaxed, {}(),"
    "lazy_greedy([relaxed, landmarks], preferred=[relaxed, landmarks], reopen_closed=false,"
    " verbosity=silent)))"
)
_SEARCH = {
    OPTIMAL: "astar(lmcut(), verbosity=silent)",
    SHORTEST: (
        "let(landmarks, landmark_cost_partitioning(lm_merged([lm_rhw(), lm_hm(m=1)])),"
        "astar(landmarks, lazy_evaluator=landmarks, verbosity=silent))"
    ),
    SATISFICING: _LAMA.format("ff"),
    SOONEST: _LAMA.format("add"),
}
PLAN_FILE = "sas_plan"
_MEND = "reinstall the package; wheels exist for Linux x86-64, macOS arm64 and Windows"

# With less memory the binary crashes while it is loaded, with unclear errors.
_OWN_MEGABYTES = 16

# https://www.fast-downward.org/latest/documentation/exit-codes/
_SPENT = 23  # the processor time
_EXIT_CODES = {
    11: (PlannerOutcome.UNSOLVABLE_PROVEN, "the search space holds no goal state"),
    12: (PlannerOutcome.INCOMPLETE, "the search ended without a plan and proves nothing"),
    13: (PlannerOutcome.INCOMPLETE, "no plan within the bound"),
    22: (PlannerOutcome.OUT_OF_MEMORY, "the memory limit was reached"),
    24: (PlannerOutcome.OUT_OF_MEMORY, "the limits on memory and time were reached"),
    32: (PlannerOutcome.ERROR, "critical error"),
    33: (PlannerOutcome.ERROR, "input error"),
    34: (PlannerOutcome.ERROR, "unsupported feature"),
}


def binary() -> Path:
    """Return the search binary of the installed package.

    Raises:
        ToolMissing: the package is not installed, or has no binary for this machine.
    """
    spec = importlib.util.find_spec("up_fast_downward")
    if spec is None or not spec.submodule_search_locations:
        raise ToolMissing("Fast Downward", f"package {PACKAGE} is not installed", install("planners"))
    name = "downward.exe" if os.name == "nt" else "downward"
    path = Path(spec.submodule_search_locations[0], "downward", "builds", "release", "bin", name)
    if not path.is_file():
        raise ToolMissing("Fast Downward", f"{PACKAGE} has no file {path.name}", _MEND)
    return path


def version() -> str:
    """Return the version of the package that ships the binary."""
    return importlib.metadata.version(PACKAGE)


def solve(
    task: PlanningTask,
    *,
    planner: str = SATISFICING,
    forbidden: Atom | None = None,
    seconds: float = 30.0,
    megabytes: int = 2048,
    program: Path | None = None,
) -> PlannerResult:
    """Search for a plan; every action costs one.

    Args:
        task: the task to solve.
        planner: OPTIMAL or SHORTEST for a shortest plan, SATISFICING for any, SOONEST for a fast one.
        forbidden: a fact that must be false in all states of the plan, including the initial and the last
            one.
        seconds: limit on the planner's processor time.
        megabytes: limit on the planner's address space.
        program: another binary with the same interface.

    Returns:
        The outcome, with a plan if one was found and passed the check on the task. A plan that fails the
        check is an error.

    Raises:
        ToolMissing: there is no planner.
        Hung: the planner did not end.
        KeyError: ``forbidden`` is not a fact of the task.
    """
    banned = 0 if forbidden is None else task.bit[forbidden]
    if (result := _without_search(task, banned, planner)) is not None:
        return result
    if megabytes < _OWN_MEGABYTES:
        return PlannerResult(
            PlannerOutcome.OUT_OF_MEMORY, detail=f"the planner itself takes {_OWN_MEGABYTES} MB"
        )
    text = write_sas(task, banned)
    ended = run_search(_SEARCH[planner], text, seconds, megabytes, program)
    answer = without_plan(ended, seconds) or _checked(task, banned, planner, ended)
    return replace(answer, seconds=ended.seconds)


def run_search(
    search: str, sas: str, seconds: float, megabytes: int, program: Path | None = None
) -> ProcessResult:
    """Run the search binary on a task in the translator's format; the plan is the file ``PLAN_FILE``.

    Raises:
        ToolMissing: there is no planner.
        Hung: the planner did not end.
    """
    command = [str(program or binary()), "--internal-plan-file", PLAN_FILE, "--search", search]
    try:
        return run(command, feed=sas, seconds=seconds, megabytes=megabytes, keep=[PLAN_FILE])
    except OSError as failure:
        raise ToolMissing("Fast Downward", f"{command[0]} cannot be started: {failure}", _MEND) from failure


def _without_search(task: PlanningTask, banned: int, planner: str) -> PlannerResult | None:
    """Return the result if no search is needed; the planner would refuse some of these tasks."""
    if task.init & banned:
        return PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN, detail="the forbidden fact holds initially")
    if task.goal_positive & (banned | task.goal_negative):
        return PlannerResult(PlannerOutcome.UNSOLVABLE_PROVEN, detail="the goal asks for opposites")
    if task.is_goal(task.init):
        return _solved((), planner, "the goal holds initially")
    return None


def _solved(steps: tuple[Step, ...], planner: str, detail: str = "") -> PlannerResult:
    if planner in (OPTIMAL, SHORTEST):
        return PlannerResult(PlannerOutcome.SOLVED_OPTIMALLY, Plan(steps, planner, Proof.ASTAR), detail)
    return PlannerResult(PlannerOutcome.SOLVED, Plan(steps, planner), detail)


def without_plan(ended: ProcessResult, seconds: float) -> PlannerResult | None:
    """Return the outcome of a search without a plan, by its exit code; None if there is a plan.

    ``seconds`` was the limit of the search.
    """
    if ended.timed_out or ended.code == _SPENT:
        return PlannerResult(
            PlannerOutcome.OUT_OF_TIME, detail=f"stopped after {seconds:g} s of processor time"
        )
    if ended.code == 0 and PLAN_FILE in ended.files:
        return None
    if ended.code == 0:
        return PlannerResult(PlannerOutcome.ERROR, detail=complaint("success without a plan", ended))
    if ended.code in _EXIT_CODES:
        outcome, detail = _EXIT_CODES[ended.code]
        return PlannerResult(
            outcome, detail=detail if outcome is not PlannerOutcome.ERROR else complaint(detail, ended)
        )
    ending = f"killed by signal {-ended.code}" if ended.code < 0 else f"unknown exit code {ended.code}"
    return PlannerResult(PlannerOutcome.ERROR, detail=complaint(ending, ended))


def _checked(task: PlanningTask, banned: int, planner: str, ended: ProcessResult) -> PlannerResult:
    steps = read_plan(ended.files[PLAN_FILE])
    allowed = all(not (task.action_of[step].add & banned) for step in steps if step in task.action_of)
    if not (allowed and is_plan(task, steps)):
        return PlannerResult(
            PlannerOutcome.ERROR, detail="the planner's plan is not valid: " + " ".join(map(str, steps))
        )
    return _solved(steps, planner)


def read_plan(text: str) -> tuple[Step, ...]:
    """Return the steps of a plan file: one in parentheses on each line, comments after a semicolon."""
    lines = (line.split(";")[0].strip() for line in text.splitlines())
    return tuple(tuple(line.strip("()").split()) for line in lines if line)


def complaint(ending: str, ended: ProcessResult) -> str:
    """Return a message on the ending, with the last output of the planner."""
    last_lines = (ended.errors or ended.output).strip().splitlines()[-3:]
    return "; ".join([ending, *last_lines])
