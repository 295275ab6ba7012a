"""One name for one thing, over the columns of all tables."""

import re

import pytest

from orrery.config import Description
from orrery.evaluation.results.runs import scores_schema
from orrery.families import table_of, tables
from orrery.families.drafts import BOOL, MCQ, OPEN
from orrery.store.kinds import description

SYNONYMS = [("license", "licence"), ("color", "colour"), ("neighbor", "neighbour")]
VALUES = [
    ("gen", "open"),
    ("mcq", "choice"),
    ("bool", "boolean"),
    ("test", "dev"),
    ("wrong", "incorrect"),
]
VALUE = re.compile(r"`([a-z_]+)`")


def names():
    """Every column of every table, and every key that describes a domain."""
    columns = {name for table in tables() for name in table_of(table).schema.names}
    return columns | set(scores_schema().names) | set(Description.model_fields)


@pytest.mark.parametrize(("name", "other_name"), SYNONYMS)
def test_a_thing_has_one_name_in_all_columns_and_keys(name, other_name):
    words = {word for column in names() for word in column.split("_")}
    assert other_name not in words, f"{name} is its name elsewhere"


def values():
    """Every value that the description of a column names."""
    schemas = [*(table_of(table).schema for table in tables()), scores_schema()]
    return {value for schema in schemas for column in schema for value in VALUE.findall(description(column))}


@pytest.mark.parametrize(("name", "other_name"), VALUES)
def test_a_value_has_one_name_in_the_descriptions_of_all_columns(name, other_name):
    assert other_name not in values(), f"{name} is its name elsewhere"


def test_the_formats_of_scores_are_the_endings_of_the_tables_names():
    description = scores_schema().field("format").metadata[b"description"].decode()
    endings = {name.rpartition("_")[2] for name in tables() if name.startswith("acp_")}
    assert endings == {OPEN, BOOL, MCQ}
    assert all(f"`{ending}`" in description for ending in endings)
