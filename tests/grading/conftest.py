"""Published rows, of the cases made by others."""

from __future__ import annotations

import json

import pytest

OPEN, CLOSED = "acpbench_hard_dev.jsonl", "acpbench_bool_mcq_dev.jsonl"


def read(cases, name):
    return [json.loads(line) for line in (cases / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def open_rows(cases):
    return read(cases, OPEN)


@pytest.fixture(scope="session")
def closed_rows(cases):
    return read(cases, CLOSED)
