"""Error correction: the message that a user would send back, and the loop of k corrections (EC_k).

As in Text2World (section 4.1) the message says what keeps the domain from being read, and nothing of the
gold; there it is the parser's, here it names every fault with its place and how to mend it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from orrery.pddl.tolerant import read_actions, read_adl
from orrery.planners.external_parsers import ParserVerdict

Message: TypeAlias = dict[str, str]
Model: TypeAlias = Callable[[Sequence[Message]], str]

MOST = 10  # faults reported at once
_OPENING = "The domain you wrote cannot be used as it stands:"
_CLOSING = "Please write the whole domain again, with these faults mended and nothing else changed."
_CLOSING_ACTIONS = "Please write all actions again, with these faults mended and nothing else changed."


def feedback(prediction: str, header: str = "", verdicts: Mapping[str, ParserVerdict] | None = None) -> str:
    """Return what a user would answer to ``prediction``; empty where there is nothing to correct.

    Args:
        prediction: a model's reply.
        header: where it is to hold actions only, the domain that they belong to, without them.
        verdicts: what parsers say of it; refusals are reported where our reader finds no fault.
    """
    lines = faults_of(prediction, header) or _refusals(verdicts or {})
    if not lines:
        return ""
    numbered = [f"{number}. {line}" for number, line in enumerate(lines[:MOST], 1)]
    if len(lines) > MOST:
        numbered.append(f"(and {len(lines) - MOST} more)")
    return "\n".join([_OPENING, *numbered, _CLOSING_ACTIONS if header else _CLOSING])


def faults_of(prediction: str, header: str = "") -> list[str]:
    """Return what keeps a domain, or actions under a header, from being read: a line each fault, in order."""
    domain = read_actions(prediction, header, "reply") if header else read_adl(prediction, "reply")
    return [f"{fault.kind}: {fault}" for fault in domain.faults]


def _refusals(verdicts: Mapping[str, ParserVerdict]) -> list[str]:
    refused = [verdict for verdict in verdicts.values() if verdict.accepted is False]
    return [f"{verdict.error}: {verdict.parser} says: {verdict.message}" for verdict in refused]


def correct(
    model: Model, prompt: str, k: int, judge: Callable[[str], str] = feedback
) -> tuple[list[str], list[Message]]:
    """Ask ``model``, and let it correct itself at most ``k`` times, for as long as ``judge`` has complaints.

    Args:
        model: takes a conversation (messages with ``role`` and ``content``) and returns its reply.
        prompt: the first message.
        k: corrections; 0 asks once (EC_0).
        judge: the message that answers a reply, empty to end.

    Returns:
        All replies, the last one being what counts, and the conversation that led there.
    """
    messages: list[Message] = [{"role": "user", "content": prompt}]
    replies = [model(tuple(messages))]
    messages.append({"role": "assistant", "content": replies[-1]})
    for _ in range(k):
        complaint = judge(replies[-1])
        if not complaint:
            break
        messages.append({"role": "user", "content": complaint})
        replies.append(model(tuple(messages)))
        messages.append({"role": "assistant", "content": replies[-1]})
    return replies, messages
