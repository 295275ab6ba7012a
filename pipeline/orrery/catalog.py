"""The catalog of domains, with descriptions and generators. The folder is the registry."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol, cast

from orrery import generator_file
from orrery.config import Description, read_model
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
    Sketch,
    Step,
    TypedName,
    UsageError,
)
from orrery.pddl.read import PddlError, read_domain_file, read_problem_file
from orrery.pddl.write import write_literal
from orrery.seeds import stream

SPLITS = ("test", "validation", "train")

Planner = Callable[[Problem], list[Step] | None]
ClosureRule = Callable[[Problem], frozenset[Atom] | None]
Alike = tuple[Hashable, Hashable]


class Generator(Protocol):
    """What a file in ``generators/`` offers; ``plan``, ``close_goal`` and ``alike`` may be left out."""

    TASKS: tuple[ConfigurationPair, ...]

    def draw(self, task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
        """Draw parameters of the task within ``limits``."""

    def build(self, task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
        """Build a problem with these parameters."""


class Catalog:
    """The domains of one checkout, found by looking in its folders."""

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
            UsageError: no such domain; the message lists those there are.
        """
        if name not in self.names:
            known = ", ".join(self.names) or "none"
            raise UsageError(
                f"domain '{name}'",
                f"no {self.root / 'domains' / name / 'domain.pddl'}",
                f"there are: {known}",
            )
        return Entry(self.root, name)


