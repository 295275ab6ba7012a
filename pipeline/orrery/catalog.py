"""The catalog of domains, with descriptions and generators. It is a listing of the folders."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import UnionType
from typing import Any, Protocol, cast

from orrery import generator_file
from orrery.composition.compose import NotComposed, compose, number_of
from orrery.composition.composed_domain import ComposedDomain
from orrery.config import Description, load, read_model
from orrery.language.names import NamePools, Renames
from orrery.language.words import Words
from orrery.model import (
    EQUAL,
    Atom,
    ConfigurationPair,
    Domain,
    Generated,
    Limits,
    OrreryError,
    Parameters,
    Problem,
    Step,
    TypedName,
    UsageError,
    suggest,
)
from orrery.pddl.read import PddlError, read_domain_file, read_problem_file
from orrery.pddl.write import write_literal
from orrery.seeds import stream

SPLITS = ("test", "validation", "train")
ENTRIES_KEPT = 256  # per process; a stream of composed domains has a new one every item

Planner = Callable[[Problem], list[Step] | None]
ClosureRule = Callable[[Problem], frozenset[Atom] | None]


class Generator(Protocol):
    """The interface of a file in ``generators/``; other functions (docs/add-a-domain.md) are optional."""

    TASKS: tuple[ConfigurationPair, ...]

    def draw(self, task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
        """Draw parameters of the task within ``limits``."""

    def build(self, task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
        """Build a problem with these parameters."""


class Catalog:
    """The domains of one checkout, found by listing its folders."""

    def __init__(self, root: Path) -> None:
        """Look up domains in ``root``, the folder with ``domains``, ``generators`` and ``templates``."""
        self.root = root
        self.templates = root / "templates"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all domains, sorted."""
        return tuple(sorted(path.parent.name for path in self.root.glob("domains/*/domain.pddl")))

    def entry(self, name: str) -> Entry:
        """Return the domain ``name``.

        Raises:
            UsageError: the domain is unknown; the message lists the known domains.
        """
        if name not in self.names and number_of(name) is None:
            raise UsageError(
                f"domain '{name}'",
                f"has no file {self.root / 'domains' / name / 'domain.pddl'}",
                suggest(name, "domains", self.names),
            )
        return Entry(self.root, name)


