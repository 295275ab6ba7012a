"""The actions of a domain as tools that a model or a client calls by name, with named arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from orrery.language.words import Words, sentence
from orrery.model import Action, Domain

# Names of other tools, and of addresses of servers. An action with such a name gets an ending.
RESERVED = frozenset({
    "look", "list", "reset", "step", "state", "close", "ws", "mcp", "health", "metadata", "schema",
    "seed_session", "close_session", "verify", "aggregate_metrics", "reverify_mode",
})  # fmt: skip
_NO_NAME = re.compile(r"[\s()]+")


class ToolArgument(NamedTuple):
    """An argument of a tool, with its type in JSON."""

    name: str
    description: str
    required: bool = True
    type: str = "string"


@dataclass(frozen=True)
class WorldTool:
    """A tool of a world: an action, or a question about the state.

    ``action`` and ``parameters`` are empty for a question without an object.
    """

    name: str
    description: str
    arguments: tuple[ToolArgument, ...]
    parameters: tuple[str, ...] = ()
    action: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {
                argument.name: {"type": argument.type, "description": argument.description}
                for argument in self.arguments
            },
            "required": [argument.name for argument in self.arguments if argument.required],
            "additionalProperties": False,
        }

    def reply(self, arguments: Mapping[str, Any]) -> str:
        """Return the reply to a world that a call with these arguments stands for.

        No arguments raise. The world explains what is missing or wrong in its answer.
        """
        given = [arguments[parameter] for parameter in self.parameters if parameter in arguments]
        # The world refuses an action with more names than it has parameters.
        given += sorted(str(name) for name in arguments.keys() - set(self.parameters))
        names = [_NO_NAME.sub("_", str(name)) for name in given]
        if self.action:
            return f"({' '.join([self.action, *names])})"
        return " at ".join([self.name, *names])


LOOK = WorldTool(
    "look",
    "Say what holds now, or what holds of one object.",
    (ToolArgument("object", "The name of an object. Without it, the whole state is described.", False),),
    ("object",),
)
LIST = WorldTool("list", "List the actions that are possible now.", ())


def world_tools(domain: Domain, words: Words | None) -> tuple[WorldTool, ...]:
    """Return a tool for each action of a domain, sorted, and the tools ``look`` and ``list``.

    The descriptions are in the words of the domain, or in PDDL if it has none.
    """
    actions = sorted(domain.actions, key=lambda action: action.name)
    return (*(_action_tool(action, words) for action in actions), LOOK, LIST)


def _action_tool(action: Action, words: Words | None) -> WorldTool:
    names = [parameter.name.removeprefix("?") for parameter in action.parameters]
    spelled = [name.upper() for name in names]
    phrase = words.action((action.name, *spelled)) if words else f"({' '.join([action.name, *spelled])})"
    arguments = tuple(
        ToolArgument(name, f"{shown}: the name of an object of type {' or '.join(parameter.types)}.")
        for name, shown, parameter in zip(names, spelled, action.parameters, strict=True)
    )
    ending = "-action" if action.name in RESERVED else ""
    return WorldTool(action.name + ending, sentence(phrase), arguments, tuple(names), action.name)
