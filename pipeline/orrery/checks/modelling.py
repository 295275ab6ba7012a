"""Check rows that ask for actions and domains: nothing missing, all steps mapped, every problem decided.

The texts are compared with the domain that is parsed from the row, not with the code that made them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any

import pyarrow.parquet as pq

from orrery.catalog import entry_of
from orrery.checks import FamilyChecks
from orrery.checks.execution import fault_of_plan
from orrery.checks.inputs import CheckInputs
from orrery.checks.sql import files_of
from orrery.checks.verdicts import Verdicts, differing
from orrery.families import families
from orrery.language.words import Words
from orrery.model import EQUAL, Action, Atom, Domain
from orrery.pddl.read import PddlError, read_domain, read_problem
from orrery.pddl.write import parse_atom

BATCH = 40  # rows held in memory at a time
OURS = "orrery"  # the source of rows on Orrery's own domains
NUMBERED = re.compile(r"\((\d+)\) ")


def check_rows(inputs: CheckInputs) -> Verdicts:
    """Check all rows; a row on one of our domains is compared with the words of that domain."""
    verdicts = Verdicts()
    for table in families()["modelling"].tables:
        for path in files_of(inputs.dataset, table.name):
            for batch in pq.ParquetFile(path).iter_batches(BATCH, use_threads=False):
                for row in batch.to_pylist():
                    _check_row(inputs, row, verdicts)
    return verdicts


def _check_row(inputs: CheckInputs, row: Mapping[str, Any], verdicts: Verdicts) -> None:
    ours = row["domain"] in inputs.domains and row["source"] == OURS
    words = entry_of(inputs.root, row["domain"]).words if ours else None
    verdicts.judge("descriptions", row, partial(check, words, row) if words else partial(check_foreign, row))


def check(words: Words, row: Mapping[str, Any]) -> list[str]:
    """Return the faults of a row of ``action_modeling`` or ``domain_modeling`` on one of our domains."""
    domain = read_domain(row["gold_domain"], row["id"])
    faults = [] if row["license"] else ["has no licence"]
    faults += chain.from_iterable(_problem_faults(domain, problem) for problem in row["problems"])
    if not row["problems"]:
        faults.append("has no problems")
    return faults + (
        _action_faults(domain, words, row) if "texts" in row else _domain_faults(domain, words, row)
    )


def check_foreign(row: Mapping[str, Any]) -> list[str]:
    """Return the faults of a row on a domain of the corpus, which may use full PDDL.

    Its plans are executed if our semantics covers the domain; otherwise, the result of the planner is not
    checked. A row without a licence is for local use, and is a fault in a published dataset.
    """
    faults = [f"has no {column}" for column in ("description_abstract", "problems") if not row[column]]
    faults += _hash_faults(row)
    try:
        domain = read_domain(row["gold_domain"], row["id"])
    except PddlError:
        return faults
    for problem in row["problems"]:
        try:
            faults += _problem_faults(domain, problem)
        except PddlError:
            continue
    return faults


def _problem_faults(domain: Domain, problem: Mapping[str, Any]) -> Iterable[str]:
    """Return the faults of the problems; each must have a valid plan or the statement that it has none."""
    read = read_problem(problem["pddl"], domain, problem["name"])
    if problem["solvable"]:
        if fault := fault_of_plan(domain, read, list(map(parse_atom, problem["plan"]))):
            yield f"{problem['name']}: invalid plan: {fault}"
        if problem["optimal_cost"] not in (None, len(problem["plan"])):
            yield f"{problem['name']}: optimal_cost is {problem['optimal_cost']}, not its plan's"
    elif problem["plan"]:
        yield f"{problem['name']}: a plan stands where none should exist"


def _action_faults(domain: Domain, words: Words, row: Mapping[str, Any]) -> list[str]:
    names, texts = [action.name for action in domain.actions], row["texts"]
    faults = [] if row["action_names"] == names else ["action_names are not those of the domain"]
    bare = read_domain(row["header"], row["id"])
    if bare.actions or (bare.predicates, bare.types) != (domain.predicates, domain.types):
        faults.append("the header is not the domain without its actions")
    if texts["none"]:
        faults.append("the text condition none says something")
    summaries, mapped = (_by_action(texts[condition]) for condition in ("sum", "map"))
    for action in domain.actions:
        if not summaries.get(action.name):
            faults.append(f"action {action.name} has no summary")
        faults += _unsaid(action, words, mapped.get(action.name, ""))
    return faults + _unmapped(texts)


def _by_action(text: str) -> dict[str, str]:
    return {
        name: text_of_action
        for name, _, text_of_action in (line.partition(": ") for line in text.splitlines())
    }


def _unsaid(action: Action, words: Words, text: str) -> list[str]:
    """Return the preconditions and effects that no wording in the text of the action states."""
    facts = {literal.atom for literal in action.preconditions if literal.atom[0] != EQUAL}
    return [
        f"action {action.name}: {' '.join(fact)} is not said"
        for fact in sorted(facts | action.add | action.delete)
        if not _says(words, fact, text)
    ]


def _says(words: Words, fact: Atom, text: str) -> bool:
    return any(words.fact(fact, n) in text for n in range(words.variants("fact", fact[0])))


def _unmapped(texts: Mapping[str, str]) -> list[str]:
    """Return the steps that occur in one text condition but not in another."""
    numbers = {name: NUMBERED.findall(texts[name]) for name in ("map", "rel", "all")}
    faults = [] if sorted(numbers["map"]) == sorted(numbers["rel"]) else ["map and rel have different steps"]
    if not set(numbers["rel"]) <= set(numbers["all"]) or len(set(numbers["all"])) < len(numbers["all"]):
        faults.append("a mapped step does not stand in the whole procedure")
    lines = set(texts["all"].splitlines())
    return faults + [
        f"step not in the procedure: {line}" for line in texts["rel"].splitlines() if line not in lines
    ]


def _hash_faults(row: Mapping[str, Any]) -> list[str]:
    right = row["sha256"] == sha256(row["gold_domain"].encode()).hexdigest()
    return [] if right else ["sha256 is not that of gold_domain"]


def _domain_faults(domain: Domain, words: Words, row: Mapping[str, Any]) -> list[str]:
    counts = {
        "num_actions": len(domain.actions),
        "num_predicates": len(domain.predicates),
        "num_types": len(domain.types),
        "requirements": list(domain.requirements),
    }
    faults = differing(counts, row) + _hash_faults(row)
    for style in ("abstract", "concrete"):
        text = row[f"description_{style}"]
        named = [*(p.name for p in domain.predicates), *(a.name for a in domain.actions)]
        faults += [
            f"{style}: {name} is not described"
            for name in named
            if not re.search(rf"- \({re.escape(name)}[ )]", text)
        ]
    if "Needs:" in row["description_abstract"] or "Makes" in row["description_abstract"]:
        faults.append("abstract: says what actions need or do")
    _, _, actions = row["description_concrete"].partition("## Actions")
    described = {part.partition(")")[0].split()[0]: part for part in actions.split("\n- (")[1:]}
    for action in domain.actions:
        faults += [f"concrete: {fault}" for fault in _unsaid(action, words, described.get(action.name, ""))]
    return faults


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "descriptions": (
            "header", "action_names", "texts", "gold_domain", "problems", "license", "description_abstract",
            "description_concrete", "num_actions", "num_predicates", "num_types", "requirements",
            "sha256",
        ),
    },
    rows=check_rows,
)  # fmt: skip
