"""Check rows of PlanBench: whether the stored answer is right, optimal, and not trivial.

A model is judged by its prompt, so the problem is read from its words. Facts that the words never state (in
logistics, which objects are trucks) come from the instance file. A row is degenerate if a rule applies:

- ``no_instance``: neither words nor files give the problem, or the words give two objects the same name;
- ``goal_holds``: the goal is initially true;
- ``shown_plan_answers``: a plan in the prompt solves the requested problem;
- ``statement_repeated``: the request repeats an example word for word;
- ``answer_is_prefix``: the beginning of the shown plan solves the requested problem;
- ``one_line``: a plan of one action is sufficient, although a plan is to be reused;
- ``goal_after_event``, ``rest_works``: after the event the goal holds, or the old plan continues unchanged;
- ``one_step``: the question is about the state after a single action;
- ``fails_at_once``: the plan to verify fails at its first or second step;
- ``equal_costs``: the cheapest plan is requested, and all actions have the same cost.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from orrery.corpus.planbench_files import Config, PublishedPrompt, domain_of, problem_at
from orrery.corpus.planbench_words import PlanBenchWords, Statement, Unread, objects_in, prefix, statements
from orrery.corpus.released_files import attempt, ignore
from orrery.language.words import NUMBERS
from orrery.model import Atom, OrreryError, Problem, State, Step, TypedName, literals
from orrery.pddl.write import write_atom
from orrery.planning.execution import check_plan, execute, mistyped, unmet_preconditions
from orrery.planning.exhaustive_python import explore
from orrery.planning.grounding import ground
from orrery.planning.task import PlanningTask
from orrery.planning.task import applicable as applicable_actions
from orrery.planning.task import progress as masked_progress

TASKS = {
    "1": "generation",
    "2": "optimal",
    "3": "verification",
    "4": "reuse",
    "5": "generalization",
    "6": "replanning",
    "7": "execution",
    "8_1": "reformulation",
    "8_2": "reformulation",
    "8_3": "reformulation",
}
NO_INSTANCE, GOAL_HOLDS = "no_instance", "goal_holds"
SHOWN, REPEATED = "shown_plan_answers", "statement_repeated"
PREFIX, ONE_LINE = "answer_is_prefix", "one_line"
AFTER_EVENT, REST = "goal_after_event", "rest_works"
ONE_STEP, AT_ONCE, EQUAL_COSTS = "one_step", "fails_at_once", "equal_costs"
MOST_STATES = 100_000
FIRST_STEPS = 2  # a plan that fails this early fails at once
MOST_FILES = 30  # instances used to learn the facts that prompts never state
_Steps: TypeAlias = "tuple[Step, _Steps] | None"  # the last step, linked to those before it
_COST = re.compile(r"([^\n.]*)\.?\s*It takes (\w+) minutes?", re.IGNORECASE)


class RowVerdict(NamedTuple):
    """The verdict on a row; None means undecided or not applicable.

    ``plan`` is the stored plan, or the shown sequence if no plan is requested. ``valid`` and ``optimal`` are
    about this plan. ``least`` is the cost of an optimal plan. ``fails_at`` is the failing step (0: the goal
    is not reached). ``right`` is about the stored answer. ``best`` is an optimal plan if ``least`` is known.
    ``facts`` are the missing facts of a plan to verify, or the fluent facts after an action sequence.
    """

    right: bool | None
    valid: bool | None = None
    optimal: bool | None = None
    least: int | None = None
    fails_at: int | None = None
    rules: tuple[str, ...] = ()
    detail: str = ""
    plan: tuple[Step, ...] = ()
    problem: Problem | None = None
    best: tuple[Step, ...] = ()
    facts: frozenset[Atom] = frozenset()

    @property
    def asks(self) -> bool | None:
        """Whether the row asks a non-trivial question; None if its problem is not read."""
        return False if self.rules else None if self.problem is None else True


def redecide(prompt: PublishedPrompt, max_states: int = MOST_STATES) -> RowVerdict:
    """Return the verdict on a row; searches stop after ``max_states`` states.

    A row whose configuration or files cannot be read is undecided, and no rule applies; ``detail`` names the
    file.
    """
    told, config = statements(prompt.query), prompt.config
    if TASKS.get(prompt.task) is None:
        return RowVerdict(None, detail=f"t{prompt.task} is not a task of PlanBench")
    if not told:
        return RowVerdict(None, rules=(NO_INSTANCE,), detail="the prompt has no [STATEMENT]")
    if config is None:
        return RowVerdict(None, detail=f"'{prompt.domain}' has no configuration")
    try:
        row = _DecidedRow(prompt, config, told, max_states)
    except Unread as reason:
        return RowVerdict(None, rules=(NO_INSTANCE,), detail=str(reason))
    except OrreryError as reason:
        return RowVerdict(None, detail=str(reason))
    try:
        return _JUDGES[TASKS[prompt.task]](row)
    except Unread as reason:
        return RowVerdict(None, detail=str(reason))


@lru_cache(maxsize=32)
def _always(config: Config, unsaid: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """Return the predicates common to all objects of a name prefix, learned from the domain's instances."""
    domain = domain_of(config)
    holds: dict[str, frozenset[str]] = {}
    for path in sorted(config.instances.glob("*.pddl"))[:MOST_FILES]:
        problem = attempt(partial(problem_at, path, domain), ignore)
        if problem is None:
            continue
        predicates: dict[str, set[str]] = defaultdict(set)
        for fact in problem.init:
            if fact[0] in unsaid and len(fact) == 2:
                predicates[fact[1]].add(fact[0])
        for typed in problem.objects:
            kind = prefix(typed.name)
            holds[kind] = holds.get(kind, frozenset(predicates[typed.name])) & predicates[typed.name]
    return MappingProxyType(holds)


