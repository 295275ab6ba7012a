"""The schemas of all tables by name, as the families have them."""

from orrery.families import families
from orrery.store.kinds import table_name

PUBLISHED = {table.name: table.schema for family in families().values() for table in family.tables}
INTERMEDIATE = {
    table_name(schema): schema for family in families().values() for schema in family.intermediate
}
MODELLING = {table.name: table.schema for table in families()["modelling"].tables}
PLANS = {table.name: table.schema for table in families()["plans"].tables}
QUESTIONS = {table.name: table.schema for table in families()["questions"].tables}
