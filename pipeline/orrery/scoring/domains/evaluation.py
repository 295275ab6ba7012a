"""Evaluate one predicted domain against one row, and several predictions with external parsers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from orrery.pddl.adl import AdlAction, AdlDomain
from orrery.pddl.tolerant import answer_in, joined, read_actions, read_adl
from orrery.planning.adl_domain import SearchLimits
from orrery.planning.external_parsers import PARSERS, TRANSLATOR, ParserVerdict, verdicts
from orrery.scoring.domains.alignment import Alignment, align
from orrery.scoring.domains.component_f1 import Components, components
from orrery.scoring.domains.findings import DomainFinding, Flaw, findings
from orrery.scoring.domains.plan_transfer import GoldProblem, PlanTranslation, Solved, solve_problems
from orrery.scoring.domains.spelling import (
    SpelledF1,
    compact,
    indel_ratio,
    levenshtein_ratio,
    spelled_f1,
)

PARSER_SECONDS = 10.0
UNPARSABLE = "Unparsable"


@dataclass(frozen=True)
class EvaluationOptions:
    """Options of an evaluation: the external parsers, whether problems are solved, and the limits."""

    parsers: tuple[str, ...] = PARSERS
    solve: bool = True
    limits: SearchLimits = field(default_factory=SearchLimits)


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of one prediction.

    ``strict`` are the actions of both domains under the best type-preserving bijection. ``loose``, in
    ``components``, are those under the best bijection of any kind. ``text`` is the predicted domain in PDDL.
    """

    predicted: AdlDomain
    gold: AdlDomain
    text: str
    components: Components
    strict: Mapping[str, Alignment]
    spelled: SpelledF1
    levenshtein: float | None
    indel: float | None
    findings: tuple[DomainFinding, ...]
    solved: tuple[Solved, ...] = ()
    verdicts: Mapping[str, ParserVerdict] = field(default_factory=dict)

    @property
    def readable(self) -> bool:
        """Whether any part of a domain could be read."""
        return bool(self.predicted.text) and not self.predicted.empty

    @property
    def sound(self) -> bool:
        """Whether our check accepts the domain: no fault, all names and requirements declared, none twice."""
        return self.readable and not self.predicted.faults

    @property
    def executable(self) -> bool | None:
        """Whether our check and Fast Downward's translator accept the domain.

        Return None without a verdict: the translator did not read it, or a limit ended it. Without the
        translator faulty domains have no verdict either, so that the share of executable ones is not biased.
        """
        verdict = self.verdicts.get(TRANSLATOR)
        if verdict is None or not verdict.installed:
            return None
        return self.sound and verdict.accepted

    @property
    def error_class(self) -> str:
        """Why the domain is not executable, or empty: the gravest fault, or the translator's refusal."""
        if not self.readable:
            return UNPARSABLE
        refusal = self.verdicts[TRANSLATOR].error if TRANSLATOR in self.verdicts else None
        return str(self.predicted.error_class or refusal or "")

    @property
    def alone(self) -> tuple[Alignment, ...]:
        """Actions that only one domain has, each aligned with an empty action, gold actions first."""
        mine, theirs = self.predicted.action_named, self.gold.action_named
        missing = [align(AdlAction(n), gold, typed=True) for n, gold in theirs.items() if n not in mine]
        extra = [align(action, AdlAction(n), typed=True) for n, action in mine.items() if n not in theirs]
        return (*missing, *extra)

    @property
    def plans(self) -> tuple[DomainFinding, ...]:
        """One finding for each judged plan: whether it is good or bad."""
        judged = [
            (problem.problem, problem.forward) for problem in self.solved if problem.forward is not None
        ]
        return tuple(
            DomainFinding(Flaw.GOOD_PLAN if good else Flaw.BAD_PLAN, "", name) for name, good in judged
        )

    @property
    def unread(self) -> str:
        """The first part of the reply that is not in the domain; empty if the gold lacks such parts too."""
        if any(fault.lost for fault in self.gold.faults):
            return ""
        return next((str(fault) for fault in self.predicted.faults if fault.lost), "")

    @property
    def equal(self) -> bool | None:
        """Whether the domain is right, up to names of variables and order; None if undecided."""
        if self.findings or self.unread:
            return False
        return (
            None
            if any(alignment.equal is None for alignment in self.strict.values())
            else self.components.equal
        )


def evaluate(output: str, row: Mapping[str, Any], *, headed: bool = False) -> Evaluation:
    """Return the evaluation of a model's reply against a row, without planners and parsers.

    For ``headed`` rows only the actions of the reply count, because the header gives the declarations.
    """
    gold = gold_domain(row["gold_domain"])
    if headed:
        predicted = read_actions(output, row["header"], "output")
        text = joined(row["header"], predicted) if predicted.actions else ""
        if not predicted.actions:
            predicted = AdlDomain(faults=predicted.faults)  # the model did not write the header
    else:
        predicted = read_adl(output, "output")
        text = predicted.text
    scores = components(predicted, gold)
    mine, theirs = predicted.action_named, gold.action_named
    reply_text, gold_text = text or answer_in(output), gold.text
    return Evaluation(
        predicted=predicted,
        gold=gold,
        text=text,
        components=scores,
        strict={name: align(mine[name], theirs[name], typed=True) for name in theirs if name in mine},
        spelled=spelled_f1(predicted, gold),
        levenshtein=levenshtein_ratio(reply_text, gold_text),
        indel=indel_ratio(compact(reply_text), compact(gold_text)),
        findings=findings(predicted, gold, scores),
    )


@lru_cache(maxsize=64)
def gold_domain(text: str) -> AdlDomain:
    """Return the gold domain of a row, parsed once."""
    return read_adl(text, "gold")


def evaluate_all(
    predictions: Sequence[tuple[str, Mapping[str, Any]]], effort: EvaluationOptions, *, headed: bool = False
) -> list[Evaluation]:
    """Return full evaluations of replies with their rows. Each parser is started once for all replies."""
    pairs = [(evaluate(output, row, headed=headed), row) for output, row in predictions]
    texts = [pair[0].text or answer_in(output) for pair, (output, _) in zip(pairs, predictions, strict=True)]
    with ThreadPoolExecutor(max_workers=1) as aside:
        pending = aside.submit(verdicts, texts, effort.parsers, seconds=PARSER_SECONDS)
        solved = [
            solve_gold(row, evaluation, effort.limits) if effort.solve else () for evaluation, row in pairs
        ]
        answers = pending.result()
    return [
        replace(evaluation, solved=solutions, verdicts=parsers)
        for (evaluation, _), solutions, parsers in zip(pairs, solved, answers, strict=True)
    ]


def solve_gold(row: Mapping[str, Any], evaluation: Evaluation, limits: SearchLimits) -> tuple[Solved, ...]:
    """Return the results on the gold problems of a row: solved problems and judged plans."""
    problems = [GoldProblem.from_row(record) for record in row["problems"] or ()]
    steps = PlanTranslation(evaluation.predicted, evaluation.gold, evaluation.components.alignments)
    return solve_problems(evaluation.text, row["gold_domain"], problems, steps, limits)
