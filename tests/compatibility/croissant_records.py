"""Reads a dataset by its croissant.json with mlcroissant: no faults, and the records of every set.

Usage: python croissant_records.py DATASET. Prints JSON: faults, and the first record and the rows by split of
each set.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import mlcroissant

described = mlcroissant.Dataset(str(Path(sys.argv[1]) / "croissant.json"))
issues = described.metadata.ctx.issues
first, rows = {}, {}
for records in described.metadata.record_sets:
    content = list(described.records(records.id))
    rows[records.id] = Counter(record.get(f"{records.id}/split", b"").decode() for record in content)
    first[records.id] = {
        name.removeprefix(f"{records.id}/"): str(value) for name, value in content[0].items()
    }
print(json.dumps({"errors": sorted(issues.errors), "first": first, "rows": rows}))
