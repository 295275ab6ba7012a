"""One score for the replies to rows of every table."""

import json
import multiprocessing
import random
import string
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise

import pytest

import orrery
from orrery.catalog import entry_of
from orrery.families import tables
from orrery.families.modelling.descriptions import header
from orrery.grading import Score
from orrery.library.judging import score
from orrery.model import OrreryError, UsageError
from orrery.pddl.write import write_domain
from tests.every_domain import ROOT
from tests.library.samples import IN_ONE_PROCESS, TABLES, fresh

pytestmark = IN_ONE_PROCESS

GRADED = {name for name, table in tables().items() if table.scorer}
MODELLED = ("action_modeling", "domain_modeling")
VERDICTS = {"right", "wrong", "unparsed", "undecided"}
BAD_REPLIES = (
    None, "", " ", "ANSWER:", "ANSWER: None", "(", ")" * 10_000, "(" * 10_000, "(define (problem p)",
    "\x00\ud800", "[PLAN]\n" + "(pick-up b1)\n" * 5_000, "ANSWER: " + "(a b) " * 200_000, "-1", ["no"], 7,
)  # fmt: skip


def modelled(table):
    """A row that asks for a domain, or for its actions."""
    domain = entry_of(ROOT, "ferry").domain
    row = {"id": "ferry", "gold_domain": write_domain(domain), "problems": []}
    return row | ({"header": header(domain)} if table == "action_modeling" else {})


def row_of(table):
    return modelled(table) if table in MODELLED else fresh(table)[0].row


def gold_of(table):
    return tables()[table].gold.reply(row_of(table), random.Random(0))


def test_every_table_with_a_grader_is_tried():
    assert {*TABLES, *MODELLED} == GRADED


@pytest.mark.parametrize("table", sorted(GRADED))
def test_gold_is_right_and_nonsense_is_not(table):
    row = row_of(table)
    for named in (table, None):
        score_read = score(gold_of(table), row, named, root=ROOT)
        assert (score_read.value, score_read.verdict, score_read.detail) == (1.0, "right", "")
        assert score("I do not know.", row, named, root=ROOT).verdict == "unparsed"


@pytest.mark.slow
@pytest.mark.parametrize("table", sorted(GRADED))
def test_no_reply_raises(table):
    rng, row = random.Random(3), row_of(table)
    gold = gold_of(table)
    cut = [gold[: rng.randrange(len(gold))] for _ in range(5)]
    noise = ["".join(rng.choices(string.printable, k=200)) for _ in range(5)]
    for reply in (*BAD_REPLIES, *cut, *noise):
        score_read = score(reply, row, table, root=ROOT)
        assert score_read.verdict in VERDICTS
        assert 0.0 <= score_read.value <= 1.0
        assert (score_read.value == 1.0) == (score_read.verdict == "right")
        assert all(0.0 <= part <= 1.0 for part in score_read.parts.values())
    assert score(7, row, table, root=ROOT) == Score(0.0, "unparsed", "the reply is no text")


@pytest.mark.parametrize("table", sorted(GRADED))
def test_a_row_that_lacks_something_raises_our_error_if_any(table):
    row, gold = dict(row_of(table)), gold_of(table)
    for column in row:
        for spoilt in (
            {k: v for k, v in row.items() if k != column},
            {**row, column: None},
            {**row, column: 7},
        ):
            with suppress(OrreryError):
                assert score(gold, spoilt, table, root=ROOT).verdict in VERDICTS


def test_what_cannot_be_judged_says_so():
    with pytest.raises(UsageError, match="does not belong to a table with questions"):
        score("yes", {"id": "x"})
    with pytest.raises(UsageError, match=r"'nothing'.*tables: .*acp_app_gen"):
        score("yes", {"id": "x"}, "nothing")
    with pytest.raises(UsageError, match="has no questions that can be scored"):
        score("yes", {"id": "x"}, "problems")
    with pytest.raises(OrreryError, match="group 'other' is not graded"):
        score("yes", {"id": "x", "group": "other"})
    with pytest.raises(UsageError, match="a mapping"):
        score("yes", ["id"])
    with pytest.raises(OrreryError, match="row: domain_pddl"):
        score("yes", {"id": "text", "problem_pddl": "(define", "domain_pddl": "(define"})


def test_what_is_not_decided_is_not_called_wrong(monkeypatch):
    from orrery.scoring.problems import pairs
    from orrery.scoring.scorers import text_to_pddl

    row = row_of("text_to_pddl")
    score_of_pair = pairs.score_pair(row["problem_pddl"], row)
    plain = pairs.ScoreView(True, None, None, "limit of states", "limit of states")
    undecided = pairs.ProblemScore(plain, plain, "", "", ())
    assert score_of_pair.plain.correct
    monkeypatch.setattr(text_to_pddl, "score_pair", lambda *_, **__: undecided)
    score_kept = score("(define (problem p))", row)
    assert (score_kept.value, score_kept.verdict, score_kept.detail) == (0.0, "undecided", "limit of states")


def test_another_problem_is_wrong():
    first, second = (item for item in fresh("text_to_pddl")[:2])
    assert first.row["strict_key"] != second.row["strict_key"]
    score_read = first.score(second.gold)
    assert (score_read.value, score_read.verdict) == (0.0, "wrong")
    assert score_read.detail


def pairs_of():
    """Replies with their rows and tables, right and wrong ones in turn."""
    cases_read = []
    for table in ("acp_app_gen", "plan_generation", "text_to_pddl"):
        items = fresh(table)
        cases_read += [(item.gold, item.row, table) for item in items]
        cases_read += [(following.gold, item.row, table) for item, following in pairwise(items)]
    return cases_read


def judged(pair):
    return orrery.score(*pair)


@pytest.mark.slow
def test_threads_and_workers_score_alike():
    pairs = pairs_of() * 3
    expected, columns = [judged(pair) for pair in pairs], list(zip(*pairs, strict=True))
    assert {score_read.verdict for score_read in expected} >= {"right", "wrong"}
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(judged, pairs)) == expected
    for way in ("fork", "spawn"):
        with ProcessPoolExecutor(2, multiprocessing.get_context(way)) as workers:
            assert list(workers.map(orrery.score, *columns, chunksize=6)) == expected


@pytest.mark.slow
def test_threads_may_be_the_first_to_score():
    """Nothing is loaded yet in a fresh process."""
    code = """
import sys, json
from contextlib import suppress
from concurrent.futures import ThreadPoolExecutor
import orrery
pairs = json.load(sys.stdin)
with ThreadPoolExecutor(8) as threads:
    print(*threads.map(lambda pair: orrery.score(*pair).verdict, pairs))
"""
    pairs = pairs_of()
    feed = json.dumps(pairs)
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "pipeline", input=feed, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == [judged(pair).verdict for pair in pairs]


@pytest.mark.slow
@pytest.mark.parametrize("table", sorted(GRADED))
def test_a_reply_of_fifty_megabytes_is_unparsed_at_once(table):
    row = modelled(table) if table in MODELLED else fresh(table)[0].row
    started = time.process_time()
    score_read = score("(" * 50_000_000, row, table)
    assert (score_read.value, score_read.verdict) == (0.0, "unparsed")
    assert "longer than 1000000 characters" in score_read.detail
    assert time.process_time() - started < 1