@dataclass(frozen=True)
class Entry:
    """One domain with everything that the folders hold about it; each part is read when asked for."""

    root: Path
    name: str

    @cached_property
    def folder(self) -> Path:
        """``domains/<name>``."""
        return self.root / "domains" / self.name

    @cached_property
    def generator_file(self) -> Path:
        """``generators/<name>.py``, hyphens and all: the build looks files up by the domain's name."""
        return self.root / "generators" / f"{self.name}.py"

    @cached_property
    def domain(self) -> Domain:
        """The domain; its name must be the folder's, or Fast Downward refuses the problems."""
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
        """The content of ``domain.yaml``, or the defaults where there is none."""
        path = self.folder / "domain.yaml"
        return read_model(path, Description) if path.exists() else Description(title=self.name)

    @cached_property
    def words(self) -> Words:
        """The domain's words, with a macro for each of its predicates and actions."""
        words = Words(self.name, self.root / "templates")
        if missing := words.missing(self.domain):
            names = ", ".join(stub.split("(")[0].split()[-1] for stub in missing)
            raise OrreryError(str(words.path), f"lacks the macros {names}", f"add {' '.join(missing)}")
        return words

    @cached_property
    def name_pools(self) -> NamePools:
        """The lists of names that objects of the domain may have."""
        return NamePools.of(self.root / "templates" / "names", self.domain)

    def names_of(self, objects: tuple[TypedName, ...], split: str, seed: int, seed_path: str) -> Renames:
        """Return what objects of a generated problem of a split are called; empty where names stay.

        ``objects`` are as ``name_pools.kinded`` gives them; ``seed_path`` is that of the problem, under the
        root ``seed``.
        """
        if self.description.named:
            return {}
        rng = stream(seed, "names", *seed_path.split("/"))
        return self.name_pools.drawn(objects, rng, split)

    @cached_property
    def generator(self) -> Generator | None:
        """The generator module, or None where the domain comes with problem files alone."""
        if not self.generator_file.exists():
            return None
        module = generator_file.load(self.generator_file)
        tasks = getattr(module, "TASKS", None)
        # Without tasks there is nothing to draw: the file of a domain that comes with problem files.
        where, mend = str(self.generator_file), "see docs/add-a-domain.md"
        for wanted in ("TASKS", "draw", "build") if tasks != () else ():
            if not hasattr(module, wanted):
                raise OrreryError(where, f"has no '{wanted}'", mend)
        if not isinstance(tasks, tuple) or not all(isinstance(each, ConfigurationPair) for each in tasks):
            raise OrreryError(where, "TASKS is not a tuple of ConfigurationPair", mend)
        return cast(Generator, module)

    @cached_property
    def tasks(self) -> tuple[ConfigurationPair, ...]:
        """The tasks that the generator offers, sorted; none where there is no generator."""
        return tuple(sorted(self.generator.TASKS)) if self.generator else ()

    def call(self, function: str, *arguments: Any) -> Any:
        """Call the generator's ``function`` and return what it returns.

        Raises:
            OrreryError: the function's own, such as ParameterError; any other exception is reported
                with file and line.
        """
        return generator_file.call(self.generator_file, self.generator, function, *arguments)

    def limits(self, difficulty: str) -> dict[str, tuple[int, int]]:
        """Return the ranges that the generator draws within; none where the domain names no difficulties."""
        given = self.description.difficulties
        if given is None:
            return {}
        if difficulty not in given:
            raise OrreryError(
                str(self.folder / "domain.yaml"),
                f"no difficulty '{difficulty}'",
                f"add it under 'difficulties' (there are: {', '.join(given)})",
            )
        return {name: (limits[0], limits[1]) for name, limits in given[difficulty].items()}

    def make(self, task: ConfigurationPair, difficulty: str, rng: random.Random) -> Generated:
        """Draw parameters of a task and build their problem.

        Raises:
            OrreryError: as ``call`` does; ParameterError where the limits leave no parameters.
        """
        parameters = self.checked_parameters(self.call("draw", task, self.limits(difficulty), rng))
        return self.checked_problem(self.call("build", task, parameters, rng))

    def checked_parameters(self, drawn: object) -> Parameters:
        """Return what ``draw`` returned; OrreryError where that is no dictionary of parameters."""
        if not isinstance(drawn, dict):
            raise self._nonsense("draw", drawn, "return parameters by name")
        return drawn

    def checked_problem(self, built: object) -> Generated:
        """Return what ``build`` returned; OrreryError where that is no problem."""
        if not isinstance(built, Generated) or not isinstance(built.problem, Problem):
            raise self._nonsense("build", built, "return a Generated with a Problem")
        return built

    def checked_sketch(self, drafted: object) -> Sketch:
        """Return what ``sketch`` returned; OrreryError where that is no sketch."""
        if not isinstance(drafted, Sketch):
            raise self._nonsense("sketch", drafted, "return a Sketch")
        return drafted

    def _nonsense(self, function: str, returned: object, mend: str) -> OrreryError:
        """Return what is said of a function of the generator that returns something of another kind."""
        return OrreryError(str(self.generator_file), f"'{function}' returned {returned!r:.80}", mend)

    def alike(self, task: ConfigurationPair, parameters: Parameters) -> Alike | None:
        """Return what the generator's ``alike`` says of parameters; None where it has none, or says nothing.

        Two values without names of objects, for initial state and goal. Of problems built of parameters with
        an equal first value, the initial states are equal but for the names of objects; with an equal second
        one, so are the closed goals together with the facts that no action changes; with both equal, the
        whole problems are, if the task is tied or strict.
        """
        return self.checked_alike(self.call("alike", task, parameters)) if self.tells_alike else None

    def checked_alike(self, found: Alike | None) -> Alike | None:
        """Return what ``alike`` found, if it is of the right kind; see there."""
        if found is not None and not (isinstance(found, tuple) and len(found) == 2):
            raise self._nonsense("alike", found, "return two values, or None")
        return found

    @cached_property
    def sketches(self) -> bool:
        """Whether the generator makes problems by numbers of facts, too: with ``sketch`` and ``fact``.

        ``sketch(task, parameters, rng)`` takes parameters as ``draw`` gives them and returns a ``Sketch`` of
        the problem that ``build`` makes of them and the same stream; ``fact(number)`` gives its facts.
        """
        return all(hasattr(self.generator, name) for name in ("sketch", "fact"))

    @cached_property
    def tells_alike(self) -> bool:
        """Whether the generator says what is alike."""
        return hasattr(self.generator, "alike")

    @property
    def exchangeable(self) -> bool:
        """Whether the generator says that exchanging two objects leaves the reachable states what they are.

        It says so, by ``EXCHANGEABLE = True``, of problems of its tasks that are neither tied nor strict, and
        of two objects of one type that static facts do not tell apart; and that the closed goal is another
        wherever its facts, after the exchange, are.
        """
        return bool(getattr(self.generator, "EXCHANGEABLE", False))

    @property
    def planner(self) -> Planner | None:
        """The domain's own planner, where its generator has one."""
        return self._planned if hasattr(self.generator, "plan") else None

    def _planned(self, problem: Problem) -> list[Step] | None:
        steps = self.call("plan", problem)
        if steps is not None and not _are_atoms(steps, list):
            raise self._nonsense("plan", steps, "return a list of tuples of names, or None")
        return cast("list[Step] | None", steps)

    @property
    def closure_rule(self) -> ClosureRule | None:
        """The domain's own goal closure, where its generator has one."""
        return self._closed if hasattr(self.generator, "close_goal") else None

    def _closed(self, problem: Problem) -> frozenset[Atom] | None:
        facts = self.call("close_goal", problem)
        if facts is not None and not _are_atoms(facts, frozenset):
            raise self._nonsense("close_goal", facts, "return a frozenset of facts, or None")
        return cast("frozenset[Atom] | None", facts)

    @property
    def problem_files(self) -> list[Path]:
        """Problems given as PDDL, sorted by name."""
        return sorted(self.folder.glob("problems/*.pddl"))

    def given_problem(self, path: Path) -> Problem:
        """Return the problem of one of the files, its goal without comparisons of objects: they always hold.

        Raises:
            PddlError: the file cannot be read, holds no problem of the domain, or its goal has a comparison
                that never holds.
        """
        problem = read_problem_file(path, self.domain)
        compared = frozenset(literal for literal in problem.goal if literal.atom[0] == EQUAL)
        if never := sorted(literal for literal in compared if not literal.holds(frozenset())):
            asked = f"the goal asks for {write_literal(never[0])}, which never holds"
            raise PddlError(str(path), asked, "drop it from the goal")
        return replace(problem, goal=problem.goal - compared) if compared else problem


def _are_atoms(found: object, kind: type[list[Any]] | type[frozenset[Any]]) -> bool:
    return isinstance(found, kind) and all(type(each) is tuple and each for each in found)


@cache
def entry_of(root: Path, name: str) -> Entry:
    """Return the domain ``name`` of the checkout at ``root``, read once a process."""
    return Catalog(root).entry(name)
