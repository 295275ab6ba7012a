"""Answer open questions of ACPBench from the PDDL of the row, and compare the answers with the stored ones.

The published files are JSON, JSON lines (packed or not), or Parquet.

A stored answer is *wrong* if some element is false, if it is None although there is an answer, or if the
question asks for all elements and some are missing. It is *incomplete* if every element is true but others
would be right too. A reply with one of these others is then graded wrong, or needs a planner.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import BaseModel

from orrery.corpus.released_files import Tell, ignore, released_rows, row_of
from orrery.model import Atom, OrreryError, Row, Step
from orrery.pddl.faults import PddlError
from orrery.pddl.write import write_atom
from orrery.planning.decide import ProofBudget, prove
from orrery.planning.decided import ACTION, FACT, LANDMARK, MOST_LISTED, NEXT, DecidedState
from orrery.planning.execution import mistyped
from orrery.planning.grounding import ground
from orrery.planning.possible import added_predicates
from orrery.planning.static_conditions import read_pair
from orrery.planning.task import PlanningTask, applicable, is_plan, progress, run
from orrery.planning.universe import count_steps, fluent_atoms, ground_steps
from orrery.store.kinds import as_json

RIGHT, INCOMPLETE, WRONG, UNDECIDED, OUTSIDE = "right", "incomplete", "wrong", "undecided", "outside"
KINDS = {
    "applicable_actions_gen": "app",
    "progression_gen": "prog",
    "reachable_atom_gen": "reach",
    "reachable_action_gen": "areach",
    "validation_gen": "val",
    "action_justification_gen": "just",
    "landmarks_gen": "land",
    "goal_closer_gen": "nexta",
}
PAIR = "-1"  # marks the removal of two consecutive actions

VALIDATION = ("dev", "val", "validation")  # names of files of this split
ENDINGS = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".parquet")

_NUMBER = re.compile(r"[1-9][0-9]*")
_STEPS = re.compile(r"\(([^()]+)\)")
_PARENTHESISED = re.compile(r"\(([\w-]+)")


class Judgement(NamedTuple):
    """The verdict on a stored answer; ``answer`` is the complete answer in the published form, if decided.

    A question may have no answer that graders accept, for example if the plan to simplify is not valid.
    ``columns`` are further columns that graders read, as in our tables: ``answer_all`` has the reachable
    actions if too many are unreachable to list them; ``plan`` and ``positions`` tell where removals start.
    """

    verdict: str
    detail: str = ""
    answer: Any = None
    columns: Mapping[str, Any] = MappingProxyType({})


class _Open(Exception):
    """A required fact is undecided; the message names it."""


class _NoPlan(Exception):
    """The question requires a plan, but none exists."""


def redecide(row: Row, effort: ProofBudget | None = None) -> Judgement:
    """Return the verdict on one row of open questions.

    Args:
        row: the published columns ``group``, ``context``, ``question``, ``answer``, ``PDDL_domain`` and
            ``PDDL_problem``.
        effort: the budget of proofs; executing steps needs none.
    """
    if not row.get("PDDL_domain") or not row.get("PDDL_problem"):
        return Judgement(OUTSIDE, "the row holds no PDDL")
    if (kind := KINDS.get(row["group"])) is None:
        return Judgement(OUTSIDE, "no open question")
    try:
        task = ground(*read_pair(row["PDDL_domain"], row["PDDL_problem"], str(row["id"])))
    except PddlError as error:
        return Judgement(OUTSIDE, f"PDDL outside the subset: {error}")
    results = _ProvenResults(task, effort or ProofBudget())
    try:
        return _JUDGES[kind](row, task, results)
    except _Open as reason:
        return Judgement(UNDECIDED, str(reason))
    except _NoPlan:
        return Judgement(WRONG, "the question supposes a plan, and there is none")


class _ProvenResults:
    """Proven results on a task."""

    def __init__(self, task: PlanningTask, effort: ProofBudget) -> None:
        self._task, self._effort = task, effort

    def of(self, kind: str, *, planned: bool = False) -> DecidedState:
        """Return the proven results for a kind; ``planned`` if the question requires a plan.

        Raises:
            _Open: some results are undecided.
            _NoPlan: the question requires a plan, but none exists.
        """
        decided = prove(self._task, kind, self._effort)
        if planned and decided.solvable is None:
            raise _Open("plan: solvability")
        if planned and not decided.solvable:
            raise _NoPlan
        if not decided.is_complete(kind):
            raise _Open(next(item for item in decided.undecided if item.startswith(f"{kind}:")))
        return decided


def _atom(text: str) -> Atom:
    return tuple(text.lower().strip("() ").split())


def _atoms(texts: Iterable[str]) -> set[Atom]:
    return set(map(_atom, texts))


def _texts(atoms: Iterable[Atom]) -> list[str]:
    return [write_atom(atom) for atom in sorted(atoms)]


def _first_texts(atoms: Iterable[Atom]) -> str:
    """Return the first few of ``atoms`` as text, and the number of the others."""
    texts = _texts(atoms)
    return " ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


def _judge_any_element(stored: set[Atom], true: set[Atom], answer: Any) -> Judgement:
    """Return the verdict if any single true element, or None without one, is a right answer."""
    if false := stored - true:
        return Judgement(WRONG, f"stored but false: {_first_texts(false)}", answer)
    if true and not stored:
        return Judgement(WRONG, f"None, although there is {_first_texts(true)}", answer)
    if lacking := true - stored:
        return Judgement(INCOMPLETE, f"also true: {_first_texts(lacking)}", answer)
    return Judgement(RIGHT, "", answer)


def _app(row: Row, task: PlanningTask, _: _ProvenResults) -> Judgement:
    true = {action.step for action in applicable(task, task.init)}
    judged = _judge_any_element(_atoms(row["answer"]), true, _texts(true))
    return judged._replace(verdict=WRONG) if judged.verdict == INCOMPLETE else judged


def _prog(row: Row, task: PlanningTask, _: _ProvenResults) -> Judgement:
    """Return the verdict: right iff some applicable action with the question's objects has these effects."""
    named = set(re.findall(r"[\w-]+", row["question"].lower()))
    stored = (_atoms(row["answer"]["pos"]), _atoms(row["answer"]["neg"]))
    answers = []
    for action in applicable(task, task.init):
        after = progress(task.init, action)
        if set(action.step[1:]) <= named:
            answers.append((task.facts_of(after & ~task.init), task.facts_of(task.init & ~after)))
    if stored in [(set(pos), set(neg)) for pos, neg in answers]:
        return Judgement(RIGHT, "", {"pos": _texts(stored[0]), "neg": _texts(stored[1])})
    detail = f"no applicable action of these objects has these effects ({len(answers)} tried)"
    # With several actions, the question does not determine the answer.
    decided = [{"pos": _texts(pos), "neg": _texts(neg)} for pos, neg in answers]
    return Judgement(WRONG, detail, decided[0] if len(decided) == 1 else None)