class _DecidedRow:
    """A row with its problem and the results of searches."""

    def __init__(
        self, prompt: PublishedPrompt, config: Config, statements: Sequence[Statement], max_states: int
    ) -> None:
        """Read the problem in the last statement, which is the request.

        Raises:
            Unread: a part cannot be parsed, and there is no instance file.
            OrreryError: the domain is missing, or the domain or the necessary instance is not PDDL of the
            subset.
        """
        self.prompt, self.statements, self.max_states = prompt, statements, max_states
        self.config, self.domain, self.asked = config, domain_of(config), statements[-1]
        self.fault: OrreryError | None = None
        self.instance = self._instance(config.instance(prompt.instance, prompt.task))
        listed = objects_in(self.config, self.asked.text)
        objects = self.instance.objects if self.instance else tuple(map(TypedName, listed))
        names = tuple(sorted(typed.name for typed in (*self.domain.constants, *objects)))
        self.words = PlanBenchWords(self.config, self.domain, names)
        try:
            self.problem = self._problem_in_words(objects)
        except Unread:
            if self.fault is not None:
                raise self.fault from None
            if self.instance is None:
                raise
            self.problem = self.instance

    def _instance(self, path: Path) -> Problem | None:
        """Return the problem of the instance file; None without a readable one."""
        try:
            return problem_at(path, self.domain)
        except OrreryError as fault:
            self.fault = fault
            return None

    def _problem_in_words(self, objects: tuple[TypedName, ...]) -> Problem:
        """Return the problem in words.

        Facts that words never mention come from the instance, or from all instances.
        """
        if self.asked.init is None:
            raise Unread("no initial state is told")
        unsaid, words = self.words.unsaid, self.words
        if self.instance is not None:
            facts = {fact for fact in self.instance.init if fact[0] in unsaid}
        else:
            always = _always(self.config, unsaid)
            facts = {
                (predicate, name) for name in words.objects for predicate in always.get(prefix(name), ())
            }
        goal = words.facts(self.asked.goal) if self.asked.goal else frozenset()
        init = words.facts(self.asked.init) | facts
        return Problem("told", self.domain.name, objects, init, literals(goal))

    def stored_plan(self) -> tuple[Step, ...]:
        """Return the plan stored as the answer."""
        stored = self.prompt.stored
        text = "\n".join(stored) if isinstance(stored, list) else stored or ""
        return tuple(self.words.steps(text, self.problem.init))

    def shown(self) -> tuple[Step, ...]:
        """Return the action sequence in the request.

        Raises:
            Unread: the request has none.
        """
        text = self.asked.sequence
        if text is None:
            raise Unread("no sequence of actions is shown")
        return tuple(self.words.steps(text, self.problem.init))

    def examples(self) -> Iterator[tuple[Step, ...]]:
        """Yield the plans of earlier statements that can be parsed and have the same objects."""
        for statement in self.statements[:-1]:
            try:
                yield tuple(self.words.steps(statement.sequence or "", self.problem.init))
            except Unread:
                continue

    def solves(self, steps: Sequence[Step], problem: Problem | None = None) -> bool:
        """Return whether steps are a plan."""
        return check_plan(self.domain, problem or self.problem, steps).valid

    def states(self, steps: Sequence[Step]) -> list[State]:
        """Return the states from the initial one to the one before the first inapplicable step."""
        return execute(self.domain, self.problem, steps)[0]

    def shortest(self, problem: Problem) -> tuple[Step, ...] | None:
        """Return a plan with the fewest actions; None if unknown."""
        plan = explore(ground(self.domain, problem), limit=self.max_states).optimal_plan()
        return None if plan is None else tuple(plan)

    @cached_property
    def differs(self) -> str:
        """A message if the instance file is unreadable or has another problem; otherwise empty."""
        if self.fault is not None:
            return f"{self.fault.where}: {self.fault.problem}"
        file = self.instance
        problem = self.problem
        same = file is None or (file.init == problem.init and (not problem.goal or file.goal == problem.goal))
        return "" if same else "the instance file has another problem"