@dataclass(frozen=True)
class Entry:
    """One domain with all its files; each part is read at its first use."""

    root: Path
    name: str

    @cached_property
    def composed(self) -> ComposedDomain | None:
        """The composed domain, if the name is ``composed-<number>`` and no folder has that name.

        Raises:
            UsageError: what is drawn for that number is no domain.
        """
        number = number_of(self.name)
        if number is None or (self.folder / "domain.pddl").exists():
            return None
        try:
            composition = compose(self.root, load(self.root).seed, number)
        except NotComposed as broken:
            raise UsageError(
                f"domain '{self.name}'", f"is not composed: {broken}", "try another number"
            ) from broken
        return ComposedDomain(composition, self.root / "templates")

    @cached_property
    def folder(self) -> Path:
        """``domains/<name>``."""
        return self.root / "domains" / self.name

    @cached_property
    def generator_file(self) -> Path:
        """``generators/<name>.py``, with the hyphens of the domain's name."""
        return self.root / "generators" / f"{self.name}.py"

    @cached_property
    def domain(self) -> Domain:
        """The domain.

        Its name must equal that of the folder, otherwise Fast Downward refuses the problems.
        """
        if self.composed:
            return self.composed.domain
        domain = read_domain_file(self.folder / "domain.pddl")
        if domain.name != self.name:
            raise PddlError(
                str(self.folder / "domain.pddl"),
                f"the domain is named '{domain.name}', its folder '{self.name}'",
                "give both the same name",
            )
        return domain

    @cached_property
    def description(self) -> Description:
        """The content of ``domain.yaml``, or the defaults if the file does not exist."""
        if self.composed:
            return self.composed.description
        path = self.folder / "domain.yaml"
        return read_model(path, Description) if path.exists() else Description(title=self.name)

    @cached_property
    def words(self) -> Words:
        """The domain's templates, with a macro for each of its predicates and actions."""
        words = self.composed.words if self.composed else Words(self.name, self.root / "templates")
        if missing := words.missing(self.domain):
            names = ", ".join(stub.split("(")[0].split()[-1] for stub in missing)
            raise OrreryError(str(words.path), f"has no macros {names}", f"add {' '.join(missing)}")
        return words

    @cached_property
    def name_pools(self) -> NamePools:
        """The lists of names for objects of the domain."""
        return NamePools.of(self.root / "templates" / "names", self.domain)

    def names_of(self, objects: tuple[TypedName, ...], split: str, seed: int, seed_path: str) -> Renames:
        """Return the names of the objects of a generated problem of a split; empty if names are unchanged.

        ``objects`` are those of ``name_pools.kinded``; ``seed_path`` is that of the problem, under the
        root ``seed``.
        """
        if self.description.named:
            return {}
        rng = stream(seed, "names", *seed_path.split("/"))
        return self.name_pools.drawn(objects, rng, split)

    @cached_property
    def generator(self) -> Generator | None:
        """The generator module, or None if the domain has only problem files."""
        if self.composed:
            return cast(Generator, self.composed.generator)
        if not self.generator_file.exists():
            return None
        module = generator_file.load(self.generator_file)
        pairs = getattr(module, "TASKS", None)
        place, mend = str(self.generator_file), "see docs/add-a-domain.md"
        # A generator without tasks draws nothing; its domain has problem files.
        for name in ("TASKS", "draw", "build") if pairs != () else ():
            if not hasattr(module, name):
                raise OrreryError(place, f"has no '{name}'", mend)
        if not isinstance(pairs, tuple) or not all(isinstance(pair, ConfigurationPair) for pair in pairs):
            raise OrreryError(place, "TASKS is not a tuple of ConfigurationPair", mend)
        return cast(Generator, module)

    @cached_property
    def tasks(self) -> tuple[ConfigurationPair, ...]:
        """The tasks (pairs of configurations) of the generator, sorted; empty without a generator."""
        return tuple(sorted(self.generator.TASKS)) if self.generator else ()

    def call(self, function: str, *arguments: Any, returns: type | UnionType | None = None) -> Any:
        """Call a function of the generator and return its result, an instance of ``returns``.

        Raises:
            OrreryError: the function raised an OrreryError, such as ParameterError; any other exception is
                reported with file and line.
        """
        return generator_file.call(self.generator_file, self.generator, function, *arguments, returns=returns)

    def limits(self, difficulty: str) -> dict[str, tuple[int, int]]:
        """Return the ranges for the draws of the generator; empty if the domain has no difficulties."""
        difficulties = self.description.difficulties
        if difficulties is None:
            return {}
        if difficulty not in difficulties:
            raise OrreryError(
                str(self.folder / "domain.yaml"),
                f"has no difficulty '{difficulty}'",
                f"add it under 'difficulties' (difficulties: {', '.join(difficulties)})",
            )
        return {name: (limits[0], limits[1]) for name, limits in difficulties[difficulty].items()}

    def make(self, task: ConfigurationPair, difficulty: str, rng: random.Random) -> Generated:
        """Draw parameters of a task and build a problem.

        Raises:
            OrreryError: as in ``call``; ParameterError if no parameters fit the limits.
        """
        parameters = self.call("draw", task, self.limits(difficulty), rng, returns=dict)
        generated: Generated = self.call("build", task, parameters, rng, returns=Generated)
        return generated

    @property
    def exchangeable(self) -> bool:
        """Whether the generator declares ``EXCHANGEABLE = True``.

        The declaration covers problems whose task is neither tied nor strict, and two objects of one type
        with the same static facts. Exchanging the two maps the reachable states onto themselves, and changes
        the closed goal exactly if it changes the facts of the goal.
        """
        return bool(getattr(self.generator, "EXCHANGEABLE", False))

    @property
    def planner(self) -> Planner | None:
        """The domain's own planner, if its generator has one: ``plan``."""
        if not hasattr(self.generator, "plan"):
            return None
        return partial(self.call, "plan", returns=list | None)

    @property
    def has_ladder(self) -> bool:
        """Whether the generator draws problems with plans of a given length: ``ladder``."""
        return hasattr(self.generator, "ladder")

    def ladder(self, steps: int, rng: random.Random) -> Problem:
        """Draw a problem whose shortest plans have about ``steps`` steps, and hardly ever more.

        Raises:
            OrreryError: as in ``call``; ParameterError if such a problem would be too large.
        """
        problem: Problem = self.call("ladder", steps, rng, returns=Problem)
        return problem

    def fewest_steps(self, problem: Problem) -> int | None:
        """Return a lower bound on the number of steps of every plan of a solvable problem, in closed form.

        The result is None if the generator has no function ``fewest_steps`` or the function returns None.
        """
        if not hasattr(self.generator, "fewest_steps"):
            return None
        steps: int | None = self.call("fewest_steps", problem, returns=int | None)
        return steps

    @property
    def closure_rule(self) -> ClosureRule | None:
        """The domain's own goal closure, if its generator has one: ``close_goal``."""
        if not hasattr(self.generator, "close_goal"):
            return None
        return partial(self.call, "close_goal", returns=frozenset | None)

    @property
    def excluded_keys_file(self) -> Path:
        """The file with the loose keys of problems that are never drawn, one per line; it may be missing."""
        return self.folder / "excluded_keys.txt"

    @property
    def excluded_keys(self) -> frozenset[str]:
        """Loose keys of problems that are never drawn, for example those of another build."""
        path = self.excluded_keys_file
        return frozenset(path.read_text(encoding="utf-8").split() if path.exists() else ())

    @property
    def problem_files(self) -> list[Path]:
        """Problem files in PDDL, sorted by name."""
        return sorted(self.folder.glob("problems/*.pddl"))

    def problem_of(self, path: Path) -> Problem:
        """Read a problem file; comparisons of objects that always hold are removed from the goal.

        Raises:
            PddlError: the file cannot be read, is not a problem of the domain, or its goal has a comparison
                that never holds.
        """
        problem = read_problem_file(path, self.domain)
        comparisons = frozenset(literal for literal in problem.goal if literal.atom[0] == EQUAL)
        if false := sorted(literal for literal in comparisons if not literal.holds(frozenset())):
            fault = f"the goal asks for {write_literal(false[0])}, which never holds"
            raise PddlError(str(path), fault, "remove it from the goal")
        return replace(problem, goal=problem.goal - comparisons) if comparisons else problem


@lru_cache(maxsize=ENTRIES_KEPT)
def entry_of(root: Path, name: str) -> Entry:
    """Return the domain ``name`` of the checkout at ``root``, cached in each process."""
    return Catalog(root).entry(name)
