"""Local sight: visible facts are those that plain sets say, and texts name nothing that is elsewhere."""

import pickle
import random
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

import orrery
from orrery.catalog import entry_of
from orrery.config import Sight
from orrery.model import Literal, OrreryError, UsageError
from orrery.pddl.write import write_domain, write_literal
from orrery.worlds.episode import World, WorldOptions
from orrery.worlds.sight_check import check_sight
from orrery.worlds.world_problem import WorldProblem
from orrery.worlds.world_texts import PddlTexts
from tests.effort import slow
from tests.every_domain import CATALOG
from tests.worlds.episodes import state_and_place, walk, wandered

PLACES = {  # the type of places, or for an untyped domain the predicate
    "alfworld": "location", "ferry": "location", "floor-tile": "tile", "floortile": "tile",
    "goldminer": "loc", "grid": "place", "gripper": "room", "grippers": "room",
    "rover-single": "waypoint", "visitall": "place",
}  # fmt: skip
DOMAINS = sorted(PLACES)
every_domain_with_sight = pytest.mark.parametrize("domain", DOMAINS)


class PlainSight:
    """What is visible, from the definition, on plain sets of facts."""

    def __init__(self, problem):
        self.sight, self.domain = CATALOG.entry(problem.domain_name).description.sight, problem.domain
        kind, posed = PLACES[problem.domain_name], problem.problem
        self.places = {o.name for o in posed.objects if kind in o.types or (kind, o.name) in posed.init}

    def at_agents(self, state):
        return {fact[self.sight.agent[fact[0]]] for fact in state if fact[0] in self.sight.agent}

    def near_agents(self, state):
        at_agents = self.at_agents(state)
        near = set(at_agents)
        for name, (first, second) in self.sight.adjacent.items():
            for fact in (fact for fact in state if fact[0] == name):
                near |= {fact[first]} if fact[second] in at_agents else set()
                near |= {fact[second]} if fact[first] in at_agents else set()
        return near

    def is_here(self, name, state):
        if name in self.places:
            return name in self.at_agents(state)
        here, elsewhere = [], False
        for fact in state:
            if fact[0] in self.sight.located:
                thing, container = (fact[number] for number in self.sight.located[fact[0]])
                if thing == name:
                    elsewhere = True
                    required = self.sight.seen_if.get(fact[0])
                    here.append(
                        (required is None or (required, container) in state)
                        and self.is_here(container, state)
                    )
        return any(here) or not elsewhere

    def is_visible(self, fact, state):
        near = fact[0] in self.sight.nearby
        return all(
            name in self.near_agents(state) if near and name in self.places else self.is_here(name, state)
            for name in fact[1:]
        )

    def visible(self, state):
        fluents = self.domain.fluents
        return {fact for fact in state if fact[0] in fluents and self.is_visible(fact, state)}


def test_the_domains_with_acting_agents_have_local_sight():
    assert [name for name in CATALOG.names if CATALOG.entry(name).description.sight] == DOMAINS


@every_domain_with_sight
def test_visible_facts_are_those_of_the_definition(domain):
    for seed in range(3):
        problem = orrery.world(domain, seed=seed, max_states=20_000).problem
        plain, rng = PlainSight(problem), random.Random(seed)
        space = problem.states_in_sight
        for index in rng.choices(range(len(space.oracle.states)), k=40):
            mask = int.from_bytes(space.oracle.states[index].tobytes(), "little")
            seen = problem.task.facts_of(problem.seen(mask))
            assert seen == plain.visible(problem.task.state(mask))
            assert problem.seen(mask) == int.from_bytes(space.visible[index].tobytes(), "little")


@every_domain_with_sight
def test_no_observation_names_what_is_elsewhere(domain):
    world = orrery.world(domain, seed=2, sight="local", max_steps=10**6)
    plain, task = PlainSight(world.problem), world.problem.task
    for before, step, turn in walk(world, 40, seed=1):
        after = task.state(world.state)
        text = turn.observation.split("From here the goal")[0].split("The goal is reached")[0]
        named = {*re.findall(r"[\w-]+", text.lower())} & world.problem.object_names
        in_sight = {name for fact in plain.visible(before) | plain.visible(after) for name in fact[1:]}
        in_sight |= plain.near_agents(before) | plain.near_agents(after)
        assert named <= in_sight | {*step[1:]}


