"""Error correction: what a user would answer to a reply that is not right.

As in Text2World (section 4.1) the answer says what can be seen of the reply itself, and nothing of the right
one. So it is made without the columns that hold the right reply: from the reply and from what the prompt
tells. Where that says nothing (an answer that can be read and is wrong, a plan that works but costs too
much), there is no answer, for "wrong" alone would say much of a question with two answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from orrery.families import table_of
from orrery.grading import UNPARSED
from orrery.grading.plans.plan_reply import problem_of, read_plan
from orrery.grading.plans.simulation import fault_in
from orrery.grading.score import UnreadableAnswer
from orrery.language.words import environment
from orrery.library.items import Item
from orrery.library.judging import Score
from orrery.scoring.domains.feedback import MOST, faults_of
from orrery.scoring.problems.known import known_of
from orrery.scoring.problems.pairs import judge_of
from orrery.scoring.problems.reader import Reading, read_both

FOLDER = "evals"
JUDGED_BY = ("group", "domain_pddl", "problem_pddl", "phrases")  # of a plan, all of which the prompt tells

Row: TypeAlias = Mapping[str, Any]


def feedback(item: Item, reply: str, score: Score) -> str:
    """Return the message that answers a reply which is not right; empty where none would be fair.

    Args:
        item: what was asked.
        reply: the model's last reply.
        score: its score, which is not looked at but for whether an answer could be read.
    """
    found = _MAKERS.get(table_of(item.table).grader)
    return found(item, reply, score) if found else ""


def _on_answer(item: Item, _: str, score: Score) -> str:
    """Return that no answer could be read, if so; of questions nothing else may be said."""
    return _say(item.root, "unread") if score.verdict == UNPARSED else ""


def _on_plan(item: Item, reply: str, score: Score) -> str:
    """Return the first fault of a plan; of tasks whose answer is no plan as of questions."""
    gold = table_of(item.table).gold
    if gold is None or "plan" not in gold.columns:
        return _on_answer(item, reply, score)
    row = {name: item.row[name] for name in JUDGED_BY}
    try:
        plan = read_plan(reply, row)
    except UnreadableAnswer as reason:
        return _say(item.root, "plan", fault=str(reason), read=False)
    fault = fault_in(problem_of(row), plan) if plan else ""  # there may be none: nothing is said of that
    return _say(item.root, "plan", fault=fault, read=True) if fault else ""


def _on_problem(item: Item, reply: str, _: Score) -> str:
    """Return what keeps a problem from being read, or that it has no plan, if that is proven."""
    pddl = item.row["domain_pddl"]
    judge = judge_of(pddl, known_of(item.root, str(item.row["domain"]), pddl))
    found = read_both(reply, judge.domain).plain
    if found.problem is None:
        return _say(item.root, "problem", fault=_unreadable(found))
    problem, known = judge.in_words(found.problem)
    return _say(item.root, "problem", fault="") if known.prover.solve(problem).solvable is False else ""


def _unreadable(found: Reading) -> str:
    return ": ".join(filter(None, (str(found.error or "").replace("-", " "), found.detail)))


def _on_domain(item: Item, reply: str, _: Score, *, headed: bool = False) -> str:
    """Return what keeps a domain, or the actions for a header, from being read."""
    faults = faults_of(reply, item.row["header"] if headed else "")
    more = len(faults) - MOST
    told = {"faults": faults[:MOST], "more": max(more, 0), "headed": headed}
    return _say(item.root, "domain", **told) if faults else ""


def _on_actions(item: Item, reply: str, score: Score) -> str:
    return _on_domain(item, reply, score, headed=True)


def _say(root: Path, name: str, **values: Any) -> str:
    """Return the text of a template of ``templates/evals``."""
    return environment(root / "templates").get_template(f"{FOLDER}/{name}.j2").render(**values).strip()


_MAKERS: Mapping[str, Callable[[Item, str, Score], str]] = MappingProxyType(
    {
        "questions": _on_answer,
        "plans": _on_plan,
        "text_to_pddl": _on_problem,
        "actions": _on_actions,
        "domains": _on_domain,
    }
)
