"""Read a reply as one action of a world, as a question about the state, or as neither."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orrery.grading.plans.markup import marked_text
from orrery.grading.plans.plan_reply import read_plan
from orrery.grading.score import UnreadableAnswer
from orrery.model import Row, Step

NO_ACTION = "That is no action of this world."
LONGEST = 20_000  # characters of a reply; an action has far fewer
_NUMBER = re.compile(r"[#(]?(\d{1,6})[.)]?")
_ACTION = re.compile(
    r"\[[ ]?action[ ]?\](.*?)(?:\[[ ]?/[ ]?action[ ]?\]|\[[ ]?action end[ ]?\]|$)", re.I | re.S
)


@dataclass(frozen=True, slots=True)
class ActionReply:
    """The action that a reply names; if it names none, ``fault`` says why."""

    step: Step = ()
    fault: str = ""


def read_action(
    reply: str, row: Row, listed: Mapping[str, Step], numbered: Sequence[Step], *, take_first: bool
) -> ActionReply:
    """Return the action of a reply.

    Args:
        reply: the number of an applicable action, an action in words or in PDDL, alone or in a longer text.
        row: the domain, the problem and the wordings, as the graders read them.
        listed: the applicable actions by their phrases in lower case.
        numbered: the applicable actions in the order of their numbers, from 1.
        take_first: whether the first of several actions counts. Otherwise, several are a fault.
    """
    if len(reply) > LONGEST:
        return ActionReply(fault=f"The reply has more than {LONGEST} characters.")
    blocks = _ACTION.findall(reply)
    if len(blocks) > 1 and not take_first:
        return ActionReply(fault=f"That names {len(blocks)} actions. Give one at a time.")
    reply = blocks[0] if blocks else reply
    text = bare(reply)
    if text in listed:
        return ActionReply(listed[text])
    if number := _NUMBER.fullmatch(text):
        place = int(number[1])
        if 1 <= place <= len(numbered):
            return ActionReply(numbered[place - 1])
        return ActionReply(fault=f"There is no action {place}: the list has {len(numbered)}.")
    try:
        steps = [step for step, _ in read_plan(reply, row) or ()]
    except UnreadableAnswer:
        steps = []
    if not steps:
        return ActionReply(fault=NO_ACTION)
    if len(steps) > 1 and not take_first:
        return ActionReply(fault=f"That names {len(steps)} actions. Give one at a time.")
    return ActionReply(steps[0])


def bare(reply: str) -> str:
    """Return the marked part of a reply, or the whole reply, in lower case without a full stop.

    A reply that is too long gives an empty text.
    """
    text = "" if len(reply) > LONGEST else marked_text(reply).text
    return " ".join(text.lower().split()).strip(" .!`*\"'")
