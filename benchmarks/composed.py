"""Measure composed domains: processor seconds a kept domain, and rules that reject.

Run by hand: ``python benchmarks/composed.py [NUMBER]`` with a number of compositions (default: 60).
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median

from orrery.config import load
from orrery.families.modelling.composed import composed_rows

ROOT = Path(__file__).resolve().parent.parent
NUMBER = 60


def main() -> None:
    """Print the figures."""
    number, seed = int(sys.argv[1]) if len(sys.argv) > 1 else NUMBER, load(ROOT).seed
    composed_rows(0, ROOT, seed)  # loads the files of mechanics and the compiled loops
    reasons, seconds, kept = Counter[str](), list[float](), 0
    for place in range(1, number + 1):
        start = time.process_time()
        made = composed_rows(place, ROOT, seed)
        seconds.append(time.process_time() - start)
        reasons.update(reject["reason"] for reject in made["rejects"])
        kept += len(made["domain_modeling"])
    print(
        f"{kept} of {number} compositions are kept; {sum(seconds) / max(1, kept):.2f} s each, ",
        end="",
    )
    print(f"{median(seconds):.2f} s a composition (median)")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}")


if __name__ == "__main__":
    main()
