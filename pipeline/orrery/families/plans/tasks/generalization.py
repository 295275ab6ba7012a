"""Small solved problems of one structure are shown; a plan for a larger one is wanted.

None of the shown plans solves the larger problem however its objects are renamed: each has fewer steps than
every plan of the larger one.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pyarrow as pa

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.columns import LENGTH, PLAN
from orrery.families.plans.examples import SolvedProblem, solved_examples
from orrery.families.plans.plan_task import plan_task
from orrery.families.plans.row import plan_row, planned
from orrery.families.plans.source import PLAIN, Source, is_guessed, neutral_name
from orrery.families.plans.words import SolvedExample
from orrery.language.renamed_domain import vocabulary_of
from orrery.model import Problem, Step
from orrery.pddl.write import write_atom, write_problem
from orrery.store.kinds import STRING, STRINGS, column

SHOWN = 2  # examples, or one more
MANY = 1000  # steps: more than a small problem takes


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Show examples of the task of the source's problem that are smaller in objects and in steps."""
    if source.record.source != "initial":
        yield Rejected("not_the_initial_state")
        return
    if source.record.plan is None or source.h_star is None:  # not ``source.plan``, which grounds the problem
        yield Rejected("no_plan_known" if source.record.plan is None else "plan_length_unproven")
        return
    count, place = rng.choice((SHOWN, SHOWN + 1)), (source.row["task"], source.seed, source.row["split"])
    objects = len(source.problem.objects)
    examples_drawn = solved_examples(source.entry, *place, objects, source.h_star, count)
    if len(examples_drawn) < SHOWN:
        smaller = solved_examples(source.entry, *place, objects, objects + MANY, SHOWN)
        yield Rejected("no_smaller_examples" if len(smaller) < SHOWN else "renamed_plan_may_solve")
        return
    named = [
        _named(source, example) for example in sorted(examples_drawn, key=lambda example: len(example.plan))
    ]
    examples = [SolvedExample(source.with_problem(problem), plan) for problem, plan in named]
    plan, space = source.plan or (), source.space
    if space is not None and source.distances is not None:
        plan = tuple(space.shortest(0, source.distances, rng))
        if is_guessed(space, 0, source.goal_states, len(plan)):
            yield Rejected("random_walk_solves")
            return
    columns = {
        "given_examples": [
            {"problem_pddl": write_problem(problem), "plan": list(map(write_atom, steps))}
            for problem, steps in named
        ],
        **planned(plan),
    }
    yield Draft((plan_row(source, "generalization", rng, (examples,), columns, h_star=source.h_star),))


def _named(source: Source, example: SolvedProblem) -> tuple[Problem, tuple[Step, ...]]:
    """Return problem and plan of an example under the names of the source's vocabulary."""
    if source.vocabulary == PLAIN:
        return replace(example.problem, name=neutral_name(example.problem)), example.plan
    vocabulary = vocabulary_of(source.entry.domain, source.vocabulary, source.words.templates, source.seed)
    renamed = vocabulary.of(example.problem)
    return renamed.problem(example.problem), tuple(map(renamed.step, example.plan))


_EXAMPLE = pa.struct(
    [pa.field("problem_pddl", STRING, nullable=False), pa.field("plan", STRINGS, nullable=False)]
)
EXAMPLES = pa.list_(pa.field("element", _EXAMPLE, nullable=False))
TASK = plan_task(
    name="generalization",
    subject="Small solved problems of one structure are shown; a plan for a larger one is wanted",
    draw=_draw,
    columns=(
        column("given_examples", EXAMPLES, "The solved problems"),
        PLAN,
        LENGTH,
    ),
)