@every_domain_with_sight
def test_the_conditions_that_a_refusal_names_are_known_from_what_is_visible(domain):
    world = orrery.world(domain, seed=2, sight="local", max_steps=10**6)
    problem, plain = world.problem, PlainSight(world.problem)
    unnamed = 0
    for before, step, turn in walk(world, 60, seed=3):
        if turn.info["outcome"] != "impossible":
            continue
        unmet = problem.unmet(step, problem.task.mask(f for f in before if f[0] in problem.domain.fluents))
        assert {*turn.info["failed"]} <= {write_literal(literal) for literal in unmet}
        for literal in unmet:
            if write_literal(literal) not in turn.info["failed"]:
                unnamed += 1
                assert literal.atom[0] in problem.domain.fluents
                assert literal.atom[0] not in plain.sight.agent
        if not turn.info["failed"]:
            assert "you do not see which" in turn.observation
    assert unnamed or domain in ("floor-tile", "floortile", "rover-single", "visitall")


@every_domain_with_sight
def test_the_first_observation_tells_static_facts_and_no_more_of_the_state_than_is_visible(domain):
    world = orrery.world(domain, seed=4, sight="local")
    full = orrery.world(domain, seed=4)
    texts = world.problem.texts
    assert full.first_observation.startswith(texts.setting)
    assert world.first_observation.startswith(f"{texts.setting}\nYou see only")
    assert world.first_observation.endswith(texts.goal)
    closing = full.first_observation.removesuffix(texts.goal).strip().split(". ")[-1]
    assert closing not in world.first_observation
    assert world.look() in world.first_observation


def test_an_object_elsewhere_is_not_looked_at():
    world = orrery.world("ferry", seed=7, sight="local")
    state, place = state_and_place(world)
    for _, car, at in (fact for fact in state if fact[0] == "at"):
        answer = world.step(f"look at {car}").observation
        assert (answer == f"You see nothing of {car}.") == (at != place)
        assert (at in answer) == (at == place)


def test_what_is_in_a_closed_container_is_not_seen():
    for seed in range(40):
        problem = orrery.world("alfworld", seed=seed).problem
        state = problem.task.state(problem.task.init)
        closed = {
            fact[1]: at
            for fact in state
            if fact[0] == "closed"
            for at in state
            if at[:2] == ("located", fact[1])
        }
        inside = [fact for fact in state if fact[0] == "in" and fact[2] in closed]
        if inside:
            break
    (name, receptacle), place = inside[0][1:], closed[inside[0][2]][2]
    world = World(problem, WorldOptions(sight="local", max_steps=100))
    agent, here = next(fact[1:] for fact in state if fact[0] == "robot-at")
    if here != place:
        assert world.step(f"(go-to {agent} {here} {place})").info["outcome"] == "done"
    assert name not in world.look()
    turn = world.step(f"(open {agent} {receptacle} {place})")
    assert name in turn.observation
    assert f"(in {name} {receptacle})" in turn.info["certain"]


@every_domain_with_sight
def test_a_player_who_explores_reaches_the_goal(domain):
    for seed in range(2):
        world = orrery.world(domain, seed=seed, sight="local", end_in_dead_ends=False, max_steps=10**5)
        tried, turn = {}, world.reset()
        while not turn.done:
            if world.is_dead_end():
                turn = world.reset()
            view = world.look()
            reply = min(turn.admissible, key=lambda phrase: (tried.get((view, phrase), 0), phrase))
            tried[view, reply] = tried.get((view, reply), 0) + 1
            turn = world.step(reply)
        assert turn.reason == "goal"


@every_domain_with_sight
def test_an_episode_is_the_same_again_after_pickling_and_from_its_snapshot(domain):
    world = orrery.world(domain, seed=5, sight="local", end_in_dead_ends=False, max_steps=100)
    replies = [turn.info["action"] for _, _, turn in walk(world, 6, seed=5)]
    world.reset()
    world.step(replies[0])
    again = orrery.world(domain, seed=5, sight="local", end_in_dead_ends=False, max_steps=100)
    again.restore(world.snapshot())
    copy = pickle.loads(pickle.dumps(world))
    for reply in replies[1:]:
        turns = [each.step(reply) for each in (world, again, copy)]
        assert turns[0] == turns[1] == turns[2]
    assert world.snapshot() == again.snapshot() == copy.snapshot()


