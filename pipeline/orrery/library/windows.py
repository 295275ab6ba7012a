"""Windows of a stream: items of one domain that are chosen together, so that simple rules find few answers.

Whether a rule is right more often than chance shows only in several items. The items of a window are
therefore chosen from more candidates than needed, in the same way as the rows of a dataset: answers, surface
features, fixed replies and heuristic rules are right as seldom as the candidates allow. A window depends only
on its address, so any process makes the same one, and position and order of access do not matter.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from orrery.families.attack import domain_of
from orrery.families.drafts import BOOL, MCQ, OPEN, Draft, Rejected
from orrery.families.plans.choosing import DraftPlace, evenly, joined
from orrery.families.plans.tasks import plan_tasks
from orrery.families.questions import balance
from orrery.families.questions.attack import universe
from orrery.families.questions.balance import PLACE, ROW, RULE, RowCandidate
from orrery.families.questions.blind import CHANCE
from orrery.families.questions.exchange import exchanged, gathered, level, paired, unbiased
from orrery.families.questions.schemas import QUESTIONS
from orrery.library.fresh_claims import GATHERED, LOOSELY_MATCHED, TOLD, TRUE, state_claims
from orrery.library.fresh_problems import Spot, Wanted
from orrery.library.fresh_rows import NONE_SHARE, plan_drafts, question_draft
from orrery.model import Row
from orrery.pddl.read import read_problem

ITEMS = 16  # of a window, at most
STATES, DRAWS = 12, 3 * ITEMS  # states of a window, at least one for each item, and maximum number of draws
# Multiples of these where few choices compensate for others.
MORE_STATES = MappingProxyType({"acp_app_mcq": 2, "acp_just_mcq": 4, "acp_land_mcq": 4})
VAIN, GIVEN_UP = 6, 24  # draws after which a window without candidates, or without items, is given up
BIASED = 0.2  # maximum bias of gathered choices, relative to that of random ones
UNEVEN, LEAST = 0.3, 3  # the same of loosely matched ones; as few of a window stay however biased
LARGEST = Fraction(1, 4)  # maximum share of a stratum, where the task limits it
SEARCH, BLIND = 0.5, 0.5  # shares of the rows as in the dataset, see ``config.AskSize``

Drawn: TypeAlias = Callable[[Wanted, Spot, int], Sequence[Draft]]
Kept: TypeAlias = "Callable[[Sequence[Sequence[Draft]], Random], list[Draft]]"
Choose: TypeAlias = "Callable[[list[RowCandidate]], Sequence[RowCandidate]]"


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
    draw, keep = _chooser(spot.table)
    drafts, kept = list[Sequence[Draft]](), list[Draft]()
    times = MORE_STATES.get(spot.table, 1)
    enough = max(ITEMS, STATES * times)
    for number in range(max(DRAWS, GIVEN_UP * times)):
        if number and number % VAIN == 0:
            if not any(drafts):
                break
            late = number >= GIVEN_UP * times
            kept = keep(drafts, spot.rng("window")) if late or len(drafts) >= enough else []
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
IN_PAIRS = frozenset({"acp_just_bool"})  # many claims of a state: true and false ones that are nearly alike
STRATIFIED = frozenset({"plan_causality", "plan_verification", "plan_solvability"})
OF_PAIRS = {"verification": "valid", "solvability": "solvable"}  # the answers of rows that come in pairs


def _chooser(table: str) -> tuple[Drawn, Kept]:
    """Return the function that makes the candidates of a state, and the one that chooses."""
    if table not in QUESTIONS:
        return plan_drafts, partial(_plans, table.removeprefix("plan_"))
    if table in REPETITIVE:
        return question_draft, _drafts_with_different_answers
    mcq = _mcq_loosely_matched if table in LOOSELY_MATCHED else _mcq_gathered if table in GATHERED else _mcq
    choosers: Mapping[str, tuple[Drawn, Choose]] = {
        OPEN: (_open_draft, _open),
        BOOL: (state_claims, _bool_in_pairs if table in IN_PAIRS else _gathered),
        MCQ: (state_claims, mcq),
    }
    draw, choose = choosers[QUESTIONS[table].format]
    return draw, partial(_chosen, choose)


def _chosen(choose: Choose, drafts: Sequence[Sequence[Draft]], rng: Random) -> list[Draft]:
    """Return the drafts whose candidates are chosen; ``drafts`` are by state."""
    listed = [(state, draft) for state, of_state in enumerate(drafts) for draft in of_state]
    candidates = [
        RowCandidate(
            number, state, draft.stratum, draft.shifts, draft.matched,
            zlib.crc32(draft.claim.encode()), draft.leans,
        )
        for number, (state, draft) in enumerate(listed)
    ]  # fmt: skip
    return [listed[row.row][1] for row in choose(candidates)]


def _open_draft(wanted: Wanted, spot: Spot, max_states: int) -> list[Draft]:
    """Return the draft of an open question, balanced by the positions of right candidates as well."""
    return [
        draft._replace(shifts=draft.shifts + _by_position(draft.rows[0]))
        for draft in question_draft(wanted, spot, max_states)
    ]


def _by_position(row: Row) -> tuple[tuple[str, int], ...]:
    """Return how much more of a row the first, the middle and the last candidate get right than a random one.

    It is in thousandths, and empty if the candidates do not follow from the row.
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
    by_chance = round(ROW * len(right.intersection(listed)) / max(1, len(listed)))
    return tuple(
        (f"{RULE}{name}", ROW * (listed[place] in right) - by_chance)
        for name, place in (("first", 0), ("middle", len(listed) // 2), ("last", -1))
        if listed
    )


def _drafts_with_different_answers(drafts: Sequence[Sequence[Draft]], rng: Random) -> list[Draft]:
    """Return drafts with different answers, first those that were drawn least often."""
    by_answer: dict[str, list[Draft]] = defaultdict(list)
    for draft in chain.from_iterable(drafts):
        by_answer[str(draft.rows[0]["answer"])].append(draft)
    return [same[0] for same in sorted(by_answer.values(), key=len)][:ITEMS]


def _open(candidates: list[RowCandidate]) -> Sequence[RowCandidate]:
    return balance.choose_open(candidates, ITEMS, none=NONE_SHARE, search=SEARCH, blind=BLIND)


def _gathered(candidates: list[RowCandidate]) -> Sequence[RowCandidate]:
    return exchanged(gathered(candidates, ITEMS), candidates)


def _bool_in_pairs(candidates: list[RowCandidate]) -> Sequence[RowCandidate]:
    return paired(candidates, ITEMS)


def _mcq(candidates: list[RowCandidate]) -> Sequence[RowCandidate]:
    return level(exchanged(balance.choose_mcq(candidates, ITEMS), candidates))


def _mcq_gathered(candidates: list[RowCandidate]) -> Sequence[RowCandidate]:
    """Return choices whose measures, features and positions tell little together; none if there are none.

    Not balanced is what every right option satisfies.
    """
    told = [
        replace(
            row,
            leans=tuple(lean for lean in row.leans if lean[0] not in TRUE)
            + tuple(shift for shift in row.shifts if shift[0].startswith(PLACE) or shift[0][0] != RULE),
        )
        for row in candidates
    ]
    return unbiased(told, ITEMS, BIASED)


def _mcq_loosely_matched(candidates: list[RowCandidate]) -> Sequence[RowCandidate]:
    """Return choices that tell little, if there are enough; otherwise some that tell the answer."""
    return level(_gathered(candidates), UNEVEN, LEAST)


def _plans(name: str, drafts: Sequence[Sequence[Draft]], rng: Random) -> list[Draft]:
    """Return drafts of all strata, each with one row, on another state: a pair has opposite answers."""
    task, column = plan_tasks()[name], OF_PAIRS.get(name, "")
    listed = [(state, draft) for state, of_state in enumerate(drafts) for draft in of_state]
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
