"""What replies without skill score on the plan tables, by task and domain, and whether that is too much.

A reply is written from what the row shows alone, and graded as any other. No rule may score more than three
points above what chance gives: 0 for plans, one half where every second row has the same answer by design.
A score above that is held against the build unless the noise of so few rows explains it, by the exact
binomial test of the adversary (see ``adversary.verdict``), with all figures of a table as its trials.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import floor, fsum
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from orrery.checks.verdicts import MALFORMED
from orrery.dataset.adversary.verdict import (
    EVERY,
    FAILED,
    LEVEL,
    NOISE,
    PLACES,
    WITHIN,
    at_least,
    independent,
)
from orrery.families.plans.schemas import PLANS
from orrery.grading import grade
from orrery.model import OrreryError
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_atom
from orrery.scoring.scorers.plans import PlanScorer
from orrery.seeds import digest, stream
from orrery.semantics.grounding import Grounder
from orrery.semantics.progression import applicable, progress
from orrery.semantics.task import PlanningTask
from orrery.store.kinds import table_name
from orrery.store.shards import read_batches, splits

Row: TypeAlias = Mapping[str, Any]
Steps: TypeAlias = Sequence[str]

STAGE = "plan baselines"
MARGIN = 0.03  # so much above chance is allowed
MOST = 400  # rows of a task and domain on which the rules are tried
PIECE = 20_000  # rows of which ids are in memory
MOST_WALKS = 100  # a walk takes the problem to be grounded
EXAMPLES = "shown_examples"  # long, and no grader reads them
PROVIDER, FAILS = "provider", "fails"


class PlanBaseline(NamedTuple):
    """The score of a rule on the rows of a task in a domain (in all, where it is empty).

    ``independent`` is how many rows the rows are worth, as some share a problem; ``tried`` how many scores
    were looked at beside this one.
    """

    task: str
    domain: str
    rule: str
    rows: int
    score: float
    chance: float
    independent: float
    tried: int = 1

    @property
    def limit(self) -> float:
        """The score that is allowed."""
        return round(self.chance + MARGIN, PLACES)

    @property
    def verdict(self) -> str:
        """Whether the score is within the limit, above it within the noise of so few rows, or too much."""
        if self.score <= self.limit:
            return WITHIN
        rows = max(1, floor(self.independent))
        likely = at_least(floor(self.score * rows), rows, self.limit)
        return FAILED if likely * self.tried < LEVEL else NOISE

    def __str__(self) -> str:
        """Return the figure as a sentence."""
        return (
            f"the rule '{self.rule}' scores {100 * self.score:.1f} % of {self.rows} rows of {self.task}; "
            f"chance is {100 * self.chance:.1f} %, the limit {100 * self.limit:.1f} %"
        )


class PlanAttempts(NamedTuple):
    """The figures of a plan table; ``unread`` says why there are none, where a value is malformed."""

    table: str
    figures: Sequence[PlanBaseline]
    unread: str = ""

    def verdicts(self) -> list[tuple[str, list[str]]]:
        """Return what is wrong with the table as a whole, and in each domain."""
        if self.unread:
            return [(EVERY, [self.unread])]
        return [
            (domain, [str(each) for each in self.figures if (each.domain, each.verdict) == (domain, FAILED)])
            for domain in sorted({each.domain for each in self.figures})
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        figures = [{**each._asdict(), "limit": each.limit, "verdict": each.verdict} for each in self.figures]
        return {"table": self.table, "unread": self.unread, "figures": figures}


class Attempt(NamedTuple):
    """A rule applied to a row: its score and what chance gives there; ``said`` is what was replied.

    What a rule says is known where the best reply for all rows is chosen in hindsight.
    """

    rule: str
    row: Row
    score: float
    chance: float
    said: str = ""


class _Rule(NamedTuple):
    """What is replied to a row by one rule: several replies where the best of them counts."""

    name: str
    tasks: frozenset[str]
    replies: Callable[[Row], Iterable[str]]
    chance: Callable[[Row], float] = lambda _: 0.0
    most: int = MOST


def plan_tables(dataset: Path) -> list[str]:
    """Return the plan tables of a dataset, sorted."""
    there = splits(dataset)
    return sorted(name for name in map(table_name, PLANS.values()) if name in there)


def with_figures(found: Iterable[PlanAttempts]) -> list[PlanAttempts]:
    """Return those that were tried on rows, or that say why not."""
    return [each for each in found if each.figures or each.unread]


def tried_in(dataset: Path, name: str) -> PlanAttempts:
    """Try every rule on one table of a dataset."""
    paths = list(chain(*splits(dataset)[name].values()))
    columns = [
        column for column in PLANS[_task_of(name)].names if PlanScorer.reads(column) or column == EXAMPLES
    ]
    try:
        drawn = pa.array(_drawn_names(paths), pa.string())
        rows = (
            row
            for path in paths
            for some in read_batches(path, columns=columns)
            for row in some.filter(pc.is_in(some["id"], drawn)).to_pylist()
        )
        return PlanAttempts(name, measured(rows))
    except (OrreryError, *MALFORMED) as error:
        return PlanAttempts(name, (), f"cannot be tried: {' '.join(str(error).split())}")


def _drawn_names(paths: Iterable[Path]) -> list[str]:
    """Return the ids of the rows that ``measured`` draws of those of some files; no others stay in memory."""
    best: dict[str, list[Row]] = defaultdict(list)
    for path in paths:
        for some in read_batches(path, columns=["id", "domain"], size=PIECE):
            new: dict[str, list[Row]] = defaultdict(list)
            for row in some.to_pylist():
                new[row["domain"]].append(row)
            best |= {domain: _drawn([*best[domain], *rows], MOST) for domain, rows in new.items()}
    return [row["id"] for rows in best.values() for row in rows]


def measured(rows: Iterable[Row]) -> list[PlanBaseline]:
    """Return what every rule scores on rows of one task, by domain and on all."""
    by_domain: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_domain[row["domain"]].append(row)
    attempts = [each for some in by_domain.values() for each in _attempts(_drawn(some, MOST))]
    scored: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for each in attempts:
        for domain in (each.row["domain"], EVERY):
            scored[domain, each.rule].append(each)
    return [_figure(domain, rule, some, tried=len(scored)) for (domain, rule), some in sorted(scored.items())]


def _task_of(name: str) -> str:
    return name.partition("_")[2]


def _drawn(rows: Sequence[Row], most: int) -> list[Row]:
    """Return so many of the rows, by lot."""
    return sorted(rows, key=lambda row: digest(row["id"]))[:most]


def _figure(domain: str, rule: str, attempts: Sequence[Attempt], *, tried: int) -> PlanBaseline:
    """Return the figure of a rule; one that says the same of all rows says what is right most often."""
    said = Counter(each.said for each in attempts)
    best, _ = max(said.items(), key=lambda pair: (pair[1], pair[0]))
    scores = [float(each.said == best) if each.said else each.score for each in attempts]
    score = fsum(scores) / len(scores)
    pairs = [
        (value, (each.row["domain"], each.row["problem_id"]))
        for value, each in zip(scores, attempts, strict=True)
    ]
    chance = fsum(each.chance for each in attempts) / len(attempts)
    return PlanBaseline(
        task=_task_of(attempts[0].row["group"]),
        domain=domain,
        rule=rule,
        rows=len(attempts),
        score=round(score, PLACES),
        chance=round(chance, PLACES),
        independent=round(independent(pairs, score), PLACES),
        tried=tried * len(said),
    )


def _attempts(rows: Sequence[Row]) -> list[Attempt]:
    """Return what all rules score on the rows of a task in one domain."""
    task = _task_of(rows[0]["group"])
    found = [
        Attempt(rule.name, row, max(grade(reply, row).value for reply in replies), rule.chance(row))
        for rule in RULES
        if task in rule.tasks
        for row in rows[: rule.most]
        if (replies := list(rule.replies(row)))
    ]
    for name, answer, chance in CONSTANT.get(task, ()):
        found += [Attempt(name, row, 0.0, chance(row), said) for row in rows if (said := answer(row))]
    return found


def plan_reply(steps: Steps) -> str:
    """Return the reply that gives these steps as the plan."""
    return "\n".join(["[PLAN]", *steps, "[PLAN END]"])


def _shown_plans(row: Row) -> list[Steps]:
    """Return the plans that the question shows."""
    return [each["plan"] for each in row[EXAMPLES]] if EXAMPLES in row else [row["shown"]]


def _copies(row: Row) -> list[str]:
    return [plan_reply(steps) for steps in _shown_plans(row)]


def _first_lines(row: Row) -> list[str]:
    return [plan_reply(steps[:1]) for steps in _shown_plans(row)]


def _suffixes(row: Row) -> list[str]:
    return [plan_reply(row["shown"][start:]) for start in range(1, len(row["shown"]))]


def _prefixes(row: Row) -> list[str]:
    return [plan_reply(row["shown"][:end]) for end in range(1, len(row["shown"]))]


@lru_cache(maxsize=32)
def _grounder(domain: str) -> Grounder:
    return Grounder(read_domain(domain))


@lru_cache(maxsize=2 * MOST_WALKS)
def _grounded(domain: str, problem: str) -> PlanningTask:
    """Return a task, kept, for several rules ask for it."""
    grounder = _grounder(domain)
    return grounder.ground(read_problem(problem, grounder.domain))


def _task(row: Row) -> PlanningTask:
    try:
        return _grounded(row["domain_pddl"], row["problem_pddl"])
    except OrreryError as error:
        raise OrreryError(row["id"], str(error)) from error


def _first_applicable(row: Row) -> list[str]:
    task = _task(row)
    return [plan_reply([write_atom(action.step)]) for action in applicable(task, task.init)[:1]]


def _walk(row: Row) -> list[str]:
    """Return a random walk as long as the stored plan; none where there is no plan, or no action."""
    steps = walk(_task(row), len(row["plan"]), stream(0, "walk", row["id"])) if row["plan"] else []
    return [plan_reply(steps)] if steps else []


def walk(task: PlanningTask, length: int, rng: Random) -> list[str]:
    """Return the steps of a random walk, shorter where it ends with nothing applicable."""
    mask, steps = task.init, []
    for _ in range(length):
        if not (possible := applicable(task, mask)):
            break
        action = rng.choice(possible)
        mask = progress(mask, action)
        steps.append(write_atom(action.step))
    return steps


def _unchanged(row: Row) -> list[str]:
    """Return the state before the actions as that after them."""
    domain = _grounder(row["domain_pddl"]).domain
    problem = read_problem(row["problem_pddl"], domain, row["id"])
    facts = sorted(fact for fact in problem.init if fact[0] in domain.fluents)
    return [f"ANSWER: {' '.join(map(write_atom, facts))}"]


def _beside(row: Row) -> list[str]:
    return [f"ANSWER: {row['step'] + (1 if row['asked'] == FAILS else -1)}"]


def _initial(row: Row) -> list[str]:
    return ["ANSWER: 0"] if row["asked"] == PROVIDER else []


def _last(row: Row) -> list[str]:
    return [f"ANSWER: {len(row['shown'])}"] if row["asked"] == FAILS else []


def _guess(row: Row) -> float:
    """Return how often a guess is right among the steps in question; the one beside is never asked for."""
    others: int = row["step"] - 1 if row["asked"] == PROVIDER else len(row["shown"]) - row["step"] - 1
    return 1 / max(1, others)


def _half(_: Row) -> float:
    return 0.5


def _one_of_the_steps(row: Row) -> float:
    return 1 / max(1, len(row["shown"]))


def _fault(row: Row) -> str:
    return "valid" if row["valid"] else f"{row['fails_at']} {' '.join(row['missing'])}"


def _failing_step(row: Row) -> str:
    return str(row["fails_at"]) if row["fails_at"] else ""


def _facts(row: Row) -> str:
    return " ".join(row["answer"])


def _provider(row: Row) -> str:
    return str(row["answer"]) if row["asked"] == PROVIDER else ""


def _failing(row: Row) -> str:
    return str(row["answer"]) if row["asked"] == FAILS else ""


_SHOWN = frozenset({"reuse", "replanning"})
_LONE = frozenset({"generation", "optimal", "reformulation"})
_PLANS = frozenset({*_SHOWN, *_LONE, "generalization"})
_SOLVABLE, _CAUSAL = frozenset({"solvability"}), frozenset({"causality"})

RULES: tuple[_Rule, ...] = (
    _Rule("copy the shown plan", _SHOWN | {"generalization"}, _copies),
    _Rule("the first line of the shown plan", _SHOWN | {"generalization"}, _first_lines),
    _Rule("a later part of the shown plan", _SHOWN, _suffixes),
    _Rule("an earlier part of the shown plan", _SHOWN, _prefixes),
    _Rule("no step", _PLANS, lambda _: [plan_reply([])]),
    _Rule("the first applicable action", _LONE | _SOLVABLE, _first_applicable, most=MOST_WALKS),
    _Rule("a random walk", _PLANS | _SOLVABLE, _walk, most=MOST_WALKS),
    _Rule("there is none", _SOLVABLE, lambda _: ["ANSWER: none"], _half),
    _Rule("valid", frozenset({"verification"}), lambda _: ["ANSWER: valid"], _half),
    _Rule("nothing changes", frozenset({"execution"}), _unchanged),
    _Rule("the step beside", _CAUSAL, _beside, _guess),
    _Rule("the initial state", _CAUSAL, _initial, _guess),
    _Rule("the last step", _CAUSAL, _last, _guess),
)
# By task the answer that is right most often, chosen on the rows that it is tried on.
CONSTANT: Mapping[str, Sequence[tuple[str, Callable[[Row], str], Callable[[Row], float]]]] = MappingProxyType(
    {
        "verification": (
            ("the most common answer", _fault, _half),
            ("the step that fails most often, of those that fail", _failing_step, _one_of_the_steps),
        ),
        "execution": (("the most common answer", _facts, lambda _: 0.0),),
        "causality": (
            ("the most common step that provides", _provider, _guess),
            ("the most common step that fails", _failing, _guess),
        ),
    }
)
