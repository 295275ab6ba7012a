"""Measure how often replies without planning reach the goal of a world, by domain.

The tricks: random actions, always the first action of the list, the actions of the list in turn, and the
expert's replies to another world of the domain, in words and by their numbers. The worlds are those of the
split test at the easiest difficulty. Run by hand from the repository's root:
python benchmarks/world_tricks.py [--worlds 40] [--difficulty medium]
"""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pipeline"))

import orrery
from orrery.catalog import Catalog
from orrery.model import OrreryError

ROOT = Path(__file__).resolve().parent.parent


def at_random(world, other, seed):
    """Yield random actions of the list."""
    rng = random.Random(seed)
    while True:
        yield rng.randrange(len(world.problem.view(world.state).phrases)) + 1


def the_first(world, other, seed):
    """Yield the first action of the list."""
    while True:
        yield 1


def in_turn(world, other, seed):
    """Yield the actions of the list in turn."""
    number = 0
    while True:
        yield number % len(world.problem.view(world.state).phrases) + 1
        number += 1


def expert(other):
    """Return the words and the numbers of a shortest plan of another world."""
    replies, state = [], other.problem.task.init
    for action in other.problem.oracle.shortest_plan(state):
        view = other.problem.view(state)
        place = view.actions.index(action)
        replies.append((view.phrases[place], place + 1))
        state = (state & ~action.delete) | action.add
    return replies


def words_of_another(world, other, seed):
    """Yield the expert's words in another world, again and again."""
    while True:
        yield from (phrase for phrase, _ in expert(other))


def numbers_of_another(world, other, seed):
    """Yield the expert's numbers in another world, again and again."""
    while True:
        yield from (number for _, number in expert(other))


TRICKS = {
    "random": at_random,
    "first": the_first,
    "in turn": in_turn,
    "words of another": words_of_another,
    "numbers of another": numbers_of_another,
}


def reached(world, other, trick, seed):
    """Return whether a trick reaches the goal."""
    turn = world.reset()
    for reply in TRICKS[trick](world, other, seed):
        turn = world.step(reply)
        if turn.done:
            return turn.reason == "goal"


def line(domain, difficulty, count):
    """Return the figures of a domain as a line of a table."""
    worlds = [orrery.world(domain, seed, difficulty, split="test", root=ROOT) for seed in range(count)]
    lengths = sorted(world.steps_at_best for world in worlds)
    shares = []
    for trick in TRICKS:
        wins = [reached(world, worlds[seed - 1], trick, seed) for seed, world in enumerate(worlds)]
        shares.append(f"{100 * sum(wins) / len(wins):.0f}")
    return f"| {domain} | {lengths[len(lengths) // 2]} | {' | '.join(shares)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--difficulty")
    parser.add_argument("--domains", default="")
    options = parser.parse_args()
    print(f"| domain | median shortest plan | {' | '.join(TRICKS)} |\n|---|---|{'---|' * len(TRICKS)}")
    names = [name for name in Catalog(ROOT).names if Catalog(ROOT).entry(name).tasks]
    for domain in options.domains.split(",") if options.domains else names:
        try:
            print(line(domain, options.difficulty, options.worlds), flush=True)
        except OrreryError as error:
            print(f"| {domain} | {error.problem:.60} |", flush=True)


if __name__ == "__main__":
    main()
