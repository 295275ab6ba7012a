"""Worlds for the ``environment_factory`` of TRL's trainers. The package itself is not required."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any

from orrery.library.worlds import WorldSet, world_set
from orrery.model import UsageError
from orrery.worlds.action_tools import WorldTool, world_tools
from orrery.worlds.episode import World

RETURNED = "Returns:\n    What changed, why the action is impossible, or the answer."


class WorldEpisodes:
    """One episode after another in worlds of a domain; ``world_environment`` makes subclasses with tools."""

    _worlds: WorldSet
    _world: World
    _reward = 0.0

    def reset(self, seed: int | None = None, **_: Any) -> str:
        """Start an episode in world ``seed``; return the rules, the state and the goal. It needs a seed."""
        if seed is None:
            mend = 'give the training set a column, such as {"prompt": [...], "seed": n}'
            raise UsageError("reset", "needs the column 'seed', the number of the world", mend)
        self._world, self._reward = self._worlds.world(int(seed)), 0.0
        return self._world.first_observation

    def get_reward(self) -> float:
        """Return the sum of the rewards in the episode."""
        return self._reward

    def _reply(self, reply: str) -> str:
        turn = self._world.step(reply)
        self._reward += turn.reward
        return turn.observation


def world_environment(
    domain: str, difficulty: str | None = None, seed: int = 0, *, split: str | None = "train", **options: Any
) -> type[WorldEpisodes]:
    """Return a class for ``GRPOTrainer(environment_factory=...)`` of TRL: a domain that one acts in by tools.

    Tools are the actions of the domain, described in its words, and ``look`` and ``list``. They return the
    observation, also for wrong arguments. Rows of the training set have a column ``seed``, the number of
    their world; the first observation follows their last message:

        rows = [{"prompt": [{"role": "user", "content": "Reach the goal. "}], "seed": n} for n in range(1000)]
        GRPOTrainer(model, environment_factory=orrery.world_environment("ferry", reward="shaped"),
                    train_dataset=Dataset.from_list(rows))

    Args:
        domain: the name of a domain.
        difficulty: a difficulty of the domain (default: the easiest).
        seed: added to the seeds of the rows.
        split: the split of the problems; None for any.
        **options: further arguments of ``orrery.world``.

    Raises:
        UsageError: the domain, difficulty, kind, split or an option does not exist.
    """
    worlds = world_set(domain, difficulty, seed, split=split, **options)
    entry = worlds.sources[0].entry
    methods = [_method(tool) for tool in world_tools(entry.domain, entry.words)]
    name = "".join(part.capitalize() for part in domain.split("-")) + "World"
    return type(
        name, (WorldEpisodes,), {"_worlds": worlds, **{method.__name__: method for method in methods}}
    )


def _method(tool: WorldTool) -> Callable[..., str]:
    """Return the method of a tool, with the signature and the docstring from which schemas are made."""
    arguments = {_identifier(argument.name): argument for argument in tool.arguments}

    def method(self: WorldEpisodes, *values: Any, **named: Any) -> str:
        given = dict(zip(arguments, values, strict=False)) | named
        stated = {a.name: given[name] for name, a in arguments.items() if given.get(name, "") != ""}
        return self._reply(tool.reply(stated))

    parameters = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    for name, argument in arguments.items():
        default = Parameter.empty if argument.required else ""
        parameters += [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=str)]
    lines = [f"    {name}: {argument.description}" for name, argument in arguments.items()]
    method.__name__ = method.__qualname__ = _identifier(tool.name)
    method.__doc__ = "\n".join([tool.description, "", *(["Args:", *lines, ""] if lines else []), RETURNED])
    method.__annotations__ = dict.fromkeys([*arguments, "return"], str)
    vars(method)["__signature__"] = Signature(parameters, return_annotation=str)
    return method


def _identifier(symbol: str) -> str:
    """Return a symbol of PDDL as a free name of Python."""
    name = symbol.replace("-", "_")
    return f"{name}_" if iskeyword(name) or name in ("self", "get_reward") else name