def _reach(row: Row, task: PlanningTask, results: _ProvenResults) -> Judgement:
    """Return the verdict over the propositions listed in the context, or over all fluent facts."""
    _, _, listing = row["context"].lower().rpartition("propositions")
    listed = set(_PARENTHESISED.findall(listing)) & task.domain.fluents or task.domain.fluents
    never = {fact for fact in _never(task, results.of(FACT)) if fact[0] in listed}
    return _judge_any_element(_atoms(row["answer"]), never, [" ".join(fact) for fact in sorted(never)])


def _never(task: PlanningTask, decided: DecidedState) -> set[Atom]:
    """Return every well-typed fluent fact that is unreachable.

    Published answers include facts that no action can add (see ``planning.possible``).
    """
    held, added = task.problem.init, added_predicates(task.domain)
    return {
        fact
        for fact in fluent_atoms(task.domain, task.problem)
        if fact in decided.unreachable_facts
        or (fact not in held and (fact not in task.bit or fact[0] not in added))
    }


def _areach(row: Row, task: PlanningTask, results: _ProvenResults) -> Judgement:
    """Return the verdict over all well-typed ground actions, as in the published answers."""
    decided, stored = results.of(ACTION), _atoms(row["answer"])
    number = count_steps(task.domain, task.problem) - len(decided.reachable_actions)
    if number <= MOST_LISTED:
        true = set(ground_steps(task.domain, task.problem)) - decided.reachable_actions
        return _judge_any_element(stored, true, _texts(true))
    reachable = {"answer_all": _texts(decided.reachable_actions), "answer_all_is": "reachable"}
    steps = {step for step in stored if not mistyped(task.domain, task.problem, step)}
    true = steps - decided.reachable_actions or {_first_unreachable(task, decided)}
    if false := stored - true:
        return Judgement(WRONG, f"stored but false: {_first_texts(false)}", _texts(true), reachable)
    many = f"{number} actions are out of reach"
    return Judgement(INCOMPLETE if stored else WRONG, many, _texts(true), reachable)


