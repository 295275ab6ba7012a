"""The number of landmarks of a text is that of the initial state of its problem."""

from types import SimpleNamespace

from orrery.checks.text_to_pddl import _agrees


def problems_of(rows):
    return {row["id"]: row for row in rows["problems"]}


def test_a_number_of_landmarks_is_that_of_the_initial_state(rows):
    listed = {
        row["problem_id"]: len(row["landmarks"]) for row in rows["states"] if row["state_source"] == "initial"
    }
    texts = (row for row in rows["text_to_pddl"] if row["vocabulary"] == "plain")
    row = next(row for row in texts if row["problem_id"] in listed)
    checked, number = SimpleNamespace(row=problems_of(rows)[row["problem_id"]]), listed[row["problem_id"]]
    assert _agrees(checked, row, number) == []
    assert _agrees(checked, row, None)
    for wrong in (None, number + 1):
        assert _agrees(checked, {**row, "num_landmarks": wrong}, number)
