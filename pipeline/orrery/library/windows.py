"""Windows of a stream: items of one domain that are chosen together, so that simple rules find few answers.

Whether a rule is right more often than chance shows only in several items. The items of a window are
therefore chosen from more candidates than needed. Open questions are chosen in the same way as the rows of a
dataset: answers, fixed replies and heuristic rules are right as seldom as the candidates allow. Claims and
choices are drawn with probabilities for which no measure tells the answer on average (see ``calibration``).
A window depends only on its address, so any process makes the same one, and position and order of access do
not matter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from random import Random
from typing import TypeAlias

from orrery.families.attack import domain_of
from orrery.families.drafts import MCQ, OPEN, Draft, Rejected
from orrery.families.plans.choosing import DraftPlace, evenly, joined
from orrery.families.plans.tasks import plan_tasks
from orrery.families.questions import balance
from orrery.families.questions.attack import universe
from orrery.families.questions.balance import ROW, RULE, RowCandidate
from orrery.families.questions.blind import CHANCE
from orrery.families.questions.schemas import QUESTIONS
from orrery.library.calibration import calibrated, leans_of_claims, measured_claims
from orrery.library.fresh_claims import LOOSELY_MATCHED, TOLD
from orrery.library.fresh_problems import Spot, Wanted
from orrery.library.fresh_rows import NONE_SHARE, plan_drafts, question_draft
from orrery.model import Row
from orrery.pddl.read import read_problem

ITEMS = 16  # of a window, at most
DRAWS = 3 * ITEMS  # maximum number of draws for a window
VAIN, GIVEN_UP = 6, 24  # draws after which a window without candidates, or without items, is given up
MORE, MOST = 4, 12  # multiples of these for claims, and for choices of which few compensate for the others
LARGEST = Fraction(1, 4)  # maximum share of a stratum, where the task limits it
SEARCH, BLIND = 0.5, 0.5  # shares of the rows as in the dataset, see ``config.AskSize``

Drawn: TypeAlias = Callable[[Wanted, Spot, int], Sequence[Draft]]
Kept: TypeAlias = "Callable[[Sequence[Sequence[Draft]], Random], list[Draft]]"
Leans: TypeAlias = "Callable[[Sequence[tuple[int, Draft]]], Sequence[Mapping[str, float]]]"


def window(
    wanted: Wanted, spot: Spot, max_states: int, usable: Callable[[Row], bool], skipped: Counter[str]
) -> list[Row]:
    """Return the rows of a window, at most ``ITEMS``; fewer if not enough candidates are found.

    Args:
        wanted: the problems to draw.
        spot: the address of the window: its number stands for that of an item.
        max_states: the maximum size of a searched state space.
        usable: whether a row has all values that its prompts show.
        skipped: unused draws by reason, which are counted here.
    """
    draw, keep, times = _chooser(spot.table)
    drafts, kept = list[Sequence[Draft]](), list[Draft]()
    for number in range(DRAWS * times):
        if number and number % (VAIN * times) == 0:
            if not any(drafts):
                break
            late = number >= GIVEN_UP * times
            kept = keep(drafts, spot.rng("window")) if late or len(drafts) >= ITEMS else []
            if len(kept) == ITEMS or (late and not kept):
                break
        try:
            made = draw(wanted, spot._replace(draw=number), max_states)
        except Rejected as rejected:
            skipped[rejected.reason] += 1
            continue
        drafts.append([draft for draft in made if all(map(usable, draft.rows))])
    else:
        kept = keep(drafts, spot.rng("window"))
    if any(drafts) and not kept:
        skipped[TOLD] += 1
    rows = [row for draft in kept for row in draft.rows]
    return spot.rng("order").sample(rows, len(rows))


def has_windows(table: str) -> bool:
    """Return whether the items of a table are chosen together."""
    if table in QUESTIONS:
        return QUESTIONS[table].format != OPEN or table in BLINDLY_ANSWERED | REPETITIVE
    return table in STRATIFIED


BLINDLY_ANSWERED = frozenset({"acp_reach_gen", "acp_areach_gen", "acp_land_gen"})
REPETITIVE = frozenset({"acp_prog_gen"})  # a few answers are frequent in a domain
STRATIFIED = frozenset({"plan_causality", "plan_verification", "plan_solvability"})
OF_PAIRS = {"verification": "valid", "solvability": "solvable"}  # the answers of rows that come in pairs


def _chooser(table: str) -> tuple[Drawn, Kept, int]:
    """Return how candidates of a state are made and chosen, and the multiple of the draws."""
    if table not in QUESTIONS:
        return plan_drafts, partial(_plans, table.removeprefix("plan_")), 1
    if table in REPETITIVE:
        return question_draft, _drafts_with_different_answers, 1
    if QUESTIONS[table].format == OPEN:
        return _open_draft, _open, 1
    leans = _leans if QUESTIONS[table].format == MCQ else leans_of_claims
    return measured_claims, partial(_calibrated, leans), MOST if table in LOOSELY_MATCHED else MORE


def _open_draft(wanted: Wanted, spot: Spot, max_states: int) -> list[Draft]:
    """Return the draft of an open question, balanced by place and length of right candidates as well."""
    return [
        draft._replace(shifts=draft.shifts + _by_place_and_length(draft.rows[0]))
        for draft in question_draft(wanted, spot, max_states)
    ]


def _by_place_and_length(row: Row) -> tuple[tuple[str, int], ...]:
    """Return how much more of a row some candidates get right than a random one, in thousandths.

    These are the first, the middle, the last and the longest ones. It is empty if the candidates do not
    follow from the row.
    """
    answer = row.get("answer")
    if isinstance(answer, dict):
        right, listed = frozenset(answer["yes"]), sorted((*answer["yes"], *answer["no"]))
    elif CHANCE in row:
        domain = domain_of(row["PDDL_domain"])
        listed = sorted(universe(row, domain, read_problem(row["PDDL_problem"], domain)))
        task = QUESTIONS[f"acp_{row['kind']}_{OPEN}"].task
        right = frozenset((task.every_reply or task.replies)(row))
    else:
        return ()
    if not listed:
        return ()
    length = max(map(len, listed))
    picked = {
        "first": listed[:1],
        "middle": [listed[len(listed) // 2]],
        "last": listed[-1:],
        "longest": [reply for reply in listed if len(reply) == length],
    }
    by_chance = _share(listed, right)
    return tuple(
        (f"{RULE}{name}", round(ROW * (_share(own, right) - by_chance))) for name, own in picked.items()
    )


def _share(replies: Sequence[str], right: Container[str]) -> float:
    """Return the share of replies that are right."""
    return sum(reply in right for reply in replies) / len(replies)


def _drafts_with_different_answers(drafts: Sequence[Sequence[Draft]], rng: Random) -> list[Draft]:
    """Return drafts with different answers, first those that were drawn least often."""
    by_answer: dict[str, list[Draft]] = defaultdict(list)
    for draft in chain.from_iterable(drafts):
        by_answer[str(draft.rows[0]["answer"])].append(draft)
    return [same[0] for same in sorted(by_answer.values(), key=len)][:ITEMS]


def _open(drafts: Sequence[Sequence[Draft]], rng: Random) -> list[Draft]:
    """Return drafts that answers, fixed replies and positions tell as little as those of a dataset."""
    listed = _by_state(drafts)
    candidates = [
        RowCandidate(number, state, draft.stratum, draft.shifts)
        for number, (state, draft) in enumerate(listed)
    ]
    chosen = balance.choose_open(candidates, ITEMS, none=NONE_SHARE, search=SEARCH, blind=BLIND)
    return [listed[row.row][1] for row in chosen]


def _calibrated(leans_of: Leans, drafts: Sequence[Sequence[Draft]], rng: Random) -> list[Draft]:
    """Return drafts that no measure tells on average, at most ``ITEMS`` and each on another state."""
    listed = _by_state(drafts)
    chosen = calibrated(leans_of(listed), [state for state, _ in listed], rng)
    return [listed[place][1] for place in rng.sample(chosen, min(ITEMS, len(chosen)))]


def _leans(choices: Sequence[tuple[int, Draft]]) -> list[dict[str, int]]:
    return [dict(draft.leans) for _, draft in choices]


def _by_state(drafts: Sequence[Sequence[Draft]]) -> list[tuple[int, Draft]]:
    """Return the drafts of all states in one list, each with the number of its state."""
    return [(state, draft) for state, of_state in enumerate(drafts) for draft in of_state]


def _plans(name: str, drafts: Sequence[Sequence[Draft]], rng: Random) -> list[Draft]:
    """Return drafts of all strata, each with one row, on another state: a pair has opposite answers."""
    task, column = plan_tasks()[name], OF_PAIRS.get(name, "")
    listed = _by_state(drafts)
    places = [
        DraftPlace(((number, 0, len(draft.rows)),), str(state), draft.stratum, frozenset(), draft.half)
        for number, (state, draft) in enumerate(listed)
    ]
    largest = min(task.largest, LARGEST) if task.largest < 1 else task.largest
    rows = sum(len(draft.rows) for _, draft in listed)
    answers, states, chosen = Counter[bool | None](), set[int](), list[Draft]()
    for place in evenly(joined(places), rows, str(rng.random()), largest, task.led):
        pieces = dict(listed[number] for number, *_ in place.pieces)
        if len(pieces) < len(place.pieces) or states & pieces.keys() or len(chosen) + len(pieces) > ITEMS:
            continue
        for state, draft in pieces.items():
            row = min(draft.rows, key=lambda row: answers[row.get(column)])
            answers[row.get(column)] += 1
            states.add(state)
            chosen.append(draft._replace(rows=(row,)))
    return chosen
