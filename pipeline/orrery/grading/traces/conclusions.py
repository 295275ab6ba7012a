"""What must have been derived for an answer, by the group of the row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ..row import (
    Atom,
    Literal,
    Row,
    action_sequence,
    atom_of,
    costs_of,
    needed_value,
    structured_value,
    value,
)
from ..score import NO_PLAN
from .derivation import Derivation, TraceRead
from .lines import TraceFault, literals_in, literals_of

Claim: TypeAlias = Mapping[str, Any]

WITH_COSTS = ("goal_closer_gen", "plan_optimal")  # groups whose traces prove a least cost


def conclude(trace: TraceRead, answer: Any, row: Row) -> None:
    """Verify that an answer follows.

    Args:
        trace: the trace.
        answer: the answer as the grader has read it.
        row: the row.

    Raises:
        TraceFault: it does not follow.
    """
    group = str(value(row, "group"))
    _require_uses(trace.derivations, group)
    if value(row, "claim") is not None:
        _conclude_claim(trace, answer, row)
    elif value(row, "claims") is not None:
        _conclude_choice(trace, answer, row)
    elif group in WITH_COSTS:
        _conclude_optimum(trace, answer, row)
    else:
        _require(len(trace.derivations) == 1, "the trace has several derivations")
        _require(not trace.verdicts and trace.bound is None, "the trace has a conclusion of another kind")
        follows = _OPEN.get(group, _follows_plan)
        _require(follows(trace.derivations[0], answer, row), "the answer does not follow from the lines")


def _require_uses(derivations: Sequence[Derivation], group: str) -> None:
    """Verify that no line stands in a trace of another kind, where nothing compares it with the row."""
    for derivation in derivations:
        if not group.startswith("validation"):
            _require(not derivation.foreign and not derivation.all_known, "nothing asks for unknown actions")
        if not group.startswith(("action_justification", "plan_causality")):
            _require(not derivation.omitted, "nothing asks about steps that are left out")
        if group not in WITH_COSTS:
            _require(derivation.costs is None and not derivation.counts, "nothing asks about costs")


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise TraceFault(problem)


def _conclude_claim(trace: TraceRead, answer: Any, row: Row) -> None:
    truth = _truth(structured_value(row, "claim"), trace.derivations)
    _require(trace.verdicts == {"": truth}, "the conclusion on the claim does not follow")
    _require(answer == ("yes" if truth else "no"), "the answer does not follow from the conclusion")


def _conclude_choice(trace: TraceRead, answer: Any, row: Row) -> None:
    derivations = trace.derivations
    claims = structured_value(row, "claims")
    labels = [str(label) for label in structured_value(row, "choices")["label"]]
    if claims[0]["kind"] in ("val", "prog"):  # all options are about one derivation
        truths = {label: _truth(claim, derivations) for label, claim in zip(labels, claims, strict=True)}
    else:
        of_label = {label: [each for each in derivations if each.label == label] for label in labels}
        truths = {label: _truth(claim, of_label[label]) for label, claim in zip(labels, claims, strict=True)}
        _require(all(each.label for each in derivations), "a derivation is about no option")
    if claims[0]["kind"] == "val":
        truths = {label: truth for label, truth in truths.items() if truth}
    _require(trace.verdicts == truths, "the conclusions on the options do not follow")
    right = [label.lower() for label, truth in truths.items() if truth]
    _require(right == [answer], "the answer does not follow from the conclusions")


def _truth(claim: Claim, derivations: Sequence[Derivation]) -> bool:
    """Return whether derivations show that a claim is true; its negation otherwise.

    Raises:
        TraceFault: they show neither.
    """
    _require(len(derivations) == 1, f"a claim has {len(derivations)} derivations")
    truth = _TRUTHS[claim["kind"]](claim, derivations[0])
    if truth is None:
        raise TraceFault(f"a claim of kind '{claim['kind']}' is neither proven nor refuted")
    return truth


def _app_truth(claim: Claim, derivation: Derivation) -> bool | None:
    return None if derivation.steps else derivation.conditions.get(atom_of(claim["action"]))


def _prog_truth(claim: Claim, derivation: Derivation) -> bool | None:
    literals = literals_in(claim["facts"])
    if derivation.steps != [atom_of(claim["action"])] or not derivation.facts.keys() >= {*literals}:
        return None
    return all(derivation.facts[literal] for literal in literals)


def _val_truth(claim: Claim, derivation: Derivation) -> bool | None:
    steps = [atom_of(step) for step in claim["sequence"]]
    outcome = _outcome(steps, derivation)
    return outcome == claim["says"] if outcome else None


def _outcome(steps: list[Atom], derivation: Derivation) -> str:
    """Return what is shown of a sequence, in the words of claims; empty if nothing is."""
    names = derivation.problem.domain.definitions
    if derivation.all_known and not all(step[0] in names for step in steps):
        return ""
    if derivation.foreign:
        is_given = all(steps[place - 1 : place] == [step] for place, step in derivation.foreign.items())
        return "invalid" if is_given and not derivation.steps and derivation.failed is None else ""
    if derivation.failed and _is_begun(steps, derivation):
        return "inapplicable" if derivation.all_known else ""
    if derivation.steps != steps or derivation.goal is None or derivation.failed:
        return ""
    return "applicable" if derivation.goal else "plan"


def _is_begun(steps: Sequence[Atom], derivation: Derivation) -> bool:
    """Return whether a derivation carries out a sequence up to a step that fails."""
    done = len(derivation.steps)
    failing = derivation.failed[1] if derivation.failed else None
    return derivation.steps == [*steps[:done]] and [failing] == [*steps[done : done + 1]]


def _just_truth(claim: Claim, derivation: Derivation) -> bool | None:
    plan, width = [atom_of(step) for step in claim["plan"]], len(claim["remove"])
    starts = [start for start in claim["at"] if {*range(start + 1, start + width + 1)} == derivation.omitted]
    remaining = _without(plan, derivation.omitted)
    if not starts:
        return None
    if derivation.failed:
        return False if _is_begun(remaining, derivation) else None
    return derivation.is_plan if derivation.steps == remaining and derivation.goal is not None else None


def _without(plan: Sequence[Atom], omitted: Iterable[int]) -> list[Atom]:
    return [step for number, step in enumerate(plan, 1) if number not in omitted]


def _reach_truth(claim: Claim, derivation: Derivation) -> bool | None:
    literals = frozenset(literals_in(claim["facts"]))
    if derivation.nevers.elements:
        is_excluded = not derivation.nevers.has_supposition and derivation.nevers.excludes(literals)
        return False if is_excluded else None
    held = derivation.facts.keys() == literals and all(derivation.facts.values())
    return True if held and not derivation.failed else None


def _areach_truth(claim: Claim, derivation: Derivation) -> bool | None:
    actions = frozenset(map(atom_of, claim["actions"]))
    if derivation.nevers.elements:
        return False if _excludes_actions(derivation, actions) else None
    held = derivation.conditions.keys() == actions and all(derivation.conditions.values())
    return True if held and not derivation.failed else None


def _excludes_actions(derivation: Derivation, actions: frozenset[Atom]) -> bool:
    return not derivation.nevers.has_supposition and actions in derivation.nevers.inapplicable


def _land_truth(claim: Claim, derivation: Derivation) -> bool | None:
    (literal,) = literals_in([claim["fact"]])
    if derivation.nevers.has_supposition:
        return True if _is_landmark(derivation, literal) else None
    is_avoided = literal in derivation.avoided and literal[0] not in derivation.seen
    return False if derivation.is_plan and is_avoided else None


def _is_landmark(derivation: Derivation, literal: Literal) -> bool:
    return derivation.nevers.supposed == literal and derivation.nevers.goal_excluded


_TRUTHS: Mapping[str, Callable[[Claim, Derivation], bool | None]] = {
    "app": _app_truth,
    "prog": _prog_truth,
    "val": _val_truth,
    "just": _just_truth,
    "reach": _reach_truth,
    "areach": _areach_truth,
    "land": _land_truth,
}


def _follows_app(derivation: Derivation, answer: Any, _: Row) -> bool:
    return bool(derivation.joins.applicable() == answer)


def _follows_prog(derivation: Derivation, answer: Any, row: Row) -> bool:
    asked = value(row, "question_pddl") or ""
    is_asked = len(derivation.steps) == 1 and f"({' '.join(derivation.steps[0])})" in asked.lower()
    true, false = (frozenset(atom for atom, _ in change) for change in derivation.changes)
    return is_asked and answer == {"pos": true, "neg": false}


def _follows_val(derivation: Derivation, answer: Any, row: Row) -> bool:
    sequence = action_sequence(row, "sequence")
    return _is_begun(sequence, derivation) and derivation.index == answer


def _follows_just(derivation: Derivation, answer: Any, row: Row) -> bool:
    remaining = _without(action_sequence(row, "plan"), derivation.omitted)
    return derivation.is_plan and derivation.steps == remaining == [*answer]


def _follows_reach(derivation: Derivation, answer: Any, _: Row) -> bool:
    conjunction = frozenset((atom, True) for atom in answer)
    nevers = derivation.nevers
    return bool(answer) and not nevers.has_supposition and nevers.excludes(conjunction)


def _follows_areach(derivation: Derivation, answer: Any, _: Row) -> bool:
    return bool(answer) and _excludes_actions(derivation, frozenset(answer))


def _follows_land(derivation: Derivation, answer: Any, _: Row) -> bool:
    return len(answer) == 1 and _is_landmark(derivation, (next(iter(answer)), True))


def _follows_plan(derivation: Derivation, answer: Any, _: Row) -> bool:
    if answer == NO_PLAN:
        return derivation.nevers.goal_excluded and not derivation.nevers.has_supposition
    return derivation.is_plan and derivation.steps == [step for step, _ in answer]


def _follows_execution(derivation: Derivation, answer: Any, row: Row) -> bool:
    told = {entry.atom for entry in answer if entry.positive}
    facts = {fact for fact in derivation.state if fact[0] in derivation.problem.domain.fluents}
    is_done = derivation.steps == action_sequence(row, "given_actions") and not derivation.failed
    return is_done and told - derivation.problem.static_facts == facts


def _follows_verification(derivation: Derivation, answer: Any, row: Row) -> bool:
    steps = action_sequence(row, "given_actions")
    if derivation.failed:
        number, _, unmet = derivation.failed
        follows = _is_begun(steps, derivation) and answer.step == number
    else:
        unmet = derivation.goal or frozenset()
        follows = derivation.steps == steps and derivation.goal is not None
        follows = follows and (answer.valid or answer.step == 0)
    told = {literal for text in answer.literals for literal in literals_of(text)}
    return bool(follows and answer.valid == (not unmet) and told == unmet)


def _follows_causality(derivation: Derivation, answer: Any, row: Row) -> bool:
    steps, step = action_sequence(row, "given_actions"), int(needed_value(row, "step"))
    if value(row, "question_type") == "fails":
        remaining = _without(steps, [step])
        is_omitted = derivation.omitted == {step} and derivation.failed is not None
        return bool(is_omitted and _is_begun(remaining, derivation) and derivation.number == answer)
    if derivation.omitted:
        return False
    (literal,) = literals_of(str(value(row, "fact")))
    traced = derivation.traced.get(literal)
    if traced is None or [named for _, named, _ in traced] != steps[: step - 1]:
        return False
    touched = [(number, effect) for number, _, effect in traced if effect is not None]
    last, effect = touched[-1] if touched else (0, derivation.problem.start >= {literal[0]})
    return bool(effect and last == answer)


def _conclude_optimum(trace: TraceRead, answer: Any, row: Row) -> None:
    """Verify that a plan costs no more than what disjoint parts of the costs of needed actions add up to."""
    bound = trace.bound
    plans = [each for each in trace.derivations if each.is_plan]
    cuts = [each for each in trace.derivations if each.counts]
    _require(len(plans) == 1 and len(plans) + len(cuts) == len(trace.derivations), "the trace lacks a plan")
    _require(bound == tuple(cut.counts for cut in cuts), "the bound has other terms than the lines before")
    steps = plans[0].steps
    cost_of = costs_of(row)
    counted = Counter[Atom]()
    for cut in cuts:
        counted.update(dict.fromkeys(cut.nevers.excluded, cut.counts))
    exceeded = [step for step, count in counted.items() if count > cost_of(step)]
    _require(not exceeded, "the bound counts more of an action than its cost")
    told = plans[0].costs
    _require(told == tuple(map(cost_of, steps)), "the costs of the steps are others")
    _require(sum(told or ()) == sum(bound or ()), "the bound is not the cost of the plan")
    named = {*answer} == {*steps[:1]} if value(row, "group") == "goal_closer_gen" else None
    _require(named if named is not None else steps == [step for step, _ in answer], "the answer is another")


_OPEN: Mapping[str, Callable[[Derivation, Any, Row], bool]] = {
    "applicable_actions_gen": _follows_app,
    "progression_gen": _follows_prog,
    "validation_gen": _follows_val,
    "action_justification_gen": _follows_just,
    "reachable_atom_gen": _follows_reach,
    "reachable_action_gen": _follows_areach,
    "landmarks_gen": _follows_land,
    "plan_execution": _follows_execution,
    "plan_verification": _follows_verification,
    "plan_causality": _follows_causality,
}