def _first_unreachable(task: PlanningTask, decided: DecidedState) -> Step:
    steps = ground_steps(task.domain, task.problem)
    return next(step for step in steps if step not in decided.reachable_actions)


def _val(row: Row, task: PlanningTask, _: _ProvenResults) -> Judgement:
    steps = _steps(row["question"])
    first = next((i for i in range(len(steps)) if run(task, steps[: i + 1]) is None), None)
    right = first is not None and str(row["answer"]) == str(first)
    return Judgement(RIGHT if right else WRONG, "" if right else f"should be {first}", first)


def _steps(text: str) -> list[Step]:
    """Return the steps in parentheses, in order."""
    return [tuple(inside.lower().split()) for inside in _STEPS.findall(text)]


def _just(row: Row, task: PlanningTask, _: _ProvenResults) -> Judgement:
    plan = _steps(row["question"])
    if not is_plan(task, plan):
        return Judgement(WRONG, "the plan to simplify is not valid")
    removals = {width: _removals(task, plan, width) for width in (1, 2)}
    true = [_written_removal(plan, start, width) for width, starts in removals.items() for start in starts]
    places = [start for starts in removals.values() for start in starts]
    columns = {"plan": [write_atom(step) for step in plan], "positions": places}
    stored = [[part.lower() for part in removal] for removal in row["answer"]]
    if false := [removal for removal in stored if removal not in true]:
        return Judgement(WRONG, f"cannot be removed: {' '.join(false[0])}", true or None, columns)
    if not true:
        return Judgement(RIGHT, "nothing can be removed", None, columns)
    lacking = len({tuple(removal) for removal in true if removal not in stored})
    if lacking:
        return Judgement(INCOMPLETE, f"{lacking} more removals", true, columns)
    return Judgement(RIGHT, "", true, columns)


def _removals(task: PlanningTask, plan: list[Step], width: int) -> list[int]:
    """Return where the removals of ``width`` consecutive actions start that leave a plan."""
    starts = range(len(plan) - width + 1)
    return [start for start in starts if is_plan(task, plan[:start] + plan[start + width :])]


def _written_removal(plan: list[Step], start: int, width: int) -> list[str]:
    """Return a removal in the published form."""
    last = PAIR if width > 1 else str(plan[: start + 1].count(plan[start]))
    return [*(write_atom(step) for step in plan[start : start + width]), last]


def is_removal(parts: Sequence[str]) -> bool:
    """Return whether a removal has the published form: an action and its number, or two actions and -1."""
    *actions, last = parts or [""]
    return (len(actions) == 1 and bool(_NUMBER.fullmatch(last))) or (len(actions) == 2 and last == PAIR)


def simplified_plans(question: str, removals: Iterable[Sequence[str]]) -> list[str]:
    """Return the plan in a question after each removal in the published form; a pair at its first place.

    A removal of actions that the plan does not contain leaves the plan as it is.
    """
    plan = [write_atom(step) for step in _steps(question)]
    plans = []
    for *gone, last in removals:
        actions = [write_atom(_atom(action)) for action in gone]
        starts = [start for start in range(len(plan)) if plan[start : start + len(actions)] == actions]
        nth = 0 if last == PAIR else int(last) - 1
        start = starts[nth] if nth < len(starts) else len(plan)
        plans.append(" ".join([*plan[:start], *plan[start + len(actions) :]]))
    return plans


