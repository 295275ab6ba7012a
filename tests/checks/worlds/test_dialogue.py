"""A dialogue as it is passes; each change of a message, an action or the order is found."""

import random
import re
from copy import deepcopy

import pytest

import orrery
from orrery.checks.reading.sentences import sentence_reader
from orrery.checks.worlds.dialogue import faults_of, replayed
from orrery.checks.worlds.observations import ObservationReader
from orrery.pddl.write import write_atom
from orrery.worlds.dialogues import expert, slip
from tests.every_domain import CATALOG

DOMAINS = [name for name in CATALOG.names if CATALOG.entry(name).tasks]


def faults(world, messages, plan):
    problem = world.problem
    reader = ObservationReader(sentence_reader(problem.words, problem.domain))
    replay = replayed(problem.domain, problem.problem, plan)
    return list(faults_of(reader, problem.domain, problem.problem, world.first_observation, messages, replay))


@pytest.mark.parametrize("domain", DOMAINS)
def test_dialogues_of_every_domain_pass(domain):
    world = orrery.world(domain, seed=4, max_states=400)
    for dialogue in (expert(world), slip(world, random.Random(4)).dialogue):
        assert faults(world, dialogue.messages, map(write_atom, dialogue.steps)) == []


@pytest.fixture(scope="module")
def ferry():
    """A world, and a dialogue with an impossible slip."""
    world = orrery.world("ferry", seed=7)
    slips = (slip(world, random.Random(seed)) for seed in range(20))
    return world, next(each for each in slips if each.kind == "impossible" and each.place == 2).dialogue


def said(number, change):
    def changed(messages, plan):
        messages[number]["content"] = change(messages[number]["content"])

    return changed


def played_by(number, role):
    return lambda messages, plan: messages[number].update(role=role)


def in_plan(change):
    return lambda messages, plan: change(plan)


def exchanged(messages, plan):
    messages[2], messages[4] = messages[4], messages[2]


CHANGES = {
    "another instruction": said(0, str.upper),
    "another first observation": said(1, lambda text: f"{text} It rains."),
    "another action said": said(2, lambda text: "sail from location l1 to location l1"),
    "an action that is none": said(2, lambda text: f"{text} twice"),
    "a fact less": said(3, lambda text: text.rpartition(" and ")[0] + "."),
    "a sentence less": said(3, lambda text: text.partition(". ")[0] + "."),
    "a sentence more": said(3, lambda text: f"{text} It rains."),
    "a fact denied": said(3, lambda text: text.replace(" is not ", " is ")),
    "nothing changed": said(3, lambda text: f"{text.partition('. ')[0]}. Nothing changes."),
    "a refusal of what was possible": said(3, lambda text: text.replace("You ", "You cannot ", 1)),
    "no refusal of what was impossible": said(5, lambda text: text.replace("You cannot ", "You ", 1)),
    "another reason": said(5, lambda text: text.replace(" is not ", " is ")),
    "no reason": said(5, lambda text: text.partition(":")[0] + "."),
    "another number of actions": said(-1, lambda text: text.replace("after ", "after 1")),
    "one of several actions": said(-1, lambda text: re.sub(r"after \d+ actions", "after 1 action", text)),
    "no goal": said(-1, lambda text: text.partition(" The goal")[0]),
    "a goal in between": said(3, lambda text: f"{text} The goal is reached after 1 actions."),
    "a role": played_by(2, "user"),
    "two replies exchanged": exchanged,
    "a turn less": lambda messages, plan: messages.__delitem__(slice(2, 4)),
    "an action less": in_plan(lambda plan: plan.pop()),
    "an action more": in_plan(lambda plan: plan.append(plan[0])),
    "the actions reversed": in_plan(list.reverse),
}


def test_the_dialogue_that_is_changed_passes(ferry):
    world, dialogue = ferry
    assert faults(world, dialogue.messages, map(write_atom, dialogue.steps)) == []


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_dialogue_is_found(ferry, name):
    world, dialogue = ferry
    messages, plan = deepcopy(dialogue.messages), list(map(write_atom, dialogue.steps))
    CHANGES[name](messages, plan)
    assert (messages, plan) != (dialogue.messages, list(map(write_atom, dialogue.steps)))
    assert faults(world, messages, plan)


def test_what_is_no_action_is_named(ferry):
    world, dialogue = ferry
    with pytest.raises(ValueError, match="no action 'fly'"):
        faults(world, dialogue.messages, ["(fly l1)"])