def test_a_snapshot_whose_belief_does_not_fit_is_refused():
    world = orrery.world("ferry", seed=7, sight="local")
    snapshot, number = world.snapshot(), len(world.problem.oracle.states)
    for belief in ([], [number], [-1, 0], [*snapshot["belief"], 10**30], None, "x", [number - 1]):
        with pytest.raises(OrreryError, match="snapshot"):
            world.restore(snapshot | {"belief": belief})
    with pytest.raises(OrreryError, match="snapshot"):
        world.restore(orrery.world("ferry", seed=7).snapshot())


@slow
def test_threads_give_the_same_transcripts():
    episodes = [(domain, seed) for domain in DOMAINS for seed in (0, 1)]
    alone = [wandered(*episode, sight="local") for episode in episodes]
    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(lambda episode: wandered(*episode, sight="local"), episodes)) == alone


def test_a_domain_that_does_not_say_what_is_seen_is_refused():
    with pytest.raises(UsageError, match=r"blocksworld.*domain\.yaml has no key 'sight'"):
        orrery.world("blocksworld", sight="local")
    ferry = orrery.world("ferry", seed=7).problem
    with pytest.raises(UsageError, match="no key 'sight'"):
        orrery.world_of_pddl(write_domain(ferry.domain), ferry.problem_pddl, sight="local")
    with pytest.raises(UsageError, match="option 'sight'"):
        orrery.world("ferry", sight="none")


def test_only_local_sight_has_a_belief_in_info():
    assert {"certain", "possible_states"}.isdisjoint(orrery.world("grid", seed=1).reset().info)
    assert "belief" not in orrery.world("grid", seed=1).snapshot()


def test_without_all_states_there_is_no_belief_and_the_same_is_seen():
    posed = orrery.world("ferry", seed=7).problem
    small = WorldProblem(posed.root, posed.domain_name, posed.problem_id, posed.problem_pddl, max_states=3)
    options = WorldOptions(sight="local", max_steps=40, end_in_dead_ends=False)
    worlds = [World(problem, options) for problem in (posed, small)]
    for _ in range(10):
        turns = [world.step("1") for world in worlds]
        assert turns[0].observation == turns[1].observation
        assert (turns[1].info["certain"], turns[1].info["possible_states"]) == (None, None)
    again = World(small, options)
    again.restore(worlds[1].snapshot())
    assert again.step("1") == worlds[1].step("1")


@slow
def test_the_texts_in_pddl_state_only_static_facts_beforehand():
    problem = orrery.world("grid", seed=3).problem
    texts = PddlTexts(problem.domain, problem.problem)
    assert not re.findall(
        r"^ *\((?:at|open|locked|at-robot|holding) [^?]*?\)", texts.setting.split("(:init")[1], re.M
    )
    assert "(conn " in texts.setting.split("(:init")[1]
    assert "(locked PLACE)" in texts.sight(["locked"])
    assert texts.refusal(("move", "p1", "p2"), []).startswith("Impossible: (move p1 p2). Some condition")
    assert "Does not hold" in texts.refusal(("move", "p1", "p2"), [Literal(("open", "p2"))])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"agent": {"at-robto": 1}}, "sight.agent: names 'at-robto'"),
        ({"agent": {"at-robot": 2}}, "gives 'at-robot' an argument 2, and it has 1"),
        ({"located": {"at": [1, 3]}}, "sight.located: gives 'at' an argument 3"),
        ({"adjacent": {"at": [1, 2]}}, "sight.adjacent: names 'at', which actions change"),
        ({"nearby": ["lokced"]}, "sight.nearby: names 'lokced'"),
        ({"seen_if": {"at": "opne"}}, "sight.seen_if: names 'opne'"),
        ({"seen_if": {"at": "arm-empty"}}, "sight.seen_if: gives 'arm-empty' an argument 1"),
        ({"seen_if": {"conn": "open"}}, "sight.seen_if: names 'conn', which is not in 'located'"),
    ],
)
def test_a_description_that_does_not_fit_the_domain_is_refused(change, said):
    entry = entry_of(CATALOG.root, "grid")
    content = entry.description.sight.model_dump() | change
    with pytest.raises(OrreryError, match=re.escape(said)):
        check_sight(Sight.model_validate(content), entry.domain, entry.folder / "domain.yaml")
