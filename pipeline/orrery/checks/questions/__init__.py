"""Check a whole question: its columns, its answer, the gold reply, and the state that it asks about."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, islice

from orrery.checks import FamilyChecks, agreement, counts, splits, states
from orrery.checks.inputs import CheckedProblem, CheckInputs
from orrery.checks.questions import columns, promised, proofs
from orrery.checks.questions.bool_mcq import check_bool, check_mcq
from orrery.checks.questions.columns import BOOL, MCQ, OPEN, format_of
from orrery.checks.questions.kinds import kind_checks
from orrery.checks.questions.words_read_back import question_reader
from orrery.checks.reading.contexts import ContextReader, ReadBack, context_reader
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.sql import files_of
from orrery.checks.task_check import QuestionView
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts
from orrery.grading import grade
from orrery.model import Problem, Row
from orrery.pddl.write import write_atom, write_problem

SPLITS = "question splits"  # name of notes and check
OF_STATE = ("h_star", "num_states")
CONTEXTS_KEPT = 4  # rows of one kind on a state are adjacent


def check_problem(checked: CheckedProblem, verdicts: Verdicts) -> None:
    """Check each state with its questions; they share the search results."""
    goal_free_kinds = {name for name, check in kind_checks().by_name.items() if not check.tells_goal}
    questions_by_state: dict[str, list[Row]] = defaultdict(list)
    for question in checked.published("questions"):
        questions_by_state[f"{question['state_source']}-{question['state_step']}"].append(question)
    for row in checked.rows["solved_states"]:
        rechecked = checked.of_state(row)
        named = {**row, "domain": checked.row["domain"]}
        if not row["planned"] or f"{row['source']}-{row['step']}" in questions_by_state:
            verdicts.judge("states", named, partial(_decided, checked, row, rechecked))
        questions = questions_by_state.pop(f"{row['source']}-{row['step']}", [])
        goal_free = (question for question in questions if question["kind"] in goal_free_kinds)
        verdicts.notes += [note_of(question, rechecked.problem) for question in islice(goal_free, 1)]
        for question in questions:
            verdicts.judge("agreement", question, partial(agreement.check, question, checked.row))
            verdicts.judge("answers", question, partial(_answered, checked, question, row, rechecked))
    for question in chain.from_iterable(questions_by_state.values()):
        verdicts.judge("answers", question, partial(_answered, checked, question, None, None))


def _decided(checked: CheckedProblem, row: Row, rechecked: RecheckedState) -> list[str]:
    """Return the faults of a state: of its origin, and of what is proven of it."""
    entry, initial = checked.entry, checked.problem.init
    barriers = entry.description.barriers
    return states.origin_faults(row, initial, entry.domain.fluents, barriers) + states.check(rechecked, row)


def _answered(
    checked: CheckedProblem, row: Row, state: Row | None, rechecked: RecheckedState | None
) -> list[str]:
    """Return the faults of a question; if its own PDDL differs from the state's, its own PDDL counts."""
    domain, problem = columns.read(row)
    if rechecked is None or (domain, problem) != (rechecked.domain, rechecked.problem):
        rechecked = checked.rechecked(domain, problem)
    faults = check(row, rechecked) + check_origin(row, problem, checked.problem, state)
    speech = checked.entry.words, checked.entry.domain
    faults += proofs.check(row, kind_checks().of(row["kind"]), state)
    faults += question_reader(*speech).check(row)
    style, answered = row["style"], format_of(row) != OPEN
    read = _read_back(context_reader(*speech), row["context"], row["kind"], style, answered, rechecked)
    return [*faults, *read.faults_of(row)]


def note_of(question: Row, problem: Problem) -> Note:
    """Return the note with the state of a question that does not state its goal."""
    told = replace(problem, goal=frozenset())
    return Note(SPLITS, question["id"], str(splits.profile(told)), write_problem(told))


@lru_cache(maxsize=CONTEXTS_KEPT)
def _read_back(
    reader: ContextReader, context: str, kind: str, style: str, answered: bool, rechecked: RecheckedState
) -> ReadBack:
    """Return the content of a context; rows of one kind on a state share it."""
    steps = rechecked.task.action_of
    return reader.check(context, kind, rechecked.problem, steps, style=style, answered=answered)


def check_dataset(inputs: CheckInputs, notes: Notes, verdicts: Verdicts) -> None:
    """Check that frequencies do not reveal answers, and that the promised numbers of rows exist."""
    verdicts.enter("balance", "", "all questions", counts.counted(inputs.dataset, counts.FREQUENT_ANSWERS))
    leaks = splits.faults(inputs.root, notes, (SPLITS,), files_of(inputs.dataset, "problems"))
    verdicts.enter("question splits", "", "all questions without goals", leaks)
    verdicts.enter("promised", "", "all questions", promised.check(inputs))


def check(row: Row, rechecked: RecheckedState) -> list[str]:
    """Return the faults of a question on the state of ``rechecked``.

    Raises:
        OrreryError: the claims cannot be read.
    """
    routes = {OPEN: kind_checks().of(row["kind"]).faults, BOOL: check_bool, MCQ: check_mcq}
    return columns.check(row, rechecked) + routes[format_of(row)](QuestionView(row, rechecked)) + _graded(row)


def check_origin(row: Row, own_problem: Problem, origin: Problem, state: Row | None) -> list[str]:
    """Return a fault if a row does not ask about the problem and the decided state that it refers to.

    ``state`` has the facts (``state``) and the numbers of ``OF_STATE`` of that state; it is None if the state
    does not exist. The check of the state proves these numbers again. ``own_problem`` is the problem in the
    row's PDDL, ``origin`` the published one.
    """
    if state is None:
        return [f"there is no state '{row['state_source']}' at step {row['state_step']}"]
    facts, facts_of_state = set(map(write_atom, own_problem.init)), set(state["state"])
    faults = ["goal: that of another problem"] * (own_problem.goal != origin.goal)
    faults += ["objects: those of another problem"] * (set(own_problem.objects) != set(origin.objects))
    faults += [f"init: {fact} is missing" for fact in sorted(facts_of_state - facts)]
    faults += [f"init: {fact} is too much" for fact in sorted(facts - facts_of_state)]
    differing = [name for name in OF_STATE if row[name] != state[name]]
    return faults + [f"{name} is {row[name]}, that of the state {state[name]}" for name in differing]


def _graded(row: Row) -> list[str]:
    """Return the faults that the grader finds in the gold reply."""
    score = grade(gold_reply(row), row)
    return [] if score.value == 1 else [f"the gold answer is graded {score.verdict}: {score.detail}"]


def gold_reply(row: Row) -> str:
    """Return a reply with the stored answer; the first one if there are alternatives."""
    is_open = format_of(row) == OPEN
    answer = kind_checks().of(row["kind"]).reply(row) if is_open else row["answer"]
    return f"ANSWER: {answer or 'None'}"


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "agreement": ("problem_id", "difficulty", "names", "seen", "seed_path", "PDDL_domain"),
        "states": ("state_source", "state_step", "num_states", "h_star"),
        "answers": (
            "group", "kind", "domain", "answer", "PDDL_problem", "context_pddl", "context_both",
            "num_objects", "num_facts", "num_actions", "num_applicable_actions", "proofs", "question",
            "query", "choices", "choices_pddl", "claim", "claims", "context", "style", "unseen_templates",
            "question_pddl",
        ),
        **{f"answers of kind {name}": check.columns for name, check in kind_checks().by_name.items()},
    },
    problem=check_problem,
    dataset=check_dataset,
    beside={"solved_states": ("solutions",)},
    costly=True,
)  # fmt: skip
