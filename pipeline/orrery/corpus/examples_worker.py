"""A program, not a module to import: it writes unified-planning's own example problems as PDDL.

The output is a JSON list of [name, domain, problem], sorted by name, with an entry for each example. If PDDL
cannot express an example, the reason replaces the text of the domain, and the problem is empty.
"""

from __future__ import annotations

import json
import os
import sys

from orrery.planning.external_parser_worker import replace_configspace


def main() -> None:
    """Write all examples to standard output."""
    replace_configspace()
    # Imported only in the program, because these modules import an engine under the GPL.
    from unified_planning.io import PDDLWriter
    from unified_planning.test.examples import get_example_problems

    answer_to = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # other output of libraries does not go to stdout
    written: list[tuple[str, str, str]] = []
    for name, example in sorted(get_example_problems().items()):
        try:
            writer = PDDLWriter(example.problem)
            written.append((name, writer.get_domain(), writer.get_problem()))
        except Exception as error:  # exceptions of a dozen classes; each explains why an example has no PDDL
            written.append((name, f"{type(error).__name__}: {error}", ""))
    with answer_to:
        json.dump(written, answer_to)


if __name__ == "__main__":
    main()
