"""Imports what the stages of a build import, and loads compiled loops: for a process of which they are forks.

Some is imported only where a stage needs it; what is named here are the modules that most builds need.
"""

from importlib import import_module

from orrery.checks import family_checks
from orrery.families.questions.kinds import question_kinds
from orrery.planners.warm_up import compile_loops

STAGES = (
    "generate", "solve", "render", "ask", "pose", "corpus", "describe", "assemble", "validate", "publish",
    "over_domains",
)  # fmt: skip
OTHERS = (
    "duckdb", "jinja2", "orrery.cli.main", "pyarrow.acero", "pyarrow.parquet", "rustworkx",
    "sklearn.feature_extraction.text", "sklearn.linear_model", "unified_planning.shortcuts", "vl_convert",
)  # fmt: skip

for name in STAGES:
    import_module(f"orrery.stages.{name}")
for name in OTHERS:
    import_module(name)
family_checks()
question_kinds()
compile_loops()
