"""Rows of composed domains: one in ``domain_modeling``, and one in ``action_modeling`` for each level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from orrery.composition.compose import COMPOSED, Composition, NotComposed, compose
from orrery.composition.domain_key import domain_key
from orrery.composition.problems import ComposedProblem, draw_problems
from orrery.composition.texts import LEVELS, TextWriter, Told
from orrery.families.modelling.descriptions import header
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING, measures
from orrery.model import Row
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.problems.schemas import REJECTS, reject
from orrery.seeds import stream
from orrery.store.kinds import STRING, STRINGS, column, table, table_name

SOURCE, LICENSE = "orrery-composed", "MIT"
KEYS = table(
    "keys",
    "Composed domains with what decides whether they are kept",
    column("number", STRING, "Number of the composition"),
    column("key", STRING, "Key that is equal for domains that are equal up to names"),
    column("mechanics", STRINGS, "Mechanics, sorted"),
    column("theme", STRING, "Theme"),
    column("split", STRING, "Split that mechanics and theme give"),
    key=("number",),
)
SCHEMAS = (KEYS, ACTION_MODELING, DOMAIN_MODELING, REJECTS)


class KeptDomain(NamedTuple):
    """A composed domain that is kept: its number, mechanics, theme and split."""

    number: int
    mechanics: tuple[str, ...]
    theme: str
    split: str


def composed_rows(number: int, root: Path, seed: int) -> Mapping[str, Sequence[Row]]:
    """Return the rows of one composition by table: those of its domain, or the reason why it is none.

    The columns that depend on other domains, such as the split, are empty.
    """
    try:
        composition = compose(root, seed, number)
        problems = draw_problems(composition, stream(seed, COMPOSED, number, "problems"))
    except NotComposed as broken:
        rows = {table_name(schema): list[Row]() for schema in SCHEMAS}
        return {**rows, "rejects": [_reject(number, broken.rule, broken.detail)]}
    writer = TextWriter(root, composition, stream(seed, COMPOSED, number, "texts"))
    common = {
        "domain": composition.name,
        "source": SOURCE,
        "license": LICENSE,
        "gold_domain": write_domain(composition.domain),
        "problems": [_problem_row(composition, problem) for problem in problems],
        "mechanics": list(composition.mechanics),
        "attachments": [f"{one.mechanic}/{one.name}/{one.action}" for one in composition.attached],
        "theme": composition.theme.name,
        "seen": "",
    }
    return {
        "keys": [
            {
                "number": str(number),
                "key": domain_key(composition.domain),
                "mechanics": common["mechanics"],
                "theme": common["theme"],
                "split": composition.split,
            }
        ],
        "action_modeling": list(_action_rows(composition, writer, problems, common)),
        "domain_modeling": [_domain_row(composition, writer, common)],
        "rejects": [],
    }


def _reject(number: int, reason: str, detail: str = "") -> Row:
    return reject(COMPOSED, f"{COMPOSED}-{number}", str(number), reason, detail)


def _action_rows(
    composition: Composition, writer: TextWriter, problems: Sequence[ComposedProblem], common: Row
) -> Iterator[Row]:
    """Yield a row for each level; its procedure follows the longest of the shortest plans."""
    plan = max((problem.plan or () for problem in problems), key=len)
    for level in LEVELS:
        procedure = writer.procedure(level, plan)
        yield {
            **common,
            "id": f"{COMPOSED}/{composition.number}/{level}",
            "header": header(composition.domain),
            "action_names": [action.name for action in composition.domain.actions],
            "texts": dict(procedure.texts),
            "explicitness": level,
            "told": _rows_of_literals(procedure.told),
        }


def _domain_row(composition: Composition, writer: TextWriter, common: Row) -> Row:
    description = writer.description()
    return {
        **common,
        **measures(composition.domain, common["gold_domain"]),
        "id": f"{COMPOSED}/{composition.number}",
        "description_abstract": description.abstract,
        "description_concrete": description.concrete,
        "style": COMPOSED,
        "told": _rows_of_literals(description.told),
    }


def _rows_of_literals(told: Iterable[Told]) -> list[Row]:
    return [{"literal": one.literal, "how": one.how, "places": list(one.places)} for one in told]


def _problem_row(composition: Composition, composed: ComposedProblem) -> Row:
    plain, steps = composed.problem, [*map(composition.tables.step, composed.plan or ())]
    return {
        "name": plain.name,
        "pddl": write_problem(composition.tables.problem(plain, plain.name, plain.domain)),
        "solvable": composed.plan is not None,
        "plan": list(map(write_atom, steps)),
        "optimal_cost": None if composed.plan is None else len(steps),
    }


def seen_in_train(kept: Sequence[KeptDomain]) -> dict[KeptDomain, str]:
    """Return for each domain which of its mechanics and theme also occur in those of train."""
    train = [one for one in kept if one.split == "train"]
    themes = {one.theme for one in train}
    mechanics = {name for one in train for name in one.mechanics}
    return {one: _SEEN[mechanics.issuperset(one.mechanics), one.theme in themes] for one in kept}


_SEEN = {(True, True): "both", (True, False): "mechanics", (False, True): "theme", (False, False): "neither"}


class Sieve:
    """Decides which compositions are kept: each a new domain, and few with the same set of mechanics."""

    def __init__(self, wanted: int, known: Set[str]) -> None:
        """Prepare for ``wanted`` domains; ``known`` are the keys of domains that must not be made again."""
        self._wanted, self._keys = wanted, set(known)
        self._sets: set[tuple[str, ...]] = set()
        self._repeated = 0
        self.kept: list[KeptDomain] = []
        self.rejects: list[Row] = []

    @property
    def is_full(self) -> bool:
        """Whether enough domains are kept."""
        return len(self.kept) >= self._wanted

    def add(self, key: Row) -> None:
        """Keep the domain of a row of ``keys``, or record why not."""
        mechanics = tuple(key["mechanics"])
        if key["key"] in self._keys:
            self.rejects.append(_reject(int(key["number"]), "equal to another domain up to names"))
        elif mechanics in self._sets and self._repeated >= self._wanted // 10:
            self.rejects.append(_reject(int(key["number"]), "many domains have its set of mechanics"))
        else:
            self._repeated += mechanics in self._sets
            self._sets.add(mechanics)
            self._keys.add(key["key"])
            self.kept.append(KeptDomain(int(key["number"]), mechanics, key["theme"], key["split"]))
