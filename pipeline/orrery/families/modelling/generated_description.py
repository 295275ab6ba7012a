"""Describe domains without words of their own by a generic grammar over their PDDL.

Names keep their spelling, so that every condition in words can be traced to its formula. The four sections
are those of Text2World (Hu et al., 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from orrery.language.words import listing, plural
from orrery.model import OBJECT, Predicate, TypedName
from orrery.pddl.adl import (
    AND,
    ASSIGNMENTS,
    EXISTS,
    FORALL,
    IMPLY,
    NOT,
    OR,
    TIMED,
    WHEN,
    AdlAction,
    AdlDomain,
    Formula,
    Part,
)
from orrery.pddl.conjuncts import conjuncts
from orrery.pddl.requirements import used
from orrery.pddl.write import write_type

_CHANGES = {
    "increase": "{} grows by {}",
    "decrease": "{} falls by {}",
    "assign": "{} becomes {}",
    "scale-up": "{} is multiplied by {}",
    "scale-down": "{} is divided by {}",
}
_COMPARED = {"<": "less than", ">": "more than", "<=": "at most", ">=": "at least", "=": "equal to"}
_TIMES = {"at start": "at the start", "at end": "at the end", "over all": "all the while"}


def describe(domain: AdlDomain) -> str:
    """Return the concrete description: signatures, conditions and effects.

    Without the conditions and effects, such a text determines no domain. So there is no abstract description.
    """
    sections = {
        "General": [_general(domain)],
        "Types": [_typed(typed) for typed in domain.types],
        "Constants": [_typed(typed) for typed in domain.constants],
        "Predicates": [_predicate(typed) for typed in domain.predicates],
        "Functions": [f"{_signature(typed.name, typed.parameters)}: a number" for typed in domain.functions],
        "Rules": [_rule(formula) for formula in domain.other],
        "Actions": [line for action in domain.actions for line in _action(action)],
    }
    written = [f"### {title}\n" + "\n".join(lines) for title, lines in sections.items() if lines]
    return "\n\n".join(written) + "\n"


def _general(domain: AdlDomain) -> str:
    parts = [
        plural("type", len(domain.types)),
        plural("predicate", len(domain.predicates)),
        plural("action", len(domain.actions)),
    ]
    requirements = list(domain.requirements) or [":strips", *sorted(used(domain))]
    summary = f"The planning domain '{domain.name}' has {listing(parts)}."
    return f"{summary} Its requirements: {listing(requirements)}."


def _typed(typed: TypedName) -> str:
    return f"- {typed.name}" + ("" if typed.types == (OBJECT,) else f": of type {listing(typed.types, 'or')}")


def _signature(name: str, parameters: Iterable[TypedName]) -> str:
    typed = (p.name if p.types == (OBJECT,) else f"{p.name} - {write_type(p.types)}" for p in parameters)
    return f"- ({' '.join((name, *typed))})"


def _predicate(predicate: Predicate) -> str:
    names = [parameter.name for parameter in predicate.parameters]
    return f"{_signature(predicate.name, predicate.parameters)}: whether {_fact(predicate.name, names)}"


def _fact(name: str, arguments: Sequence[str], verb: str = "holds") -> str:
    return f"'{name}' {verb}" + (f" for {listing(arguments)}" if arguments else "")


def _action(action: AdlAction) -> list[str]:
    kind = {":action": "an action", ":durative-action": "an action that takes time"}
    purpose = kind.get(action.kind, f"a {action.kind.removeprefix(':')}")
    names = [parameter.name for parameter in action.parameters]
    about = f" on {listing(names)}" if names else ""
    head = f"{_signature(action.name, action.parameters)}: {purpose}{about}"
    needs = [condition(formula) for formula in conjuncts(action.preconditions)]
    makes = [effect(formula) for formula in conjuncts(action.effects)]
    return [
        head,
        *(f"  - before: {need}" for need in needs or ["nothing is needed"]),
        *(f"  - after: {effect}" for effect in makes or ["nothing changes"]),
    ]


def _rule(formula: Formula) -> str:
    if formula.head == ":derived":
        fact, *why = formula.formulas
        return f"- {condition(fact)} whenever {condition(Formula(AND, tuple(why)))}"
    return f"- {formula.head.removeprefix(':')}: {condition(Formula(AND, formula.formulas))}"


def condition(formula: Formula) -> str:
    """Return a condition in words."""
    head, parts = formula.head, formula.formulas
    if (text := _combined(formula, condition, "nothing is needed")) is not None:
        return text
    if head == OR:
        return (
            "either " + _joined([condition(part) for part in parts], "or") if parts else "what is never true"
        )
    if head == NOT and parts:
        return _negated(parts[0])
    if head == IMPLY and len(parts) == 2:
        return f"if {condition(parts[0])}, then {condition(parts[1])}"
    if head == EXISTS and parts:
        return f"for some {_variables(formula)}: {condition(parts[0])}"
    if head in _COMPARED and len(formula.parts) == 2:
        return _comparison(formula, "is")
    return _atom(formula)


def _combined(formula: Formula, say: Callable[[Formula], str], nothing: str) -> str | None:
    """Return a conjunction, a universal or a timed part in words; None for other formulas."""
    head, parts = formula.head, formula.formulas
    if head == AND:
        return _joined([say(part) for part in parts], "and") or nothing
    if head == FORALL and parts:
        return f"for every {_variables(formula)}: {say(parts[0])}"
    return f"{_TIMES[head]}, {say(parts[0])}" if head in TIMED and parts else None


def _atom(formula: Formula, verb: str = "holds") -> str:
    return _fact(formula.head, [_term(part) for part in formula.parts], verb)


def _negated(formula: Formula) -> str:
    """Return the negation of a condition in words."""
    if formula.head in _COMPARED and len(formula.parts) == 2:
        return _comparison(formula, "is not")
    if formula.formulas:
        return f"it is not the case that ({condition(formula)})"
    return _atom(formula, "does not hold")


def _comparison(formula: Formula, verb: str) -> str:
    first, second = formula.parts
    if formula.head == "=" and isinstance(first, str) and isinstance(second, str):
        return f"{first} {verb} the same as {second}"
    return f"{_term(first)} {verb} {_COMPARED[formula.head]} {_term(second)}"


def effect(formula: Formula) -> str:
    """Return an effect in words."""
    head, parts = formula.head, formula.formulas
    if (text := _combined(formula, effect, "nothing changes")) is not None:
        return text
    if head == WHEN and len(parts) == 2:
        return f"if before it {condition(parts[0])}, then {effect(parts[1])}"
    if head == "oneof":
        return "exactly one of these, by chance: " + "; ".join(f"({effect(part)})" for part in parts)
    if head == "probabilistic":
        return "by chance: " + "; ".join(_chances(formula.parts))
    if head in ASSIGNMENTS and len(formula.parts) == 2:
        return _CHANGES[head].format(*map(_term, formula.parts))
    if head == NOT and parts:
        return _atom(parts[0], "no longer holds")
    return _atom(formula)


def _chances(parts: Sequence[Part]) -> list[str]:
    """Return probabilities and their outcomes in words."""
    return [effect(part) if isinstance(part, Formula) else f"with probability {part}" for part in parts]


def _variables(formula: Formula) -> str:
    names = [
        v.name if v.types == (OBJECT,) else f"{v.name} of type {listing(v.types, 'or')}"
        for v in formula.variables
    ]
    return listing(names) if names else ""


def _joined(parts: Sequence[str], word: str) -> str:
    """Return several conditions as one, in parentheses if there are several."""
    return parts[0] if len(parts) == 1 else f" {word} ".join(f"({part})" for part in parts)


def _term(part: Part) -> str:
    """Return a name, number or numeric term."""
    if isinstance(part, str):
        return part
    if part.head == "-" and len(part.parts) == 1:
        return f"(minus {_term(part.parts[0])})"
    if part.head in "+-*/":
        return f"({f' {part.head} '.join(_term(operand) for operand in part.parts)})"
    return f"'{part.head}'" + (
        f" of {listing([_term(operand) for operand in part.parts])}" if part.parts else ""
    )
