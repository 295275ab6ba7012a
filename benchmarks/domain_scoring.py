"""Scoring of replies that are whole domains: processor milliseconds a row, readers and planners asked.

Each of our domains is a gold domain with two decided problems; its replies are the domain itself and some
that differ in one place. Run by hand from the repository's root: python benchmarks/domain_scoring.py

Starting a reader takes a second or two once; the figure for it stands apart. Processor time is that of this
process and of all that descend from it.
"""

import os
import random
import sys
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.pddl.read import read_domain
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_atom, write_problem
from orrery.planners.external_parsers import PARSERS
from orrery.planners.fast_downward import solve
from orrery.scoring.scorers.domains import DomainScorer
from orrery.semantics.grounding import ground
from tests.every_domain import CATALOG, ROOT, easy_problems
from tests.scoring.domains.brute_force import mutated
from tests.scoring.domains.perturbations import written

WRONG = 5  # replies to a row besides the right one
PROBLEMS = 2
TICKS = os.sysconf("SC_CLK_TCK")


def gold_row(name):
    """The columns that scoring reads of a row."""
    text = (ROOT / "domains" / name / "domain.pddl").read_text()
    domain = read_domain(text)
    found = []
    for problem in easy_problems(name, PROBLEMS):
        answer = solve(ground(domain, problem))
        steps = [] if answer.plan is None else list(map(write_atom, answer.plan.steps))
        found.append(
            {"name": problem.name, "pddl": write_problem(problem), "solvable": answer.solvable, "plan": steps}
        )
    return {"id": name, "gold_domain": text, "problems": found, "domain": name, "style": "words"}


def replies(text, rng):
    """The gold domain, some with an action changed, one with a parenthesis missing."""
    yield text
    gold = read_adl(text)
    for _ in range(WRONG - 1):
        place = rng.randrange(len(gold.actions))
        actions = list(gold.actions)
        actions[place] = mutated(rng, actions[place])
        yield written(type(gold)(**{**vars(gold), "actions": tuple(actions)}))
    yield text.rstrip()[:-1]


def descendants(process):
    """The process and all that it started, and these in turn."""
    found = [process]
    for each in found:
        for thread in Path(f"/proc/{each}/task").glob("*"):
            with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
                found += map(int, (thread / "children").read_text().split())
    return found


def spent():
    """Processor seconds of this process, of what descends from it, and of what that has waited for."""
    total = 0
    for each in descendants(os.getpid()):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        total += sum(map(int, fields[11:15]))
    return total / TICKS


def milliseconds(scorer, block):
    """Processor and elapsed time a row."""
    began, clock = spent(), time.perf_counter()
    scorer.score_all(block)
    return 1000 * (spent() - began) / len(block), 1000 * (time.perf_counter() - clock) / len(block)


def main():
    """Print the time of the first block and of all others, with and without readers and problems."""
    rng = random.Random(1)
    rows = [gold_row(name) for name in CATALOG.names]
    asked = [(row, reply) for row in rows for reply in replies(row["gold_domain"], rng)]
    rng.shuffle(asked)
    size = DomainScorer.block
    blocks = [asked[start : start + size] for start in range(0, len(asked) - size + 1, size)]
    print(f"{len(asked)} replies, {size} a block; readers: {', '.join(PARSERS)}")
    for label, scorer in (
        ("comparison alone", DomainScorer(parsers=False, problems=False)),
        ("with problems", DomainScorer(parsers=False)),
        ("with readers", DomainScorer(problems=False)),
        ("all", DomainScorer()),
    ):
        times = [milliseconds(scorer, block) for block in blocks]
        first, rest = times[0], times[1:]
        work, clock = (sum(each[n] for each in rest) / len(rest) for n in (0, 1))
        print(
            f"{label:18} first block {first[0]:8.1f}  then {work:8.2f} ms a row  ({clock:.1f} by the clock)"
        )


if __name__ == "__main__":
    main()
