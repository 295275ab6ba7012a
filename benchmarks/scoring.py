"""Measure the processor time to score replies that are problems, actions or whole domains.

Problems: milliseconds per pair by domain and by change of the gold, 20 to 100 propositions; golds come from
the generators. Actions: comparison and best alignment of two actions (budget of a comparison: 0.1 ms).
Domains: milliseconds per row with and without other readers and planners. Each of our domains is a gold
domain with two solved problems; its replies are the domain itself and mutants (published evaluation, with
tarski: 120 ms). The start-up time of a reader is reported separately. Processor time includes child
processes. Run by hand from the repository's root: python benchmarks/scoring.py [GOLDS PER DOMAIN]. Set
ORRERY_CASES to compare the published pairs of actions; by default, mutants of our actions are compared.
"""

import json
import os
import random
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from statistics import mean, median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_atom, write_problem
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import ground
from orrery.scoring.domains.alignment import align, equal_actions
from orrery.scoring.problems.pairs import score_pair
from orrery.scoring.problems.reader import read_both
from orrery.scoring.scorers.domains import DomainScorer
from tests.every_domain import CATALOG, ROOT, difficulties, drawn, easy_problems, entry
from tests.scoring.domains.brute_force import disguised, mutated
from tests.scoring.domains.perturbations import written
from tests.scoring.domains.test_cases import action
from tests.scoring.problems.rows import NAMES, known, renamed, row_of, without_a_fact

PROSE = "Here is the problem (as asked):\n\n```pddl\n{}```\n\nLet me know!"
WRONG = 5  # wrong replies per row of domains
TICKS = os.sysconf("SC_CLK_TCK")


def gold_problems(name, count):
    """Return rows of one domain with 20 to 100 propositions, and their problems."""
    tasks, golds = entry(name).tasks, []
    for number in range(20 * count):
        level = difficulties(name)[number % len(difficulties(name))]
        generated = drawn(name, tasks[number % len(tasks)], level, number)
        if generated and 20 <= len(generated.problem.init) + len(generated.problem.goal) <= 100:
            golds.append((row_of(name, generated, number), generated.problem))
        if len(golds) == count:
            break
    return golds


def without_a_goal(problem, rng):
    """Return the problem without one goal literal, which the other literals may imply."""
    goal = rng.sample(sorted(problem.goal), max(1, len(problem.goal) - 1))
    return replace(problem, goal=frozenset(goal))


CHANGES = {
    "the gold": lambda problem, _: problem,
    "renamed": renamed,
    "a goal less": lambda problem, rng: without_a_goal(renamed(problem, rng), rng),
    "a fact less": lambda problem, rng: without_a_fact(renamed(problem, rng), rng),
}


def milliseconds(function, *arguments, **named):
    """Return the processor time of one call."""
    start = time.process_time()
    function(*arguments, **named)
    return 1000 * (time.process_time() - start)


def report(label, times):
    """Print median, 99th percentile and mean."""
    last = quantiles(times, n=100)[98]
    print(f"  {label:34} median {median(times):7.3f}  99th {last:8.2f}  mean {mean(times):7.3f} ms")


def time_problems(count):
    """Print the times of problems, and the pairs per minute of one process."""
    spent = []
    for name in NAMES:
        rng, facts, golds = random.Random(name), known(name), gold_problems(name, count)
        print(f"{name}: {len(golds)} golds")
        domain = entry(name).domain
        score_pair(golds[0][0]["problem_pddl"], golds[0][0], known=facts)  # imports and warm-up
        report("read", [milliseconds(read_problem, row["problem_pddl"], domain) for row, _ in golds])
        texts = [PROSE.format(row["problem_pddl"]) for row, _ in golds]
        report("read out of prose", [milliseconds(read_both, text, domain) for text in texts])
        for label, change in CHANGES.items():
            texts = [PROSE.format(write_problem(change(problem, rng))) for _, problem in golds]
            times = [
                milliseconds(score_pair, text, row, known=facts)
                for text, (row, _) in zip(texts, golds, strict=True)
            ]
            spent += times
            report(f"score {label}", times)
    print(f"{60_000 * len(spent) / sum(spent):.0f} pairs a minute in one process")


