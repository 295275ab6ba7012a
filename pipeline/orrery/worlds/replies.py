"""Read a reply as one action of a world, as a question about the state, or as neither.

``shortened`` reads actions with omitted words: "board c1" for "board car c1 onto the ferry at location l1".
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from orrery.grading.plans.markup import marked_text
from orrery.grading.plans.plan_reply import read_plan
from orrery.grading.score import UnreadableAnswer
from orrery.grading.words import ARTICLES
from orrery.model import Row, Step

IN_DOUBT = "That names an action and doubts or denies it, or tells it as done. Give only the action."
NO_ACTION = "That is no action of this world."
LONGEST = 20_000  # characters of a reply; an action has far fewer
_NUMBER = re.compile(r"[#(]?([0-9]{1,6})[.)]?")
# What introduces an action: "Action: 2", "I'll now sail to l1", "The answer is 2".
_LEAD = re.compile(
    r"(?:(?:so|then|now|ok|okay|my|next|the answer is|answer|action|option|let me|let us|let's|i choose"
    r"|let s|i will|i ll|i'll|i am going to|i m going to|i'm going to)(?![\w'-])[\s:,*]*)+"
)
_FIELD = re.compile(r"\{\s*[\"']action[\"']\s*:\s*[\"']?([^\"'{}]*)[\"']?\s*\}")
_CALL = re.compile(r"([\w-]+)\(\s*([\w-]+\s*=.*)\)", re.S)
# A line with such a word, or beside one, does not ask for the action that it names.
_DOUBT = re.compile(
    r"\b(?:not|no|never|cannot|can't|won't|don't|didn't|isn't|wrong|reject\w*|disagree|instead|wait|previous\w*|said)\b"
)
_STRUCK = re.compile(r"~~|</?(?:s|del|strike)>", re.I)
_TOLD = re.compile(r"\W*(?:you\b|i (?:have |just |already )*\w+ed\b)")
_ACTION = re.compile(
    r"\[[ ]?action[ ]?\](.*?)(?:\[[ ]?/[ ]?action[ ]?\]|\[[ ]?action end[ ]?\]|$)", re.I | re.S
)
Pieces = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ActionReply:
    """The action that a reply names; if it names none, ``fault`` says why.

    ``is_final``: the reply is not to be read in another way.
    """

    step: Step = ()
    fault: str = ""
    is_final: bool = False


def read_action(
    reply: str, row: Row, listed: Mapping[str, Step], numbered: Sequence[Step],
    parameters: Mapping[str, Sequence[str]], *, take_first: bool,
) -> ActionReply:  # fmt: skip
    """Return the action of a reply.

    Args:
        reply: the number of an applicable action, an action in words or in PDDL, alone or in a longer text.
        row: the domain, the problem and the wordings, as the graders read them.
        listed: the applicable actions by their phrases in lower case.
        numbered: the applicable actions in the order of their numbers, from 1.
        parameters: the names of the parameters of each action, for calls that name their arguments.
        take_first: whether the first of several actions counts. Otherwise, several are a fault.
    """
    if len(reply) > LONGEST:
        return ActionReply(fault=f"The reply has more than {LONGEST} characters.")
    blocks = _ACTION.findall(reply)
    if len(blocks) > 1 and not take_first:
        return ActionReply(fault=f"That names {len(blocks)} actions. Give one at a time.")
    reply = blocks[0] if blocks else reply
    if call := named_call(reply, parameters):
        return call
    text = bare(reply)
    if text in listed:
        return ActionReply(listed[text])
    if number := _NUMBER.fullmatch(text):
        place = int(number[1])
        if 1 <= place <= len(numbered):
            return ActionReply(numbered[place - 1])
        return ActionReply(fault=f"There is no action {place}: the list has {len(numbered)}.")
    try:
        steps = list(read_plan(reply, row) or ())
    except UnreadableAnswer:
        steps = []
    if not steps:
        return ActionReply(fault=NO_ACTION)
    if len(steps) > 1 and not take_first:
        return ActionReply(fault=f"That names {len(steps)} actions. Give one at a time.")
    step, line = steps[0]
    return ActionReply(fault=IN_DOUBT, is_final=True) if is_in_doubt(reply, line) else ActionReply(step)


def named_call(reply: str, parameters: Mapping[str, Sequence[str]]) -> ActionReply | None:
    """Return the action of a call that names its arguments, such as JSON of a tool or "sail(f=l1, t=l2)".

    The order of the arguments does not matter. The result is None if the reply is no such call.
    """
    text = reply.strip().removeprefix("```json").strip("`").strip()
    called = _json_call(text)
    if called is None and (call := _CALL.fullmatch(text)):
        pairs = [part.partition("=") for part in call[2].split(",")]
        called = call[1], {name.strip(): value.strip(" \"'") for name, _, value in pairs}
    name = called[0].lower() if called else ""
    name = name if name in parameters else name.replace("_", "-")
    if called is None or name not in parameters:
        return None
    arguments = {key.lower().lstrip("?"): value.lower() for key, value in called[1].items()}
    if arguments.keys() != set(parameters[name]):
        listed = ", ".join(parameters[name]) or "none"
        return ActionReply(fault=f"The arguments of {name} are {listed}.", is_final=True)
    return ActionReply((name, *(arguments[parameter] for parameter in parameters[name])))


def _json_call(text: str) -> tuple[str, dict[str, str]] | None:
    """Return the name and the named arguments of a call in JSON; None if the text is none."""
    if not text.startswith("{"):
        return None
    try:
        call = json.loads(text)
    except (ValueError, RecursionError):
        return None
    arguments = call.get("arguments") if isinstance(call, dict) else None
    if not isinstance(arguments, dict) or not isinstance(call.get("name"), str):
        return None
    return call["name"], {str(key): str(value) for key, value in arguments.items()}


def is_in_doubt(reply: str, number: int) -> bool:
    """Return whether the line of an action, or one beside it, denies, doubts, quotes or reports it.

    ``number`` counts the lines that are not blank, from 1. A struck-out text is in doubt, too.
    """
    lines = [line.strip().lower() for line in reply.split("\n") if line.strip()]
    place = min(max(number - 1, 0), len(lines) - 1)
    beside = [line for line in lines[max(0, place - 1) : place + 2] if not line.startswith("```")]
    if _STRUCK.search(reply) or lines[place].startswith(">") or _TOLD.match(lines[place]):
        return True
    return lines[place].endswith("?") or any(_DOUBT.search(line) for line in beside)


def bare(reply: str) -> str:
    """Return the marked part of a reply, or the whole reply, in lower case without a full stop.

    A reply that is too long gives an empty text.
    """
    try:
        text = "" if len(reply) > LONGEST else marked_text(_unwrapped(reply)).text
    except UnreadableAnswer:
        return ""
    text = " ".join(text.lower().split()).strip(" .!`*\"'")
    lead = _LEAD.match(text)
    return text[lead.end() :] if lead else text


def _unwrapped(reply: str) -> str:
    """Return the content of a reply that is an action in marks, or a JSON object with an action."""
    block = _ACTION.search(reply)
    text = block[1] if block else reply
    field = _FIELD.search(text)
    return field[1] if field else text


"""The words of a wording; a number stands for an argument."""
Binding = frozenset[tuple[int, str]]
"""The objects of some arguments of an action, with their places."""

SKIPPED = ARTICLES | {"then", "now", "please"}
MOST_WORDS = 20  # words of a shortened action
_PIECE = re.compile(r"\{(\d+)\}|([\w-]+)")


def shortened(text: str, row: Row, steps: Iterable[Step], names: Collection[str]) -> list[Step]:
    """Return the actions that a text in lower case may mean, in the order of ``steps``.

    The text has some words and some objects of a wording, in their order, and begins with its first word. So
    "sail to l2" means an action that ends in l2.

    Args:
        text: the reply.
        row: has the wordings in ``nl_templates``.
        steps: the ground actions to choose from.
        names: the objects of the problem.
    """
    tokens = [word for _, word in _PIECE.findall(text) if word in names or word not in SKIPPED]
    if not 0 < len(tokens) <= MOST_WORDS or text.endswith("?"):
        return []
    by_name: dict[str, set[Binding]] = {}
    for name, wordings in _pieces(row["nl_templates"]).items():
        for pieces in wordings:
            by_name.setdefault(name, set()).update(_bindings(tokens, pieces, names))
    return [step for step in steps if _fits(step, by_name.get(step[0], ()))]


def _fits(step: Step, bindings: Iterable[Binding]) -> bool:
    return any(all(step[place + 1] == name for place, name in binding) for binding in bindings)


@lru_cache(maxsize=64)
def _pieces(templates: str) -> Mapping[str, Sequence[Pieces]]:
    """Return the wordings of each action as pieces."""
    listed: Mapping[str, Sequence[str]] = json.loads(templates)["actions"]
    return {
        name: [
            tuple(
                int(place) if place else word
                for place, word in _PIECE.findall(text.lower())
                if word not in SKIPPED
            )
            for text in texts
        ]
        for name, texts in listed.items()
    }


def _bindings(tokens: Sequence[str], pieces: Pieces, names: Collection[str]) -> Iterator[Binding]:
    """Yield the arguments that tokens bind if they are a subsequence of the pieces of a wording.

    An argument after a word other than the first, such as "from", cannot be left out. After an argument that
    is left out, an object needs such a word: "leave p2" means the first argument, "sail to p2" the last one.
    """
    if not pieces or tokens[0] != pieces[0]:
        return
    waiting: list[tuple[int, int, bool, bool, Binding]] = [(1, 1, False, False, frozenset())]
    while waiting:
        token, piece, is_governed, skips, bound = waiting.pop()
        if token == len(tokens):
            yield bound
            continue
        if piece == len(pieces):
            continue
        expected, word = pieces[piece], tokens[token]
        is_argument = isinstance(expected, int)
        if not (is_governed and is_argument):
            waiting.append((token, piece + 1, is_governed, skips or is_argument, bound))
        if isinstance(expected, int) and word in names and (is_governed or not skips):
            waiting.append((token + 1, piece + 1, False, skips, bound | {(expected, word)}))
        elif word == expected:
            waiting.append((token + 1, piece + 1, True, skips, bound))
