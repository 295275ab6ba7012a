"""Measure how many steps per second of processor time worlds make, beside other environments.

Per domain, on one random walk: text steps with and without the list of actions, symbolic steps, batched steps
of 1,000 episodes; the time of a new world and of a reset, of a cost to go, and of deciding all states. With
``--references PYTHON``, an interpreter that has pddlgym, pymimir or textworld, these are measured in the same
run. Run by hand from the repository's root: python benchmarks/worlds.py [--steps 20000]
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pipeline"))

import numpy as np

import orrery
from orrery.catalog import Catalog
from orrery.planning.exhaustive import explore
from orrery.planning.task import applicable, progress
from orrery.worlds.batch import WorldBatch

ROOT = Path(__file__).resolve().parent.parent
MAX_STATES = 200_000
EPISODES = 1_000
WORLDS = 100
COLUMNS = {
    "with list/s": 50_000,
    "without/s": 100_000,
    "symbolic/s": 200_000,
    "batched/s": 1_000_000,
    "states decided/s": 1_000_000,
}
COSTS = ("new world ms", "reset ms", "cost to go µs")

MIMIR = """
import sys, time, random
import pymimir
domain = pymimir.Domain(sys.argv[1]); problem = pymimir.Problem(domain, sys.argv[2])
state, rng, steps, begin = problem.get_initial_state(), random.Random(0), 0, time.process_time()
while steps < int(sys.argv[3]):
    actions = state.generate_applicable_actions()
    if not actions: state = problem.get_initial_state(); continue
    state = rng.choice(actions).apply(state); steps += 1
print(steps / (time.process_time() - begin))
"""
GYM = """
import sys, time, warnings
warnings.filterwarnings("ignore")
import pddlgym
env = pddlgym.make(f"PDDLEnv{sys.argv[1]}-v0"); env.fix_problem_index(0)
obs, _ = env.reset(); begin, steps = time.process_time(), 0
while steps < int(sys.argv[2]):
    obs, _, done, *_ = env.step(env.action_space.sample(obs)); steps += 1
    if done: obs, _ = env.reset()
print(steps / (time.process_time() - begin))
"""
TEXTWORLD = """
import sys, time, random, tempfile, os
import textworld
options = textworld.GameOptions(); options.seeds = 1; options.path = os.path.join(tempfile.mkdtemp(), "g.z8")
game = textworld.make(options)
for listed in (True, False):
    infos = textworld.EnvInfos(admissible_commands=listed)
    env = textworld.start(game[0] if isinstance(game, tuple) else game, request_infos=infos)
    state, rng, steps, begin = env.reset(), random.Random(0), 0, time.process_time()
    while steps < int(sys.argv[1]):
        state, _, done = env.step(rng.choice(state.admissible_commands) if listed else "look"); steps += 1
        if done: state = env.reset()
    print(steps / (time.process_time() - begin))
"""


def seconds(work):
    """Return the processor time of a call, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def world_of(domain, **options):
    """Return a world of a domain, at medium difficulty if it has one."""
    levels = Catalog(ROOT).entry(domain).description.difficulties or {}
    level = "medium" if "medium" in levels else None
    endless = {"max_steps": 10**9, "end_in_dead_ends": False}
    return orrery.world(domain, 1, level, max_states=MAX_STATES, root=ROOT, **endless, **options)


def text_steps(domain, steps, listed):
    """Make steps by phrases drawn at random."""
    world, rng = world_of(domain, list_actions=listed), random.Random(0)
    view = world.problem.view

    def walk():
        for _ in range(steps):
            phrases = view(world.state).phrases
            if world.step(phrases[int(rng.random() * len(phrases))]).done:
                world.reset()

    return steps / seconds(walk)[0]


def symbolic_steps(task, steps):
    """Make steps on bit sets, with all applicable actions of every state."""
    rng = random.Random(0)

    def walk():
        state = task.init
        for _ in range(steps):
            actions = applicable(task, state)
            state = progress(state, actions[int(rng.random() * len(actions))]) if actions else task.init

    return steps / seconds(walk)[0]


