"""Reads a dataset by its croissant.json with mlcroissant: no faults, and a first record of every set.

Usage: python croissant_records.py DATASET. Prints JSON: faults, and of each set its first record.
"""

import json
import sys
from pathlib import Path

import mlcroissant

described = mlcroissant.Dataset(str(Path(sys.argv[1]) / "croissant.json"))
issues = described.metadata.ctx.issues
first = {}
for records in described.metadata.record_sets:
    record = next(iter(described.records(records.id)))
    first[records.id] = {name.removeprefix(f"{records.id}/"): str(value) for name, value in record.items()}
print(json.dumps({"errors": sorted(issues.errors), "first": first}))
