"""Make fresh rows: each family's rows for a newly drawn problem, with the columns of its tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from orrery.catalog import Entry
from orrery.config import RenderSize
from orrery.families.drafts import BOOL, MCQ, OPEN, Draft, Rejected
from orrery.families.plans.posing import drafts_of
from orrery.families.plans.source import source_of, state_source
from orrery.families.plans.tasks import PLANS, plan_tasks
from orrery.families.problems import FROM_PROBLEM, FROM_SOLUTION
from orrery.families.questions.blind import NONE
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.state_record import domain_text
from orrery.families.text_to_pddl.rows import FROM_TEXT, fold_of, row_id, size_fold
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.families.text_to_pddl.texts import text_renderer
from orrery.library.fresh_claims import bool_row, mcq_row
from orrery.library.fresh_problems import (
    ANY,
    INITIAL,
    Sources,
    Spot,
    Wanted,
    decided_state,
    fresh_problem,
    planned,
)
from orrery.model import Row
from orrery.pddl.read import read_problem
from orrery.planning.grounding import Grounder
from orrery.problems.horizon import horizon_of, shortest_length
from orrery.problems.solutions import solution_row
from orrery.store.kinds import table_name

NOT_INITIAL = "not_the_initial_state"  # the reason of tasks that only use initial states
NONE_SHARE = 0.25  # the maximum share of items with the answer None, as in the dataset
WORLD = "world"  # the name in the seeds of worlds
PLAIN_SEED = 0  # seed of texts; their streams depend on problem ids, which contain the seed of the stream

Maker: TypeAlias = Callable[[Wanted, Spot, int], Row]


def makers() -> dict[str, Maker]:
    """Return the functions that make a fresh row of a problem, by table."""
    questions: dict[str, Maker] = {OPEN: question_row, BOOL: bool_row, MCQ: mcq_row}
    return {
        table_name(TEXT_TO_PDDL): text_row,
        **{name: questions[table.format] for name, table in QUESTIONS.items()},
        **{f"plan_{name}": plan_row for name in PLANS},
    }


def serves(table: str, entry: Entry) -> bool:
    """Return whether a domain can give fresh rows: it has a generator, and ``domain.yaml`` allows it.

    Worlds need only the generator.
    """
    about = entry.description
    allowed = {table_name(TEXT_TO_PDDL): about.texts, WORLD: True}.get(table, about.questions)
    return bool(entry.tasks) and allowed and table not in about.no_tasks


def text_row(wanted: Wanted, spot: Spot, max_states: int) -> Row:
    """Return a row of ``text_to_pddl``: one mixture of a problem, with a plan, without landmarks."""
    entry, problem = wanted.entry, fresh_problem(wanted, spot)
    texts = text_renderer(entry.root, entry.name, PLAIN_SEED).texts(problem, RenderSize())
    if not texts:
        raise Rejected("what its text leaves open is undecided")
    text = spot.rng("mixture").choice(texts)
    solution = solution_row(spot.problem_id, planned(entry, problem, max_states))
    read = read_problem(problem["problem_pddl"], entry.domain, spot.problem_id)
    horizon = horizon_of(entry, Grounder(entry.domain), read, solution)
    total = problem["init_num_propositions"] + problem["goal_num_propositions"]
    init, goal = problem["init_parameters"], problem["goal_parameters"]
    row = {
        **{column: problem[origin] for column, origin in FROM_PROBLEM.items()},
        **{column: solution[column] for column in FROM_SOLUTION if column != "horizon"},
        **{column: getattr(text, column) for column in FROM_TEXT},
        "id": row_id(text.problem_id, text.mixture, text.vocabulary, text.paraphrase),
        "name": problem["task"],
        "parameters": f'{{"goal":{goal},"init":{init}}}',
        "domain_pddl": domain_text(entry.domain),
        "horizon": horizon,
        "h_star": shortest_length(horizon),
        "plan_optimal": shortest_length(horizon) is not None,
        "num_landmarks": None,
        "num_propositions": total,
        "fold": fold_of(problem["loose_key"]),
        "fold_size": size_fold(total),
        "fold_mixture": text.mixture,
    }
    return {column: row[column] for column in TEXT_TO_PDDL.names}


def question_draft(wanted: Wanted, spot: Spot, max_states: int) -> list[Draft]:
    """Return the draft of an open question on a random state."""
    problem = fresh_problem(wanted, spot)
    source = state_source(wanted.entry, decided_state(wanted, problem, spot, max_states, ANY), PLAIN_SEED)
    (draft,) = QUESTIONS[spot.table].task.draw(source, spot.rng("question"))
    if isinstance(draft, Rejected):
        raise draft
    return [draft]


def question_row(wanted: Wanted, spot: Spot, max_states: int) -> Row:
    """Return an open question on a state of a problem. The answer None is rare.

    Otherwise None would often be right and could be guessed.
    """
    [draft] = question_draft(wanted, spot, max_states)
    if draft.stratum == NONE and spot.rng_of_item("none").random() >= NONE_SHARE:
        raise Rejected("None is right, which few may have")
    return draft.rows[0]


def plan_drafts(wanted: Wanted, spot: Spot, max_states: int) -> Sequence[Draft]:
    """Return the candidates of a table of plans on a random state."""
    problem = fresh_problem(wanted, spot)
    try:
        return _drafts(wanted, problem, spot, max_states, ANY)
    except Rejected as rejected:
        if rejected.reason != NOT_INITIAL:
            raise
        return _drafts(wanted, problem, spot, max_states, INITIAL)


def plan_row(wanted: Wanted, spot: Spot, max_states: int) -> Row:
    """Return a row of a table of plans on a state of a problem. All strata are equally likely."""
    drafts = plan_drafts(wanted, spot, max_states)
    rng = spot.rng("choice")
    strata = sorted({draft.stratum for draft in drafts})
    upper = rng.choice(sorted({name.partition("/")[0] for name in strata}))
    stratum = rng.choice([name for name in strata if name.partition("/")[0] == upper])
    return rng.choice(rng.choice([draft for draft in drafts if draft.stratum == stratum]).rows)


def _drafts(wanted: Wanted, problem: Row, spot: Spot, max_states: int, sources: Sources) -> Sequence[Draft]:
    """Return the candidate rows of a task on a state of a problem, or raise the first violated rule."""
    state = decided_state(wanted, problem, spot, max_states, sources)
    source = source_of(wanted.entry, state, PLAIN_SEED, max_states)
    outcomes = list(drafts_of(source, plan_tasks()[spot.table.removeprefix("plan_")], spot.rng("draft")))
    if drafts := [outcome for outcome in outcomes if isinstance(outcome, Draft)]:
        return drafts
    raise next((outcome for outcome in outcomes if isinstance(outcome, Rejected)), Rejected("nothing to ask"))