def cheapest(
    task: PlanningTask, costs: Mapping[str, int], max_states: int
) -> tuple[int, tuple[Step, ...]] | None:
    """Return the minimum cost and such a plan; None without a plan or if the limit of states is reached."""
    numbered = count()
    start: _Steps = None
    waiting = [(0, next(numbered), task.init, start)]
    done: set[int] = set()
    while waiting:
        cost, _, mask, steps = heappop(waiting)
        if task.is_goal(mask):
            return cost, _in_order(steps)
        if mask in done:
            continue
        if len(done) == max_states:
            return None
        done.add(mask)
        for action in applicable_actions(task, mask):
            after = masked_progress(mask, action)
            if after not in done:
                more = cost + costs[action.step[0]]
                heappush(waiting, (more, next(numbered), after, (action.step, steps)))
    return None


def _in_order(steps: _Steps) -> tuple[Step, ...]:
    """Return linked steps from the first to the last."""
    listed: list[Step] = []
    while steps is not None:
        step, steps = steps
        listed.append(step)
    return tuple(reversed(listed))


def costs_told(config: Config, actions: Iterable[str]) -> dict[str, int] | None:
    """Return the cost of each action in minutes; None if the text lacks some.

    A sentence is assigned to the action that shares most words with it.
    """
    names = list(actions)
    costs: dict[str, int] = {}
    for sentence, minutes in _COST.findall(config.costs):
        word = minutes.lower()
        number = int(word) if word.isdigit() else NUMBERS.index(word) if word in NUMBERS[1:] else None
        words = re.findall(r"[a-z]+", sentence.lower())
        fitting = {name: _likeness(config, name, words) for name in names}
        best = max(fitting.values(), default=0)
        about = [name for name in names if fitting[name] == best]
        if number is None or not best or len(about) != 1 or about[0] in costs:
            return None
        costs[about[0]] = number
    return costs if costs.keys() == set(names) else None


def _likeness(config: Config, name: str, words: Sequence[str]) -> float:
    """Return the number of words shared by an action and a sentence, with extra weight for the first word."""
    template = re.findall(r"[a-z]+", config.actions.get(name, "").lower())
    shared = len(set(re.findall(r"[a-z]+", name)).intersection(words))
    is_first = words[:1] == template[:1]
    if not is_first and not shared:
        return 0
    return 10 * is_first + shared + len(set(template).intersection(words)) / 10


