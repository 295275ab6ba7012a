"""Fresh rows: what each family makes of a problem that was just drawn, with the columns of its tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from orrery.catalog import Entry
from orrery.config import RenderSize
from orrery.families.plans.posing import drafts_of
from orrery.families.plans.schemas import PLANS
from orrery.families.plans.source import source_of
from orrery.families.plans.task import Draft
from orrery.families.plans.tasks import plan_tasks
from orrery.families.problems.rows import FROM_PROBLEM, FROM_SOLUTION
from orrery.families.problems.solutions import solution_row
from orrery.families.questions.balance import NO, YES
from orrery.families.questions.blind import NONE
from orrery.families.questions.context import context_of
from orrery.families.questions.distractors import TURNS, turn_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.kind import BOOL
from orrery.families.questions.question_row import OPEN, ClaimRow, NotAsked
from orrery.families.questions.schemas import QUESTIONS, QuestionTable
from orrery.families.questions.states import state_record
from orrery.families.text_to_pddl.rows import FROM_TEXT, fold_of, row_id, size_fold
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.families.text_to_pddl.texts import text_renderer
from orrery.library.fresh_problems import ANY, INITIAL, Sources, decided_state, planned
from orrery.library.spots import NotMade, Spot
from orrery.model import Domain
from orrery.pddl.write import write_domain
from orrery.store.kinds import table_name

NOT_INITIAL = "not_the_initial_state"  # the rule of a task that asks about initial states alone
NONE_SHARE = 0.25  # the largest share of items whose right answer is None, as in the dataset
RANKS = (-16, -5, 5, 16)  # how far each of four evenly spaced options lies above the mean (``leans_of``)
PLAIN_SEED = 0  # of texts: their streams are named by problems, whose names hold the seed of the stream

Row: TypeAlias = dict[str, Any]
Maker: TypeAlias = Callable[[Entry, Row, Spot, int], Row | NotMade]


def makers() -> dict[str, Maker]:
    """Return what makes a fresh row of a problem, by table: for every table that a stream can have."""
    return {
        table_name(TEXT_TO_PDDL): text_row,
        **dict.fromkeys(QUESTIONS, question_row),
        **{f"plan_{name}": plan_row for name in PLANS},
    }


def serves(table: str, entry: Entry) -> bool:
    """Return whether a domain gives fresh rows of a table: it can draw, and ``domain.yaml`` says so."""
    about = entry.description
    return bool(entry.tasks) and (about.texts if table == table_name(TEXT_TO_PDDL) else about.questions)


def text_row(entry: Entry, problem: Row, spot: Spot, max_states: int) -> Row | NotMade:
    """Return a row of ``text_to_pddl``: one of the mixtures of a problem, with a plan, landmarks left out."""
    texts = text_renderer(entry.root, entry.name, PLAIN_SEED).texts(problem, RenderSize())
    if not texts:
        return NotMade("what its text leaves open is undecided")
    text = spot.rng("mixture").choice(texts)
    found = planned(entry, problem, max_states)
    if isinstance(found, NotMade):
        return found
    solution = solution_row(spot.problem_id, found)
    total = problem["init_num_propositions"] + problem["goal_num_propositions"]
    init, goal = problem["init_parameters"], problem["goal_parameters"]
    row = {
        **{column: problem[there] for column, there in FROM_PROBLEM.items()},
        **{column: solution[there] for column, there in FROM_SOLUTION.items()},
        **{column: getattr(text, column) for column in FROM_TEXT},
        "id": row_id(text.problem_id, text.mixture, text.vocabulary, text.paraphrase),
        "name": problem["task"],
        "parameters": f'{{"goal":{goal},"init":{init}}}',
        "domain_pddl": _domain_pddl(entry.domain),
        "h_star": solution["plan_cost"] if solution["optimal"] else None,
        "num_landmarks": None,
        "num_propositions": total,
        "fold": fold_of(problem["loose_key"]),
        "fold_size": size_fold(total),
        "fold_mixture": text.mixture,
    }
    return {column: row[column] for column in TEXT_TO_PDDL.names}


@lru_cache(maxsize=64)
def _domain_pddl(domain: Domain) -> str:
    return write_domain(domain)


def question_row(entry: Entry, problem: Row, spot: Spot, max_states: int) -> Row | NotMade:
    """Return a row of a table of questions on a state of a problem."""
    state = decided_state(entry, problem, spot, max_states, ANY)
    if isinstance(state, NotMade):
        return state
    table = QUESTIONS[spot.table]
    made = _open(table, entry, state, spot) if table.format == OPEN else _claim(table, entry, state, spot)
    return made if isinstance(made, NotMade) else made.row.columns()


def _open(table: QuestionTable, entry: Entry, state: Row, spot: Spot) -> ClaimRow | NotMade:
    """Return an open question, seldom one to which None is right: without a look at the state it often is."""
    record = state_record(entry.domain, state)
    made = table.kind.question(record, entry.words, spot.rng("question"))
    if isinstance(made, NotAsked):
        return NotMade(made.reason)
    if made.needs == NONE and spot.rng_of_item("none").random() >= NONE_SHARE:
        return NotMade("None is right, which few may have")
    return ClaimRow(made)


def _claim(table: QuestionTable, entry: Entry, state: Row, spot: Spot) -> ClaimRow | NotMade:
    """Return a yes/no question, as often with yes as with no, or a choice whose options match."""
    record = state_record(entry.domain, state)
    evidence, rng = StateEvidence(record, spot.rng("evidence")), spot.rng("claims")
    turn = turn_of(spot.seed, (spot.table, entry.name), spot.rng_of_item("turn").randrange(TURNS))
    if table.kind.claims is None:
        raise ValueError(f"{spot.table} has no claims")
    found = table.kind.claims(table.kind, evidence, context_of(record, entry.words), turn, rng)[table.format]
    if isinstance(found, NotAsked):
        return NotMade(found.reason)
    if table.format == BOOL:
        return _of_a_pair(found, spot.rng_of_item("answer").choice((YES, NO)), rng)
    matched = [each for each in found if each.matched]
    return _inconspicuous(matched, spot, rng) if matched else NotMade("no claims match")


def _of_a_pair(found: Sequence[ClaimRow], answer: str, rng: Random) -> ClaimRow | NotMade:
    """Return one of a true and a false claim on the state that look alike, the one with the answer.

    Where all that looks alike is true, or false, the look is the answer: the dataset does not ask so either.
    """
    sides: dict[str, dict[str, list[ClaimRow]]] = defaultdict(lambda: defaultdict(list))
    for each in found:
        sides[each.shifts[0][0]][each.row.answer].append(each)
    pairs = [
        (sum(mine != others for mine, others in zip(one.leans, other.leans, strict=True)), one, other)
        for _, side in sorted(sides.items())
        for one in side[YES]
        for other in side[NO]
    ]
    if not pairs:
        return NotMade("true and false claims look different")
    least = min(gap for gap, _, _ in pairs)
    _, one, other = rng.choice([pair for pair in pairs if pair[0] == least])
    return one if answer == YES else other


def _inconspicuous(matched: Sequence[ClaimRow], spot: Spot, rng: Random) -> ClaimRow:
    """Return the choice whose right option comes nearest to ranks drawn beforehand, one for each measure."""
    aims = {name: spot.rng_of_item("rank", name).choice(RANKS) for each in matched for name, _ in each.leans}
    far = [sum(abs(lean - aims[name]) for name, lean in each.leans) for each in matched]
    return rng.choice([each for each, miss in zip(matched, far, strict=True) if miss == min(far)])


def plan_row(entry: Entry, problem: Row, spot: Spot, max_states: int) -> Row | NotMade:
    """Return a row of a table of plans on a state of a problem; all strata are as likely."""
    drafts = _drafts(entry, problem, spot, max_states, ANY)
    if drafts == NotMade(NOT_INITIAL):
        drafts = _drafts(entry, problem, spot, max_states, INITIAL)
    if isinstance(drafts, NotMade):
        return drafts
    rng = spot.rng("choice")
    strata = sorted({each.stratum for each in drafts})
    upper = rng.choice(sorted({name.partition("/")[0] for name in strata}))
    stratum = rng.choice([name for name in strata if name.partition("/")[0] == upper])
    return rng.choice(rng.choice([each for each in drafts if each.stratum == stratum]).rows)


def _drafts(
    entry: Entry, problem: Row, spot: Spot, max_states: int, sources: Sources
) -> Sequence[Draft] | NotMade:
    """Return what the task of a table makes of a state of a problem, or the first rule that it breaks."""
    state = decided_state(entry, problem, spot, max_states, sources)
    if isinstance(state, NotMade):
        return state
    source = source_of(entry, state, PLAIN_SEED, max_states)
    made = list(drafts_of(source, plan_tasks()[spot.table.removeprefix("plan_")], spot.rng("draft")))
    broken = [each.rule for each in made if not isinstance(each, Draft)]
    found = [each for each in made if isinstance(each, Draft)]
    return found or NotMade(broken[0] if broken else "nothing to ask")