def action_pairs():
    """Return the published pairs of actions, or our actions with disguised and mutated copies."""
    if folder := os.environ.get("ORRERY_CASES"):
        rows = map(json.loads, Path(folder, "action_equivalence.jsonl").read_text().splitlines())
        return [(action(row["action_a"]), action(row["action_b"])) for row in rows]
    rng = random.Random(0)
    domains = [read_adl(path.read_text()) for path in sorted(ROOT.glob("domains/*/domain.pddl"))]
    actions = [gold for domain in domains for gold in domain.actions] * 10
    return [(mutated(rng, disguised(rng, gold)), gold) for gold in actions]


def time_actions():
    """Print the times to compare and to align two actions."""
    pairs = action_pairs()
    print(f"{len(pairs)} pairs of actions (budget: 0.1 ms in the mean for a comparison)")
    report("compare", [milliseconds(equal_actions, *pair) for pair in pairs])
    report("best bijection and distances", [milliseconds(align, *pair, typed=True) for pair in pairs])


def domain_row(name):
    """Return the columns of a row of domains that scoring reads."""
    text = (ROOT / "domains" / name / "domain.pddl").read_text()
    domain = read_domain(text)
    problems = []
    for problem in easy_problems(name, 2):
        answer = solve(ground(domain, problem))
        steps = [] if answer.plan is None else list(map(write_atom, answer.plan.steps))
        problems.append(
            {"name": problem.name, "pddl": write_problem(problem), "solvable": answer.solvable, "plan": steps}
        )
    return {"id": name, "gold_domain": text, "problems": problems, "domain": name, "style": "words"}


def domain_replies(text, rng):
    """Return the gold domain, mutants of one action, and the gold without its last parenthesis."""
    yield text
    gold = read_adl(text)
    for _ in range(WRONG - 1):
        place = rng.randrange(len(gold.actions))
        actions = list(gold.actions)
        actions[place] = mutated(rng, actions[place])
        yield written(type(gold)(**{**vars(gold), "actions": tuple(actions)}))
    yield text.rstrip()[:-1]


def descendants(process):
    """Return the process and all its descendants."""
    processes = [process]
    for parent in processes:
        for thread in Path(f"/proc/{parent}/task").glob("*"):
            with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
                processes += map(int, (thread / "children").read_text().split())
    return processes


def processor_seconds():
    """Return the processor seconds of this process, its descendants, and its ended children."""
    ticks = 0
    for process in descendants(os.getpid()):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


def block_times(scorer, block):
    """Return processor and elapsed milliseconds per row."""
    start, clock = processor_seconds(), time.perf_counter()
    scorer.score_all(block)
    return (
        1000 * (processor_seconds() - start) / len(block),
        1000 * (time.perf_counter() - clock) / len(block),
    )


def time_domains():
    """Print the time of the first block and of later blocks, with and without readers and problems."""
    rng = random.Random(1)
    rows = [domain_row(name) for name in CATALOG.names]
    replies = [(row, reply) for row in rows for reply in domain_replies(row["gold_domain"], rng)]
    rng.shuffle(replies)
    size = DomainScorer.block
    blocks = [replies[start : start + size] for start in range(0, len(replies) - size + 1, size)]
    print(f"{len(replies)} replies that are domains, {size} a block")
    for label, scorer in (
        ("comparison alone", DomainScorer(parsers=False, problems=False)),
        ("with problems", DomainScorer(parsers=False)),
        ("with readers", DomainScorer(problems=False)),
        ("all", DomainScorer()),
    ):
        first, *later = (block_times(scorer, block) for block in blocks)
        work, clock = (mean(times) for times in zip(*later, strict=True))
        print(
            f"{label:18} first block {first[0]:8.1f}  then {work:8.2f} ms a row  ({clock:.1f} by the clock)"
        )


if __name__ == "__main__":
    time_problems(int(sys.argv[1]) if len(sys.argv) > 1 else 80)
    time_actions()
    time_domains()
