"""Drawing claims again where rows are short: until it is in vain, and what is said then."""

from collections import Counter

from orrery.families.questions.balance import RowCandidate
from orrery.families.questions.cells import cells_of, short
from orrery.families.questions.choice import NO_MORE, UNMATCHED, ChosenRows
from orrery.families.questions.question_row import OPEN
from orrery.families.questions.schemas import QUESTIONS
from orrery.stages.generate_questions import HOPELESS, VAIN, _hopeless, _lacking, _last_reasons

PROMISED, ITEMS = 10, [f"visitall/test/00000{number}/00" for number in range(3)]
EMPTY, SOME = "acp_just_mcq", "acp_reach_mcq"


def chosen(unmatched):
    """A choice with some rows of one table, and none of the others."""
    kept = {(EMPTY, "test"): [], (SOME, "test"): [RowCandidate(row, row) for row in range(4)]}
    return ChosenRows(kept, dict.fromkeys(kept, ()), unmatched, {EMPTY})


def test_a_table_without_rows_is_drawn_again_once_and_one_with_some_twice():
    for rounds in range(VAIN + 1):
        lacking = _lacking(chosen([]), ["test"], PROMISED, Counter({EMPTY: rounds, SOME: rounds}), 1)["test"]
        assert (EMPTY in lacking) == (rounds < 1)
        assert (SOME in lacking) == (rounds < VAIN)
        assert len(lacking) == len(QUESTIONS) - (rounds >= 1) - (rounds >= VAIN)


def test_open_questions_are_asked_again_in_the_first_round_alone():
    every = {name for name, table in QUESTIONS.items() if table.format == OPEN}
    for number in (1, 2, 3):
        lacking = _lacking(chosen([]), ["test"], PROMISED, Counter(), number)["test"]
        assert every.intersection(lacking) == (every if number == 1 else set())


def test_a_table_whose_claims_never_matched_in_many_draws_is_given_up():
    draws = QUESTIONS[EMPTY].task.claims.draws
    assert _hopeless(chosen([]), HOPELESS // draws - 1) == set()
    assert _hopeless(chosen([]), HOPELESS // draws + 1) == {EMPTY}


def test_what_is_not_drawn_again_says_that_it_was_in_vain_and_is_no_failure():
    """A table that is given up must not count as short: more draws would give nothing."""
    for table in (EMPTY, SOME):
        found = chosen([(table, item, UNMATCHED) for item in ITEMS])
        for rounds in range(VAIN + 1):
            vain = Counter({table: rounds})
            given_up = table not in _lacking(found, ["test"], PROMISED, vain, 1)["test"]
            rejects = _last_reasons([], found, "visitall", set(ITEMS), vain)
            assert {row["reason"].partition(": ")[2] for row in rejects} == {
                NO_MORE if given_up else UNMATCHED
            }
            cells = cells_of("visitall", {"test": len(ITEMS)}, found.counts, {}, rejects, PROMISED)
            assert (table in {cell["table"] for cell in short(cells)}) == (not given_up)
