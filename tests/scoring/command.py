"""The command ``orrery score``, the files of predictions that it reads, and the tables of a dataset."""

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
from typer.testing import CliRunner

from orrery.cli.main import app


def call(kind, path, dataset, *options, code=0):
    """The command's summary, or its message where it is to fail."""
    arguments = ["score", kind, str(path), "--dataset", str(dataset), "--json", "--jobs", "1", *options]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == code, done.output
    return json.loads(done.stdout) if code == 0 else done.stderr


def printed(kind, path, dataset, *options):
    """What the command prints for readers."""
    arguments = ["score", kind, str(path), "--dataset", str(dataset), "--jobs", "1", *options]
    return CliRunner().invoke(app, arguments).stdout


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def predictions(path, outputs, column="output", rng=None):
    """A file with an output for each id, in another order than the rows."""
    lines = [{"id": name, column: output} for name, output in outputs.items()]
    (rng or random.Random(1)).shuffle(lines)
    return write_lines(path, lines)


def write_table(dataset, table, rows, split="test"):
    path = dataset / "data" / table / f"{split}-00000-of-00001.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
