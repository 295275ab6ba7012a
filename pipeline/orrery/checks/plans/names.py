"""Plain names for the names of a vocabulary, in which a row of a plan task is written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from orrery.language.renamed_domain import RenamedProblem
from orrery.model import Atom, Problem, Step
from orrery.pddl.renaming import Tables


@dataclass(frozen=True)
class Names:
    """The inverse names of a vocabulary for one problem; ``renamed`` is None for plain names."""

    renamed: RenamedProblem | None = None

    @cached_property
    def tables(self) -> Tables:
        """The plain names by the names of the vocabulary."""
        assert self.renamed is not None
        return self.renamed.tables.inverse()

    def problem(self, problem: Problem) -> Problem:
        """Return a problem on the same objects under plain names."""
        return problem if self.renamed is None else self.renamed.original(problem)

    def step(self, step: Step) -> Step:
        """Return a step under plain names."""
        return (self.action(step[0]), *map(self.object, step[1:]))

    def atom(self, atom: Atom) -> Atom:
        """Return a fact under plain names."""
        return atom if self.renamed is None else self.tables.atoms([atom])[0]

    def object(self, name: str) -> str:
        """Return the plain name of an object."""
        return name if self.renamed is None else self.tables.objects[name]

    def action(self, name: str) -> str:
        """Return the plain name of an action."""
        return name if self.renamed is None else self.tables.actions[name]

    def other(self, problem: Problem) -> Problem:
        """Return a problem with objects of its own; all other names become plain."""
        if self.renamed is None:
            return problem
        constants = {new: old for old, new in self.renamed.vocabulary.tables.objects.items()}
        objects = {typed.name: typed.name for typed in problem.objects}
        tables = self.tables._replace(objects=objects | constants)
        return tables.problem(problem, problem.name, self.renamed.plain.domain)
