"""Problems taken apart at once are those taken apart one by one."""

import pyarrow as pa
import pytest

from orrery.families.text_to_pddl.taken_apart import all_taken_apart
from orrery.model import Literal, Problem, TypedName
from orrery.pddl.write import taken_apart, write_problem

FACTS = frozenset([("on", "a", "b"), ("clear", "a"), ("empty",)])
GOAL = frozenset([Literal(("on", "b", "a")), Literal(("clear", "a"), False), Literal(("empty",), False)])
PLAIN = [
    Problem("p", "d", (TypedName("a"), TypedName("b")), FACTS, GOAL),
    Problem("nothing", "d", (), frozenset(), frozenset()),
    Problem("q", "d", (TypedName("a", ("t",)), TypedName("é", ("either", "u"))), FACTS, frozenset()),
    Problem("r", "d", (TypedName("a"),), frozenset(), frozenset([Literal(("empty",), False)])),
]
COST = Problem("c", "d", (TypedName("a"),), FACTS, GOAL, frozenset([(("total-cost",), 0)]))
METRIC = Problem("m", "d", (TypedName("a"),), FACTS, GOAL, metric=True)


@pytest.mark.parametrize("problems", [PLAIN, [*PLAIN, COST], [METRIC, *PLAIN], []])
@pytest.mark.parametrize("chunks", [1, 2])
def test_all_at_once_is_one_by_one(problems, chunks):
    texts = list(map(write_problem, problems))
    size = -(-len(texts) // chunks) or 1
    column = pa.chunked_array(
        [texts[start : start + size] for start in range(0, len(texts), size)], pa.string()
    )
    found, wanted = all_taken_apart(column), list(map(taken_apart, texts))
    assert found.objects.to_pylist() == [each.objects for each in wanted]
    assert found.init.to_pylist() == [fact for each in wanted for fact in each.init]
    assert found.goal.to_pylist() == [fact for each in wanted for fact in each.goal]
    assert found.init_counts.tolist() == [len(each.init) for each in wanted]
    assert found.goal_counts.tolist() == [len(each.goal) for each in wanted]
