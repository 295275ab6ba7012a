"""Check all rows together by counting: keys in two splits, repeated rows, trivial goals, uneven answers.

Each check is an SQL statement that selects its messages from the rows of a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orrery.checks.sql import files_of, select

PROBLEMS, TEXTS, YES_NO, CHOICE = "problems", "text_to_pddl", "*_bool", "*_mcq"  # patterns of tables
TEXT_KEY = "strict_key, fold_mixture, vocabulary, paraphrase"
STRICT_KEY_IN_TWO_SPLITS, LOOSE_KEY_IN_TWO_SPLITS = (
    f"""
    SELECT format('{key} {{}} stands in {{}} and in {{}}', {key}, min(file_split), max(file_split)) FROM rows
    GROUP BY {key} HAVING min(file_split) <> max(file_split) ORDER BY {key}
    """
    for key in ("strict_key", "loose_key")
)
DESCRIBED_TWICE = f"""
    SELECT concat_ws(' ', count(*), 'rows have', {TEXT_KEY}) FROM rows
    GROUP BY {TEXT_KEY} HAVING count(*) > 1 ORDER BY ALL
"""
TRIVIAL_IN_TEST = """
    SELECT format('the goal holds initially in {} rows of test', count(*)) FROM rows
    WHERE goal_holds_initially = 1 AND file_split = 'test' HAVING count(*) > 0
"""
OFTEN_TRIVIAL = """
    SELECT format('the goal holds initially in {} of {} rows', trivial, total)
    FROM (SELECT count(*) AS total, count(*) FILTER (goal_holds_initially = 1) AS trivial FROM rows)
    WHERE trivial > 0.02 * total
"""
# For an odd number of rows, the numbers of yes and no may differ by one.
UNEQUAL = """
    SELECT format('{}: {}: {} yes, {} no', file_split, domain, yes, no) FROM (
        SELECT file_split, domain, count(*) FILTER (answer = 'yes') AS yes,
               count(*) FILTER (answer = 'no') AS no
        FROM rows GROUP BY file_split, domain
    ) WHERE abs(yes - no) > 1 ORDER BY file_split, domain
"""
# Positions of the right option may be 3 % more frequent than by chance, plus three standard errors.
FREQUENT = """
    SELECT format('{} is right in {} of {} rows', answer, number, total) FROM (
        SELECT answer, count(*) AS number, (sum(count(*)) OVER ())::BIGINT AS total FROM rows GROUP BY answer
    ) WHERE number > total * (0.25 + 0.03) + 3 * sqrt(total * 0.25 * 0.75) ORDER BY answer
"""
REPEATED_AND_TRIVIAL = (
    (PROBLEMS, STRICT_KEY_IN_TWO_SPLITS),
    (PROBLEMS, LOOSE_KEY_IN_TWO_SPLITS),
    (TEXTS, STRICT_KEY_IN_TWO_SPLITS),
    (TEXTS, LOOSE_KEY_IN_TWO_SPLITS),
    (TEXTS, DESCRIBED_TWICE),
    (TEXTS, TRIVIAL_IN_TEST),
    (TEXTS, OFTEN_TRIVIAL),
)
FREQUENT_ANSWERS = ((YES_NO, UNEQUAL), (CHOICE, FREQUENT))


def counted(dataset: Path, statements: Sequence[tuple[str, str]]) -> list[str]:
    """Return the messages of statements; each selects from the tables whose names match a pattern."""
    return [
        f"{folder.name}: {message}"
        for pattern, statement in statements
        for folder in sorted((dataset / "data").glob(pattern))
        if (paths := files_of(dataset, folder.name))
        for (message,) in select(statement, {"rows": paths})
    ]
