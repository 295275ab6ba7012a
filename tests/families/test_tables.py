import pyarrow as pa
import pytest

from orrery.dataset.prompts import EXAMPLES, PromptTemplate
from orrery.families import table_of, tables
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.model import UsageError
from orrery.store import kinds
from tests.every_domain import ROOT
from tests.tables import INTERMEDIATE, PUBLISHED, QUESTIONS

TABLES = [*INTERMEDIATE.values(), *PUBLISHED.values()]


def every_type(kind):
    yield kind
    if pa.types.is_list(kind):
        yield from every_type(kind.value_type)
    elif pa.types.is_struct(kind):
        for number in range(kind.num_fields):
            yield from every_type(kind.field(number).type)


@pytest.mark.parametrize("schema", TABLES, ids=kinds.table_name)
def test_every_column_is_described_and_of_a_known_type(schema):
    assert kinds.description(schema)
    assert set(kinds.key_columns(schema)) <= set(schema.names)
    assert len(set(schema.names)) == len(schema.names)
    for field in schema:
        assert kinds.description(field), field.name
        assert not any(pa.types.is_null(kind) for kind in every_type(field.type)), field.name


# Name and type of the columns of the published datasets, from their dataset pages.
PLANETARIUM = [
    "name", "domain", "init", "goal", "num_objects", "problem_pddl", "natural_language", "init_is_abstract",
    "init_num_propositions", "goal_is_abstract", "goal_num_propositions", "is_placeholder",
]  # fmt: skip
ACPBENCH = ["id", "group", "context", "question", "answer", "PDDL_domain", "PDDL_problem"]


def test_published_names_come_first_and_unchanged():
    assert [n for n in TEXT_TO_PDDL.names if n in PLANETARIUM] == PLANETARIUM
    for table, schema in QUESTIONS.items():
        first = schema.names[: len(ACPBENCH) + 2 * table.endswith("_mcq")]
        assert [name for name in first if name not in ("choices", "query")] == ACPBENCH
    assert len(QUESTIONS) == 8 + 7 + 7


def test_json_has_one_spelling():
    assert kinds.as_json({"b": [1], "a": "é"}) == kinds.as_json({"a": "é", "b": [1]}) == '{"a":"é","b":[1]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        kinds.as_json(float("nan"))


def test_unknown_table_lists_the_known():
    with pytest.raises(UsageError, match=r"'nope'.*text_to_pddl"):
        table_of("nope")


TEMPLATES = sorted((ROOT / "templates" / "prompts").glob("*.j2"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_prompts_read_the_columns_that_the_family_names_and_no_others(path):
    """One representation, whole; so that a table says truly what its models read."""
    read = set(PromptTemplate(ROOT / "templates", path.stem).columns) - {EXAMPLES}
    mine = [table for table in tables().values() if table.template and path.stem.startswith(table.template)]
    assert mine
    for table in mine:
        assert read in [set(columns) for columns in table.prompts.values()], table.name
