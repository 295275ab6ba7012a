"""Which rows are kept and to spare: as many as promised, and all balanced."""

from __future__ import annotations

import json
import random
from collections import Counter

import pyarrow as pa
import pytest

from orrery.config import AskSize
from orrery.families.questions import balance
from orrery.families.questions.asking import CANDIDATES
from orrery.families.questions.balance import NO, YES, RowCandidate, choose_mcq, shifts_of
from orrery.families.questions.choice import (
    GIVEN_AWAY,
    NEVER_MATCHED,
    ONE_ANSWER,
    RARELY,
    choose,
    for_examples,
)
from orrery.families.questions.exchange import leans_of
from orrery.store.columns import from_rows

EXACT = AskSize(questions=4, exact=True)
AT_MOST = AskSize(questions=4)


def row(table, number, state, answer="", features="a", *, matched=True, split="test", claim=None):
    """One candidate row, as a part holds it."""
    shifts = shifts_of("aaaa", {}) if table.endswith("mcq") else ((features, 0),)
    return {
        "table": table, "row": number, "state": state, "item": f"d/{split}/p/{state:02}", "split": split,
        "answer": answer, "leans": "[]", "shifts": json.dumps(shifts), "matched": matched,
        "claim": number if claim is None else claim,
    }  # fmt: skip


def chosen(table, rows, size=EXACT):
    """What is chosen of one part."""
    return choose([table], "d", lambda: [from_rows(CANDIDATES, rows)], size, 1)


def repeated(picked):
    """The states asked about more than once, kept rows and spare ones together."""
    (cell,) = picked.kept
    states = Counter(row.state for row in (*picked.kept[cell], *picked.spare[cell]))
    return [state for state, count in states.items() if count > 1]


def pairs(states, features="a", draws=1):
    """A yes and a no of equal features on each state, with other claims in each draw."""
    return [
        row("acp_app_bool", 2 * (draw * states + state) + k, state, answer, features)
        for draw in range(draws)
        for state in range(states)
        for k, answer in enumerate((YES, NO))
    ]


def test_a_state_is_asked_again_only_where_rows_are_short_and_a_number_is_promised():
    assert chosen("acp_app_bool", pairs(9, draws=3)).counts["acp_app_bool", "test"] == 4
    assert not repeated(chosen("acp_app_bool", pairs(9, draws=3)))
    few = pairs(2, draws=3)
    assert chosen("acp_app_bool", few).counts["acp_app_bool", "test"] == 4
    assert len(repeated(chosen("acp_app_bool", few))) == 2
    assert chosen("acp_app_bool", few, AT_MOST).counts["acp_app_bool", "test"] == 2


def test_a_state_is_never_asked_the_same_again():
    same = [{**pair, "claim": int(pair["answer"] == YES)} for pair in pairs(1, draws=5)]
    picked = chosen("acp_app_bool", same)
    assert picked.counts["acp_app_bool", "test"] == 2
    choices = [row("acp_app_mcq", n, 0, claim=n % 2) for n in range(9)]
    assert chosen("acp_app_mcq", choices).counts["acp_app_mcq", "test"] == 2


