"""A program, not a module to import: writes unified-planning's own example problems as PDDL.

Writes a JSON list of [name, domain, problem] to standard output, sorted by name, with an entry for each
example. Where PDDL cannot express one, the reason stands in place of the domain's text, and its problem is
empty.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Write them all."""
    # Loaded by the program alone: with them comes an engine under the GPL.
    from unified_planning.io import PDDLWriter
    from unified_planning.test.examples import get_example_problems

    answer_to = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever libraries print is no answer
    written: list[tuple[str, str, str]] = []
    for name, example in sorted(get_example_problems().items()):
        try:
            writer = PDDLWriter(example.problem)
            written.append((name, writer.get_domain(), writer.get_problem()))
        except Exception as error:  # of a dozen classes; each is why an example has no PDDL
            written.append((name, f"{type(error).__name__}: {error}", ""))
    with answer_to:
        json.dump(written, answer_to)


if __name__ == "__main__":
    main()
