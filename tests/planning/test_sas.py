import dataclasses

from hypothesis import given

from orrery.planning.exhaustive_python import reachable
from orrery.planning.fast_downward import write_sas
from tests.effort import examples
from tests.planning.plain_search import avoiding
from tests.planning.random_tasks import task_of, tasks


class Sas:
    """A reader of the format written from its documentation, and the states its task reaches."""

    def __init__(self, text):
        self.lines = iter(text.splitlines())
        self.expect("begin_version", "3", "end_version", "begin_metric", "0", "end_metric")
        self.values = [self.variable() for _ in range(int(next(self.lines)))]
        assert next(self.lines) == "0"
        self.expect("begin_state")
        self.init = tuple(int(next(self.lines)) for _ in self.values)
        self.expect("end_state", "begin_goal")
        self.goal = self.pairs()
        self.expect("end_goal")
        self.operators = [self.operator() for _ in range(int(next(self.lines)))]
        assert list(self.lines) == ["0"]

    def expect(self, *lines):
        assert [next(self.lines) for _ in lines] == list(lines)

    def pairs(self):
        return [tuple(map(int, next(self.lines).split())) for _ in range(int(next(self.lines)))]

    def variable(self):
        self.expect("begin_variable")
        assert next(self.lines).startswith("var")
        self.expect("-1", "2")
        names = next(self.lines), next(self.lines)
        self.expect("end_variable")
        return names

    def operator(self):
        self.expect("begin_operator")
        name, prevail, effects = next(self.lines), self.pairs(), self.pairs()
        self.expect("1", "end_operator")
        assert effects
        assert all(effect[0] == 0 and effect[2] != effect[3] for effect in effects)
        touched = [pair[0] for pair in prevail] + [effect[1] for effect in effects]
        assert len(touched) == len(set(touched))
        conditions = prevail + [(variable, before) for _, variable, before, _ in effects if before >= 0]
        return name, conditions, [(variable, after) for _, variable, _, after in effects]

    def reachable(self):
        seen, todo = {self.init}, [self.init]
        for state in todo:
            for _, conditions, effects in self.operators:
                if all(state[variable] == value for variable, value in conditions):
                    after = list(state)
                    for variable, value in effects:
                        after[variable] = value
                    if tuple(after) not in seen:
                        seen.add(tuple(after))
                        todo.append(tuple(after))
        return seen


def mask(state):
    return sum(1 << index for index, value in enumerate(state) if value == 0)


@examples(150)
@given(tasks())
def test_the_text_has_the_same_states_and_goal(task):
    sas = Sas(write_sas(task))
    reached = sas.reachable()
    assert sorted(map(mask, reached)) == sorted(reachable(task).states)
    for state in reached:
        assert all(state[variable] == value for variable, value in sas.goal) == (
            task.is_goal(mask(state)) and not task.goal_positive & task.goal_negative
        )


@examples(100)
@given(tasks())
def test_without_a_fact(task):
    for bit in task.bit.values():
        if not task.init & bit:
            states = map(mask, Sas(write_sas(task, without=bit)).reachable())
            assert sorted(states) == sorted(reachable(avoiding(task, bit)).states)


def test_names():
    task = task_of(1, [(0, 0, 1, 0)], 0, 1)
    task = dataclasses.replace(task, facts=(("on", "a", "b"),))
    sas = Sas(write_sas(task))
    assert sas.values == [("Atom on(a, b)", "NegatedAtom on(a, b)")]
    assert sas.operators[0][0] == "a000"
