"""Check the texts of one problem: read explicit ones, compare with the row, regenerate abstract ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import TypeAlias

from orrery.checks import FamilyChecks, agreement, counts, determined, holds, labels, renamed
from orrery.checks.all_wordings import Passage, abstract_texts, masked
from orrery.checks.inputs import CheckedProblem, CheckInputs
from orrery.checks.open_objects import OpenObjects
from orrery.checks.texts import INIT_AND_GOAL, DomainTexts, reader_of
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts, differing, undecided
from orrery.language.choices import Wordings
from orrery.language.names import NUMBERED
from orrery.language.words import macro_name
from orrery.model import WITH_EXPLICIT_GOAL, Generated, Parameters, Row, parameters_beside
from orrery.pddl.read import read_problem
from orrery.seeds import stream

Passages: TypeAlias = Callable[[str, bool], Wordings]  # by part, and whether the goal is explicit

PLAIN = "plain"
ATTEMPTS = 5  # limit of attempts to generate a problem with equal parameters
EXPLICIT = "/explicit-explicit"
RENAMED = {"problem_pddl", "domain_pddl", "plan", "names"}  # columns that another vocabulary changes
# Rows whose text, up to names, is that of a problem with another key.
AMBIGUOUS = """
    WITH texts AS (SELECT row, key, text AS loose_key FROM notes WHERE name = 'determined')
    SELECT DISTINCT row FROM texts WHERE key IN (
        SELECT key FROM texts GROUP BY key HAVING min(loose_key) <> max(loose_key)
    ) ORDER BY row
"""
NO_TEXT = MappingProxyType({"init_text": "", "goal_text": "", "mixture": "nothing that was rendered"})


def check_problem(checked: CheckedProblem, verdicts: Verdicts) -> None:
    """Check all texts of a problem."""
    texts = _texts(checked)
    if checked.entry.description.texts:
        explicit = any(row["id"].endswith(EXPLICIT) for row in texts)
        lacking = [] if explicit else [f"{checked.row['id']}: has no explicit text"]
        verdicts.enter("references", checked.entry.name, checked.row["id"], lacking)
    landmarks = _landmarks(checked)
    domain_texts = DomainTexts(reader_of(checked.entry.words, checked.entry.domain), checked.problem)
    passages = _passages(checked, domain_texts)
    # Evaluated inside a check, because the row may be unreadable.
    places = cache(partial(_open_objects, checked))
    if abstract := [row for row in texts if any(row[f"{part}_is_abstract"] for part in INIT_AND_GOAL)]:
        # One of the mixtures; it varies from problem to problem.
        row = abstract[int(_digest(checked.row["id"])[:16], 16) % len(abstract)]
        verdicts.judge("determined", checked.row, lambda: _determined(checked, row, places()))
    idle = cache(partial(holds.holds, checked.entry.domain, checked.problem))
    for row in texts:
        plain = row["vocabulary"] == PLAIN
        check_text = (
            partial(_well_told, domain_texts, passages, row) if plain else partial(_reworded, checked, row)
        )
        verdicts.judge("agreement", row, partial(_agrees, checked, row, landmarks))
        verdicts.judge("labels", row, partial(labels.check, row, checked.task))
        verdicts.judge("open objects", row, partial(_open, places, row))
        verdicts.judge("texts", row, check_text)
        verdicts.judge("holds", row, partial(_idle, row, idle))
        if row["init_is_abstract"] and row["goal_is_abstract"]:
            verdicts.judge("determined", row, partial(_noted, checked, row, domain_texts.names, verdicts))


def check_dataset(inputs: CheckInputs, notes: Notes, verdicts: Verdicts) -> None:
    """Check that no abstract text fits several problems, and the properties of all rows together."""
    ambiguous = [f"{row}: its abstract text also describes another" for (row,) in notes.select(AMBIGUOUS)]
    total = len({note.row for note in notes.named("determined")})
    verdicts.enter("determined", "", f"{total} abstract texts", ambiguous)
    verdicts.enter("counts", "", "all tables", counts.counted(inputs.dataset, counts.REPEATED_AND_TRIVIAL))


def _well_told(texts: DomainTexts, passages: Passages, row: Row) -> list[str]:
    """Return the faults in the words of a text."""
    beside = not row["goal_is_abstract"]
    abstract = {part: passages(part, beside) for part in INIT_AND_GOAL if row[f"{part}_is_abstract"]}
    return texts.check(row, abstract)


def _passages(checked: CheckedProblem, texts: DomainTexts) -> Passages:
    """Return a function for the wordings of the abstract text of a part; each text is built once."""

    @cache
    def wordings_of(part: str, explicit_goal: bool) -> Wordings:
        parameters_told = parameters_beside(parameters(part), explicit_goal=explicit_goal)
        return checked.entry.words.every(macro_name(part, checked.row[part]), parameters_told, texts.names)

    def parameters(part: str) -> Parameters:
        parameters_of_part: Parameters = json.loads(checked.row["parameters"])[part]
        return parameters_of_part

    # An explicit goal matters if the text of the initial state depends on it.
    return lambda part, explicit_goal: wordings_of(
        part, explicit_goal and WITH_EXPLICIT_GOAL in parameters(part)
    )


def _noted(
    checked: CheckedProblem, row: Row, names: Mapping[str, Sequence[str]], verdicts: Verdicts
) -> list[str]:
    """Record the abstract text of a row, and texts of its problem in which each wording occurs."""
    told = {
        part: parameters_beside(parameters, explicit_goal=False)
        for part, parameters in json.loads(checked.row["parameters"]).items()
    }
    passages = [Passage(part, checked.row[part], told[part]) for part in INIT_AND_GOAL]
    texts = [f"{row['init_text']}\n{row['goal_text']}"]
    texts += abstract_texts(checked.entry.words, passages, names)
    keys = {_digest(repr((row["domain"], masked(names, text)))) for text in texts}
    verdicts.notes += [Note("determined", row["id"], key, row["loose_key"]) for key in sorted(keys)]
    return []


def _open_objects(checked: CheckedProblem) -> OpenObjects:
    parameters, plan = json.loads(checked.row["parameters"]), checked.row["plan"]
    entry = checked.entry
    return OpenObjects(entry.domain, checked.problem, checked.task, parameters, plan, entry.planner)


def _open(places: Callable[[], OpenObjects], row: Row) -> list[str]:
    return places().check(row)


def _texts(checked: CheckedProblem) -> list[Row]:
    """Return the published texts, each with the parts from which it was rendered."""
    rendered = {
        labels.name_of(row["problem_id"], row["mixture"], row["vocabulary"], row["paraphrase"]): row
        for row in checked.rows["texts"]
    }
    return [{**NO_TEXT, **rendered.get(row["id"], {}), **row} for row in checked.published("text_to_pddl")]


def _landmarks(checked: CheckedProblem) -> int | None:
    """Return the number of landmarks of the initial state, if all are decided.

    They are decided again in questions and in rows of the table ``states``.
    """
    listed = (
        len(row["landmarks_yes"])
        for row in checked.rows["solved_states"]
        if row["source"] == "initial" and row["landmarks_complete"]
    )
    return next(listed, None)


def _determined(checked: CheckedProblem, row: Row, places: OpenObjects) -> list[str]:
    """Check the row's text against a problem that is generated again from the same parameters."""
    names = frozenset(typed.name for typed in checked.problem.objects)
    entry, parts = checked.entry, [part for part in INIT_AND_GOAL if row[f"{part}_is_abstract"]]
    for attempt in range(ATTEMPTS):
        redrawn = _again(checked, attempt)
        parameters = {"init": redrawn.init_parameters, "goal": redrawn.goal_parameters}
        opened, problem = None, redrawn.problem
        if checked.task.interchangeable:
            alignments = {
                part: determined.aligned(parameters[part], places.parameters[part], names)
                for part in INIT_AND_GOAL
            }
            renamings = {part: way for part, way in alignments.items() if way is not None}
            if not renamings.keys() >= {"init", *parts}:
                continue
            named = {part: places.named(part, row) for part in parts}
            opened = row["open_objects"] if row["is_placeholder"] else ()
            problem = determined.reply_of(
                entry.domain, checked.problem, problem, renamings, named, by_init=not opened
            )
        elif (
            determined.aligned(
                [places.parameters[part] for part in INIT_AND_GOAL], [*parameters.values()], names
            )
            is None
        ):
            continue
        return determined.check(
            entry.domain,
            checked.problem,
            problem,
            checked.row,
            abstract_parts=parts,
            open_objects=opened,
            rule=entry.closure_rule,
        )
    return [undecided("whether its text determines it: none of the same parameters was drawn")]