def _land(row: Row, task: PlanningTask, results: _ProvenResults) -> Judgement:
    decided = results.of(LANDMARK, planned=True)
    yes, no = _atoms(row["answer"]["yes"]), _atoms(row["answer"]["no"])
    true, trivial = set(decided.landmarks), task.problem.init | task.problem.goal_facts
    false = set(fluent_atoms(task.domain, task.problem)) - trivial - true
    answer = {"yes": _texts(true), "no": _texts(false)}
    if denied := no & true:
        return Judgement(WRONG, f"stored as no landmark: {_first_texts(denied)}", answer)
    judged = _judge_any_element(yes, true, answer)
    if judged.verdict == RIGHT and false - no:
        return Judgement(INCOMPLETE, f"candidates not stored: {_first_texts(false - no)}", answer)
    return judged


def _nexta(row: Row, _: PlanningTask, results: _ProvenResults) -> Judgement:
    decided = results.of(NEXT, planned=True)
    optimal, not_optimal = set(decided.optimal_first_actions), set(decided.not_optimal_first_actions)
    stored = {label: _atoms(row["answer"][label]) for label in ("yes", "no", "maybe")}
    answer = {
        "yes": _texts(optimal),
        "no": _texts(not_optimal),
        "maybe": [],
        "opt": str(decided.optimal_cost),
    }
    if false := (stored["yes"] - optimal) | (stored["no"] & optimal):
        return Judgement(WRONG, f"in the wrong set: {_first_texts(false)}", answer)
    if str(row["answer"].get("opt")) not in ("None", answer["opt"]):
        return Judgement(WRONG, f"opt should be {answer['opt']}", answer)
    if optimal != stored["yes"]:
        return Judgement(INCOMPLETE, f"left as maybe: {_first_texts(optimal - stored['yes'])}", answer)
    return Judgement(RIGHT, "", answer)


_Judge = Callable[[Row, PlanningTask, _ProvenResults], Judgement]
_JUDGES = {
    "app": _app,
    "prog": _prog,
    "reach": _reach,
    "areach": _areach,
    "val": _val,
    "just": _just,
    "land": _land,
    "nexta": _nexta,
}


def question_files(folder: Path) -> list[Path]:
    """Return the files below ``folder`` that may contain questions, sorted.

    Raises:
        OrreryError: the folder does not exist.
    """
    if not folder.is_dir():
        raise OrreryError(str(folder), "is not a folder", "name the folder of the published files")
    return sorted(path for path in folder.rglob("*") if path.name.endswith(ENDINGS))


class _Question(BaseModel):
    """A row of a file of questions, as published."""

    id: int | str
    group: str
    context: str
    question: str
    answer: Any
    choices: Any = None
    query: str | None = None
    PDDL_domain: str | None = None
    PDDL_problem: str | None = None


def questions(folder: Path, tell: Tell = ignore) -> list[Row]:
    """Return the questions in all files below ``folder``.

    Files and lines that cannot be read, and other rows, are reported to ``tell``.

    Raises:
        OrreryError: the folder does not exist, or no file contains a question.
    """
    rows = [row for path in question_files(folder) for row in _rows_of_file(folder, path, tell)]
    if not rows:
        mend = "name the folder that contains files such as app/dev.gen.json"
        raise OrreryError(str(folder), "has no rows of questions", mend)
    return rows


def _rows_of_file(folder: Path, path: Path, tell: Tell) -> Iterator[Row]:
    place = str(path.relative_to(folder))
    for number, content in released_rows(path, tell):
        row = row_of(_Question, content, f"{path}: row {number}", tell)
        if row is None:
            continue
        yield {
            "id": str(row.id),
            "group": row.group,
            "split": _split(path),
            "file": place,
            "number": number,
            "context": row.context,
            "question": row.question,
            "stored": as_json(row.answer),
            "choices": row.choices or "",
            "query": row.query or "",
            "PDDL_domain": row.PDDL_domain or "",
            "PDDL_problem": row.PDDL_problem or "",
        }


def _split(path: Path) -> str:
    """Return the split at the beginning of the file's name; test if the name has none."""
    name = path.name.replace("-", ".").split(".")[0]
    return "validation" if name in VALIDATION else "train" if name == "train" else "test"
