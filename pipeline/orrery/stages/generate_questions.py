"""Stage ``generate-questions``: questions with proven answers, to ``outputs/questions/<domain>``.

Questions are generated in parts that are kept until the stage is finished. The selected rows are copied part
by part, so that a large build takes no more memory than a small one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families.drafts import OPEN
from orrery.families.questions.asking import (
    CANDIDATES,
    STAGE,
    ask_states,
    draws_of,
    in_turn,
    reject,
)
from orrery.families.questions.cells import CELLS, cells_of, refuse_short, short
from orrery.families.questions.cells import FILE as CELLS_FILE
from orrery.families.questions.choice import NO_MORE, UNMATCHED, ChosenRows, choose, for_examples
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import (
    PROBLEM_AT,
    STATE_AT,
    STATES,
    SomeStates,
    item_of,
    mark_goal_free,
    numbered,
    with_full_states,
)
from orrery.families.task_rows import SPARE
from orrery.model import Row
from orrery.parts import map_parts
from orrery.problems.schemas import GENERATED_PROBLEMS, REJECTS
from orrery.stages.inputs import parts_of
from orrery.stages.over_domains import Step
from orrery.stages.summary import StageSummary
from orrery.store.files import replacing
from orrery.store.lookup import RowSource
from orrery.store.shards import read_rows, write, write_tables
from orrery.workers import ALONE, Workers

# A part is a few seconds of work, which a kill costs. All its rows are in memory, about 1.5 MiB per state.
STATES_OF_PART = 12
VAIN = 2  # a table is dropped after this many rounds without a new row; after 1 if it has no rows at all
HOPELESS = 150  # a table is dropped after this many draws without two matching claims
ROUNDS = 12  # maximum number of rounds that draw further claims
SCHEMAS = (*(table.schema for table in QUESTIONS.values()), REJECTS, CANDIDATES)


def run(settings: Settings, name: str, workers: Workers = ALONE) -> StageSummary:
    """Generate every kind of question in every format on every solved state, as many as the size allows.

    Raises:
        Incomplete: fewer questions than promised could be generated; the existing ones were written.
    """
    all_states, splits = states_of(settings, name), _splits(settings, name)
    states = all_states.those(lambda row: not row["planned"])
    has_questions = entry_of(settings.root, name).description.questions
    size = settings.size.ask if has_questions else for_examples(settings.size.ask)
    parts = parts_of(settings, STAGE, name, SCHEMAS)

    def ask_round(number: int, wanted: Mapping[str, Sequence[str]], some_states: SomeStates) -> list[str]:
        ask = partial(with_full_states, partial(ask_states, settings.root, settings.seed, number, wanted))
        label = f"ask {name}: round {number}" if number else f"ask {name}"
        describe = partial(_describe, number, wanted)
        return map_parts(
            ask, some_states.batches(STATES_OF_PART), parts, workers, label=label, describe=describe
        )

    def chosen_of(part_names: Sequence[str]) -> ChosenRows:
        return choose(QUESTIONS, name, partial(parts.tables, part_names, "candidates"), size, settings.seed)

    names = ask_round(0, dict.fromkeys(splits, tuple(QUESTIONS)), states)
    chosen = chosen_of(names)
    promised = size.questions if size.exact and has_questions else 0
    vain = Counter(_hopeless(chosen, len(states.rows)))
    for number in range(1, ROUNDS + 1 if promised else 1):
        lacking = _lacking(chosen, splits, promised, vain, number)
        lacking_states = all_states.those(partial(_is_wanted, lacking))
        if not lacking_states.rows:
            break
        names += ask_round(number, lacking, lacking_states)
        before, chosen = chosen, chosen_of(names)
        vain.update(_no_more(before, chosen, lacking))
    with replacing(settings.outputs / "questions" / name) as folder:
        counts = {}
        for table_name, table in QUESTIONS.items():
            rows = chosen.rows(table_name, parts.tables(names, table_name))
            counts[table.short] = write_tables(
                folder / f"{table_name}.parquet", table.schema, rows, made_from=parts.fingerprint
            )
            if size.exact:  # otherwise there are none
                spare = chosen.rows_to_spare(table_name, parts.tables(names, table_name))
                write_tables(folder / SPARE / f"{table_name}.parquet", table.schema, spare)
        named = (row for part in parts.tables(names, "rejects") for row in part.to_pylist())
        rejects = _last_reasons(named, chosen, name, set(map(item_of, states.rows)), vain)
        write(folder / "rejects.parquet", REJECTS, rejects, made_from=parts.fingerprint)
        decided = Counter(dict.fromkeys(splits, 0)) + Counter(row["split"] for row in states.rows)
        cells = cells_of(name, decided, chosen.counts, chosen.spares, rejects, promised)
        # A domain with too few rows does not count as finished, so that it is generated and reported again.
        write(folder / CELLS_FILE, CELLS, cells, made_from="" if any(short(cells)) else parts.fingerprint)
    parts.discard()
    refuse_short(name, cells, settings.size_name)
    shortly = Counter(row["reason"].partition(": ")[2] for row in rejects)
    return StageSummary(STAGE, name, counts, shortly)


STEP = Step(STAGE, "questions", (*(table.schema for table in QUESTIONS.values()), REJECTS, CELLS), run)


def _last_reasons(
    rejects: Iterable[dict[str, Any]],
    chosen: ChosenRows,
    name: str,
    decided: Collection[str],
    vain: Mapping[str, int],
) -> list[dict[str, Any]]:
    """Return the reasons why solved states gave no rows.

    Later draws may have given rows, or other reasons.
    """
    by_item, exhausted = {row["item"]: row for row in rejects}, _exhausted(chosen, vain)
    for table, item, reason in chosen.unmatched:
        if item in decided:
            no_more = reason == UNMATCHED and table in exhausted and QUESTIONS[table].format != OPEN
            row = reject(name, item, table, NO_MORE if no_more else reason)
            by_item[row["item"]] = row
    items_with_rows = {f"{item}/{QUESTIONS[table].short}" for table, item in chosen.items}
    return [row for item, row in by_item.items() if item not in items_with_rows]


def states_of(settings: Settings, name: str) -> SomeStates:
    """Return the states of a domain."""
    problems = settings.outputs / "problems" / name / "problems.parquet"
    states = settings.outputs / "solutions" / name / "solved_states.parquet"
    state_rows = list(
        numbered(states, STATES, ["problem_id", "state_id", "planned", "goal_free_key"], STATE_AT)
    )
    named = {row["problem_id"] for row in state_rows}
    problem_rows = (
        row
        for row in numbered(problems, GENERATED_PROBLEMS, ["problem_id", "split"], PROBLEM_AT)
        if row["problem_id"] in named
    )
    files = {PROBLEM_AT: RowSource(problems), STATE_AT: RowSource(states)}
    rows = in_turn(problem_rows, state_rows)
    mark_goal_free(rows)
    return SomeStates(rows, files)


def _splits(settings: Settings, name: str) -> list[str]:
    """Return the splits with problems of the domain."""
    path = settings.outputs / "problems" / name / "problems.parquet"
    return sorted({row["split"] for row in read_rows(path, GENERATED_PROBLEMS, ["split"])})


def _lacking(
    chosen: ChosenRows, splits: Iterable[str], promised: int, vain: Mapping[str, int], number: int
) -> dict[str, tuple[str, ...]]:
    """Return, by split, the tables with fewer rows than promised that may get rows from another draw.

    ``vain`` counts the rounds without a new row. Open questions are repeated only in the first round, for all
    states.
    """
    exhausted = _exhausted(chosen, vain)
    return {
        split: tuple(
            name
            for name in QUESTIONS
            if name not in exhausted
            and chosen.counts[name, split] < promised
            and (number == 1 or QUESTIONS[name].format != OPEN)
        )
        for split in splits
    }


def _hopeless(chosen: ChosenRows, states: int) -> set[str]:
    """Return the tables whose draws on this many states gave no two matching claims."""
    return {name for name in chosen.matchless if states * draws_of(QUESTIONS[name].task) >= HOPELESS}


def _exhausted(chosen: ChosenRows, vain: Mapping[str, int]) -> set[str]:
    """Return the tables with too many rounds without a new row."""
    tables_with_rows = {name for (name, _), count in chosen.counts.items() if count}
    return {name for name, rounds in vain.items() if rounds >= (VAIN if name in tables_with_rows else 1)}


def _is_wanted(lacking: Mapping[str, Collection[str]], row: Row) -> bool:
    return bool(lacking[row["split"]])


def _no_more(before: ChosenRows, after: ChosenRows, drawn: Mapping[str, Collection[str]]) -> set[str]:
    """Return the tables that were drawn again without a new row in any split."""
    names = {name for tables in drawn.values() for name in tables}
    return {
        name
        for name in names
        if all(after.counts[name, split] <= before.counts[name, split] for split in drawn)
    }


def _describe(number: int, lacking: Mapping[str, Sequence[str]], states: SomeStates) -> str:
    tables = "; ".join(f"{split}: {', '.join(names)}" for split, names in lacking.items())
    return f"round {number} of {tables}: {states}" if number else str(states)
