"""Data on questions for the adversary, derived from columns, so that a new kind needs no code here.

Options and claims are measured by their length, their position in a plan, the objects and words in them, and
single facts of the state on their objects. Each measure is a rule that a reader without planning could
follow.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import Any

from orrery.families.attack import JUDGE, PICK, WRITE, ReplyOption, Target, TargetMaker, domain_of
from orrery.families.drafts import BOOL, MCQ, OPEN
from orrery.families.questions.blind import CHANCE
from orrery.families.questions.question_row import NONE
from orrery.families.task import Task
from orrery.model import EQUAL, Atom, Domain, Problem, Row
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom, write_atom
from orrery.planning.execution import types_of_objects, unmet_preconditions
from orrery.planning.possible import names_twice, possible_atoms, possible_steps

CLAIMED = ("fact", "facts", "actions", "remove", "sequence")  # keys for the subject of a claim
READ = ("id", "domain", "problem_id", "context", "question", "PDDL_domain", "PDDL_problem", "answer")
WORD = re.compile(r"[^\s().,;:!?]+")
LABELS = "ABCD"
STATED = (
    "facts of the state", "facts of the state on its objects", "rare facts of the state on its objects",
)  # fmt: skip
FIRST_ALIKE = "being the first two steps on the same objects"
MOST = 150  # maximum number of candidates from a universe
NONE_SHARE = 0.25  # of open rows that may have none, as ``config.AskSize`` has it


class Situation:
    """The state of a row, in the form that heuristic rules use."""

    def __init__(self, row: Row) -> None:
        """Read the state of a row, and count the words of its context."""
        self.domain = domain_of(row["PDDL_domain"])
        self.problem = read_problem(row["PDDL_problem"], self.domain)
        self.goal = _objects(self.problem.goal_facts)
        self.fluent = sorted(fact for fact in self.problem.init if fact[0] in self.domain.fluents)
        self.spoken = _objects(self.fluent)
        # By predicate of these facts: a fact on the place of the only robot is rare.
        self.frequency = Counter(fact[0] for fact in self.fluent)
        self.words = Counter(WORD.findall(row["context"]))


def attack_of(task: Task, form: str, columns: Sequence[str]) -> TargetMaker:
    """Return the function that makes targets of a task and format whose table has ``columns``."""
    extra = ("plan", "positions", "sequence", CHANCE, "answer_all", "answer_all_is", *task.reply_columns)
    targets: dict[str, tuple[Callable[[Row], Target], tuple[str, ...]]] = {
        BOOL: (_judged, ("claim",)),
        MCQ: (_chosen, ("choices", "claims")),
        OPEN: (partial(_open, task), tuple(name for name in extra if name in columns)),
    }
    target, wanted = targets[form]
    return TargetMaker(tuple(dict.fromkeys((*READ, *wanted))), target)


def _target(
    row: Row, situation: Situation, form: str, replies: Iterable[str], chance: float | None,
    options: Iterable[ReplyOption] = (), fixed: float = 0.0,
) -> Target:  # fmt: skip
    text = f"{row['context']}\n{row['question']}"
    objects = frozenset(types_of_objects(situation.domain, situation.problem))
    return Target(
        row["id"], row["domain"], row["problem_id"], form, text, frozenset(replies), chance,
        tuple(options), objects, fixed, offered=form == JUDGE or "choices" in row,
    )  # fmt: skip


def _judged(row: Row) -> Target:
    """Return the target of a yes/no question."""
    situation, claim = Situation(row), json.loads(row["claim"])
    candidate = _claimed(row["question"], row["answer"] == "yes", claim, situation)
    return _target(row, situation, JUDGE, [row["answer"]], 0.5, [candidate])


def _chosen(row: Row) -> Target:
    """Return the target of a multiple-choice question."""
    situation, claims, texts = Situation(row), json.loads(row["claims"]), row["choices"]["text"]
    right = LABELS.index(row["answer"])
    options = [
        _claimed(text, place == right, claim, situation)
        for place, (text, claim) in enumerate(zip(texts, claims, strict=True))
    ]
    return _target(row, situation, PICK, [row["answer"]], 1 / len(options), _compared(options))


def _claimed(text: str, right: bool, claim: Mapping[str, Any], situation: Situation) -> ReplyOption:
    """Return a claim with the measures from the keys of its JSON (see ``claims``)."""
    keys = [key for key in CLAIMED if key in claim] or [key for key in ("action",) if key in claim]
    parts = [part for key in keys for part in ([claim[key]] if isinstance(claim[key], str) else claim[key])]
    atoms = [parse_atom(part) for part in parts]
    measures, marks = _measured(text, atoms, situation), _names(atoms)
    if keys == ["action"]:  # applicability is what these facts tell: counting them would be answering
        measures = {name: value for name, value in measures.items() if name not in STATED}
    if "says" in claim:  # with the name of the last action, which might reveal whether the goal holds
        marks = (f"says {claim['says']} {' '.join(atom[0] for atom in atoms[-1:])}",)
        measures = {"length": measures["length"], "number of parts": len(atoms)}
    if "facts" in claim and "action" in claim:
        objects_of_action = {*parse_atom(claim["action"])[1:]}
        measures["objects of the action"] = len(objects_of_action & _objects(atoms))
    if "at" in claim:
        measures |= _placed(claim["at"][-1], len(atoms), list(map(parse_atom, claim["plan"])), atoms)
    conditions = () if "says" in claim else _conditions(atoms, situation)
    return ReplyOption(text, right, measures, marks, conditions)


def _open(task: Task, row: Row) -> Target:
    """Return the target of an open question; its candidates follow from the columns of the row."""
    situation, answer = Situation(row), row["answer"]
    replies = (task.every_reply or task.replies)(row)
    chance: float | None = None if isinstance(answer, str | int) else 0.0  # whole lists are not guessed
    fixed, options = 0.0, list[ReplyOption]()
    if isinstance(answer, dict) and {"yes", "no"} <= answer.keys():
        listed = [(text, text in set(answer["yes"])) for text in sorted((*answer["yes"], *answer["no"]))]
        options = [_written(text, right, situation) for text, right in listed]
        chance, fixed = len(answer["yes"]) / len(listed) if listed else 0.0, NONE_SHARE
    elif isinstance(answer, int) and "sequence" in row:
        options = _parts(row["sequence"], (1,), {(answer, 1)}, situation)
        chance = 1 / len(options)
    elif isinstance(answer, list) and "positions" in row:  # a removal is `[a, b, -1]` or `[a, k]`
        lengths = [len(removal) - 1 for removal in answer]
        removable = set(zip(row["positions"], lengths, strict=True))
        options = _parts(row["plan"], (1, 2), removable, situation)
        chance = len(removable) / len(options)
    elif CHANCE in row:
        options = _drawn_candidates(row, replies, situation)
        chance, fixed = float(row[CHANCE] or 0), NONE_SHARE
    form = PICK if options else WRITE
    return _target(row, situation, form, replies, chance, _compared(options), fixed)


def _written(text: str, right: bool, situation: Situation) -> ReplyOption:
    atoms = [parse_atom(text)]
    measures = _measured(text, atoms, situation)
    return ReplyOption(text, right, measures, _names(atoms), _conditions(atoms, situation))


def _parts(
    plan: Sequence[str], lengths: Sequence[int], right: Container[tuple[int, int]], situation: Situation
) -> list[ReplyOption]:
    """Return the parts of a plan with these lengths; ``right`` has start and length of each correct one."""
    steps, options = list(map(parse_atom, plan)), []
    alike = (place for place, (one, two) in enumerate(pairwise(steps)) if {*one[1:]} == {*two[1:]})
    first = next(alike, None)
    for length in lengths:
        for start in range(len(steps) - length + 1):
            atoms, text = steps[start : start + length], " ".join(plan[start : start + length])
            measures = _measured(text, atoms, situation) | _placed(start, length, steps, atoms)
            measures[FIRST_ALIKE] = length == 2 and start == first
            options.append(ReplyOption(text, (start, length) in right, measures, _names(atoms)))
    return options


def universe(row: Row, domain: Domain, problem: Problem) -> list[str]:
    """Return the facts or actions that a reply to an open question on reachability may name, in PDDL."""
    asks_actions = "answer_all_is" in row  # only for actions is either part stored, whichever is smaller
    make = possible_steps if asks_actions else possible_atoms
    return list(map(write_atom, make(domain, problem)))


def _drawn_candidates(row: Row, replies: Sequence[str], situation: Situation) -> list[ReplyOption]:
    """Return some candidates from all facts or actions, selected by a hash of row and name."""
    right = {reply for reply in replies if reply != NONE}
    texts = universe(row, situation.domain, situation.problem)
    drawn = sorted(texts, key=lambda text: (zlib.crc32(f"{row['id']} {text}".encode()), text))[:MOST]
    return [_written(text, text in right, situation) for text in sorted(drawn)]


def _objects(atoms: Iterable[Atom]) -> frozenset[str]:
    return frozenset(name for atom in atoms for name in atom[1:])


def _names(atoms: Sequence[Atom]) -> tuple[str, ...]:
    """Return the names of facts or actions as one mark."""
    return (f"name {' '.join(atom[0] for atom in atoms)}",)


def _measured(text: str, atoms: Sequence[Atom], situation: Situation) -> dict[str, float]:
    """Return the measures of text that names some facts or actions."""
    names = [name for atom in atoms for name in atom[1:]]
    named = _objects(atoms)
    near = [fact for fact in situation.fluent if len(fact) > 1 and named.issuperset(fact[1:])]
    words = WORD.findall(text)
    return {
        "length": len(text),
        "number of parts": len(atoms),
        "number of objects": len(named),
        "repeated objects": len(names) - len(named),
        "same object twice in one": sum(map(names_twice, atoms)),
        "objects of the goal": len(named & situation.goal),
        "facts of the goal": sum(atom in situation.problem.goal_facts for atom in atoms),
        "objects together in a fact of the goal": sum(
            len(named.intersection(fact[1:])) > 1 for fact in situation.problem.goal_facts
        ),
        "facts of the state": sum(atom in situation.problem.init for atom in atoms),
        "facts of the state on its objects": len(near),
        "rare facts of the state on its objects": sum(1 / situation.frequency[fact[0]] for fact in near),
        "objects that facts of the state name": len(named & situation.spoken),
        "words of the context": sum(word in situation.words for word in words) / max(1, len(words)),
        "mentions of its objects in the context": _mean(situation.words[name] for name in named),
        "same first argument": len(atoms) > 1 and len({atom[1:2] for atom in atoms}) == 1,
    }


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0


def _conditions(atoms: Iterable[Atom], situation: Situation) -> tuple[str, ...]:
    """Return marks for actions: the predicates whose conditions all hold now, and the other predicates."""
    return tuple(sorted({*chain.from_iterable(_met(atom, situation) for atom in atoms)}))


def _met(step: Atom, situation: Situation) -> list[str]:
    action = situation.domain.action_named.get(step[0])
    if action is None or len(action.parameters) != len(step) - 1:
        return []
    unmet = {
        literal.atom[0] for literal in unmet_preconditions(situation.domain, situation.problem.init, step)
    }
    names = {literal.atom[0] for literal in action.preconditions} - {EQUAL}
    return [f"{'unmet' if name in unmet else 'met'} {name}" for name in sorted(names)]


def _placed(start: int, length: int, plan: Sequence[Atom], atoms: Sequence[Atom]) -> dict[str, float]:
    """Return the measures of a part of a plan: its position, and the names in the other steps."""
    behind, mentions = start + length, Counter(name for step in plan for name in step[1:])
    named, objects_by_step = _objects(atoms), [frozenset(step[1:]) for step in plan]
    earlier, later = objects_by_step[:start], objects_by_step[behind:]
    return {
        "objects of the step before": len(named.intersection(*earlier[-1:])) if earlier else 0,
        "objects of the step behind": len(named.intersection(*later[:1])) if later else 0,
        "steps before on its objects": sum(not named.isdisjoint(objects) for objects in earlier),
        "steps behind on its objects": sum(not named.isdisjoint(objects) for objects in later),
        "end of the plan": behind == len(plan),
        "place in the plan": behind / len(plan),
        "nearness to the middle": -abs(start + (length - 1) / 2 - (len(plan) - 1) / 2),
        "mentions of its objects in the plan": _mean(mentions[name] for name in named),
        "times in the plan": min(plan.count(atom) for atom in atoms),
    }


def _compared(candidates: Sequence[ReplyOption]) -> list[ReplyOption]:
    """Return the candidates with the number of words that each shares with the others."""
    words = [{*WORD.findall(candidate.text)} for candidate in candidates]
    counts = Counter(word for option_words in words for word in option_words)
    return [
        replace(
            candidate,
            measures={
                **candidate.measures,
                "like the others": sum(counts[word] - 1 for word in option_words) / max(1, len(option_words)),
            },
        )
        for candidate, option_words in zip(candidates, words, strict=True)
    ]
