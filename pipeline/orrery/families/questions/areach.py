"""Action reachability: an action that no state to come will allow."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import islice

from orrery.families.questions.context import context_of, say
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord, compact, proofs_of, written
from orrery.language.words import Words
from orrery.model import Proof, Step
from orrery.semantics.universe import count_steps, ground_steps, names_of

KIND = "areach"
GROUP = "reachable_action_gen"
SHOWN = 50  # actions stored as the answer where all would be thousands


def make(item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for an unreachable action; asked where every well-typed ground action is decided.

    ``answer`` holds all unreachable ones, or ``SHOWN`` of them where they are too many to list;
    ``answer_all`` holds these or the reachable ones, whichever are fewer, so that any reply can be graded.
    """
    reachable = item.reachable_actions
    if reachable is None:
        return NotAsked("reachability of actions not fully decided")
    every = count_steps(item.domain, item.problem) if item.num_steps is None else item.num_steps
    number = every - len(reachable)
    never = item.unreachable_actions
    if never is None:
        never = dict.fromkeys(islice(_excluded(item), SHOWN), Proof.DELETE_RELAXATION)
        if len(never) < SHOWN:
            return NotAsked("too few actions that the delete relaxation excludes")
    elif len(never) != number:
        return NotAsked("unreachable actions not complete")
    fewer = _fewer(item, never, reachable, number)
    extra = {**fewer, "num_unreachable": number, "typing": typing_of(item)}
    texts = say(context_of(item, words), KIND, rng)
    return QuestionRow(item, KIND, GROUP, texts, written(never), {"answer": proofs_of(never)}, extra)


def _fewer(
    item: StateRecord, never: Iterable[Step], reachable: frozenset[Step], number: int
) -> dict[str, object]:
    """The unreachable actions, or the reachable ones where these are fewer, and which of them it is."""
    if len(reachable) < number:
        return {"answer_all": written(reachable), "answer_all_is": "reachable"}
    if item.unreachable_actions is None:
        never = (step for step in ground_steps(item.domain, item.problem) if step not in reachable)
    return {"answer_all": written(never), "answer_all_is": "unreachable"}


def _excluded(item: StateRecord) -> Iterable[Step]:
    """The well-typed ground actions that the delete relaxation never reaches, sorted."""
    known = item.task.action_of
    return (step for step in ground_steps(item.domain, item.problem) if step not in known)


def typing_of(item: StateRecord) -> str:
    """JSON: ``actions``, the types that each argument accepts; ``objects``, the names that fit each type."""
    actions = {
        action.name: [list(parameter.types) for parameter in action.parameters]
        for action in item.domain.actions
    }
    types = sorted({name for kinds in actions.values() for kind in kinds for name in kind})
    objects = {name: names_of(item.domain, item.problem, (name,)) for name in types}
    return compact({"actions": actions, "objects": objects})