def batched_steps(problem, steps):
    """Make steps of many episodes at once; the actions are the applicable ones in turn."""
    batch, rounds = WorldBatch(problem, EPISODES), max(1, steps // 100)
    chosen = [np.flatnonzero(row)[0] for row in batch.applicable()]
    batch.step(np.array(chosen, np.int32))

    def walk():
        offsets = np.arange(EPISODES)
        for turn in range(rounds):
            mask = batch.applicable()
            actions = (mask * ((offsets[:, None] + turn + np.arange(mask.shape[1])) % 97 + 1)).argmax(axis=1)
            batch.step(actions)

    return rounds * EPISODES / seconds(walk)[0]


def figures(domain, steps):
    """Return the figures of a domain."""
    world_of(domain)  # loads what the first world of a domain loads
    created, world = seconds(lambda: world_of(domain))
    resets = seconds(lambda: [world.reset() for _ in range(200)])[0] / 200
    problem, task = world.problem, world.problem.task
    states = [problem.oracle.task.init] * 2_000
    asked = seconds(lambda: [problem.oracle.cost_to_go(state) for state in states])[0] / len(states)
    spent, space = seconds(lambda: explore(task, limit=MAX_STATES))
    decided = seconds(space.h_star)[0] + spent
    rates = (
        text_steps(domain, steps, True),
        text_steps(domain, steps, False),
        symbolic_steps(task, steps),
        batched_steps(problem, steps),
        len(space) / decided,
    )
    return len(problem.problem.objects), len(space), rates, (created * 1e3, resets * 1e3, asked * 1e6)


def references(python, steps):
    """Print the figures of other environments that the interpreter has."""
    folder = ROOT / "outputs" / "worlds-benchmark"
    folder.mkdir(parents=True, exist_ok=True)
    problem = world_of("ferry").problem
    (folder / "domain.pddl").write_text(problem.graded_row["domain_pddl"])
    (folder / "problem.pddl").write_text(problem.problem_pddl)
    files = [str(folder / "domain.pddl"), str(folder / "problem.pddl")]
    runs = {
        "pymimir, our ferry": [MIMIR, *files, steps],
        "TextWorld, with list and without": [TEXTWORLD, steps // 20],
    }
    runs |= {f"PDDLGym {name}": [GYM, name, steps // 100] for name in ("Blocks", "Depot", "Ferry", "Gripper")}
    for name, (script, *arguments) in runs.items():
        command = [python, "-c", script, *map(str, arguments)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        last = run.stderr.strip().splitlines()[-1:] or ["no output"]
        rates = [f"{float(rate):,.0f}" for rate in run.stdout.split()] if run.returncode == 0 else last
        print(f"| {name} | {' / '.join(rates)} |", flush=True)


def memory():
    """Return the megabytes that a hundred worlds of different domains take."""
    names = [name for name in Catalog(ROOT).names if Catalog(ROOT).entry(name).tasks]
    tracemalloc.start()
    worlds = [orrery.world(names[seed % len(names)], seed, root=ROOT) for seed in range(WORLDS)]
    for world in worlds:
        world.step("1")
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--references", help="an interpreter that has the other environments")
    options = parser.parse_args()
    rows = []
    print(f"| domain | objects | states | {' | '.join((*COLUMNS, *COSTS))} |\n|---|{'---|' * 10}")
    for domain in [name for name in Catalog(ROOT).names if Catalog(ROOT).entry(name).tasks]:
        objects, states, rates, costs = figures(domain, options.steps)
        rows.append((*rates, *costs))
        shown = [f"{rate:,.0f}" for rate in rates] + [f"{cost:.2f}" for cost in costs]
        print(f"| {domain} | {objects} | {states} | {' | '.join(shown)} |", flush=True)
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    print(f"| median | | | {' | '.join(f'{value:,.2f}' for value in medians)} |")
    print(f"targets: {COLUMNS}; a reset 2 ms, a cost to go 5 µs")
    print(f"{WORLDS} worlds of all domains take {memory():.0f} MB (target 200)")
    if options.references:
        references(options.references, options.steps)


if __name__ == "__main__":
    main()
