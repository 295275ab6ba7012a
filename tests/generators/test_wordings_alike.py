"""Every wording of a passage says as much as every other: none tells fewer parameters apart."""

import json
from itertools import combinations

import pytest

from orrery.model import Parameters
from tests.every_domain import entry, words
from tests.generators import prose
from tests.generators.parameters import blocksworld, built, gripper

FEWEST = 8
MOST = 400  # of a passage's wordings
PARAMETERS = 10  # of a configuration
# What these say of the initial state is in the plural or not, in some wordings; its own text has the numbers.
OF_NOW = ("swap", "drop_and_pickup")

Side = tuple[str, str]


def passages(name):
    """Different parameters of each configuration of small problems, by side."""
    place, parameters_by_side = entry(name), dict[Side, dict[str, Parameters]]()
    for task in place.tasks:
        drawn = blocksworld(task, 5) if name == "blocksworld" else gripper(task, 2, 3, 2)
        for generated in built(place, task, drawn, 1):
            for side, configuration, stated in (
                ("init", task.init, generated.init_parameters),
                ("goal", task.goal, generated.goal_parameters),
            ):
                by_text = parameters_by_side.setdefault((side, configuration), {})
                by_text.setdefault(json.dumps(stated, sort_keys=True), stated)
    return {
        key: list(parameters_of.values())[:: -(-len(parameters_of) // PARAMETERS)]
        for key, parameters_of in parameters_by_side.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blocksworld", "gripper"])
def test_many_sound_wordings_tell_the_same_parameters_apart(name):
    wordings, seen = words(name), 0
    for (side, configuration), parameters_of in passages(name).items():
        wordings_of = [wordings.every(f"{side}_{configuration}", stated, {}) for stated in parameters_of]
        texts = [frozenset(way.every(MOST)) for way in wordings_of]
        assert min(map(len, texts)) >= FEWEST, (side, configuration)
        assert [fault for text in frozenset().union(*texts) for fault in prose.faults(text)] == []
        for first, second in combinations(texts, 2) if configuration not in OF_NOW or side == "init" else ():
            assert first == second or first.isdisjoint(second), (side, configuration, first & second)
            seen += first != second
    assert seen > 40
