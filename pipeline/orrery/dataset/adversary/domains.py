"""Tricks on the tables that ask for actions or a domain: actions written without reading the text.

Each writes the actions of a gold domain from its signatures: with empty bodies; with every literal over the
parameters; those of the nearest domain of train by the words of the text; for each action, that of train with
the most similar name. Predicates of train are renamed to those of the row. Parameters are those of gold,
which the text does not always state, so the scores are upper bounds.

The score of a row is the share of its actions that equal gold. F1 of conditions and effects and the share of
solved problems are shown beside it. Rows of one domain with the same reply are scored once. To bound the
time, only the first ``MOST_DOMAINS`` domains in the order of a hash are tried, and only the problems of the
first ``MOST_SOLVED`` are solved: at size ``small``, 2 to 5 processor seconds a table.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from orrery.dataset.adversary.nearest import neighbours
from orrery.dataset.adversary.targets import Targets, TrickScores, masked
from orrery.families import Gold, Table
from orrery.families.attack import domain_of
from orrery.model import Action, Atom, Domain, Literal, Row
from orrery.pddl.read import PddlError
from orrery.pddl.renaming import PartialNames, Tables
from orrery.pddl.write import write_domain
from orrery.planning.adl_domain import SearchLimits
from orrery.planning.universe import lifted_atoms
from orrery.scoring.domains.evaluation import Evaluation, evaluate, solve_gold
from orrery.scoring.domains.plan_transfer import Solving
from orrery.scoring.scorers import scorer_of
from orrery.scoring.scorers.domains import DomainScorer
from orrery.seeds import stream
from orrery.store.shards import read_batches

MOST_DOMAINS, MOST_SOLVED = 100, 10
ACCURACY, F1, SOLVED = "accuracy", "F1 of conditions and effects", "solved problems"
SECONDS = 1.0  # limit for a planner on one problem
COLUMNS = frozenset(
    {
        "id",
        "domain",
        "gold_domain",
        "problems",
        "header",
        "texts",
        "description_abstract",
        "description_concrete",
    }
)

Trick: TypeAlias = Callable[[int], list[Action]]  # the actions for the row at a place of the table


def domain_tricks(table: Table, files: Iterable[Path], targets: Targets) -> list[TrickScores]:
    """Return the scores of all tricks on the rows outside train; none for a table that asks no domain.

    Rows whose domain has constructs beyond our subset of PDDL have no score.
    """
    scorer = scorer_of(table.scorer) if table.scorer else None
    if scorer is None or not issubclass(scorer, DomainScorer) or table.gold is None:
        return []
    guesses = DomainGuesses(_rows(table, files, targets), [row.train for row in targets])
    domains = _first_domains(
        row for row, train in zip(guesses.rows, guesses.in_train, strict=True) if not train
    )
    scoring = _Scoring(table.gold, scorer.headed, guesses, domains)
    return [scoring.scores(rule, trick) for rule, trick in guesses.tricks.items()]


def _rows(table: Table, files: Iterable[Path], targets: Targets) -> list[Row]:
    """Return the rows of the targets, in their order."""
    columns = [name for name in table.schema.names if name in COLUMNS]
    rows = {
        row["id"]: row
        for path in files
        for batch in read_batches(path, columns=columns)
        for row in batch.to_pylist()
    }
    return [rows[one.id] for one in targets]


def _first_domains(rows: Iterable[Row]) -> list[str]:
    names = {row["domain"] for row in rows}
    return sorted(names, key=lambda name: (zlib.crc32(name.encode()), name))[:MOST_DOMAINS]


class DomainGuesses:
    """The actions that each trick writes for the rows of a table."""

    def __init__(self, rows: Sequence[Row], in_train: Sequence[bool]) -> None:
        """Prepare the rows; tricks that learn use those in train."""
        self.rows, self.in_train = rows, in_train
        self.domains = list(map(_domain, rows))
        self._train = [place for place, domain in enumerate(self.domains) if domain and in_train[place]]
        known = [
            (self._domain(place), name) for place in self._train for name in self._domain(place).action_named
        ]
        self._known = {name: domain for domain, name in reversed(known)}
        self._nearest = self._nearest_rows()

    @property
    def tricks(self) -> dict[str, Trick]:
        """The tricks by name; they apply to rows with a readable domain."""
        simple: dict[str, Trick] = {
            "empty bodies": self._empty,
            "every literal over the parameters": self._unified,
        }
        learned: dict[str, Trick] = {
            "the nearest domain of train, renamed": self._from_nearest,
            "the action of train with the most similar name": self._by_name,
        }
        return {**simple, **learned} if self._known else simple

    def _empty(self, place: int) -> list[Action]:
        return [_with_body(action, (), ()) for action in self._domain(place).actions]

    def _unified(self, place: int) -> list[Action]:
        domain = self._domain(place)
        return [
            _with_body(action, map(Literal, atoms), atoms)
            for action in domain.actions
            for atoms in [frozenset(lifted_atoms(domain, action))]
        ]

    def _from_nearest(self, place: int) -> list[Action]:
        source, domain = self._domain(self._nearest[place]), self._domain(place)
        pairs = zip(source.actions, domain.actions, strict=False)
        return _declared([_renamed(known, source, action, domain) for known, action in pairs], domain)

    def _by_name(self, place: int) -> list[Action]:
        domain = self._domain(place)
        pairs = [(self._most_similar(action.name), action) for action in domain.actions]
        return _declared([_renamed(known, source, one, domain) for (source, known), one in pairs], domain)

    def _most_similar(self, name: str) -> tuple[Domain, Action]:
        known = max(self._known, key=lambda known: similarity(known, name))
        return self._known[known], self._known[known].action_named[known]

    def _domain(self, place: int) -> Domain:
        domain = self.domains[place]
        assert domain is not None
        return domain

    def _nearest_rows(self) -> list[int]:
        """Return the place of the nearest row of train with a readable domain, for each row."""
        words = [masked(_text(row), frozenset()) for row in self.rows]
        places, _ = neighbours([words[place] for place in self._train], words, list)
        return [self._train[place] for place in places] if self._train else []


def _domain(row: Row) -> Domain | None:
    with suppress(PddlError):
        return domain_of(row["gold_domain"])
    return None


def _text(row: Row) -> str:
    text: str = (
        row["texts"]["all"] if "texts" in row else row["description_abstract"] or row["description_concrete"]
    )
    return text


@lru_cache(maxsize=100_000)
def similarity(first: str, second: str) -> float:
    """Return how similar two names are, from 0 to 1."""
    return SequenceMatcher(None, first, second).ratio()


def _with_body(
    action: Action, conditions: Iterable[Literal], add: Iterable[Atom], delete: Iterable[Atom] = ()
) -> Action:
    return Action(action.name, action.parameters, frozenset(conditions), frozenset(add), frozenset(delete))


def _renamed(known: Action, source: Domain, action: Action, domain: Domain) -> Action:
    """Return the body of a known action over the predicates, name and parameters of another one."""
    names = _most_similar_predicates(source, domain)
    variables = {
        mine.name: other.name for mine, other in zip(known.parameters, action.parameters, strict=False)
    }

    tables = Tables(names, PartialNames(), {}, PartialNames(variables))
    added, deleted = tables.atoms(known.add), tables.atoms(known.delete)
    return _with_body(action, tables.literals(known.preconditions), added, deleted)


def _most_similar_predicates(source: Domain, domain: Domain) -> dict[str, str]:
    """Return for each predicate the free one of the same arity with the most similar name, if any."""
    names: dict[str, str] = {}
    for predicate in source.predicates:
        free = [
            p.name for p in domain.predicates if p.arity == predicate.arity and p.name not in names.values()
        ]
        if free:
            names[predicate.name] = max(free, key=lambda name: similarity(name, predicate.name))
    return names


def _declared(actions: Iterable[Action], domain: Domain) -> list[Action]:
    """Return the actions without literals whose predicate or variable is not declared."""

    def is_declared(action: Action, atom: Atom) -> bool:
        predicate, variables = domain.predicate_named.get(atom[0]), {one.name for one in action.parameters}
        return predicate is not None and predicate.arity == len(atom) - 1 and variables.issuperset(atom[1:])

    return [
        _with_body(
            action,
            (one for one in action.preconditions if is_declared(action, one.atom)),
            (atom for atom in action.add if is_declared(action, atom)),
            (atom for atom in action.delete if is_declared(action, atom)),
        )
        for action in actions
    ]


@dataclass(frozen=True)
class _Scoring:
    """Scores the actions that tricks write, as replies to the rows of a table."""

    gold: Gold
    headed: bool
    guesses: DomainGuesses
    domains: Sequence[str]

    def scores(self, rule: str, trick: Trick) -> TrickScores:
        """Return the scores of a trick on the rows outside train of the tried domains."""
        measured = list(self._measured(trick))
        accuracy, f1, solved = ([one.get(name) for one in measured] for name in (ACCURACY, F1, SOLVED))
        return TrickScores(rule, accuracy, chances=[0.0] * len(accuracy), beside={F1: f1, SOLVED: solved})

    def _measured(self, trick: Trick) -> Iterator[dict[str, float | None]]:
        """Yield the measures of the reply to each row; none where the trick is not tried."""
        known: dict[tuple[str, str], dict[str, float | None]] = {}
        for place, (row, domain) in enumerate(zip(self.guesses.rows, self.guesses.domains, strict=True)):
            if domain is None or self.guesses.in_train[place] or row["domain"] not in self.domains:
                yield {}
                continue
            key = row["domain"], write_domain(replace(domain, actions=tuple(trick(place))))
            if key not in known:
                known[key] = self._measures(row, key[1])
            yield known[key]

    def _measures(self, row: Row, guess: str) -> dict[str, float | None]:
        reply = self.gold.reply({**row, "gold_domain": guess}, stream(0, "adversary", row["id"]))
        evaluation = evaluate(reply, row, headed=self.headed)
        equal = sum(alignment.equal is True for alignment in evaluation.strict.values())
        f1 = evaluation.components.preconditions.f1 + evaluation.components.effects.f1
        return {
            ACCURACY: equal / len(evaluation.gold.action_named),
            F1: f1 / 2,
            SOLVED: self._solved(evaluation, row) if row["domain"] in self.domains[:MOST_SOLVED] else None,
        }

    def _solved(self, evaluation: Evaluation, row: Row) -> float | None:
        """Return the share of the solvable problems that a guess solves; a domain with faults solves none."""
        problems = [problem for problem in row["problems"] if problem["solvable"]]
        if not problems or not evaluation.sound:
            return 0.0 if problems else None
        results = solve_gold({**row, "problems": problems}, evaluation, SearchLimits(seconds=SECONDS))
        return sum(result.outcome is Solving.SOLVED for result in results) / len(results)