def _planned(task: _DecidedRow, problem: Problem, rules: list[str], *, as_in_file: bool = True) -> RowVerdict:
    """Return the verdict on a row that requests a plan of ``problem``; ``rules`` are those of its task.

    Unless the problem is ``as_in_file``, a difference from the instance file is intended.
    """
    if not problem.goal:
        raise Unread("no goal is told")
    if problem.satisfied(problem.init) and AFTER_EVENT not in rules:
        rules = [GOAL_HOLDS, *rules]
    best = task.shortest(problem)
    least = None if best is None else len(best)
    try:
        plan = task.stored_plan()
    except Unread as reason:
        if task.instance is None and task.fault is None:  # the words do not distinguish all objects
            rules = [NO_INSTANCE]
        unread = RowVerdict(None, None, None, least, None, tuple(rules), str(reason), (), problem)
        return unread._replace(best=best or ())
    checked = check_plan(task.domain, problem, plan)
    failed = None if checked.valid else (checked.failed_at + 1 if checked.failed_at is not None else 0)
    optimal = None if least is None else len(plan) == least
    return RowVerdict(
        right=checked.valid,
        valid=checked.valid,
        optimal=optimal if checked.valid else None,
        least=least,
        fails_at=failed,
        rules=tuple(rules),
        detail="; ".join(filter(None, [task.differs if as_in_file else "", checked.reason])),
        plan=plan,
        problem=problem,
        best=best or (),
    )


def _copied(task: _DecidedRow, problem: Problem) -> list[str]:
    """Return the rule for a row in which the plan of an example solves the problem, if it applies."""
    return [SHOWN] if any(plan and task.solves(plan, problem) for plan in task.examples()) else []


def _generation(task: _DecidedRow) -> RowVerdict:
    return _planned(task, task.problem, _copied(task, task.problem))


def _optimal(task: _DecidedRow) -> RowVerdict:
    """Return the verdict on an optimal plan. With equal costs the task reduces to the shortest plan."""
    costs = costs_told(task.config, [action.name for action in task.domain.actions])
    verdict = _generation(task)
    if costs is None:
        right = None if verdict.valid else verdict.right
        detail = "; ".join(filter(None, [verdict.detail, "costs are not understood"]))
        return verdict._replace(optimal=None, least=None, right=right, detail=detail)
    rules = (*verdict.rules, *([EQUAL_COSTS] if len(set(costs.values())) == 1 else []))
    least, best = cheapest(ground(task.domain, task.problem), costs, task.max_states) or (None, ())
    verdict = verdict._replace(rules=rules, least=least, best=best)
    if verdict.valid is None:
        return verdict
    total = sum(costs[step[0]] for step in verdict.plan)
    optimal = total == least if verdict.valid and least is not None else None
    return verdict._replace(optimal=optimal, right=optimal if verdict.valid else False)


def _reuse(task: _DecidedRow) -> RowVerdict:
    """Return the verdict on a plan for another goal; the last example has the plan to reuse."""
    rules = _copied(task, task.problem)
    shown = next(iter([*task.examples()][-1:]), ())
    if any(task.solves(shown[:end]) for end in range(1, len(shown))):
        rules.append(PREFIX)
    verdict = _planned(task, task.problem, rules, as_in_file=False)  # with the new goal
    is_short = verdict.least == 1 or len(verdict.plan) == 1
    return verdict._replace(rules=(*verdict.rules, ONE_LINE)) if is_short else verdict


def _replanning(task: _DecidedRow) -> RowVerdict:
    """Return the verdict on a plan from the state after an event."""
    shown, event = task.shown(), task.asked.event
    if event is None:
        raise Unread("no event is told")
    last = task.words.step(event.action, task.problem.init)
    at = event.step if event.step is not None else (shown.index(last) + 1 if last in shown else 0)
    if not 0 < at <= len(shown) or shown[at - 1] != last:
        raise Unread(f"step {event.step} is not {event.action!r}")
    states = task.states(shown[:at])
    if len(states) <= at:
        raise Unread(f"step {len(states)} of the shown plan cannot be executed")
    true, false = task.words.facts(event.true), task.words.facts(event.false)
    after = replace(task.problem, init=(states[at] - false) | true)
    rules = []
    if after.satisfied(after.init):
        rules.append(AFTER_EVENT)
    elif any(task.solves(shown[start:], after) for start in range(len(shown))):
        rules.append(REST)
    return _planned(task, after, rules)


