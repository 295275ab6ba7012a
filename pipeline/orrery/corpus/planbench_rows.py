"""Rows of the tables ``plan_<task>`` from decided rows of PlanBench, in the words of their prompts.

A model sees only the words of a prompt, so objects have the names that the words give them: ``red`` for "the
red block", ``package_0`` for ``p0``. Replies with these names, in PDDL or in the words of the configuration,
are graded by the graders of the tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from orrery.corpus.planbench import NO_INSTANCE, TASKS, RowVerdict, costs_told
from orrery.corpus.planbench_files import Config, PublishedPrompt, domain_of
from orrery.corpus.planbench_words import STATEMENT, words_of
from orrery.families.plans.plan_task import plan_reply
from orrery.model import Atom, Domain, Row
from orrery.pddl.renaming import Tables, object_names
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.store.kinds import as_json

COMMON = (
    *("group", "task", "domain", "vocabulary", "context", "question"),
    *("domain_pddl", "problem_pddl", "nl_templates"),
)
_PLAN = ("plan", "plan_length", "h_star")
COLUMNS = {
    **dict.fromkeys(TASKS.values(), (*COMMON, *_PLAN)),
    "optimal": (*COMMON, "plan", "plan_length", "cost", "action_costs", "object_costs"),
    "reformulation": (*COMMON, *_PLAN, "form"),
    "verification": (*COMMON, "given_actions", "plan_length", "valid", "fails_at", "missing"),
    "execution": (*COMMON, "given_actions", "num_steps", "answer"),
}
"""The columns of an asked row, by task."""
FORMS = {"8_1": "shuffled", "8_2": "reduced", "8_3": "completed"}
_NAME = re.compile(r"[a-z][\w-]*")
_HOLE = "{}"


class AskedRow(NamedTuple):
    """A row of a table of plan tasks, and the published answer as a reply to it."""

    row: Row
    published_reply: str


class _PromptNames(NamedTuple):
    """The names of objects in a prompt, and the words around a name, such as ``{} block``."""

    names: Mapping[str, str]
    frame: str

    @property
    def tables(self) -> Tables:
        return object_names(self.names)

    def written(self, atoms: Iterable[Atom]) -> list[str]:
        """Return facts or steps in PDDL."""
        return [write_atom(atom) for atom in self.tables.atoms(atoms)]


def asked_row(prompt: PublishedPrompt, verdict: RowVerdict) -> AskedRow | None:
    """Return the row of a prompt with the columns that prompts and graders need.

    None if the problem is not understood, or if the answer that a reply is compared with is undecided.
    """
    task, config, problem = TASKS.get(prompt.task, ""), prompt.config, verdict.problem
    if config is None or problem is None or NO_INSTANCE in verdict.rules:
        return None
    domain = domain_of(config)
    names = _prompt_names(config, [typed.name for typed in (*domain.constants, *problem.objects)])
    answer = _answer(task, config, domain, verdict, names)
    if answer is None:
        return None
    context, _, question = prompt.query.rpartition(STATEMENT)
    row = {
        "group": f"plan_{task}",
        "task": task,
        "domain": config.name,
        "vocabulary": _vocabulary(config.name),
        "context": context.strip(),
        "question": f"{STATEMENT}{question}".strip(),
        "domain_pddl": write_domain(domain),
        "problem_pddl": write_problem(names.tables.problem(problem, "problem", problem.domain)),
        "nl_templates": _wordings(config, domain, names.frame),
        "form": FORMS.get(prompt.task, ""),
        **answer,
    }
    return AskedRow(row, _published_reply(task, prompt, verdict, names))


def _vocabulary(domain: str) -> str:
    """Return the vocabulary of a domain: misleading names of real words, meaningless ones, or plain ones."""
    if "mystery" in domain or "deceptive" in domain:
        return "misleading"
    return "meaningless" if "obfuscated" in domain or "randomized" in domain else "plain"


def _answer(
    task: str, config: Config, domain: Domain, verdict: RowVerdict, names: _PromptNames
) -> Mapping[str, Any] | None:
    """Return the columns of the task that replies are compared with; None if they are undecided."""
    shown = names.written(verdict.plan)
    if task == "verification":
        state = {"valid": bool(verdict.valid), "fails_at": verdict.fails_at or 0}
        missing = sorted(names.written(verdict.facts))
        return {"given_actions": shown, "plan_length": len(shown), **state, "missing": missing}
    if task == "execution":
        answer = {"num_steps": len(shown), "answer": sorted(names.written(verdict.facts))}
        return {"given_actions": shown, **answer} if verdict.valid else None
    is_gold = verdict.optimal if task == "optimal" else verdict.valid
    if not is_gold and verdict.least is None:
        return None
    plan = shown if is_gold else names.written(verdict.best)
    planned = {"plan": plan, "plan_length": len(plan)}
    if task != "optimal":
        return planned | {"h_star": verdict.least}
    costs = costs_told(config, domain.action_named)
    if costs is None:
        return None
    priced = {"cost": verdict.least, "action_costs": as_json(costs), "object_costs": "{}"}
    return planned | priced


def _published_reply(task: str, prompt: PublishedPrompt, verdict: RowVerdict, names: _PromptNames) -> str:
    """Return the published answer; plans and states in the names of the prompt."""
    stored = prompt.stored
    lines = stored if isinstance(stored, list) else (stored or "").splitlines()
    if task == "verification":
        return "\n".join(lines)
    if task == "execution":
        facts = {"_".join(fact): write for fact, write in _pairs(verdict.facts, names)}
        return f"ANSWER: {' '.join(facts.get(text.lower(), f'({text})') for text in lines)}"
    understood = bool(verdict.plan) or not any(lines)
    return plan_reply(names.written(verdict.plan)) if understood else "\n".join(lines)


def _pairs(facts: Iterable[Atom], names: _PromptNames) -> Iterable[tuple[Atom, str]]:
    listed = list(facts)
    return zip(listed, names.written(listed), strict=True)


def _prompt_names(config: Config, objects: Iterable[str]) -> _PromptNames:
    """Return the names in the words of the prompt; the names of the PDDL if these are not distinct names."""
    words = {name: words_of(config, name).split() for name in objects}
    varying = _varying(list(words.values()))
    if varying is None:
        names, frame = {name: "_".join(parts) for name, parts in words.items()}, _HOLE
    else:
        names = {name: parts[varying] for name, parts in words.items()}
        first = next(iter(words.values()))
        frame = " ".join(_HOLE if place == varying else word for place, word in enumerate(first))
    distinct = len(set(names.values())) == len(names) and all(map(_NAME.fullmatch, names.values()))
    return _PromptNames(names, frame) if distinct else _PromptNames({name: name for name in names}, _HOLE)


def _varying(words: list[list[str]]) -> int | None:
    """Return the only place at which words of equal number differ; None if there is no such place."""
    if len({len(parts) for parts in words}) != 1:
        return None
    places = [place for place, column in enumerate(zip(*words, strict=True)) if len(set(column)) > 1]
    return places[0] if len(places) == 1 else None


def _wordings(config: Config, domain: Domain, frame: str) -> str:
    """Return the wordings of actions and facts in the form of the column ``nl_templates``."""

    def filled(templates: Mapping[str, str], arities: Mapping[str, int]) -> dict[str, list[str]]:
        return {
            name: list(dict.fromkeys((_numbered(template, frame), _numbered(template, _HOLE))))
            for name, template in sorted(templates.items())
            if template and arities.get(name) == template.count(_HOLE)
        }

    actions = {action.name: len(action.parameters) for action in domain.actions}
    facts = {predicate.name: predicate.arity for predicate in domain.predicates}
    return as_json({"actions": filled(config.actions, actions), "facts": filled(config.predicates, facts)})


def _numbered(template: str, frame: str) -> str:
    """Return a template with ``{0}``, ``{1}`` in the words around a name."""
    first, *rest = template.split(_HOLE)
    return first + "".join(frame.replace(_HOLE, f"{{{number}}}") + part for number, part in enumerate(rest))