def _again(checked: CheckedProblem, attempt: int) -> Generated:
    """Generate a problem again from the parameters of the row's problem."""
    path, seed = checked.row["seed_path"].split("/"), checked.inputs.seed
    limits = checked.entry.limits(checked.row["difficulty"])
    parameters = checked.entry.call("draw", checked.task, limits, stream(seed, *path))
    rng = stream(seed, "validate", checked.row["id"], "again", attempt)
    return checked.with_names(checked.entry.call("build", checked.task, parameters, rng))


def _agrees(checked: CheckedProblem, row: Row, landmarks: int | None) -> list[str]:
    """Return where a text does not describe this problem, or its renaming in another vocabulary."""
    faults = differing({"num_landmarks": landmarks}, row)
    if row["vocabulary"] == PLAIN:
        return faults + agreement.check(row, checked.row)
    faults += agreement.check({name: row[name] for name in row.keys() - RENAMED}, checked.row)
    faults += differing({"names": NUMBERED}, row)
    return faults + renamed.check(checked.entry.domain, checked.problem, row, checked.row)


def _reworded(checked: CheckedProblem, row: Row) -> list[str]:
    """Return the faults of a text in another vocabulary."""
    domain, words, _ = checked.spoken(row["vocabulary"])
    return DomainTexts(reader_of(words, domain), read_problem(row["problem_pddl"], domain, row["id"])).check(
        row
    )


def _idle(row: Row, holds_for: Callable[[bool], bool | None]) -> list[str]:
    """Return a fault if the column about whether the goal holds initially is wrong."""
    truth = holds_for(bool(row["is_placeholder"]))
    if truth is None:
        return [undecided("whether the goal holds initially for other objects")]
    return differing({"goal_holds_initially": int(truth)}, row)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "agreement": (
            "domain", "task", "init", "goal", "difficulty", "names", "domain_pddl", "problem_pddl",
            "parameters", "num_objects", "init_num_propositions", "goal_num_propositions", "solvable", "plan",
            "plan_cost", "plan_optimal", "strict_key", "loose_key", "planner", "planner_version", "seed_path",
            "num_landmarks", "problem_id", "h_star", "horizon", "seen",
        ),
        "labels": (
            "name", "num_propositions", "fold", "fold_size", "fold_mixture", "vocabulary", "paraphrase",
            "init_is_abstract", "goal_is_abstract",
        ),
        "open objects": ("open_objects", "is_placeholder"),
        "texts": (
            "natural_language", "init_text", "goal_text", "style", "register", "unseen_templates",
        ),
        "holds": ("goal_holds_initially",),
    },
    problem=check_problem,
    dataset=check_dataset,
    beside={"texts": ("texts", "mixture", "vocabulary", "paraphrase")},
    unique={"text_to_pddl": ("natural_language",)},
)  # fmt: skip
