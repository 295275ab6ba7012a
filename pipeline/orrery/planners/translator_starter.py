"""A program, not a module to import: writes two texts into files and becomes Fast Downward's translator.

Reads a JSON object from standard input: domain, problem (texts) and sas (the file to write).
"""

import json
import os
import sys
from pathlib import Path


def main() -> None:
    """Write the files; the translator takes over this process, and with it the limits set on it."""
    request = json.load(sys.stdin)
    for name in ("domain", "problem"):
        Path(f"{name}.pddl").write_text(request[name], encoding="utf-8", errors="replace")
    arguments = ["-m", "fast_downward.translate", "domain.pddl", "problem.pddl", "--sas-file", request["sas"]]
    os.execv(sys.executable, [sys.executable, "-P", *arguments])


if __name__ == "__main__":
    main()
