"""What a world says: its rules and goal, the state, what an action changed, and why one is impossible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from orrery.families.questions.context import (
    PARTS,
    PROSE,
    TURN_OF_PROSE,
    TURNS,
    QuestionContext,
    ordinary,
    stand_ins,
    symbols_of,
)
from orrery.families.questions.state_record import StateRecord
from orrery.language.inflection import ARTICLES
from orrery.language.words import Words, listing, sentence
from orrery.model import Atom, Domain, Literal, Problem, State, Step
from orrery.pddl.write import write_atom, write_domain, write_literal, write_problem
from orrery.seeds import stream

MOST_REASONS = 2  # conditions that a refusal names
SIGHT = "You see only what is at the place where you are, and what you carry."
UNSTATED = (
    "What is elsewhere is not stated, whether it holds or not. "
    "What you would see and is not stated does not hold."
)
UNSEEN_REASON = "some condition does not hold, and you do not see which"
UNSEEN_CHANGE = "Nothing that you see changes."

# A clause with one of these would say another thing with "not" after its verb.
NEGATIVE = frozenset(
    {"no", "not", "nobody", "nothing", "none", "neither", "only", "without", "and", "or", "before"}
)
# An action that begins with one of these is not read after "you" and "you cannot".
PREPOSITIONS = ("at", "finally", "for", "from", "in", "on", "see", "to", "while", "with")


class EnglishTexts:
    """Observations in the words of the domain. A symbol has the same wording in a whole world.

    The wordings depend only on the id of the problem; none of them is held out for test splits.
    """

    def __init__(self, words: Words, domain: Domain, problem: Problem, problem_id: str) -> None:
        """Choose the wordings for a problem."""
        rng = stream(0, "world", problem_id)
        variants = {part: rng.randrange(TURNS) for part in (*PARTS, TURN_OF_PROSE)}
        for kind, symbol in symbols_of(domain):
            variants[f"{kind} {symbol}"] = rng.choice(_plain_variants(words, domain, kind, symbol))
        self._context = QuestionContext(StateRecord(domain, problem, problem_id), words, variants, PROSE)

    @cached_property
    def rules(self) -> str:
        """The rules, the objects and the initial state."""
        return self._context.parts(("world",)).text

    @cached_property
    def setting(self) -> str:
        """The rules, the objects and the static facts."""
        return self._context.parts(("setting",)).text

    def sight(self, nearby: Sequence[str]) -> str:
        """Return what one sees with local sight, with an example of each ``nearby`` predicate."""
        named = self._context.record.domain.predicate_named
        return _sight([self._context.fact((name, *stand_ins(named[name]))) for name in nearby])

    @cached_property
    def goal(self) -> str:
        """The goal as sentences."""
        return self._context.parts(("goal",)).text

    def action(self, step: Step) -> str:
        """Return an action as an infinitive phrase."""
        return self._context.action(step)

    def clause(self, literal: Literal) -> str:
        """Return a literal as a clause."""
        clause = self._context.literal(literal)
        return clause if literal.positive else denied(self._context.literal(Literal(literal.atom))) or clause

    def state(self, state: State) -> str:
        """Return prose on the facts that actions can change."""
        record = self._context.record
        context = replace(self._context, record=replace(record, problem=replace(record.problem, init=state)))
        return " ".join(context.prose_state)

    def effect(self, step: Step, added: Sequence[Atom], deleted: Sequence[Atom]) -> str:
        """Return two sentences: the action, and what it changed."""
        changes = [self.clause(Literal(fact)) for fact in added]
        changes += [self.clause(Literal(fact, False)) for fact in deleted]
        after = sentence(f"now {listing(changes)}") if changes else "Nothing changes."
        return f"{self.done(step)} {after}"

    def done(self, step: Step) -> str:
        """Return one sentence."""
        return sentence(f"you {self.action(step)}")

    def refusal(self, step: Step, unmet: Sequence[Literal]) -> str:
        """Return one sentence that names at most two conditions which do not hold."""
        reasons = [self.clause(Literal(atom, not positive)) for atom, positive in unmet[:MOST_REASONS]]
        return sentence(f"you cannot {self.action(step)}: {listing(reasons or [UNSEEN_REASON])}")


class PddlTexts:
    """Observations in PDDL, for a domain without words."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        """Write the observations of a problem."""
        self._domain, self._problem = domain, problem

    @property
    def rules(self) -> str:
        """The domain and the problem."""
        return self._written(self._problem)

    @property
    def setting(self) -> str:
        """The domain and the problem, of whose initial state only static facts are listed."""
        statics = frozenset(fact for fact in self._problem.init if fact[0] not in self._domain.fluents)
        return self._written(replace(self._problem, init=statics))

    def _written(self, problem: Problem) -> str:
        return f"{write_domain(self._domain).strip()}\n{write_problem(problem).strip()}"

    def sight(self, nearby: Sequence[str]) -> str:
        """Return what one sees with local sight, with the predicates that are seen of adjacent places."""
        named = self._domain.predicate_named
        return _sight([write_atom((name, *stand_ins(named[name]))) for name in nearby])

    @property
    def goal(self) -> str:
        """The literals of the goal."""
        return f"Goal: {_written(self._problem.goal)}"

    def action(self, step: Step) -> str:
        """Return an action in PDDL."""
        return write_atom(step)

    def clause(self, literal: Literal) -> str:
        """Return a literal in PDDL."""
        return write_literal(literal)

    def state(self, state: State) -> str:
        """Return the facts that actions can change, sorted."""
        facts = (Literal(fact) for fact in state if fact[0] in self._domain.fluents)
        return f"State: {_written(facts) or 'no facts'}"

    def effect(self, step: Step, added: Sequence[Atom], deleted: Sequence[Atom]) -> str:
        """Return the action and its effects."""
        changes = [Literal(fact) for fact in added] + [Literal(fact, False) for fact in deleted]
        return f"{self.done(step)} Now: {_written(changes) or 'nothing changes'}"

    def done(self, step: Step) -> str:
        """Return the action in PDDL."""
        return f"Done: {write_atom(step)}."

    def refusal(self, step: Step, unmet: Sequence[Literal]) -> str:
        """Return the action and the conditions that do not hold."""
        reasons = _written(unmet[:MOST_REASONS])
        return f"Impossible: {write_atom(step)}. " + (
            f"Does not hold: {reasons}" if reasons else sentence(UNSEEN_REASON)
        )


WorldTexts: TypeAlias = EnglishTexts | PddlTexts
"""Writes the observations of one world."""


def _written(literals: Iterable[Literal]) -> str:
    return " ".join(map(write_literal, sorted(literals, key=lambda literal: (not literal.positive, literal))))


def _sight(nearby: Sequence[str]) -> str:
    """Return what one sees with local sight; ``nearby`` are facts that are also seen of adjacent places."""
    also = f" Of adjacent places you also see facts like these: {'; '.join(nearby)}." if nearby else ""
    return f"{SIGHT}{also} {UNSTATED}"


def _plain_variants(words: Words, domain: Domain, kind: str, symbol: str) -> Sequence[int]:
    """Return the wordings of a symbol that are not held out and fit into observations.

    A fact can be denied, and an action begins with a verb. If no wording fits, the result has all.
    """
    variants = range(ordinary(words.variants(kind, symbol)))
    named = domain.predicate_named if kind == "fact" else domain.action_named
    arguments = [parameter.name for parameter in named[symbol].parameters]
    phrases = [words.say(kind, symbol, *arguments, variant=variant) for variant in variants]
    fits = denied if kind == "fact" else _begins_with_a_verb
    return [variant for variant in variants if fits(phrases[variant])] or variants


def _begins_with_a_verb(phrase: str) -> bool:
    return phrase.split()[0] not in PREPOSITIONS


def denied(clause: str) -> str:
    """Return the negation of a clause with the verb "is" or "are"; "" if the clause has another form.

    It has "not" after the verb, or "no" in place of the article of an indefinite subject.
    """
    words = clause.split()
    verbs = [place for place, word in enumerate(words) if word in ("is", "are")]
    if len(verbs) != 1 or NEGATIVE & set(words) or words[:2] == ["one", "of"]:
        return ""
    verb = verbs[0]
    if words[0] in ARTICLES and verb > 1:
        return " ".join(["no", *words[1:]])
    if words[0] == "there" and verb == 1:
        return " ".join([*words[:2], "no", *words[2 + (words[2] in ARTICLES) :]])
    return " ".join([*words[: verb + 1], "not", *words[verb + 1 :]])
