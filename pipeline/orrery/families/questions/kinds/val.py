"""Validation: the first inapplicable action of a sequence.

The sequence of the open question is a valid plan in which one action is replaced by another, drawn among
those that the delete relaxation reaches, so that the failing condition is a fluent fact and not a static one.
Positions are equally likely, and the replacement may have any name, so that neither reveals the answer. Short
plans are first lengthened by harmless steps: in two or three steps, the first would be a good guess.

The claim ``{"sequence": [A, ...], "says": S}`` states that S is true of the sequence. S is one of ``plan``
(each action is applicable in turn, and the goal holds at the end), ``applicable`` (each is applicable in
turn, but the goal does not hold at the end), ``inapplicable`` (each is a ground action of the domain, but
some are not applicable in turn) and ``invalid`` (some action has a name that the domain does not have).
Exactly one is true. All four are made from one plan and have its length.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from orrery.families.drafts import BOOL, MCQ, Draft, DraftsByFormat, Rejected
from orrery.families.questions.balance import shifts_of
from orrery.families.questions.bool_mcq import Phrasing, by_place
from orrery.families.questions.claims import Claim
from orrery.families.questions.context import QuestionContext
from orrery.families.questions.distractors import OptionTurn
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.open_question import OpenQuestion, question_task
from orrery.families.questions.sequences import (
    TRIALS,
    USUAL,
    actions_of_plan,
    has_idle_step,
    is_applicable_in_turn,
    masks_along,
    stretched,
)
from orrery.families.questions.state_record import StateRecord
from orrery.families.task import Task
from orrery.language.inflection import holders, nouns_of
from orrery.model import OBJECT, Domain, Step
from orrery.pddl.write import write_atom
from orrery.planning.execution import types_of_objects
from orrery.planning.task import GroundAction, PlanningTask, is_applicable, progress
from orrery.store.kinds import INT, STRINGS, column

FEWEST, MOST = 2, 100  # limits of actions of a sequence; a sequence of one action is not used
TRIES = 12  # number of draws from a pool of replacements before the next pool
SAYS = ("plan", "applicable", "inapplicable", "invalid")
# Verdicts on a sequence that is not a plan, in turn: a foreign action is easy to recognize.
NO_PLANS = (
    "applicable",
    "inapplicable",
    "applicable",
    "inapplicable",
    "applicable",
    "invalid",
    "inapplicable",
)
MOVES = ("move", "go", "goto", "drive", "sail", "fly", "navigate", "walk", "travel", "run", "step", "turn")
WAYS = ("up", "down", "left", "right")
TAKES = (
    "pick",
    "take",
    "get",
    "grasp",
    "grab",
    "lift",
    "hoist",
    "load",
    "board",
    "unstack",
    "collect",
    "sample",
)
PUTS = ("put", "drop", "place", "stack", "unload", "debark", "release", "leave", "store")


class ForeignAction(NamedTuple):
    """An action of some domains that others do not have: its name, and its phrase with as many objects.

    A domain has this action, or one with similar words, if a part of some action name begins with one of
    ``alike``.
    """

    name: str
    arity: int
    phrase: str
    alike: tuple[str, ...]


# Each is an action of a published domain, so that the foreign verbs differ between domains.
FOREIGN = (
    ForeignAction("board", 2, "take {0} on board at {1}", TAKES),
    ForeignAction("calibrate", 3, "calibrate {1} of {0} on {2}", ("calibrat",)),
    ForeignAction("change-color", 3, "change the color of {0} from {1} to {2}", ("color", "colour", "paint")),
    ForeignAction("chill", 4, "have {0} chill {1} in {2} at {3}", ("chill", "cool", "freeze")),
    ForeignAction("drive", 3, "drive {0} from {1} to {2}", MOVES + WAYS),
    ForeignAction("heat", 4, "have {0} heat {1} in {2} at {3}", ("heat", "hot", "cook", "warm")),
    ForeignAction("lift", 4, "use {0} to lift {1} off {2} at {3}", TAKES),
    ForeignAction("open", 3, "have {0} open {1} at {2}", ("open", "unlock", "lock")),
    ForeignAction("sail", 2, "sail from {0} to {1}", MOVES + WAYS),
    ForeignAction("stack", 2, "stack {0} on {1}", PUTS),
    ForeignAction("swap", 4, "exchange {2} of {0} for {3} of {1}", ("swap", "exchange", "trade")),
    ForeignAction("switch-on", 2, "switch on {0} of {1}", ("switch", "start", "examine")),
    ForeignAction(
        "take-image", 4, "take an image of {1} with {2} of {0} in {3}", ("take", "image", "photograph")
    ),
    ForeignAction("turn-to", 3, "turn {0} towards {1}, away from {2}", ("turn", "rotate", "point")),
    ForeignAction("unlock", 4, "unlock {1} from {0}, with {2} of {3}", ("unlock", "lock", "open")),
    ForeignAction("wash", 4, "have {0} wash {1} in {2} at {3}", ("wash", "clean")),
)


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion:
    """Return a question for the index of the first inapplicable action, if a plan is known."""
    record.refuse_without_plan()
    longer = list(record.effective_plan)
    if len(longer) <= MOST and record.trajectory:
        longer = stretched(StateEvidence(record, rng), longer, rng.choice(USUAL), rng)
    if not FEWEST <= len(longer) <= MOST:
        raise Rejected(f"plan with {f'over {MOST}' if len(longer) > MOST else f'under {FEWEST}'} actions")
    plan, masks = [action.step for action in longer], masks_along(record.task.init, longer)
    sequence = list(map(write_atom, plan))
    for position in rng.sample(range(len(sequence)), len(sequence)):
        replacement = _replacement(record.task, masks[position], plan[position][0], plan, rng)
        if replacement is not None:
            sequence[position] = write_atom(replacement.step)
            return OpenQuestion(position, (" ".join(sequence),), extra={"sequence": sequence})
    raise Rejected("no action to break the plan with")


def _replacement(
    task: PlanningTask, mask: int, name: str, plan: Sequence[tuple[str, ...]], rng: random.Random
) -> GroundAction | None:
    """Return an action inapplicable in the state ``mask``: of the plan, of the same name, or any."""
    pools = [[task.action_of[step] for step in plan], _of_name(task, name), task.actions]
    for pool in [*rng.sample(pools, len(pools)), None]:
        if pool is None:  # no draw found one, so all are tested
            pool = [action for action in task.actions if not is_applicable(mask, action)]
        for _ in range(min(TRIES, len(pool))):
            action = rng.choice(pool)
            if not is_applicable(mask, action):
                return action
    return None


def _of_name(task: PlanningTask, name: str) -> Sequence[GroundAction]:
    """Return the ground actions of one name, which are contiguous."""
    low = bisect_left(task.actions, name, key=lambda action: action.step[0])
    return task.actions[low : bisect_right(task.actions, name, key=lambda action: action.step[0])]


class JudgedSequence(NamedTuple):
    """Steps for which ``says`` is true; ``place`` is the position of the ``foreign`` action, if any."""

    steps: tuple[Step, ...]
    says: str
    form: str
    place: int = -1
    foreign: ForeignAction | None = None


def sequence(evidence: StateEvidence, says: str, rng: random.Random) -> JudgedSequence:
    """Return a sequence for which ``says`` is true, with as many steps as a plan of the state."""
    plan = stretched(evidence, actions_of_plan(evidence), rng.choice(USUAL), rng)
    if says == "plan":
        return JudgedSequence(_steps(plan), says, "plan")
    draw = {"applicable": _applicable, "inapplicable": _inapplicable, "invalid": _invalid}[says]
    if drawn := draw(evidence, plan, rng):
        return drawn
    raise Rejected(f"no sequence found that is {says}")


def _steps(actions: list[GroundAction]) -> tuple[Step, ...]:
    return tuple(action.step for action in actions)


def _applicable(
    evidence: StateEvidence, plan: list[GroundAction], rng: random.Random
) -> JudgedSequence | None:
    """Return the plan with a step replaced, or its end by a walk that keeps the last name if possible."""
    task, masks = evidence.task, masks_along(evidence.task.init, plan)
    spare: JudgedSequence | None = None
    for trial in range(TRIALS):
        late = trial % 4 if trial >= TRIALS // 2 else None
        place = rng.randrange(max(1, len(plan) - 1)) if late is None else max(0, len(plan) - 1 - late)
        changed = plan[:place]
        mask = masks[place]
        for action in plan[place:]:
            choices = evidence.effective_in(mask)
            if len(changed) == place or action not in choices:
                choices = [choice for choice in choices if choice is not action]
                if not choices:
                    break
                same = [choice for choice in choices if choice.step[0] == action.step[0]]
                action = rng.choice(same or choices)
            changed.append(action)
            mask = progress(mask, action)
        if len(changed) == len(plan) and not task.is_goal(mask):
            spare = JudgedSequence(_steps(changed), "applicable", "a step exchanged, the goal missed")
            if changed[-1].step[0] == plan[-1].step[0]:
                return spare
    return spare


def _inapplicable(
    evidence: StateEvidence, plan: list[GroundAction], rng: random.Random
) -> JudgedSequence | None:
    """Return the plan with one step replaced by an inapplicable one, or two steps exchanged."""
    task, masks = evidence.task, masks_along(evidence.task.init, plan)
    for place in rng.sample(range(len(plan)), len(plan)):
        for trial in range(TRIALS // 4):
            last = place == len(plan) - 1  # its name must not reveal it
            if trial == 0 and place and not last:
                changed = [*plan[: place - 1], plan[place], plan[place - 1], *plan[place + 1 :]]
                form = "two steps exchanged"
            else:
                of_name = last or trial < TRIALS // 4 - 1
                pool = _of_name(task, plan[place].step[0]) if of_name else task.actions
                replacement = rng.choice(pool)
                if is_applicable(masks[place], replacement):
                    continue
                changed, form = (
                    [*plan[:place], replacement, *plan[place + 1 :]],
                    "a step that is not applicable there",
                )
            if not is_applicable_in_turn(task.init, changed) and not has_idle_step(task.init, changed):
                return JudgedSequence(_steps(changed), "inapplicable", form)
    return None


def _invalid(evidence: StateEvidence, plan: list[GroundAction], rng: random.Random) -> JudgedSequence:
    """Return the plan with one step replaced by an action that the domain does not have."""
    record = evidence.record
    names = sorted(types_of_objects(record.domain, record.problem))
    choices = [action for action in foreign_to(record.domain) if action.arity <= len(names)]
    if not choices:
        raise Rejected("no foreign action to name")
    place, replacement = rng.randrange(len(plan)), rng.choice(choices)
    used = list(dict.fromkeys(plan[place].step[1:]))[: replacement.arity]
    used += rng.sample([name for name in names if name not in used], replacement.arity - len(used))
    steps = [*_steps(plan[:place]), (replacement.name, *used), *_steps(plan[place + 1 :])]
    return JudgedSequence(tuple(steps), "invalid", "a foreign action", place, replacement)


def foreign_to(domain: Domain) -> list[ForeignAction]:
    """Return the actions of other domains that differ clearly from all actions of the domain."""
    parts = [part for action in domain.actions for part in re.split("[-_]", action.name)]
    return [action for action in FOREIGN if not any(part.startswith(action.alike) for part in parts)]


def _phrases(context: QuestionContext, judged: JudgedSequence) -> dict[int, str]:
    """Return the wording of the foreign action by its place; it names objects as other steps do."""
    if judged.foreign is None:
        return {}
    nouns = nouns_of_objects(context)
    named = (f"{nouns[name]} {name}".strip() for name in judged.steps[judged.place][1:])
    return {judged.place: judged.foreign.phrase.format(*named)}


def nouns_of_objects(context: QuestionContext) -> dict[str, str]:
    """Return the noun of each object: the only noun of the domain, else its type or, without types, its kind.

    It is empty if nothing gives a noun.
    """
    domain, problem, words = context.record.domain, context.record.problem, context.words
    nouns = nouns_of(
        words.fact((predicate.name, *holders(predicate.arity)), variant)
        for predicate in domain.predicates
        for variant in range(words.variants("fact", predicate.name))
    )
    types_of = types_of_objects(domain, problem)
    if len(nouns) == 1:
        return dict.fromkeys(types_of, *nouns)
    listed = words.kinds_listed(domain)
    kinds = {fact[1]: fact[0] for fact in sorted(problem.init) if fact[0] in listed}
    return {
        name: kinds.get(name, "") if types == (OBJECT,) else types[0].replace("-", " ")
        for name, types in types_of.items()
    }


def claims(
    kind: Task, evidence: StateEvidence, context: QuestionContext, turn: OptionTurn, rng: random.Random
) -> DraftsByFormat:
    """Return both formats; in multiple choice, each verdict is the correct one in turn."""
    drafts: DraftsByFormat = {}
    no_plan = NO_PLANS[turn.number % len(NO_PLANS)]
    for form, verdicts in ((MCQ, (SAYS[turn.ranks.length],)), (BOOL, ("plan", no_plan))):
        try:
            drafts[form] = [_draft(kind, form, evidence, context, turn, says, rng) for says in verdicts]
        except Rejected as rejected:
            drafts[form] = Rejected(rejected.reason)  # a caught one keeps its frames
    return drafts


def _draft(
    kind: Task, form: str, evidence: StateEvidence, context: QuestionContext, turn: OptionTurn, says: str,
    rng: random.Random,
) -> Draft:  # fmt: skip
    """Return a question in a format on a sequence for which ``says`` is true."""
    drawn = sequence(evidence, says, rng)
    phrasing = Phrasing(kind, context, rng, drawn.steps, _phrases(context, drawn))
    if form == BOOL:
        claim = Claim("", "", says == "plan", "", drawn.form, _formal(drawn, "plan"))
        draft = phrasing.bool_draft(claim)
        length = len(draft.rows[0]["question"])
        return draft._replace(leans=(("longest", length), ("most parts", len(drawn.steps))))
    wrong = [judgement for judgement in SAYS if judgement != says]
    rng.shuffle(wrong)
    options = [_judgement(phrasing, drawn, kind_said) for kind_said in (says, *wrong)]
    return phrasing.mcq_draft(turn.placed(options), shifts_of((says, *wrong), by_place(turn)))


def _judgement(phrasing: Phrasing, judged: JudgedSequence, says: str) -> Claim:
    """Return the claim, in words, that ``says`` is true of a sequence."""
    words, holds = phrasing.say("judgement", says), says == judged.says
    return Claim(words, words, holds, "", judged.form if holds else says, _formal(judged, says))


def _formal(judged: JudgedSequence, says: str) -> dict[str, Any]:
    return {"sequence": [write_atom(step) for step in judged.steps], "says": says}


TASK = question_task(
    name="val",
    subject="the first step of a sequence that cannot be taken",
    group="validation",
    ask=ask,
    answer=column(
        "answer", INT, "Index, from 0, of the first action of the sequence that is not applicable in its turn"
    ),
    columns=(column("sequence", STRINGS, "The sequence of actions"),),
    replies=lambda row: [str(row["answer"])],
    claims=claims,
)
