"""One episode in a world: replies are read as actions, which change the state and are rewarded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from orrery.language.words import listing, plural, sentence
from orrery.model import Literal, OrreryError, Step, UsageError
from orrery.pddl.write import parse_atom, write_atom, write_literal
from orrery.planning.task import GroundAction, progress
from orrery.worlds.belief import Belief
from orrery.worlds.replies import NO_ACTION, ActionReply, bare, read_action, shortened
from orrery.worlds.rewards import Costs, RewardRule, reward_of
from orrery.worlds.world_problem import WorldProblem

INVALID_IN_A_ROW = 5
UNKNOWN_BUDGET = 100  # actions, if the length of a shortest plan is not known
REPLIES_PER_ACTION = 4  # replies of an episode, as a multiple of its budget of actions
COUNTS = ("steps", "invalid", "invalid_total", "replies", "questions", "cost")  # in a snapshot
TOLD = ("steps", "invalid", "invalid_total", "cost")  # in the ``info`` of a turn
LOGGED = ("reply", "observation", "reward")
MOST_MEANT = 3  # actions that a message lists for a reply with several meanings
HELP = (
    'Give one action, in words or in PDDL, or its number in the list. "list" shows the possible actions, '
    '"look" the state, "look at NAME" one object, "goal" the goal.'
)


class ReplyOutcome(StrEnum):
    """What became of a reply: only ``done`` changes the state."""

    DONE = "done"
    IMPOSSIBLE = "impossible"
    NOT_UNDERSTOOD = "not understood"
    ANSWERED = "answered"
    OVER = "over"


class SightKind(StrEnum):
    """What an agent sees: the whole state, or what is at its place (see ``sight``)."""

    FULL = "full"
    LOCAL = "local"


class EndReason(StrEnum):
    """Why an episode is over; ``-`` while it goes on."""

    GOING_ON = ""
    GOAL = "goal"
    DEAD_END = "dead end"
    STEPS = "step budget"
    INVALID = "invalid actions"
    REPLIES = "reply budget"


class WorldTurn(NamedTuple):
    """The answer of a world to a reply.

    ``observation`` is the text that the agent reads. ``admissible`` names the applicable actions, in the
    order of their numbers; it is empty if the world does not list them. ``reason`` says why it is over.
    ``info`` has the ``outcome``, the ``action`` in PDDL, the conditions that ``failed``, the numbers of
    ``steps``, of ``invalid`` replies in a row and in ``invalid_total``, the ``cost`` of all actions, and
    ``steps_at_best``, the length of a shortest plan. With local sight, it also has the facts that are
    ``certain``, because they hold in all states that fit the observations, and the number of these
    ``possible_states``. Both are None if not all states are known.
    """

    observation: str
    admissible: tuple[str, ...]
    reward: float
    done: bool
    reason: str
    info: Mapping[str, Any]


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid", allow_inf_nan=False))
class WorldOptions:
    """The rules of an episode.

    ``reward`` names the rule (see ``rewards``), ``discount`` is for ``shaped``, and ``step_cost`` times the
    cost of an action is subtracted for it. ``max_steps``: the budget of actions (default: three times a
    shortest plan and 10). ``max_invalid``: the number of impossible or unreadable replies in a row that end
    the episode. ``end_in_dead_ends``: whether a state without a plan ends it. ``list_actions``: whether turns
    name the applicable actions. ``take_first``: whether the first of several actions in a reply counts;
    otherwise they are refused. ``questions_cost``: whether "look" and the like count as steps.
    ``reveal``: whether the first observation tells the length of a shortest plan. ``sight``: ``full``, or
    ``local`` for observations of what is at the place of the agent only.
    """

    reward: Annotated[RewardRule, Field(strict=False)] = RewardRule.SPARSE
    discount: Annotated[float, Field(gt=0, le=1)] = 1.0
    step_cost: Annotated[float, Field(ge=0)] = 0.0
    max_steps: Annotated[int | None, Field(ge=1)] = None
    max_invalid: Annotated[int, Field(ge=1)] = INVALID_IN_A_ROW
    end_in_dead_ends: bool = True
    list_actions: bool = True
    take_first: bool = False
    questions_cost: bool = False
    reveal: bool = False
    sight: Annotated[SightKind, Field(strict=False)] = SightKind.FULL


class World:
    """A problem that one acts in.

    The same problem, options and replies give the same turns in any process. A world can be pickled. It has
    no threads; use one world for each.
    """

    def __init__(self, problem: WorldProblem, options: WorldOptions | None = None) -> None:
        """Start an episode.

        Raises:
            UsageError: the reward needs costs to go, which are not decided, or the domain does not say what
                an agent with local sight sees.
            OrreryError: its description does not fit the domain.
        """
        self.problem, self.options = problem, options or WorldOptions()
        self._local = self.options.sight == SightKind.LOCAL
        oracle = problem.oracle
        cost = oracle.cost_to_go(problem.task.init)
        self._first_costs = (
            Costs(math.inf, 0, math.inf) if cost is None else Costs(cost, oracle.farthest, cost)
        )
        # The length of a shortest plan of the problem; None if it has no plan, or that is not decided.
        self.steps_at_best = None if cost is None or math.isinf(cost) else int(cost)
        if self.options.reward is not RewardRule.SPARSE and not oracle.decided:
            raise UsageError(
                f"reward '{self.options.reward}'",
                f"needs all costs to go, and the problem has more than {problem.max_states} states",
                "use the reward 'sparse', or give a larger max_states",
            )
        self.reset()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the problem, the options and the state of the episode."""
        return _restored, (self.problem, self.options, self.snapshot())

    # ---- the episode

    def reset(self) -> WorldTurn:
        """Start the episode again; return the rules, the goal and the initial state."""
        self._state, self._costs = self.problem.task.init, self._first_costs
        self._counts = Counter[str]()
        self._reason = EndReason.GOING_ON
        self._log: list[dict[str, Any]] = []
        self._belief = self.problem.states_in_sight.everything() if self._local else None
        best = self.steps_at_best
        if self.options.reveal and best is not None:
            self._learn(lambda belief: belief.costing(best))
        self._learn(lambda belief: belief.seeing(self._state))
        return self._turn(self.first_observation, 0.0, ReplyOutcome.DONE)

    @property
    def first_observation(self) -> str:
        """The rules, the initial state and the goal."""
        texts = self.problem.texts
        best = self.steps_at_best
        hint = f"\n{plural('action', best)} at best." if self.options.reveal and best is not None else ""
        return f"{self._seen_at_first() if self._local else texts.rules}\n{texts.goal}{hint}"

    def _seen_at_first(self) -> str:
        """Return the rules, the static facts, and what an agent with local sight sees at first."""
        problem, texts = self.problem, self.problem.texts
        state = problem.state_text(problem.seen(problem.task.init))
        sight = texts.sight(problem.states_in_sight.sight.sight.nearby)
        return "\n".join(filter(None, (texts.setting, sight, state)))

    def _learn(self, observe: Callable[[Belief], Belief]) -> None:
        """Change the belief of an agent with local sight by an observation, if all states are known."""
        if self._belief is not None:
            self._belief = observe(self._belief)

    @property
    def max_steps(self) -> int:
        """The budget of actions."""
        if self.options.max_steps is not None:
            return self.options.max_steps
        return UNKNOWN_BUDGET if self.steps_at_best is None else 3 * self.steps_at_best + 10

    @property
    def state(self) -> int:
        """The state, as a bit set over the facts of the task."""
        return self._state

    @property
    def shown(self) -> int:
        """The facts that are seen, as a bit set: those of the state, or with local sight the visible ones."""
        return self.problem.seen(self._state) if self._local else self._state

    @property
    def steps_taken(self) -> int:
        """The number of actions done."""
        return self._counts["steps"]

    @property
    def invalid_total(self) -> int:
        """The number of replies that were no possible action."""
        return self._counts["invalid_total"]

    @property
    def reason(self) -> EndReason:
        """Why the episode is over; empty while it goes on."""
        return self._reason

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return bool(self._reason)

    def step(self, reply: str | int) -> WorldTurn:
        """Return the turn after a reply: an action in words or in PDDL, the number of one, or a question.

        No reply raises.
        """
        reply = _text_of(reply)
        if self._reason:
            return self._turn(f"The episode is over: {self._reason}.", 0.0, ReplyOutcome.OVER)
        view = self.problem.view(self._state)
        action = view.by_phrase.get(reply)
        turn = self._read(reply) if action is None else self._do(action)
        self._log.append({"reply": reply, "observation": turn.observation, "reward": turn.reward})
        return turn

    def _read(self, reply: str) -> WorldTurn:
        """Return the turn after a reply that is not the phrase of an applicable action."""
        if bare(reply) not in self.problem.view(self._state).by_phrase and (
            answer := self._answer(bare(reply))
        ):
            self._counts["questions"] += 1
            return self._after_reply(answer, ReplyOutcome.ANSWERED)
        read = self._meant(reply, self._state)
        if not self.options.list_actions:
            self._learn(lambda belief: belief.reading(self._state, lambda state: self._meant(reply, state)))
        fault = read.fault or self.problem.fault_of(read.step)
        if fault:
            return self._refuse(self._explained(fault, bool(read.fault)), ReplyOutcome.NOT_UNDERSTOOD)
        actions = self.problem.view(self._state).actions
        action = next((action for action in actions if action.step == read.step), None)
        return self._impossible(read.step) if action is None else self._do(action)

    def _meant(self, reply: str, state: int) -> ActionReply:
        """Return the action that a reply means in a state, which depends on the applicable actions."""
        view = self.problem.view(state)
        by_phrase = {phrase: action.step for phrase, action in view.by_phrase.items()}
        steps = [action.step for action in view.actions]
        read = read_action(
            reply,
            self.problem.graded_row,
            by_phrase,
            steps,
            self.problem.parameters,
            take_first=self.options.take_first,
        )
        return (self._shortened(bare(reply), state) or read) if read.fault and not read.is_final else read

    def _shortened(self, text: str, state: int) -> ActionReply | None:
        """Return the one applicable action that a shortened text means, or the one nearest to be applicable.

        The result is None if the text means no action of the problem.
        """
        row, names = self.problem.graded_row, self.problem.object_names
        actions = (action.step for action in self.problem.task.actions)
        meant = shortened(text, row, actions, names)
        applicable = {action.step for action in self.problem.view(state).actions}
        possible = [step for step in meant if step in applicable]
        # "take c1" may mean to take it on board or off, even if only one of them is possible now.
        if len(possible) > 1 or len({step[0] for step in meant}) > 1:
            phrases = listing(map(self.problem.texts.action, (possible + meant)[:MOST_MEANT]))
            return ActionReply(fault=f"That may mean several actions, for example {phrases}.")
        if possible:
            return ActionReply(possible[0])
        return ActionReply(min(meant, key=lambda step: len(self._unmet(step, state)))) if meant else None

    def _impossible(self, step: Step) -> WorldTurn:
        """Return the turn after an action whose conditions do not all hold."""
        self._learn(lambda belief: belief.refusing(step))
        unmet = self._unmet(step, self._state)
        refusal = self.problem.texts.refusal(step, unmet)
        failed = tuple(write_literal(literal) for literal in unmet)
        return self._refuse(refusal, ReplyOutcome.IMPOSSIBLE, write_atom(step), failed)

    def _unmet(self, step: Step, state: int) -> list[Literal]:
        """Return the conditions that do not hold, with local sight those known from what is seen."""
        unmet = self.problem.unmet(step, state)
        if not self._local:
            return unmet
        space, seen = self.problem.states_in_sight, self.problem.seen(state)
        return [literal for literal in unmet if space.is_known(literal.atom, seen)]

    def _explained(self, fault: str, is_sentence: bool) -> str:
        names = ", ".join(action.name for action in self.problem.domain.actions)
        text = fault if is_sentence else f"{NO_ACTION[:-1]}: {fault}."
        return f'{text} Actions: {names} ("list" shows those possible now).'

    def _do(self, action: GroundAction) -> WorldTurn:
        """Return the turn after an applicable action."""
        before = self._state
        self._state = progress(before, action)
        cost = self.problem.cost_of(action)
        self._counts.update(steps=1, cost=cost)
        self._counts["invalid"] = 0
        reward = self._reward(before) - self.options.step_cost * cost
        self._learn(lambda belief: belief.after(action.step).seeing(self._state))
        if self._local:
            effect = self.problem.seen_effect(action, before, self._state)
        else:
            effect = self.problem.effect(action, before)
        return self._after_reply(effect, ReplyOutcome.DONE, write_atom(action.step), (), reward)

    def _reward(self, before: int) -> float:
        cost_before, cost_after = (self.problem.view(state).cost_to_go for state in (before, self._state))
        if cost_before is None or cost_after is None:
            return float(self.problem.task.is_goal(self._state))
        costs, options = self._costs, self.options
        self._costs = costs._replace(lowest=min(costs.lowest, cost_after))
        steps = self._counts["steps"]
        return reward_of(options.reward, costs, cost_before, cost_after, steps, options.discount)

    def _refuse(
        self, observation: str, outcome: ReplyOutcome, action: str = "", failed: tuple[str, ...] = ()
    ) -> WorldTurn:
        self._counts.update(invalid=1, invalid_total=1)
        return self._after_reply(observation, outcome, action, failed)

    def _after_reply(
        self, observation: str, outcome: ReplyOutcome, action: str = "",
        failed: tuple[str, ...] = (), reward: float = 0.0,
    ) -> WorldTurn:  # fmt: skip
        self._counts["replies"] += 1
        self._reason = self._end()
        dead = self._reason == EndReason.DEAD_END if self.options.end_in_dead_ends else None
        self._learn(lambda belief: belief.ending(at_goal=self._reason == EndReason.GOAL, dead=dead))
        if self._reason:
            observation = f"{observation} {self._ending()}"
        return self._turn(observation, reward, outcome, action, failed)

    def _end(self) -> EndReason:
        """Return why the episode is over after this reply."""
        view = self.problem.view(self._state)
        spent = self._counts["steps"] + self._counts["questions"] * self.options.questions_cost
        if view.at_goal:
            return EndReason.GOAL
        if self.options.end_in_dead_ends and (view.cost_to_go == math.inf or not view.actions):
            return EndReason.DEAD_END
        if self._counts["invalid"] >= self.options.max_invalid:
            return EndReason.INVALID
        if spent >= self.max_steps:
            return EndReason.STEPS
        return (
            EndReason.REPLIES
            if self._counts["replies"] >= REPLIES_PER_ACTION * self.max_steps
            else self._reason
        )

    def _ending(self) -> str:
        """Return the last sentence of an episode."""
        counts = self._counts
        return {
            EndReason.GOAL: f"The goal is reached after {plural('action', counts['steps'])}.",
            EndReason.DEAD_END: "From here the goal is out of reach.",
            EndReason.STEPS: f"The budget of {plural('action', self.max_steps)} is used up.",
            EndReason.INVALID: f"The last {plural('reply', counts['invalid'])} named no possible action.",
            EndReason.REPLIES: f"The budget of {REPLIES_PER_ACTION * self.max_steps} replies is used up.",
        }[self._reason]

    def _turn(
        self,
        observation: str,
        reward: float,
        outcome: ReplyOutcome,
        action: str = "",
        failed: tuple[str, ...] = (),
    ) -> WorldTurn:
        done = bool(self._reason)
        listed = self.options.list_actions and not done
        info = {
            "outcome": str(outcome),
            "action": action,
            "failed": failed,
            **{name: self._counts[name] for name in TOLD},
            "steps_at_best": self.steps_at_best,
        }
        if listed:
            self._learn(lambda belief: belief.listing(self._state))
        if self._local:
            info |= self._known()
        phrases = self.problem.view(self._state).phrases if listed else ()
        return WorldTurn(observation, phrases, reward, done, str(self._reason), info)

    def _known(self) -> dict[str, Any]:
        """Return the certain facts in PDDL, sorted, and the number of possible states."""
        if self._belief is None:
            return {"certain": None, "possible_states": None}
        facts = sorted(self.problem.task.facts_of(self._belief.certain))
        return {"certain": tuple(map(write_atom, facts)), "possible_states": len(self._belief)}

    # ---- questions about the state

    def _answer(self, question: str) -> str:
        """Return the answer to a question; empty for any other reply."""
        question = question.strip(" .?\"'")
        texts = self.problem.texts
        if question == "help":
            return HELP
        if question == "goal":
            return texts.goal
        if question == "look":
            return self.look()
        if question == "list":
            self._learn(lambda belief: belief.listing(self._state))
            phrases = self.problem.view(self._state).phrases
            return "\n".join(f"{number}. {phrase}" for number, phrase in enumerate(phrases, 1)) or "Nothing."
        return self._about(question.removeprefix("look at ")) if question.startswith("look at ") else ""

    def look(self) -> str:
        """Return what holds now, without what no action changes."""
        return self.problem.state_text(self.shown) or "Nothing holds that can change."

    def _about(self, name: str) -> str:
        """Return what holds of an object."""
        if name not in self.problem.object_names:
            return f"There is no object {name!r:.60} here."
        facts = [Literal(fact) for fact in self.problem.facts_about(name, self.shown)]
        clauses = [self.problem.texts.clause(fact) for fact in facts]
        if not clauses:
            return f"You see nothing of {name}." if self._local else f"No fact about {name} holds."
        return " ".join(map(sentence, clauses))

    # ---- the oracle

    def cost_to_go(self) -> float | None:
        """Return the least number of actions to the goal; infinite in a dead end, None if not decided."""
        return self.problem.oracle.cost_to_go(self._state)

    def optimal_actions(self) -> tuple[str, ...] | None:
        """Return the phrases of the actions that begin a shortest plan from here; None if not decided."""
        actions = self.problem.oracle.optimal_actions(self._state)
        return None if actions is None else tuple(self.problem.texts.action(a.step) for a in actions)

    def landmarks_left(self) -> tuple[str, ...] | None:
        """Return the facts in PDDL that do not hold and that every plan makes true; None if not decided."""
        facts = self.problem.oracle.landmarks_left(self._state)
        return None if facts is None else tuple(map(write_atom, facts))

    def is_dead_end(self) -> bool | None:
        """Return whether the goal is out of reach; None if not decided."""
        cost = self.cost_to_go()
        return None if cost is None else math.isinf(cost)

    # ---- records

    def snapshot(self) -> dict[str, Any]:
        """Return the state of the episode as JSON values, for ``restore``."""
        return {
            "problem_id": self.problem.problem_id,
            "state": sorted(write_atom(fact) for fact in self.problem.task.facts_of(self._state)),
            **{name: self._counts[name] for name in COUNTS},
            "lowest": None if math.isinf(self._costs.lowest) else self._costs.lowest,
            "reason": str(self._reason),
            "log": [dict(entry) for entry in self._log],
            **({"belief": self._belief_members()} if self._local else {}),
        }

    def _belief_members(self) -> list[int] | None:
        return None if self._belief is None else self._belief.members.tolist()

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Continue from a snapshot of this world.

        Raises:
            OrreryError: it is no snapshot of this world.
        """
        try:
            if snapshot["problem_id"] != self.problem.problem_id:
                raise ValueError(f"it is of {snapshot['problem_id']!r:.80}")
            state = self.problem.task.mask(map(parse_atom, snapshot["state"]))
            counts = Counter({name: _count(snapshot[name]) for name in COUNTS})
            lowest = math.inf if snapshot["lowest"] is None else float(_count(snapshot["lowest"]))
            reason = EndReason(snapshot["reason"])
            if reason == EndReason.GOAL and not self.problem.task.is_goal(state):
                raise ValueError("its reason does not fit its state")
            log = [{name: entry[name] for name in LOGGED} for entry in snapshot["log"]]
            if self._local:
                self._belief = self.problem.states_in_sight.belief_of(snapshot["belief"], state)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            place = self.problem.problem_id
            raise OrreryError(
                place, f"is not the world of this snapshot: {error}", "give one that `snapshot` returned"
            ) from error
        self._costs = self._costs._replace(lowest=lowest)
        self._state, self._counts, self._reason, self._log = state, counts, reason, log

    def transcript(self) -> dict[str, Any]:
        """Return the episode as JSON values: problem, first observation, and all replies and turns."""
        return {
            "problem_id": self.problem.problem_id,
            "domain": self.problem.domain.name,
            "problem_pddl": self.problem.problem_pddl,
            "observation": self.first_observation,
            "turns": [dict(entry) for entry in self._log],
            "reason": str(self._reason),
        }


def _text_of(reply: str | int) -> str:
    """Return a reply as a text; a number with more digits than Python writes is no action of any list."""
    try:
        return str(reply)
    except ValueError:
        return "0"


def _restored(problem: WorldProblem, options: WorldOptions, snapshot: Mapping[str, Any]) -> World:
    world = World(problem, options)
    world.restore(snapshot)
    return world


def _count(value: Any) -> int:
    """Return a count of a snapshot.

    Raises:
        ValueError: it is not a whole number from 0 on.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < 0:
        raise ValueError(f"{value!r:.40} is no count")
    return int(value)
