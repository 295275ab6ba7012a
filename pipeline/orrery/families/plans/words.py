"""The texts of a plan question, in words and in PDDL, from ``templates/plans/<task>.j2``.

One macro makes both: its argument ``say`` writes steps, facts and goals in words or in PDDL.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from orrery.families.questions.context import PROSE, WORDINGS, QuestionContext, neat, parts_of
from orrery.families.questions.question_row import QuestionTexts
from orrery.families.questions.state_record import StateRecord
from orrery.language.words import Words, macro_name, macros_of, sentence
from orrery.model import Domain, Literal, OrreryError, Step
from orrery.pddl.write import write_atom, write_literal
from orrery.store.kinds import as_json

FOLDER = "plans"


class SolvedExample(NamedTuple):
    """A solved problem in a question."""

    record: StateRecord
    plan: tuple[Step, ...]


class InPddl:
    """Writes steps, facts, goals and examples in PDDL; the templates call it ``say``."""

    def action(self, step: Step) -> str:
        """Return a step in PDDL, such as ``(action object ...)``."""
        return write_atom(step)

    def literal(self, literal: Literal) -> str:
        """Return a literal in PDDL."""
        return write_literal(literal)

    def example(self, example: SolvedExample) -> str:
        """Return the problem of an example."""
        return example.record.problem_pddl

    def steps(self, steps: Sequence[Step]) -> str:
        """Return steps as numbered lines."""
        return "\n".join(f"{number}. {self.action(step)}" for number, step in enumerate(steps, 1))

    def literals(self, literals: Iterable[Literal]) -> str:
        """Return literals as lines that begin with a dash."""
        return "\n".join(f"- {self.literal(literal)}" for literal in literals)

    def costs(self, costs: Sequence[tuple[Step, int]]) -> str:
        """Return the costs of actions, one line each; arguments are variables."""
        return "\n".join(f"- {self.action(step)}: {cost}" for step, cost in costs)

    def object_costs(self, costs: Sequence[tuple[str, int]]) -> str:
        """Return the costs of objects, one line each."""
        return "\n".join(f"- {name}: {cost}" for name, cost in costs)


class InWords(InPddl):
    """Writes the same in the wordings of a context."""

    def __init__(self, context: QuestionContext) -> None:
        """Use the wordings of ``context``."""
        self._context = context

    def action(self, step: Step) -> str:
        """Return the phrase of a step."""
        return self._context.action(step)

    def literal(self, literal: Literal) -> str:
        """Return the clause of a literal."""
        return self._context.literal(literal)

    def example(self, example: SolvedExample) -> str:
        """Return objects, state and goal of an example, in the wordings of the context."""
        context = replace(self._context, record=example.record)
        goal = context.goal_sentences
        if context.style == PROSE:
            start_text = " ".join([context.objects, *context.prose_statics, *context.prose_state])
            wanted = f"The goal: {context.goal_clause}." if context.goal_clause else ""
            return f"{start_text}\n{wanted or ' '.join(['Wanted:', *context.prose_goal])}"
        wanted = " ".join(["Wanted:", *goal]) if goal else sentence("the goal: " + " and ".join(context.goal))
        return " ".join([context.objects, *context.statics, *context.state]) + f"\n{wanted}"


def texts_of(
    templates: Path, task: str, context: QuestionContext, rng: random.Random, *values: object
) -> QuestionTexts:
    """Return context and question of a task from its template, whose macro ``question`` gets ``values``.

    Raises:
        OrreryError: the template is missing or broken, or lacks a macro that the family needs.
    """
    module = macros_of(templates, f"{FOLDER}/{task}", "parts", "question")
    variant = rng.randrange(WORDINGS)

    def question(say: InPddl) -> str:
        try:
            return neat(str(module.question(say, variant, *values)))
        except TypeError as error:
            place = str(templates / FOLDER / f"{task}.j2")
            mend = f"question takes say, variant and {len(values)} more arguments"
            raise OrreryError(place, f"macro question: {error}", mend) from error

    in_words, in_pddl = question(InWords(context)), question(InPddl())
    text, held_out = context.parts(parts_of(module, context.style, answered=False))
    return QuestionTexts(text, in_words, in_pddl, context.style, held_out)


@lru_cache(maxsize=64)
def phrases_of(words: Words, domain: Domain) -> str:
    """Return all wordings of actions and facts, in the form of the column ``nl_templates``."""

    def wordings(kind: str, names: Mapping[str, int]) -> dict[str, list[str]]:
        return {
            name: [
                words.say(kind, name, *[f"{{{place}}}" for place in range(arity)], variant=variant)
                for variant in range(words.variants(kind, name))
            ]
            for name, arity in sorted(names.items())
            if macro_name(kind, name) in words.macros
        }

    actions = {action.name: len(action.parameters) for action in domain.actions}
    facts = {predicate.name: predicate.arity for predicate in domain.predicates}
    return as_json({"actions": wordings("action", actions), "facts": wordings("fact", facts)})
