"""Reading and scoring of model output: processor time a pair, by domain and by what is wrong with it.

Golds are drawn by the generators, 20 to 100 propositions each. Run by hand from the repository's root:
python benchmarks/scoring.py
"""

import random
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem
from orrery.scoring.problems.pairs import score_pair
from orrery.scoring.problems.reader import read_both
from tests.every_domain import difficulties, drawn, entry
from tests.scoring.problems.rows import NAMES, known, renamed, row_of, without_a_fact

EACH = 80
PROSE = "Here is the problem (as asked):\n\n```pddl\n{}```\n\nLet me know!"


def rows(name):
    """Rows of one domain with 20 to 100 propositions, and their problems."""
    tasks, found = entry(name).tasks, []
    for number in range(20 * EACH):
        level = difficulties(name)[number % len(difficulties(name))]
        generated = drawn(name, tasks[number % len(tasks)], level, number)
        if generated and 20 <= len(generated.problem.init) + len(generated.problem.goal) <= 100:
            found.append((row_of(name, generated, number), generated.problem))
        if len(found) == EACH:
            break
    return found


def less_goal(problem, rng):
    """Without one goal literal: sometimes implied by the rest."""
    return replace(problem, goal=frozenset(rng.sample(sorted(problem.goal), max(1, len(problem.goal) - 1))))


CHANGES = {
    "the gold": lambda problem, _: problem,
    "renamed": renamed,
    "a goal less": lambda problem, rng: less_goal(renamed(problem, rng), rng),
    "a fact less": lambda problem, rng: without_a_fact(renamed(problem, rng), rng),
}


def milliseconds(function, *arguments, **named):
    """Processor time of one call."""
    began = time.process_time()
    function(*arguments, **named)
    return 1000 * (time.process_time() - began)


def report(what, times):
    """One line: median, 99th percentile and mean."""
    last = quantiles(times, n=100)[98]
    mean = sum(times) / len(times)
    print(f"  {what:34} median {median(times):7.3f}  99th {last:8.2f}  mean {mean:7.3f} ms")


def main():
    """Print the times, and how many pairs a minute that makes in one process."""
    everything = []
    for name in NAMES:
        rng, what, golds = random.Random(name), known(name), rows(name)
        print(f"{name}: {len(golds)} golds")
        domain = entry(name).domain
        score_pair(golds[0][0]["problem_pddl"], golds[0][0], known=what)  # imports and warm-up
        report("read", [milliseconds(read_problem, row["problem_pddl"], domain) for row, _ in golds])
        texts = [PROSE.format(row["problem_pddl"]) for row, _ in golds]
        report("read out of prose", [milliseconds(read_both, text, domain) for text in texts])
        for label, change in CHANGES.items():
            texts = [PROSE.format(write_problem(change(problem, rng))) for _, problem in golds]
            times = [
                milliseconds(score_pair, text, row, known=what)
                for text, (row, _) in zip(texts, golds, strict=True)
            ]
            everything += times
            report(f"score {label}", times)
    print(f"{60_000 * len(everything) / sum(everything):.0f} pairs a minute in one process")


if __name__ == "__main__":
    main()
