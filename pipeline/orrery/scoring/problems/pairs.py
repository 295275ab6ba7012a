"""Score one output against one row: parseable, solvable, correct; as written and ignoring added types.

Planner and closure rule come from our domains, looked up by the name and text of the row's domain.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from orrery.catalog import Catalog, entry_of
from orrery.equivalence.closure import Budget, Rule
from orrery.equivalence.compared import ComparedProblem
from orrery.equivalence.domain_isomorphism import DomainIsomorphism, translation
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, Reason, compare_with, measure
from orrery.installation import find_root
from orrery.model import Domain, OrreryError, Problem
from orrery.pddl.read import read_domain, read_problem
from orrery.scoring.problems.reader import Reading, read_both
from orrery.scoring.problems.solvability import Planner, ProofLimits, Prover


@dataclass(frozen=True, eq=False)
class DomainKnowledge:
    """Our knowledge of a domain: its own planner, and its rule for goal closures."""

    domain: Domain
    planner: Planner | None = None
    rule: Rule | None = None

    @cached_property
    def prover(self) -> Prover:
        """The prover of solvability for problems of the domain."""
        return Prover(self.domain, self.planner, self.rule)


@lru_cache(maxsize=256)
def known_of(root: Path, name: str, domain_pddl: str | None) -> DomainKnowledge | None:
    """Return the knowledge about a domain in the folders of ``root``; None for other domains.

    The domain with this ``name`` is compared first, then all others. A domain matches if it is equal up to
    renaming and the order of declarations, regardless of its name.

    Raises:
        PddlError: the text is not a domain.
    """
    names = Catalog(root).names
    if domain_pddl is None:
        return _knowledge_of_entry(root, name) if name in names else None
    domain = read_domain(domain_pddl, "row: domain_pddl")
    for candidate in sorted(names, key=lambda domain_name: domain_name != name):
        if translation(domain, entry_of(root, candidate).domain) is not None:
            return _knowledge_of_entry(root, candidate)
    return None


@lru_cache(maxsize=256)
def _knowledge_of_entry(root: Path, name: str) -> DomainKnowledge:
    entry = entry_of(root, name)
    return DomainKnowledge(entry.domain, entry.planner, entry.closure_rule)


UNREADABLE = "unreadable"
AS_THE_GOLD = "as-the-gold"
ALL_OPEN = "placeholder row without open_objects: every object may change places"
_CORRECT = {
    EquivalenceOutcome.EQUIVALENT: True,
    EquivalenceOutcome.DIFFERENT: False,
    EquivalenceOutcome.UNDECIDED: None,
}


@dataclass(frozen=True, slots=True)
class ScoreLimits:
    """The limits of one score. Beyond them the score is undecided."""

    solving: ProofLimits = field(default_factory=ProofLimits)
    comparing: Budget = field(default_factory=lambda: Budget(states=50_000, calls=40, seconds=1.0))


@dataclass(frozen=True, slots=True)
class ScoreView:
    """The verdicts on one reading of an output. None means undecided, never "no".

    ``reason`` is the check that decided whether it is correct, ``solvable_reason`` the method that decided
    whether it is solvable. If undecided, they name the open part. ``error`` is an ``ErrorClass`` or empty.
    """

    parseable: bool
    solvable: bool | None
    correct: bool | None
    reason: str
    solvable_reason: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class ProblemScore:
    """The score of one output: as written, and without the types that it adds.

    ``detail`` describes the error. ``tolerated`` lists the tolerated deviations (sorted). ``remark`` names a
    failed planner or rule of the domain, or says that the column open objects is missing.
    """

    plain: ScoreView
    relaxed: ScoreView
    detail: str
    tolerated: tuple[str, ...]
    remark: str = ""

    def as_row(self) -> dict[str, Any]:
        """Return the score as columns of plain values."""
        relaxed = {f"relaxed_{name}": figure for name, figure in asdict(self.relaxed).items()}
        common = {"detail": self.detail, "tolerated": list(self.tolerated), "remark": self.remark}
        return {**asdict(self.plain), **relaxed, **common}


def score_pair(
    output: str | None,
    row: Mapping[str, Any],
    *,
    known: DomainKnowledge | None = None,
    costs: ScoreLimits | None = None,
) -> ProblemScore:
    """Return the score of a model's output against a row of ``text_to_pddl``.

    Args:
        output: the model's output; None counts as an empty one.
        row: a row with ``problem_pddl`` and ``domain_pddl``, which is optional if ``known`` is
            given. ``is_placeholder`` determines the comparison of goals (default: 0). ``open_objects`` are
            the objects that may change places (default: all, with a remark). ``solvable`` saves work if
            present. Keys are not used, because they may be those of another problem.
        known: our knowledge of the domain, or of the plain domain behind an obfuscated one (default: looked
            up, see ``known_of``).
        costs: limits; beyond them the result is None.

    Raises:
        OrreryError: the row itself cannot be read. No output raises.
    """
    if known is None and not row.get("domain_pddl"):
        raise OrreryError(
            f"row {row.get('id', '')}", "has no domain_pddl", "add it, or name the domain's folder"
        )
    if known is None:
        known = known_of(find_root().absolute(), str(row.get("domain") or ""), row["domain_pddl"])
    judge = judge_of(row.get("domain_pddl") or None, known)
    return judge.score(output or "", row, costs or ScoreLimits())


@lru_cache(maxsize=64)
def judge_of(domain_pddl: str | None, knowledge: DomainKnowledge | None) -> Judge:
    """Return the judge of a domain, created once per process; without a text, of the known domain."""
    if domain_pddl is not None:
        return Judge(read_domain(domain_pddl, "row: domain_pddl"), knowledge)
    if knowledge is None:
        raise ValueError("neither a domain nor one that is known")
    return Judge(knowledge.domain, knowledge)


class Judge:
    """Scores outputs for problems of one domain."""

    def __init__(self, domain: Domain, knowledge: DomainKnowledge | None) -> None:
        """Create a judge; ``knowledge`` is used if its domain equals this one up to names."""
        self.domain = domain
        self.own = DomainKnowledge(domain)
        self.known = knowledge or self.own

    @cached_property
    def plainly(self) -> DomainIsomorphism | None:
        """The renaming of problems into the known domain; None if the domains are not isomorphic."""
        return translation(self.domain, self.known.domain)

    def in_words(self, problem: Problem) -> tuple[Problem, DomainKnowledge]:
        """Return the problem, translated into our domain if possible, and the knowledge of that domain."""
        if self.domain == self.known.domain:
            return problem, self.known
        translated = self.plainly.problem(problem) if self.plainly else None
        return (problem, self.own) if translated is None else (translated, self.known)

    def score(self, output: str, row: Mapping[str, Any], costs: ScoreLimits) -> ProblemScore:
        """Return the result of ``score_pair``."""
        readings = read_both(output, self.domain)
        gold = self._gold(row)
        plain, remark = self._view(readings.plain, gold, row, costs)
        relaxed = plain
        if readings.relaxed is not readings.plain:
            relaxed, relaxed_remark = self._view(readings.relaxed, gold, row, costs)
            remark = remark or relaxed_remark
        return ProblemScore(
            plain=plain,
            relaxed=relaxed,
            detail=readings.plain.detail,
            tolerated=tuple(sorted({*readings.plain.tolerated, *readings.relaxed.tolerated})),
            remark=remark,
        )

    def _gold(self, row: Mapping[str, Any]) -> Problem:
        """Return the gold problem of the row."""
        name = f"row {row.get('id', '')}: problem_pddl".replace(" :", ":")
        if not isinstance(row.get("problem_pddl"), str):
            raise OrreryError(name, "is missing", "give rows of the table text_to_pddl")
        return read_problem(row["problem_pddl"], self.domain, name)

    def _view(
        self, reading: Reading, gold: Problem, row: Mapping[str, Any], costs: ScoreLimits
    ) -> tuple[ScoreView, str]:
        """Return the verdicts on a reading, and a remark."""
        if reading.problem is None:
            error = str(reading.error or "")
            return ScoreView(False, False, False, UNREADABLE, UNREADABLE, error), ""
        predicted, knowledge = self.in_words(reading.problem)
        wanted, gold_knowledge = self.in_words(gold)
        if knowledge is not gold_knowledge:  # one of them cannot be translated
            predicted, wanted, knowledge = reading.problem, gold, self.own
        opened, unsaid = open_objects(row)
        solvability = knowledge.prover.solve(predicted, costs.solving, like=wanted)
        if solvability.solvable is False and row.get("solvable"):
            return ScoreView(
                True, False, False, str(Reason.UNSOLVABLE), solvability.reason
            ), solvability.remark or unsaid
        compare = partial(
            compare_with,
            predicted=predicted,
            placeholder=bool(row.get("is_placeholder")),
            open_objects=opened,
            plan=solvability.plan,
        )
        remark = solvability.remark
        try:
            verdict = compare(_measured(knowledge, wanted, costs.comparing))
        except OrreryError as error:  # of the domain's rule, which may not support an odd reply
            verdict = compare(measure(knowledge.domain, wanted, None, costs.comparing))
            remark = remark or f"compared without the domain's rule of goal closures: {error}"
        solvable, route = solvability.solvable, solvability.reason
        if solvable is None and verdict.outcome is EquivalenceOutcome.EQUIVALENT and row.get("solvable"):
            solvable, route = True, AS_THE_GOLD
        view = ScoreView(True, solvable, _CORRECT[verdict.outcome], str(verdict.reason), route)
        return view, remark or unsaid


@lru_cache(maxsize=64)
def _measured(knowledge: DomainKnowledge, gold: Problem, budget: Budget) -> ComparedProblem:
    """Return a gold problem prepared for comparisons, cached because several replies are compared with it."""
    return measure(knowledge.domain, gold, knowledge.rule, budget)


def open_objects(row: Mapping[str, Any]) -> tuple[Collection[str] | None, str]:
    """Return the objects that may change places, None for all, and a remark if the row has no such column.

    Rows of the published benchmark and of old datasets do not state the open objects of their text. Then the
    published definition applies, by which all objects may change places.

    Raises:
        OrreryError: the column is not a list of names.
    """
    names = row.get("open_objects")
    if names is None:
        return None, ALL_OPEN if row.get("is_placeholder") else ""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        place = f"row {row.get('id', '')}: open_objects"
        raise OrreryError(place, "is not a list of names", "give the objects that the text leaves open")
    return [name.lower() for name in names], ""


def scores_schema() -> Any:
    """Return the schema of the table of scores for problems in PDDL."""
    from orrery.problems.schemas import shared
    from orrery.store.kinds import BOOL, INT, STRING, STRINGS, column, table

    no_problem = "false where no problem could be read, null where undecided"
    return table(
        "scores",
        "Scores of model outputs for text_to_pddl",
        column("id", STRING, "The row of text_to_pddl"),
        column("sample", STRING, "Which output for that row; empty where there is one"),
        column("parseable", BOOL, "Whether a :strips problem of the domain can be read out of the output"),
        column("solvable", BOOL, f"Whether that problem has a plan; {no_problem}", nullable=True),
        column("correct", BOOL, f"Whether it is equivalent to the gold; {no_problem}", nullable=True),
        column("reason", STRING, "Which check decided `correct`, or what was left open"),
        column("solvable_reason", STRING, "Which route decided `solvable`, or what ended it"),
        column("error", STRING, "Class of the error where nothing could be read, else empty"),
        column("relaxed_parseable", BOOL, "As `parseable`, ignoring added types"),
        column("relaxed_solvable", BOOL, "As `solvable`, ignoring added types", nullable=True),
        column("relaxed_correct", BOOL, "As `correct`, ignoring added types", nullable=True),
        column("relaxed_reason", STRING, "As `reason`, ignoring added types"),
        column("relaxed_solvable_reason", STRING, "As `solvable_reason`, ignoring added types"),
        column("relaxed_error", STRING, "As `error`, ignoring added types"),
        column("detail", STRING, "What exactly is wrong with the output"),
        column("tolerated", STRINGS, "What was tolerated in reading the output, sorted"),
        column(
            "remark",
            STRING,
            "How the domain's planner or rule failed, or that the row lacks `open_objects`; else empty",
        ),
        *shared("domain", "mixture"),
        column("size", STRING, "Number of propositions of the gold, in bins"),
        column("init", STRING, "Configuration of the initial state, as `<domain>/<configuration>`"),
        column("goal", STRING, "Configuration of the goal, as `<domain>/<configuration>`"),
        column("is_placeholder", INT, "1 if exchanging the row's open objects can change the goal"),
        column("vocabulary", STRING, "`plain`, or the obfuscated vocabulary of the row"),
        key=("id", "sample"),
    )
