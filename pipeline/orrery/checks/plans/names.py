"""The names of a row's vocabulary, undone: all that a row says, as the plain domain would say it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orrery.language.renamed_domain import RenamedProblem
from orrery.model import Atom, Literal, Problem, Step


@dataclass(frozen=True)
class Names:
    """The names of a vocabulary for one problem; ``renamed`` is None where they are the plain ones."""

    renamed: RenamedProblem | None = None

    def problem(self, problem: Problem) -> Problem:
        """Return a problem on the same objects under plain names."""
        return problem if self.renamed is None else self.renamed.original(problem)

    def step(self, step: Step) -> Step:
        """Return a step under plain names."""
        if self.renamed is None:
            return step
        tables = self.renamed.tables.inverse()
        return (tables.actions[step[0]], *(tables.objects[name] for name in step[1:]))

    def literal(self, literal: Literal) -> Literal:
        """Return a literal under plain names."""
        if self.renamed is None:
            return literal
        (plain_literal,) = self.renamed.tables.inverse().literals([literal])
        return plain_literal

    def atom(self, atom: Atom) -> Atom:
        """Return a fact under plain names."""
        return self.literal(Literal(atom)).atom

    def object(self, name: str) -> str:
        """Return the plain name of an object."""
        return name if self.renamed is None else self.renamed.tables.inverse().objects[name]

    def action(self, name: str) -> str:
        """Return the plain name of an action."""
        return name if self.renamed is None else self.renamed.tables.inverse().actions[name]

    def other(self, problem: Problem) -> Problem:
        """Return a problem on objects of its own, all but these under plain names."""
        if self.renamed is None:
            return problem
        inverse = self.renamed.tables.inverse()
        constants = {new: old for old, new in self.renamed.vocabulary.tables.objects.items()}
        objects = {typed.name: typed.name for typed in problem.objects} | constants
        order = {typed.name: place for place, typed in enumerate(problem.objects)}
        tables = inverse._replace(objects=objects)
        return tables.problem(replace(problem), problem.name, self.renamed.plain.domain, order)
