"""Check the columns of a question other than its answer: id, group, measures, PDDL in place of words."""

from __future__ import annotations

from functools import lru_cache

from orrery.checks.problem_plans import context_faults, domain_of
from orrery.checks.questions.kinds import kind_checks
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdicts import differing
from orrery.model import Domain, Problem, Row
from orrery.pddl.read import read_problem

OPEN, BOOL, MCQ = ("gen", "bool", "mcq")
FURTHER = ("2", "3")  # suffixes of ids: a state has up to three rows in a table with claims
TEXTS_KEPT = 32


def format_of(row: Row) -> str:
    """Return the format of a question; each format has columns of its own."""
    return MCQ if "choices" in row else BOOL if "claim" in row else OPEN


def check(row: Row, rechecked: RecheckedState) -> list[str]:
    """Return the columns of a question, except its answer, that contradict its PDDL or each other."""
    form = format_of(row)
    named = f"{row['problem_id']}/{row['state_source']}-{row['state_step']}/{row['kind']}"
    name = named if form == OPEN else f"{named}/{form}"
    first, _, further = str(row["id"]).rpartition("/")
    again = form != OPEN and first == name and further in FURTHER
    wanted = {
        "id": row["id"] if again else name,
        "group": kind_checks().of(row["kind"]).groups.get(form),
        "domain": rechecked.domain.name,
        "context_both": f"{row['context']}\n\n{row['context_pddl']}",
        **rechecked.measures,
    }
    if row["h_star"] is not None and rechecked.h_star is not None:
        wanted["h_star"] = rechecked.h_star
    faults = differing(wanted, row)
    faults += context_faults(row["context_pddl"], row["PDDL_domain"], row["PDDL_problem"])
    return faults + ["(:goal stands in several places"] * (row["context_pddl"].count("(:goal") != 1)


def read(row: Row) -> tuple[Domain, Problem]:
    """Return domain and problem of a row; raise OrreryError if they cannot be read."""
    return domain_of(row["PDDL_domain"]), _problem(row["PDDL_domain"], row["PDDL_problem"])


@lru_cache(maxsize=TEXTS_KEPT)
def _problem(domain_pddl: str, problem_pddl: str) -> Problem:
    """Return the problem of a text, cached because adjacent rows ask about the same state."""
    return read_problem(problem_pddl, domain_of(domain_pddl))