def _reformulation(task: _DecidedRow) -> RowVerdict:
    descriptions = [statement.told for statement in task.statements]
    rules = _copied(task, task.problem) + ([REPEATED] if descriptions[-1] in descriptions[:-1] else [])
    return _planned(task, task.problem, rules, as_in_file=False)


def _execution(task: _DecidedRow) -> RowVerdict:
    """Return the verdict on the stored state. It may omit static facts."""
    shown = task.shown()
    states = task.states(shown)
    failed = len(states) if len(states) <= len(shown) else None
    rules = (ONE_STEP,) if len(shown) == 1 else ()
    stored = task.prompt.stored
    right: bool | None = False
    detail = f"step {failed} cannot be executed" if failed else ""
    facts = frozenset(fact for fact in states[-1] if fact[0] in task.domain.fluents)
    if failed is None:
        true = {"_".join(fact): fact for fact in states[-1]}
        stored_facts = {
            text.lower() for text in (stored if isinstance(stored, list) else str(stored or "").split())
        }
        wanted = {text for text, fact in true.items() if fact in facts}
        if wrong := sorted((stored_facts - true.keys()) | (wanted - stored_facts)):
            detail = f"differs in {', '.join(wrong[:3])}"
        right = not wrong
    verdict = RowVerdict(right, failed is None, None, None, failed, rules, detail, shown, task.problem)
    return verdict._replace(facts=facts)


def _verification(task: _DecidedRow) -> RowVerdict:
    """Return the verdict on the stored validity, failing step and missing facts of a plan."""
    shown = task.shown()
    states = task.states(shown)
    if len(states) <= len(shown):
        step = shown[len(states) - 1]
        failed, missing = len(states), _missing(task, step, states[-1])
    else:
        wanted = [literal.atom for literal in task.problem.goal if not literal.holds(states[-1])]
        failed, missing = 0, frozenset(wanted)
    valid = not failed and not missing
    rules = [AT_ONCE] if 0 < failed <= FIRST_STEPS else []
    if task.problem.satisfied(task.problem.init):
        rules.append(GOAL_HOLDS)
    wrong = _verdict_faults(task, valid, failed, missing)
    best = task.shortest(task.problem) if valid else None
    return RowVerdict(
        right=not wrong,
        valid=valid,
        optimal=len(shown) == len(best) if best is not None else None,
        least=None if best is None else len(best),
        fails_at=None if valid else failed,
        rules=tuple(rules),
        detail="; ".join(filter(None, [task.differs, wrong])),
        plan=shown,
        problem=task.problem,
        facts=missing,
    )


def _missing(task: _DecidedRow, step: Step, state: State) -> frozenset[Atom]:
    """Return the fluent preconditions of a step that do not hold."""
    if reason := mistyped(task.domain, task.problem, step):
        raise Unread(reason)
    unmet = unmet_preconditions(task.domain, state, step)
    return frozenset(literal.atom for literal in unmet if literal.atom[0] not in task.words.unsaid)


def _verdict_faults(task: _DecidedRow, valid: bool, failed: int, missing: State) -> str:
    """Return the fault of a stored verdict; empty if it has none."""
    stored = str(task.prompt.stored or "")
    stored_valid = not re.search(r"\binvalid\b", stored) and bool(re.search(r"\bvalid\b", stored))
    if not stored.strip():
        return "no verdict is stored"
    if stored_valid != valid:
        return f"the plan is {'valid' if valid else 'invalid'}"
    if valid:
        return ""
    at = re.search(r"at step (\d+)", stored)
    if (int(at[1]) if at else 0) != failed:
        return f"it fails at step {failed}" if failed else "it fails at the end"
    listed = task.words.facts(stored.strip().splitlines()[-1])
    if listed != missing:
        return f"what lacks is {' '.join(map(write_atom, sorted(missing)))}"
    return ""


_JUDGES = {
    "generation": _generation,
    "optimal": _optimal,
    "verification": _verification,
    "reuse": _reuse,
    "generalization": _generation,
    "replanning": _replanning,
    "execution": _execution,
    "reformulation": _reformulation,
}