@pytest.mark.parametrize("seed", range(20))
def test_rows_to_spare_are_other_rows_and_keep_yes_and_no_even_in_every_pair(seed):
    rng = random.Random(seed)
    rows = [
        RowCandidate(n, n // 2, rng.choice((YES, NO)), ((rng.choice("abc"), 0),), claim=n)
        for n in range(rng.randint(4, 60))
    ]
    spare = balance.pairs(rows, 12, rng)
    assert len(spare) <= 12
    for first, second in zip(spare[::2], spare[1::2], strict=True):
        assert {first.answer, second.answer} == {YES, NO}
        assert first.features == second.features
        assert first.state != second.state
    assert len({row.state for row in spare}) == len(spare)


@pytest.mark.parametrize("table", ["acp_app_bool", "acp_app_mcq"])
def test_rows_to_spare_ask_about_other_states(table):
    rows = pairs(9, draws=2) if table.endswith("bool") else [row(table, n, n // 2) for n in range(18)]
    picked = chosen(table, rows)
    chosen_states, spare = (
        {row.state for row in selected[table, "test"]} for selected in (picked.kept, picked.spare)
    )
    assert len(chosen_states) == 4
    assert len(spare) >= 4
    assert not chosen_states & spare
    part = pa.table({"id": [str(row["row"]) for row in rows]})
    (spare_rows,) = picked.rows_to_spare(table, [part])  # of a domain of one part, too
    assert spare_rows["id"].to_pylist() == [str(row.number) for row in picked.spare[table, "test"]]


def test_a_split_that_lacks_rows_has_none_to_spare():
    leaning = json.dumps(leans_of({"longest": [9, 1, 1, 1]}))
    rows = [{**row("acp_app_mcq", n, n), "leans": leaning} for n in range(18)]
    picked = chosen("acp_app_mcq", rows)
    assert picked.counts["acp_app_mcq", "test"] < 4
    assert not picked.spare["acp_app_mcq", "test"]


@pytest.mark.parametrize("seed", range(20))
def test_fewer_choices_are_the_first_of_more_so_that_those_to_spare_follow(seed):
    rng = random.Random(seed)

    def shifts():
        return shifts_of(rng.choices("ab", k=4), {"longest": rng.choices(range(9), k=4)})

    rows = [RowCandidate(n, n // 3, "", shifts(), rng.random() < 0.7, n) for n in range(60)]
    all_chosen = choose_mcq(rows, 30, repeats=3)
    for most in range(30):
        assert choose_mcq(rows, most, repeats=3) == all_chosen[:most]
    assert max(Counter(row.state for row in all_chosen).values(), default=0) <= 3


@pytest.mark.parametrize("seed", range(20))
def test_open_rows_to_spare_keep_the_shares_one_by_one(seed):
    rng = random.Random(seed)
    rows = [
        RowCandidate(n, n, rng.choice(("none", "relaxation", "search")), ((rng.choice("abcdef"), 1000),))
        for n in range(50)
    ]
    rows = [RowCandidate(row.row, row.state, "none") if row.answer == "none" else row for row in rows]
    picked = balance.choose_open(rows, 8, none=0.25, search=0.5, blind=0.5)
    spare = balance.more_open(rows, picked, 12, none=0.25, blind=0.5)
    for count in range(len(spare) + 1):
        states = [*picked, *spare[:count]]
        assert len({row.row for row in states}) == len(states)
        assert sum(row.answer == "none" for row in states) <= len(states) / 4
        right = Counter(rule for row in states for rule, _ in row.shifts)
        assert all(n <= max(1, len(states) / 2) for n in right.values())


def test_what_cannot_match_says_why():
    never = [row("acp_app_bool", n, n, YES if n % 2 else NO, "a" if n % 2 else "b") for n in range(8)]
    assert {reason for *_, reason in chosen("acp_app_bool", never).unmatched} == {NEVER_MATCHED}
    elsewhere = [{**pair, "split": "train", "row": pair["row"] + 100} for pair in pairs(9)]
    one_sided = [row("acp_app_bool", n, n, NO) for n in range(8)]
    picked = chosen("acp_app_bool", [*elsewhere, *one_sided])
    assert picked.counts["acp_app_bool", "test"] == 0
    assert {reason for *_, reason in picked.unmatched} == {ONE_ANSWER}
    rare = [row("acp_app_mcq", n, n % 30, matched=n == 0) for n in range(300)]
    rules = [["~longest", 9]], [["~latest", 9]]
    rare = [{**pair, "shifts": json.dumps(rules[pair["row"] % 2])} for pair in rare]
    assert RARELY in {reason for *_, reason in chosen("acp_app_mcq", rare).unmatched}
    one_sided_rows = [{**pair, "shifts": json.dumps(rules[0]), "matched": True} for pair in rare]
    assert GIVEN_AWAY in {reason for *_, reason in chosen("acp_app_mcq", one_sided_rows).unmatched}


def test_only_examples_may_be_right_without_the_state():
    """A form of replies that needs no state is right in all rows."""
    form = json.dumps([["an action that repeats an object", balance.ROW]])
    rows = [row("acp_areach_gen", n, n, balance.HARD) | {"shifts": form} for n in range(4)]
    assert chosen("acp_areach_gen", rows, AT_MOST).counts["acp_areach_gen", "test"] == 1
    assert chosen("acp_areach_gen", rows, for_examples(AT_MOST)).counts["acp_areach_gen", "test"] == 4


def test_a_second_row_of_a_state_has_an_id_of_its_own():
    rows = pairs(2, draws=3)
    picked = chosen("acp_app_bool", rows)
    schema = pa.schema([pa.field("id", pa.string(), nullable=False)])
    part = pa.table({"id": [f"{row['item']}/app/bool" for row in rows]}, schema)
    (table_read,) = picked.rows("acp_app_bool", [part])
    names = table_read["id"].to_pylist()
    assert len(set(names)) == len(names) == 4
    assert sorted(name.endswith("/2") for name in names) == [False, False, True, True]
    assert table_read.schema == schema
