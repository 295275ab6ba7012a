"""The tools over MCP: which there are at an address, what their calls do, and the release that they need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from orrery.catalog import entry_of
from orrery.installation import has_release, install
from orrery.model import ToolMissing, UsageError, suggest
from orrery.serve.requested_worlds import WorldMaker
from orrery.serve.sessions import Session, Sessions
from orrery.worlds.action_tools import ToolArgument, WorldTool, world_tools
from orrery.worlds.episode import WorldTurn

SINCE = 2  # the release whose server is used here
SESSION = ToolArgument("session", "The session that a call of reset returned.")
RESET = WorldTool(
    "reset",
    "Start an episode. Read its rules, state and goal.",
    (
        ToolArgument(
            "seed", "The number of the problem. Without it, the problem is random.", False, "integer"
        ),
        ToolArgument("difficulty", "A difficulty of the domain. Without it, the easiest.", False),
        ToolArgument("split", "Only problems of this split: train, validation or test.", False),
    ),
)


@dataclass(frozen=True)
class ToolResult:
    """The turn after a call, and its session, which is new if the call has started it."""

    turn: WorldTurn
    session: Session
    is_new: bool = False

    @property
    def shown(self) -> dict[str, Any]:
        """What a model may read, as JSON values."""
        turn = self.turn
        text, listed = turn.observation.encode("utf-8", "replace").decode(), list(turn.admissible)
        about = {"observation": text, "admissible": listed, "done": turn.done, "reason": turn.reason}
        return {**about, "session": self.session.id}


@dataclass(frozen=True)
class McpTools:
    """The tools of a server. ``only`` is the session of all calls, if there is just one client."""

    sessions: Sessions
    maker: WorldMaker
    only: Session | None = None

    def at(self, address: str | None) -> list[WorldTool]:
        """Return the tools for a session by its id, or without one those of the default domain.

        Whoever gives a model the address of a session resets it. So there is no ``reset`` at such an address.

        Raises:
            UsageError: there is no such session, or no default domain.
        """
        if address is not None:
            problem = self.sessions.get(address).world.problem
            return [*world_tools(problem.domain, problem.words)]
        entry = entry_of(self.maker.root, self.maker.named(None))
        tools = world_tools(entry.domain, entry.words)
        if self.only is not None:
            return [RESET, *tools]
        optional = SESSION._replace(required=False)
        return [_with(RESET, optional), *(_with(tool, SESSION) for tool in tools)]

    def call(self, address: str | None, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Call a tool.

        Raises:
            UsageError: there is no such tool or session, or a reset has impossible arguments.
        """
        tools = {tool.name: tool for tool in self.at(address)}
        if name not in tools:
            raise UsageError(f"tool '{name:.60}'", "is unknown", suggest(name, "tools", tools))
        if name == RESET.name:
            return self._reset(arguments)
        session = self.only or self.sessions.get(address or arguments.get(SESSION.name))
        others = {key: value for key, value in arguments.items() if key != SESSION.name}
        return ToolResult(session.step(tools[name].reply(others)), session)

    def _reset(self, arguments: dict[str, Any]) -> ToolResult:
        names = [argument.name for argument in RESET.arguments]
        if unknown := sorted(set(arguments) - {*names, SESSION.name}):
            raise UsageError(
                f"argument '{unknown[0]:.60}'", "is unknown", suggest(unknown[0], "arguments", names)
            )
        wanted = {name: arguments[name] for name in names if name in arguments}
        named = arguments.get(SESSION.name)
        if self.only is None and named is None:
            session, turn = self.sessions.opened(lambda: self.maker.world(wanted))
            return ToolResult(turn, session, is_new=True)
        session = self.only or self.sessions.get(named)
        return ToolResult(session.reset(lambda: self.maker.world(wanted)), session)


def _with(tool: WorldTool, argument: ToolArgument) -> WorldTool:
    return replace(tool, arguments=(argument, *tool.arguments))


def has_mcp() -> bool:
    """Return whether the installed release of ``mcp`` is recent enough."""
    return has_release("mcp", SINCE)


def missing_mcp() -> ToolMissing:
    """Return the error that ``mcp`` is not installed, or too old."""
    return ToolMissing(
        "this installation", f"lacks the package mcp, release {SINCE} or later", install("mcp")
    )
