"""Read a request for a world, and make the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cached_property, lru_cache
from pathlib import Path
from secrets import randbelow
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orrery.composition.compose import COMPOSED
from orrery.library.worlds import world
from orrery.model import UsageError, suggest
from orrery.worlds.episode import World, WorldOptions
from orrery.worlds.world_problem import WorldProblem

PROBLEMS_KEPT = 256
SEEDS = 2**31  # a request without a seed gets a random one below this number
OPTIONS = tuple(option.name for option in fields(WorldOptions))
MOST_STEPS = 10_000  # budget of actions of an episode; the server keeps the replies of an episode


class RequestedWorld(BaseModel):
    """The problem of a request. Its other names are the rules of the episode, see ``WorldOptions``."""

    model_config = ConfigDict(extra="allow", strict=True)

    domain: str | None = Field(None, max_length=200)
    seed: int | None = Field(None, ge=0, lt=2**63)
    difficulty: str | None = Field(None, max_length=200)
    kind: str | None = Field(None, max_length=200)
    split: str | None = Field(None, max_length=200)

    @property
    def options(self) -> WorldOptions:
        """The rules of the episode.

        Raises:
            UsageError: an option does not exist, or has an impossible value.
        """
        given = self.model_extra or {}
        if unknown := sorted(set(given) - set(OPTIONS)):
            mend = suggest(unknown[0], "a request may have", [*type(self).model_fields, *OPTIONS])
            raise UsageError(f"'{unknown[0]:.60}'", "is unknown", mend)
        options: WorldOptions = _checked(lambda values: WorldOptions(**values), given)
        if (options.max_steps or 1) > MOST_STEPS:
            raise UsageError(f"max_steps {options.max_steps}", f"must be at most {MOST_STEPS:,}")
        return options


class WorldMaker:
    """Makes the requested worlds. Worlds of the same problem share it, because it is immutable."""

    def __init__(self, root: Path, domain: str | None = None) -> None:
        """Make worlds of a checkout; ``domain`` is that of requests that name none."""
        self.root, self.domain = root, domain

    def world(self, request: Mapping[str, Any]) -> tuple[World, int]:
        """Return a new world for a request, and its seed, which is random if the request has none.

        Raises:
            UsageError: a name or value of the request is unknown or impossible.
            NoItem: the domain has no such problem.
        """
        wanted = _checked(RequestedWorld.model_validate, request)
        options = wanted.options
        seed = randbelow(SEEDS) if wanted.seed is None else wanted.seed
        problem = self._problem(
            self.named(wanted.domain), seed, wanted.difficulty, wanted.kind, wanted.split or ""
        )
        return World(problem, options), seed

    def named(self, domain: str | None) -> str:
        """Return the entry of a requested domain in the catalog, or that of the default one.

        Raises:
            UsageError: there is neither.
        """
        if name := domain or self.domain:
            return name.replace(f"{COMPOSED}/", f"{COMPOSED}-")
        raise UsageError(
            "domain", "is missing", "name a domain, or start the server with --domain for a default"
        )

    @cached_property
    def _problem(self) -> Callable[[str, int, str | None, str | None, str], WorldProblem]:
        def problem(
            domain: str, seed: int, difficulty: str | None, kind: str | None, split: str
        ) -> WorldProblem:
            return world(domain, seed, difficulty, kind=kind, split=split, root=self.root).problem

        return lru_cache(maxsize=PROBLEMS_KEPT)(problem)


def world_entries(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request for a world among the entries of a row."""
    return {name: row[name] for name in (*RequestedWorld.model_fields, *OPTIONS) if name in row}


def _checked(validate: Callable[[Any], Any], data: Mapping[str, Any]) -> Any:
    """Return validated data.

    Raises:
        UsageError: the data is not valid; the message names the first faulty entry.
    """
    try:
        return validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "request"
        raise UsageError(place, first["msg"]) from None
