"""Many draws at a time: problems that equal an earlier one are not built, and keys are made together.

What a generator's ``alike`` says of parameters (see ``Entry.alike``) is known before anything is built. Draws
of which it says the same give problems with equal loose keys, and with equal strict ones where nothing leaves
the goal's objects open. So the sampler will hardly want another: the later ones are *put off*, and made
where the sampler asks for them after all. The halves of loose keys are remembered by it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from orrery.catalog import Alike, Entry, entry_of
from orrery.equivalence.canonical import Canonical, canonical
from orrery.equivalence.certificates import Certificate, Certifier
from orrery.equivalence.closure import RULE, Closure, close
from orrery.equivalence.graph import Layers, problem_graph
from orrery.equivalence.keys import INIT, goal_key, goal_layers, init_key, strict_key, strict_layers
from orrery.equivalence.permuted import goal_holds_permuted
from orrery.equivalence.undecided import Undecided
from orrery.families.problems.candidates import (
    GOAL_HOLDS,
    NO_KEY,
    NOT_KNOWN,
    OUT_OF_LIMITS,
    ProblemCandidate,
    check_first,
    keyed,
    recorded,
)
from orrery.families.problems.quotas import Draw
from orrery.model import Generated, Limits, ParameterError, Problem, State
from orrery.seeds import stream

KEPT = 100_000  # of what was drawn last, and of halves of keys; some 20 MB
SIGN_BYTES = 8


class _Made(NamedTuple):
    """A problem to be keyed, and what ``alike`` says of it, with its hash; empty where it says nothing."""

    draw: Draw
    sign: str
    alike: Alike | None
    generated: Generated


class ProblemMaker:
    """Makes draws of one domain, the same whatever it made before: it remembers only what saves work."""

    def __init__(self, entry: Entry, seed: int) -> None:
        """Prepare to draw problems of a domain; ``seed`` is the root seed of the build."""
        self.entry, self.seed = entry, seed
        self._certifier = Certifier(entry.domain)
        self._limits: dict[str, Limits] = {}
        self._seen: dict[str, None] = {}
        self._halves: dict[tuple[object, ...], str] = {}

    def made(self, draws: Sequence[Draw], *, every: bool = False) -> list[ProblemCandidate]:
        """Return the candidates of the draws, in their order.

        Unless ``every`` is asked for, a draw that is alike an earlier one may be put off.

        Raises:
            OrreryError: the generator fails, or makes a problem that is none of the domain.
        """
        begun = [self._begun(draw, every) for draw in draws]
        made = iter(self._keyed([each for each in begun if isinstance(each, _Made)]))
        return [next(made) if isinstance(each, _Made) else each for each in begun]

    def _begun(self, draw: Draw, every: bool) -> _Made | ProblemCandidate:
        """Return the problem of a draw, or the candidate that says why there is none (yet)."""
        entry, rng = self.entry, stream(self.seed, *draw.seed_path)
        if (limits := self._limits.get(draw.difficulty)) is None:
            limits = self._limits[draw.difficulty] = entry.limits(draw.difficulty)
        try:
            parameters = entry.call("draw", draw.task, limits, rng)
            alike = entry.alike(draw.task, parameters)
            sign = sign_of(draw.task.interchangeable, alike) if alike else ""
            if sign in self._seen and draw.number and not every:
                return ProblemCandidate(draw, None, sign=sign)
            generated: Generated = entry.call("build", draw.task, parameters, rng)
        except ParameterError as error:
            return ProblemCandidate(draw, None, reason=OUT_OF_LIMITS, detail=str(error))
        if draw.number == 0:
            check_first(entry, draw, generated)
        if sign:
            self._seen[sign] = None
            _forget_some(self._seen)
        return _Made(draw, sign, alike, generated)

    def _keyed(self, made: Sequence[_Made]) -> list[ProblemCandidate]:
        """Return the candidates of problems, with their keys."""
        if not self.entry.description.texts:
            return [keyed(self.entry, each.draw, each.generated)._replace(sign=each.sign) for each in made]
        domain, rule = self.entry.domain, self.entry.closure_rule
        closures = [
            Closure(True, RULE, known)
            if (known := each.generated.closure) is not None
            else close(domain, each.generated.problem, rule)
            for each in made
        ]
        stricts = self._stricts(made, closures)
        self._prepare_halves(made, closures)
        found = map(self._candidate, made, closures, stricts)
        return [candidate._replace(sign=each.sign) for each, candidate in zip(made, found, strict=True)]

    def _stricts(self, made: Sequence[_Made], closures: Sequence[Closure]) -> list[str | Undecided]:
        """Return the strict keys of the problems."""
        decided = [(each, closure) for each, closure in zip(made, closures, strict=True) if closure.decided]
        asked = [
            (each.generated.problem, strict_layers(each.generated.problem, closure))
            for each, closure in decided
        ]
        forms = iter(self._certifier.found(asked))
        found: list[str | Undecided] = []
        for closure in closures:
            form = next(forms) if closure.decided else Undecided(f"goal closure {closure.proof}")
            found.append(
                form if isinstance(form, Undecided) else strict_key(self.entry.domain, closure, form)
            )
        return found

    def _prepare_halves(self, made: Sequence[_Made], closures: Sequence[Closure]) -> None:
        """Make the parts of loose keys that are not known yet, where ``alike`` says something."""
        domain = self.entry.domain
        asked: dict[tuple[object, ...], tuple[Problem, Layers, Callable[[Certificate], str]]] = {}
        for each, closure in zip(made, closures, strict=True):
            if each.alike and closure.decided:
                problem, (init, goal) = each.generated.problem, each.alike
                if ("init", init) not in self._halves:
                    asked["init", init] = problem, {INIT: problem.init}, partial(init_key, domain)
                if ("goal", goal) not in self._halves:
                    layers = goal_layers(domain, problem, closure)
                    asked["goal", goal] = problem, layers, partial(goal_key, domain, closure)
        forms = self._certifier.found([(problem, layers) for problem, layers, _ in asked.values()])
        for (known, (_, _, key)), form in zip(asked.items(), forms, strict=True):
            if not isinstance(form, Undecided):
                self._halves[known] = key(form)

    def _candidate(self, made: _Made, closure: Closure, strict: str | Undecided) -> ProblemCandidate:
        """Return the candidate of a problem whose closure and strict key are known; as ``keyed``."""
        draw, problem = made.draw, made.generated.problem
        if problem.satisfied(problem.init):
            return ProblemCandidate(draw, None, GOAL_HOLDS, problem.name)
        if isinstance(strict, Undecided):
            return ProblemCandidate(draw, None, NO_KEY, strict.reason)
        loose = self._loose(made, closure)
        if isinstance(loose, Undecided):
            return ProblemCandidate(draw, None, NO_KEY, loose.reason)
        # Only texts that leave the objects of the goal open can find it true at the start.
        holds = draw.task.interchangeable and goal_holds_permuted(
            self.entry.domain, problem, is_like_init=partial(self._is_like_init, made)
        )
        if isinstance(holds, Undecided):
            return ProblemCandidate(draw, None, NOT_KNOWN, holds.reason)
        return ProblemCandidate(draw, recorded(made.generated, strict, loose, holds))

    def _loose(self, made: _Made, closure: Closure) -> str | Undecided:
        domain, problem = self.entry.domain, made.generated.problem
        goal = self._half(
            made,
            "goal",
            lambda: goal_layers(domain, problem, closure),
            lambda form: goal_key(domain, closure, form),
        )
        init = self._init_half(made, "init", problem.init)
        return goal if isinstance(goal, Undecided) else init if isinstance(init, Undecided) else init + goal

    def _is_like_init(self, made: _Made, facts: State) -> bool | Undecided:
        """Return whether the facts that the goal wants, with static ones, are the initial state renamed."""
        keys = (
            self._init_half(made, "init", made.generated.problem.init),
            self._init_half(made, "goal as init", facts),
        )
        return next((key for key in keys if isinstance(key, Undecided)), keys[0] == keys[1])

    def _init_half(self, made: _Made, what: str, facts: Collection[tuple[str, ...]]) -> str | Undecided:
        """Return the part of a loose key that stands for an initial state."""
        return self._half(made, what, lambda: {INIT: facts}, lambda form: init_key(self.entry.domain, form))

    def _half(
        self, made: _Made, what: str, layers: Callable[[], Layers], key: Callable[[Canonical], str]
    ) -> str | Undecided:
        """Return a part of a loose key; the same for all problems of which ``alike`` says the same there."""
        known = (what, made.alike[what != "init"]) if made.alike else None
        if known is not None and known in self._halves:
            return self._halves[known]
        form = canonical(problem_graph(self.entry.domain, made.generated.problem, layers()))
        if isinstance(form, Undecided):
            return form
        found = key(form)
        if known is not None:
            self._halves[known] = found
            _forget_some(self._halves)
        return found


def sign_of(interchangeable: bool, alike: Alike) -> str:
    """Return a hash of what ``alike`` says of the parameters of a task."""
    return blake2b(repr((interchangeable, *alike)).encode(), digest_size=SIGN_BYTES).hexdigest()


def _forget_some(known: dict[Any, Any]) -> None:
    """Drop the older half of what is remembered once that is too much."""
    if len(known) > KEPT:
        for each in list(islice(known, KEPT // 2)):
            del known[each]


@cache
def problem_maker(root: Path, name: str, seed: int) -> ProblemMaker:
    """Return the maker of a domain, one in each process."""
    return ProblemMaker(entry_of(root, name), seed)
